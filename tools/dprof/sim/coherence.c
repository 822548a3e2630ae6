// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Coherent caches, and the classes of their misses: Hill's three (a miss that a fully
 * associative cache of the same size does not have is a conflict miss) and sharing.  A
 * sharing miss is true sharing if other CPUs wrote any of the accessed bytes since this
 * CPU lost the line, else false sharing.
 */
#include <stdlib.h>
#include <string.h>

#include "coherence.h"

const char * const outcome_name[NR_OUTCOMES] = {
	"hit", "true_sharing", "false_sharing", "conflict", "capacity", "cold",
};

/* Writes of other CPUs to a line since a CPU last accessed it. */
struct foreign {
	uint64_t written;		/* bytes of the line, a bit each */
	bool accessed;			/* the CPU accessed the line at some time */
	bool lost;			/* invalidated by a write, not replaced before it */
	struct {
		uint64_t bytes;
		struct actor who;
	} writer[2];			/* the last two writers, the latest first */
};

struct directory_line {
	uint64_t line;
	UT_hash_handle hh;
	struct foreign cpu[];
};

/**
 * coherence_init() - initialize empty caches
 * @c: the caches
 * @g: the geometry of each cache
 * @nr_cpus: number of CPUs
 *
 * Return: 0, or -1 without memory; the caller calls coherence_free() in both cases.
 */
int coherence_init(struct coherence *c, const struct geometry *g, int nr_cpus)
{
	int i;

	memset(c, 0, sizeof(*c));
	c->geometry = *g;
	c->cache = calloc(nr_cpus, sizeof(*c->cache));
	c->full = calloc(nr_cpus, sizeof(*c->full));
	if (!c->cache || !c->full)
		return -1;
	c->nr_cpus = nr_cpus;
	for (i = 0; i < nr_cpus; i++) {
		c->full[i].capacity = g->size / g->line;
		if (cache_init(&c->cache[i], g))
			return -1;
	}
	return 0;
}

static struct directory_line *find(struct coherence *c, uint64_t line, bool make)
{
	struct directory_line *d;

	HASH_FIND(hh, c->directory, &line, sizeof(line), d);
	if (d || !make)
		return d;
	d = calloc(1, sizeof(*d) + c->nr_cpus * sizeof(d->cpu[0]));
	if (!d)
		return NULL;
	d->line = line;
	HASH_ADD(hh, c->directory, line, sizeof(line), d);
	return d;
}

static void invalidate_others(struct coherence *c, struct directory_line *d, int cpu,
			      uint64_t bytes, const struct actor *writer)
{
	int i;

	for (i = 0; i < c->nr_cpus; i++) {
		struct foreign *f = &d->cpu[i];

		if (i == cpu)
			continue;
		/* The first access of a CPU to a line that another CPU wrote is sharing, too. */
		if (!f->written)
			f->lost = !f->accessed || cache_has(&c->cache[i], d->line);
		f->written |= bytes;
		if (memcmp(&f->writer[0].who, writer, sizeof(*writer))) {
			f->writer[1] = f->writer[0];
			f->writer[0].bytes = 0;
			f->writer[0].who = *writer;
		}
		f->writer[0].bytes |= bytes;
		cache_remove(&c->cache[i], d->line);
		full_remove(&c->full[i], d->line);
	}
}

/**
 * coherence_access() - access a line
 * @c: the caches
 * @cpu: the CPU that accesses the line
 * @line: address / 64
 * @bytes: accessed bytes of the line, a bit each
 * @write: the access is a write
 * @base: address of the object
 * @actor: the origin of the access
 *
 * Return: enum outcome, or -1 without memory.
 */
int coherence_access(struct coherence *c, int cpu, uint64_t line, uint64_t bytes, bool write,
		     uint64_t base, const struct actor *actor)
{
	const struct cache_line owner = {
		.base = base, .type = actor->type, .trace = actor->trace,
	};
	struct directory_line *d = find(c, line, true);
	struct foreign *f;
	int outcome, full;
	bool hit;

	if (!d)
		return -1;
	f = &d->cpu[cpu];
	hit = cache_access(&c->cache[cpu], line, &owner);
	full = full_access(&c->full[cpu], line);
	if (full < 0)
		return -1;
	c->full_hit = full;
	if (hit) {
		outcome = HIT;
	} else if (f->written && f->lost) {
		outcome = f->written & bytes ? MISS_TRUE : MISS_FALSE;
		c->culprit = f->writer[!(f->writer[0].bytes & bytes) &&
				       f->writer[1].bytes & bytes].who;
	} else if (full) {
		outcome = MISS_CONFLICT;
	} else {
		outcome = f->accessed ? MISS_CAPACITY : MISS_COLD;
	}
	f->accessed = true;
	f->written = 0;
	f->lost = false;
	memset(f->writer, 0, sizeof(f->writer));
	if (write)
		invalidate_others(c, d, cpu, bytes, actor);
	return outcome;
}

/**
 * coherence_remove() - remove a line from all caches and forget all accesses to it
 * @c: the caches
 * @line: address / 64
 */
void coherence_remove(struct coherence *c, uint64_t line)
{
	struct directory_line *d = find(c, line, false);
	int i;

	for (i = 0; i < c->nr_cpus; i++) {
		cache_remove(&c->cache[i], line);
		full_remove(&c->full[i], line);
	}
	if (d) {
		HASH_DEL(c->directory, d);
		free(d);
	}
}

/**
 * coherence_remove_lines() - coherence_remove() of all lines of a range
 * @c: the caches
 * @first, @last: of the lines; none if @last is before @first
 *
 * Of a range with more lines than were accessed, these alone are looked at.
 */
void coherence_remove_lines(struct coherence *c, uint64_t first, uint64_t last)
{
	struct directory_line *d, *next;
	uint64_t line;

	if (last < first)
		return;
	if (last - first < HASH_COUNT(c->directory)) {
		for (line = first; line <= last; line++)
			coherence_remove(c, line);
		return;
	}
	HASH_ITER(hh, c->directory, d, next)
		if (d->line >= first && d->line <= last)
			coherence_remove(c, d->line);
}

/**
 * coherence_free() - free the caches
 * @c: the caches
 */
void coherence_free(struct coherence *c)
{
	struct directory_line *d, *next;
	int i;

	for (i = 0; i < c->nr_cpus; i++) {
		cache_free(&c->cache[i]);
		full_free(&c->full[i]);
	}
	free(c->cache);
	free(c->full);
	HASH_ITER(hh, c->directory, d, next) {
		HASH_DEL(c->directory, d);
		free(d);
	}
}
