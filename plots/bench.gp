# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Common parts of the plots of pagealloc bench.  Variables set by the caller, besides those of
# common.gp:
#	strategies	their names, in the order of the column series
#	value_label	of the axis of values, with the unit
#	metric	its name
#	min_diff	percent that a difference must have
if (!exists("plots")) plots = "."
load plots . "/common.gp"
# By hand: from the file.
met = " "
meet(name) = strstrt(met, " " . name . " ") ? 0 : (met = met . name . " ", 0)
if (!exists("strategies")) { stats csv using (meet(strcol("strategy"))) nooutput; strategies = met[2:*] }
if (!exists("metric")) metric = "value"
if (!exists("value_label")) value_label = metric
if (!exists("min_diff")) min_diff = 0
array shade[8] = ["#333333", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999"]
shade_of(i) = shade[(i - 1) % 8 + 1]
