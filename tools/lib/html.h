/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
#ifndef MEMSCOPE_HTML_H
#define MEMSCOPE_HTML_H

#include <stdio.h>

void html_text(FILE *out, const char *text);
void html_svg(FILE *out, const char *svg, const char *prefix);

#endif
