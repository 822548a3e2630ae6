// SPDX-License-Identifier: GPL-2.0
/* The types of a model: what the kernel told of them, and one for each that has samples. */
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* Ids are small numbers; one that is not is damage. */
#define MAX_TYPE_ID	(1U << 24)

/**
 * model_known_type() - what the kernel told of a type
 * @m: the model
 * @id: as the events call it
 *
 * Return: that, or NULL if it was not told, or lost.
 */
const struct type_event *model_known_type(const struct model *m, uint32_t id)
{
	return id < m->nr_known && *m->known[id].cache ? &m->known[id] : NULL;
}

/**
 * model_class_of() - the class of memory of a type
 * @m: the model
 * @id: as the events call it; the first ids are the classes themselves, told or not
 *
 * Return: the class, CLASS_UNKNOWN if it was not told.
 */
enum memory_class model_class_of(const struct model *m, uint32_t id)
{
	const struct type_event *e = model_known_type(m, id);

	return id < NR_MEMORY_CLASSES ? id :
	       e && e->class < NR_MEMORY_CLASSES ? e->class : CLASS_UNKNOWN;
}

/**
 * model_type() - a type
 * @m: the model
 * @id: as the events call it
 * @symbol: address of the variable, of types that are made of them; or 0
 *
 * Return: the type, new if it has to be, or NULL without memory.
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
	if (m->nr_types == m->types_room) {
		uint32_t room = m->types_room * 2 + 256;
		struct dtype **by_index = realloc(m->by_index, room * sizeof(*by_index));

		if (!by_index)
			return NULL;
		m->by_index = by_index;
		m->types_room = room;
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

static bool same_type(const struct type_event *a, const struct type_event *b)
{
	return a->class == b->class && a->line == b->line && !strcmp(a->cache, b->cache) &&
	       !strcmp(a->func, b->func) && !strcmp(a->file, b->file) &&
	       !strcmp(a->module, b->module);
}

/**
 * model_add_type() - keep what the kernel tells of a type
 * @m: the model
 * @e: that
 *
 * Return: 0, or -1 without memory.
 */
int model_add_type(struct model *m, const struct type_event *e)
{
	uint32_t i, first = 0;

	if (e->id > MAX_TYPE_ID)
		return 0;
	if (e->id >= m->nr_known) {
		uint32_t nr = e->id + e->id / 2 + 256;
		struct type_event *known = realloc(m->known, nr * sizeof(*known));
		uint32_t *same = known ? realloc(m->same_as, nr * sizeof(*same)) : NULL;

		if (known)
			m->known = known;
		if (!same)
			return -1;
		memset(known + m->nr_known, 0, (nr - m->nr_known) * sizeof(*known));
		memset(same + m->nr_known, 0, (nr - m->nr_known) * sizeof(*same));
		m->same_as = same;
		m->nr_known = nr;
	}
	m->known[e->id] = *e;
	/* The kernel may give two CPUs that ask at once two ids. */
	for (i = NR_MEMORY_CLASSES; i < m->nr_known; i++) {
		if (!same_type(&m->known[i], e))
			continue;
		/* Ids are told in any order: all of them are the smallest. */
		if (!first)
			first = i;
		m->same_as[i] = first;
	}
	return 0;
}
