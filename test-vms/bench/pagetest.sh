#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The pagetest of "Looking Inside Memory", sections 4 and 6, as its Figures 3 to 6 and 15 to
# 22 have it: 10 iterations over 3 GiB, and a program bound to one node, to the other, to
# both in turns.  Recordings and pictures in build/bench/pagetest/, numbers in
# build/bench/pagetest.json.  OUT: another directory for all of it.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MEMSCOPE_BUILD:-$here/../../build}
build=$(cd "$build" && pwd)
out=${OUT:-$build/bench/pagetest} numbers=${OUT:-$build/bench}/pagetest.json
memref=$build/bin/memref
rm -rf "${out:?}"
mkdir -p "$out"

# LMBs of 64 MiB, an interval that an iteration fits in.  How long one takes depends on the
# machine: it is measured on a part.  The memory is allocated before the recording begins.
pagetest() {
	echo "pagetest: 3 GiB by malloc, 10 iterations, in a guest of 4 GiB"
	"$here/../run" --mem 4G --smp 2 --timeout 1800 --share "$out" \
		--append "memref_kernel_4k transparent_hugepage=never" -- sh -eu -c '
		cd /sys/kernel/tracing
		interval=$(pagetest --size 512M --prefault --iterations 3 --format csv |
			awk -F, "NR > 1 && \$5 - \$4 > max { max = \$5 - \$4 }
				 END { ms = int(max / 1e9 * 6 * 3 + 1) * 1000; print ms < 3000 ? 3000 : ms }")
		echo "interval: $interval ms"
		# Under emulation a harvest takes more than the CPU budget.
		echo 0 >memref/cpu_max
		echo $interval >memref/interval_ms
		echo 65536 >memref/group_kb
		pagetest --how malloc --size 3G --prefault --iterations 10 --op write \
			--wait-interval --sleep $((interval + interval / 2)) \
			--format csv >/share/pagetest-truth.csv &
		until [ -s /share/pagetest-truth.csv ]; do sleep 0.2; done
		trace-cmd record -q -e memref -o /share/pagetest.dat \
			sh -c "while kill -0 $! 2>/dev/null; do sleep 0.5; done"
		wait $!
	'
	local view
	for view in temporal spatial heatmap; do
		"$memref" plot "$view" "$out/pagetest.dat" --class user -o "$out/pagetest-$view.png"
	done
	"$memref" report temporal "$out/pagetest.dat" --format csv -o "$out/temporal.csv"
}

nodes() {
	echo "pagetest: 128 MiB bound to node 0, to node 1, interleaved, in a guest of two nodes"
	"$here/../run" --numa 2 --mem 1G --timeout 300 --share "$out" --root host -- sh -eu -c '
		for binding in membind=0 membind=1 interleave=all; do
			memref record -i 300 --group-size 16M --cpu-max 0 -o /share/numa-${binding%=*}-${binding#*=}.dat -- \
				numactl --$binding pagetest --size 128M --iterations 8 --sleep 200 >/dev/null
		done'
	local file
	for file in "$out"/numa-*.dat; do
		"$memref" plot numa "$file" --class user -o "${file%.dat}.png"
		"$memref" plot spatial "$file" --class user -o "${file%.dat}-spatial.png"
	done
}

# The spikes of the paper's Figures 3 to 6, counted: an iteration touches 786,432 pages.
spikes() {
	local rc=0
	awk -F, -v json="$out/spikes.json" '
	NR == 1 {
		for (i = NF; i; i--)
			column[$i] = i
		next
	}
	{
		user = $column["pages_user"]
		intervals++
		if (user > 100000) {
			printf "spike %2d: %7d user pages in %d LMBs\n", ++spikes, user, $column["groups_user"]
			share = user / 786432
			if (!least || share < least)
				least = share
			if (share > most)
				most = share
		} else if (user > flat) {
			flat = user
		}
	}
	END {
		printf "%d spikes in %d intervals, 786432 pages touched in each\n", spikes, intervals
		printf "{\n\t\"spikes\": %d,\n\t\"spike_min_ratio\": %.5f,\n" \
			"\t\"spike_max_ratio\": %.5f,\n\t\"flat_max_pages\": %d\n}\n", spikes, least, most, flat >json
		exit spikes != 10 || least < 0.995 || most > 1.005 || flat > 7864
	}' "$out/temporal.csv" || rc=$?
	perl "$here/Figures.pm" "$numbers" 'make bench-pagetest' '3 GiB of 4 GiB, LMB 64 MiB, interval 3 s' <"$out/spikes.json"
	return $rc
}

pagetest
spikes
nodes
echo "The numbers are in $numbers, pictures in $out."
