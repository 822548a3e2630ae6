/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Do CPUs use a line in turns, or one after another? */
#ifndef DPROF_ORDER_H
#define DPROF_ORDER_H

#include "dprof/model/model.h"

/**
 * struct order - samples of a line in the order of time, see model/turns.c
 * @changes: samples of another CPU than the one before
 * @least: the fewest that as many CPUs have
 * @expected: how many there would be on average if all samples were in random order
 */
struct order {
	uint64_t changes, least;
	double expected;
};

struct order order_of(struct use **use, size_t nr);
void order_add(struct order *to, const struct order *o);
bool order_is_handed_over(const struct order *o);

#endif
