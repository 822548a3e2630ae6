// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Cells and labels that several views share. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

/**
 * share_cell() - make a cell of a share in percent
 * @part: the numerator
 * @whole: the denominator
 *
 * Return: the cell; empty if @whole is not positive.
 */
struct cell share_cell(double part, double whole)
{
	return whole > 0 ? REAL_CELL(100 * part / whole) : NONE_CELL;
}

/**
 * level_cell() - make a cell of the level that served most accesses
 * @t: samples of the accesses
 * @buf: set to the text, such as 95% peer
 * @size: of @buf
 *
 * Return: the cell; empty if no sample has a level.
 */
struct cell level_cell(const struct tally *t, char *buf, size_t size)
{
	int l, best = LEVEL_L1;

	if (!tally_known(t))
		return NONE_CELL;
	for (l = LEVEL_L1; l < NR_LEVELS; l++)
		if (t->level[l] > t->level[best])
			best = l;
	snprintf(buf, size, "%.0f%% %s", 100.0 * t->level[best] / tally_known(t), level_name[best]);
	return TEXT_CELL(buf);
}

/**
 * type_label() - name a type in a table
 * @t: the type
 *
 * Return: its name.
 */
const char *type_label(const struct dtype *t)
{
	return t->name;
}

/**
 * field_label() - name the field at an offset in a table
 * @a: the analysis
 * @type: index of the type
 * @offset: in the type; outside of it, in a neighboring object
 * @buf: set to the name
 * @size: of @buf
 */
void field_label(struct analysis *a, uint32_t type, int64_t offset, char *buf, size_t size)
{
	const struct dtype *t = a->m.by_index[type];

	if (offset < 0)
		snprintf(buf, size, "-0x%" PRIx64, -offset);
	else
		layouts_field_name(&a->l, t->struct_name, offset, t->size, buf, size);
}

/**
 * type_bounces() - test whether several CPUs use the objects of a type
 * @a: the analysis, with traces
 * @t: the type
 *
 * Return: true if a path trace changes CPU, an object was freed on another CPU than it was
 * allocated on, or a sample hit modified data in another CPU's cache.
 */
bool type_bounces(const struct analysis *a, const struct dtype *t)
{
	size_t i;

	if (t->remote_frees || t->sum.modified)
		return true;
	for (i = 0; i < a->t.nr; i++)
		if (a->t.trace[i].type == t->index && trace_bounces(&a->t.trace[i]))
			return true;
	return false;
}

struct keyed {
	struct dtype *type;
	double key;
};

static int by_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	return strcmp(x->type->name, y->type->name);
}

/**
 * types_by() - select and sort the types that a view shows
 * @a: the analysis
 * @key: sort key, descending; types with a key of 0 or less are left out
 * @nr: set to the number of types
 *
 * Return: the types, in an array that the caller frees, or NULL without memory.
 */
struct dtype **types_by(struct analysis *a, double (*key)(struct analysis *a, const struct dtype *t),
			uint32_t *nr)
{
	struct keyed *keyed = malloc((a->m.nr_types + 1) * sizeof(*keyed));
	struct dtype **types = malloc((a->m.nr_types + 1) * sizeof(*types));
	uint32_t i, n = 0;

	*nr = 0;
	if (!keyed || !types) {
		free(keyed);
		free(types);
		return NULL;
	}
	for (i = 0; i < a->m.nr_types; i++) {
		struct dtype *t = a->m.by_index[i];
		double k = analysis_selects(a, t) ? key(a, t) : 0;

		if (k > 0)
			keyed[n++] = (struct keyed){ t, k };
	}
	qsort(keyed, n, sizeof(*keyed), by_key);
	*nr = a->top && n > a->top ? a->top : n;
	for (i = 0; i < *nr; i++)
		types[i] = keyed[i].type;
	free(keyed);
	return types;
}
