/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* trace.dat files of versions 6 and 7, written byte by byte, for tests of readers. */
#ifndef MEMSCOPE_TRACE_BYTES_H
#define MEMSCOPE_TRACE_BYTES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES	4096
#define LOST		(UINT64_C(1) << 31)	/* events were lost before the page */
#define LOST_STORED	(UINT64_C(1) << 30)	/* how many is behind its events */

#ifndef BYTES_CAPACITY
#define BYTES_CAPACITY (1 << 17)
#endif

struct bytes {
	unsigned char b[BYTES_CAPACITY];
	uint32_t size;
};

static inline void has_capacity(const struct bytes *f, uint32_t bytes)
{
	if (bytes <= BYTES_CAPACITY - f->size)
		return;
	fprintf(stderr, "more than %d bytes of a file that is made up\n", BYTES_CAPACITY);
	abort();
}

static inline void put(struct bytes *f, uint64_t v, int bytes)
{
	has_capacity(f, bytes);
	for (; bytes--; v >>= 8)
		f->b[f->size++] = v;
}

static inline void put_data(struct bytes *f, const void *data, uint32_t size)
{
	has_capacity(f, size);
	memcpy(f->b + f->size, data, size);
	f->size += size;
}

/* With its end. */
static inline void put_string(struct bytes *f, const char *s)
{
	put_data(f, s, strlen(s) + 1);
}

/* Overwrite what is there. */
static inline void put_at(struct bytes *f, uint32_t at, uint64_t v, int bytes)
{
	for (; bytes--; v >>= 8)
		f->b[at++] = v;
}

static inline void put_align(struct bytes *f, uint32_t to)
{
	while (f->size % to)
		put(f, 0, 1);
}

/* A page of the ring buffer: page_begin(), entries, page_end(). */
static inline uint32_t page_begin(struct bytes *f, uint64_t time)
{
	uint32_t page = f->size;

	put(f, time, 8);
	put(f, 0, 8);
	return page;
}

static inline void page_end(struct bytes *f, uint32_t page, uint64_t flags, uint64_t lost)
{
	put_at(f, page + 8, (f->size - page - 16) | flags, 8);
	if (flags & LOST_STORED)
		put(f, lost, 8);
	while (f->size < page + PAGE_BYTES)
		put(f, 0, 1);
}

static inline void put_head(struct bytes *f, uint32_t type, uint32_t delta)
{
	put(f, type | delta << 5, 4);
}

/* What an event has before its own fields: its id, flags, and process. */
static inline void put_common(struct bytes *f, int id)
{
	put(f, id, 2);
	put(f, 0, 2);
	put(f, 1, 4);
}

/* An event of 12 bytes with a value. */
static inline void put_event(struct bytes *f, uint32_t delta, uint32_t value)
{
	put_head(f, 3, delta);
	put_common(f, 7);
	put(f, value, 4);
}

#define FORMAT_COMMON								\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"	\
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"	\
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define FORMAT_VALUE	"name: value\nID: 7\nformat:\n" FORMAT_COMMON		\
	"\tfield:unsigned int value;\toffset:8;\tsize:4;\tsigned:0;\n\n"	\
	"print fmt: \"%u\", REC->value\n"

#define HEADER_PAGE								\
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"		\
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"		\
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"		\
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n"

static inline void put_formats(struct bytes *f, const char *system, const char *const *formats, int n)
{
	put(f, 2, 4);
	put_string(f, "other");
	put(f, 1, 4);
	put(f, 5, 8);
	put_data(f, "what?", 5);
	put_string(f, system);
	put(f, n, 4);
	for (; n--; formats++) {
		put(f, strlen(*formats), 8);
		put_data(f, *formats, strlen(*formats));
	}
}

static inline void put_magic(struct bytes *f, const char *version)
{
	memset(f, 0, sizeof(*f));
	put_data(f, "\027\010\104tracing", 10);
	put_string(f, version);
	put(f, 0, 1);
	put(f, 8, 1);
	put(f, PAGE_BYTES, 4);
}

/*
 * All of version 6 before the events, which begin on the next page.  Return: where the table
 * of CPUs is, an offset and a size for each.
 */
static inline uint32_t put_v6(struct bytes *f, const char *system, const char *const *formats,
			      int n, int cpus)
{
	uint32_t table;

	put_magic(f, "6");
	put_string(f, "header_page");
	put(f, strlen(HEADER_PAGE), 8);
	put_data(f, HEADER_PAGE, strlen(HEADER_PAGE));
	put_string(f, "header_event");
	put(f, 2, 8);
	put_data(f, "#\n", 2);
	put(f, 1, 4);
	put(f, 4, 8);
	put_data(f, "fghi", 4);
	put_formats(f, system, formats, n);
	put(f, 12, 4);
	put_data(f, "ffff T start", 12);
	put(f, 0, 4);
	put(f, 0, 8);
	put(f, cpus, 4);
	put_string(f, "options  ");
	put(f, 5, 2);
	put(f, 8, 4);
	put_data(f, "machine", 8);
	put(f, 0, 2);
	put_string(f, "flyrecord");
	table = f->size;
	for (; cpus--; put(f, 0, 8))
		put(f, 0, 8);
	put_align(f, PAGE_BYTES);
	return table;
}

/* A CPU's data, from @begin to the end of what was written. */
static inline void put_cpu(struct bytes *f, uint32_t table, int cpu, uint32_t begin)
{
	put_at(f, table + 16 * cpu, begin, 8);
	put_at(f, table + 16 * cpu + 8, f->size - begin, 8);
}

/* A frame of zstd; its one block is not packed. */
static inline uint32_t zstd(unsigned char *to, const struct bytes *from)
{
	struct bytes *f = calloc(1, sizeof(*f));
	uint32_t size;

	put(f, 0xfd2fb528, 4);
	put(f, 0xa0, 1);			/* one segment, size of 4 bytes */
	put(f, from->size, 4);
	put(f, 1 | from->size << 3, 3);		/* the last block, raw */
	put_data(f, from->b, from->size);
	memcpy(to, f->b, f->size);
	size = f->size;
	free(f);
	return size;
}

/* A section of version 7: section_begin(), its data, section_end(). */
static inline uint32_t section_begin(struct bytes *f, int id, int flags)
{
	uint32_t section = f->size;

	put(f, id, 2);
	put(f, flags, 2);
	put(f, 0, 4);
	put(f, 0, 8);
	return section;
}

static inline void section_end(struct bytes *f, uint32_t section)
{
	put_at(f, section + 8, f->size - section - 16, 8);
}

static inline void put_option(struct bytes *f, int id, uint32_t size)
{
	put(f, id, 2);
	put(f, size, 4);
}

#endif
