// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Caches with least recently used replacement. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/numbers.h"
#include "cache.h"

/**
 * geometry_sets() - number of associativity sets
 * @g: the cache
 *
 * Return: the number.
 */
uint32_t geometry_sets(const struct geometry *g)
{
	return g->size / g->line / g->ways;
}

/**
 * geometry_parse() - parse the description of a cache
 * @text: SIZE:WAYS, such as 32K:8
 * @g: set to the cache; its lines have 64 bytes
 *
 * Return: 0, or -1 if @text is invalid: the number of sets must be a power of two.
 */
int geometry_parse(const char *text, struct geometry *g)
{
	const char *colon = strchr(text, ':');
	uint64_t sets, ways;
	char size[32];

	if (!colon || colon - text >= (int)sizeof(size))
		return -1;
	snprintf(size, sizeof(size), "%.*s", (int)(colon - text), text);
	if (parse_number(colon + 1, 1, 1024, &ways) || parse_size(size, &g->size) || g->size > 1ULL << 30)
		return -1;
	g->ways = ways;
	g->line = 64;
	sets = g->size / g->line / ways;
	return !sets || sets & (sets - 1) || sets * ways * g->line != g->size ? -1 : 0;
}

/**
 * cache_init() - initialize an empty cache
 * @c: the cache
 * @g: its geometry
 *
 * Return: 0, or -1 without memory.
 */
int cache_init(struct cache *c, const struct geometry *g)
{
	c->sets = geometry_sets(g);
	c->ways = g->ways;
	c->clock = 0;
	c->lines = calloc((size_t)c->sets * c->ways, sizeof(*c->lines));
	return c->lines ? 0 : -1;
}

static struct cache_line *find(const struct cache *c, uint64_t line)
{
	struct cache_line *set = c->lines + (line & (c->sets - 1)) * c->ways;
	uint32_t i;

	for (i = 0; i < c->ways; i++)
		if (set[i].used && set[i].line == line)
			return &set[i];
	return NULL;
}

/**
 * cache_has() - test whether a line is in a cache
 * @c: the cache
 * @line: address / 64
 *
 * Return: true if the line is in the cache.
 */
bool cache_has(const struct cache *c, uint64_t line)
{
	return find(c, line);
}

/**
 * cache_access() - access a line; a miss fills it
 * @c: the cache
 * @line: address / 64
 * @owner: the object, type and trace that the line is attributed to
 *
 * Return: true on a hit.
 */
bool cache_access(struct cache *c, uint64_t line, const struct cache_line *owner)
{
	struct cache_line *set = c->lines + (line & (c->sets - 1)) * c->ways, *oldest = set;
	struct cache_line *found = find(c, line);
	uint32_t i;

	for (i = 1; !found && i < c->ways; i++)
		if (set[i].used < oldest->used)
			oldest = &set[i];
	if (!found)
		*oldest = (struct cache_line){ .line = line };
	else
		oldest = found;
	oldest->used = ++c->clock;
	oldest->base = owner->base;
	oldest->type = owner->type;
	oldest->trace = owner->trace;
	return found;
}

/**
 * cache_remove() - invalidate a line
 * @c: the cache
 * @line: address / 64
 */
void cache_remove(struct cache *c, uint64_t line)
{
	struct cache_line *found = find(c, line);

	if (found)
		found->used = 0;
}

/**
 * cache_free() - free a cache
 * @c: the cache
 */
void cache_free(struct cache *c)
{
	free(c->lines);
}

/* uthash keeps the order of insertion, so the first entry is the least recently used. */
struct full_line {
	uint64_t line;
	UT_hash_handle hh;
};

/**
 * full_access() - access a line of a fully associative cache
 * @c: the cache; an empty cache is all 0 but @capacity, its size in lines
 * @line: address / 64
 *
 * Return: 1 on a hit, 0 on a miss, -1 without memory.
 */
int full_access(struct full_cache *c, uint64_t line)
{
	struct full_line *l, *oldest;

	HASH_FIND(hh, c->lines, &line, sizeof(line), l);
	if (l) {
		HASH_DELETE(hh, c->lines, l);
		HASH_ADD(hh, c->lines, line, sizeof(line), l);
		return 1;
	}
	if (HASH_COUNT(c->lines) >= c->capacity) {
		oldest = c->lines;
		HASH_DELETE(hh, c->lines, oldest);
		l = oldest;
	} else {
		l = malloc(sizeof(*l));
		if (!l)
			return -1;
	}
	memset(l, 0, sizeof(*l));
	l->line = line;
	HASH_ADD(hh, c->lines, line, sizeof(line), l);
	return 0;
}

/**
 * full_remove() - invalidate a line
 * @c: the cache
 * @line: address / 64
 */
void full_remove(struct full_cache *c, uint64_t line)
{
	struct full_line *l;

	HASH_FIND(hh, c->lines, &line, sizeof(line), l);
	if (l) {
		HASH_DELETE(hh, c->lines, l);
		free(l);
	}
}

/**
 * full_free() - free a cache
 * @c: the cache
 */
void full_free(struct full_cache *c)
{
	struct full_line *l, *next;

	HASH_ITER(hh, c->lines, l, next) {
		HASH_DELETE(hh, c->lines, l);
		free(l);
	}
}
