# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Distribution of the impact factor by strategy, with bands.
if (!exists("plots")) plots = (exists("ARG0") && strlen(ARG0)) ? system("dirname -- " . ARG0) : "."
load plots . "/bench.gp"

set xlabel "impact factor of non-determinism in execution (ratio of standard deviations, log scale)"
set ylabel "share of the experiments at or below (with 95 % DKW band)"
set logscale x
set yrange [0:1.02]
set xrange [0.9:*]
set style fill transparent solid 0.12 noborder
of(i, x) = column("series") == i ? x : NaN
# The file has the start and end point of each step.
plot for [i=1:words(strategies)] csv using (of(i, column("impact_factor"))):(column("low")):(column("high")) \
		with filledcurves fc rgb shade_of(i) notitle, \
	for [i=1:words(strategies)] csv using (of(i, column("impact_factor"))):(column("share")) \
		with lines lw 2 lc rgb shade_of(i) title word(strategies, i)
