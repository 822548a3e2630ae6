#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Title: Which kernel type do CPUs contend for? dprof on a planted fault and on a network load
# types.sh DIRECTORY: records a module in which one CPU writes a field and another one reads a
# field of the same cache line, and two CPUs that exchange UDP packets.
set -eu -o pipefail
dir=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dprof=$MEMSCOPE_BUILD/bin/dprof

{
	echo "dprof record -s ibs -c 2500 --types none -H none -o planted.dat -- modprobe dprof_faults rounds=50000"
	echo "dprof record -s ibs -c 1024 --types none -H none -o udp.dat -- kernel_load udp 2000"
	echo "dprof report sharing planted.dat --vmlinux vmlinux --vmlinux dprof_faults.ko"
	echo "dprof report sharing udp.dat --vmlinux vmlinux"
	echo "dprof plot sharing udp.dat --vmlinux vmlinux -o types.png"
} >"$dir/commands"
"$here/../run" --qemu ibs --accel icount --ibs model=trace,slice=1000 --smp 2 --mem 1G --timeout 900 \
	--share "$dir" --append 'hpet=disable sysctl.vm.mem_profiling=1' -- sh -euc '
	cd /share
	samples_ready
	dprof record -s ibs -c 2500 --types none -H none -o planted.dat -- modprobe dprof_faults rounds=50000
	dprof record -s ibs -c 1024 --types none -H none -o udp.dat -- kernel_load udp 2000' >"$dir/record.log" 2>&1 ||
	{ tail -n 5 "$dir/record.log" >&2; exit 1; }
kernel=$MEMSCOPE_BUILD/kernel-vm
types=(--vmlinux "$kernel/vmlinux" --vmlinux "$kernel/oracle-module/dprof_faults.ko")
for name in planted udp; do
	"$dprof" report sharing "$dir/$name.dat" "${types[@]}" --format json -o "$dir/$name.json"
done
"$dprof" plot sharing "$dir/udp.dat" "${types[@]}" --title "two CPUs exchange UDP packets: misses of lines that both use" \
	-o "$dir/types.png"
