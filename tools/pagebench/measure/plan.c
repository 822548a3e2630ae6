// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * The order of a boot's executions: complete random blocks.  A block has each
 * experiment (program, configuration, strategy) once, in an order determined by the
 * seed, so that slow changes, such as of fragmentation or clock frequency, affect all
 * strategies alike.
 */
#include <stdlib.h>

#include "plan.h"
#include "pagebench/stat/random.h"

static int add(struct plan *plan, struct plan_entry entry)
{
	struct plan_entry *all;

	/* Grows by doubling. */
	if (!(plan->nr & (plan->nr - 1))) {
		all = realloc(plan->entry, (plan->nr ? 2 * plan->nr : 1) * sizeof(*all));
		if (!all)
			return -1;
		plan->entry = all;
	}
	plan->entry[plan->nr++] = entry;
	return 0;
}

/* Add the experiments that have an execution with this number. */
static int add_block(const struct suite *suite, uint64_t execution, struct plan *plan)
{
	struct plan_entry e = { .execution = execution };
	size_t i, j, k;

	for (i = 0; i < suite->nr_programs; i++) {
		e.program = &suite->programs[i];
		if (execution >= e.program->rules.executions)
			continue;
		for (j = 0; j < e.program->nr_configs; j++) {
			e.config = &e.program->configs[j];
			for (k = 0; k < suite->nr_strategies; k++) {
				e.strategy = &suite->strategies[k];
				if (e.program->strategies >> k & 1 && add(plan, e))
					return -1;
			}
		}
	}
	return 0;
}

/* Fisher-Yates shuffle. */
static void shuffle(struct plan_entry *entry, size_t nr, uint64_t seed)
{
	struct plan_entry swap;
	size_t i, j;

	for (i = nr; i > 1; i--) {
		j = random_below(&seed, i);
		swap = entry[i - 1];
		entry[i - 1] = entry[j];
		entry[j] = swap;
	}
}

/**
 * plan_make() - list the executions of a boot
 * @suite: the suite
 * @boot: number of the boot; execution e belongs to boot e % suite->boots
 * @plan: set to the plan; free it with plan_free()
 *
 * Return: 0, or -1 if out of memory.
 */
int plan_make(const struct suite *suite, uint64_t boot, struct plan *plan)
{
	uint64_t block, execution, most = 0;
	size_t i, begin;

	*plan = (struct plan){ };
	for (i = 0; i < suite->nr_programs; i++)
		if (suite->programs[i].rules.executions > most)
			most = suite->programs[i].rules.executions;
	for (block = 0; (execution = block * suite->boots + boot) < most; block++) {
		if (add(plan, (struct plan_entry){ .block = block, .execution = execution }))
			return -1;
		begin = plan->nr;
		if (add_block(suite, execution, plan))
			return -1;
		shuffle(plan->entry + begin, plan->nr - begin,
			random_at(suite->seed, boot, block));
		for (i = begin; i < plan->nr; i++)
			plan->entry[i].block = block;
	}
	return 0;
}

/**
 * plan_free() - free the result of plan_make()
 */
void plan_free(struct plan *plan)
{
	free(plan->entry);
	*plan = (struct plan){ };
}
