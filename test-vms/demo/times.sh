#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Title: Why do run times vary, and how do they stop? Page coloring by pagealloc
# times.sh DIRECTORY: the small suite of pagealloc bench, in guests whose caches are modelled.
set -eu -o pipefail
dir=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

{
	echo "pagealloc run --strategy coloring -- COMMAND"
	echo "pagealloc bench run SUITE.ini -o results"
	echo "pagealloc bench plot executions --benchmark fft --config one --metric L2_misses results/raw.csv -o fft.png"
} >"$dir/commands"
SMALL=1 OUT=$dir/suite "$here/../bench/evaluation.sh" >"$dir/suite.log" 2>&1 ||
	{ tail -n 5 "$dir/suite.log" >&2; exit 1; }
cp "$dir/suite/fft-L2_misses.png" "$dir/times.png"
cp "$dir/suite/report-L2_misses.text" "$dir/report.txt"
cat "$dir"/suite/boot-*/joined.csv >"$dir/misses.csv"
