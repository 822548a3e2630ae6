// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The data profile (sections 2 and 3.1 of the paper): types by their misses. */
#include <stdlib.h>

#include "view.h"

static double misses_of(struct analysis *a, const struct dtype *t)
{
	/* Types without a miss come last, sorted by samples. */
	return tally_misses(&t->sum, a->level) + t->sum.n * 1e-9;
}

/* A number of misses; empty if no sample has a level. */
static struct cell count_cell(const struct tally *t, uint64_t n)
{
	return tally_known(t) ? INT_CELL(n) : NONE_CELL;
}

static int add_type(struct analysis *a, const struct dtype *d, const struct tally *all,
		    struct table *t)
{
	const struct tally *s = &d->sum;
	double objects = analysis_objects(a, d);
	const struct cell row[] = {
		TEXT_CELL(type_label(d)),
		*d->struct_name ? TEXT_CELL(d->struct_name) : NONE_CELL,
		TEXT_CELL(class_name[d->event.class]),
		d->size ? INT_CELL(d->size) : NONE_CELL,
		INT_CELL(s->n),
		share_cell(s->n, all->n),
		count_cell(s, tally_misses(s, LEVEL_L1)),
		count_cell(s, tally_misses(s, LEVEL_L2)),
		count_cell(s, tally_misses(s, LEVEL_L3)),
		count_cell(s, s->level[LEVEL_PEER]),
		count_cell(s, s->level[LEVEL_L3_OR_PEER]),
		share_cell(tally_misses(s, a->level), tally_misses(all, a->level)),
		share_cell(tally_misses(s, a->level), tally_known(s)),
		s->with_latency ? REAL_CELL(tally_latency(s)) : NONE_CELL,
		TEXT_CELL(type_bounces(a, d) ? "yes" : "no"),
		objects >= 0 && d->size ? INT_CELL(objects * d->size + 0.5) : NONE_CELL,
	};

	return table_add(t, row);
}

const struct columns profile_columns = COLUMNS(
	{ "type", CELL_TEXT, 0, "",
	  "type of data: slab cache and allocation site, variable, stack, page cache, ...; of "
	  "perf.data, a variable, mapping or region" },
	{ "struct", CELL_TEXT, 0, "",
	  "C struct of the type", "not known; give --btf or --vmlinux" },
	{ "class", CELL_TEXT, 0, "",
	  "kind of memory: slab, kmalloc, page, page_cache, anon, page_table, static, percpu, "
	  "stack, struct_page, vmalloc, module, user, fixmap, boot, unknown" },
	{ "size_bytes", CELL_INT, 0, "bytes", "size of an object", "not known" },
	{ "samples", CELL_INT, 0, "samples", "sampled accesses of the type" },
	{ "samples_pct", CELL_REAL, 2, "%", "these, of all samples" },
	MISS_COLUMNS,
	{ "l3_or_peer", CELL_INT, 0, "samples",
	  "accesses that the L3 or another cache of the node served: the source does not "
	  "distinguish them (AMD before Zen 4)", NO_LEVEL },
	{ "misses_pct", CELL_REAL, 2, "%",
	  "misses of the level (--level, default l1), of the misses of all types",
	  "no sample of the recording missed, or has a level" },
	{ "miss_rate_pct", CELL_REAL, 2, "%",
	  "the same misses, of the type's samples with a level", NO_LEVEL },
	LATENCY_COLUMN,
	{ "bounce", CELL_TEXT, 0, "",
	  "yes: several CPUs use an object: a path trace changes CPU, another CPU frees it, or "
	  "data were found modified in another CPU's cache" },
	{ "footprint_bytes", CELL_INT, 0, "bytes",
	  "memory of the type: mean of the live objects if their allocations were recorded, "
	  "else the objects seen in samples", "objects or their size are not known" },
);

int view_profile(struct analysis *a, struct table *t)
{
	struct tally all = { };
	struct dtype **types;
	uint32_t i, nr;
	int ret = 0;

	table_init_columns(t, &profile_columns);
	for (i = 0; i < a->m.nr_types; i++)
		tally_add(&all, &a->m.by_index[i]->sum);
	types = types_by(a, misses_of, &nr);
	if (!types)
		return -1;
	for (i = 0; i < nr && !ret; i++)
		ret = add_type(a, types[i], &all, t);
	free(types);
	return ret;
}
