# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The lines that several CPUs use, by misses, true and false sharing.
if (!exists("plots")) plots = (exists("ARG0") && strlen(ARG0)) ? system("dirname -- " . ARG0) : "."
load plots . "/common.gp"

set xlabel "misses sampled"
set xrange [0:*]
set yrange [11.5:-0.5]
set grid noytics xtics
set lmargin 46
short(s) = strlen(s) > 44 ? s[1:41] . "..." : s
row_name(type, field) = short(sprintf("%s %s", type, field))
# true sharing from the left, false sharing after it
part(false_pct) = column("misses") * (1 - false_pct / 100)
plot csv using (part(column("false_pct")) / 2):(column(0)):(part(column("false_pct")) / 2):(0.4):ytic(row_name(strcol("type"), strcol("field"))) \
	every ::0::11 with boxxyerror lc rgb "#0072B2" title "true sharing", \
     csv using ((part(column("false_pct")) + column("misses")) / 2):(column(0)):((column("misses") - part(column("false_pct"))) / 2):(0.4) \
	every ::0::11 with boxxyerror lc rgb "#D55E00" title "false sharing"
