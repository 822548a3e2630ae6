#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Page hints on a kernel that checks itself: hints set and cleared against fork,
# exec, exit and faults; faults while CPUs and memory come and go; pages moved
# under writers; calls without sense.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kernel=${MEMSCOPE_KERNEL:-debug}
seed=${MEMSCOPE_STRESS_SEED:-1}
seconds=${MEMSCOPE_HINT_SECONDS:-60}
n=0 failed=0

part() {
	local name=$1 status
	shift
	"$here/../../run" --kernel "$kernel" --smp 2 --mem 1G --timeout 1500 --append panic_on_warn=0 -- \
		sh -c 'cd /lib/modules/*/kernel/mm/page_hint/strategies &&
			for m in *.ko; do insmod $m || exit 1; done; "$@"' sh "$@" | sed 's/^/# /'
	status=${PIPESTATUS[0]}
	n=$((n + 1))
	# 125: a report of the kernel is a failed test, whatever the guest said.
	[ "$status" -eq 0 ] && echo "ok $n - $name" && return
	echo "not ok $n - $name (status $status)"
	failed=$((failed + 1))
}

part races page_hints_stress races "$seconds" "$seed" .
part 'CPUs, memory and caches come and go' page_hint_alloc stress "$seed"
part 'pages move under writers' page_hint_remap 5000 "$seed"
part 'calls without sense' page_hints_stress fuzz "${MEMSCOPE_HINT_FUZZ:-10000}" "$seed" .
echo "1..$n"
[ $failed -eq 0 ]
