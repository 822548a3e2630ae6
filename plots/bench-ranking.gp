# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# How often each strategy has each rank: stacked bars.
if (!exists("plots")) plots = (exists("ARG0") && strlen(ARG0)) ? system("dirname -- " . ARG0) : "."
load plots . "/bench.gp"

ranks = words(strategies)
set ylabel "benchmarks and configurations (%)"
set yrange [0:100]
set xlabel "strategy (several: benchmarks with several measurements an execution; single: with one)" . (min_diff > 0 ? sprintf("; differences above %g %% count", min_diff) : "")
set bmargin 6
set xlabel offset 0,-1
set xtics noenhanced
set boxwidth 0.6
stats csv using (column("cells")) name "rows" nooutput
set xrange [-0.6:rows_records-0.4]
top(r) = sum [i=1:r] column(sprintf("rank_%d_pct", i))
array grade[4] = ["#0072B2", "#56B4E9", "#E69F00", "#D55E00"]
plot for [r=ranks:1:-1] csv using ($0):(top(r)):xtic(sprintf("%s\n%s (%d)", stringcolumn("strategy"), stringcolumn("measurements"), int(column("cells")))) \
	with boxes lc rgb grade[r > 4 ? 4 : r] title sprintf("rank %d", r)
