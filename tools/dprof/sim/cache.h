/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Caches with least recently used replacement: set-associative and fully associative. */
#ifndef DPROF_CACHE_H
#define DPROF_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/hash.h"

/* The size and the shape of a cache. */
struct geometry {
	uint64_t size;			/* bytes */
	uint32_t ways, line;		/* line: bytes */
};

uint32_t geometry_sets(const struct geometry *g);
int geometry_parse(const char *text, struct geometry *g);

/* A line in a cache, and the object, type and trace of its last access. */
struct cache_line {
	uint64_t line, used;		/* used: time of the last access; 0: invalid */
	uint64_t base;
	uint32_t type, trace;
};

struct cache {
	uint32_t sets, ways;
	uint64_t clock;
	struct cache_line *lines;
};

int cache_init(struct cache *c, const struct geometry *g);
bool cache_access(struct cache *c, uint64_t line, const struct cache_line *owner);
bool cache_has(const struct cache *c, uint64_t line);
void cache_remove(struct cache *c, uint64_t line);
void cache_free(struct cache *c);

struct full_line;

struct full_cache {
	uint32_t capacity;
	struct full_line *lines;	/* the least recently used first */
};

int full_access(struct full_cache *c, uint64_t line);
void full_remove(struct full_cache *c, uint64_t line);
void full_free(struct full_cache *c);

#endif
