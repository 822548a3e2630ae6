#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The sampler started, stopped and turned about while processes fork, huge
# pages split, memory is swapped and CPUs leave: on a kernel that checks
# itself, without a report, a leak or a lost byte.
# MEMSCOPE_STRESS_MODE: "write" takes dirty bits every 50 ms throughout instead of
# turning all knobs; "dirty" every 10 ms, beside NUMA balancing, mprotect, userfaultfd and
# msync, with CPUs that run at once.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
seconds=${MEMSCOPE_STRESS_SECONDS:-600}
seed=${MEMSCOPE_STRESS_SEED:-1}
mode=${MEMSCOPE_STRESS_MODE:-}
options=(--smp 4)
[ "$mode" != dirty ] || options+=(--accel mttcg --numa 2)
dir=$(mktemp -d "${TMPDIR:-/tmp}/memscope-stress.XXXXXX")
trap 'rm -rf "$dir"' EXIT

echo "# ${seconds} s, seed $seed (MEMSCOPE_STRESS_SECONDS, MEMSCOPE_STRESS_SEED) $mode"
truncate -s 128M "$dir/disk"
PATH=$PATH:/usr/sbin:/sbin mkfs.ext4 -q -F "$dir/disk" || {
	echo "1..1"; echo "not ok 1 - mkfs.ext4"; exit 1; }
"$here/../../run" --kernel "${MEMSCOPE_KERNEL:-debug}" "${options[@]}" --mem "${MEMSCOPE_STRESS_MEM:-640M}" \
	--timeout $((seconds * 2 + 300)) --append "panic_on_warn=0 transparent_hugepage=madvise" \
	--qemu-arg -drive --qemu-arg "file=$dir/disk,if=virtio,format=raw,cache=unsafe" \
	-- stress "$seconds" "$seed" /dev/vda "$mode" | tee "$dir/out"
status=${PIPESTATUS[0]}
[ "$status" -eq 0 ] || echo "# test-vms/run: status $status"
n=$(($(grep -cE '^(not )?ok ' "$dir/out") + 1))
# 125: a report of the kernel is a failed test, whatever the guest said.
echo "$([ "$status" -ne 125 ] && [ "$status" -ne 124 ] || echo 'not ')ok $n - the kernel had nothing to report"
echo "1..$n"
exit "$status"
