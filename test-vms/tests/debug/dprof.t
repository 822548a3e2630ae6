#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof on a kernel that checks itself: all types told, histories of the busiest
# caches, samples of all CPUs, while the kernel works, CPUs come and go, and a debugger
# has a watchpoint, which stops at each of its accesses all the time; a recording that is
# killed leaves the debug registers free.  Freed pages are unmapped, and objects come from
# KFENCE now and then: a sample that reads what was just freed is not an oops.  All the
# time the function tracer follows what a sample calls, and slab allocation.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kernel=${MEMSCOPE_KERNEL:-debug}
seconds=${MEMSCOPE_DPROF_SECONDS:-40}
n=0 failed=0

result() {
	n=$((n + 1))
	[ "$1" -eq 0 ] && echo "ok $n - $2" && return
	echo "not ok $n - $2 (status $1)"
	failed=$((failed + 1))
}

# 125: a report of the kernel is a failed test, whatever the guest said.
# shellcheck disable=SC2016 # the guest's shell expands it
"$here/../../run" --kernel "$kernel" --smp 3 --mem 1G --timeout $((seconds * 10 + 300)) --accel tcg \
	--append 'hpet=disable sysctl.vm.mem_profiling=1 debug_pagealloc=on kfence.sample_interval=20' -- sh -c '
	cd /sys/kernel/tracing/dprof || exit 1
	echo swmem >source
	echo all >types
	echo 1 >sample_every
	echo "dentry filp skbuff_head_cache vm_area_struct" >history_types
	echo "0,8 16 24,32,40" >history_offsets
	tracer=/sys/kernel/tracing/instances/functions
	mkdir $tracer || exit 1
	# Not what each tick calls: what is in the buffer would be that.
	for filter in "*dprof*" "swmem_s*" "perf_event_overflow" "perf_output_*" "kmem_cache_*" "__kmalloc*"; do
		echo "$filter" >>$tracer/set_ftrace_filter || exit 1
	done
	echo 128 >$tracer/buffer_size_kb
	: >/tmp/traced
	echo function >$tracer/current_tracer || exit 1
	dprof_registers ptrace '"$seconds"' >/tmp/watched 2>&1 &
	watched=$!
	end=$(($(date +%s) + '"$seconds"'))
	while [ $(date +%s) -lt $end ]; do
		trace-cmd record -q -e dprof -o /tmp/trace.dat sh -c "
			for load in files exec pipes udp maps; do kernel_load \$load 20 & done; wait" &
		recorder=$!
		while ! grep -q "^samples [1-9]" stats && kill -0 $recorder; do sleep 0.1; done
		# What was traced last, until a sample is in it.
		while kill -0 $recorder; do
			sed -n "s/.*: \([a-z_0-9.]*\) <-.*/\1/p" $tracer/trace >>/tmp/traced
			grep -q dprof_overflow /tmp/traced && break
		done
		for i in 1 2 3; do
			echo 0 >/sys/devices/system/cpu/cpu2/online; sleep 0.5
			echo 1 >/sys/devices/system/cpu/cpu2/online; sleep 0.5
		done
		grep "^samples " stats
		killall -9 trace-cmd 2>/dev/null
		wait $recorder
		for e in /sys/kernel/tracing/events/dprof/*/enable; do echo 0 >$e; done
	done
	wait $watched
	cat stats
	echo nop >$tracer/current_tracer
	rmdir $tracer || exit 1
	sort /tmp/traced | uniq -c | sort -rn >/tmp/functions
	echo "traced: $(wc -l </tmp/functions) functions"
	for name in dprof_overflow dprof_resolve swmem_sample kmem_cache_alloc; do
		grep $name /tmp/functions || exit 1
	done
	echo "watchpoint: $(cat /tmp/watched)"
	grep -qE "^[1-9]" /tmp/watched || exit 1
	grep -qx "history_slots 0" stats && grep -qx "running 0" stats' | sed 's/^/# /'
result "${PIPESTATUS[0]}" "recorded for $seconds s"
echo "1..$n"
[ $failed -eq 0 ]
