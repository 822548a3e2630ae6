// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Chooses what to record histories of, from samples: the types with the most misses, and
 * pairs of their most accessed offsets (sections 4.3 and 5.4 of the paper).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choose.h"

/* The kernel reports allocations of slab objects, not of pages. */
static bool has_objects(const struct dtype *t)
{
	return (t->event.class == CLASS_SLAB || t->event.class == CLASS_KMALLOC) &&
		*t->event.cache && t->event.size;
}

static uint64_t score(const struct dtype *t)
{
	/* Misses if the samples have cache levels, else accesses. */
	return tally_known(&t->sum) ? tally_misses(&t->sum, LEVEL_L1) : t->sum.n;
}

static int by_score(const void *a, const void *b)
{
	const struct dtype *x = *(struct dtype * const *)a, *y = *(struct dtype * const *)b;
	uint64_t sx = score(x), sy = score(y);

	return sx != sy ? sx > sy ? -1 : 1 : strcmp(x->name, y->name);
}

struct word {
	uint32_t offset;
	uint64_t samples;
};

static int by_samples(const void *a, const void *b)
{
	const struct word *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Find the words of a type with the most samples.  Return their number, or -1 without memory. */
static int top_words(struct model *m, const struct dtype *t, uint32_t length, uint32_t *offset,
		     int max)
{
	uint32_t nr = t->event.size / length, i;
	struct word *words = calloc(nr + 1, sizeof(*words));
	size_t k;
	int n = 0;

	if (!words)
		return -1;
	for (i = 0; i < nr; i++)
		words[i].offset = i * length;
	for (k = model_sites(m, t->index, 0); k < m->nr_sites && m->by_site[k]->key.type == t->index;
	     k++)
		if (m->by_site[k]->key.offset / length < nr)
			words[m->by_site[k]->key.offset / length].samples += m->by_site[k]->sum.n;
	qsort(words, nr, sizeof(*words), by_samples);
	for (i = 0; i < nr && n < max && words[i].samples; i++)
		offset[n++] = words[i].offset;
	free(words);
	return n;
}

/* Append a group of offsets unless the choice has it. */
static void add_group(struct choice *c, uint32_t a, uint32_t b, bool pair)
{
	char group[40], *found;
	size_t n = strlen(c->offsets), k;

	if (pair && a > b) {
		uint32_t t = a;

		a = b;
		b = t;
	}
	snprintf(group, sizeof(group), pair ? "%u,%u" : "%u", a, b);
	k = strlen(group);
	for (found = c->offsets; (found = strstr(found, group)); found++)
		if ((found == c->offsets || found[-1] == ' ') && (!found[k] || found[k] == ' '))
			return;
	if (n + k + 2 <= sizeof(c->offsets))
		sprintf(c->offsets + n, "%s%s", n ? " " : "", group);
}

/**
 * choose() - choose what to record histories of
 * @m: the model of a recording of samples, after model_end()
 * @nr_types: maximum number of types
 * @nr_offsets: maximum number of offsets of each type
 * @length: bytes that are watched at an offset
 * @c: the choice; empty if no slab type has misses (samples, if they have no levels)
 *
 * Return: the number of types, or -1 without memory.
 */
int choose(struct model *m, int nr_types, int nr_offsets, uint32_t length, struct choice *c)
{
	struct dtype **types = malloc((m->nr_types + 1) * sizeof(*types));
	uint32_t offset[64], i, nr = 0;
	int n = 0, words, a, b;

	memset(c, 0, sizeof(*c));
	if (!types)
		return -1;
	for (i = 0; i < m->nr_types; i++)
		if (has_objects(m->by_index[i]) && score(m->by_index[i]))
			types[nr++] = m->by_index[i];
	qsort(types, nr, sizeof(*types), by_score);
	for (i = 0; i < nr && n < nr_types; i++) {
		const struct type_event *e = &types[i]->event;
		size_t used = strlen(c->types);

		if (snprintf(c->types + used, sizeof(c->types) - used, "%s%s%s%s", used ? " " : "",
			     e->cache, *e->func ? ":" : "", e->func) >= (int)(sizeof(c->types) - used)) {
			c->types[used] = '\0';
			break;
		}
		words = top_words(m, types[i], length, offset, nr_offsets < 64 ? nr_offsets : 64);
		if (words < 0) {
			free(types);
			return -1;
		}
		for (a = 0; a < words; a++)
			for (b = a + 1; b < words; b++)
				add_group(c, offset[a], offset[b], true);
		if (words == 1)
			add_group(c, offset[0], 0, false);
		n++;
	}
	free(types);
	return n;
}
