// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Call chains of accesses, allocations and frees, by type and function. */
#include <stdlib.h>
#include <string.h>

#include "view.h"

static const char * const event_word[NR_EVENTS] = {
	[EVENT_SAMPLE] = "access", [EVENT_ALLOC] = "alloc", [EVENT_FREE] = "free",
};

/* Misses first: one that is known matters more than any number of hits, or of allocations. */
static int by_misses(const void *a, const void *b, void *level)
{
	const struct chain *x = *(struct chain * const *)a, *y = *(struct chain * const *)b;
	const uint64_t m = tally_misses(&x->sum, *(enum level *)level), n = tally_misses(&y->sum, *(enum level *)level);

	if (x->key.kind != y->key.kind)
		return x->key.kind < y->key.kind ? -1 : 1;
	if (m != n)
		return m > n ? -1 : 1;
	if (x->sum.n != y->sum.n)
		return x->sum.n > y->sum.n ? -1 : 1;
	return memcmp(&x->key, &y->key, sizeof(x->key));
}

/* "read < ksys_read < do_syscall_64": the innermost caller first; what does not fit is left out. */
static void chain_names(struct analysis *a, const struct chain *c, char *buf, size_t size)
{
	char number[32];
	size_t n = 0;
	int i;

	*buf = '\0';
	for (i = 0; i < CHAIN_DEPTH && c->key.frame[i]; i++) {
		const char *name = symbols_name(&a->m.symbols, c->key.frame[i], number, sizeof(number));

		if (n + strlen(name) + 4 > size)
			break;
		n += snprintf(buf + n, size - n, "%s%s", i ? " < " : "", name);
	}
}

static int add_chain(struct analysis *a, const struct chain *c, const uint64_t *all, struct table *t)
{
	const struct tally *s = &c->sum;
	const struct dtype *d = a->m.by_index[c->key.type];
	const bool known = c->key.kind == EVENT_SAMPLE && tally_known(s);
	char field[256], number[32], callers[768];

	field_label(a, c->key.type, c->key.offset, field, sizeof(field));
	chain_names(a, c, callers, sizeof(callers));
	const struct cell row[] = {
		TEXT_CELL(event_word[c->key.kind]),
		TEXT_CELL(type_label(d)),
		c->key.kind == EVENT_SAMPLE ? TEXT_CELL(field) : NONE_CELL,
		TEXT_CELL(symbols_name(&a->m.symbols, c->key.function, number, sizeof(number))),
		INT_CELL(s->n),
		share_cell(s->n, all[c->key.kind]),
		known ? INT_CELL(tally_misses(s, LEVEL_L1)) : NONE_CELL,
		known ? INT_CELL(s->level[LEVEL_PEER]) : NONE_CELL,
		s->with_latency ? REAL_CELL(tally_latency(s)) : NONE_CELL,
		*callers ? TEXT_CELL(callers) : NONE_CELL,
	};

	return table_add(t, row);
}

const struct columns callers_columns = COLUMNS(
	{ "event", CELL_TEXT, 0, "", "access (sampled), alloc or free: --top counts the rows of each" },
	{ "type", CELL_TEXT, 0, "", "type of data" },
	{ "field", CELL_TEXT, 0, "", "field that is accessed", "of allocations and frees" },
	{ "function", CELL_TEXT, 0, "", "function that accesses, allocates or frees" },
	{ "count", CELL_INT, 0, "events", "events with these callers" },
	{ "count_pct", CELL_REAL, 2, "%", "these, of all such events with a call chain" },
	{ "misses_l1", CELL_INT, 0, "samples", "accesses whose data were not in the CPU's L1 cache", NO_LEVEL },
	{ "peer", CELL_INT, 0, "samples", "accesses whose data were in another CPU's cache", NO_LEVEL },
	LATENCY_COLUMN,
	{ "callers", CELL_TEXT, 0, "", "its callers in the kernel, the innermost first, separated by <",
	  "none is known" },
);

int view_callers(struct analysis *a, struct table *t)
{
	struct chain **sorted = malloc((HASH_COUNT(a->m.chains) + 1) * sizeof(*sorted)), *c;
	uint64_t all[NR_EVENTS] = { }, shown[NR_EVENTS] = { };
	size_t nr = 0, i;
	int ret = 0;

	table_init_columns(t, &callers_columns);
	if (!sorted)
		return -1;
	for (c = a->m.chains; c; c = c->hh.next) {
		all[c->key.kind] += c->sum.n;
		if (analysis_selects(a, a->m.by_index[c->key.type]))
			sorted[nr++] = c;
	}
	if (nr)
		qsort_r(sorted, nr, sizeof(*sorted), by_misses, &a->level);
	for (i = 0; i < nr && !ret; i++)
		if (!a->top || shown[sorted[i]->key.kind]++ < (uint64_t)a->top)
			ret = add_chain(a, sorted[i], all, t);
	free(sorted);
	return ret;
}
