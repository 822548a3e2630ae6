# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Each measurement of each execution.
if (!exists("plots")) plots = (exists("ARG0") && strlen(ARG0)) ? system("dirname -- " . ARG0) : "."
load plots . "/bench.gp"

set xlabel "execution (number, strategies one after the other)"
set ylabel value_label noenhanced
set yrange [*:*]
stats csv using (column("execution")) name "last" nooutput
set xrange [0.5:last_max+0.5]
of(i, x) = column("series") == i ? x : NaN
plot for [i=1:words(strategies)] csv using (of(i, column("execution"))):(column("value")) \
	with points pt 6+i ps 0.5 lc rgb shade_of(i) title word(strategies, i)
