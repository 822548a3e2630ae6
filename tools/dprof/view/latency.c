// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Latencies of each field, as a histogram. */
#include <stdlib.h>

#include "view.h"

/* The samples of a field, of all instructions. */
struct spread {
	uint32_t type, offset;
	uint64_t latency, n, bucket[NR_BUCKETS];
};

static int by_field(const void *a, const void *b)
{
	const struct spread *x = a, *y = b;

	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int by_latency(const void *a, const void *b)
{
	const struct spread *x = a, *y = b;

	if (x->latency != y->latency)
		return x->latency > y->latency ? -1 : 1;
	return by_field(a, b);
}

static void add_up(struct spread *to, const struct spread *s)
{
	int i;

	to->latency += s->latency;
	to->n += s->n;
	for (i = 0; i < NR_BUCKETS; i++)
		to->bucket[i] += s->bucket[i];
}

/* The fields whose samples have latencies, those that cost most first.  NULL without memory. */
static struct spread *make_spreads(const struct analysis *a, size_t *nr)
{
	struct spread *s = calloc(a->m.nr_sites + 1, sizeof(*s));
	size_t n = 0, i;
	int k;

	*nr = 0;
	for (i = 0; s && i < a->m.nr_sites; i++) {
		const struct site *site = a->m.by_site[i];

		if (!site->sum.with_latency || !analysis_selects(a, a->m.by_index[site->key.type]))
			continue;
		s[n].type = site->key.type;
		s[n].offset = site->key.offset;
		s[n].latency = site->sum.latency;
		s[n].n = site->sum.with_latency;
		for (k = 0; k < NR_BUCKETS; k++)
			s[n].bucket[k] = site->bucket[k];
		n++;
	}
	if (!n)
		return s;
	qsort(s, n, sizeof(*s), by_field);
	for (i = 1; i < n; i++) {
		if (by_field(&s[*nr], &s[i]))
			s[++*nr] = s[i];
		else
			add_up(&s[*nr], &s[i]);
	}
	++*nr;
	qsort(s, *nr, sizeof(*s), by_latency);
	return s;
}

/* The bound of the bucket that the sample of this rank is in, from 0; negative: above all. */
static double bound_of(const struct spread *s, uint64_t rank)
{
	uint64_t below = 0;
	int i;

	for (i = 0; i < NR_BUCKETS - 1; i++) {
		below += s->bucket[i];
		if (rank < below)
			return 8 << i;
	}
	return -1;
}

static struct cell bound_cell(double bound)
{
	return bound < 0 ? NONE_CELL : REAL_CELL(bound);
}

const struct columns latency_columns = COLUMNS(
	{ "type", CELL_TEXT, 0, "", "type of data" },
	{ "field", CELL_TEXT, 0, "", "field that is accessed" },
	{ "samples", CELL_INT, 0, "samples", "sampled accesses of the field that have a latency" },
	{ "latency_cycles", CELL_REAL, 1, "cycles", "their mean latency" },
	{ "latency_pct", CELL_REAL, 2, "%", "their latency, of that of all samples" },
	{ "half_within_cycles", CELL_REAL, 0, "cycles", "half of them took at most as long", "more than 1024 cycles" },
	{ "p90_within_cycles", CELL_REAL, 0, "cycles", "90 % of them took at most as long", "more than 1024 cycles" },
	{ "to_8", CELL_INT, 0, "samples", "samples of at most 8 cycles" },
	{ "to_16", CELL_INT, 0, "samples", "of 9 to 16 cycles" },
	{ "to_32", CELL_INT, 0, "samples", "of 17 to 32 cycles" },
	{ "to_64", CELL_INT, 0, "samples", "of 33 to 64 cycles" },
	{ "to_128", CELL_INT, 0, "samples", "of 65 to 128 cycles" },
	{ "to_256", CELL_INT, 0, "samples", "of 129 to 256 cycles" },
	{ "to_512", CELL_INT, 0, "samples", "of 257 to 512 cycles" },
	{ "to_1024", CELL_INT, 0, "samples", "of 513 to 1024 cycles" },
	{ "more", CELL_INT, 0, "samples", "of more than 1024 cycles" },
);

int view_latency(struct analysis *a, struct table *t)
{
	uint64_t all = 0;
	struct spread *s;
	size_t nr, i;
	int ret = 0, k;

	table_init_columns(t, &latency_columns);
	for (k = 0; k < NR_LEVELS; k++)
		all += a->m.by_level[k].latency;
	s = make_spreads(a, &nr);
	for (i = 0; i < nr && !ret && (!a->top || i < a->top); i++) {
		struct cell row[7 + NR_BUCKETS] = { TEXT_CELL(a->m.by_index[s[i].type]->name) };
		char field[256];

		field_label(a, s[i].type, s[i].offset, field, sizeof(field));
		row[1] = TEXT_CELL(field);
		row[2] = INT_CELL(s[i].n);
		row[3] = REAL_CELL((double)s[i].latency / s[i].n);
		row[4] = share_cell(s[i].latency, all);
		row[5] = bound_cell(bound_of(&s[i], (s[i].n - 1) / 2));
		row[6] = bound_cell(bound_of(&s[i], (s[i].n * 9 - 1) / 10));
		for (k = 0; k < NR_BUCKETS; k++)
			row[7 + k] = INT_CELL(s[i].bucket[k]);
		ret = table_add(t, row);
	}
	free(s);
	return s ? ret : -1;
}
