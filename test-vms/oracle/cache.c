// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Caches indexed by physical address: see cache.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"

/* Physical addresses have 52 bits: as many bytes. */
#define ADDRESS_BYTES 7

/*
 * One copy of a cache.  A tag is the whole line number + 1; 0 is an empty way.
 * LRU and FIFO keep the tags of a set in their order, the next victim last, with
 * empty ways behind it; PLRU and random leave a tag where it is.
 */
struct copy {
	uint64_t *tag;
	uint64_t *tree;		/* PLRU: bit n of a set's word is node n, 1 the root */
	uint64_t random;
};

struct cache {
	struct cache_shape shape;
	struct cache *next[CACHE_NR_KINDS];
	struct cache_count *count;	/* by CPU */
	struct copy **of_cpu;
	struct copy *copies;
	unsigned int nr_copies;
	/* The index is linear in the address bits: one table a byte does for any masks. */
	uint32_t (*table)[256];
};

struct cache_model {
	struct cache *first[CACHE_NR_KINDS];
	struct cache *caches;
	unsigned int nr, nr_cpus;
	uint64_t seed;
};

static inline unsigned int set_of(const struct cache *c, uint64_t address)
{
	unsigned int set = 0;

	if (!c->table)
		return (address >> c->shape.line_shift) & (c->shape.sets - 1);
	for (unsigned int i = 0; i < ADDRESS_BYTES; i++)
		set ^= c->table[i][address >> 8 * i & 0xff];
	return set;
}

static inline uint64_t tag_of(const struct cache *c, uint64_t address)
{
	return (address >> c->shape.line_shift) + 1;
}

static inline uint64_t *set_tags(const struct cache *c, const struct copy *copy, unsigned int set)
{
	return copy->tag + (size_t)set * c->shape.ways;
}

static bool keeps_order(const struct cache *c)
{
	return c->shape.policy == CACHE_LRU || c->shape.policy == CACHE_FIFO;
}

/* From the root, each node on the way is set to the half that @way is not in. */
static void point_away(uint64_t *tree, unsigned int way, unsigned int ways)
{
	unsigned int node = 1;

	for (unsigned int half = ways / 2; half; half /= 2) {
		unsigned int right = !!(way & half);

		if (right)
			*tree &= ~(1ull << node);
		else
			*tree |= 1ull << node;
		node = 2 * node + right;
	}
}

static unsigned int follow(uint64_t tree, unsigned int ways)
{
	unsigned int node = 1, way = 0;

	for (unsigned int half = ways / 2; half; half /= 2) {
		unsigned int right = tree >> node & 1;

		way += right * half;
		node = 2 * node + right;
	}
	return way;
}

/* xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators") */
static uint64_t next_random(uint64_t *x)
{
	*x ^= *x >> 12;
	*x ^= *x << 25;
	*x ^= *x >> 27;
	return *x * 0x2545f4914f6cdd1dull;
}

/* SplitMix64's finalizer: copies with neighboring numbers start far apart. */
static uint64_t scatter(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	x ^= x >> 31;
	return x ? x : 1;
}

/* Whether @tag is in the set; if so it has been used. */
static inline bool look_up(struct cache *c, struct copy *copy, unsigned int set, uint64_t tag)
{
	uint64_t *tags = set_tags(c, copy, set);
	unsigned int ways = c->shape.ways, way;

	for (way = 0; way < ways; way++) {
		if (tags[way] == tag)
			break;
	}
	if (way == ways)
		return false;
	if (c->shape.policy == CACHE_LRU) {
		for (; way; way--)
			tags[way] = tags[way - 1];
		tags[0] = tag;
	} else if (c->shape.policy == CACHE_PLRU) {
		point_away(&copy->tree[set], way, ways);
	}
	return true;
}

/* Puts @tag into the set; returns what had to leave, or 0. */
static uint64_t fill(struct cache *c, struct copy *copy, unsigned int set, uint64_t tag)
{
	uint64_t *tags = set_tags(c, copy, set), victim;
	unsigned int ways = c->shape.ways, way;

	if (keeps_order(c)) {
		victim = tags[ways - 1];
		memmove(tags + 1, tags, (ways - 1) * sizeof(*tags));
		tags[0] = tag;
		return victim;
	}
	for (way = 0; way < ways; way++) {
		if (!tags[way])
			break;
	}
	if (way == ways && c->shape.policy == CACHE_PLRU)
		way = follow(copy->tree[set], ways);
	else if (way == ways)
		way = (next_random(&copy->random) >> 32) * ways >> 32;
	if (c->shape.policy == CACHE_PLRU)
		point_away(&copy->tree[set], way, ways);
	victim = tags[way];
	tags[way] = tag;
	return victim;
}

