// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Builds paths from histories of objects. */
#include <stdlib.h>
#include <string.h>

#include "paths.h"

/* An object being watched. */
struct history {
	uint64_t id;
	struct dtype *type;
	struct path path;		/* becomes a new path, or is summed into an equal one */
	uint64_t begin;
	int32_t freed_on;
	uint32_t capacity;
	int32_t cpus[64];		/* CPU number by label */
	uint16_t nr_cpus;
	UT_hash_handle hh;
};

/* Label CPUs in the order of their first access; the last label stands for all further CPUs. */
static uint16_t label(struct history *h, int32_t cpu)
{
	uint16_t i;

	for (i = 0; i < h->nr_cpus; i++)
		if (h->cpus[i] == cpu)
			return i;
	if (h->nr_cpus == sizeof(h->cpus) / sizeof(h->cpus[0]))
		return h->nr_cpus - 1;
	h->cpus[h->nr_cpus++] = cpu;
	return h->nr_cpus - 1;
}

static struct history *find(struct model *m, uint64_t id)
{
	struct history *h;

	HASH_FIND(hh, m->open, &id, sizeof(id), h);
	return h;
}

static void drop(struct model *m, struct history *h)
{
	HASH_DEL(m->open, h);
	free(h->path.element);
	free(h);
}

/**
 * paths_begin() - begin the history of an object
 * @m: the model
 * @e: a dprof_history event
 * @t: its type
 *
 * Return: 0, or -1 without memory.
 */
int paths_begin(struct model *m, const struct event *e, struct dtype *t)
{
	struct history *h = find(m, e->history.id);
	int i;

	/* The end of an earlier history with this id was lost. */
	if (h)
		drop(m, h);
	h = calloc(1, sizeof(*h));
	if (!h)
		return -1;
	h->id = e->history.id;
	h->type = t;
	h->begin = e->ts;
	h->path.type = t->index;
	h->path.slots = e->history.slots < MAX_WATCHED ? e->history.slots : MAX_WATCHED;
	for (i = 0; i < h->path.slots; i++) {
		h->path.offset[i] = e->history.offset[i];
		h->path.len[i] = e->history.len[i];
	}
	h->path.alloc_ip = e->history.ip;
	h->path.size = e->history.size;
	label(h, e->cpu);
	HASH_ADD(hh, m->open, id, sizeof(h->id), h);
	return 0;
}

static bool same_element(const struct element *a, const struct element *b)
{
	return a->ip == b->ip && a->offset == b->offset && a->cpu == b->cpu && a->op == b->op &&
	       a->type == b->type;
}

/* Fold equal accesses in a row into one element. */
static void fold_repeats(struct path *p)
{
	uint32_t i, to = 0;

	for (i = 1; i < p->nr; i++) {
		if (same_element(&p->element[to], &p->element[i]))
			p->element[to].repeats++;
		else
			p->element[++to] = p->element[i];
	}
	if (p->nr)
		p->nr = to + 1;
}

static bool same_turn(const struct element *a, const struct element *b, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (!same_element(&a[i], &b[i]) || a[i].loop || b[i].loop)
			return false;
	return true;
}

/* Fold the iterations of a loop of @n elements into one; nested loops are not folded. */
static void fold_loops(struct path *p, uint32_t n)
{
	struct element *e = p->element;
	uint32_t i = 0, to = 0, turns, k;

	while (i < p->nr) {
		for (turns = 1; i + (turns + 1) * n <= p->nr &&
		     same_turn(e + i, e + i + turns * n, n); turns++)
			;
		if (turns == 1) {
			e[to++] = e[i++];
			continue;
		}
		memmove(e + to, e + i, n * sizeof(*e));
		for (k = n; k < turns * n; k++)
			e[to + k % n].repeats += e[i + k].repeats;
		for (k = 0; k < n; k++)
			e[to + k].repeats /= turns;
		to += n;
		i += turns * n;
		e[to - 1].loop = n;
		e[to - 1].turns = turns;
	}
	p->nr = to;
}

static void fold(struct path *p)
{
	uint32_t n;

	fold_repeats(p);
	for (n = 2; n <= MAX_LOOP; n++)
		fold_loops(p, n);
	if (p->nr > MAX_PATH) {
		p->nr = MAX_PATH;
		p->cut = true;
	}
}

