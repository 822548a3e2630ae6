// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Chooses what to record histories of, from samples: the types whose misses cost most, and
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

/* What samples know of the cost of accesses; the same for all types, so that they compare. */
enum basis { BY_LATENCY, BY_MISSES, BY_SAMPLES };

static enum basis find_basis(const struct model *m)
{
	uint64_t known = 0, with_latency = 0;
	int l;

	for (l = 0; l < NR_LEVELS; l++) {
		known += l == LEVEL_UNKNOWN ? 0 : m->by_level[l].n;
		with_latency += m->by_level[l].with_latency;
	}
	return with_latency ? BY_LATENCY : known ? BY_MISSES : BY_SAMPLES;
}

static uint64_t score(const struct dtype *t, enum basis basis)
{
	return basis == BY_LATENCY ? t->sum.latency :
	       basis == BY_MISSES ? tally_misses(&t->sum, LEVEL_L1) : t->sum.n;
}

struct scored {
	struct dtype *type;
	uint64_t score;
};

static int by_score(const void *a, const void *b)
{
	const struct scored *x = a, *y = b;

	return x->score != y->score ? x->score > y->score ? -1 : 1 : strcmp(x->type->name, y->type->name);
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

/* Types of which fewer are allocated go to the end.  Return the number of others; 0: of all, or none. */
static uint32_t put_rare_last(struct scored *types, uint32_t nr, uint32_t min_allocs)
{
	struct scored *rare = malloc((nr + 1) * sizeof(*rare));
	uint32_t i, often = 0, nr_rare = 0;

	for (i = 0; rare && i < nr; i++) {
		if (types[i].type->allocs >= min_allocs)
			types[often++] = types[i];
		else
			rare[nr_rare++] = types[i];
	}
	if (nr_rare)
		memcpy(types + often, rare, nr_rare * sizeof(*rare));
	free(rare);
	return often;
}

/* The types that cost more than one that is chosen, and are allocated too rarely. */
static void name_rare(struct choice *c, const struct scored *types, uint32_t often, uint32_t nr)
{
	size_t used = 0;
	uint32_t i;

	for (i = often; i < nr && types[i].score > types[0].score && used < sizeof(c->rare); i++)
		used += snprintf(c->rare + used, sizeof(c->rare) - used, "%s%s", used ? " " : "", types[i].type->name);
}

/**
 * choose() - choose what to record histories of
 * @m: the model of a recording of samples, after model_end()
 * @nr_types: maximum number of types
 * @nr_offsets: maximum number of offsets of each type
 * @length: bytes that are watched at an offset
 * @min_allocs: a history begins with an allocation: leave out types of which fewer objects were
 *	allocated, unless that is true of all
 * @c: the choice; empty if no slab type has samples with latency; without latencies, misses;
 *	without levels, samples
 *
 * Return: the number of types, or -1 without memory.
 */
int choose(struct model *m, int nr_types, int nr_offsets, uint32_t length, uint32_t min_allocs,
	   struct choice *c)
{
	struct scored *types = malloc((m->nr_types + 1) * sizeof(*types));
	const enum basis basis = find_basis(m);
	uint32_t offset[64], i, nr = 0, often;
	int n = 0, words, a, b;

	memset(c, 0, sizeof(*c));
	if (!types)
		return -1;
	for (i = 0; i < m->nr_types; i++) {
		struct dtype *t = m->by_index[i];

		if (has_objects(t) && score(t, basis))
			types[nr++] = (struct scored){ t, score(t, basis) };
	}
	qsort(types, nr, sizeof(*types), by_score);
	often = put_rare_last(types, nr, min_allocs);
	if (often) {
		name_rare(c, types, often, nr);
		nr = often;
	}
	for (i = 0; i < nr && n < nr_types; i++) {
		const struct type_event *e = &types[i].type->event;
		size_t used = strlen(c->types);

		if (snprintf(c->types + used, sizeof(c->types) - used, "%s%s%s%s", used ? " " : "",
			     e->cache, *e->func ? ":" : "", e->func) >= (int)(sizeof(c->types) - used)) {
			c->types[used] = '\0';
			break;
		}
		words = top_words(m, types[i].type, length, offset, nr_offsets < 64 ? nr_offsets : 64);
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
