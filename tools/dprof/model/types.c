// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The types of a model: dprof_type events by id, and the types that other events refer to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

static struct known_type *find_known(const struct model *m, uint32_t id)
{
	struct known_type *k;

	HASH_FIND(hh, m->known, &id, sizeof(id), k);
	return k;
}

/**
 * model_known_type() - find the dprof_type event of a type
 * @m: the model
 * @id: type id of the events
 *
 * Return: the event, or NULL if the recording has none.
 */
const struct type_event *model_known_type(const struct model *m, uint32_t id)
{
	const struct known_type *k = find_known(m, id);

	return k && *k->event.cache ? &k->event : NULL;
}

/**
 * model_class_of() - the class of memory of a type
 * @m: the model
 * @id: type id of the events; the first ids are the classes themselves, with or without event
 *
 * Return: the class, CLASS_UNKNOWN if the recording does not have it.
 */
enum memory_class model_class_of(const struct model *m, uint32_t id)
{
	const struct type_event *e = model_known_type(m, id);

	return id < NR_MEMORY_CLASSES ? id :
	       e && e->class < NR_MEMORY_CLASSES ? e->class : CLASS_UNKNOWN;
}

/**
 * model_type() - get a type
 * @m: the model
 * @id: type id of the events
 * @symbol: address of the variable, if each variable of this id is a type; or 0
 *
 * Return: the type, created if needed, or NULL without memory.
 */
struct dtype *model_type(struct model *m, uint32_t id, uint64_t symbol)
{
	struct dtype key, *t;

	memset(&key.key, 0, sizeof(key.key));
	key.key.id = id;
	key.key.symbol = symbol;
	HASH_FIND(hh, m->types, &key.key, sizeof(key.key), t);
	if (t)
		return t;
	if (m->nr_types == m->types_capacity) {
		uint32_t capacity = m->types_capacity * 2 + 256;
		struct dtype **by_index = realloc(m->by_index, capacity * sizeof(*by_index));

		if (!by_index)
			return NULL;
		m->by_index = by_index;
		m->types_capacity = capacity;
	}
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->key = key.key;
	t->index = m->nr_types;
	m->by_index[m->nr_types++] = t;
	HASH_ADD(hh, m->types, key, sizeof(t->key), t);
	return t;
}

/* Get the site of a type, and update its smallest id.  Return NULL without memory. */
static struct type_site *find_site(struct model *m, const struct type_event *e)
{
	struct type_site key, *site;

	memset(&key.key, 0, sizeof(key.key));
	key.key.line = e->line;
	key.key.class = e->class;
	snprintf(key.key.cache, sizeof(key.key.cache), "%s", e->cache);
	snprintf(key.key.func, sizeof(key.key.func), "%s", e->func);
	snprintf(key.key.file, sizeof(key.key.file), "%s", e->file);
	snprintf(key.key.module, sizeof(key.key.module), "%s", e->module);
	HASH_FIND(hh, m->type_sites, &key.key, sizeof(key.key), site);
	if (!site) {
		site = calloc(1, sizeof(*site));
		if (!site)
			return NULL;
		site->key = key.key;
		site->id = e->id;
		HASH_ADD(hh, m->type_sites, key, sizeof(site->key), site);
	}
	if (e->id < site->id)
		site->id = e->id;
	return site;
}

/**
 * model_add_type() - add a dprof_type event
 * @m: the model
 * @e: the event
 *
 * Return: 0, or -1 without memory.
 */
int model_add_type(struct model *m, const struct type_event *e)
{
	struct known_type *k = find_known(m, e->id);

	if (!k) {
		k = calloc(1, sizeof(*k));
		if (!k)
			return -1;
		k->event.id = e->id;
		HASH_ADD(hh, m->known, event.id, sizeof(k->event.id), k);
	}
	k->event = *e;
	if (e->id < NR_MEMORY_CLASSES)
		return 0;
	k->site = find_site(m, e);
	return k->site ? 0 : -1;
}

/**
 * model_same_type() - find the canonical id of a type
 * @m: the model
 * @id: type id of the events
 *
 * The kernel may assign two ids if two CPUs request one at the same time, and emit their
 * dprof_type events in any order.
 *
 * Return: the smallest id of the same cache and site.
 */
uint32_t model_same_type(const struct model *m, uint32_t id)
{
	const struct known_type *k = find_known(m, id);

	return k && k->site ? k->site->id : id;
}
