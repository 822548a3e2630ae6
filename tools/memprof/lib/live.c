// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * Which object is at an address now.
 *
 * Five million objects come and go in a recording, and each access asks.  So no tree:
 * a page of 256 slots, found by hashing, has a slot and a bit for each place where an
 * object may start.  The object of an address is the one that starts last at or before
 * it: the highest bit below, in its page or one of the 16 before, since larger objects
 * are in coarser pages:
 *
 *	level	slot	page	objects
 *	0	8 B	2 KiB	to 32 KiB
 *	1	4 KiB	1 MiB	to 16 MiB
 *	2	2 MiB	512 MiB	to 8 GiB
 *	3	1 GiB	256 GiB	to 4 TiB
 *
 * An object of level 1 and on is larger than a slot: two never start in one.  All
 * operations take constant time but those on ranges.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "live.h"

#define unlikely(x)	__builtin_expect(!!(x), 0)

static const unsigned int slot_shift[LIVE_LEVELS] = { 3, 12, 21, 30 };

#define PAGES_BACK	16
#define page_shift(level)	(slot_shift[level] + 8)

static unsigned int level_of(uint64_t size)
{
	unsigned int level = 0;

	while (level < LIVE_LEVELS - 1 && size > (uint64_t)PAGES_BACK << page_shift(level))
		level++;
	return level;
}

/** live_pool_init() - make an empty pool.  Return: 0, or -1 without memory */
int live_pool_init(struct live_pool *p)
{
	memset(p, 0, sizeof(*p));
	p->capacity = 4096;
	p->used = 1;
	/* None is in two cache lines. */
	p->all = aligned_alloc(64, p->capacity * sizeof(*p->all));
	return p->all ? 0 : -1;
}

/*
 * Pages come from large pieces of memory: a look-up is a walk over lines far apart, and
 * with small pages of memory each would miss the TLB as well.
 */
#define ARENA_BYTES	(2UL << 20)

struct live_arena {
	struct live_arena *next;
	size_t used;
	struct live_page pages[];
};

static struct live_page *take_page(struct live_pool *pool)
{
	const size_t capacity = (ARENA_BYTES - sizeof(struct live_arena)) / sizeof(struct live_page);
	struct live_page *p = pool->free_pages;
	struct live_arena *a = pool->arenas;

	if (p) {
		memcpy(&pool->free_pages, p->slot, sizeof(p));
		return p;
	}
	if (!a || a->used == capacity) {
		a = aligned_alloc(ARENA_BYTES, ARENA_BYTES);
		if (!a)
			return NULL;
		madvise(a, ARENA_BYTES, MADV_HUGEPAGE);
		a->next = pool->arenas;
		a->used = 0;
		pool->arenas = a;
	}
	return &a->pages[a->used++];
}

static void give_back_page(struct live_pool *pool, struct live_page *p)
{
	memcpy(p->slot, &pool->free_pages, sizeof(p));
	pool->free_pages = p;
}

/** live_pool_free() - forget all objects */
void live_pool_free(struct live_pool *p)
{
	struct live_arena *a, *next;

	for (a = p->arenas; a; a = next) {
		next = a->next;
		free(a);
	}
	free(p->all);
}

/* One that was none before. */
static __attribute__((noinline)) uint32_t take_new(struct live_pool *p)
{
	if (p->used == p->capacity) {
		struct live *all;

		const size_t bytes = p->capacity * sizeof(*all);

		if (p->capacity > UINT32_MAX / 2)
			return 0;
		all = aligned_alloc(2 * bytes < ARENA_BYTES ? 64 : ARENA_BYTES, 2 * bytes);
		if (!all)
			return 0;
		if (2 * bytes >= ARENA_BYTES)
			madvise(all, 2 * bytes, MADV_HUGEPAGE);
		memcpy(all, p->all, bytes);
		free(p->all);
		p->all = all;
		p->capacity *= 2;
	}
	return p->used++;
}

static inline uint32_t take(struct live_pool *p)
{
	uint32_t i = p->free;

	if (i)
		p->free = p->all[i].object;
	else if (!(i = take_new(p)))
		return 0;
	if (++p->live > p->max_live)
		p->max_live = p->live;
	return i;
}

static void give_back(struct live_pool *p, uint32_t i)
{
	p->all[i].object = p->free;
	p->free = i;
	p->live--;
}

static size_t hash(uint64_t number)
{
	return number * 0x9e3779b97f4a7c15ULL >> 24;
}

