// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* dprof diff: compare the types of two recordings, as in section 5.2 of the paper. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/output.h"
#include "dprof.h"
#include "dprof/view/view.h"

static const struct verb_usage usage = {
	.command = "dprof diff", .operands = "BEFORE AFTER [options]",
	.about = "Compare the types of two recordings.", .min = 2, .max = 2,
};

/* A type in one of two recordings. */
struct side {
	double misses_pct, latency, footprint, lifetime_us;	/* negative: not known */
};

static struct side look(struct analysis *a, const struct dtype *t, double all)
{
	struct side s = { -1, -1, -1, -1 };
	double objects;

	if (!t)
		return s;
	objects = analysis_objects(a, t);
	if (all > 0)
		s.misses_pct = 100 * tally_misses(&t->sum, a->level) / all;
	s.latency = tally_latency(&t->sum);
	if (objects >= 0 && t->size)
		s.footprint = objects * t->size;
	if (t->lifetimes)
		s.lifetime_us = t->lifetime / 1e3 / t->lifetimes;
	return s;
}

static double all_misses(const struct analysis *a)
{
	double n = 0;
	uint32_t i;

	for (i = 0; i < a->m.nr_types; i++)
		n += tally_misses(&a->m.by_index[i]->sum, a->level);
	return n;
}

struct pair {
	const struct dtype *type;
	struct side before, after;
	double order;
};

static int by_order(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->order != y->order)
		return x->order > y->order ? -1 : 1;
	return strcmp(x->type->name, y->type->name);
}

static struct cell known(double x)
{
	return x < 0 ? NONE_CELL : REAL_CELL(x);
}

static struct cell change(double before, double after)
{
	return before < 0 || after < 0 ? NONE_CELL : REAL_CELL(after - before);
}

static struct cell ratio(double before, double after)
{
	return before <= 0 || after < 0 ? NONE_CELL : REAL_CELL(after / before);
}

static int add_pair(const struct pair *p, struct table *t)
{
	const struct side *b = &p->before, *a = &p->after;
	const struct cell row[] = {
		TEXT_CELL(p->type->name),
		*p->type->struct_name ? TEXT_CELL(p->type->struct_name) : NONE_CELL,
		known(b->misses_pct), known(a->misses_pct), change(b->misses_pct, a->misses_pct),
		known(b->latency), known(a->latency), ratio(b->latency, a->latency),
		known(b->footprint), known(a->footprint), ratio(b->footprint, a->footprint),
		known(b->lifetime_us), known(a->lifetime_us), ratio(b->lifetime_us, a->lifetime_us),
	};

	return table_add(t, row);
}

/* Sort by the size of the change: of the share of misses, then of the footprint. */
static double order(const struct pair *p)
{
	double misses = p->before.misses_pct > 0 ? p->before.misses_pct : 0;
	double footprint = p->before.footprint > 0 ? p->before.footprint : 0;
	double after = p->after.footprint > 0 ? p->after.footprint : 0;

	return fabs((p->after.misses_pct > 0 ? p->after.misses_pct : 0) - misses) +
	       1e-12 * fabs(after - footprint);
}

static int compare(struct analysis *before, struct analysis *after, struct table *t)
{
	struct pair *pairs = calloc(before->m.nr_types + after->m.nr_types + 1, sizeof(*pairs));
	double all_before = all_misses(before), all_after = all_misses(after);
	uint32_t i, nr = 0;
	int ret = 0;

	if (!pairs)
		return -1;
	for (i = 0; i < before->m.nr_types; i++) {
		const struct dtype *d = before->m.by_index[i];

		if (!analysis_selects(before, d) || (!d->sum.n && !d->seen_alloc))
			continue;
		pairs[nr].type = d;
		pairs[nr].before = look(before, d, all_before);
		pairs[nr++].after = look(after, model_find_type(&after->m, d->name), all_after);
	}
	for (i = 0; i < after->m.nr_types; i++) {
		const struct dtype *d = after->m.by_index[i];

		if (model_find_type(&before->m, d->name) || !analysis_selects(after, d) ||
		    (!d->sum.n && !d->seen_alloc))
			continue;
		pairs[nr].type = d;
		pairs[nr].before = look(before, NULL, all_before);
		pairs[nr++].after = look(after, d, all_after);
	}
	for (i = 0; i < nr; i++)
		pairs[i].order = order(&pairs[i]);
	qsort(pairs, nr, sizeof(*pairs), by_order);
	for (i = 0; i < nr && !ret && (!before->top || i < before->top); i++)
		ret = add_pair(&pairs[i], t);
	free(pairs);
	return ret;
}

static const struct columns diff_columns = COLUMNS(
	{ "type", CELL_TEXT, 0, "", "type of data" },
	{ "struct", CELL_TEXT, 0, "", "C struct of the type", "not known" },
	{ "misses_pct_before", CELL_REAL, 2, "%",
	  "the type's share of all misses (--level, default l1), first recording",
	  "the recording does not have it" },
	{ "misses_pct_after", CELL_REAL, 2, "%",
	  "the same, second recording", "the recording does not have it" },
	{ "misses_pct_change", CELL_REAL, 2, "points",
	  "misses_pct_after - misses_pct_before", "one is not known" },
	{ "latency_cycles_before", CELL_REAL, 1, "cycles",
	  "mean latency, first recording", "no sample has one" },
	{ "latency_cycles_after", CELL_REAL, 1, "cycles",
	  "mean latency, second recording", "no sample has one" },
	{ "latency_ratio", CELL_REAL, 2, "",
	  "after / before", "one is not known, or before is 0" },
	{ "footprint_bytes_before", CELL_REAL, 0, "bytes",
	  "memory of the type, as in dprof report profile, first recording", "not known" },
	{ "footprint_bytes_after", CELL_REAL, 0, "bytes",
	  "the same, second recording", "not known" },
	{ "footprint_ratio", CELL_REAL, 2, "",
	  "after / before", "one is not known, or before is 0" },
	{ "lifetime_us_before", CELL_REAL, 1, "us",
	  "mean time from allocation to free, first recording", "allocations were not recorded" },
	{ "lifetime_us_after", CELL_REAL, 1, "us",
	  "the same, second recording", "allocations were not recorded" },
	{ "lifetime_ratio", CELL_REAL, 2, "",
	  "after / before", "one is not known, or before is 0" },
);

int cmd_diff(int argc, char **argv)
{
	struct output output = { };
	struct analysis before, after;
	struct table table;
	const struct opt options[] = { OUTPUT_OPTIONS(&output), ANALYSIS_OPTIONS(&before), { } };
	int ret;

	analysis_init(&before);
	argv += options_parse(&usage, options, argc, argv);
	if (output.explain)
		return output_explain(&output, &diff_columns);
	after = before;
	ret = analysis_load(&before, argv[0], NEED_MODEL);
	if (analysis_load(&after, argv[1], NEED_MODEL))
		ret = FAILED;
	if (before.m.events && after.m.events) {
		const unsigned int shows = SHOWS_TYPES | SHOWS_ALLOCATIONS | SHOWS_LEVELS | SHOWS_LATENCY;

		view_note(&before, shows, argv[0]);
		view_note(&after, shows, argv[1]);
		table_init_columns(&table, &diff_columns);
		if (output_table(&output, &table, compare(&before, &after, &table)))
			ret = FAILED;
	}
	analysis_free(&before);
	analysis_free(&after);
	return ret;
}
