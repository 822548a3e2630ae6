// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The working set (section 3.2 of the paper): the contents of the simulated cache. */
#include <stdlib.h>

#include "view.h"

static double lines_of(struct analysis *a, const struct dtype *t)
{
	return a->sim.type[t->index].lines;
}

/* Types of the address set without simulated accesses come last, sorted by memory. */
static double lines_or_memory(struct analysis *a, const struct dtype *t)
{
	double lines = lines_of(a, t);

	if (lines > 0 || !t->seen_alloc)
		return lines;
	/* Smaller than the key of one line in one snapshot of the simulation. */
	return 1e-15 * (1 + analysis_objects(a, t) * t->size);
}

/*
 * Count the sets that a type's lines lie in, its lines, and its lines in crowded sets: those
 * with more lines than ways and more than twice the average.  Return 0, or -1 without memory.
 */
static int sets_of(const struct sim *s, uint32_t type, uint32_t *sets, uint64_t *lines,
		    uint64_t *crowded)
{
	bool *has = calloc(s->sets, sizeof(*has));
	const struct sim_seen *l;
	uint64_t sum = 0;
	uint32_t i;

	*sets = 0;
	*lines = *crowded = 0;
	if (!has)
		return -1;
	for (i = 0; i < s->sets; i++)
		sum += s->set_lines[i];
	for (l = s->lines; l; l = l->hh.next) {
		uint64_t n = s->set_lines[l->key.set];

		if (l->key.type != type)
			continue;
		++*lines;
		*crowded += n > s->options.geometry.ways && n * s->sets > 2 * sum;
		if (!has[l->key.set]) {
			has[l->key.set] = true;
			++*sets;
		}
	}
	free(has);
	return 0;
}

/* Name the path that brings in the most lines of a type. */
static void top_path(struct analysis *a, const struct dtype *d, char *buf, size_t size)
{
	const struct sim_type *st = &a->sim.type[d->index];
	size_t i, best = 0;
	const struct trace *t;
	char from[64], to[64];

	for (i = 1; i < st->nr_traces; i++)
		if (st->trace_lines[i] > st->trace_lines[best])
			best = i;
	t = &a->t.trace[st->first_trace + best];
	snprintf(buf, size, "%zu: %s..%s", best + 1,
		 symbols_name(&a->m.symbols, t->alloc_ip, from, sizeof(from)),
		 t->how == HISTORY_FREED ?
		 symbols_name(&a->m.symbols, t->free_ip, to, sizeof(to)) : "(not freed)");
}

static int add_type(struct analysis *a, const struct dtype *d, double all, struct table *t)
{
	const struct sim_type *st = &a->sim.type[d->index];
	double objects = analysis_objects(a, d), seconds = model_seconds(&a->m);
	uint64_t lines, crowded;
	uint32_t sets;
	char path[256];

	if (sets_of(&a->sim, d->index, &sets, &lines, &crowded))
		return -1;
	if (st->nr_traces)
		top_path(a, d, path, sizeof(path));
	const struct cell row[] = {
		TEXT_CELL(type_label(d)),
		d->size ? INT_CELL(d->size) : NONE_CELL,
		objects >= 0 ? REAL_CELL(objects) : NONE_CELL,
		d->seen_alloc ? INT_CELL(d->peak) : NONE_CELL,
		objects >= 0 && d->size ? INT_CELL(objects * d->size + 0.5) : NONE_CELL,
		d->seen_alloc && seconds > 0 ? REAL_CELL(d->allocs / seconds) : NONE_CELL,
		d->lifetimes ? REAL_CELL(d->lifetime / 1e3 / d->lifetimes) : NONE_CELL,
		/* The CPU of an allocation before the recording is not known. */
		d->lifetimes ? share_cell(d->remote_frees, d->lifetimes) : NONE_CELL,
		REAL_CELL(st->lines),
		share_cell(st->lines, all),
		REAL_CELL(st->objects),
		REAL_CELL(st->peak_lines),
		INT_CELL(lines),
		INT_CELL(sets),
		share_cell(crowded, lines),
		st->nr_traces ? TEXT_CELL(path) : NONE_CELL,
	};

	return table_add(t, row);
}

