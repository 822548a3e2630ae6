// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * Which pattern accesses show, and what to do about it: section 2.1 of "MemProf".
 *
 * By site: objects of a site are alike.  Two questions distinguish the paper's patterns:
 * are two accesses of one object, after the thread that came first has filled it in,
 * from one node (then it is one node's object); and if
 * not, does one node have it at a time, in slices of a 64th of its life (then nodes
 * alternate)?  The first is asked of pairs, so that it has no bias for objects of which
 * few accesses were sampled.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memprof/names/hash.h"
#include "count.h"
#include "kinds.h"
#include "stacks.h"

#define MAX_PROCESSES	64	/* of a site; from there on it is many */

/* From here on a site is what its larger part is. */
#define ONE_NODE	0.85	/* pairs from one node */
#define ONE_AT_A_TIME	0.85	/* accesses by the slice's node */
#define REMOTE_ENOUGH	0.20	/* of a site's accesses; less is good enough */
#define READ_MOSTLY	0.05	/* writes */
#define SATURATED	1.5	/* times the latency without load */
#define HOT_NODE	1.3	/* times its even share of accesses */
#define STACKS_LEFT	0.5	/* of remote accesses of stacks, with each thread on its stack's node */
#define FALSELY_SHARED	0.4	/* of a site's accesses */

struct site {
	char *key;
	uint32_t first, most_object, pid, processes;
	uint32_t pids[MAX_PROCESSES];
	uint64_t most;
	uint32_t *objects;
	size_t nr, capacity;
	UT_hash_handle hh;
};

/* ---- a site ---- */

static int nodes_of(const struct sums *s)
{
	int i, n = 0;

	for (i = 0; i < MAX_NODES; i++)
		n += s->from[i] * 50 > s->all;
	return n;
}

static int largest(const uint64_t *n)
{
	int i, best = 0;

	for (i = 1; i < MAX_NODES; i++)
		if (n[i] > n[best])
			best = i;
	return best;
}

static void judge(struct finding *f, const struct sums *s, const struct nodes *nodes, bool stacks)
{
	const int home = largest(s->to);
	const double all = s->all ? s->all : 1;

	f->accesses = s->all;
	f->remote = s->remote;
	f->predicted = s->remote;
	f->node = -1;
	f->nodes = nodes_of(s);
	/* A site of which no object was seen twice: nothing is known about pairs. */
	f->same_node = s->pairs ? (double)s->same_pairs / s->pairs : -1;
	f->pages = s->page_pairs ? (double)s->page_same / s->page_pairs : -1;
	f->phase = s->slice_best / all;
	f->writes = s->after ? (double)s->after_writes / s->after : 0;
	f->busy = nodes->busy[home];
	f->lines = s->lines / all;
	if (s->remote < PATTERN_MIN_REMOTE) {
		f->pattern = s->remote < REMOTE_ENOUGH * s->all ? PATTERN_NONE : PATTERN_FEW;
		return;
	}
	if (f->lines >= FALSELY_SHARED) {
		f->pattern = PATTERN_FALSE_SHARING;
		f->fix = FIX_PAD;
		f->confidence = f->lines;
		return;
	}
	if (s->remote < REMOTE_ENOUGH * s->all) {
		f->pattern = PATTERN_NONE;
		return;
	}
	if (!s->pairs) {
		f->pattern = PATTERN_FEW;
		return;
	}
	if (stacks) {
		f->pattern = PATTERN_UNCLEAR;
		if (s->stacks_left > STACKS_LEFT * s->remote)
			return;
		f->pattern = PATTERN_STACKS;
		f->fix = FIX_PIN_EACH;
		f->predicted = s->stacks_left;
		f->confidence = 1 - s->stacks_left / s->remote;
		return;
	}
	if (f->same_node >= ONE_NODE) {
		f->pattern = 2 * s->by_own > s->all ? PATTERN_WRONG_NODE : PATTERN_AFTER_ALLOCATION;
		f->fix = FIX_ALLOCATE;
		f->predicted = s->all - s->best;
		f->confidence = f->same_node;
		/* Filling it in from afar would cost as much: then move it. */
		if (f->predicted > REMOTE_ENOUGH * s->all) {
			f->fix = FIX_MIGRATE;
			f->predicted = s->users - s->used_best + s->filled_remote;
		}
		/* One node's: say which.  Each object may have its own. */
		if (s->used[largest(s->used)] >= 0.9 * s->users)
			f->node = largest(s->used);
		return;
	}
	if (f->phase >= ONE_AT_A_TIME) {
		f->pattern = PATTERN_ALTERNATE;
		f->fix = FIX_MIGRATE;
		f->predicted = s->all - s->turn_best;
		f->confidence = f->phase;
		return;
	}
	if (f->pages >= ONE_NODE && s->page_pairs > s->all) {
		f->pattern = PATTERN_PARTITIONED;
		f->fix = FIX_FIRST_TOUCH;
		f->predicted = s->page_left + s->filled_remote;
		f->confidence = f->pages;
		return;
	}
	if (f->nodes < 2) {
		f->pattern = PATTERN_UNCLEAR;
		return;
	}
	f->confidence = 1 - (f->phase - 1.0 / f->nodes) / (1 - 1.0 / f->nodes);
	if (f->writes <= READ_MOSTLY) {
		f->pattern = PATTERN_CONCURRENT_READ;
		f->fix = FIX_REPLICATE;
		f->predicted = s->filled_remote + s->after_writes * (1 - 1.0 / nodes->nr);
		f->saturated = f->busy >= SATURATED && nodes->share[home] * nodes->nr >= HOT_NODE;
		f->interleaved = s->all * (1 - 1.0 / nodes->nr);
		f->node = f->saturated ? home : -1;
		return;
	}
	if (f->busy >= SATURATED && nodes->share[home] * nodes->nr >= HOT_NODE) {
		f->pattern = PATTERN_SATURATED;
		f->fix = FIX_INTERLEAVE;
		f->node = home;
		f->predicted = s->all * (1 - 1.0 / nodes->nr);
		return;
	}
	f->pattern = PATTERN_CONCURRENT_WRITE;
	f->fix = FIX_PIN_THREADS;
	f->node = home;
	/* Pages that are elsewhere stay there. */
	f->predicted = s->all - s->to[home];
}

/*
 * What leaves as many accesses remote is not advised, as where objects of several nodes are to have one
 * node's threads, or what one node filled in is to be moved to where it is already.  Lines that
 * change CPU are not remote accesses; interleaving is for the latency of a node.
 */
static void heed_gain(struct finding *f)
{
	if (f->fix == FIX_NONE || f->fix == FIX_PAD || f->fix == FIX_INTERLEAVE || f->saturated ||
	    f->predicted < f->remote)
		return;
	f->pattern = PATTERN_UNCLEAR;
	f->fix = FIX_NONE;
	f->node = -1;
	f->predicted = f->remote;
}

/* ---- all ---- */

static struct site *find_site(struct site **sites, struct memprof *m, uint32_t i)
{
	const struct memprof_object *o = memprof_object(m, i);
	char text[1024], key[1100];
	struct site *s;

	if (memprof_site_text(memprof_object_site(m, i), text, sizeof(text)))
		return NULL;
	snprintf(key, sizeof(key), "%d %s", o->type, text);
	HASH_FIND_STR(*sites, key, s);
	if (s)
		return s;
	s = calloc(1, sizeof(*s));
	if (!s || !(s->key = strdup(key))) {
		free(s);
		return NULL;
	}
	s->pid = o->pid;
	HASH_ADD_KEYPTR(hh, *sites, s->key, strlen(s->key), s);
	if (s->hh.tbl)
		return s;
	free(s->key);
	free(s);
	return NULL;
}

static void add_process(struct site *s, uint32_t pid)
{
	uint32_t i;

	for (i = 0; i < s->processes; i++)
		if (s->pids[i] == pid)
			return;
	if (s->processes < MAX_PROCESSES)
		s->pids[s->processes++] = pid;
	if (s->processes > 1)
		s->pid = 0;
}

static int add_to_site(struct site *s, struct memprof *m, uint32_t i)
{
	const size_t accesses = memprof_object(m, i)->accesses;
	uint32_t *p;

	if (s->nr == s->capacity) {
		p = realloc(s->objects, (2 * s->capacity + 4) * sizeof(*p));
		if (!p)
			return -1;
		s->objects = p;
		s->capacity = 2 * s->capacity + 4;
	}
	s->objects[s->nr++] = i;
	if (accesses > s->most) {
		s->most = accesses;
		s->most_object = i;
	}
	add_process(s, memprof_object(m, i)->pid);
	return 0;
}

static int by_gain(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	double gain_x = x->remote - x->predicted, gain_y = y->remote - y->predicted;

	if (gain_x != gain_y)
		return gain_x < gain_y ? 1 : -1;
	return x->remote < y->remote ? 1 : x->remote > y->remote ? -1 : 0;
}

/* Nothing can be done about objects that are not known. */
static bool can_be_judged(const struct memprof_object *o)
{
	return o->type != MEMPROF_UNKNOWN && o->type != MEMPROF_KERNEL;
}

static int add_stacks(struct memprof *m, uint32_t object, struct sums *s)
{
	const double left = memprof_object(m, object)->type == MEMPROF_STACK ? stacks_left(m, object) : 0;

	s->stacks_left += left;
	return left < 0 ? -1 : 0;
}

/* What cannot be placed elsewhere gets no such advice. */
static void heed_kind(struct finding *f, const struct sums *s)
{
	uint64_t writes = 0;
	enum fix fix;
	int i;

	for (i = 0; i < MAX_NODES; i++)
		writes += s->writes[i];
	fix = kind_fix(f->kind, f->fix, writes > 0);
	if (fix == f->fix)
		return;
	f->fix = fix;
	f->refused = fix == FIX_NONE;
	f->saturated &= !f->refused;
	if (f->refused)
		f->predicted = f->remote;
}

/**
 * patterns_find() - judge all sites of a recording
 * @m: the recording
 * @f: gets what was found, what gains most first; to be freed with patterns_free()
 *
 * Return: 0, or -1 without memory.
 */
int patterns_find(struct memprof *m, struct findings *f)
{
	struct site *sites = NULL, *s, *next;
	struct finding *found;
	struct nodes nodes;
	size_t i;
	int bad = 0;

	memset(f, 0, sizeof(*f));
	patterns_count_nodes(m, &nodes);
	for (i = 0; i < memprof_nr_objects(m) && !bad; i++) {
		const struct memprof_object *o = memprof_object(m, i);

		if (!o->accesses || !can_be_judged(o))
			continue;
		s = find_site(&sites, m, i);
		bad = !s || add_to_site(s, m, i);
	}
	for (i = 0; i < memprof_nr_accesses(m); i++) {
		struct memprof_access a;

		memprof_access(m, i, &a);
		f->accesses += patterns_count(m, &a);
		f->judged += patterns_count(m, &a) && can_be_judged(memprof_object(m, a.object));
		f->remote += patterns_count(m, &a) && memprof_is_remote(&a);
		if (patterns_count(m, &a) && a.latency) {
			f->latencies[memprof_is_remote(&a)]++;
			f->latency[memprof_is_remote(&a)] += a.latency;
		}
		answers_add(f->answers, &a);
	}
	HASH_ITER(hh, sites, s, next) {
		struct sums sums = { 0 };

		for (i = 0; i < s->nr && !bad; i++)
			bad = patterns_count_object(m, s->objects[i], &sums) ||
			      add_stacks(m, s->objects[i], &sums);
		found = bad ? NULL : findings_add(f);
		bad |= !found;
		if (found) {
			found->object = s->most_object;
			found->pid = s->pid;
			found->processes = s->processes;
			found->type = memprof_object(m, found->object)->type;
			found->objects = s->nr;
			for (i = 0; i < s->nr; i++)
				found->bytes += memprof_object(m, s->objects[i])->size;
			memcpy(found->answers, sums.answers, sizeof(found->answers));
			found->capacity = answers_capacity(sums.answers,
						   answers_taken(sums.accesses, sums.writes, MAX_NODES));
			found->kind = kind_of(m, found->object);
			judge(found, &sums, &nodes, found->type == MEMPROF_STACK);
			heed_gain(found);
			heed_kind(found, &sums);
			/* Too little to matter. */
			if (sums.remote < PATTERN_MIN_SHARE * f->accesses &&
			    found->pattern != PATTERN_FALSE_SHARING)
				found->pattern = PATTERN_NONE, found->fix = FIX_NONE,
				found->predicted = found->remote;
		}
		HASH_DEL(sites, s);
		free(s->objects);
		free(s->key);
		free(s);
	}
	bad |= patterns_find_split(f);
	joint_find(f);
	if (f->nr)
		qsort(f->all, f->nr, sizeof(*f->all), by_gain);
	return bad ? -1 : 0;
}

/** patterns_free() - forget findings */
void patterns_free(struct findings *f)
{
	free(f->all);
}

