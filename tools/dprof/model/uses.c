// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Samples by cache line, object and CPU, and by accessed bytes. */
#include <stdlib.h>
#include <string.h>

#include "lib/perf/data_src.h"
#include "model.h"

/**
 * use_coherent() - number of misses that other CPUs caused
 * @u: samples of a CPU in a line
 * @level: the level that misses are counted for
 *
 * Return: the number.
 */
uint64_t use_coherent(const struct use *u, enum level level)
{
	return u->peer + (level < LEVEL_L3 ? u->claimed : 0);
}

/**
 * use_unit() - get the samples of an instruction at some bytes
 * @u: samples of a CPU in a line
 * @first: offset of the first byte in the line
 * @width: number of bytes
 * @ip: the instruction
 *
 * Return: the samples, created with a count of 0 if needed, or NULL without memory.
 */
struct unit *use_unit(struct use *u, unsigned int first, unsigned int width, uint64_t ip)
{
	struct unit *grown;
	uint32_t i;

	for (i = 0; i < u->nr_units; i++)
		if (u->unit[i].first == first && u->unit[i].width == width && u->unit[i].ip == ip)
			return &u->unit[i];
	grown = realloc(u->unit, (u->nr_units + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	u->unit = grown;
	grown[u->nr_units] = (struct unit){ .first = first, .width = width, .ip = ip };
	return &grown[u->nr_units++];
}

/**
 * unit_bytes() - mask of the accessed bytes of a line
 * @unit: samples of some bytes
 *
 * Return: the mask, a bit per byte.
 */
uint64_t unit_bytes(const struct unit *unit)
{
	return (unit->width == LINE ? ~0ULL : (1ULL << unit->width) - 1) << unit->first;
}

/**
 * sample_is_claim() - test for a read-modify-write with data from the L3
 * @s: a sample
 * @level: its level
 *
 * Return: true if the access may have invalidated other CPUs' copies, see claims.c.
 */
bool sample_is_claim(const struct sample_event *s, enum level level)
{
	return s->op == (OP_LOAD | OP_STORE) && level == LEVEL_L3;
}

/* An access across two lines counts for the first line only. */
static int add_unit(struct use *u, const struct sample_event *s, enum level level, bool handed_over)
{
	unsigned int first = s->addr % LINE, width = s->width ? s->width : 1;
	const struct data_src src = data_src_decode(s->data_src);
	struct unit *unit = use_unit(u, first, width > LINE - first ? LINE - first : width, s->ip);

	if (!unit)
		return -1;
	unit->n++;
	unit->loads += !!(s->op & OP_LOAD);
	unit->hitm += src.modified;
	unit->far_hitm += src.modified && src.remote;
	if (src.modified || s->op & OP_LOAD)
		unit->latency[!src.modified ? 2 : src.remote ? 1 : 0] += s->latency;
	unit->known += level != LEVEL_UNKNOWN;
	unit->turns += handed_over;
	unit->claims += sample_is_claim(s, level);
	if (s->op & OP_STORE) {
		u->written |= unit_bytes(unit);
		unit->stores++;
	}
	if (s->op & OP_LOAD || !s->op)
		u->read |= unit_bytes(unit);
	return 0;
}

/**
 * uses_add() - add a sample
 * @m: the model
 * @e: the sample
 * @t: its type
 * @base: address of the object
 * @level: the level that served the access
 *
 * Return: 0, or -1 without memory.
 */
int uses_add(struct model *m, const struct event *e, const struct dtype *t, uint64_t base,
		   enum level level)
{
	const struct sample_event *s = &e->sample;
	const struct data_src src = data_src_decode(s->data_src);
	struct use key, *u;
	int l, handed_over;

	memset(&key.key, 0, sizeof(key.key));
	key.key.line = (s->at ? s->at : s->addr) / LINE;
	key.key.base = base;
	key.key.type = t->index;
	key.key.space = s->space;
	key.key.cpu = e->cpu;
	HASH_FIND(hh, m->uses, &key.key, sizeof(key.key), u);
	if (!u) {
		if (HASH_COUNT(m->uses) >= MAX_KEPT) {
			m->dropped++;
			return 0;
		}
		u = calloc(1, sizeof(*u));
		if (!u)
			return -1;
		u->key = key.key;
		u->addr = s->addr & ~(uint64_t)(LINE - 1);
		u->on_stack = model_class_of(m, s->type) == CLASS_STACK;
		HASH_ADD(hh, m->uses, key, sizeof(u->key), u);
	}
	if (!u->phys)
		u->phys = s->phys & ~(uint64_t)(LINE - 1);
	u->n++;
	u->loads += !!(s->op & OP_LOAD);
	u->stores += !!(s->op & OP_STORE);
	u->modified += src.modified;
	u->far_modified += src.modified && src.remote;
	u->latency += s->latency;
	u->with_latency += !!s->latency;
	for (l = LEVEL_L1; l <= LEVEL_L3; l++)
		u->misses[l] += level > (enum level)l;
	u->l2_stores += s->op == OP_STORE && (level == LEVEL_L2 || level == LEVEL_LFB);
	u->known += level != LEVEL_UNKNOWN;
	u->peer += level == LEVEL_PEER;
	u->claims += sample_is_claim(s, level);
	handed_over = turns_add(m, u, e->pid, s->op & OP_STORE);
	return handed_over < 0 ? -1 : add_unit(u, s, level, handed_over);
}

/* User and fixmap addresses may map different memory in two processes or on two CPUs. */
static bool has_own_address(const struct model *m, const struct use *u)
{
	enum memory_class class = m->by_index[u->key.type]->event.class;

	return (class != CLASS_USER || u->key.space) && class != CLASS_FIXMAP;
}

static int by_line(const void *a, const void *b)
{
	const struct use *x = *(struct use * const *)a, *y = *(struct use * const *)b;

	if (x->key.space != y->key.space)
		return x->key.space < y->key.space ? -1 : 1;
	if (x->key.line != y->key.line)
		return x->key.line < y->key.line ? -1 : 1;
	if (x->key.cpu != y->key.cpu)
		return x->key.cpu < y->key.cpu ? -1 : 1;
	if (x->key.base != y->key.base)
		return x->key.base < y->key.base ? -1 : 1;
	return x->key.type < y->key.type ? -1 : x->key.type > y->key.type;
}

/**
 * uses_by_line() - sort the uses of memory that CPUs may share
 * @m: the model, after model_end()
 * @nr: set to the number of uses
 *
 * Return: the uses of memory that has the same address on all CPUs, sorted by line; the
 * caller frees the array.  NULL without memory.
 */
struct use **uses_by_line(const struct model *m, size_t *nr)
{
	struct use **use = malloc((HASH_COUNT(m->uses) + 1) * sizeof(*use)), *u;

	*nr = 0;
	if (!use)
		return NULL;
	for (u = m->uses; u; u = u->hh.next)
		if (has_own_address(m, u))
			use[(*nr)++] = u;
	if (*nr)
		qsort(use, *nr, sizeof(*use), by_line);
	return use;
}

/**
 * uses_same_line() - are two uses of a line?
 * @a: a use
 * @b: another one
 *
 * Return: whether they are.
 */
bool uses_same_line(const struct use *a, const struct use *b)
{
	return a->key.line == b->key.line && a->key.space == b->key.space;
}

/**
 * uses_at_once() - test whether two types used a line in the same time
 * @m: the model
 * @a: a use of a line
 * @b: another use of the line; it is of reused memory if the times do not overlap
 *
 * Return: true if the times of the types' samples overlap.
 */
bool uses_at_once(const struct model *m, const struct use *a, const struct use *b)
{
	const struct dtype *x = m->by_index[a->key.type], *y = m->by_index[b->key.type];

	return x == y || (x->first_sample <= y->last_sample && y->first_sample <= x->last_sample);
}