static void drop(struct cache *c, struct copy *copy, uint64_t address)
{
	uint64_t *tags = set_tags(c, copy, set_of(c, address)), tag = tag_of(c, address);
	unsigned int ways = c->shape.ways;

	for (unsigned int way = 0; way < ways; way++) {
		if (tags[way] != tag)
			continue;
		if (keeps_order(c)) {
			memmove(tags + way, tags + way + 1, (ways - 1 - way) * sizeof(*tags));
			way = ways - 1;
		}
		tags[way] = 0;
		break;
	}
}

/* An inclusive cache lost a line: the caches before it lose all parts of it. */
static void drop_before(struct cache_model *m, struct cache *c, unsigned int cpu, uint64_t victim)
{
	uint64_t begin = (victim - 1) << c->shape.line_shift;

	for (struct cache *inner = m->caches; inner < c; inner++) {
		unsigned int n = c->shape.shared ? inner->nr_copies : 1;

		if (!(inner->shape.kinds & c->shape.kinds))
			continue;
		for (unsigned int i = 0; i < n; i++) {
			struct copy *copy = c->shape.shared ? &inner->copies[i] : inner->of_cpu[cpu];

			for (uint64_t at = 0; at < 1ull << c->shape.line_shift;
			     at += 1ull << inner->shape.line_shift)
				drop(inner, copy, begin + at);
		}
	}
}

static void touch(struct cache_model *m, struct cache *c, unsigned int cpu, enum cache_kind kind,
		  uint64_t address)
{
	struct copy *copy = c->of_cpu[cpu];
	uint64_t tag = tag_of(c, address), victim;
	unsigned int set = set_of(c, address);

	c->count[cpu].accesses++;
	if (look_up(c, copy, set, tag))
		return;
	c->count[cpu].misses++;
	/* The next first: what it throws out of here makes room here. */
	if (c->next[kind])
		touch(m, c->next[kind], cpu, kind, address);
	victim = fill(c, copy, set, tag);
	if (victim && c->shape.inclusive)
		drop_before(m, c, cpu, victim);
}

void cache_model_access(struct cache_model *m, unsigned int cpu, enum cache_kind kind,
			uint64_t address, unsigned int size)
{
	struct cache *c = m->first[kind];
	uint64_t last, line;

	if (!c)
		return;
	last = (address + size - 1) >> c->shape.line_shift;
	line = address >> c->shape.line_shift;
	touch(m, c, cpu, kind, address);
	while (line++ < last)
		touch(m, c, cpu, kind, line << c->shape.line_shift);
}

void cache_model_empty(struct cache_model *m)
{
	for (unsigned int n = 0; n < m->nr; n++) {
		struct cache *c = &m->caches[n];

		for (unsigned int i = 0; i < c->nr_copies; i++) {
			struct copy *copy = &c->copies[i];

			memset(copy->tag, 0, (size_t)c->shape.sets * c->shape.ways * sizeof(*copy->tag));
			if (copy->tree)
				memset(copy->tree, 0, c->shape.sets * sizeof(*copy->tree));
			copy->random = scatter(m->seed ^ (uint64_t)n << 32 ^ i);
		}
	}
}

static bool make_table(struct cache *c)
{
	c->table = calloc(ADDRESS_BYTES, sizeof(*c->table));
	if (!c->table)
		return false;
	for (unsigned int i = 0; i < ADDRESS_BYTES; i++) {
		for (unsigned int b = 0; b < 256; b++) {
			uint64_t bits = (uint64_t)b << 8 * i;

			for (unsigned int n = 0; 1u << n < c->shape.sets; n++)
				c->table[i][b] |= __builtin_parityll(bits & c->shape.mask[n]) << n;
		}
	}
	return true;
}

static bool make_copies(struct cache *c, unsigned int nr_cpus)
{
	c->nr_copies = c->shape.shared ? 1 : nr_cpus;
	c->copies = calloc(c->nr_copies, sizeof(*c->copies));
	c->of_cpu = calloc(nr_cpus, sizeof(struct copy *));
	c->count = calloc(nr_cpus, sizeof(*c->count));
	if (!c->copies || !c->of_cpu || !c->count)
		return false;
	for (unsigned int i = 0; i < c->nr_copies; i++) {
		struct copy *copy = &c->copies[i];

		copy->tag = calloc((size_t)c->shape.sets * c->shape.ways, sizeof(*copy->tag));
		if (c->shape.policy == CACHE_PLRU)
			copy->tree = calloc(c->shape.sets, sizeof(*copy->tree));
		if (!copy->tag || (c->shape.policy == CACHE_PLRU && !copy->tree))
			return false;
	}
	for (unsigned int cpu = 0; cpu < nr_cpus; cpu++)
		c->of_cpu[cpu] = &c->copies[c->shape.shared ? 0 : cpu];
	return !c->shape.xored || make_table(c);
}

