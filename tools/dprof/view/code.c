// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Functions, and the files they are of, by their misses. */
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "view.h"

/* A function, or with --by ip an instruction; of what has no symbol, always that. */
struct function {
	uint64_t begin, ip;
	struct tally sum;
	struct { uint32_t type; uint64_t n; } top, now;	/* of types, those of by_site are together */
	UT_hash_handle hh;
};

static struct function *find_function(struct function **all, uint64_t begin, uint64_t ip)
{
	struct function *f;

	HASH_FIND(hh, *all, &begin, sizeof(begin), f);
	if (f)
		return f;
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->begin = begin;
	f->ip = ip;
	HASH_ADD(hh, *all, begin, sizeof(f->begin), f);
	return f;
}

static int add_site(struct analysis *a, struct function **all, const struct site *s)
{
	const struct symbol *symbol = a->by == BY_IP ? NULL : symbols_find(&a->m.symbols, s->key.ip);
	struct function *f = find_function(all, symbol ? symbol->addr : s->key.ip, s->key.ip);

	if (!f)
		return -1;
	tally_add(&f->sum, &s->sum);
	if (f->now.type != s->key.type)
		f->now.n = 0;
	f->now.type = s->key.type;
	f->now.n += s->sum.n;
	if (f->now.n > f->top.n)
		f->top = f->now;
	return 0;
}

/* The file of an instruction: a program, a library, a module, or the kernel. */
static const char *file_of(struct analysis *a, uint64_t ip)
{
	const struct symbol *s = symbols_find(&a->m.symbols, ip);
	const char *module = s ? symbols_module(&a->m.symbols, s) : "";

	return *module ? module : ip >> 63 ? "[kernel]" : "[unknown]";
}

static int add_row(struct analysis *a, const struct function *f, const struct tally *all, struct table *t)
{
	const struct tally *s = &f->sum;
	const bool known = tally_known(s);
	char buf[32], place[256];

	place_name(&a->m, &a->l, f->ip, place, sizeof(place));
	const struct cell row[] = {
		TEXT_CELL(a->by == BY_IP ? place : symbols_name(&a->m.symbols, f->ip, buf, sizeof(buf))),
		TEXT_CELL(file_of(a, f->ip)),
		INT_CELL(s->n), share_cell(s->n, all->n), INT_CELL(s->loads), INT_CELL(s->stores),
		MISS_CELLS(s, known),
		share_cell(tally_misses(s, a->level), tally_misses(all, a->level)),
		s->with_latency ? REAL_CELL(tally_latency(s)) : NONE_CELL,
		TEXT_CELL(a->m.by_index[f->top.type]->name),
	};

	return table_add(t, row);
}

static enum level sorted_by;

static int by_misses(struct function *a, struct function *b)
{
	const uint64_t x = tally_misses(&a->sum, sorted_by), y = tally_misses(&b->sum, sorted_by);

	if (x != y)
		return x > y ? -1 : 1;
	if (a->sum.n != b->sum.n)
		return a->sum.n > b->sum.n ? -1 : 1;
	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

const struct columns code_columns = COLUMNS(
	{ "function", CELL_TEXT, 0, "", "function; with --by ip, an instruction" },
	{ "dso", CELL_TEXT, 0, "",
	  "program, library or module of the function; [kernel], or [unknown]" },
	{ "samples", CELL_INT, 0, "samples", "sampled accesses by the function" },
	{ "samples_pct", CELL_REAL, 2, "%", "these, of all samples" },
	ACCESS_COLUMNS,
	MISS_COLUMNS,
	MISSES_PCT_COLUMN("all functions"),
	LATENCY_COLUMN,
	{ "type", CELL_TEXT, 0, "", "type of data that the function accesses most" },
);

int view_code(struct analysis *a, struct table *t)
{
	struct function *all = NULL, *f, *next;
	struct tally sum = { };
	uint32_t shown = 0;
	int ret = 0;
	size_t i;

	table_init_columns(t, &code_columns);
	for (i = 0; i < a->m.nr_sites && !ret; i++) {
		tally_add(&sum, &a->m.by_site[i]->sum);
		if (analysis_selects(a, a->m.by_index[a->m.by_site[i]->key.type]))
			ret = add_site(a, &all, a->m.by_site[i]);
	}
	sorted_by = a->level;
	HASH_SORT(all, by_misses);
	HASH_ITER(hh, all, f, next) {
		if (!ret && (!a->top || shown++ < a->top))
			ret = add_row(a, f, &sum, t);
		HASH_DEL(all, f);
		free(f);
	}
	return ret;
}
