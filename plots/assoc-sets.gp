# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Distinct cache lines in each associativity set (Figure 1 of the DProf paper), the types of
# the CSV stacked.
#	ways, sets	of the cache
if (!exists("plots")) plots = (exists("ARG0") && strlen(ARG0)) ? system("dirname -- " . ARG0) : "."
load plots . "/common.gp"
if (!exists("ways")) ways = 8
stats csv using (column("set")) name "set" nooutput
if (!exists("sets")) sets = int(set_max) + 1

set xlabel "associativity set"
set ylabel "distinct cache lines"
set xrange [-0.5:sets-0.5]
# All types in gray in the background; in front the first type of the CSV, with the most lines.
first = ""
stats csv every ::0::0 using (first = strcol("type"), 0) nooutput
lines(x) = strcol("type") eq first ? column("lines") : NaN
plot csv using (column("set")):(column("lines_all")) with impulses lw 2 lc rgb "#cccccc" title "all types", \
	csv using (column("set")):(lines(0)) with impulses lw 2 lc rgb "#0072B2" title first, \
	ways with lines lw 1 dt 2 lc rgb "#D55E00" title sprintf("%d ways", ways)
