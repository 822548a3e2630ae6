# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Memory by the number of intervals since its last reference, stacked, over time.  With the column rank
# (memref plot ages --by), a panel for each rank, all with the same axes.
if (!exists("plots")) plots = (exists("ARG0") && strlen(ARG0)) ? system("dirname -- " . ARG0) : "."

# The titles of panels: memref plot sets them, as names with quotes are not read from CSV here.
if (!exists("named") && exists("csv")) {
	set datafile separator comma
	set datafile columnheaders
	# column(15) would make gnuplot 6 refuse files of fewer columns.
	stats csv using (columnhead(15) eq "rank" ? column("rank") : 0) name "rank" nooutput
	if (rank_max > 0) {
		array named[int(rank_max)]
		stats csv using (named[int(column(15))] = strcol("of"), 0) nooutput
	}
}
panels = 1
if (exists("named")) { panels = |named| }
columns = panels > 1 ? 2 : 1
rows = (panels + columns - 1) / columns
if (panels > 1 && !exists("height")) height = 150 + 185 * rows
load plots . "/common.gp"

# From hot to cold; the oldest is at the bottom.
array age[9] = ["0", "1", "2", "4", "8", "16", "32", "64", "128"]
array until[9] = ["", "", "-3", "-7", "-15", "-31", "-63", "-127", " or more"]
array shade[9] = ["#a50026", "#d73027", "#f46d43", "#fdae61", "#fee090", "#abd9e9", "#74add1", "#4575b4", "#313695"]
below(i) = sum [j=i+1:9] column("age_" . age[j] . "_mib")
set xlabel "time (s)"
set xrange [from:*]
set autoscale xfixmax
set ylabel "memory (MiB) by idle age (intervals)"
set format y "%.10g"
if (exists("named")) {
	stats csv using (column("time_s")) name "time" nooutput
	stats csv using (column("all_mib")) name "all" nooutput
	set xrange [from:time_max > from ? time_max : from + 1]
	set yrange [0:all_max > 0 ? all_max * 1.02 : 1]
	set tics font ",9"
	unset title
	unset xlabel
	unset ylabel
	unset key
	# One legend, and one label of the axis.  y(n): n pixels from the top.
	y(n) = 1 - real(n) / height
	x(i) = 0.205 + 0.084 * (i - 1)
	set label 1 "memory (MiB)" at screen 0.014, screen 0.5 center rotate
	set label 2 "idle age (intervals):" at screen 0.08, screen y(62) font ",10"
	do for [i=1:9] {
		set object i rectangle from screen x(i), screen y(67) to screen x(i) + 0.018, screen y(57) fillcolor rgb shade[i] fillstyle solid 0.85 noborder
		set label i + 2 age[i] . until[i] at screen x(i) + 0.023, screen y(62) font ",10"
	}
	set multiplot layout rows, columns title title . (strlen(window) ? "\n" . window : "") noenhanced font ",11" \
		margins screen 0.08, screen 0.985, screen 1 - y(55), screen y(105) spacing screen 0.055, screen 1 - y(52)
}
if (!exists("named")) {
	plot for [i=1:9] csv using (column("time_s")):(0):(column("time_s")-column("interval_s")):(column("time_s")):(below(i)):(below(i)+column("age_" . age[i] . "_mib")) \
		with boxxyerror lc rgb shade[i] title age[i] . until[i]
	exit
}
do for [p=1:panels] {
	# Begin and end of each interval, and what is below each age, from the youngest on; 0 below the oldest.
	set table $panel
	# As text: a table has six digits of numbers.
	plot csv using (sprintf("%.10g", column("time_s")-column("interval_s"))):(sprintf("%.10g", column("time_s"))):(below(0)):(below(1)):(below(2)):(below(3)):(below(4)):(below(5)):(below(6)):(below(7)):(below(8)):(below(9)) \
		with table if (column("rank") == p)
	unset table
	set datafile separator whitespace
	unset datafile columnheaders
	set title named[p] noenhanced font ",10" offset 0,-0.6
	if (p > panels - columns) { set xlabel "time (s)" font ",10" }
	plot for [i=1:9] $panel using 2:(0):1:2:(column(3+i)):(column(2+i)) with boxxyerror lc rgb shade[i]
	set datafile separator comma
	set datafile columnheaders
	if (p == 1) { unset for [i=1:11] label i; unset for [i=1:9] object i }
}
unset multiplot
