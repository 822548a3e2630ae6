/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * What a recorder wrote, read back chunk by chunk, of a file in memory without a file header; and events
 * that are compared field by field.
 */
#ifndef MEMPROF_WRITTEN_H
#define MEMPROF_WRITTEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memprof/record/writer.h"

struct written {
	char *data;
	size_t bytes, at;
	char *chunk;		/* the last one: in a file they are not aligned */
};

static inline void written_begin(struct writer *w)
{
	memset(w, 0, sizeof(*w));
	w->fd = memfd_create("written", MFD_CLOEXEC);
	if (w->fd < 0)
		abort();
}

/* All of it so far, to be freed by written_end(). */
static inline struct written written_read(const struct writer *w)
{
	struct written all = { .data = NULL };
	struct stat st;

	if (w->error || fstat(w->fd, &st))
		abort();
	all.bytes = st.st_size;
	all.data = malloc(all.bytes + 1);
	if (!all.data || pread(w->fd, all.data, all.bytes, 0) != (ssize_t)all.bytes)
		abort();
	return all;
}

static inline void written_end(struct written *all)
{
	free(all->data);
	free(all->chunk);
	all->data = all->chunk = NULL;
}

/* The next chunk of a type, or of any (0), until the next call; its records are behind it.  NULL: there is none. */
static inline const struct chunk_header *written_next(struct written *all, int type)
{
	struct chunk_header h;

	while (all->at < all->bytes) {
		if (all->bytes - all->at < sizeof(h))
			abort();
		memcpy(&h, all->data + all->at, sizeof(h));
		if (h.magic != MEMPROF_CHUNK_MAGIC || all->bytes - all->at - sizeof(h) < h.bytes)
			abort();
		free(all->chunk);
		all->chunk = malloc(sizeof(h) + h.bytes);
		if (!all->chunk)
			abort();
		memcpy(all->chunk, all->data + all->at, sizeof(h) + h.bytes);
		all->at += sizeof(h) + h.bytes;
		if (!type || h.type == type)
			return (const void *)all->chunk;
	}
	return NULL;
}

/* The next loss that is reported, in a chunk of its own. */
static inline const struct chunk_header *written_lost(struct written *all, struct lost_record *lost)
{
	const struct chunk_header *h = written_next(all, CHUNK_LOST);

	assert_non_null(h);
	memcpy(lost, h + 1, sizeof(*lost));
	return h;
}

/* Of whose events a stream is: chunk @h. */
static inline struct stream_record written_stream(const struct chunk_header *h)
{
	struct stream_record stream;

	assert_non_null(h);
	assert_int_equal(h->type, CHUNK_STREAM);
	memcpy(&stream, h + 1, sizeof(stream));
	return stream;
}

/* That record @i has these fields. */
static inline void event_is(const struct event_record *e, struct event_record same, uint64_t i)
{
	if (memcmp(e, &same, sizeof(same)))
		fail_msg("record %lu: type %u, delta %lu, addr %lx, size %lu, wait %u, flags %u, chain %u, cpu %u, not "
			 "type %u, delta %lu, addr %lx, size %lu, wait %u, flags %u, chain %u, cpu %u", i,
			 e->type, (uint64_t)e->delta, (uint64_t)e->addr, (uint64_t)e->size, e->wait, e->flags, e->chain, e->cpu,
			 same.type, (uint64_t)same.delta, (uint64_t)same.addr, (uint64_t)same.size, same.wait, same.flags,
			 same.chain, same.cpu);
}

#endif
