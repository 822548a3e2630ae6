# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The accesses of a flow over time, by thread, node and kind (read or write); remote ones are crosses.
if (!exists("plots")) plots = (exists("ARG0") && strlen(ARG0)) ? system("dirname -- " . ARG0) : "."
load plots . "/common.gp"

array shade[8] = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000"]
stats csv using (column("node")) name "node" nooutput
stats csv using (column("thread")) name "thread" nooutput
# Before there is a range of y, which stats would take for that of the times.
stats csv using (column("time_s")) name "time" nooutput
set xlabel "time (s)"
set ylabel "thread"
set ytics 1
# Those of one thread may all be of one kind, or there is one only: they give no range.
set yrange [thread_min - 0.5:thread_max + 0.5]
set offsets graph 0.02, graph 0.02, 0, 0
if (time_min == time_max) { set xrange [time_min - 0.5:time_max + 0.5] }
is(n, w, r) = column("node") == n && column("remote") == r && (w ? strcol("access") ne "read" : strcol("access") eq "read")
plot for [n=0:int(node_max)] csv using (column("time_s")):(is(n, 0, 0) ? column("thread") + 0.1 : NaN) \
	with points pt 6 ps 0.5 lc rgb shade[n % 8 + 1] title sprintf("read from node %d", n), \
     for [n=0:int(node_max)] csv using (column("time_s")):(is(n, 1, 0) ? column("thread") - 0.1 : NaN) \
	with points pt 7 ps 0.5 lc rgb shade[n % 8 + 1] title (n ? "" : "write"), \
     for [n=0:int(node_max)] csv using (column("time_s")):(is(n, 0, 1) ? column("thread") + 0.3 : NaN) \
	with points pt 1 ps 0.6 lc rgb shade[n % 8 + 1] title (n ? "" : "remote read"), \
     for [n=0:int(node_max)] csv using (column("time_s")):(is(n, 1, 1) ? column("thread") - 0.3 : NaN) \
	with points pt 2 ps 0.6 lc rgb shade[n % 8 + 1] title (n ? "" : "remote write")
