#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# net_cases.sh [DATAGRAMS [CONNECTIONS]]: the two cases of the dprof paper as docs/cases/dprof.md has
# them: datagrams that a hash queues to another CPU, and a backlog of connections, each with its
# remedy, while dprof records.  Recordings and views are left in build/bench/net_cases.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MEMSCOPE_BUILD:-$here/../../build}
build=$(cd "$build" && pwd)
out=$build/bench/net_cases
mkdir -p "$out"
# Each recording is read under sanitizers, too.
export MEMSCOPE_READ=bench-net_cases

# record IBS LABEL TYPES ROUNDS MODE... -- OPTION...: of net_cases, a recording for each MODE
record() {
	local ibs=$1 label=$2 types=$3 rounds=$4 modes=()
	shift 4
	while [ "$1" != -- ]; do
		modes+=("$1")
		shift
	done
	# shellcheck disable=SC2016 # the guest's shell expands it
	"$here/../run" --qemu ibs --accel icount --ibs "$ibs" --smp 2 --mem 1G --share "$out" --timeout 3600 \
		--append 'slab_nomerge hpet=disable sysctl.vm.mem_profiling=1' -- sh -ec '
		samples_ready
		modes=$1 label=$2 types=$3 rounds=$4
		shift 5
		for mode in $modes; do
			dprof record -s ibs --types "$types" -o "/share/$mode$label.dat" "$@" -- net_cases $mode $rounds
		done' sh "${modes[*]}" "$label" "$types" "$rounds" "$@"
}

# views MODE VIEW...
views() {
	local mode=$1 view
	shift
	for view; do
		"$build/bin/dprof" report "$view" "$out/$mode.dat" --top 0 -f csv --vmlinux "$build/kernel-vm/vmlinux" >"$out/$mode-$view.csv"
	done
}

record model=trace,slice=1000 '' 'skbuff_head_cache :kmalloc_reserve UDP' "${1:-1000}" hash local -- -c 4096 -H none
record model=trace,slice=1000 '' TCP "${2:-60}" deep short -- -c 4096 -H none
record slice=1000 -histories skbuff_head_cache "${1:-1000}" hash local -- -c 262144 -H skbuff_head_cache \
	--offsets '0,24 0,112 0,200 24,112 24,200 112,200' --max-ms 50 --cpu-share 0 --budget 2000
for mode in hash local deep short; do
	views "$mode" profile workingset sharing classify
done
for mode in hash local; do
	views "$mode-histories" dataflow paths workingset
done
for remedy in 'hash local' 'deep short'; do
	read -r case remedy <<<"$remedy"
	"$build/bin/dprof" diff "$out/$remedy.dat" "$out/$case.dat" -f csv >"$out/$case-diff.csv"
done
head -n 4 "$out"/*.csv