static __attribute__((noinline)) struct live_page *look_up_page(struct live_level *l, uint64_t number)
{
	struct live_page *p;
	size_t i;

	if (!l->table)
		return NULL;
	for (i = hash(number) & l->mask; (p = l->table[i].page); i = (i + 1) & l->mask)
		if (l->table[i].number == number) {
			l->last = p;
			l->last_number = number;
			return p;
		}
	return NULL;
}

/* Most were looked for before, by live_fetch_page(). */
static inline struct live_page *find_page(struct live_level *l, uint64_t number)
{
	return l->last && l->last_number == number ? l->last : look_up_page(l, number);
}

static int grow(struct live_level *l)
{
	size_t capacity = l->table ? 2 * (l->mask + 1) : 64, i, k;
	struct live_entry *table = calloc(capacity, sizeof(*table));

	if (!table)
		return -1;
	for (i = 0; l->table && i <= l->mask; i++) {
		if (!l->table[i].page)
			continue;
		for (k = hash(l->table[i].number) & (capacity - 1); table[k].page; k = (k + 1) & (capacity - 1))
			;
		table[k] = l->table[i];
	}
	free(l->table);
	l->table = table;
	l->mask = capacity - 1;
	return 0;
}

static __attribute__((noinline)) struct live_page *make_page(struct live_pool *pool, struct live_level *l,
							     uint64_t number)
{
	struct live_page *p;
	size_t i;

	if ((!l->table || l->pages * 2 > l->mask) && grow(l))
		return NULL;
	/* The slots need no value: the bits say which count. */
	p = take_page(pool);
	if (!p)
		return NULL;
	p->number = number;
	memset(p->starts, 0, sizeof(p->starts));
	for (i = hash(number) & l->mask; l->table[i].page; i = (i + 1) & l->mask)
		;
	l->table[i] = (struct live_entry){ number, p };
	l->pages++;
	l->last = p;
	l->last_number = number;
	return p;
}

/*
 * What follows has the processor fetch what soon will be asked for.  Each needs what the
 * one before brought, so there are other records between them.  Only small objects are
 * worth it.
 */

/** live_fetch_entry() - the table entry for the page of an address */
void live_fetch_entry(const struct live_map *m, uint64_t addr)
{
	const struct live_level *l = &m->level[0];

	if (l->table)
		__builtin_prefetch(&l->table[hash(addr >> page_shift(0)) & l->mask]);
}

/** live_fetch_page() - the address' place in its page.  Return: the page, NULL if none */
struct live_page *live_fetch_page(const struct live_map *m, uint64_t addr)
{
	const struct live_level *l = &m->level[0];
	const uint64_t number = addr >> page_shift(0);
	const unsigned int slot = (addr >> slot_shift[0]) % LIVE_SLOTS;
	struct live_page *p;
	size_t i;

	if (!l->table)
		return NULL;
	for (i = hash(number) & l->mask; (p = l->table[i].page); i = (i + 1) & l->mask)
		if (l->table[i].number == number) {
			__builtin_prefetch(p->starts, 1);
			__builtin_prefetch(&p->slot[slot], 1);
			return p;
		}
	return NULL;
}

/** live_fetch_object() - what is at the address */
void live_fetch_object(const struct live_map *m, const struct live_page *p, uint64_t addr)
{
	const unsigned int slot = (addr >> slot_shift[0]) % LIVE_SLOTS;
	/* It starts here, or in the word of bits before the address. */
	const uint64_t bits = p->starts[slot / 64] & (~UINT64_C(0) >> (63 - slot % 64));

	if (bits)
		__builtin_prefetch(&m->pool->all[p->slot[slot / 64 * 64 + 63 - __builtin_clzll(bits)]], 1);
}

/** live_expect() - the next that is asked for is in this page, of live_fetch_page() */
void live_expect(struct live_map *m, struct live_page *p)
{
	m->level[0].last = p;
	m->level[0].last_number = p->number;
}

/** live_map_init() - make an empty map, whose objects are in a pool */
void live_map_init(struct live_map *m, struct live_pool *pool)
{
	memset(m, 0, sizeof(*m));
	m->pool = pool;
}

/* For each object of a page. */
#define for_each_slot(page, w, bits, slot)					\
	for (w = 0; w < LIVE_SLOTS / 64; w++)					\
		for (bits = (page)->starts[w];					\
		     bits && (slot = w * 64 + __builtin_ctzll(bits), 1); bits &= bits - 1)

/** live_map_free() - forget a map and its objects, after telling of each */
void live_map_free(struct live_map *m, live_gone gone, void *arg)
{
	unsigned int level, w, slot;
	uint64_t bits;
	size_t i;

	for (level = 0; level < LIVE_LEVELS; level++) {
		struct live_level *l = &m->level[level];

		for (i = 0; l->table && i <= l->mask; i++) {
			struct live_page *p = l->table[i].page;

			if (!p)
				continue;
			for_each_slot(p, w, bits, slot) {
				if (gone)
					gone(arg, p->slot[slot]);
				give_back(m->pool, p->slot[slot]);
			}
			give_back_page(m->pool, p);
		}
		free(l->table);
	}
	live_map_init(m, m->pool);
}

