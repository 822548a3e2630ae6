# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Memory referenced over time of the mappings referenced most, stacked.
if (!exists("plots")) plots = (exists("ARG0") && strlen(ARG0)) ? system("dirname -- " . ARG0) : "."
load plots . "/common.gp"

array shade[9] = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000", "#999999"]
set encoding utf8
# The names by rank: memref plot sets them, as names with quotes are not read from CSV here.
if (!exists("named")) {
	stats csv using (column("rank")) name "rank" nooutput
	array named[int(rank_max)]
	stats csv using (named[int(column("rank"))] = strcol("mapping"), 0) nooutput
}
is(i, x) = int(column("rank")) == i ? x : NaN
color_of(i) = named[i] eq "other" ? shade[9] : shade[i]
set xlabel "time (s)"
set xrange [from:*]
set autoscale xfixmax
set ylabel "memory referenced (MiB per interval)"
set format y "%.10g"
set key outside right top vertical Left reverse width -2 font ",9"
plot for [i=1:|named|] csv using (column("time_s")):(is(i, 0)):(column("time_s")-column("interval_s")):(column("time_s")): \
	(column("below_mib")):(column("below_mib")+column("mib")) with boxxyerror lc rgb color_of(i) title named[i]
