# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Pages referenced by time and physical address.
if (!exists("plots")) plots = (exists("ARG0") && strlen(ARG0)) ? system("dirname -- " . ARG0) : "."
load plots . "/common.gp"
if (class eq "all") { print "heatmap: class total, user, kernel or page_cache"; exit status 1 }

gib = 2.0**30
number(c) = c eq "total" ? column("pages_kernel") + column("pages_user") + column("pages_page_cache") : column("pages_" . c)
pages(x) = number(class) > 0 ? number(class) : NaN
start(x) = column("time_s") - column("interval_s")
stats csv using (pages(0)) name "pages" nooutput
if (!exists("pages_max")) { print sprintf("no pages of class %s", class); exit status 1 }
stats csv using (start(0)):(column("time_s")) name "time" nooutput
stats csv using (column("phys_addr")/gib):(column("size_kib")) name "addr" nooutput
size = addr_max_y * 1024.0
what = sprintf("%s pages (4 KiB) referenced per interval in %g MiB", label[which], size / 2**20)
left = 75
x0 = time_min_x
x1 = time_max_y
y0 = addr_min_x
y1 = addr_max_x + size/gib
load plots . "/heat.gp"
set xlabel "time (s)"
set ylabel "physical address (GiB)"
set format y "%.10g"
bottom(x) = column("phys_addr") / gib
plot csv using (column("time_s")):(bottom(0)):(xlow(start(0))):(xhigh(start(0), column("time_s"))):(ylow(bottom(0))):(yhigh(bottom(0), bottom(0) + size/gib)):(pages(0)) \
	with boxxyerror lc palette notitle
