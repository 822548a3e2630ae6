# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# How much of each 2 MiB of memory was referenced.
if (!exists("plots")) plots = (exists("ARG0") && strlen(ARG0)) ? system("dirname -- " . ARG0) : "."
load plots . "/common.gp"

advice = ""
note(text) = (advice = strlen(text) ? text : advice, 0)
stats csv using (note(strcol(7))) name "note" nooutput
set title title . (strlen(window) ? "\n" . window : "") . "\n" . advice
set tmargin strlen(window) ? 6.4 : 5.2
set xlabel "share of the 2 MiB block that was referenced (%)"
set xrange [0:100]
set xtics 10
set ylabel "share of all blocks, share of all pages (%)"
set yrange [0:100]
left(x) = column(0) * 10
plot csv every ::0::9 using (left(0)+3):(0):(left(0)+1):(left(0)+4.9):(0):(column("share_blocks_pct")) \
		with boxxyerror lc rgb color[2] title "blocks touched", \
	csv every ::0::9 using (left(0)+7):(0):(left(0)+5.1):(left(0)+9):(0):(column("share_pages_pct")) \
		with boxxyerror lc rgb color[3] title "pages (4 KiB) in them"
