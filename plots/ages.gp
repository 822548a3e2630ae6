# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Memory by the number of intervals since its last reference, stacked, over time.
if (!exists("plots")) plots = (exists("ARG0") && strlen(ARG0)) ? system("dirname -- " . ARG0) : "."
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
plot for [i=1:9] csv using (column("time_s")):(0):(column("time_s")-column("interval_s")):(column("time_s")):(below(i)):(below(i)+column("age_" . age[i] . "_mib")) \
	with boxxyerror lc rgb shade[i] title age[i] . until[i]
