#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof_watched.sh DIR lives ROUNDS GROUPS OBJECTS, or
# dprof_watched.sh DIR CACHE LOAD ROUNDS GROUPS OBJECTS: records histories of objects of
# known lives (oracle/module/dprof_probe.c), or of a slab cache during a load of the kernel,
# beside the oracle of watched objects.  DIR gets truth and trace, which dprof_watched.pl
# compares, and stats.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MEMSCOPE_BUILD:-$here/../../build}
build=$(cd "$build" && pwd)
dir=$1
shift
max_ms=0
if [ "$1" = lives ]; then
	cache='dprof_probe dprof_typesafe skbuff_head_cache' follow=:
	load="echo lives $2 >/sys/kernel/debug/dprof_probe/run"
	shift 2
else
	cache=$1 follow="modprobe oracle_lives cache=$1" load="kernel_load $2 $3"
	# What lives long gives way to others.
	max_ms=1
	shift 3
fi
at() {
	awk -v name="$1" '$3 == name { print $1 }' "$build/kernel-vm/System.map"
}
# Its size, and where the members are that say what is watched.
layout=$(pahole -C dprof_watch "$build/kernel-vm/vmlinux" | awk '
	$2 == "target;" { target = $4 }
	$2 == "blind;" { blind = $4 }
	/size:/ { sub(",", "", $3); print $3 ":" target ":" blind }')
plugin=$build/guest/libwatched.so,out=$dir/truth,watches=$(at dprof_watches):$layout:4
plugin+=,nmi=$(at asm_exc_nmi),debug=$(at asm_exc_debug),fault=$(at asm_exc_page_fault)
# Order is what counts, and clocks are coarse.
"$here/../run" --qemu ibs --accel tcg --smp 2 --mem 1G --share "$dir" --timeout 1800 \
	--append 'slab_nomerge hpet=disable sysctl.vm.mem_profiling=0' \
	--qemu-arg -plugin --qemu-arg "$plugin" -- sh -ec '
	cd /sys/kernel/tracing
	modprobe dprof_probe
	echo 200000 >buffer_size_kb
	echo counter >trace_clock
	echo 0 >dprof/history_cpu_share
	echo 1000000 >dprof/history_max
	echo "$6" >dprof/history_max_ms
	echo "$2" >dprof/history_offsets
	echo "$3" >dprof/history_objects
	# Nothing is watched but while all events are recorded.
	oracle-phase sh -ec "
		$4
		for event in history access history_end type; do
			echo 1 >events/dprof/dprof_\$event/enable
		done
		echo \"$1\" >dprof/history_types
		cat dprof/stats >/dev/null
		$5
		echo >dprof/history_types
		cat dprof/stats >/dev/null
		echo 0 >events/dprof/enable
		cat dprof/stats >/share/stats"
	cat trace >/share/trace
	grep -h "overrun: [1-9]" per_cpu/cpu*/stats >&2 && exit 1
	exit 0' sh "$cache" "$1" "$2" "$follow" "$load" "$max_ms"
