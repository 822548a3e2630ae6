// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Chunks that grow in memory until they are written: see chunks.h. */
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/perf/data_src.h"
#include "chunks.h"

/* Chains are kept in memory: above this number, only the instruction distinguishes sites. */
#define MAX_CHAINS	(1U << 20)
/* New numbers are written when they have so many bytes: a chunk has at most MEMPROF_MAX_CHUNK. */
#define NUMBERS_BYTES	(1U << 20)

struct known_thread {
	uint64_t key;		/* pid << 32 | tid */
	uint64_t cgroup;	/* of its last sample; 0: not known */
	uint64_t since;		/* earliest sample there that was read */
	uint32_t number;
	UT_hash_handle hh;
};

struct known_chain {
	uint32_t number, depth;
	UT_hash_handle hh;
	uint64_t frames[];
};

struct known_cgroup {
	uint64_t id;
	UT_hash_handle hh;
	char path[];
};

/* Levels as recordings have them. */
static const uint8_t record_level[NR_DATA_LEVELS] = {
	[DATA_UNKNOWN] = LEVEL_NA, [DATA_L1] = LEVEL_L1, [DATA_LFB] = LEVEL_BUFFER,
	[DATA_L2] = LEVEL_L2, [DATA_L2_MHB] = LEVEL_L2_BUFFER, [DATA_L3] = LEVEL_L3,
	[DATA_L4] = LEVEL_MEMORY_SIDE, [DATA_MSC] = LEVEL_MEMORY_SIDE,
	[DATA_LOCAL_CACHE] = LEVEL_L3_OR_PEER, [DATA_PEER_CACHE] = LEVEL_PEER_CACHE,
	[DATA_REMOTE_CACHE] = LEVEL_REMOTE_CACHE, [DATA_BEYOND_L3] = LEVEL_BEYOND_L3,
	[DATA_RAM] = LEVEL_RAM, [DATA_REMOTE_RAM] = LEVEL_REMOTE_RAM, [DATA_PMEM] = LEVEL_PMEM,
	[DATA_CXL] = LEVEL_CXL, [DATA_IO] = LEVEL_UNCACHED, [DATA_UNCACHED] = LEVEL_UNCACHED,
};

/** chunk_data_src() - where perf says that data were: op, level, hitm and tlb_miss of a sample */
void chunk_data_src(struct sample_record *r, uint64_t data_src)
{
	const struct data_src src = data_src_decode(data_src);

	/* A locked instruction reads and writes, even if perf reports a load. */
	r->op = src.locked ? 3 : src.load | src.store << 1;
	r->level = record_level[src.level];
	r->hitm = src.modified;
	r->tlb_miss = src.tlb_miss;
}

/** buffer_add() - room for a record.  Return: it, or NULL without memory */
void *buffer_add(struct buffer *b, size_t bytes)
{
	if (b->used + bytes > b->capacity) {
		size_t capacity = (b->capacity + bytes) * 2;
		char *data = realloc(b->data, capacity);

		if (!data)
			return NULL;
		b->data = data;
		b->capacity = capacity;
	}
	b->used += bytes;
	b->records++;
	return b->data + b->used - bytes;
}

/**
 * buffer_add_task() - a record of a task
 * @b: the chunk
 * @t: it; its size is set
 * @name: of the task or file, or NULL
 *
 * Return: 0, or -1 without memory.
 */
int buffer_add_task(struct buffer *b, const struct task_record *t, const char *name)
{
	const size_t length = name ? strlen(name) + 1 : 0, bytes = sizeof(*t) + ((length + 7) & ~7UL);
	struct task_record *to = buffer_add(b, bytes);

	if (!to)
		return -1;
	memcpy(to, t, sizeof(*t));
	to->bytes = bytes;
	memset(to->name, 0, bytes - sizeof(*t));
	if (name)
		memcpy(to->name, name, length);
	return 0;
}

/** buffer_flush() - write a chunk, if there is anything in it, and begin the next */
void buffer_flush(struct buffer *b, struct writer *w, enum chunk_type type, uint32_t stream,
		  uint64_t base, uint64_t last)
{
	if (b->used)
		writer_chunk(w, type, stream, base, last, b->records, &(struct iovec){ b->data, b->used }, 1);
	b->used = b->records = 0;
}

/** numbers_thread() - the number of a thread, THREAD_NONE without memory */
uint32_t numbers_thread(struct numbers *n, uint32_t pid, uint32_t tid)
{
	uint64_t key = (uint64_t)pid << 32 | tid;
	struct known_thread *t = n->last_thread;
	struct thread_record *record;

	if (t && t->key == key)
		return t->number;
	HASH_FIND(hh, n->threads, &key, sizeof(key), t);
	if (!t && n->nr_threads < THREAD_NONE) {
		t = calloc(1, sizeof(*t));
		record = t ? buffer_add(&n->new_threads, sizeof(*record)) : NULL;
		if (!record) {
			free(t);
			return THREAD_NONE;
		}
		t->key = key;
		t->number = n->nr_threads++;
		*record = (struct thread_record){ t->number, pid, tid };
		HASH_ADD(hh, n->threads, key, sizeof(key), t);
	}
	n->last_thread = t;
	return t ? t->number : THREAD_NONE;
}

