// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * What accesses add up to: of nodes, of an object, its pages and its lines.  Nothing is
 * concluded here; that is in patterns.c.
 */
#include <stdlib.h>
#include <string.h>

#include "memprof/names/hash.h"
#include "count.h"

#define SLICES		64
#define LINE		64

/* ---- nodes: which answers slowly ---- */

#define BIN_CYCLES	8
#define BINS		2048	/* the last one has all that take longer */

/* The latency that one in 20 is below; 0 with too few. */
static double quickest(const uint64_t *bins)
{
	uint64_t all = 0, sum = 0;
	int i;

	for (i = 0; i < BINS; i++)
		all += bins[i];
	if (all < PATTERN_MIN_REMOTE)
		return 0;
	for (i = 0; i < BINS; i++) {
		sum += bins[i];
		if (20 * sum >= all)
			break;
	}
	/* The bin's lower end would be 0 cycles for the first. */
	return i ? i * BIN_CYCLES : BIN_CYCLES;
}

/**
 * patterns_count_nodes() - which nodes answer slowly
 * @m: the recording
 * @n: filled in
 *
 * Latency grows with distance and with load.  What the quickest of all accesses took is
 * what it is without load: for local and remote accesses apart.  Not a mean of the node
 * that has least to do: that may have much to do at times, and there may be no other one.
 */
void patterns_count_nodes(struct memprof *m, struct nodes *n)
{
	/* Large; a handle may be used by several threads. */
	static _Thread_local uint64_t sum[MAX_NODES][MAX_NODES], count[MAX_NODES][MAX_NODES];
	struct memprof_access a;
	uint64_t all = 0, to[MAX_NODES] = { 0 };
	static _Thread_local uint64_t bins[2][BINS];
	double least[2];
	size_t i;
	int x, y;

	memset(sum, 0, sizeof(sum));
	memset(count, 0, sizeof(count));
	memset(bins, 0, sizeof(bins));
	n->nr = memprof_nr_nodes(m) < MAX_NODES ? memprof_nr_nodes(m) : MAX_NODES;
	for (i = 0; i < memprof_nr_accesses(m); i++) {
		memprof_access(m, i, &a);
		if (!patterns_count(m, &a))
			continue;
		to[a.home]++;
		all++;
		if (a.latency) {
			sum[a.node][a.home] += a.latency;
			count[a.node][a.home]++;
			bins[a.node != a.home][a.latency / BIN_CYCLES < BINS ? a.latency / BIN_CYCLES : BINS - 1]++;
		}
	}
	least[0] = quickest(bins[0]);
	least[1] = quickest(bins[1]);
	for (y = 0; y < n->nr; y++) {
		double weighed = 0;
		uint64_t k = 0;

		for (x = 0; x < n->nr; x++)
			/* Remote ones may all be at times of load: only if there are no others. */
			if (count[x][y] && least[x != y] &&
			    (x == y || count[y][y] < PATTERN_MIN_REMOTE)) {
				weighed += sum[x][y] / least[x != y];
				k += count[x][y];
			}
		n->busy[y] = k ? weighed / k : 0;
		n->share[y] = all ? (double)to[y] / all : 0;
	}
}

/* ---- an object ---- */

/*
 * The first thread alone: it fills the object in.  Replicas are made after that.  But if
 * that is more than a third of all accesses, it is its turn to use it.
 */
static uint64_t initialization(struct memprof *m, uint32_t object)
{
	uint32_t first = MEMPROF_NO_THREAD;
	struct memprof_access a;
	size_t alone = 0;

	memprof_foreach_access(m, memprof_object_flow(m, object), &a) {
		if (first == MEMPROF_NO_THREAD)
			first = a.thread;
		if (a.thread != first)
			return 3 * alone > memprof_object(m, object)->accesses ? 0 : a.time_ns;
		alone++;
	}
	return UINT64_MAX;
}

/*
 * Accesses by the node whose turn it is, if pages move when a turn begins.  A slice in which one
 * ends and the next begins, by the nodes of the slices beside it, is cut where that fits best.
 */
