// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * The structs that code accesses in objects whose allocation does not tell one: headers in packets,
 * structs in pages and on stacks.
 *
 * What an instruction accesses is what the variable in its base register points to.
 */
#include <stdlib.h>
#include <string.h>

#include "dprof/structs/dwarf.h"
#include "view.h"

/*
 * Samples of an instruction at an offset of a type; or of a field of a struct.
 * @name: of the struct, or NO_STRUCT; "": not known
 * @in: offset in the struct
 * @at: offset of the struct in the object; of a field, that with the most samples, which are @of_at
 * @ip: the instruction; of a field, that with the most samples, which are @of_ip
 */
struct access {
	const struct dtype *type;
	char name[64];
	uint32_t in;
	int64_t at;
	uint64_t ip, of_ip, of_at;
	struct tally sum;
};

/* What an instruction accesses; the last one is kept, as a copy has a site for each offset. */
struct last {
	const struct site *site;
	char name[64];
	uint32_t in;
};

static void find_struct(struct analysis *a, const struct site *site, bool on_stack, struct last *last)
{
	struct dwarf_code code;

	if (last->site && last->site->key.type == site->key.type && last->site->key.ip == site->key.ip)
		return;
	last->site = site;
	last->name[0] = '\0';
	last->in = 0;
	if (!place_function(&a->m, site->key.ip, &code))
		return;
	if (dwarf_moves_bytes(a->l.dwarf, &code))
		strcpy(last->name, NO_STRUCT);
	else if (dwarf_access(a->l.dwarf, &code, on_stack, last->name, sizeof(last->name), &last->in))
		last->name[0] = '\0';
}

/* Objects without a struct; variables have a type. */
static bool is_shown(const struct analysis *a, const struct dtype *t)
{
	if (a->selected)
		return a->selected[t->index];
	return t->event.class != CLASS_USER && !t->key.symbol &&
	       (!*t->struct_name || !strcmp(t->struct_name, NO_STRUCT) || !strcmp(t->struct_name, STACK_STRUCT));
}

static bool has_struct(const struct access *x)
{
	return *x->name && strcmp(x->name, NO_STRUCT) != 0;
}

static int by_field(const void *a, const void *b)
{
	const struct access *x = a, *y = b;

	if (x->type != y->type)
		return x->type->index < y->type->index ? -1 : 1;
	if (strcmp(x->name, y->name))
		return strcmp(x->name, y->name);
	return x->in < y->in ? -1 : x->in > y->in;
}

static int by_place(const void *a, const void *b)
{
	const struct access *x = a, *y = b;

	return by_field(a, b) ? by_field(a, b) : x->at < y->at ? -1 : x->at > y->at;
}

static int by_ip(const void *a, const void *b)
{
	const struct access *x = a, *y = b;

	return by_field(a, b) ? by_field(a, b) : x->ip < y->ip ? -1 : x->ip > y->ip;
}

static enum level sorted_by;

/* Those with a struct first. */
static int by_misses(const void *a, const void *b)
{
	const struct access *x = a, *y = b;
	const uint64_t m = tally_misses(&x->sum, sorted_by), n = tally_misses(&y->sum, sorted_by);

	if (has_struct(x) != has_struct(y))
		return has_struct(x) ? -1 : 1;
	if (m != n)
		return m > n ? -1 : 1;
	if (x->sum.n != y->sum.n)
		return x->sum.n > y->sum.n ? -1 : 1;
	return by_field(a, b);
}

/* Add up what is equal; return the number of what is left, in the same order. */
static size_t add_up(struct access *x, size_t n, int (*order)(const void *, const void *))
{
	size_t i, to = 0;

	for (i = 1; i < n; i++) {
		if (order(&x[to], &x[i]))
			x[++to] = x[i];
		else
			tally_add(&x[to].sum, &x[i].sum);
	}
	return n ? to + 1 : 0;
}

/* Set the instruction with the most samples of each field, and where most structs begin. */
static struct access *find_fields(struct access *x, size_t n, size_t *nr)
{
	struct access *field = malloc((n + 1) * sizeof(*field));
	size_t i, f, left;

	if (!field)
		return NULL;
	memcpy(field, x, n * sizeof(*field));
	qsort(field, n, sizeof(*field), by_ip);
	left = add_up(field, n, by_ip);
	for (i = 0, f = 0; i < left; i++) {
		if (by_field(&field[f], &field[i]))
			f = i;
		if (field[i].sum.n > field[f].of_ip) {
			field[f].of_ip = field[i].sum.n;
			field[f].ip = field[i].ip;
		}
	}
	*nr = add_up(field, left, by_field);

