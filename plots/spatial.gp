# SPDX-License-Identifier: GPL-2.0
# How often each group of physical memory was referenced.
if (!exists("plots")) plots = (exists("ARG0") && strlen(ARG0)) ? system("dirname -- " . ARG0) : "."
load plots . "/common.gp"

gib = 2.0**30
width = group_mib / 1024.0
set xlabel sprintf("physical address (GiB), LMBs of %g MiB", group_mib)
set xrange [addr/gib:*]
set ylabel "intervals in which the LMB was referenced"
set format y "%.10g"
times(c) = c eq "total" ? "intervals" : "intervals_" . c
if (class eq "all") {
	plot for [i=1:4] csv using (column("phys_addr")/gib + width/2):(column(times(name[i]))) \
		with points pt 6+i ps 0.6 lc rgb color[i] title label[i]
} else {
	plot csv using (column("phys_addr")/gib + width/2):(0):(column("phys_addr")/gib):(column("phys_addr")/gib + width*0.9):(0):(column(times(class))) \
		with boxxyerror lc rgb color[which] title label[which]
}
