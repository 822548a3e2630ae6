# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Referenced memory by NUMA node, over time.
if (!exists("plots")) plots = (exists("ARG0") && strlen(ARG0)) ? system("dirname -- " . ARG0) : "."
load plots . "/common.gp"
if (class eq "all") { print "numa: class total, user, kernel or page_cache"; exit status 1 }

# Okabe and Ito's colors again; more nodes than colors are rare.
array shade[8] = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000"]
mib(x) = (class eq "total" ? column("pages_kernel") + column("pages_user") + column("pages_page_cache") : column("pages_" . class)) / 256.0

stats csv using (column("node")) name "node" nooutput
nodes = int(node_max) + 1
array seen[nodes]
do for [i=1:nodes] { seen[i] = 0 }
note(i) = (seen[i] = 1, 0)
stats csv using (note(int(column("node")) + 1)) name "note" nooutput

# The nodes of an interval are stacked.
seq = -1
top = 0
stack(n) = (top = column(0) > 0 && column("seq") == seq ? top : 0, seq = column("seq"), \
	bottom = top, top = top + mib(0), column("node") == n ? top : NaN)
set xlabel "time (s)"
set xrange [from:*]
set autoscale xfixmax
set ylabel sprintf("%smemory referenced (MiB per interval)", which == 1 ? "" : label[which] . " ")
set format y "%.10g"
plot for [n=0:nodes-1] csv using (column("time_s")):(seen[n+1] ? stack(n) : NaN):(column("time_s")-column("interval_s")):(column("time_s")):(bottom):(top) \
	with boxxyerror lc rgb shade[n % 8 + 1] title seen[n+1] ? sprintf("node %d", n) : ""
