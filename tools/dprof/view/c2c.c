// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Shared cache lines in the order and the words of perf c2c report, with the objects and fields
 * that perf does not know: lines by HITM, and for each the accesses by offset and code address.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

/* An access to a line: samples of an instruction at an offset, of all CPUs. */
struct access {
	const struct use *use;
	struct unit sum;
	uint64_t cpus;			/* number of CPUs */
	int32_t cpu;			/* the last one that was counted */
};

struct cacheline {
	struct use **use;
	size_t nr;
	uint64_t hitm, far_hitm, records;
};

static int by_hitm(const void *a, const void *b)
{
	const struct cacheline *x = a, *y = b;

	if (x->hitm != y->hitm)
		return x->hitm > y->hitm ? -1 : 1;
	if (x->records != y->records)
		return x->records > y->records ? -1 : 1;
	return x->use < y->use ? -1 : x->use > y->use;
}

/* Equal if they are one row. */
static int same_access(const struct access *x, const struct access *y)
{
	if (x->sum.first != y->sum.first)
		return x->sum.first < y->sum.first ? -1 : 1;
	if (x->sum.ip != y->sum.ip)
		return x->sum.ip < y->sum.ip ? -1 : 1;
	if (x->use->key.base != y->use->key.base)
		return x->use->key.base < y->use->key.base ? -1 : 1;
	return x->use->key.type < y->use->key.type ? -1 : x->use->key.type > y->use->key.type;
}