/** numbers_chain() - the number of a call chain, 0 without memory */
uint32_t numbers_chain(struct numbers *n, const uint64_t *frames, uint32_t depth)
{
	const size_t bytes = depth * sizeof(*frames);
	struct known_chain *c;
	struct chain_record *record;

	if (depth > 1 && n->nr_chains >= MAX_CHAINS)
		return numbers_chain(n, frames, 1);
	HASH_FIND(hh, n->chains, frames, bytes, c);
	if (!c && n->nr_chains < UINT32_MAX) {
		c = malloc(sizeof(*c) + bytes);
		record = c ? buffer_add(&n->new_chains, sizeof(*record) + bytes) : NULL;
		if (!record) {
			free(c);
			return 0;
		}
		c->number = ++n->nr_chains;
		c->depth = depth;
		memcpy(c->frames, frames, bytes);
		*record = (struct chain_record){ c->number, depth };
		memcpy(record + 1, frames, bytes);
		HASH_ADD_KEYPTR(hh, n->chains, c->frames, bytes, c);
	}
	return c ? c->number : 0;
}

/**
 * numbers_moved() - whether it is to be recorded that a thread is in a control group
 * @n: the numbers
 * @pid: of its process
 * @tid: of it
 * @cgroup: the kernel's id of the group, kept for the next time; 0: not known
 * @time: when it was there; samples of another CPU may have been read that are later
 *
 * Return: true if the last sample that was read is of another one, or was later.
 */
bool numbers_moved(struct numbers *n, uint32_t pid, uint32_t tid, uint64_t cgroup, uint64_t time)
{
	struct known_thread *t;

	if (!cgroup || numbers_thread(n, pid, tid) == THREAD_NONE)
		return false;
	t = n->last_thread;
	if (t->cgroup == cgroup && time >= t->since)
		return false;
	t->cgroup = cgroup;
	t->since = time;
	return true;
}

/** numbers_ended() - a thread has ended: the next one of its number may be in any control group */
void numbers_ended(struct numbers *n, uint32_t pid, uint32_t tid)
{
	const uint64_t key = (uint64_t)pid << 32 | tid;
	struct known_thread *t;

	HASH_FIND(hh, n->threads, &key, sizeof(key), t);
	if (t)
		t->cgroup = 0;
}

/** numbers_cgroup() - the path of a control group, or NULL if it has none yet */
const char *numbers_cgroup(const struct numbers *n, uint64_t id)
{
	struct known_cgroup *g;

	HASH_FIND(hh, n->cgroups, &id, sizeof(id), g);
	return g ? g->path : NULL;
}

/** numbers_name_cgroup() - give a control group its path.  Return: it, or NULL without memory */
const char *numbers_name_cgroup(struct numbers *n, uint64_t id, const char *path)
{
	const size_t length = strnlen(path, MEMPROF_MAX_CGROUP);
	struct known_cgroup *g;

	HASH_FIND(hh, n->cgroups, &id, sizeof(id), g);
	if (g) {
		HASH_DEL(n->cgroups, g);
		free(g);
	}
	g = malloc(sizeof(*g) + length + 1);
	if (!g)
		return NULL;
	g->id = id;
	memcpy(g->path, path, length);
	g->path[length] = '\0';
	HASH_ADD(hh, n->cgroups, id, sizeof(id), g);
	return g->path;
}

/** numbers_flush() - write new numbers before the chunks that refer to them */
void numbers_flush(struct numbers *n, struct writer *w, uint64_t base, uint64_t last)
{
	buffer_flush(&n->new_threads, w, CHUNK_THREADS, 0, base, last);
	buffer_flush(&n->new_chains, w, CHUNK_CHAINS, 0, base, last);
}

/** numbers_flush_many() - write new numbers if there are many, be it before the samples that have them */
void numbers_flush_many(struct numbers *n, struct writer *w, uint64_t time)
{
	if (n->new_threads.used > NUMBERS_BYTES || n->new_chains.used > NUMBERS_BYTES)
		numbers_flush(n, w, time, time);
}

/** numbers_free() - forget all numbers */
void numbers_free(struct numbers *n)
{
	struct known_thread *t, *next_thread;
	struct known_chain *k, *next_chain;
	struct known_cgroup *g, *next_cgroup;

	HASH_ITER(hh, n->threads, t, next_thread) {
		HASH_DEL(n->threads, t);
		free(t);
	}
	HASH_ITER(hh, n->chains, k, next_chain) {
		HASH_DEL(n->chains, k);
		free(k);
	}
	HASH_ITER(hh, n->cgroups, g, next_cgroup) {
		HASH_DEL(n->cgroups, g);
		free(g);
	}
	free(n->new_threads.data);
	free(n->new_chains.data);
}
