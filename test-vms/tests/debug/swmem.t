#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The PMU swmem on a kernel that checks itself: tasks unmap, fork, exec and exit
# while they are sampled; and two million random instructions are decoded (more take
# so long at boot that the kernel complains of a hung task).
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kernel=${MEMSCOPE_KERNEL:-debug}
seconds=${MEMSCOPE_SWMEM_SECONDS:-5}
rounds=${MEMSCOPE_SWMEM_FUZZ:-2000000}
console=$(mktemp "${TMPDIR:-/tmp}/memscope-swmem.XXXXXX")
trap 'rm -f "$console"' EXIT
n=0 failed=0

result() {
	n=$((n + 1))
	[ "$1" -eq 0 ] && echo "ok $n - $2" && return
	echo "not ok $n - $2 (status $1)"
	failed=$((failed + 1))
}

# 125: a report of the kernel is a failed test, whatever the guest said.
"$here/../../run" --kernel "$kernel" --smp 2 --timeout 1500 --accel tcg \
	--append "hpet=disable tsc=reliable clocksource=tsc" \
	--qemu-arg -icount --qemu-arg shift=1,sleep=off -- \
	swmem_churn "$seconds" "${MEMSCOPE_STRESS_SEED:-1}" "${MEMSCOPE_SWMEM_PERIOD_NS:-100000}" | sed 's/^/# /'
result "${PIPESTATUS[0]}" 'tasks that unmap, fork, exec and exit while sampled'

"$here/../../run" --kernel "$kernel" --console "$console" --timeout 1500 \
	--append "kunit.enable=1 kunit.filter_glob=swmem* decode_test.fuzz_rounds=$rounds" -- true
result $? "random instructions decoded: $rounds"
grep -o '[0-9]* of [0-9]* random instructions' "$console" | sed 's/^/# /'
grep -q "of $rounds random instructions access memory" "$console"
result $? 'and as many as asked for'
echo "1..$n"
[ $failed -eq 0 ]
