// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* From the CPUs of which node to the memory of which. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

const struct columns nodes_columns = COLUMNS(
	{ "from_node", CELL_INT, 0, "", "node of the CPUs that accessed" },
	{ "to_node", CELL_INT, 0, "", "node of the memory" },
	{ "accesses", CELL_INT, 0, "samples",
	  "such accesses: of main memory, or with --all of caches, too" },
	{ "share_pct", CELL_REAL, 2, "%", "these, of all with known nodes", "there is none" },
	{ "reads", CELL_INT, 0, "samples", "of these, reads" },
	{ "writes", CELL_INT, 0, "samples",
	  "of these, writes; a read-modify-write counts in both" },
	{ "latency_cycles", CELL_REAL, 1, "cycles",
	  "mean latency of accesses of main memory", "no access has one" },
);

int view_nodes(struct memprof *m, const struct view_options *o, struct table *t)
{
	const int nodes = memprof_nr_nodes(m);
	struct counts *c = calloc((size_t)nodes * nodes, sizeof(*c));
	struct memprof_access a;
	uint64_t all = 0;
	int from, to, bad = 0;
	size_t k;

	table_init_columns(t, &nodes_columns);
	if (!c)
		return -1;
	for (k = 0; k < memprof_nr_accesses(m); k++) {
		memprof_access(m, k, &a);
		if (a.node < 0 || a.home < 0 || a.node >= nodes || a.home >= nodes ||
		    (!o->all && !memprof_in_memory(m, &a)))
			continue;
		counts_add(&c[a.node * nodes + a.home], &a);
		all++;
	}
	for (from = 0; from < nodes && !bad; from++)
		for (to = 0; to < nodes && !bad; to++) {
			const struct counts *x = &c[from * nodes + to];

			bad = table_add(t, (struct cell[]){
				INT_CELL(from), INT_CELL(to), INT_CELL(x->all),
				all ? REAL_CELL(100.0 * x->all / all) : NONE_CELL,
				INT_CELL(x->reads), INT_CELL(x->writes), counts_latency(x) });
		}
	free(c);
	return bad;
}
