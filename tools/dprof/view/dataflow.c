// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The data flow view: the graph's edges as a table, or the graph for Graphviz. */
#include <stdlib.h>

#include "dprof/judge/dataflow.h"
#include "view.h"

static double histories_of(struct analysis *a, const struct dtype *t)
{
	(void)a;
	return t->histories;
}

static int add_edge(struct analysis *a, const struct dtype *d, const struct flow *f,
		    const struct flow_edge *e, struct table *t)
{
	const struct flow_node *from = &f->node[e->from], *to = &f->node[e->to];
	char level[32];
	const struct cell row[] = {
		TEXT_CELL(d->name), TEXT_CELL(from->name), TEXT_CELL(to->name),
		REAL_CELL(e->count), TEXT_CELL(e->cpu_change ? "yes" : "no"),
		INT_CELL(from->cpu), INT_CELL(to->cpu), REAL_CELL(from->since),
		REAL_CELL(to->since), level_cell(&to->sum, level, sizeof(level)),
		to->sum.with_latency ? REAL_CELL(tally_latency(&to->sum)) : NONE_CELL,
	};

	(void)a;
	return table_add(t, row);
}

const struct columns dataflow_columns = COLUMNS(
	{ "type", CELL_TEXT, 0, "", "type of data" },
	{ "from", CELL_TEXT, 0, "", "function where the edge begins" },
	{ "to", CELL_TEXT, 0, "", "function that accesses the object next" },
	{ "objects_pct", CELL_REAL, 1, "%", "objects with a history that took this edge" },
	{ "cpu_change", CELL_TEXT, 0, "", "yes: the object changes CPU between the two" },
	{ "from_cpu", CELL_INT, 0, "",
	  "CPU of from, in the order of the object's CPUs: the one that allocated it is 0" },
	{ "to_cpu", CELL_INT, 0, "", "CPU of to, counted as from_cpu" },
	{ "from_ns", CELL_REAL, 0, "ns", "mean time of from, since the allocation" },
	{ "to_ns", CELL_REAL, 0, "ns", "mean time of to, since the allocation" },
	{ "to_hit", CELL_TEXT, 0, "",
	  "level that served most of the accesses of to, with their share",
	  "no sample of these accesses has a level" },
	{ "to_latency_cycles", CELL_REAL, 1, "cycles",
	  "mean latency of the accesses of to", "no sample of them has one" },
);

int view_dataflow(struct analysis *a, struct table *t)
{
	struct dtype **types;
	uint32_t i, k, nr;
	int ret = 0;

	table_init_columns(t, &dataflow_columns);
	types = types_by(a, histories_of, &nr);
	if (!types)
		return -1;
	for (i = 0; i < nr && !ret; i++) {
		struct flow f;

		ret = flow_make(&f, a, types[i]->index);
		for (k = 0; k < f.nr_edges && !ret; k++)
			ret = add_edge(a, types[i], &f, &f.edge[k], t);
		flow_free(&f);
	}
	free(types);
	return ret;
}

/**
 * dataflow_dot() - write the graph of a type in Graphviz's DOT language
 * @a: the analysis, with traces; the type is that of --type, or the one with the most
 *	histories
 * @out: the output
 *
 * Return: 0, or -1 without memory.
 */
int dataflow_dot(struct analysis *a, FILE *out)
{
	const struct dtype *d = a->only;
	struct flow f;
	uint32_t i;
	int ret;

	for (i = 0; !a->only && i < a->m.nr_types; i++)
		if (!d || a->m.by_index[i]->histories > d->histories)
			d = a->m.by_index[i];
	ret = flow_make(&f, a, d->index);
	if (!ret) {
		bool named = *d->struct_name && *d->struct_name != '(';
		char title[512];

		snprintf(title, sizeof(title), "data flow of %s%s%s%s - %s", d->name,
			 named ? " (struct " : "", named ? d->struct_name : "", named ? ")" : "",
			 a->m.host);
		flow_dot(&f, title, out);
	}
	flow_free(&f);
	return ret;
}
