# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# How often each group of physical memory was referenced.
#	nodes	"number start number start ...": start addresses of the nodes, in bytes
if (!exists("plots")) plots = (exists("ARG0") && strlen(ARG0)) ? system("dirname -- " . ARG0) : "."
load plots . "/common.gp"

gib = 2.0**30
width = group_mib / 1024.0
set xlabel sprintf("physical address (GiB), LMBs of %g MiB", group_mib)
set xrange [addr/gib:*]
set ylabel "intervals in which the LMB was referenced"
set format y "%.10g"

# Mark the starts of nodes; a node that starts before the plotted range is marked at its edge.
if (exists("nodes") && words(nodes) > 2) {
	set key at graph 1,1.07
	set title offset 0,2
	set tmargin strlen(window) ? 6.4 : 5.2
	stats csv using (column("phys_addr")/gib) name "place" nooutput
	do for [i=1:words(nodes):2] {
		at = word(nodes, i + 1) / gib
		last = i + 3 > words(nodes) ? 1e300 : word(nodes, i + 3) / gib
		at = at < addr/gib ? addr/gib : at
		if (at < last && at <= place_max) {
			set arrow from first at, graph 0 to first at, graph 1 nohead dt 2 lc rgb "#777777"
			set label "node " . word(nodes, i) at first at, graph 1 offset 0.4,0.6 tc rgb "#555555"
		}
	}
}
times(c) = c eq "total" ? "intervals" : "intervals_" . c
if (class eq "all") {
	plot for [i=1:4] csv using (column("phys_addr")/gib + width/2):(column(times(name[i]))) \
		with points pt 6+i ps 0.6 lc rgb color[i] title label[i]
} else {
	stats csv using (column(times(class))) nooutput
	if (STATS_max == 0) { set yrange [0:1] }
	plot csv using (column("phys_addr")/gib + width/2):(0):(column("phys_addr")/gib):(column("phys_addr")/gib + width*0.9):(0):(column(times(class))) \
		with boxxyerror lc rgb color[which] title label[which]
}