const struct columns workingset_columns = COLUMNS(
	{ "type", CELL_TEXT, 0, "", "type of data" },
	{ "size_bytes", CELL_INT, 0, "bytes", "size of an object", "not known" },
	{ "live_objects", CELL_REAL, 1, "objects",
	  "live objects: mean over the recording if allocations were recorded, else the "
	  "objects seen in samples", "objects cannot be distinguished" },
	{ "live_peak", CELL_INT, 0, "objects",
	  "the most live objects at a time", "allocations were not recorded" },
	{ "live_bytes", CELL_INT, 0, "bytes",
	  "live_objects times size_bytes", "one of them is not known" },
	{ "allocs_per_s", CELL_REAL, 1, "1/s",
	  "allocations a second", "allocations were not recorded" },
	{ "lifetime_us", CELL_REAL, 1, "us",
	  "mean time from allocation to free, of objects whose both are in the recording",
	  "there is none" },
	{ "remote_frees_pct", CELL_REAL, 1, "%",
	  "of these objects, those that another CPU freed than allocated", "there is none" },
	{ "cached_lines", CELL_REAL, 1, "lines",
	  "lines of the type in the simulated cache, mean over time" },
	{ "cached_pct", CELL_REAL, 2, "%",
	  "these, of the lines of all types", "the simulated cache stays empty" },
	{ "cached_objects", CELL_REAL, 1, "objects",
	  "objects with a line in the simulated cache, mean over time" },
	{ "cached_peak_lines", CELL_REAL, 0, "lines",
	  "the most lines of the type in the simulated cache" },
	{ "used_lines", CELL_INT, 0, "lines",
	  "different lines that the type brought into the simulated cache" },
	{ "sets", CELL_INT, 0, "sets", "associativity sets that these lines lie in" },
	{ "crowded_pct", CELL_REAL, 1, "%",
	  "of these lines, those in sets with more lines than ways and more than twice the "
	  "average", "used_lines is 0" },
	{ "path", CELL_TEXT, 0, "",
	  "path trace that brings in the most lines: its number, first and last function",
	  "the type has no histories" },
);

int view_workingset(struct analysis *a, struct table *t)
{
	struct dtype **types;
	uint32_t i, nr;
	double all = 0;
	int ret = 0;

	table_init_columns(t, &workingset_columns);
	for (i = 0; i < a->m.nr_types; i++)
		all += a->sim.type[i].lines;
	types = types_by(a, lines_or_memory, &nr);
	if (!types)
		return -1;
	for (i = 0; i < nr && !ret; i++)
		ret = add_type(a, types[i], all, t);
	free(types);
	return ret;
}

/* Lines and objects of a type in each set. */
static void count_sets(const struct sim *s, uint32_t type, uint32_t *lines, uint32_t *objects)
{
	const struct sim_seen *l;

	for (l = s->lines; l; l = l->hh.next)
		lines[l->key.set] += l->key.type == type;
	for (l = s->objects; l; l = l->hh.next)
		objects[l->key.set] += l->key.type == type;
}

const struct columns sets_columns = COLUMNS(
	{ "set", CELL_INT, 0, "", "index of the associativity set" },
	{ "type", CELL_TEXT, 0, "", "type of data" },
	{ "lines", CELL_INT, 0, "lines", "different lines of the type in the set" },
	{ "objects", CELL_INT, 0, "objects", "objects of the type with a line in the set" },
	{ "lines_all", CELL_INT, 0, "lines", "different lines of all types in the set" },
);

/* A row for each set and type (Figure 1 of the paper). */
int view_sets(struct analysis *a, struct table *t)
{
	const struct sim *s = &a->sim;
	struct dtype **types;
	uint32_t i, k, nr;
	int ret = 0;

	table_init_columns(t, &sets_columns);
	types = types_by(a, lines_of, &nr);
	if (!types)
		return -1;
	for (i = 0; i < nr && !ret; i++) {
		uint32_t *lines = calloc(2 * s->sets, sizeof(*lines));

		if (!lines) {
			ret = -1;
			break;
		}
		count_sets(s, types[i]->index, lines, lines + s->sets);
		for (k = 0; k < s->sets && !ret; k++) {
			const struct cell row[] = {
				INT_CELL(k), TEXT_CELL(type_label(types[i])), INT_CELL(lines[k]),
				INT_CELL(lines[s->sets + k]), INT_CELL(s->set_lines[k]),
			};

			/* Report empty sets, too, if --type selects one type: gaps matter. */
			if (lines[k] || a->only)
				ret = table_add(t, row);
		}
		free(lines);
	}
	free(types);
	return ret;
}