static uint64_t in_turn(struct memprof *m, uint32_t object, uint64_t (*in)[MAX_NODES], const int *node,
			unsigned int slices, uint64_t first, uint64_t last)
{
	uint64_t fits = 0, most = 0, fit = 0;
	struct memprof_access a;
	unsigned int slice = slices, i;
	int before = 0, after = 0;

	memprof_foreach_access(m, memprof_object_flow(m, object), &a) {
		if (!patterns_count(m, &a))
			continue;
		i = (a.time_ns - first) * slices / (last - first + 1);
		if (i != slice) {
			fits += most;
			slice = i;
			before = node[i ? i - 1 : i];
			after = node[i + 1 < slices ? i + 1 : i];
			/* All of it is after the cut so far, or its own node's. */
			fit = in[i][after];
			most = fit > in[i][node[i]] ? fit : in[i][node[i]];
		}
		fit += (a.node == before) - (a.node == after);
		if (fit > most)
			most = fit;
	}
	return fits + most;
}

static void add_slices(struct memprof *m, uint32_t object, struct sums *s)
{
	static _Thread_local uint64_t in[SLICES][MAX_NODES];
	int node[SLICES];
	struct memprof_access a;
	uint64_t first = UINT64_MAX, last = 0, n = 0, best;
	unsigned int slices, i, k;

	memprof_foreach_access(m, memprof_object_flow(m, object), &a) {
		if (!patterns_count(m, &a))
			continue;
		if (first == UINT64_MAX)
			first = a.time_ns;
		last = a.time_ns;
		n++;
	}
	if (!n)
		return;
	/* With less than some 8 a slice, chance makes one node the slice's. */
	slices = n / 8 < 1 ? 1 : n / 8 > SLICES ? SLICES : n / 8;
	memset(in, 0, sizeof(in));
	memprof_foreach_access(m, memprof_object_flow(m, object), &a)
		if (patterns_count(m, &a))
			in[(a.time_ns - first) * slices / (last - first + 1)][a.node]++;
	for (i = 0; i < slices; i++) {
		/* Without any, it is as the one before. */
		node[i] = i ? node[i - 1] : 0;
		for (best = k = 0; k < MAX_NODES; k++)
			if (in[i][k] > best) {
				best = in[i][k];
				node[i] = k;
			}
		s->slice_best += best;
	}
	s->turn_best += in_turn(m, object, in, node, slices, first, last);
}

/* Of each line: which bytes of it each thread accesses, and whether it writes. */
struct user {
	uint32_t thread;
	bool written;
	uint64_t bytes;
};

struct line {
	uint64_t number;
	struct user *users;
	unsigned int nr_users;
	uint64_t accesses;
	UT_hash_handle hh;
};

/* Return: 0, or -1 without memory. */
static int add_to_line(struct line *l, const struct memprof_access *a, uint64_t addr)
{
	struct user *u;
	unsigned int i;

	for (i = 0; i < l->nr_users; i++)
		if (l->users[i].thread == a->thread)
			break;
	if (i == l->nr_users) {
		/* Its capacity is the next power of two. */
		if (!(i & (i - 1))) {
			u = realloc(l->users, (i ? 2 * i : 1) * sizeof(*u));
			if (!u)
				return -1;
			l->users = u;
		}
		l->users[l->nr_users++] = (struct user){ a->thread };
	}
	u = &l->users[i];
	u->bytes |= UINT64_C(1) << addr % LINE;
	u->written |= a->write;
	l->accesses++;
	return 0;
}

/* Several threads write it, and no byte is accessed by two threads. */
static bool is_shared_falsely(const struct line *l)
{
	uint64_t bytes = 0;
	unsigned int i, writers = 0;

	for (i = 0; i < l->nr_users; i++) {
		if (bytes & l->users[i].bytes)
			return false;
		bytes |= l->users[i].bytes;
		writers += l->users[i].written;
	}
	/* Bytes that are seldom sampled seldom overlap: such lines prove nothing. */
	return writers > 1 && l->accesses >= 4 * (uint64_t)l->nr_users;
}

/* Return: 0, or -1 without memory. */
static int add_lines(struct memprof *m, uint32_t object, uint64_t since, struct sums *s)
{
	const struct memprof_object *o = memprof_object(m, object);
	struct line *lines = NULL, *l, *next;
	struct memprof_access a;
	uint64_t number;
	int bad = 0;

	memprof_foreach_access(m, memprof_object_flow(m, object), &a) {
		if (bad || !patterns_count(m, &a) || a.time_ns < since)
			continue;
		number = (o->address + a.offset) / LINE;
		HASH_FIND(hh, lines, &number, sizeof(number), l);
		if (!l) {
			l = calloc(1, sizeof(*l));
			if (!l) {
				bad = -1;
				continue;
			}
			l->number = number;
			HASH_ADD(hh, lines, number, sizeof(number), l);
			if (!l->hh.tbl) {
				free(l);
				bad = -1;
				continue;
			}
		}
		bad = add_to_line(l, &a, o->address + a.offset);
	}
	HASH_ITER(hh, lines, l, next) {
		if (is_shared_falsely(l))
			s->lines += l->accesses;
		HASH_DEL(lines, l);
		free(l->users);
		free(l);
	}
	return bad;
}

