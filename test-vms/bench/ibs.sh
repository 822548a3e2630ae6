#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# What the emulation of IBS costs: CPU seconds of QEMU for a boot, and CPU time of
# an iteration of a loop (5 instructions, one of them a load), with Debian's QEMU
# and with ours, off and on.  Medians of $RUNS runs each.
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MEMSCOPE_BUILD:-$(realpath "$here/../../build")}
runs=${RUNS:-3}
ours=$build/qemu-ibs/qemu-system-x86_64
firmware=(--qemu-arg -L --qemu-arg /usr/share/qemu --qemu-arg -L --qemu-arg /usr/share/seabios)
mkdir -p "$build/bench"
TIMEFORMAT='%U %S'

# CPU seconds of one run, QEMU's almost all.
cpu_seconds() {
	{ time "$here/../run" --smp 1 --accel tcg "$@" >/dev/null; } 2>&1 |
		awk 'NF == 2 { print $1 + $2 }' | tail -n 1
}

median() {
	sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# NAME MILLIONS-OF-LOADS PERIOD, then the options of run.
measure() {
	local name=$1 millions=$2 period=$3 boot loop
	shift 3
	boot=$(for ((i = 0; i < runs; i++)); do cpu_seconds "$@" -- true; done | median)
	# shellcheck disable=SC2086 # none is no argument
	loop=$(for ((i = 0; i < runs; i++)); do
		cpu_seconds "$@" -- ibs_check work $millions $period
	done | median)
	awk -v n="$name" -v b="$boot" -v l="$loop" -v m="$millions" \
		'BEGIN { printf "%s\t%.2f\t%.2f\n", n, b, (l - b) * 1000 / m }'
}

{
	measure 'Debian' 2000 '' --qemu stock
	measure 'ours, ibs=off' 2000 '' --qemu "$ours" "${firmware[@]}"
	measure 'ibs=on, not sampling' 2000 '' --qemu ibs
	measure 'period 1048576' 2000 1048576 --qemu ibs
	measure 'period 65536' 2000 65536 --qemu ibs
	measure 'period 16384' 1000 16384 --qemu ibs
	measure 'period 4096' 500 4096 --qemu ibs
	measure 'trace, period 65536' 200 65536 --qemu ibs --ibs model=trace
} | tee "$build/bench/ibs.tsv" | awk -F '\t' '
	NR == 1 { base_boot = $2; base = $3
		  printf "%-24s %10s %7s %10s %7s\n", "", "boot, s", "ratio", "loop, ns", "ratio" }
	{ printf "%-24s %10.2f %7.2f %10.2f %7.2f\n", $1, $2, $2 / base_boot, $3, $3 / base }'
awk -F '\t' 'BEGIN { printf "{" }
	{ printf "%s\n  \"%s\": { \"boot_cpu_s\": %s, \"loop_ns\": %s }", (NR > 1 ? "," : ""), $1, $2, $3 }
	END { print "\n}" }' "$build/bench/ibs.tsv" |
	perl "$here/Figures.pm" "$build/bench/ibs.json" 'make bench-ibs' 'CPU time of the host to boot, and ns of a loop'