static void set_ranks(struct path *p)
{
	uint32_t s, i;
	uint16_t k;

	for (s = 0; s < p->slots; s++)
		for (i = 0, k = 0; i < p->nr; i++)
			if (p->element[i].offset == p->offset[s])
				p->element[i].rank = k++;
}

/**
 * paths_access() - add an access to the history of its object
 * @m: the model
 * @e: a dprof_access event
 *
 * Return: 0, or -1 without memory.
 */
int paths_access(struct model *m, const struct event *e)
{
	struct history *h = find(m, e->access.id);
	struct dtype *t;
	struct path *p;

	if (!h) {
		m->stray++;
		return 0;
	}
	t = e->access.offset < 0 || (uint32_t)e->access.offset >= h->path.size ?
	    model_type(m, e->access.type, 0) : h->type;
	if (!t)
		return -1;
	p = &h->path;
	p->accesses++;
	if (p->nr == MAX_HISTORY) {
		p->cut = true;
		return 0;
	}
	if (p->nr == h->capacity) {
		uint32_t capacity = h->capacity * 2 + 16;
		struct element *element = realloc(p->element, capacity * sizeof(*element));

		if (!element)
			return -1;
		p->element = element;
		h->capacity = capacity;
	}
	p->element[p->nr++] = (struct element){
		.ip = e->access.ip, .type = t->index, .offset = e->access.offset, .len = e->access.len,
		.op = e->access.op, .cpu = e->cpu, .seq = e->access.seq, .since = e->access.since,
		.repeats = 1,
	};
	return 0;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	/* FNV-1a, applied to 64-bit words. */
	return (hash ^ value) * 0x100000001b3ULL;
}

static uint64_t path_hash(const struct path *p)
{
	uint64_t h = 0xcbf29ce484222325ULL;
	uint32_t i;

	h = mix(h, p->type);
	for (i = 0; i < p->slots; i++)
		h = mix(mix(h, p->offset[i]), p->len[i]);
	h = mix(mix(mix(h, p->alloc_ip), p->free_ip), p->free_cpu);
	for (i = 0; i < p->nr; i++) {
		const struct element *e = &p->element[i];

		h = mix(mix(mix(mix(h, e->ip), e->offset), e->cpu), e->loop);
	}
	return h;
}

static bool same_path(const struct path *a, const struct path *b)
{
	uint32_t i;

	if (a->type != b->type || a->slots != b->slots || a->nr != b->nr || a->how != b->how ||
	    a->alloc_ip != b->alloc_ip || a->free_ip != b->free_ip || a->free_cpu != b->free_cpu ||
	    memcmp(a->offset, b->offset, sizeof(a->offset)) ||
	    memcmp(a->len, b->len, sizeof(a->len)))
		return false;
	for (i = 0; i < a->nr; i++)
		if (!same_element(&a->element[i], &b->element[i]) ||
		    a->element[i].loop != b->element[i].loop)
			return false;
	return true;
}

static void add_up(struct path *to, const struct path *p)
{
	uint32_t i;

	to->count += p->count;
	to->lifetime += p->lifetime;
	to->blind += p->blind;
	to->size += p->size;
	to->accesses += p->accesses;
	to->cut |= p->cut;
	for (i = 0; i < p->nr; i++) {
		to->element[i].since += p->element[i].since;
		to->element[i].repeats += p->element[i].repeats;
		to->element[i].turns += p->element[i].turns;
	}
}

/*
 * Add @p to the paths.  A new path takes over the elements of @p; the caller frees those that
 * remain.  Return 0, or -1 without memory.
 */
static int add_path(struct model *m, struct path *p)
{
	struct path *first, *old;

	p->hash = path_hash(p);
	HASH_FIND(hh, m->paths, &p->hash, sizeof(p->hash), first);
	for (old = first; old; old = old->next_same) {
		if (!same_path(old, p))
			continue;
		add_up(old, p);
		return 0;
	}
	old = malloc(sizeof(*old));
	if (!old)
		return -1;
	*old = *p;
	p->element = NULL;
	if (first) {
		old->next_same = first->next_same;
		first->next_same = old;
	} else {
		HASH_ADD(hh, m->paths, hash, sizeof(old->hash), old);
	}
	return 0;
}

