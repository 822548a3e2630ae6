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

/* A type in one of two recordings; negative: not known. */
struct side {
	double misses_pct, latency, cycles, error, objects, footprint, lifetime_us;
};

/* What all types of a recording add up to. */
struct whole {
	double misses, samples;
	bool has_latency;
};

static struct whole add_up(const struct analysis *a)
{
	struct whole w = { .samples = a->m.samples };
	uint32_t i;

	for (i = 0; i < a->m.nr_types; i++) {
		const struct tally *t = &a->m.by_index[i]->sum;

		w.misses += tally_misses(t, a->level);
		w.has_latency |= t->with_latency;
	}
	return w;
}

/*
 * The cost of a type's accesses for each sample of the recording: cycles of latency, or
 * without latencies, misses.  Its standard error is that of the number of the samples.
 */
static void add_cost(struct side *s, const struct tally *t, double misses, const struct whole *w)
{
	const double cost = w->has_latency ? t->latency : misses;
	const double n = w->has_latency ? t->with_latency : misses;

	if (w->samples <= 0 || (!w->has_latency && w->misses <= 0))
		return;
	s->cycles = cost / w->samples;
	s->error = n > 0 ? cost / sqrt(n) / w->samples : 0;
}

static struct side look(struct analysis *a, const struct dtype *t, const struct whole *w)
{
	struct side s = { -1, -1, -1, 0, -1, -1, -1 };
	double objects;

	if (!t)
		return s;
	objects = analysis_objects(a, t);
	if (w->misses > 0)
		s.misses_pct = 100 * tally_misses(&t->sum, a->level) / w->misses;
	s.latency = tally_latency(&t->sum);
	add_cost(&s, &t->sum, tally_misses(&t->sum, a->level), w);
	if (t->seen_alloc)
		s.objects = objects;
	if (objects >= 0 && t->size)
		s.footprint = objects * t->size;
	if (t->lifetimes)
		s.lifetime_us = t->lifetime / 1e3 / t->lifetimes;
	return s;
}

/* A type in both recordings; @why: the change that ranks it. */
struct pair {
	const struct dtype *type;
	struct side before, after;
	double order;
	const char *why;
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

static int add_pair(const struct pair *p, bool has_latency, struct table *t)
{
	const struct side *b = &p->before, *a = &p->after;
	const struct cell row[] = {
		TEXT_CELL(p->type->name),
		*p->type->struct_name ? TEXT_CELL(p->type->struct_name) : NONE_CELL,
		p->why ? TEXT_CELL(p->why) : NONE_CELL,
		known(b->misses_pct), known(a->misses_pct), change(b->misses_pct, a->misses_pct),
		known(b->latency), known(a->latency), ratio(b->latency, a->latency),
		has_latency ? known(b->cycles) : NONE_CELL, has_latency ? known(a->cycles) : NONE_CELL,
		known(b->objects), known(a->objects), ratio(b->objects, a->objects),
		known(b->footprint), known(a->footprint), ratio(b->footprint, a->footprint),
		known(b->lifetime_us), known(a->lifetime_us), ratio(b->lifetime_us, a->lifetime_us),
	};

	return table_add(t, row);
}

/* The change of a type's cost beyond its standard error. */
static double cost_change(const struct pair *p)
{
	const double before = fmax(p->before.cycles, 0), after = fmax(p->after.cycles, 0);

	return fmax(fabs(after - before) - hypot(p->before.error, p->after.error), 0);
}

/* The change of the memory of live objects; the address set has to have them. */
static double memory_change(const struct pair *p)
{
	if (p->before.objects < 0 && p->after.objects < 0)
		return 0;
	return fabs(fmax(p->after.objects, 0) - fmax(p->before.objects, 0)) * p->type->size;
}

/* How often a value doubled or halved, at most 6 times; @least is taken for less. */
static double doublings(double before, double after, double least)
{
	before = fmax(before, least);
	after = fmax(after, least);
	return before > 0 && after > 0 ? fmin(fabs(log2(after / before)), 6) : 0;
}

/*
 * Sort by how much of the change between the recordings a type has, and how clearly: its
 * share of the changes of cost, or of memory, of all types, times the number of doublings.
 */
static void rank(struct pair *pairs, uint32_t nr)
{
	double cost = 0, memory = 0, by_cost, by_memory, by_life;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		cost += cost_change(&pairs[i]);
		memory += memory_change(&pairs[i]);
	}
	for (i = 0; i < nr; i++) {
		struct pair *p = &pairs[i];
		const struct side *b = &p->before, *a = &p->after;

		by_cost = cost > 0 ? cost_change(p) / cost * doublings(b->cycles, a->cycles, hypot(b->error, a->error)) : 0;
		by_life = b->lifetime_us > 0 && a->lifetime_us > 0 ? doublings(b->lifetime_us, a->lifetime_us, 0) : 0;
		by_memory = memory > 0 ? memory_change(p) / memory * fmax(doublings(b->objects, a->objects, 1), by_life) : 0;
		p->order = by_cost + by_memory;
		p->why = p->order <= 0 ? NULL : by_memory > by_cost ? "footprint" : "latency";
	}
	if (nr)
		qsort(pairs, nr, sizeof(*pairs), by_order);
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct dtype * const *)a)->name, (*(struct dtype * const *)b)->name);
}

