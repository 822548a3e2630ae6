# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Memory referenced over time: groups (LMBs) in all, pages of a class.
if (!exists("plots")) plots = (exists("ARG0") && strlen(ARG0)) ? system("dirname -- " . ARG0) : "."
load plots . "/common.gp"

set xlabel "time (s)"
set xrange [from:*]
groups(c) = c eq "total" ? "groups" : "groups_" . c
if (class eq "all" || class eq "total") {
	set ylabel sprintf("LMBs of %g MiB referenced per interval", group_mib)
} else {
	set ylabel sprintf("%s pages (4 KiB) referenced per interval", label[which])
}
set format y "%.10g"
if (class eq "all") {
	# From the begin of the first interval, and to the end of the last.
	plot for [i=1:4] csv using (column("time_s")-column("interval_s")):(column(groups(name[i]))) \
		with steps lw 2 lc rgb color[i] notitle, \
	     for [i=1:4] csv using (column("time_s")):(column(groups(name[i]))) \
		with fsteps lw 2 lc rgb color[i] title label[i]
} else {
	col = class eq "total" ? "groups" : "pages_" . class
	stats csv using (column(col)) nooutput
	if (STATS_max == 0) { set yrange [0:1] }
	plot csv using (column("time_s")):(0):(column("time_s")-column("interval_s")):(column("time_s")):(0):(column(col)) \
		with boxxyerror lc rgb color[which] title label[which]
}
