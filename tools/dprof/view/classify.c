// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Miss classification (section 3.3 of the paper): by its heuristic, and by samples and simulation. */
#include <stdlib.h>
#include <string.h>

#include "view.h"

static bool same_row(const struct analysis *a, const struct verdict *x, const struct verdict *y)
{
	char fx[256], fy[256];

	if (x->type != y->type)
		return false;
	if (a->by == BY_TYPE)
		return true;
	if (a->by == BY_IP)
		return x->ip == y->ip && x->offset == y->offset;
	field_label((struct analysis *)a, x->type, x->offset, fx, sizeof(fx));
	field_label((struct analysis *)a, y->type, y->offset, fy, sizeof(fy));
	return !strcmp(fx, fy);
}

static void add_up(struct verdict *to, const struct verdict *v)
{
	int k;

	to->misses += v->misses;
	to->paper_misses += v->paper_misses;
	for (k = 0; k < NR_OUTCOMES; k++) {
		to->paper[k] += v->paper[k];
		to->ours[k] += v->ours[k];
	}
	if (v->has_writer && (!to->has_writer || v->writer.misses > to->writer.misses)) {
		to->has_writer = true;
		to->writer = v->writer;
	}
}

static int by_place(const void *a, const void *b)
{
	const struct verdict *x = a, *y = b;

	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->ip < y->ip ? -1 : x->ip > y->ip;
}

static int by_misses(const void *a, const void *b)
{
	const struct verdict *x = a, *y = b;

	if (x->misses != y->misses)
		return x->misses > y->misses ? -1 : 1;
	return by_place(a, b);
}

/* Sum up in place the verdicts that share a row.  Return the number of rows. */
static size_t fold(const struct analysis *a, struct verdict *v, size_t nr)
{
	size_t i, to = 0;

	if (!nr)
		return 0;
	qsort(v, nr, sizeof(*v), by_place);
	for (i = 1; i < nr; i++) {
		if (same_row(a, &v[to], &v[i]))
			add_up(&v[to], &v[i]);
		else
			v[++to] = v[i];
	}
	nr = to + 1;
	qsort(v, nr, sizeof(*v), by_misses);
	return nr;
}

static int add_verdict(struct analysis *a, const struct verdict *v, double all, struct table *t)
{
	const struct dtype *type = a->m.by_index[v->type];
	char field[256], place[256], writer[256], where[512];

	field_label(a, v->type, v->offset, field, sizeof(field));
	place_name(&a->m, &a->l, v->ip, place, sizeof(place));
	if (v->has_writer) {
		field_label(a, v->writer.type, v->writer.offset, where, sizeof(where));
		place_name(&a->m, &a->l, v->writer.ip, writer, sizeof(writer));
		snprintf(where + strlen(where), sizeof(where) - strlen(where), " of %s by %s",
			 a->m.by_index[v->writer.type]->name, writer);
	}
	const struct cell row[] = {
		TEXT_CELL(type->name),
		a->by == BY_TYPE ? NONE_CELL : TEXT_CELL(field),
		a->by == BY_IP ? TEXT_CELL(place) : NONE_CELL,
		REAL_CELL(v->misses),
		share_cell(v->misses, all),
		TEXT_CELL(outcome_name[verdict_class(v->ours)]),
		share_cell(v->ours[MISS_TRUE], v->misses),
		share_cell(v->ours[MISS_FALSE], v->misses),
		share_cell(v->ours[MISS_CONFLICT], v->misses),
		share_cell(v->ours[MISS_CAPACITY], v->misses),
		share_cell(v->ours[MISS_COLD], v->misses),
		v->paper_misses > 0 ? TEXT_CELL(outcome_name[verdict_class(v->paper)]) : NONE_CELL,
		share_cell(v->paper[MISS_TRUE], v->paper_misses),
		share_cell(v->paper[MISS_FALSE], v->paper_misses),
		share_cell(v->paper[MISS_CONFLICT], v->paper_misses),
		share_cell(v->paper[MISS_CAPACITY], v->paper_misses),
		v->has_writer ? TEXT_CELL(where) : NONE_CELL,
	};

	return table_add(t, row);
}

const struct columns classify_columns = COLUMNS(
	{ "type", CELL_TEXT, 0, "", "type of data" },
	{ "field", CELL_TEXT, 0, "",
	  "field of the type, as member+offset", "rows are of whole types (--by type)" },
	{ "place", CELL_TEXT, 0, "", "instruction, as function+offset", "without --by ip" },
	{ "misses", CELL_REAL, 0, "misses",
	  "misses of the level (--level), but for stores that the L2 served, estimated from samples; without "
	  "levels (swmem), those of the simulation" },
	{ "misses_pct", CELL_REAL, 2, "%", "these, of all misses", "there is no miss" },
	{ "class", CELL_TEXT, 0, "", "the most frequent cause" },
	{ "true_pct", CELL_REAL, 1, "%",
	  "misses by true sharing: another CPU wrote the bytes accessed", "misses is 0" },
	{ "false_pct", CELL_REAL, 1, "%",
	  "misses by false sharing: another CPU wrote other bytes of the line", "misses is 0" },
	{ "conflict_pct", CELL_REAL, 1, "%",
	  "misses that a fully associative cache of the size would not have", "misses is 0" },
	{ "capacity_pct", CELL_REAL, 1, "%",
	  "misses because the cache is too small", "misses is 0" },
	{ "cold_pct", CELL_REAL, 1, "%", "first accesses of a line", "misses is 0" },
	{ "paper_class", CELL_TEXT, 0, "",
	  "the most frequent cause by the heuristic of the paper", "the type has no histories" },
	{ "paper_true_pct", CELL_REAL, 1, "%",
	  "true sharing by the heuristic of the paper", "as paper_class" },
	{ "paper_false_pct", CELL_REAL, 1, "%",
	  "false sharing by the heuristic of the paper", "as paper_class" },
	{ "paper_conflict_pct", CELL_REAL, 1, "%",
	  "conflicts by the heuristic of the paper", "as paper_class" },
	{ "paper_capacity_pct", CELL_REAL, 1, "%",
	  "capacity misses by the heuristic of the paper", "as paper_class" },
	{ "writer", CELL_TEXT, 0, "",
	  "field, type and function whose writes caused the most sharing misses of the row",
	  "no write of another CPU was sampled" },
);

int view_classify(struct analysis *a, struct table *t)
{
	size_t i, nr;
	uint32_t shown = 0;
	double all = 0;
	int ret = 0;

	table_init_columns(t, &classify_columns);
	for (i = 0; i < a->v.nr; i++)
		all += a->v.verdict[i].misses;
	nr = fold(a, a->v.verdict, a->v.nr);
	a->v.nr = nr;
	for (i = 0; i < nr && !ret && (!a->top || shown < a->top); i++) {
		if (!analysis_selects(a, a->m.by_index[a->v.verdict[i].type]))
			continue;
		ret = add_verdict(a, &a->v.verdict[i], all, t);
		shown++;
	}
	return ret;
}
