// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * The lines that CPUs use, and how many of the samples in them begin a visit.
 *
 * A line is visited, and a visit has several accesses, of which the first one alone can miss.  How
 * many it has follows from the instructions: one that accesses the same bytes of the line does so
 * once in most visits, so the visits are the samples of the instruction that has the most at one
 * offset, in all objects of the type; or as many as miss, if these are more.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "visits.h"

/* More visits than these are not said to be behind a write of another CPU. */
#define MAX_WRITTEN	0.98

static int by_type_and_offset(const void *a, const void *b)
{
	const struct site *x = *(struct site *const *)a, *y = *(struct site *const *)b;

	if (x->key.type != y->key.type)
		return x->key.type < y->key.type ? -1 : 1;
	return x->key.offset < y->key.offset ? -1 : x->key.offset > y->key.offset;
}

/* The first site of a type that is not before an offset. */
static size_t first_site(struct site *const *site, size_t nr, uint32_t type, int64_t offset)
{
	size_t low = 0, high = nr;

	while (low < high) {
		const size_t mid = (low + high) / 2;
		const struct site *s = site[mid];

		if (s->key.type < type || (s->key.type == type && s->key.offset < offset))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/**
 * visits_line_offset() - where in the object a line begins
 * @u: a use of the line
 *
 * What processes share counts from where they have it in common, not from a process' own address.
 *
 * Return: the offset; negative if the line begins before the object.
 */
int64_t visits_line_offset(const struct use *u)
{
	return (int64_t)(u->key.line * LINE - u->key.base);
}

static struct type_line *find_type_line(const struct visits *v, const struct use *u)
{
	struct type_line key, *p;

	memset(&key.key, 0, sizeof(key.key));
	key.key.type = u->key.type;
	key.key.offset = visits_line_offset(u);
	HASH_FIND(hh, v->type_lines, &key.key, sizeof(key.key), p);
	return p;
}

/* The lines of a use's type at its offset, with the samples of the sites in them. */
static struct type_line *make_type_line(struct visits *v, struct site *const *site,
					const struct use *u)
{
	struct type_line *p = find_type_line(v, u);
	uint64_t misses = 0;
	size_t i;

	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->key.type = u->key.type;
	p->key.offset = visits_line_offset(u);
	HASH_ADD(hh, v->type_lines, key, sizeof(p->key), p);
	for (i = first_site(site, v->m->nr_sites, p->key.type, p->key.offset); i < v->m->nr_sites;
	     i++) {
		if (site[i]->key.type != p->key.type || site[i]->key.offset >= p->key.offset + LINE)
			break;
		p->samples += site[i]->sum.n;
		misses += tally_misses(&site[i]->sum, v->level);
		if (site[i]->sum.n > p->visits)
			p->visits = site[i]->sum.n;
	}
	if (misses > p->visits)
		p->visits = misses;
	return p;
}

static int find_type_lines(struct visits *v)
{
	struct site **site = malloc((v->m->nr_sites + 1) * sizeof(*site));
	struct type_line *p;
	size_t i;

	if (!site)
		return -1;
	memcpy(site, v->m->by_site, v->m->nr_sites * sizeof(*site));
	qsort(site, v->m->nr_sites, sizeof(*site), by_type_and_offset);
	for (i = 0; i < v->nr_uses; i++) {
		p = make_type_line(v, site, v->use[i]);
		if (!p)
			break;
		p->coherent += use_coherent(v->use[i], v->level);
	}
	free(site);
	return i < v->nr_uses ? -1 : 0;
}

/* The part of samples that begin a visit. */
static double visits_of(const struct type_line *p)
{
	return p->samples ? (double)p->visits / p->samples : 1;
}

static int by_cpu_and_line(const void *a, const void *b)
{
	const struct use *x = *(struct use *const *)a, *y = *(struct use *const *)b;

	if (x->key.cpu != y->key.cpu)
		return x->key.cpu < y->key.cpu ? -1 : 1;
	if (x->key.space != y->key.space)
		return x->key.space < y->key.space ? -1 : 1;
	if (x->key.line != y->key.line)
		return x->key.line < y->key.line ? -1 : 1;
	if (x->key.type != y->key.type)
		return x->key.type < y->key.type ? -1 : 1;
	return x->key.base < y->key.base ? -1 : x->key.base > y->key.base;
}

static int list_uses(struct visits *v)
{
	struct use *u;

	v->use = malloc((HASH_COUNT(v->m->uses) + 1) * sizeof(*v->use));
	if (!v->use)
		return -1;
	for (u = v->m->uses; u; u = u->hh.next)
		v->use[v->nr_uses++] = u;
	qsort(v->use, v->nr_uses, sizeof(*v->use), by_cpu_and_line);
	return 0;
}

/* The line of a use, and of all uses after it that are of the same line of the CPU. */
static struct used_line line_from(const struct visits *v, size_t first)
{
	struct used_line l = { .first = first };
	uint64_t of_type = 0, most = 0;
	double written = 0;
	size_t i;

	for (i = first; i < v->nr_uses && v->use[i]->key.cpu == v->use[first]->key.cpu &&
			uses_same_line(v->use[i], v->use[first]);
	     i++) {
		const struct use *u = v->use[i];
		const struct type_line *p = find_type_line(v, u);
		const double visits = u->n * visits_of(p);

		of_type =
			i > first && u->key.type == v->use[i - 1]->key.type ? of_type + u->n : u->n;
		if (of_type > most) {
			most = of_type;
			l.type = u->key.type;
		}
		l.n += u->n;
		l.visits += visits;
		if (p->samples)
			written += visits * fmin((double)p->coherent / p->visits, MAX_WRITTEN);
	}
	l.end = i;
	l.written = written / l.visits;
	return l;
}

static int by_cpu_and_type(const void *a, const void *b, void *use)
{
	const struct used_line *x = a, *y = b;
	struct use *const *u = use;
	const int32_t cpu = u[x->first]->key.cpu, other = u[y->first]->key.cpu;

	if (cpu != other)
		return cpu < other ? -1 : 1;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static int list_lines(struct visits *v)
{
	size_t i;

	v->line = malloc((v->nr_uses + 1) * sizeof(*v->line));
	if (!v->line)
		return -1;
	for (i = 0; i < v->nr_uses; i = v->line[v->nr_lines++].end)
		v->line[v->nr_lines] = line_from(v, i);
	qsort_r(v->line, v->nr_lines, sizeof(*v->line), by_cpu_and_type, v->use);
	return 0;
}

/**
 * visits_find() - find the lines that CPUs use
 * @v: set; the caller calls visits_free() even after an error
 * @m: the model, after claims_find(); it must outlive @v
 * @level: of the cache whose misses count
 *
 * Return: 0, or -1 without memory.
 */
int visits_find(struct visits *v, const struct model *m, enum level level)
{
	memset(v, 0, sizeof(*v));
	v->m = m;
	v->level = level;
	return list_uses(v) || find_type_lines(v) || list_lines(v) ? -1 : 0;
}

/**
 * visits_free() - free what visits_find() made
 * @v: it
 */
void visits_free(struct visits *v)
{
	struct type_line *p, *next;

	free(v->line);
	free(v->use);
	HASH_ITER(hh, v->type_lines, p, next) {
		HASH_DEL(v->type_lines, p);
		free(p);
	}
	memset(v, 0, sizeof(*v));
}
