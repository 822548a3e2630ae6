# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# A metric against cache misses, both divided by the mean of the first strategy.
if (!exists("plots")) plots = (exists("ARG0") && strlen(ARG0)) ? system("dirname -- " . ARG0) : "."
load plots . "/bench.gp"

set xlabel sprintf("cache misses, relative to the mean with %s", word(strategies, 1)) noenhanced
set ylabel sprintf("%s, relative to the mean with %s", metric, word(strategies, 1)) noenhanced
set yrange [*:*]
set grid xtics lc rgb "#dddddd" lt 1
set arrow from graph 0, first 1 to graph 1, first 1 nohead dt 2 lc rgb "#999999"
set arrow from first 1, graph 0 to first 1, graph 1 nohead dt 2 lc rgb "#999999"
of(i, x) = column("series") == i ? x : NaN
plot for [i=1:words(strategies)] csv using (of(i, column("misses_ratio"))):(column("value_ratio")) \
	with points pt 6+i ps 0.9 lc rgb shade_of(i) title word(strategies, i)
