#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The series' KUnit tests, which run as the debug kernel boots.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
console=$(mktemp "${TMPDIR:-/tmp}/memscope-kunit.XXXXXX")
trap 'rm -f "$console"' EXIT

"$here/../../run" --kernel "${MEMSCOPE_KERNEL:-debug}" --console "$console" --timeout 300 \
	--append kunit.enable=1 -- true
status=$?
n=0
while read -r line; do
	n=$((n + 1))
	echo "$line" | sed -E "s/^(not ok|ok) [0-9]+/\1 $n -/"
done < <(sed -E 's/^\[[^]]*\] *//; s/\r$//' "$console" | grep -E '^(not ok|ok) [0-9]+ (memref|page-hint|swmem|dprof)')
[ $n -gt 0 ] && [ $status -eq 0 ] && result=ok || result='not ok'
echo "$result $((n + 1)) - the tests ran (status $status)"
echo "1..$((n + 1))"
