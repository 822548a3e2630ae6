#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof_cases.sh DIR CASES SEED [ATOMIC]: plays planted cases (oracle/module/dprof_cases.c) in
# the guest with emulated IBS.  DIR gets cases.dat, what dprof recorded, and plan, what was
# planted; dprof_judge.pl compares them.  ATOMIC cases of read-modify-writes: atomic.dat and
# atomic-plan.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=$1 cases=$2 seed=$3 atomic=${4:-0}
"$here/../run" --qemu ibs --accel icount --ibs model=trace,slice=1000 --smp 2 --mem 1G \
	--share "$dir" --timeout 3600 --append 'hpet=disable sysctl.vm.mem_profiling=1' -- sh -ec '
	samples_ready
	# play FILE PLAN NR PERIOD ARGUMENT...
	play() {
		[ $3 -gt 0 ] || return 0
		dprof record -s ibs -c $4 --types "case_*" -H none -o /share/$1 -- \
			modprobe dprof_cases cases=$3 seed='"$seed"' $5
		dmesg -c | sed -n "s/.*dprof_cases: //p" >/share/$2
		rmmod dprof_cases
	}
	play cases.dat plan '"$cases"' 2500 accesses=40000
	play atomic.dat atomic-plan '"$atomic"' 1024 "accesses=20000 atomic=1"'