/* The types of a recording that are compared, by name.  Return NULL without memory. */
static struct dtype **sorted_types(const struct analysis *a, uint32_t *nr)
{
	struct dtype **types = malloc((a->m.nr_types + 1) * sizeof(*types));
	uint32_t i;

	*nr = 0;
	for (i = 0; types && i < a->m.nr_types; i++) {
		struct dtype *d = a->m.by_index[i];

		if (*d->name && analysis_selects(a, d) && (d->sum.n || d->seen_alloc))
			types[(*nr)++] = d;
	}
	if (*nr)
		qsort(types, *nr, sizeof(*types), by_name);
	return types;
}

/* Pair the types of two recordings by name.  Return their number. */
static uint32_t make_pairs(struct analysis *before, struct dtype **x, uint32_t nr_x,
			   struct analysis *after, struct dtype **y, uint32_t nr_y, struct pair *pairs)
{
	struct whole all_before = add_up(before), all_after = add_up(after);
	uint32_t i = 0, k = 0, nr = 0;

	/* Cycles of one and misses of the other do not compare. */
	all_before.has_latency = all_after.has_latency = all_before.has_latency && all_after.has_latency;
	while (i < nr_x || k < nr_y) {
		const int order = i == nr_x ? 1 : k == nr_y ? -1 : strcmp(x[i]->name, y[k]->name);
		const struct dtype *b = order <= 0 ? x[i++] : NULL, *a = order >= 0 ? y[k++] : NULL;

		pairs[nr].type = b ? b : a;
		pairs[nr].before = look(before, b, &all_before);
		pairs[nr++].after = look(after, a, &all_after);
	}
	return nr;
}

static bool has_latency(const struct analysis *a)
{
	return add_up(a).has_latency;
}

static int compare(struct analysis *before, struct analysis *after, struct table *t)
{
	uint32_t nr_x, nr_y, i, nr;
	struct dtype **x = sorted_types(before, &nr_x), **y = sorted_types(after, &nr_y);
	struct pair *pairs = calloc(nr_x + nr_y + 1, sizeof(*pairs));
	const bool latency = has_latency(before) && has_latency(after);
	int ret = x && y && pairs ? 0 : -1;

	nr = ret ? 0 : make_pairs(before, x, nr_x, after, y, nr_y, pairs);
	rank(pairs, nr);
	for (i = 0; i < nr && !ret && (!before->top || i < before->top); i++)
		ret = add_pair(&pairs[i], latency, t);
	free(x);
	free(y);
	free(pairs);
	return ret;
}

static const struct columns diff_columns = COLUMNS(
	{ "type", CELL_TEXT, 0, "", "type of data" },
	{ "struct", CELL_TEXT, 0, "", "C struct of the type", "not known" },
	{ "ranked_by", CELL_TEXT, 0, "",
	  "the larger of the type's two changes that order the rows: latency or footprint",
	  "neither changed, beyond the error of latency" },
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
	{ "cycles_per_sample_before", CELL_REAL, 3, "cycles",
	  "latency of the type's samples for each sample of the recording, first recording",
	  "a recording has no latency, or not the type" },
	{ "cycles_per_sample_after", CELL_REAL, 3, "cycles",
	  "the same, second recording", "a recording has no latency, or not the type" },
	{ "live_objects_before", CELL_REAL, 1, "objects",
	  "mean number of live objects, first recording", "allocations were not recorded" },
	{ "live_objects_after", CELL_REAL, 1, "objects",
	  "the same, second recording", "allocations were not recorded" },
	{ "live_objects_ratio", CELL_REAL, 2, "",
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
	const struct opt options[] = {
		OUTPUT_OPTIONS(&output), ANALYSIS_LEVEL_OPTION(&before), ANALYSIS_TYPES_OPTIONS(&before),
		ANALYSIS_SAMPLES_OPTIONS(&before), ANALYSIS_FILES_OPTIONS(&before), { }
	};
	int failed, ret;

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

		/* A type, or a task, may be in one of them. */
		const int none = !analysis_chooses(&before) && !analysis_chooses(&after) ? analysis_matches(&before) : OK;

		view_note(&before, shows, argv[0]);
		view_note(&after, shows, argv[1]);
		table_init_columns(&table, &diff_columns);
		failed = compare(&before, &after, &table);
		if (none && !failed ? output_nothing(&output, &table) : output_table(&output, &table, failed))
			ret = FAILED;
	}
	analysis_free(&before);
	analysis_free(&after);
	return ret;
}
