# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Common parts of heat maps.  Variables set by the caller:
#	what	the quantity that colors stand for
#	pages_min, pages_max	their range
#	left	margin, in pixels
#	x0, x1, y0, y1	the ranges of the axes

# Viridis: perceptually uniform, and distinguishable by the color-blind.
set palette defined (0 "#440154", 1 "#482878", 2 "#3e4989", 3 "#31688e", 4 "#26828e", \
	5 "#1f9e89", 6 "#35b779", 7 "#6ece58", 8 "#b5de2b", 9 "#fde725")
# A logarithmic scale, so that few pages are visible beside many.
set logscale cb
set cbrange [pages_min:(pages_max > pages_min ? pages_max : 10 * pages_min)]
set cblabel what offset 1.5,0
set format cb "%g"
set style fill solid 1 noborder
set border 15 lc rgb "#555555"
unset grid
unset key

# Boxes of whole pixels, at least one: fractions of pixels would blend to paler colors.
# To gnuplot a picture of 1100 pixels is 1099 wide, and pixels begin at halves.
right = 950
width = right - left
height = 370
set lmargin at screen (left + 0.5) / 1099
set rmargin at screen (right + 0.5) / 1099
set bmargin at screen 65.5 / 519
set tmargin at screen (65.5 + height) / 519
set xrange [x0:x1]
set yrange [y0:y1]
xpixel = (x1 - x0) / width
ypixel = (y1 - y0) / height
most(a, b) = a > b ? a : b
nearest(a) = floor(a + 0.5)
xlow(x) = x0 + nearest((x - x0) / xpixel) * xpixel
ylow(y) = y0 + nearest((y - y0) / ypixel) * ypixel
xhigh(low, high) = x0 + most(nearest((high - x0) / xpixel), nearest((low - x0) / xpixel) + 1) * xpixel
yhigh(low, high) = y0 + most(nearest((high - y0) / ypixel), nearest((low - y0) / ypixel) + 1) * ypixel