/* Objects of a page that start in slots first to last are gone. */
static void clear_slots(struct live_map *m, struct live_level *l, struct live_page *p,
			unsigned int first, unsigned int last, live_gone gone, void *arg)
{
	unsigned int w;

	for (w = first / 64; w <= last / 64; w++) {
		uint64_t bits = p->starts[w];

		if (!bits)
			continue;
		if (w == first / 64)
			bits &= ~UINT64_C(0) << first % 64;
		if (w == last / 64)
			bits &= ~UINT64_C(0) >> (63 - last % 64);
		p->starts[w] &= ~bits;
		for (; bits; bits &= bits - 1) {
			uint32_t i = p->slot[w * 64 + __builtin_ctzll(bits)];

			if (gone)
				gone(arg, i);
			give_back(m->pool, i);
			l->objects--;
		}
	}
}

/* live_insert() into a level: the compiler makes one of it for the lowest. */
static inline __attribute__((always_inline))
uint32_t insert(struct live_map *m, const unsigned int level, uint64_t addr, uint64_t size,
		live_gone gone, void *arg)
{
	const unsigned int shift = slot_shift[level];
	struct live_level *l = &m->level[level];
	const uint64_t end = addr + (size ? size - 1 : 0);
	uint64_t last_slot = end >> shift, number;
	unsigned int slot = (addr >> shift) % LIVE_SLOTS, last;
	struct live_page *p = find_page(l, addr >> page_shift(level)), *q;
	struct live *o;
	uint32_t i;

	if (unlikely(!p))
		p = make_page(m->pool, l, addr >> page_shift(level));
	if (unlikely(!p))
		return 0;
	/* In coarse slots the last one may be the next object's. */
	if (level && last_slot > addr >> shift && ((addr + size) & ((1ULL << shift) - 1)))
		last_slot--;
	number = last_slot / LIVE_SLOTS;
	last = number == p->number ? last_slot % LIVE_SLOTS : LIVE_SLOTS - 1;
	/* Most are within a word of bits that are all clear. */
	if (last / 64 != slot / 64 ||
	    p->starts[slot / 64] >> slot % 64 << slot % 64 & ~UINT64_C(0) >> (63 - last % 64))
		clear_slots(m, l, p, slot, last, gone, arg);
	for (; number > p->number; number--) {
		q = find_page(l, number);
		if (q)
			clear_slots(m, l, q, 0, number == last_slot / LIVE_SLOTS ?
				    last_slot % LIVE_SLOTS : LIVE_SLOTS - 1, gone, arg);
	}
	i = take(m->pool);
	if (unlikely(!i))
		return 0;
	if (unlikely((end >> page_shift(level)) - p->number > l->back))
		l->back = (end >> page_shift(level)) - p->number;
	p->starts[slot / 64] |= UINT64_C(1) << slot % 64;
	p->slot[slot] = i;
	l->objects++;
	o = &m->pool->all[i];
	o->addr = addr;
	o->size = size;
	return i;
}

/**
 * live_insert() - an object begins
 * @m: the map
 * @addr: first byte
 * @size: bytes
 * @gone: called for objects of the size's level that start in it: their end was missed
 * @arg: for @gone
 *
 * Return: it, with only @addr and @size set, or 0 without memory.
 */
uint32_t live_insert(struct live_map *m, uint64_t addr, uint64_t size, live_gone gone, void *arg)
{
	const unsigned int level = level_of(size);

	return level ? insert(m, level, addr, size, gone, arg) : insert(m, 0, addr, size, gone, arg);
}

/** live_at() - the object that starts at an address, 0 if none does */
uint32_t live_at(struct live_map *m, uint64_t addr)
{
	unsigned int level, slot;
	struct live_page *p;

	for (level = 0; level < LIVE_LEVELS; level++) {
		if (!m->level[level].objects)
			continue;
		p = find_page(&m->level[level], addr >> page_shift(level));
		slot = (addr >> slot_shift[level]) % LIVE_SLOTS;
		if (p && p->starts[slot / 64] >> slot % 64 & 1 &&
		    m->pool->all[p->slot[slot]].addr == addr)
			return p->slot[slot];
	}
	return 0;
}

