# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Working set size: memory referenced in each interval.
if (!exists("plots")) plots = (exists("ARG0") && strlen(ARG0)) ? system("dirname -- " . ARG0) : "."
load plots . "/common.gp"

set xlabel "time (s)"
set xrange [from:*]
set ylabel "working set size (MiB per interval)"
wss(c) = "wss_" . c . "_mib"
if (class eq "all") {
	# From the begin of the first interval, and to the end of the last.
	plot for [i=1:4] csv using (column("time_s")-column("interval_s")):(column(wss(name[i]))) \
		with steps lw 2 lc rgb color[i] notitle, \
	     for [i=1:4] csv using (column("time_s")):(column(wss(name[i]))) \
		with fsteps lw 2 lc rgb color[i] title label[i]
} else {
	stats csv using (column(wss(class))) nooutput
	if (STATS_max == 0) { set yrange [0:1] }
	plot csv using (column("time_s")):(0):(column("time_s")-column("interval_s")):(column("time_s")):(0):(column(wss(class))) \
		with boxxyerror lc rgb color[which] title label[which]
}
