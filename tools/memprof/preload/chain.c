// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * Call chains of allocations.  Programs have no frame pointers to follow, and the
 * unwinder takes thousands of instructions: its result is kept with the places where
 * it found the return addresses.  While these are there, the chain is the same.
 */
#include <string.h>
#include <unwind.h>

#include "preload.h"

#define TABLE_SLOTS	(1U << 17)
#define MAX_CHAINS	(TABLE_SLOTS / 4 * 3)
#define MAX_WORDS	((uint64_t)MAX_CHAINS * 12)

struct walk {
	uintptr_t *slot;
	unsigned int depth;
	uintptr_t frame[MEMPROF_MAX_DEPTH], at[MEMPROF_MAX_DEPTH];
};

/*
 * A frame that the unwinder came back to: its return address is one word below the
 * CFA, which libgcc gives as that of the frame called last.  The library's own frames
 * come first and are left out.
 */
static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *arg)
{
	struct walk *w = arg;
	uintptr_t ip = _Unwind_GetIP(context);
	uintptr_t at = _Unwind_GetCFA(context) - sizeof(uintptr_t);

	if (!w->depth && at != (uintptr_t)w->slot)
		return _URC_NO_REASON;
	if (!ip)
		return _URC_END_OF_STACK;
	w->frame[w->depth] = ip;
	w->at[w->depth] = at;
	return ++w->depth == chain_depth ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static uint64_t hash_frames(const uintptr_t *frame, unsigned int depth)
{
	uint64_t h = depth;
	unsigned int i;

	/* FNV's step with SplitMix64's mixing. */
	for (i = 0; i < depth; i++) {
		h = (h ^ frame[i]) * 0x9e3779b97f4a7c15ULL;
		h ^= h >> 32;
	}
	return h;
}

enum { LOCK_FREE, LOCK_TAKEN, LOCK_ABANDONED };

/* Returns false if the lock stays taken: its owner may have been left by siglongjmp() in a signal handler. */
static bool lock(void)
{
	struct patience patience = { 0 };
	int is;

	do {
		is = LOCK_FREE;
		if (__atomic_compare_exchange_n(&process->chain_lock, &is, LOCK_TAKEN, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return true;
		if (is == LOCK_ABANDONED)
			return false;
	} while (ring_wait(&patience));
	is = LOCK_TAKEN;
	__atomic_compare_exchange_n(&process->chain_lock, &is, LOCK_ABANDONED, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
	return false;
}

static void unlock(void)
{
	__atomic_store_n(&process->chain_lock, LOCK_FREE, __ATOMIC_RELEASE);
}

/* The number of a chain; a new one is written to this thread's ring first. */
static uint32_t intern(const uintptr_t *frame, unsigned int depth)
{
	uint64_t h = hash_frames(frame, depth), *words;
	uint32_t slot, id = 0;
	unsigned int cpu;

	/* Here, where others need not wait for it: it may sleep until the recorder comes. */
	if (!ring_prepare(CHAIN_RECORDS(depth) + 2, ring_now(&cpu)))
		return 0;
	if (!lock())
		return 0;
	if (!process->chain_table) {
		process->chain_table = raw_map(TABLE_SLOTS * sizeof(uint32_t));
		process->chain_words = raw_map(MAX_WORDS * sizeof(uint64_t));
	}
	if (!process->chain_table || !process->chain_words)
		goto out;
	/* Word 0 is not used, so that 0 in the table is nothing. */
	if (!process->chain_words_used)
		process->chain_words_used = 1;
	for (slot = h % TABLE_SLOTS; process->chain_table[slot]; slot = (slot + 1) % TABLE_SLOTS) {
		words = process->chain_words + process->chain_table[slot];
		if ((uint32_t)words[0] == depth &&
		    !memcmp(words + 1, frame, depth * sizeof(*frame))) {
			id = words[0] >> 32;
			goto out;
		}
	}
	if (process->chain_count >= MAX_CHAINS ||
	    process->chain_words_used + depth + 1 > MAX_WORDS)
		goto out;
	/* Not reported, so not used: the next event with the chain tries again. */
	if (!ring_write_chain(process->chain_count + 1, depth, frame))
		goto out;
	id = ++process->chain_count;
	words = process->chain_words + process->chain_words_used;
	words[0] = (uint64_t)id << 32 | depth;
	memcpy(words + 1, frame, depth * sizeof(*frame));
	process->chain_table[slot] = process->chain_words_used;
	process->chain_words_used += depth + 1;
out:
	unlock();
	return id;
}

/**
 * chain_slow() - unwind, and remember where the frames were
 * @return_slot: where the return address of the interposed function is
 *
 * The caller is busy: what the unwinder allocates is no event.
 *
 * Return: the chain's number, 0 if there is no room for more chains.
 */
uint32_t chain_slow(uintptr_t *return_slot)
{
	struct walk w = { .slot = return_slot };
	struct chain_slot *c;
	unsigned int i;
	uint32_t id;

	_Unwind_Backtrace(step, &w);
	if (!w.depth) {
		/* No unwind table: the caller is known all the same. */
		w.frame[0] = *return_slot;
		w.at[0] = (uintptr_t)return_slot;
		w.depth = 1;
	}
	id = intern(w.frame, w.depth);
	if (!self.chains)
		self.chains = raw_map(CHAIN_SLOTS * sizeof(*self.chains));
	if (!self.chains || !id)
		return id;
	/* A chain too deep or too high on the stack to be checked is unwound each time. */
	if (w.depth > CHAIN_DEPTH)
		return id;
	for (i = 1; i < w.depth; i++)
		if (w.at[i] <= (uintptr_t)return_slot ||
		    (w.at[i] - (uintptr_t)return_slot) / sizeof(uintptr_t) > UINT16_MAX ||
		    *(uintptr_t *)w.at[i] != w.frame[i])
			return id;
	c = &self.chains[(*return_slot ^ (uintptr_t)return_slot >> 4) & (CHAIN_SLOTS - 1)];
	c->sp = (uintptr_t)return_slot;
	c->id = id;
	c->depth = w.depth;
	c->frame[0] = w.frame[0];
	c->at[0] = 0;
	for (i = 1; i < w.depth; i++) {
		c->frame[w.depth - i] = w.frame[i];
		c->at[w.depth - i] = (w.at[i] - (uintptr_t)return_slot) / sizeof(uintptr_t);
	}
	return id;
}
