// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Call chains of samples, allocations and frees.
 *
 * The tracer records a chain right after its event, on the same CPU, from the code that emitted
 * the event outwards.  Of a sample, leave out the interrupts and the sampled function.  IBS may
 * interrupt some instructions after the one it reports, in a function that this called or
 * returned to.  Of an allocation or free, leave out what is within the function that called
 * the allocator.
 */
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* Code that a non-maskable interrupt enters the kernel with. */
static const char * const nmi_entries[] = {
	"asm_exc_nmi", "first_nmi", "repeat_nmi", "end_repeat_nmi", "nmi_restore",
};

/* The address of the function; that of the code itself if its function is not known. */
static uint64_t function_of(struct model *m, uint64_t ip)
{
	const struct symbol *s = symbols_find(&m->symbols, ip);

	return s ? s->addr : ip;
}

static const char *name_of(struct model *m, uint64_t ip)
{
	const struct symbol *s = symbols_find(&m->symbols, ip);

	return s ? m->symbols.names + s->name : "";
}

static bool is_nmi_entry(struct model *m, uint64_t ip)
{
	const char *name = name_of(m, ip);
	size_t i;

	for (i = 0; i < sizeof(nmi_entries) / sizeof(nmi_entries[0]); i++)
		if (!strcmp(name, nmi_entries[i]))
			return true;
	return false;
}

/* Code that any other interrupt or exception enters the kernel with. */
static bool is_entry(struct model *m, uint64_t ip)
{
	return !strncmp(name_of(m, ip), "asm_", 4);
}

/*
 * Index of the first caller of @function in the chain of a sample, which has what the NMI
 * interrupted from @begin on.  swmem samples what its timer interrupted: the chain has that
 * interrupt, too.
 */
static int first_of_sample(struct model *m, const uint64_t *frame, int begin, int nr, uint64_t function)
{
	int i;

	for (i = begin; i < nr; i++)
		if (function_of(m, frame[i]) == function && (i < begin + 2 || is_entry(m, frame[i - 1])))
			return i + 1;
	return begin;
}

/* The same of an allocation or free: its function is in the chain. */
static int first_of_call(struct model *m, const uint64_t *frame, int nr, uint64_t function)
{
	int i;

	for (i = 0; i < nr; i++)
		if (function_of(m, frame[i]) == function)
			return i + 1;
	return 0;
}

/* Where an event that a chain may follow is noted: a sample may come between another one and its chain. */
static struct chain_of *slot(const struct model *m, int cpu, bool in_nmi)
{
	return m->chain_of && cpu >= 0 && cpu < MAX_CPUS ? &m->chain_of[2 * cpu + in_nmi] : NULL;
}

/**
 * chains_expect() - note an event that a call chain may follow
 * @m: the model
 * @e: a sample, allocation or free
 * @type: index of the type
 * @offset: in the type; 0 of allocations and frees
 * @one: sums of the sample alone; of allocations and frees, a count
 *
 * Return: 0, or -1 without memory.
 */
int chains_expect(struct model *m, const struct event *e, uint32_t type, uint32_t offset,
		   const struct tally *one)
{
	struct chain_of *of;

	if (!m->chain_of)
		m->chain_of = calloc(2 * MAX_CPUS, sizeof(*m->chain_of));
	if (!m->chain_of)
		return -1;
	of = slot(m, e->cpu, e->kind == EVENT_SAMPLE);
	if (!of)
		return 0;
	*of = (struct chain_of){
		.is_valid = true, .kind = e->kind, .type = type, .offset = offset, .pid = e->pid, .one = *one,
		.ip = e->kind == EVENT_SAMPLE ? e->sample.ip : e->kind == EVENT_ALLOC ? e->alloc.ip : e->free.ip,
	};
	return 0;
}

/**
 * chains_forget() - the next call chain is not of an earlier event than this one
 * @m: the model
 * @e: an event
 */
void chains_forget(struct model *m, const struct event *e)
{
	struct chain_of *of = slot(m, e->cpu, e->kind == EVENT_SAMPLE);

	if (of)
		of->is_valid = false;
}

/**
 * chains_add() - add a call chain to the event before it
 * @m: the model
 * @e: the chain
 *
 * Return: 0, or -1 without memory.
 */
int chains_add(struct model *m, const struct event *e)
{
	const uint64_t *frame = e->chain.frames;
	struct chain key, *c;
	struct chain_of *of;
	int nr = 0, begin = 0, i, k;

	while (nr < CHAIN_FRAMES && frame[nr])
		nr++;
	for (i = 0; i < nr; i++)
		if (is_nmi_entry(m, frame[i]))
			begin = i + 1;
	of = slot(m, e->cpu, begin > 0);
	if (!of || !of->is_valid || of->pid != e->pid)
		return 0;
	of->is_valid = false;
	memset(&key.key, 0, sizeof(key.key));
	key.key.kind = of->kind;
	key.key.type = of->type;
	key.key.offset = of->offset;
	key.key.function = function_of(m, of->ip);
	i = of->kind == EVENT_SAMPLE ? first_of_sample(m, frame, begin, nr, key.key.function) :
				       first_of_call(m, frame, nr, key.key.function);
	for (k = 0; i < nr && k < CHAIN_DEPTH; i++, k++)
		key.key.frame[k] = function_of(m, frame[i]);
	HASH_FIND(hh, m->chains, &key.key, sizeof(key.key), c);
	if (!c && HASH_COUNT(m->chains) >= MAX_KEPT) {
		m->dropped++;
		return 0;
	}
	if (!c) {
		c = calloc(1, sizeof(*c));
		if (!c)
			return -1;
		c->key = key.key;
		HASH_ADD(hh, m->chains, key, sizeof(c->key), c);
	}
	tally_add(&c->sum, &of->one);
	return 0;
}

/**
 * chains_join() - move the chains of types that are merged into others
 * @m: the model
 * @to: for each index of a type, that of the type it is merged into
 */
void chains_join(struct model *m, const uint32_t *to)
{
	struct chain *c, *next, *old;

	HASH_ITER(hh, m->chains, c, next) {
		if (to[c->key.type] == c->key.type)
			continue;
		HASH_DEL(m->chains, c);
		c->key.type = to[c->key.type];
		HASH_FIND(hh, m->chains, &c->key, sizeof(c->key), old);
		if (!old) {
			HASH_ADD(hh, m->chains, key, sizeof(c->key), c);
			continue;
		}
		tally_add(&old->sum, &c->sum);
		free(c);
	}
}

/**
 * chains_free() - free all call chains
 * @m: the model
 */
void chains_free(struct model *m)
{
	struct chain *c, *next;

	HASH_ITER(hh, m->chains, c, next) {
		HASH_DEL(m->chains, c);
		free(c);
	}
	free(m->chain_of);
}
