#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# dprof's types against the oracle of types, on five loads of the kernel: tables in
# build/bench/dprof.txt, numbers in build/bench/dprof.json.
# A load's CPUs take turns of 1,000 instructions (docs/ibs.md); samples are swmem's.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MEMSCOPE_BUILD:-$here/../../build}
build=$(cd "$build" && pwd)
out=$build/bench
period=${PERIOD:-100000}
mkdir -p "$out"
share=$(mktemp -d "${TMPDIR:-/tmp}/memscope-dprof.XXXXXX")
trap 'rm -rf "$share"' EXIT
nmi=$(awk '$3 == "asm_exc_nmi" { print $1 }' "$build/kernel-vm/System.map")

: >"$out/dprof.txt"
for load in files:3000 exec:20 pipes:3000 udp:1000 maps:200; do
	name=${load%:*} rounds=${load#*:}
	echo "== $name" | tee -a "$out/dprof.txt"
	# Timers are fine only once the TSC is trusted.
	"$here/../run" --qemu ibs --accel icount --ibs slice=1000 --smp 2 --mem 1G --share "$share" \
		--timeout 1800 --append 'slab_nomerge hpet=disable sysctl.vm.mem_profiling=1' \
		--qemu-arg -plugin --qemu-arg "$build/guest/libtypes.so,out=$share/truth,nmi=$nmi" -- sh -ec '
		until grep -q tsc /sys/devices/system/clocksource/clocksource0/current_clocksource; do
			sleep 0.1
		done
		sleep 1
		modprobe oracle_objects
		cd /sys/kernel/tracing/dprof
		echo all >types
		echo swmem >source
		echo '"$period"' >period
		echo 1 >/sys/kernel/debug/oracle_objects
		trace-cmd record -q -b 40000 -e dprof:dprof_sample -e dprof:dprof_type -o /share/trace.dat \
			oracle-phase kernel_load '"$name $rounds"' >/dev/null
		echo 0 >/sys/kernel/debug/oracle_objects
		cat known_types >/share/known
		cat /sys/kernel/debug/oracle_objects >/share/types'
	{
		trace-cmd report -i "$share/trace.dat" 2>/dev/null
		sed 's/^/ dprof_type: /' "$share/known"
	} >"$share/samples"
	"$here/dprof_truth.pl" "$share/truth" "$share/types" "$share/samples" | tee -a "$out/dprof.txt"
done
awk -v period="$period" '
	/^samples / {
		gsub(/,/, "")
		if (!n++ || $4 < tau) tau = $4
		if ($6 > distance) distance = $6
	}
	END {
		if (n != 5) exit 1
		printf "{\n   \"_how\" : \"make bench-dprof; swmem, a sample each %d ns of each of 2 CPUs, accel icount, slice=1000\",\n", period
		printf "   \"kendall_tau_min\" : %s,\n   \"tvd_max_pct\" : %s\n}\n", tau, distance
	}' "$out/dprof.txt" >"$out/dprof.json"
cat "$out/dprof.json"
echo "The tables are in $out/dprof.txt, the numbers in $out/dprof.json."
