#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# dprof_cases.sh DIR CASES SEED: plays planted cases (oracle/module/dprof_cases.c) in the
# guest with emulated IBS.  DIR gets cases.dat, what dprof recorded, and plan, what was
# planted; dprof_judge.pl compares them.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=$1 cases=$2 seed=$3
"$here/../run" --qemu ibs --accel icount --ibs model=trace,slice=1000 --smp 2 --mem 1G \
	--share "$dir" --timeout 3600 --append 'hpet=disable sysctl.vm.mem_profiling=1' -- sh -ec '
	samples_ready
	dprof record -s ibs -p 2500 -t "case_*" -H none -o /share/cases.dat -- \
		modprobe dprof_cases cases='"$cases seed=$seed"' accesses=40000
	dmesg | sed -n "s/.*dprof_cases: //p" >/share/plan'