static int by_seq(const void *a, const void *b)
{
	const struct element *x = a, *y = b;

	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/*
 * Order accesses by sequence number if all have one: timestamps may be too coarse to order
 * accesses of several CPUs.
 */
static void set_order(struct history *h)
{
	uint32_t i;

	for (i = 0; i < h->path.nr && h->path.element[i].seq; i++)
		;
	if (i && i == h->path.nr)
		qsort(h->path.element, h->path.nr, sizeof(*h->path.element), by_seq);
	for (i = 0; i < h->path.nr; i++)
		h->path.element[i].cpu = label(h, (int16_t)h->path.element[i].cpu);
}

static int finish(struct model *m, struct history *h)
{
	uint32_t i;
	int ret;

	set_order(h);
	if (h->path.how == HISTORY_FREED)
		h->path.free_cpu = label(h, h->freed_on);
	fold(&h->path);
	set_ranks(&h->path);
	h->path.count = 1;
	h->type->histories++;
	h->type->unfinished += h->path.how != HISTORY_FREED;
	for (i = 0; i < h->path.nr && !h->path.element[i].cpu; i++)
		;
	h->type->bounced += i < h->path.nr || h->path.free_cpu;
	ret = add_path(m, &h->path);
	drop(m, h);
	return ret;
}

/**
 * paths_end() - end the history of an object
 * @m: the model
 * @e: a dprof_history_end event
 *
 * A history that lost accesses counts as lost, and is not added to a path.
 *
 * Return: 0, or -1 without memory.
 */
int paths_end(struct model *m, const struct event *e)
{
	struct history *h = find(m, e->history_end.id);

	if (!h) {
		m->stray++;
		return 0;
	}
	if (e->history_end.lost || h->path.accesses < e->history_end.accesses) {
		h->type->lost++;
		drop(m, h);
		return 0;
	}
	h->path.how = e->history_end.how;
	if (h->path.how == HISTORY_FREED) {
		h->path.free_ip = e->history_end.ip;
		h->freed_on = e->cpu;
	}
	h->path.lifetime = e->history_end.lifetime;
	h->path.blind = e->history_end.blind;
	return finish(m, h);
}

/**
 * paths_finish() - end the open histories at the end of the recording
 * @m: the model
 *
 * Return: 0, or -1 without memory.
 */
int paths_finish(struct model *m)
{
	struct history *h, *next;
	int ret = 0;

	HASH_ITER(hh, m->open, h, next) {
		h->path.how = HISTORY_SESSION_ENDED;
		h->path.lifetime = m->last_ts - h->begin;
		ret |= finish(m, h);
	}
	return ret;
}

/**
 * paths_retype() - update the paths after types were merged
 * @m: the model, without open histories
 * @to: new index of each type
 *
 * Return: 0, or -1 without memory.
 */
int paths_retype(struct model *m, const uint32_t *to)
{
	struct path *all = NULL, *p, *next, *same;
	uint32_t i;
	int ret = 0;

	HASH_ITER(hh, m->paths, p, next) {
		HASH_DEL(m->paths, p);
		for (; p; p = same) {
			same = p->next_same;
			p->next_same = all;
			all = p;
		}
	}
	/* Paths that differed only in the merged types are summed up. */
	for (p = all; p; p = same) {
		same = p->next_same;
		p->next_same = NULL;
		p->type = to[p->type];
		for (i = 0; i < p->nr; i++)
			p->element[i].type = to[p->element[i].type];
		ret |= add_path(m, p);
		free(p->element);
		free(p);
	}
	return ret;
}

/**
 * paths_free() - free the paths of a model
 * @m: the model
 */
void paths_free(struct model *m)
{
	struct history *h, *next_history;
	struct path *p, *next_path, *same;

	HASH_ITER(hh, m->open, h, next_history)
		drop(m, h);
	HASH_ITER(hh, m->paths, p, next_path) {
		HASH_DEL(m->paths, p);
		for (; p; p = same) {
			same = p->next_same;
			free(p->element);
			free(p);
		}
	}
}
