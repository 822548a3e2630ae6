# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Memory that could be reclaimed at each idle age, and how many of its pages are referenced again: a line
# for each rank, a point for each age.
if (!exists("plots")) plots = (exists("ARG0") && strlen(ARG0)) ? system("dirname -- " . ARG0) : "."
load plots . "/common.gp"

array shade[9] = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000", "#999999"]
set encoding utf8
# The names by rank: memref plot sets them, as names with quotes are not read from CSV here.
if (!exists("named")) {
	stats csv using (column("rank")) name "rank" nooutput
	array named[int(rank_max)]
	stats csv using (named[int(column("rank"))] = strcol("of"), 0) nooutput
}
if (!exists("others")) others = 0
is(i, x) = int(column("rank")) == i ? x : NaN
stats csv using (column("again_pages_per_s")) name "again" nooutput
top = exists("again_max") && again_max > 0 ? again_max : 1
set xlabel "memory of at least this idle age, which could be reclaimed (MiB)"
set ylabel "pages of it that are referenced again (1/s)"
set format x "%.10g"
# From 0 on, which a logarithm has not: nearly linear below 1, nearly logarithmic above.
set nonlinear y via asinh(y) inverse sinh(y)
set yrange [0:top * 1.5]
set xrange [0:*]
set ytics (0, 1, 10, 100, "1,000" 1e3, "10,000" 1e4, "100,000" 1e5, "10^6" 1e6, "10^7" 1e7, "10^8" 1e8)
set grid xtics lc rgb "#dddddd" lt 1
set key outside right top vertical Left reverse width 1 font ",9"
set label 1 "numbers: idle age in intervals" . (others ? sprintf("; %d others are not shown", others) : "") \
	at graph 0.01, graph 0.97 left font ",9" textcolor rgb "#555555"
plot for [i=1:|named|] csv using (is(i, column("reclaimable_mib"))):(column("again_pages_per_s")) \
		with linespoints lw 1.5 pt 7 ps 0.6 lc rgb shade[i] title named[i], \
	for [i=1:|named|] csv using (is(i, column("reclaimable_mib"))):(column("again_pages_per_s")):(column("reclaimable_mib") > 0 ? sprintf("%d", column("age")) : "") \
		with labels offset 0.9,0.6 font ",8" textcolor rgb shade[i] notitle
