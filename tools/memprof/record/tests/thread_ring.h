/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * Rings of preloaded threads, made up for tests: records are appended, and what was written of them is
 * read back.  It has memprof/record/rings.c in it, whose own functions are tested.
 */
#ifndef MEMPROF_THREAD_RING_H
#define MEMPROF_THREAD_RING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memprof/record/rings.c"
#include "memprof/record/tests/written.h"

static struct recording recording;
static struct rings *rings;
/* Some time, of which rings and records are. */
static const uint64_t base = 5000000000;

static inline void begin(void)
{
	char error[256];

	memset(&recording, 0, sizeof(recording));
	recording.cgroup = -1;
	written_begin(&recording.writer);
	assert_int_equal(guard_begin("memprof", false), OK);
	rings = rings_new(&recording, error, sizeof(error));
	assert_non_null(rings);
	rings->tsc = false;
	memset(&rings->clock, 0, sizeof(rings->clock));
}

static inline void end(void)
{
	rings_close(rings);
	assert_int_equal(guard_undo(), OK);
	close(recording.writer.fd);
}

/* 3 ticks in 1 ns, then 3 in 2, then 3 in 1. */
static inline void begin_tsc(void)
{
	begin();
	rings->tsc = true;
	clock_add(&rings->clock, 3000, 10000);
	clock_add(&rings->clock, 3000003000, 1000010000);
	clock_add(&rings->clock, 6000003000, 3000010000);
	clock_add(&rings->clock, 9000003000, 4000010000);
}

static inline uint64_t tsc_ns(uint64_t tsc)
{
	if (tsc < 3000003000)
		return 10000 + (tsc - 3000) / 3;
	if (tsc < 6000003000)
		return 1000010000 + (tsc - 3000003000) * 2 / 3;
	return 3000010000 + (tsc - 6000003000) / 3;
}

static inline void name_path(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", rings_directory(rings), name);
}

static inline int make_file(const char *name, uint64_t bytes)
{
	char path[300];
	int fd;

	name_path(path, sizeof(path), name);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, bytes), 0);
	return fd;
}

static inline bool is_there(const char *name)
{
	char path[300];

	name_path(path, sizeof(path), name);
	return !access(path, F_OK);
}

static inline size_t bytes_of(uint64_t capacity)
{
	return RING_HEADER + capacity * sizeof(struct event_record);
}

static inline struct ring *map_ring(const char *name, uint64_t bytes)
{
	const int fd = make_file(name, bytes);
	struct ring *ring = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	assert_ptr_not_equal(ring, MAP_FAILED);
	close(fd);
	return ring;
}

/* A thread 43 of a process 42, which are not known to be gone: their namespace is another. */
static inline struct ring *new_ring(const char *name, uint64_t capacity)
{
	struct ring *ring = map_ring(name, bytes_of(capacity));

	*ring = (struct ring){ .magic = RING_MAGIC, .pid = 42, .tid = 43, .image = 9, .base = base,
			       .capacity = capacity, .clock = rings->tsc ? RING_TSC : RING_MONOTONIC };
	rings->reported_pid_ns = true;
	ring->pid_ns = rings->pid_ns + 1;
	return ring;
}

static inline void put(struct ring *ring, struct event_record e)
{
	struct event_record *records = (void *)((char *)ring + RING_HEADER);

	records[ring->head++ % ring->capacity] = e;
}

/* A record that says which it is in each field. */
static inline struct event_record event(uint64_t n)
{
	return (struct event_record){ .delta = 100 + 3 * n, .type = EVENT_ALLOC + n % 4, .cpu = n % 4096,
				      .flags = n % 16, .addr = 0x10000 + n * 64, .size = 64 + n, .chain = n % 5 };
}

static inline void put_events(struct ring *ring, uint64_t from, uint64_t n)
{
	uint64_t i;

	for (i = from; i < from + n; i++)
		put(ring, event(i));
}

static inline struct source_ring *found_ring(const char *name)
{
	struct source_ring *s;

	look_for_rings(rings);
	HASH_FIND_STR(rings->table, name, s);
	return s;
}

/* What of a ring is read at a time. */
static inline enum rings_found read_at(struct source_ring *s, uint64_t now)
{
	enum rings_found found;

	look_at_ring(s);
	shrinkable_begin(s->ring, s->bytes);
	found = read_ring(rings, s, now, false);
	assert_true(shrinkable_end());
	return found;
}

static inline const struct event_record *next_chunk(struct written *all, uint32_t stream, uint64_t base_ns, uint64_t last_ns,
						    uint32_t records)
{
	const struct chunk_header *h = written_next(all, CHUNK_EVENTS);

	assert_non_null(h);
	assert_int_equal(h->stream, stream);
	assert_int_equal(h->base_ns, base_ns);
	assert_int_equal(h->last_ns, last_ns);
	assert_int_equal(h->records, records);
	assert_int_equal(h->bytes, records * sizeof(struct event_record));
	return (const void *)(h + 1);
}

static inline void no_chunk(struct written *all)
{
	assert_null(written_next(all, CHUNK_EVENTS));
	written_end(all);
}

#endif