static int by_place(const void *a, const void *b)
{
	const struct access *x = a, *y = b;
	const int order = same_access(x, y);

	return order ? order : x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

/* As perf has them: by HITM of the line's accesses, then by offset. */
static int by_access_hitm(const void *a, const void *b)
{
	const struct access *x = a, *y = b;

	if (x->sum.hitm != y->sum.hitm)
		return x->sum.hitm > y->sum.hitm ? -1 : 1;
	return by_place(a, b);
}

static void add_up(struct access *to, const struct access *x)
{
	int i;

	to->sum.n += x->sum.n;
	to->sum.loads += x->sum.loads;
	to->sum.stores += x->sum.stores;
	to->sum.hitm += x->sum.hitm;
	to->sum.far_hitm += x->sum.far_hitm;
	for (i = 0; i < 3; i++)
		to->sum.latency[i] += x->sum.latency[i];
	/* Sorted by CPU. */
	to->cpus += x->cpu >= 0 && x->cpu != to->cpu;
	to->cpu = x->cpu;
}

/* The rows of a line.  NULL without memory. */
static struct access *make_accesses(const struct cacheline *l, size_t *nr)
{
	struct access *all;
	size_t n = 0, i;
	uint32_t k;

	*nr = 0;
	for (i = 0; i < l->nr; i++)
		n += l->use[i]->nr_units;
	all = calloc(n + 1, sizeof(*all));
	n = 0;
	for (i = 0; all && i < l->nr; i++)
		for (k = 0; k < l->use[i]->nr_units; k++)
			all[n++] = (struct access){ l->use[i], l->use[i]->unit[k], l->use[i]->key.cpu >= 0,
						    l->use[i]->key.cpu };
	if (!n)
		return all;
	qsort(all, n, sizeof(*all), by_place);
	for (i = 1; i < n; i++) {
		if (same_access(&all[*nr], &all[i]))
			all[++*nr] = all[i];
		else
			add_up(&all[*nr], &all[i]);
	}
	++*nr;
	qsort(all, *nr, sizeof(*all), by_access_hitm);
	return all;
}

static struct cell mean_cell(uint64_t sum, uint64_t n)
{
	return sum && n ? REAL_CELL((double)sum / n) : NONE_CELL;
}

static int add_access(struct analysis *a, const struct cacheline *l, size_t index, uint64_t all_hitm,
		      const struct access *x, struct table *t)
{
	const struct use *u = x->use;
	const struct unit *s = &x->sum;
	/* Of loads that did not find modified data elsewhere. */
	const uint64_t others = s->loads > s->hitm ? s->loads - s->hitm : 0;
	char line[24], code[24], field[256], symbol[256];

	snprintf(line, sizeof(line), "0x%" PRIx64, u->addr);
	snprintf(code, sizeof(code), "0x%" PRIx64, s->ip);
	field_label(a, u->key.type, u->key.line * LINE + s->first - u->key.base, field, sizeof(field));
	place_name(&a->m, &a->l, s->ip, symbol, sizeof(symbol));
	const struct cell row[] = {
		INT_CELL(index), TEXT_CELL(line), share_cell(l->hitm, all_hitm), INT_CELL(l->records),
		INT_CELL(s->far_hitm), INT_CELL(s->hitm - s->far_hitm), INT_CELL(s->n), INT_CELL(s->loads),
		INT_CELL(s->stores), INT_CELL(s->first), TEXT_CELL(a->m.by_index[u->key.type]->name),
		TEXT_CELL(field), TEXT_CELL(code), mean_cell(s->latency[1], s->far_hitm),
		mean_cell(s->latency[0], s->hitm - s->far_hitm), mean_cell(s->latency[2], others),
		x->cpus ? INT_CELL(x->cpus) : NONE_CELL, TEXT_CELL(symbol),
	};

	return table_add(t, row);
}

static int add_line(struct analysis *a, const struct cacheline *l, size_t index, uint64_t all_hitm, struct table *t)
{
	size_t nr, i;
	struct access *x = make_accesses(l, &nr);
	int ret = x ? 0 : -1;

	for (i = 0; i < nr && !ret; i++)
		ret = add_access(a, l, index, all_hitm, &x[i], t);
	free(x);
	return ret;
}

/* The lines with HITM.  @use: sorted by line; @all: set to the HITM of all. */
static size_t find_lines(const struct analysis *a, struct use **use, size_t nr, struct cacheline *lines, uint64_t *all)
{
	size_t from, to, n = 0;

	*all = 0;
	for (from = 0; from < nr; from = to) {
		struct cacheline l = { .use = use + from };
		bool selected = false;

		for (to = from; to < nr && uses_same_line(use[to], use[from]); to++) {
			l.hitm += use[to]->modified;
			l.far_hitm += use[to]->far_modified;
			l.records += use[to]->n;
			selected |= analysis_selects(a, a->m.by_index[use[to]->key.type]);
		}
		l.nr = to - from;
		*all += l.hitm;
		if (l.hitm && selected)
			lines[n++] = l;
	}
	if (n)
		qsort(lines, n, sizeof(*lines), by_hitm);
	return n;
}

const struct columns c2c_columns = COLUMNS(
	{ "index", CELL_INT, 0, "", "number of the cache line, from 0: rows of a line have the same" },
	{ "cacheline", CELL_TEXT, 0, "", "address of the cache line of 64 bytes" },
	{ "tot_hitm_pct", CELL_REAL, 2, "%", "HITM of the line, of those of all lines" },
	{ "total_records", CELL_INT, 0, "samples", "sampled accesses of the line" },
	{ "rmt_hitm", CELL_INT, 0, "samples", "accesses that found the line modified in a cache of another NUMA node" },
	{ "lcl_hitm", CELL_INT, 0, "samples", "accesses that found the line modified in a cache of the same node" },
	{ "records", CELL_INT, 0, "samples", "sampled accesses by this code at this offset" },
	ACCESS_COLUMNS,
	{ "offset", CELL_INT, 0, "bytes", "offset in the line where the access begins" },
	{ "type", CELL_TEXT, 0, "", "type of the object that is accessed" },
	{ "field", CELL_TEXT, 0, "", "field that is accessed" },
	{ "code_address", CELL_TEXT, 0, "", "address of the instruction" },
	{ "rmt_hitm_cycles", CELL_REAL, 1, "cycles", "mean latency of rmt_hitm", "none has a latency" },
	{ "lcl_hitm_cycles", CELL_REAL, 1, "cycles", "mean latency of lcl_hitm", "none has a latency" },
	{ "load_cycles", CELL_REAL, 1, "cycles", "mean latency of the other loads", "none has a latency" },
	{ "cpu_cnt", CELL_INT, 0, "CPUs", "CPUs with such samples", "the samples have no CPU" },
	{ "symbol", CELL_TEXT, 0, "", "the instruction" },
);

int view_c2c(struct analysis *a, struct table *t)
{
	size_t nr, n, i;
	struct use **use = uses_by_line(&a->m, &nr);
	struct cacheline *lines = calloc(nr + 1, sizeof(*lines));
	uint64_t all;
	int ret = use && lines ? 0 : -1;

	table_init_columns(t, &c2c_columns);
	n = ret ? 0 : find_lines(a, use, nr, lines, &all);
	for (i = 0; i < n && !ret && (!a->top || i < a->top); i++)
		ret = add_line(a, &lines[i], i, all, t);
	free(lines);
	free(use);
	return ret;
}
