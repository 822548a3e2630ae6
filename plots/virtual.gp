# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Pages of a process referenced by time and virtual address; long gaps are short.
#	process	its ID
if (!exists("plots")) plots = (exists("ARG0") && strlen(ARG0)) ? system("dirname -- " . ARG0) : "."
load plots . "/common.gp"

stats csv using (column("size_kib")) name "size" nooutput
stats csv using (column("pages") > 0 ? column("pages") : NaN) name "pages" nooutput
if (!exists("pages_max")) { print "no pages"; exit status 1 }
mib = size_max / 1024.0
what = sprintf("pages (4 KiB) referenced per interval in %g MiB", mib)
start(x) = column("time_s") - column("interval_s")
stats csv using (start(0)):(column("time_s")) name "time" nooutput

# Positions in the picture and addresses of the areas between long gaps.
stats csv using (column("area")) name "areas" nooutput
areas = int(areas_max)
array low[areas]
array high[areas]
array address[areas]
do for [i=1:areas] { low[i] = 1e300; high[i] = 0 }
note(i, place, addr) = (address[i] = place < low[i] ? addr : address[i], \
	high[i] = place + mib > high[i] ? place + mib : high[i], \
	low[i] = place < low[i] ? place : low[i], 0)
stats csv using (note(int(column("area")), column("place_mib"), column("virt_addr"))) name "note" nooutput

left = 180
x0 = time_min_x
x1 = time_max_y
y0 = 0
y1 = high[areas]
load plots . "/heat.gp"

# Label the start of each area, and points within long ones, without overlaps.
# Addresses do not fit into gnuplot's integers' format: print them in two parts.
hex(addr) = addr < 2.0**32 ? sprintf("0x%x", int(addr)) : sprintf("0x%x%08x", int(addr / 2.0**32), int(addr - floor(addr / 2.0**32) * 2.0**32))
set ytics ()
next = -1
do for [i=1:areas] {
	at = low[i]
	while (at < high[i]) {
		if (at >= next) {
			set ytics add (hex(address[i] + (at - low[i]) * 2.0**20) at)
			next = at + high[areas] / 24
		}
		at = at + ceil(high[areas] / 10 / mib) * mib
	}
	if (i < areas) { set object rectangle from graph 0, first high[i] to graph 1, first low[i+1] fc rgb "#eeeeee" fs solid noborder behind }
}

set xlabel "time (s)"
set ylabel "virtual address" . (exists("process") ? sprintf(" in process %d", process) : "") . (areas > 1 ? "; gray: long gaps" : "")
bottom(x) = column("place_mib")
plot csv using (column("time_s")):(bottom(0)):(xlow(start(0))):(xhigh(start(0), column("time_s"))):(ylow(bottom(0))):(yhigh(bottom(0), bottom(0) + mib)):(column("pages") > 0 ? column("pages") : NaN) \
	with boxxyerror lc palette notitle
