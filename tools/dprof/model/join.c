// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Merges duplicate types.
 *
 * The kernel may give a cache and site two ids if two CPUs request one at the same time.  The
 * dprof_type events that show this may follow the events that use the ids, so merge at the
 * end of the recording.
 */
#include <stdlib.h>

#include "model.h"
#include "paths.h"

/* The first type with an id. */
struct first {
	uint32_t id, index;
	UT_hash_handle hh;
};

/* Map the index of each type to that of the type it is merged into.  NULL without memory. */
static uint32_t *find_same(struct model *m, bool *any)
{
	uint32_t *to = calloc(m->nr_types + 1, sizeof(*to)), i;
	struct first *all = calloc(m->nr_types + 1, sizeof(*all)), *hash = NULL, *f;

	for (i = 0; to && all && i < m->nr_types; i++) {
		uint32_t id = model_same_type(m, m->by_index[i]->key.id);

		to[i] = i;
		if (id < NR_MEMORY_CLASSES)
			continue;
		HASH_FIND(hh, hash, &id, sizeof(id), f);
		if (f) {
			to[i] = f->index;
			*any = true;
			continue;
		}
		all[i].id = id;
		all[i].index = i;
		f = &all[i];
		HASH_ADD(hh, hash, id, sizeof(f->id), f);
	}
	HASH_CLEAR(hh, hash);
	if (!all) {
		free(to);
		to = NULL;
	}
	free(all);
	return to;
}

static void join(struct dtype *to, struct dtype *t)
{
	int i;

	if (!to->sum.n || (t->sum.n && t->first_sample < to->first_sample))
		to->first_sample = t->first_sample;
	if (t->sum.n && t->last_sample > to->last_sample)
		to->last_sample = t->last_sample;
	for (i = 0; i < NR_SLICES; i++)
		to->slice[i] += t->slice[i];
	tally_add(&to->sum, &t->sum);
	to->seen_alloc |= t->seen_alloc;
	to->allocs += t->allocs;
	to->frees += t->frees;
	to->remote_frees += t->remote_frees;
	to->live += t->live;
	/* Upper bound: the two peaks may have been at the same time. */
	to->peak += t->peak;
	to->lifetimes += t->lifetimes;
	to->lifetime += t->lifetime;
	to->live_time += t->live_time;
	to->histories += t->histories;
	to->unfinished += t->unfinished;
	to->lost += t->lost;
	to->bounced += t->bounced;
	/* Views skip types without samples, allocations and histories. */
	t->sum = (struct tally){ };
	t->seen_alloc = false;
	t->allocs = t->histories = 0;
}

static void join_sites(struct model *m, const uint32_t *to)
{
	struct site *s, *next, *old;
	int i;

	HASH_ITER(hh, m->sites, s, next) {
		if (to[s->key.type] == s->key.type)
			continue;
		HASH_DEL(m->sites, s);
		s->key.type = to[s->key.type];
		HASH_FIND(hh, m->sites, &s->key, sizeof(s->key), old);
		if (!old) {
			HASH_ADD(hh, m->sites, key, sizeof(s->key), s);
			continue;
		}
		tally_add(&old->sum, &s->sum);
		for (i = 0; i < NR_BUCKETS; i++)
			old->bucket[i] += s->bucket[i];
		free(s);
	}
}

static int join_units(struct use *to, const struct use *u)
{
	uint32_t i;
	int k;

	for (i = 0; i < u->nr_units; i++) {
		const struct unit *from = &u->unit[i];
		struct unit *unit = use_unit(to, from->first, from->width, from->ip);

		if (!unit)
			return -1;
		unit->n += from->n;
		unit->loads += from->loads;
		unit->hitm += from->hitm;
		unit->far_hitm += from->far_hitm;
		for (k = 0; k < 3; k++)
			unit->latency[k] += from->latency[k];
		unit->stores += from->stores;
		unit->claims += from->claims;
		unit->known += from->known;
		unit->turns += from->turns;
	}
	return 0;
}

static int join_uses(struct model *m, const uint32_t *to)
{
	struct use *u, *next, *old;
	int l, ret = 0;

	HASH_ITER(hh, m->uses, u, next) {
		if (to[u->key.type] == u->key.type)
			continue;
		HASH_DEL(m->uses, u);
		u->key.type = to[u->key.type];
		HASH_FIND(hh, m->uses, &u->key, sizeof(u->key), old);
		if (!old) {
			HASH_ADD(hh, m->uses, key, sizeof(u->key), u);
			continue;
		}
		old->read |= u->read;
		old->written |= u->written;
		old->n += u->n;
		old->loads += u->loads;
		old->stores += u->stores;
		old->modified += u->modified;
		old->far_modified += u->far_modified;
		old->latency += u->latency;
		old->with_latency += u->with_latency;
		old->l2_stores += u->l2_stores;
		old->known += u->known;
		old->peer += u->peer;
		old->claims += u->claims;
		for (l = LEVEL_L1; l <= LEVEL_L3; l++)
			old->misses[l] += u->misses[l];
		ret |= join_units(old, u);
		free(u->unit);
		free(u);
	}
	return ret;
}

static void join_objects(struct model *m, const uint32_t *to)
{
	struct object *o, *next, *old;

	HASH_ITER(hh, m->objects, o, next) {
		if (to[o->key.type] == o->key.type)
			continue;
		HASH_DEL(m->objects, o);
		o->key.type = to[o->key.type];
		HASH_FIND(hh, m->objects, &o->key, sizeof(o->key), old);
		if (!old) {
			HASH_ADD(hh, m->objects, key, sizeof(o->key), o);
			continue;
		}
		old->allocs += o->allocs;
		free(o);
	}
}

/**
 * model_join_types() - merge types of the same cache and site
 * @m: the model, without open histories
 *
 * Return: 0, or -1 without memory.
 */
int model_join_types(struct model *m)
{
	bool any = false;
	uint32_t *to = find_same(m, &any), i;
	int ret = 0;

	if (!to)
		return -1;
	for (i = 0; any && i < m->nr_types; i++)
		if (to[i] != i)
			join(m->by_index[to[i]], m->by_index[i]);
	if (any) {
		join_sites(m, to);
		ret = join_uses(m, to);
		join_objects(m, to);
		chains_join(m, to);
		ret |= paths_retype(m, to);
	}
	/* Both have the same name; make_names_unique() must not add a suffix to it. */
	for (i = 0; any && i < m->nr_types; i++)
		if (to[i] != i)
			m->by_index[i]->name[0] = '\0';
	free(to);
	return ret;
}
