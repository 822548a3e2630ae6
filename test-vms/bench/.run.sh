#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# dprof's types against the oracle of types, on five loads of the kernel, with samples
# of the emulated IBS and of swmem: tables in build/bench/dprof.txt, numbers in
# build/bench/dprof.json.  A load's CPUs take turns of 1,000 instructions (docs/ibs.md).
#	dprof.sh [SOURCE [LOAD:ROUNDS...]]	prints only, for some
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MEMSCOPE_BUILD:-$here/../../build}
build=$(cd "$build" && pwd)
out=$build/bench
declare -A period=([ibs]="${IBS_PERIOD:-16384}" [swmem]="${SWMEM_PERIOD:-100000}")
sources=${1:-ibs swmem}
loads=(files:3000 exec:60 pipes:16000 udp:6000 maps:1200)
[ $# -lt 2 ] || loads=("${@:2}")
mkdir -p "$out"
share=$(mktemp -d "${TMPDIR:-/tmp}/memscope-dprof.XXXXXX")
[ -n "${KEEP:-}" ] && share=$KEEP || trap 'rm -rf "$share"' EXIT
nmi=$(awk '$3 == "asm_exc_nmi" { print $1 }' "$build/kernel-vm/System.map")

# measure SOURCE LOAD:ROUNDS
measure() {
	local source=$1 name=${2%:*} rounds=${2#*:} count=
	# An instruction with several accesses is one sample of IBS, and one each of swmem.
	[ "$source" != ibs ] || count=,count=ops
	echo "== $source $name"
	# Timers are fine only once the TSC is trusted.
	"$here/../run" --qemu ibs --accel icount --ibs slice=1000 --smp 2 --mem 1G --share "$share" \
		--timeout 1800 --append 'slab_nomerge hpet=disable sysctl.vm.mem_profiling=1 sysctl.kernel.perf_cpu_time_max_percent=0 sysctl.kernel.perf_event_max_sample_rate=10000000' \
		--qemu-arg -plugin --qemu-arg "$build/guest/libtypes.so,out=$share/truth,nmi=$nmi$count" -- sh -ec '
		until grep -q tsc /sys/devices/system/clocksource/clocksource0/current_clocksource; do
			sleep 0.1
		done
		sleep 1
		modprobe oracle_objects
		cd /sys/kernel/tracing/dprof
		echo all >types
		echo '"$source"' >source
		echo '"${period[$source]}"' >period
		echo 1 >/sys/kernel/debug/oracle_objects
		trace-cmd record -q -b 40000 -e dprof:dprof_sample -e dprof:dprof_type -o /share/trace.dat \
			sh -c "echo begin >../trace_marker; oracle-phase kernel_load '"$name $rounds"'
				echo end >../trace_marker" >/dev/null
		echo 0 >/sys/kernel/debug/oracle_objects
		cat known_types >/share/known
		cat /sys/kernel/debug/oracle_objects >/share/types'
	{
		trace-cmd report -i "$share/trace.dat" 2>/dev/null
		sed 's/^/ dprof_type: /' "$share/known"
	} >"$share/samples"
	"$here/dprof_truth.pl" "$share/truth" "$share/types" "$share/samples"
}

for source in $sources; do
	for load in "${loads[@]}"; do
		measure "$source" "$load"
	done
done | tee "$share/dprof.txt"
[ $# -eq 0 ] || exit 0

cp "$share/dprof.txt" "$out/dprof.txt"
awk -v ibs="${period[ibs]}" -v swmem="${period[swmem]}" '
	/^==/ { source = $2 }
	/^samples / {
		gsub(/,/, "")
		if (!n[source]++ || $4 < tau[source]) tau[source] = $4
		if ($6 > distance[source]) distance[source] = $6
	}
	END {
		if (n["ibs"] != 5 || n["swmem"] != 5) exit 1
		printf "{\n   \"_how\" : \"make bench-dprof; 2 CPUs, accel icount, slice=1000; emulated IBS, one op in %d; swmem, a sample each %d ns\",\n", ibs, swmem
		printf "   \"kendall_tau_min\" : %s,\n   \"tvd_max_pct\" : %s,\n", tau["ibs"], distance["ibs"]
		printf "   \"kendall_tau_min_swmem\" : %s,\n   \"tvd_max_pct_swmem\" : %s\n}\n", tau["swmem"], distance["swmem"]
	}' "$out/dprof.txt" >"$out/dprof.json"
cat "$out/dprof.json"
echo "The tables are in $out/dprof.txt, the numbers in $out/dprof.json."
