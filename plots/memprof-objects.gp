# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Allocation sites by the share of remote accesses to their objects.
if (!exists("plots")) plots = (exists("ARG0") && strlen(ARG0)) ? system("dirname -- " . ARG0) : "."
load plots . "/common.gp"

set xlabel "share of the remote accesses (%)"
# Empty if no access is remote.
share(s) = strlen(s) ? real(s) : 0
stats csv using (share(strcol("remote_share_pct"))) every ::0::11 nooutput
set xrange [0:STATS_max > 0 ? STATS_max * 1.05 : 1]
set yrange [11.5:-0.5]
set grid noytics xtics
set lmargin 46
unset key
short(s) = strlen(s) > 44 ? s[1:41] . "..." : s
plot csv using (share(strcol("remote_share_pct")) / 2):(column(0)):(share(strcol("remote_share_pct")) / 2):(0.4):ytic(short(strcol("site"))) \
	every ::0::11 with boxxyerror lc rgb "#0072B2"
