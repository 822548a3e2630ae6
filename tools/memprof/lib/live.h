/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/* Which object is at an address now. */
#ifndef MEMPROF_LIVE_H
#define MEMPROF_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memprof/format.h"

#define LIVE_LEVELS	4
#define LIVE_SLOTS	256
#define LIVE_NO_THREAD	0xffffffU
#define LIVE_NO_OBJECT	UINT32_MAX

/**
 * struct live - an object that is there: half a cache line
 * @addr: of user memory
 * @cpu: of the allocation
 * @inherited: it came by fork()
 * @permanent: a variable
 * @size: bytes
 * @thread: that allocated it, LIVE_NO_THREAD if not known
 * @born: time
 * @chain: of the allocation
 * @object: its number once it was accessed, else LIVE_NO_OBJECT; in the list of free
 *	ones, the next
 * @words: all of it
 */
struct live {
	union {
		struct {
			uint64_t addr : 48, cpu : 12, inherited : 1, permanent : 1, reserved : 2;
			uint64_t size : 40, thread : 24;
			uint64_t born;
			uint32_t chain, object;
		};
		uint64_t words[4];
	};
};

/**
 * live_set() - an object that an event begins, of which no access is known
 *
 * In words: of bit fields the compiler writes parts, and reads the word again, which has to
 * wait until what was written is in the cache.
 */
static inline void live_set(struct live *l, const struct event_record *e, uint32_t thread, uint64_t born,
			    uint32_t chain)
{
	l->words[0] = (uint64_t)e->cpu << 48 | e->addr;
	l->words[1] = (uint64_t)thread << 40 | e->size;
	l->words[2] = born;
	l->words[3] = (uint64_t)LIVE_NO_OBJECT << 32 | chain;
}

/* Room for all of a recording; object 0 is none. */
struct live_pool {
	struct live *all;
	uint32_t used, capacity, free, live, max_live;
	struct live_page *free_pages;
	struct live_arena *arenas;
};

/* Its number and all bits are in one cache line. */
struct live_page {
	uint64_t number;
	uint64_t starts[LIVE_SLOTS / 64];
	uint32_t slot[LIVE_SLOTS];
} __attribute__((aligned(64)));

/* The number beside the pointer: a page that is not the one is not touched. */
struct live_entry {
	uint64_t number;
	struct live_page *page;
};

/* @back: how many pages before it an address' object may start, at most */
struct live_level {
	struct live_entry *table;
	size_t mask, pages, objects;
	unsigned int back;
	uint64_t last_number;
	struct live_page *last;
};

struct live_map {
	struct live_pool *pool;
	struct live_level level[LIVE_LEVELS];
};

int live_pool_init(struct live_pool *p);
void live_pool_free(struct live_pool *p);

/* Told when an object makes way for another that overlaps it. */
typedef void (*live_gone)(void *arg, uint32_t live);

void live_map_init(struct live_map *m, struct live_pool *pool);
void live_map_free(struct live_map *m, live_gone gone, void *arg);
uint32_t live_insert(struct live_map *m, uint64_t addr, uint64_t size, live_gone gone, void *arg);
uint32_t live_at(struct live_map *m, uint64_t addr);
uint32_t live_find(struct live_map *m, uint64_t addr);
void live_remove(struct live_map *m, uint32_t live);
void live_fetch_entry(const struct live_map *m, uint64_t addr);
struct live_page *live_fetch_page(const struct live_map *m, uint64_t addr);
void live_fetch_object(const struct live_map *m, const struct live_page *p, uint64_t addr);
void live_expect(struct live_map *m, struct live_page *p);
int live_map_copy(struct live_map *to, const struct live_map *from);
void live_remove_range(struct live_map *m, uint64_t start, uint64_t end, live_gone gone, void *arg);

#endif
