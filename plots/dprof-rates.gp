# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Overhead of dprof's samples against how many are taken (the paper's Figure 3), from
# build/bench/dprof-rates.csv.
if (!exists("plots")) plots = (exists("ARG0") && strlen(ARG0)) ? system("dirname -- " . ARG0) : "."
load plots . "/common.gp"

set xlabel "samples in a million instructions"
set ylabel "overhead (% more time)"
set key at graph 0.02,0.98 left top vertical
of(load, y) = strcol("load") eq load ? y : NaN
plot csv using "samples_per_million":(of("kernel_load udp 1000", column("overhead_pct"))) \
		with linespoints lw 2 pt 7 lc rgb color[3] title "datagrams (kernel_load udp)", \
	csv using "samples_per_million":(of("net_cases short 4", column("overhead_pct"))) \
		with linespoints lw 2 pt 5 lc rgb color[2] title "connections (net_cases short)"