	qsort(x, n, sizeof(*x), by_place);
	left = add_up(x, n, by_place);
	for (i = 0, f = 0; i < left; i++) {
		f += by_field(&field[f], &x[i]) != 0;
		if (x[i].sum.n > field[f].of_at) {
			field[f].of_at = x[i].sum.n;
			field[f].at = x[i].at;
		}
	}
	return field;
}

/* The fields that are accessed; the caller frees them.  NULL without memory. */
static struct access *find_accesses(struct analysis *a, struct tally *all, size_t *nr)
{
	struct access *x = calloc(a->m.nr_sites + 1, sizeof(*x)), *fields = NULL;
	struct last last = { };
	size_t i, n = 0;

	for (i = 0; x && i < a->m.nr_sites; i++) {
		const struct site *site = a->m.by_site[i];
		const struct dtype *t = a->m.by_index[site->key.type];

		tally_add(all, &site->sum);
		if (!is_shown(a, t))
			continue;
		find_struct(a, site, t->event.class == CLASS_STACK, &last);
		x[n] = (struct access){ .type = t, .in = last.in, .at = (int64_t)site->key.offset - last.in,
					.ip = site->key.ip, .sum = site->sum };
		strcpy(x[n++].name, last.name);
	}
	if (x)
		fields = find_fields(x, n, nr);
	free(x);
	return fields;
}

const struct columns structs_columns = COLUMNS(
	{ "type", CELL_TEXT, 0, "", "type of data, or class of memory" },
	{ "struct", CELL_TEXT, 0, "",
	  "struct or union that the code accesses there; " NO_STRUCT ": it copies, clears or checksums",
	  "no variable is known to point to what is accessed" },
	{ "field", CELL_TEXT, 0, "", "its field", "no struct, or a union" },
	{ "at_bytes", CELL_INT, 0, "bytes", "where the struct begins in the object, in most samples", "no struct" },
	{ "at_pct", CELL_REAL, 1, "%", "samples in which it begins there, of those of the row", "no struct" },
	{ "samples", CELL_INT, 0, "samples", "sampled accesses of the field" },
	{ "samples_pct", CELL_REAL, 2, "%", "these, of all samples" },
	ACCESS_COLUMNS,
	MISS_COLUMNS,
	MISSES_PCT_COLUMN("all samples"),
	LATENCY_COLUMN,
	{ "code", CELL_TEXT, 0, "", "instruction with most of these samples" },
);

static int add_row(struct analysis *a, const struct access *x, const struct tally *all, struct table *t)
{
	const bool is_struct = has_struct(x);
	const struct layout *layout = is_struct ? layouts_find(&a->l, x->name) : NULL;
	const struct tally *s = &x->sum;
	const bool known = tally_known(s);
	char field[256], place[256];

	place_name(&a->m, &a->l, x->ip, place, sizeof(place));
	layouts_field_name(&a->l, x->name, x->in, 0, field, sizeof(field));
	const struct cell row[] = {
		TEXT_CELL(x->type->name), *x->name ? TEXT_CELL(x->name) : NONE_CELL,
		layout && layout->size ? TEXT_CELL(field) : NONE_CELL, is_struct ? INT_CELL(x->at) : NONE_CELL,
		is_struct ? share_cell(x->of_at, s->n) : NONE_CELL,
		INT_CELL(s->n), share_cell(s->n, all->n), INT_CELL(s->loads), INT_CELL(s->stores),
		MISS_CELLS(s, known),
		share_cell(tally_misses(s, a->level), tally_misses(all, a->level)),
		s->with_latency ? REAL_CELL(tally_latency(s)) : NONE_CELL,
		TEXT_CELL(place),
	};

	return table_add(t, row);
}

int view_structs(struct analysis *a, struct table *t)
{
	struct tally all = { };
	struct access *x;
	size_t nr = 0, i;
	int ret = 0;

	table_init_columns(t, &structs_columns);
	x = find_accesses(a, &all, &nr);
	if (!x)
		return -1;
	sorted_by = a->level;
	qsort(x, nr, sizeof(*x), by_misses);
	for (i = 0; i < nr && !ret && (!a->top || i < a->top); i++)
		ret = add_row(a, &x[i], &all, t);
	free(x);
	return ret;
}
