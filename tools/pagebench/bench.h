/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The verbs of pagealloc bench. */
#ifndef PAGEALLOC_BENCH_H
#define PAGEALLOC_BENCH_H

int bench_run(int argc, char **argv);
int bench_model(int argc, char **argv);
int bench_report(int argc, char **argv);
int bench_plot(int argc, char **argv);

#endif