/* Links @c behind the caches before it; @last are the ends of each kind's path. */
static bool link_cache(struct cache_model *m, struct cache *c, struct cache *last[], char *error)
{
	struct cache_shape *s = &c->shape;

	for (struct cache *other = m->caches; other < c; other++) {
		if (!strcmp(other->shape.name, s->name)) {
			snprintf(error, CACHE_ERROR_LEN, "%s: two caches of this name", s->name);
			return false;
		}
	}
	for (int kind = 0; kind < CACHE_NR_KINDS; kind++) {
		struct cache *before = last[kind];

		if (!(s->kinds & 1 << kind))
			continue;
		if (before && before->shape.shared && !s->shared) {
			snprintf(error, CACHE_ERROR_LEN, "%s: private, but %s before it is shared",
				 s->name, before->shape.name);
			return false;
		}
		if (before && before->shape.line_shift > s->line_shift) {
			snprintf(error, CACHE_ERROR_LEN, "%s: lines smaller than those of %s before it",
				 s->name, before->shape.name);
			return false;
		}
		if (before && s->level <= before->shape.level)
			s->level = before->shape.level + 1;
		if (before)
			before->next[kind] = c;
		else
			m->first[kind] = c;
		last[kind] = c;
	}
	if (!s->level)
		s->level = 1;
	if (s->inclusive && s->level == 1) {
		snprintf(error, CACHE_ERROR_LEN, "%s: inclusive, but no cache is before it", s->name);
		return false;
	}
	return true;
}

/* NULL: one is wrong.  An empty text has one description, an empty one. */
static struct cache *parse(const char *spec, unsigned int *nr, char *error)
{
	struct cache *caches = calloc(CACHE_MAX_LEVELS, sizeof(*caches));
	char *text = strdup(spec), *rest = text, *one;

	if (!caches || !text) {
		snprintf(error, CACHE_ERROR_LEN, "out of memory");
		goto fail;
	}
	while ((one = strsep(&rest, ","))) {
		if (*nr == CACHE_MAX_LEVELS) {
			snprintf(error, CACHE_ERROR_LEN, "%s: more than %d caches", one,
				 CACHE_MAX_LEVELS);
			goto fail;
		}
		if (!cache_shape_parse(&caches[*nr].shape, one, error))
			goto fail;
		++*nr;
	}
	free(text);
	return caches;
fail:
	free(caches);
	free(text);
	return NULL;
}

struct cache_model *cache_model_new(const char *spec, unsigned int nr_cpus, uint64_t seed,
				    char error[CACHE_ERROR_LEN])
{
	struct cache_model *m = calloc(1, sizeof(*m));
	struct cache *last[CACHE_NR_KINDS] = {};

	if (!m)
		goto no_memory;
	m->seed = seed;
	m->nr_cpus = nr_cpus;
	if (!nr_cpus || nr_cpus > CACHE_MAX_CPUS) {
		snprintf(error, CACHE_ERROR_LEN, "%u CPUs: not 1 to %d", nr_cpus, CACHE_MAX_CPUS);
		goto fail;
	}
	m->caches = parse(spec, &m->nr, error);
	if (!m->caches)
		goto fail;
	for (unsigned int i = 0; i < m->nr; i++) {
		if (!link_cache(m, &m->caches[i], last, error))
			goto fail;
	}
	for (unsigned int i = 0; i < m->nr; i++) {
		if (!make_copies(&m->caches[i], nr_cpus))
			goto no_memory;
	}
	cache_model_empty(m);
	return m;
no_memory:
	snprintf(error, CACHE_ERROR_LEN, "out of memory");
fail:
	cache_model_free(m);
	return NULL;
}

void cache_model_free(struct cache_model *m)
{
	if (!m)
		return;
	for (unsigned int n = 0; m->caches && n < CACHE_MAX_LEVELS; n++) {
		struct cache *c = &m->caches[n];

		for (unsigned int i = 0; c->copies && i < c->nr_copies; i++) {
			free(c->copies[i].tag);
			free(c->copies[i].tree);
		}
		free(c->copies);
		free(c->of_cpu);
		free(c->count);
		free(c->table);
	}
	free(m->caches);
	free(m);
}

unsigned int cache_model_nr(const struct cache_model *m)
{
	return m->nr;
}

const struct cache_shape *cache_model_shape(const struct cache_model *m, unsigned int cache)
{
	return &m->caches[cache].shape;
}

struct cache_count cache_model_count(const struct cache_model *m, unsigned int cache,
				     unsigned int cpu)
{
	return m->caches[cache].count[cpu];
}

unsigned int cache_model_line(const struct cache_model *m, enum cache_kind kind)
{
	return m->first[kind] ? 1u << m->first[kind]->shape.line_shift : 0;
}

bool cache_model_holds(const struct cache_model *m, unsigned int cache, unsigned int cpu,
		       uint64_t address)
{
	const struct cache *c = &m->caches[cache];
	const uint64_t *tags = set_tags(c, c->of_cpu[cpu], set_of(c, address));

	for (unsigned int way = 0; way < c->shape.ways; way++) {
		if (tags[way] == tag_of(c, address))
			return true;
	}
	return false;
}