/* The last object of a page that starts in a slot up to this one. */
static uint32_t last_start(const struct live_page *p, unsigned int slot)
{
	int w = slot / 64;
	uint64_t bits = p->starts[w] & (~UINT64_C(0) >> (63 - slot % 64));

	while (!bits && --w >= 0)
		bits = p->starts[w];
	return bits ? p->slot[w * 64 + 63 - __builtin_clzll(bits)] : 0;
}

/** live_find() - the object that an address is in, 0 if it is in none */
uint32_t live_find(struct live_map *m, uint64_t addr)
{
	unsigned int level, back;

	for (level = 0; level < LIVE_LEVELS; level++) {
		struct live_level *l = &m->level[level];
		uint64_t number = addr >> page_shift(level);
		unsigned int slot = (addr >> slot_shift[level]) % LIVE_SLOTS;

		if (!l->objects)
			continue;
		for (back = 0; back <= l->back && back <= number; back++) {
			struct live_page *p = find_page(l, number - back);
			uint32_t i = p ? last_start(p, back ? LIVE_SLOTS - 1 : slot) : 0;
			const struct live *o = &m->pool->all[i];

			if (!i)
				continue;
			/* In a coarse slot it may start behind the address. */
			if (o->addr > addr && !back && slot) {
				i = last_start(p, slot - 1);
				o = &m->pool->all[i];
				if (!i)
					continue;
			} else if (o->addr > addr) {
				continue;
			}
			if (addr - o->addr < o->size)
				return i;
			break;
		}
	}
	return 0;
}

/** live_remove() - an object ends */
void live_remove(struct live_map *m, uint32_t i)
{
	const struct live *o = &m->pool->all[i];
	const unsigned int level = level_of(o->size);
	const unsigned int slot = (o->addr >> slot_shift[level]) % LIVE_SLOTS;
	struct live_page *p = find_page(&m->level[level], o->addr >> page_shift(level));

	if (!p || !(p->starts[slot / 64] >> slot % 64 & 1) || p->slot[slot] != i)
		return;
	p->starts[slot / 64] &= ~(UINT64_C(1) << slot % 64);
	m->level[level].objects--;
	give_back(m->pool, i);
}

/** live_remove_range() - objects that start in a range end, after telling of each */
void live_remove_range(struct live_map *m, uint64_t start, uint64_t end, live_gone gone, void *arg)
{
	unsigned int level;
	size_t i;

	if (start >= end)
		return;
	for (level = 0; level < LIVE_LEVELS; level++) {
		struct live_level *l = &m->level[level];
		const unsigned int shift = slot_shift[level];
		uint64_t first = (start + (1ULL << shift) - 1) >> shift, last = (end - 1) >> shift;
		uint64_t number, pages = last / LIVE_SLOTS - first / LIVE_SLOTS + 1;

		if (!l->objects || first > last)
			continue;
		/* Whichever is less: pages that there are, or that there could be. */
		for (i = 0; i <= l->mask && pages > l->pages; i++) {
			struct live_page *p = l->table[i].page;

			if (p && p->number >= first / LIVE_SLOTS && p->number <= last / LIVE_SLOTS)
				clear_slots(m, l, p,
					    p->number == first / LIVE_SLOTS ? first % LIVE_SLOTS : 0,
					    p->number == last / LIVE_SLOTS ? last % LIVE_SLOTS :
					    LIVE_SLOTS - 1, gone, arg);
		}
		for (number = first / LIVE_SLOTS;
		     number <= last / LIVE_SLOTS && pages <= l->pages; number++) {
			struct live_page *p = find_page(l, number);

			if (p)
				clear_slots(m, l, p,
					    number == first / LIVE_SLOTS ? first % LIVE_SLOTS : 0,
					    number == last / LIVE_SLOTS ? last % LIVE_SLOTS :
					    LIVE_SLOTS - 1, gone, arg);
		}
	}
}

/**
 * live_map_copy() - the objects of a process that forks
 * @to: an empty map
 * @from: the parent's
 *
 * Return: 0, or -1 without memory.
 */
int live_map_copy(struct live_map *to, const struct live_map *from)
{
	unsigned int level, w, slot;
	uint64_t bits;
	size_t i;

	for (level = 0; level < LIVE_LEVELS; level++) {
		const struct live_level *l = &from->level[level];

		for (i = 0; l->objects && i <= l->mask; i++) {
			struct live_page *p = l->table[i].page;

			if (!p)
				continue;
			for_each_slot(p, w, bits, slot) {
				struct live o = from->pool->all[p->slot[slot]];
				uint32_t n = live_insert(to, o.addr, o.size, NULL, NULL);

				if (!n)
					return -1;
				o.object = LIVE_NO_OBJECT;
				o.inherited = true;
				to->pool->all[n] = o;
			}
		}
	}
	return 0;
}
