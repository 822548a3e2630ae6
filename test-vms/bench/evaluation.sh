#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The study of page allocation strategies: a suite in guests with a modelled
# cache, over several boots.  Everything in build/bench/evaluation/ (a boot each:
# results/raw.csv, counts.csv of the model, joined.csv of both; report.*, plots),
# numbers in build/bench/evaluation.json.  SMALL=1: another suite, in minutes.
# OUT: another directory for all of it.  JOBS: guests at a time (default: as many as
# CPUs).  BOOTS: only so many of the suite's boots; the others can follow later.
# PROGRAMS: only these of the suite's, into build/bench/evaluation-part.
# A boot that was interrupted is made again, one that is complete is not.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MEMSCOPE_BUILD:-$here/../../build}
build=$(cd "$build" && pwd)
suites=$here/../../tools/pagebench/suites
name=evaluation
[ "${SMALL:-0}" = 0 ] || name=small
out=$build/bench/evaluation numbers=$build/bench/$name.json
[ $name = evaluation ] || out+=-$name
[ -z "${PROGRAMS:-}" ] || { out=$build/bench/$name-part numbers=$build/bench/$name-part.json; }
if [ -n "${OUT:-}" ]; then
	out=$OUT numbers=$OUT/$name.json
fi
jobs=${JOBS:-$(nproc)}
pagealloc=$build/bin/pagealloc

# 16 colors: 1024 sets of 64 bytes in each way.
caches=L1d:32K:8:64,L2:256K:4:64
# About what a processor of the kind waits for its next cache, and for memory.
misses=(--miss L1d=10 --miss L2=200)
colors=16

mkdir -p "$out/share"
awk -v programs="${PROGRAMS:-}" '
	BEGIN { keep = 1 }
	/^\[/ { keep = !programs || !/^\[program / || index(" " programs " ", " " substr($2, 1, length($2) - 1) " ") }
	keep
	/^\[suite\]$/ { print "trace = /sys/kernel/debug/oracle/traced" }' "$suites/$name.ini" >"$out/share/$name.ini"
# Other results are not to be mixed with these.
for old in "$out"/boot-*/results/suite.ini; do
	[ -e "$old" ] || continue
	cmp -s "$old" "$out/share/$name.ini" ||
		{ echo "${0##*/}: $out has results of another suite: remove it" >&2; exit 1; }
done
# On the host's root, but not below it: /tmp is the guest's own.
cp "$pagealloc" "$build/bin/pagealloc-programs" "$suites"/*.lua "$out/share/"
boots=$(sed -n 's/^boots *= *//p' "$suites/$name.ini")
boots=${BOOTS:-$boots}

# boot K: measured and joined, or nothing.
boot() {
	local dir=$out/boot-$1
	[ ! -e "$dir/joined.csv" ] || return 0
	rm -rf "$dir" "$out/share/boot-$1"
	mkdir -p "$dir"
	# One CPU: what is measured has the cache for itself.
	"$here/../run" --root host --smp 1 --mem 512M --share "$out/share" --timeout 14400 \
		--env PATH=/share:/usr/sbin:/usr/bin:/sbin:/bin \
		--oracle "cache=$caches,who=traced,counts=$dir/counts.csv" -- sh -ec '
		insmod /lib/modules/*/updates/oracle_trace.ko
		echo colors:'$colors' >/sys/kernel/mm/page_hint/color_function
		cd /tmp
		exec pagealloc bench run /share/'$name'.ini --boot '"$1"' -o /share/boot-'"$1" 2>&1 |
		sed "s/^/boot $1: /"
	mv "$out/share/boot-$1" "$dir/results"
	"$out/share/pagealloc" bench model "${misses[@]}" "$dir/results/raw.csv" "$dir/counts.csv" \
		-o "$dir/joined.csv"
}

failed=0 running=0
for ((k = 0; k < boots; k++)); do
	if [ $running -ge "$jobs" ]; then
		wait -n || failed=1
		running=$((running - 1))
	fi
	boot $k &
	running=$((running + 1))
done
while [ $running -gt 0 ]; do
	wait -n || failed=1
	running=$((running - 1))
done
[ $failed = 0 ] || { echo "${0##*/}: a boot failed; run it again to go on" >&2; exit 1; }

# The report and its pictures, from the same rows.
for metric in wall_time model_cycles L2_misses; do
	for format in text csv json; do
		"$pagealloc" bench report --view all --metric $metric --format $format \
			-o "$out/report-$metric.$format" "$out"/boot-*/joined.csv
	done
	# What does not vary has no impact factor, and no picture of it.
	kinds='ecdf'
	[ $metric = L2_misses ] || kinds+=' misses'
	for statistic in mean unclassified execution; do
		kinds+=" ranking:$statistic"
	done
	for kind in $kinds; do
		statistic=()
		[ "$kind" = "${kind#*:}" ] || statistic=(--statistic "${kind#*:}")
		"$pagealloc" bench plot ${kind%:*} "${statistic[@]}" --metric $metric \
			-o "$out/${kind/:/-}-$metric.png" "$out"/boot-*/joined.csv ||
			echo "${0##*/}: no picture $kind of $metric" >&2
	done
	for program in fft lu sor; do
		grep -q "^\[program $program\]" "$out/share/$name.ini" || continue
		"$pagealloc" bench plot executions --benchmark $program --config one \
			--metric $metric -o "$out/$program-$metric.png" "$out"/boot-*/joined.csv
	done
done
"$here/evaluation.pl" "$out" "$numbers" "$name" "$caches"
echo "The numbers are in $numbers, results in $out."
