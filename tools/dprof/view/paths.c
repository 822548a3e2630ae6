// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Path traces, in the form of Table 1 of the paper. */
#include <stdlib.h>
#include <string.h>

#include "view.h"

/* A row: successive accesses of a function on a CPU, or of an instruction (--by ip). */
struct row {
	struct tally sum;
	double since;
	uint64_t ip, times;
	int32_t from, to;
	uint16_t cpu;
	bool reads, writes;
};

static int add_row(struct analysis *a, const struct trace *t, uint32_t number, const char *what,
		   const struct row *r, bool change, struct table *table)
{
	char place[256], range[32], from[256], to[256], fields[520], level[32], func[64];
	const char *name = symbols_name(&a->m.symbols, r->ip, func, sizeof(func));

	place_name(&a->m, &a->l, r->ip, place, sizeof(place));
	snprintf(range, sizeof(range), "%d-%d", r->from, r->to);
	field_label(a, t->type, r->from, from, sizeof(from));
	field_label(a, t->type, r->to - 1, to, sizeof(to));
	/* Name the field of the last byte, without the offset in the field. */
	*strchrnul(to, '+') = '\0';
	snprintf(fields, sizeof(fields), !*to || !strcmp(from, to) || what ? "%s" : "%s..%s", from, to);
	const struct cell row[] = {
		TEXT_CELL(a->m.by_index[t->type]->name),
		INT_CELL(number),
		REAL_CELL(100 * t->frequency),
		REAL_CELL(r->since),
		TEXT_CELL(a->by == BY_IP ? place : name),
		TEXT_CELL(what ? what : r->writes ? r->reads ? "rw" : "w" : r->reads ? "r" : "?"),
		TEXT_CELL(change ? "yes" : "no"),
		INT_CELL(r->cpu),
		TEXT_CELL(range),
		what ? NONE_CELL : TEXT_CELL(fields),
		INT_CELL(r->times),
		level_cell(&r->sum, level, sizeof(level)),
		r->sum.with_latency ? REAL_CELL(tally_latency(&r->sum)) : NONE_CELL,
	};

	return table_add(table, row);
}

static bool goes_on(struct analysis *a, const struct row *r, const struct element *e)
{
	const struct symbol *x, *y;

	if (r->cpu != e->cpu)
		return false;
	if (a->by == BY_IP)
		return r->ip == e->ip && r->from == e->offset;
	x = symbols_find(&a->m.symbols, r->ip);
	y = symbols_find(&a->m.symbols, e->ip);
	return x ? x == y : r->ip == e->ip;
}

static void begin_row(struct row *r, const struct element *e)
{
	memset(r, 0, sizeof(*r));
	r->since = e->since;
	r->ip = e->ip;
	r->from = e->offset;
	r->to = e->offset + (e->len ? e->len : 1);
	r->cpu = e->cpu;
}

static void add_element(struct analysis *a, struct row *r, uint32_t type, const struct element *e)
{
	int32_t end = e->offset + (e->len ? e->len : 1);
	struct tally sum;

	site_tally(&a->m, type, e, &sum);
	tally_add(&r->sum, &sum);
	if (e->offset < r->from)
		r->from = e->offset;
	if (end > r->to)
		r->to = end;
	r->reads |= e->op & OP_LOAD;
	r->writes |= (e->op & OP_STORE) != 0;
	r->times += e->repeats ? e->repeats : 1;
}

static int add_trace(struct analysis *a, const struct trace *t, uint32_t number, struct table *table)
{
	struct row r = { .ip = t->alloc_ip, .to = t->size, .times = 1 };
	uint16_t cpu = 0;
	uint32_t i;

	if (add_row(a, t, number, "alloc", &r, false, table))
		return -1;
	for (i = 0; i < t->nr; i++) {
		if (!i || !goes_on(a, &r, &t->element[i])) {
			if (i && add_row(a, t, number, NULL, &r, r.cpu != cpu, table))
				return -1;
			cpu = i ? r.cpu : 0;
			begin_row(&r, &t->element[i]);
		}
		add_element(a, &r, t->type, &t->element[i]);
	}
	if (i && add_row(a, t, number, NULL, &r, r.cpu != cpu, table))
		return -1;
	cpu = i ? r.cpu : 0;
	r = (struct row){ .since = t->end, .ip = t->free_ip, .to = t->size, .times = 1,
			  .cpu = t->how == HISTORY_FREED ? t->free_cpu : cpu };
	return add_row(a, t, number, t->how == HISTORY_FREED ? "free" : "end", &r, r.cpu != cpu,
		       table);
}

const struct columns paths_columns = COLUMNS(
	{ "type", CELL_TEXT, 0, "", "type of data" },
	{ "path", CELL_INT, 0, "",
	  "number of the path trace of the type, the most frequent first" },
	{ "frequency_pct", CELL_REAL, 1, "%", "objects with a history that took this path" },
	{ "time_ns", CELL_REAL, 0, "ns", "mean time since the allocation" },
	{ "function", CELL_TEXT, 0, "",
	  "function that accesses the object; with --by ip, the instruction" },
	{ "access", CELL_TEXT, 0, "",
	  "alloc, r, w, rw, free; end: the history ended before the object was freed; ?: not "
	  "known" },
	{ "cpu_change", CELL_TEXT, 0, "", "yes: another CPU than in the row before" },
	{ "cpu", CELL_INT, 0, "",
	  "CPU, in the order of the object's CPUs: the one that allocated it is 0" },
	{ "offsets", CELL_TEXT, 0, "bytes",
	  "bytes of the object that were accessed: from-to, without to" },
	{ "fields", CELL_TEXT, 0, "", "the same by name", "of alloc, free and end" },
	{ "times", CELL_INT, 0, "accesses", "accesses added up in the row" },
	{ "hit", CELL_TEXT, 0, "",
	  "level that served most of the sampled accesses like this one, with their share",
	  "no sample of them has a level" },
	{ "latency_cycles", CELL_REAL, 1, "cycles",
	  "their mean latency", "no sample of them has one" },
);

int view_paths(struct analysis *a, struct table *t)
{
	uint32_t number = 0;
	size_t i;

	table_init_columns(t, &paths_columns);
	for (i = 0; i < a->t.nr; i++) {
		const struct trace *trace = &a->t.trace[i];

		number = i && a->t.trace[i - 1].type == trace->type ? number + 1 : 1;
		if (!analysis_selects(a, a->m.by_index[trace->type]) || (a->top && number > a->top))
			continue;
		if (add_trace(a, trace, number, t))
			return -1;
	}
	return 0;
}
