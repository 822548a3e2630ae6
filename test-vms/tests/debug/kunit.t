#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The series' KUnit tests, which run as the debug kernel boots: with objects in KFENCE, and
# with freed pages unmapped.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
console=$(mktemp "${TMPDIR:-/tmp}/memscope-kunit.XXXXXX")
trap 'rm -f "$console" "$console.map"' EXIT

"$here/../../run" --kernel "${MEMSCOPE_KERNEL:-debug}" --console "$console" --timeout 600 \
	--append "kunit.enable=1 sysctl.vm.mem_profiling=0 debug_pagealloc=on kfence.sample_interval=50" -- \
	grep DirectMap2M /proc/meminfo >"$console.map"
status=$?
n=0
while read -r line; do
	n=$((n + 1))
	echo "$line" | sed -E "s/^(not ok|ok) [0-9]+/\1 $n -/"
done < <(sed -E 's/^\[[^]]*\] *//; s/\r$//' "$console" | grep -E '^(not ok|ok) [0-9]+ (memref|page-hint|swmem|dprof)')
grep -E -A 8 '(EXPECTATION|ASSERTION) FAILED' "$console" | head -n 60 >&2
[ $n -gt 0 ] && [ $status -eq 0 ] && result=ok || result='not ok'
echo "$result $((n + 1)) - the tests ran (status $status)"
# They skip what a kernel has not.
grep -E 'dprof_test_(kfence|unmapped).*# SKIP' "$console" && result='not ok' || result=ok
echo "$result $((n + 2)) - with KFENCE and allocation tags"
# The kernel is mapped by small pages then.
grep -q 'DirectMap2M: *0 kB' "$console.map" && result=ok || result='not ok'
echo "$result $((n + 3)) - and pages that are unmapped when they are freed"
echo "1..$((n + 3))"
