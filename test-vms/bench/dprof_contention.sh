#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof_contention.sh DIR SOURCE SEED ROUNDS CASE...: records the cases of guest/contention.c, one after
# another, in one recording of a guest, of which the emulator draws with SEED.  SOURCE is ibs or
# swmem: DIR/SOURCE-SEED.dat is what dprof recorded; or c2c: DIR/c2c-SEED-CASE.data is what perf c2c did,
# of each case by itself, as perf c2c report takes no times.
# DIR/SOURCE-SEED.tasks has the ids of the tasks of each case.
# CPUs take turns of 200 instructions, as all that they do on one line is between two of them.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=$1 source=$2 seed=$3 rounds=$4
shift 4
root=initramfs
[ "$source" != c2c ] || root=host
"$here/../run" --qemu ibs --accel icount --ibs "model=trace,slice=200,seed=$seed" --smp 2 --mem 1G \
	--root $root --share "$dir" --timeout 3600 \
	--append 'slab_nomerge hpet=disable sysctl.vm.mem_profiling=1' -- sh -ec '
	PATH=$PATH:/share
	samples_ready
	source=$1 file=/share/$1-$2
	rounds=$3
	shift 3
	case $source in
	ibs) dprof record -s ibs -c 1024 --types none -H none -o $file.dat -- contention $rounds "$@" ;;
	swmem) dprof record -s swmem -c 20000 --types none -H none -o $file.dat -- contention $rounds "$@" ;;
	# As perf c2c record has it, with a period of our own.
	c2c)
		for name; do
			perf record -q -a -e ibs_op/cnt_ctl=1/ -c 1024 -d --phys-data -W -o $file-$name.data -- \
				contention $rounds $name
		done ;;
	esac >$file.new
	mv $file.new $file.tasks' sh "$source" "$seed" "$rounds" "$@"
