/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Drawing with gnuplot, by the scripts in plots/. */
#ifndef MEMSCOPE_GNUPLOT_H
#define MEMSCOPE_GNUPLOT_H

#include <stddef.h>
#include <stdio.h>

int gnuplot_find(char *dir, size_t size);
void gnuplot_quoted(FILE *f, const char *name, const char *value);
int gnuplot_run(const char *plots, const char *name, const char *commands);

#endif
