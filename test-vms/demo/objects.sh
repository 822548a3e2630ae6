#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Title: Which object is on the wrong NUMA node? memprof, its advice, and what came of it
# objects.sh DIRECTORY: records a program one of whose arrays is bound to the other node's
# memory, diagnoses it, and records it again with the advice followed.
set -eu -o pipefail
dir=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
memprof=$MEMSCOPE_BUILD/bin/memprof

{
	echo "memprof record -c 8192 -o before.data -- memprof_plant wrong 1"
	echo "memprof diagnose before.data"
	echo "memprof record -c 8192 -o after.data -- memprof_plant wrong 1 fix"
	echo "memprof diff before.data after.data"
	echo "memprof plot nodes before.data -o objects.png"
} >"$dir/commands"
cp "$MEMSCOPE_BUILD/guest/memprof/memprof_plant" "$dir"
"$here/../run" --qemu ibs --ibs hit-l1=0,hit-l2=0,hit-l3=0 --smp 4 --numa 2 --root host --timeout 900 --share "$dir" \
	--append 'tsc=reliable clocksource=tsc' -- sh -euc '
	cd /share
	sysctl -qw kernel.perf_event_max_sample_rate=10000000 kernel.perf_cpu_time_max_percent=0
	memprof record -c 8192 -o before.data -- ./memprof_plant wrong 1 >before.truth
	memprof record -c 8192 -o after.data -- ./memprof_plant wrong 1 fix >after.truth' >"$dir/record.log" 2>&1 ||
	{ tail -n 5 "$dir/record.log" >&2; exit 1; }
# The program as the guest had it: its debug information names the sites.
mkdir "$dir/symfs"
ln -s .. "$dir/symfs/share"
for name in before after; do
	"$memprof" diagnose "$dir/$name.data" --symfs "$dir/symfs" --format json -o "$dir/$name.json"
done
"$memprof" diagnose "$dir/before.data" --symfs "$dir/symfs" -o "$dir/diagnosis.txt"
for format in json text; do
	"$memprof" diff "$dir/before.data" "$dir/after.data" --symfs "$dir/symfs" --format $format -o "$dir/diff.$format"
done
"$memprof" plot nodes "$dir/before.data" --title "before: main memory accesses by node" -o "$dir/objects.png"
"$memprof" html "$dir/before.data" --symfs "$dir/symfs" -o "$dir/objects.html"
