# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Unique paths against sets of histories (the paper's Figure 4), from
# build/bench/dprof-paths.csv.
if (!exists("plots")) plots = (exists("ARG0") && strlen(ARG0)) ? system("dirname -- " . ARG0) : "."
load plots . "/common.gp"

set xlabel "sets of histories"
set ylabel "unique paths (% of those in all sets)"
set xrange [0:160]
set yrange [0:102]
set key at graph 0.98,0.05 right bottom vertical
of(type, y) = strcol("type") eq type ? y : NaN
names = "skbuff/udp skbuff/accept skbuff/mixed skbuff_fclone/mixed file/mixed"
plot for [i=1:5] csv using "sets":(of(word(names, i), column("paths_pct"))) \
		with linespoints lw 2 pt 4+i lc rgb color[1+(i-1)%4] dt 1+(i-1)/4 title word(names, i)
