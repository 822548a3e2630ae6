# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Common parts of all plots.  Variables set by the caller:
#	csv	file to plot, as `memref report VIEW --format csv` writes it
#	out	picture to write, .png or .svg
#	title	of the picture
#	class	total, user, kernel, page_cache or all
#	group_mib	size of a group (LMB)
#	window	description of the plotted part of the recording
#	height	of the picture, in pixels
#	from	start of the time axis, in seconds; addr: start of the memory axis, in bytes
if (!exists("csv")) { print "usage: gnuplot -e \"csv='x.csv'; out='x.png'\" VIEW.gp"; exit status 1 }
if (!exists("out")) out = csv . ".png"
if (!exists("title")) title = csv
if (!exists("class")) class = "total"
if (!exists("group_mib")) group_mib = 64
if (!exists("window")) window = ""
if (!exists("height")) height = 520
if (!exists("from")) from = 0
if (!exists("addr")) addr = 0

if (strlen(out) > 4 && out[strlen(out)-3:*] eq ".svg") {
	set terminal svg size 1100,height dynamic enhanced font "DejaVu Sans,14" background "#ffffff"
} else {
	set terminal pngcairo size 1100,height noenhanced font "DejaVu Sans,11" background "#ffffff"
}
set output out
set datafile separator comma
set datafile columnheaders
set title title . (strlen(window) ? "\n" . window : "") noenhanced font ",11" offset 0,0.9
set tmargin strlen(window) ? 5.2 : 4
set grid ytics lc rgb "#dddddd" lt 1
set border 3 lc rgb "#555555"
set tics nomirror
set key at graph 1,1.01 right bottom horizontal noenhanced samplen 2
set yrange [0:*]
set style fill solid 0.85 noborder

# Okabe and Ito's colors: distinguishable by the color-blind.
array name[4] = ["total", "kernel", "user", "page_cache"]
array label[4] = ["total", "kernel", "user", "page cache"]
array color[4] = ["#333333", "#D55E00", "#0072B2", "#009E73"]
which = 0
do for [i=1:4] { if (class eq name[i]) { which = i } }
if (which == 0 && class ne "all") { print sprintf("class '%s': not total, user, kernel, page_cache or all", class); exit status 1 }
