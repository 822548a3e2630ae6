/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The files that are part of each page, as strings. */
.macro asset name, file
	.globl \name
	.type \name, @object
\name:
	.incbin "\file"
	.byte 0
	.size \name, . - \name
.endm

	.section .rodata
	asset page_css, "lib/page/page.css"
	asset page_js, "lib/page/page.js"
	asset page_dygraphs_css, "dygraph.min.css"
	asset page_dygraphs_js, "dygraph.min.js"
	asset page_dygraphs_license, "lib/page/dygraphs.txt"
	.section .note.GNU-stack, "", @progbits
