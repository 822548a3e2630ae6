// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Do CPUs use a line in turns, or one after another?
 *
 * Of n samples in random order, n_i of CPU i, the CPU changes (n^2 - sum n_i^2) / n times on
 * average.  It changes once less than there are CPUs at least: then each had the line once.
 */
#include "order.h"

/**
 * order_of() - sum up the samples of a line
 * @use: its uses, sorted by CPU
 * @nr: their number, at least 1
 *
 * Return: the order; all 0 on stacks, which have turns of tasks.
 */
struct order order_of(struct use **use, size_t nr)
{
	struct order order = { .changes = use[0]->turns ? use[0]->turns->changes : 0 };
	double all = 0, squares = 0, of_cpu = 0;
	uint64_t cpus = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (use[i]->key.cpu < 0 || use[i]->on_stack)
			continue;
		of_cpu += use[i]->n;
		if (i + 1 < nr && use[i + 1]->key.cpu == use[i]->key.cpu && !use[i + 1]->on_stack)
			continue;
		cpus++;
		all += of_cpu;
		squares += of_cpu * of_cpu;
		of_cpu = 0;
	}
	order.least = cpus ? cpus - 1 : 0;
	order.expected = all > 0 ? (all * all - squares) / all : 0;
	return order;
}

/**
 * order_add() - add the order of another line
 * @to: the sum
 * @o: the order of the line
 */
void order_add(struct order *to, const struct order *o)
{
	to->changes += o->changes;
	to->least += o->least;
	to->expected += o->expected;
}

/**
 * order_is_handed_over() - test whether CPUs used lines one after another
 * @o: their order
 *
 * Return: true if the CPU changed much less often than samples in random order would have it:
 * the data were handed over rather than shared.  False if there are too few samples to tell.
 */
bool order_is_handed_over(const struct order *o)
{
	const double returns = (double)o->changes - o->least;

	return o->expected - o->least >= 3 && returns < 0.05 * (o->expected - o->least);
}
