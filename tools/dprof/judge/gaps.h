/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* How long lines are out of use, if their visits come in bursts: see gaps.c. */
#ifndef DPROF_GAPS_H
#define DPROF_GAPS_H

#include <stdbool.h>

#include "footprint.h"

/**
 * struct gaps - visits of some lines, and what became of them
 * @visits: with no write of another CPU before them, by class of the rate
 * @misses: that no other CPU caused
 */
struct gaps {
	double visits[NR_RATES], misses;
};

void gaps_add(struct gaps *g, double rate, double visits, double misses);
double gaps_expected(const struct gaps *g, const struct footprints *f, const double *lost, double shape);
bool gaps_agree(const struct gaps *g, double expected);
double gaps_shape(const struct gaps *g, const struct footprints *f, const double *lost);
double gaps_density(double rate, double shape, double time);
double gaps_longer(double rate, double shape, double time);

#endif
