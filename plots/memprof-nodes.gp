# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Accesses by node of the CPU and node of the memory.
if (!exists("plots")) plots = (exists("ARG0") && strlen(ARG0)) ? system("dirname -- " . ARG0) : "."
load plots . "/common.gp"

stats csv using (column("from_node")) name "node" nooutput
set xlabel "node of the memory"
set ylabel "node of the CPU"
set cblabel "share of the accesses (%)"
set cbrange [0:*]
set palette defined (0 "#ffffff", 1 "#0072B2")
set xtics 1
set ytics 1
unset grid
unset key
set xrange [-0.5:node_max+0.5]
set yrange [node_max+0.5:-0.5]
# Boxes: an image has 2 x 2 points at least.
plot csv using (column("to_node")):(column("from_node")):(0.5):(0.5):(column("share_pct")) \
	with boxxyerror fs solid 1 noborder lc palette, \
     csv using (column("to_node")):(column("from_node")):(sprintf("%.1f %%", column("share_pct"))) with labels