/* Of each page: from which nodes it is accessed. */
struct page {
	uint64_t number;
	uint32_t from[MAX_NODES], remote;
	UT_hash_handle hh;
};

/*
 * The question of pairs, asked of pages: an array of which each thread has a part.  A page in
 * which something else begins stays where it is: the allocator wrote the object's header there.
 * Return: 0, or -1 without memory.
 */
static int add_pages(struct memprof *m, uint32_t object, uint64_t since, struct sums *s)
{
	const struct memprof_object *o = memprof_object(m, object);
	struct page *pages = NULL, *p, *next;
	struct memprof_access a;
	uint64_t number, n, best;
	int i, bad = 0;

	memprof_foreach_access(m, memprof_object_flow(m, object), &a) {
		if (bad || !patterns_count(m, &a) || (since != UINT64_MAX && a.time_ns < since))
			continue;
		number = (o->address + a.offset) / 4096;
		HASH_FIND(hh, pages, &number, sizeof(number), p);
		if (!p) {
			p = calloc(1, sizeof(*p));
			if (!p) {
				bad = -1;
				continue;
			}
			p->number = number;
			HASH_ADD(hh, pages, number, sizeof(number), p);
			if (!p->hh.tbl) {
				free(p);
				bad = -1;
				continue;
			}
		}
		p->from[a.node]++;
		p->remote += memprof_is_remote(&a);
	}
	HASH_ITER(hh, pages, p, next) {
		for (n = best = i = 0; i < MAX_NODES; i++) {
			n += p->from[i];
			if (p->from[i] > best)
				best = p->from[i];
		}
		for (i = 0; i < MAX_NODES; i++) {
			s->page_pairs += p->from[i] ? p->from[i] * (n - 1) : 0;
			s->page_same += p->from[i] ? (uint64_t)p->from[i] * (p->from[i] - 1) : 0;
		}
		s->page_left += p->number == o->address / 4096 && o->address % 4096 ? p->remote : n - best;
		HASH_DEL(pages, p);
		free(p);
	}
	return bad;
}

/**
 * patterns_count_object() - add an object's accesses
 * @m: the recording
 * @object: its number
 * @s: to what they are added
 *
 * Return: 0, or -1 without memory.
 */
int patterns_count_object(struct memprof *m, uint32_t object, struct sums *s)
{
	const struct memprof_object *o = memprof_object(m, object);
	uint64_t since = initialization(m, object), n = 0, users = 0, best = 0, own = 0;
	uint64_t from[MAX_NODES] = { 0 }, used[MAX_NODES] = { 0 };
	struct memprof_access a;
	int i;

	memprof_foreach_access(m, memprof_object_flow(m, object), &a) {
		answers_add(s->answers, &a);
		if (a.node >= 0 && a.node < MAX_NODES) {
			s->accesses[a.node]++;
			s->writes[a.node] += a.write;
		}
		if (!patterns_count(m, &a))
			continue;
		n++;
		from[a.node]++;
		s->from[a.node]++;
		s->to[a.home]++;
		s->remote += memprof_is_remote(&a);
		own += a.thread == o->thread;
		if (a.time_ns >= since || since == UINT64_MAX) {
			users++;
			used[a.node]++;
		}
		if (a.time_ns >= since) {
			s->after++;
			s->after_writes += a.write;
			/* A write goes to all replicas; a read to the own one. */
		} else if (memprof_is_remote(&a)) {
			s->filled_remote++;
		}
	}
	s->all += n;
	/* The thread that initialized it is not one that uses it. */
	for (i = 0; i < MAX_NODES; i++) {
		s->pairs += used[i] ? used[i] * (users - 1) : 0;
		s->same_pairs += used[i] ? used[i] * (used[i] - 1) : 0;
		if (used[i] > used[best])
			best = i;
		s->used[i] += used[i];
	}
	s->best += from[best];
	s->used_best += used[best];
	s->users += users;
	s->by_own += 2 * own > n ? n : 0;
	add_slices(m, object, s);
	return add_lines(m, object, since, s) || add_pages(m, object, since, s) ? -1 : 0;
}
