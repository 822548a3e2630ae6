// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * trace.dat files: the event data.
 *
 * libtracecmd refuses truncated files, since the index of the data is written last; it
 * trusts the sizes in the file; and version 3.1 keeps decompressed chunks in memory
 * (fixed in trace-cmd 3.3 by commit 1571b67c, free_zpage()).  So this file reads the data
 * itself, per CPU one ring buffer page or compressed chunk at a time.
 */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dat.h"

/* libtracecmd exports these, but declares them in no header. */
struct tracecmd_compress_chunk {
	unsigned int size, zsize;
	off_t zoffset, offset;
};

void tracecmd_compress_destroy(struct tracecmd_compression *handle);
int tracecmd_uncompress_chunk(struct tracecmd_compression *handle,
			      struct tracecmd_compress_chunk *chunk, char *data);

/* Bounds of what a damaged file can allocate: per chunk, streams, and data of all CPUs. */
#define MAX_CHUNK	(64U << 20)
#define MAX_STREAMS	8192
#define MAX_BUFFERED	(256ULL << 20)
/* trace-cmd writes chunks of 10 pages. */
#define MAX_PAGES	16

/* A page of the ring buffer (kernel/trace/ring_buffer.c, struct buffer_data_page). */
#define PAGE_HEADER	16
#define COMMIT_MASK	((1U << 27) - 1)
#define MISSED_STORED	(1U << 30)
#define MISSED_EVENTS	(1U << 31)

/* type_len of struct ring_buffer_event that is not a length. */
enum { TYPE_LONG = 0, TYPE_PADDING = 29, TYPE_TIME_EXTEND = 30, TYPE_TIME_STAMP = 31 };

/* The data of one CPU; when recovered, of one CPU or a part of it. */
struct stream {
	uint64_t begin;			/* in the file */
	uint64_t pos, end;		/* in the file: the data not read yet */
	uint32_t chunks;		/* number of chunks left, if compressed */
	int compressed, cpu;
	unsigned char *buf;		/* pages */
	uint32_t capacity, filled, next;	/* next: offset of the next page in buf */
	uint64_t offset;		/* of buf in the file */
	uint32_t at, commit;		/* in buf: the next event, and the page's end of events */
	uint64_t ts;
	struct trace_event event;
	int has_event;
	uint64_t lost;			/* cutting: events lost before this page, not written yet */
};

static uint32_t get32(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static uint64_t get64(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

/**
 * trace_dat_bad() - record the offset of an unreadable part
 * @d: the file
 * @offset: the offset; the lowest one is kept
 */
void trace_dat_bad(struct trace_dat *d, uint64_t offset)
{
	if (!d->bad_offset || offset < d->bad_offset)
		d->bad_offset = offset ? offset : 1;
}

/**
 * trace_dat_read() - read a piece of the file
 * @d: the file
 * @buf: receives the bytes
 * @size: number of bytes
 * @offset: file offset
 *
 * Return: the number of bytes read, fewer than @size at the end of the file.
 */
int trace_dat_read(struct trace_dat *d, void *buf, size_t size, uint64_t offset)
{
	size_t got = 0;

	while (got < size) {
		ssize_t n = pread(d->fd, (char *)buf + got, size - got, offset + got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		got += n;
	}
	return got;
}

/**
 * trace_dat_uncompress() - read a compressed piece of the file
 * @d: the file
 * @offset: offset of its header, two sizes, which the data follow
 * @stored: set to its size in the file
 * @data: a buffer of @size bytes, reallocated as needed
 * @size: size of @data; set to the size of the uncompressed data
 * @max: largest uncompressed size allowed
 *
 * Return: 0; -1 if the piece is damaged; -2 if truncated; -3 if out of memory.
 */
int trace_dat_uncompress(struct trace_dat *d, uint64_t offset, uint32_t *stored,
			 unsigned char **data, uint32_t *size, uint64_t max)
{
	struct tracecmd_compress_chunk chunk = { .zoffset = offset };
	unsigned char head[8], *grown;

	*stored = 0;
	if (trace_dat_read(d, head, sizeof(head), offset) != sizeof(head))
		return -2;
	chunk.zsize = get32(head);
	chunk.size = get32(head + 4);
	if (!chunk.zsize || !chunk.size || chunk.zsize > MAX_CHUNK || chunk.size > MAX_CHUNK ||
	    chunk.size > max || !d->compression)
		return -1;
	if (chunk.zsize > d->size - offset - sizeof(head))
		return -2;
	*stored = sizeof(head) + chunk.zsize;
	if (chunk.size > *size) {
		grown = realloc(*data, chunk.size);
		if (!grown) {
			d->no_memory = 1;
			return -3;
		}
		*data = grown;
	}
	/* Damaged data may decompress to fewer bytes. */
	memset(*data, 0, chunk.size);
	*size = chunk.size;
	return tracecmd_uncompress_chunk(d->compression, &chunk, (char *)*data) < 0 ? -1 : 0;
}

/**
 * trace_dat_add_stream() - add the event data of a CPU
 * @d: the file
 * @offset: offset of the data
 * @size: their size
 * @compressed: the data are a number of chunks, and the chunks
 * @cpu: the CPU; -1 if unknown
 *
 * Return: 0, or -1 without memory.
 */
int trace_dat_add_stream(struct trace_dat *d, uint64_t offset, uint64_t size, int compressed,
			 int cpu)
{
	struct stream *s;
	unsigned char count[4];

	if (!size || d->nr_streams == MAX_STREAMS)
		return 0;
	if (offset >= d->size) {
		trace_dat_bad(d, d->size);
		return 0;
	}
	if (size > d->size - offset) {
		trace_dat_bad(d, d->size);
		size = d->size - offset;
	}
	/* Streams cannot overlap: else a small file could claim its data for thousands of CPUs. */
	if (size > d->size - d->claimed) {
		trace_dat_bad(d, offset);
		return 0;
	}
	d->claimed += size;
	s = realloc(d->streams, (d->nr_streams + 1) * sizeof(*s));
	if (!s)
		return -1;
	d->streams = s;
	s += d->nr_streams++;
	memset(s, 0, sizeof(*s));
	s->begin = s->pos = offset;
	s->end = offset + size;
	s->compressed = compressed;
	s->cpu = cpu;
	if (!compressed)
		return 0;
	if (size < sizeof(count) || trace_dat_read(d, count, sizeof(count), offset) < 4) {
		trace_dat_bad(d, offset);
		s->pos = s->end;
		return 0;
	}
	s->chunks = get32(count);
	s->pos += sizeof(count);
	return 0;
}

/**
 * trace_dat_forget() - drop the event data that were added
 * @d: the file, of which nothing was read yet; what an index named in part is found again without it
 */
void trace_dat_forget(struct trace_dat *d)
{
	d->nr_streams = 0;
	d->claimed = 0;
}

static uint64_t round_up(uint64_t n, uint32_t to)
{
	return (n + to - 1) / to * to;
}

/* Find the chunks of each CPU by their sizes; each CPU begins on a page boundary. */
static int recover_compressed(struct trace_dat *d, uint64_t pos, uint64_t end)
{
	while (pos + 12 <= end) {
		uint64_t at = pos + 4;
		unsigned char head[12];
		uint32_t chunks, i;

		if (trace_dat_read(d, head, sizeof(head), pos) != sizeof(head))
			break;
		chunks = get32(head);
		for (i = 0; i < chunks && at + 8 <= end; i++) {
			uint32_t stored, size;

			if (trace_dat_read(d, head, 8, at) != 8)
				break;
			stored = get32(head);
			size = get32(head + 4);
			if (!stored || !size || stored > MAX_CHUNK || size > MAX_CHUNK)
				break;
			at += 8 + stored;
		}
		if (i && trace_dat_add_stream(d, pos, at - pos, 1, -1))
			return -1;
		pos = round_up(i ? at : pos + 1, d->page_size);
	}
	return 0;
}

/* Find the pages of each CPU: they are consecutive, and the next CPU begins where time goes back. */
static int recover_pages(struct trace_dat *d, uint64_t pos, uint64_t end)
{
	uint64_t begin = pos, last = 0;
	unsigned char head[PAGE_HEADER];

	for (; pos < end && trace_dat_read(d, head, sizeof(head), pos) == sizeof(head);
	     pos += d->page_size) {
		uint64_t ts = get64(head);

		if (ts < last) {
			if (trace_dat_add_stream(d, begin, pos - begin, 0, -1))
				return -1;
			begin = pos;
		}
		last = ts;
	}
	return begin < end ? trace_dat_add_stream(d, begin, end - begin, 0, -1) : 0;
}

/**
 * trace_dat_recover() - find event data without the index
 * @d: the file, whose index is missing or damaged
 * @offset: offset of the section with the data, behind its header
 * @end: end of the section, or of the file
 * @compressed: the data are compressed
 *
 * Return: 0, or -1 without memory.
 */
int trace_dat_recover(struct trace_dat *d, uint64_t offset, uint64_t end, int compressed)
{
	offset = round_up(offset, d->page_size);
	return compressed ? recover_compressed(d, offset, end) : recover_pages(d, offset, end);
}

/* Read more pages.  Return 1, 0 at the end, -1 without memory. */
static int fill(struct trace_dat *d, struct stream *s)
{
	uint64_t max;
	uint32_t stored;
	int ret;

	s->filled = s->next = 0;
	while (s->compressed && s->chunks && s->pos < s->end) {
		uint32_t size = s->capacity;

		s->offset = s->pos;
		max = MAX_BUFFERED - d->buffered + s->capacity;
		if (max > MAX_PAGES * (uint64_t)d->page_size)
			max = MAX_PAGES * (uint64_t)d->page_size;
		ret = trace_dat_uncompress(d, s->pos, &stored, &s->buf, &size, max);
		if (ret == -3)
			return -1;
		if (size > s->capacity) {
			d->buffered += size - s->capacity;
			s->capacity = size;
		}
		if (ret) {
			trace_dat_bad(d, ret == -2 ? d->size : s->pos);
			if (!stored)
				break;
		}
		s->pos += stored;
		d->read += stored;
		s->chunks--;
		if (ret)
			continue;
		s->filled = size;
		return 1;
	}
	if (s->compressed) {
		/* The stream ends before its number of chunks. */
		if (s->chunks)
			trace_dat_bad(d, s->pos);
		s->chunks = 0;
		return 0;
	}
	if (s->pos >= s->end)
		return 0;
	if (!s->buf) {
		s->buf = malloc(d->page_size);
		if (!s->buf)
			return -1;
		s->capacity = d->page_size;
	}
	s->offset = s->pos;
	s->filled = s->end - s->pos < d->page_size ? s->end - s->pos : d->page_size;
	s->filled = trace_dat_read(d, s->buf, s->filled, s->pos);
	s->pos += d->page_size;
	d->read += s->filled;
	return s->filled > 0;
}

/* Go to the next page that has events.  Return 1, 0 at the end, -1 without memory. */
static int next_page(struct trace_dat *d, struct stream *s)
{
	const unsigned char *page;
	uint32_t size, used, left;
	uint64_t commit, lost;
	int ret;

	for (;;) {
		if (s->next >= s->filled) {
			ret = fill(d, s);
			if (ret <= 0)
				return ret;
		}
		page = s->buf + s->next;
		left = s->filled - s->next;
		if (left > d->page_size)
			left = d->page_size;
		s->at = s->next + PAGE_HEADER;
		s->next += left;
		if (left < PAGE_HEADER) {
			trace_dat_bad(d, s->offset);
			continue;
		}
		s->ts = get64(page);
		commit = get64(page + 8);
		size = commit & COMMIT_MASK;
		if (size > d->page_size - PAGE_HEADER) {
			trace_dat_bad(d, s->offset);
			continue;
		}
		used = size;
		if (used > left - PAGE_HEADER) {
			trace_dat_bad(d, d->size);
			used = left - PAGE_HEADER;
		}
		s->commit = s->at + used;
		if (commit & MISSED_EVENTS) {
			lost = 1;
			if (commit & MISSED_STORED && size + PAGE_HEADER + 8 <= left)
				lost = get64(page + PAGE_HEADER + size);
			d->lost_events += lost;
			s->lost += lost;
		}
		if (used)
			return 1;
	}
}

/*
 * Parse the entry at s->at, and advance s->at.  Return 1 for an event, 0 for another
 * entry, -1 for a truncated or invalid one.
 */
static int parse_entry(struct stream *s)
{
	uint32_t left = s->commit - s->at, head, type, delta, length, array;
	const unsigned char *p = s->buf + s->at;

	if (left < 4)
		return -1;
	head = get32(p);
	type = head & 31;
	delta = head >> 5;
	if (type == TYPE_LONG || type >= TYPE_PADDING) {
		/* Padding without a time delta fills the rest of the page. */
		if (type == TYPE_PADDING && !delta) {
			s->at = s->commit;
			return 0;
		}
		if (left < 8)
			return -1;
	}
	array = type == TYPE_LONG || type >= TYPE_PADDING ? get32(p + 4) : 0;
	switch (type) {
	case TYPE_TIME_EXTEND:
		s->ts += delta | (uint64_t)array << 27;
		s->at += 8;
		return 0;
	case TYPE_TIME_STAMP:
		/* A time stamp has 59 bits; keep the upper ones. */
		s->ts = (s->ts & ~0ULL << 59) | delta | (uint64_t)array << 27;
		s->at += 8;
		return 0;
	case TYPE_PADDING:
	case TYPE_LONG:
		length = array;
		break;
	default:
		length = type * 4;
		break;
	}
	if (length > left - 4 || (type == TYPE_LONG && length < 4))
		return -1;
	s->ts += delta;
	s->at += 4 + round_up(length, 4);
	if (s->at > s->commit)
		s->at = s->commit;
	if (type == TYPE_PADDING)
		return 0;
	s->event.ts = s->ts;
	s->event.offset = s->offset;
	s->event.cpu = s->cpu;
	s->event.data = p + (type == TYPE_LONG ? 8 : 4);
	s->event.size = type == TYPE_LONG ? length - 4 : length;
	return 1;
}

/* Read ahead to the next event.  Return 0, or -1 without memory. */
static int advance(struct trace_dat *d, struct stream *s)
{
	int ret;

	for (s->has_event = 0; !s->has_event; ) {
		if (s->at >= s->commit) {
			ret = next_page(d, s);
			if (ret <= 0)
				return ret;
		}
		ret = parse_entry(s);
		if (ret < 0) {
			/* Entries behind an invalid one cannot be found: skip the rest of the page. */
			trace_dat_bad(d, s->offset);
			s->at = s->commit;
		}
		s->has_event = ret > 0;
	}
	return 0;
}

/* Read ahead to the first event of each stream.  Return 0, or -1 without memory. */
static int start(struct trace_dat *d)
{
	int i;

	d->started = 1;
	for (i = 0; i < d->nr_streams; i++)
		if (advance(d, &d->streams[i]))
			return -1;
	return 0;
}

/**
 * trace_dat_next() - read the next event
 * @d: the file
 * @event: set to the event
 *
 * Return: 1, 0 at the end, -1 without memory.
 */
int trace_dat_next(struct trace_dat *d, struct trace_event *event)
{
	struct stream *s, *first = NULL;

	if ((!d->started && start(d)) || (d->current && advance(d, d->current)))
		return -1;
	for (s = d->streams; s < d->streams + d->nr_streams; s++)
		if (s->has_event && (!first || s->event.ts < first->event.ts))
			first = s;
	d->current = first;
	if (!first)
		return 0;
	*event = first->event;
	return 1;
}

/**
 * trace_dat_rewind() - have trace_dat_next() begin again with the first event
 * @d: the file
 */
void trace_dat_rewind(struct trace_dat *d)
{
	struct stream *s;

	for (s = d->streams; s < d->streams + d->nr_streams; s++) {
		unsigned char count[4];

		s->pos = s->begin;
		s->chunks = s->filled = s->next = s->at = s->commit = 0;
		s->ts = s->lost = 0;
		s->has_event = 0;
		if (!s->compressed)
			continue;
		if (trace_dat_read(d, count, sizeof(count), s->begin) == sizeof(count))
			s->chunks = get32(count);
		s->pos += sizeof(count);
	}
	d->started = 0;
	d->current = NULL;
	d->read = d->lost_events = 0;
}

static void put32(void *p, uint32_t v)
{
	v = htole32(v);
	memcpy(p, &v, sizeof(v));
}

static void put64(void *p, uint64_t v)
{
	v = htole64(v);
	memcpy(p, &v, sizeof(v));
}

/*
 * Build a page of the current page's events that are in the span.  Return whether there
 * are any.  Events lost before a page that is left out count as lost before the next.
 */
static int cut_page(struct trace_dat *d, struct stream *s, uint64_t after, uint64_t until,
		    unsigned char *page)
{
	const unsigned char *from = s->buf + s->at - PAGE_HEADER;
	uint64_t commit = get64(from + 8), ts = 0;
	uint32_t first = 0, end = 0, at, size;
	int ret;

	for (; s->at < s->commit; ) {
		at = s->at;
		ret = parse_entry(s);
		if (ret < 0) {
			trace_dat_bad(d, s->offset);
			s->at = s->commit;
			break;
		}
		if (!ret)
			continue;
		if (s->ts <= after || s->ts > until) {
			/* Events lost before the span are not the copy's to report. */
			if (!first)
				s->lost = 0;
			continue;
		}
		if (!first) {
			first = at;
			ts = s->ts;
		}
		end = s->at;
	}
	if (!first)
		return 0;
	size = end - first;
	memset(page, 0, d->page_size);
	memcpy(page + PAGE_HEADER, s->buf + first, size);
	/* The page's time stamp is that of its first event, whose delta becomes 0. */
	put64(page, ts);
	put32(page + PAGE_HEADER, get32(page + PAGE_HEADER) & 31);
	if (!s->lost) {
		put64(page + 8, size);
	} else if (size + PAGE_HEADER + 8 <= d->page_size &&
		   (s->lost > 1 || commit & MISSED_STORED)) {
		put64(page + PAGE_HEADER + size, s->lost);
		put64(page + 8, size | MISSED_EVENTS | MISSED_STORED);
		s->lost = 0;
	} else {
		/* No space for the number: flag one lost event here, and leave the rest to the next page. */
		put64(page + 8, size | MISSED_EVENTS);
		s->lost--;
	}
	return 1;
}

/**
 * trace_dat_cut_page() - build the next page of a CPU with events of a time span
 * @d: the file; trace_dat_next() must not have been called
 * @offset: offset of the CPU's data
 * @after: copy events later than this
 * @until: copy events up to this time, inclusive
 * @page: set to the page
 *
 * Return: 1, 0 at the end, -1 without memory.
 */
int trace_dat_cut_page(struct trace_dat *d, uint64_t offset, uint64_t after, uint64_t until,
		       unsigned char *page)
{
	struct stream *s = d->streams, *end = s + d->nr_streams;
	int ret;

	while (s < end && s->begin != offset)
		s++;
	if (s == end)
		return 0;
	do {
		ret = next_page(d, s);
	} while (ret > 0 && !cut_page(d, s, after, until, page));
	if (!ret && s->lost) {
		/* Events lost after the last event: an empty page carries their number. */
		memset(page, 0, d->page_size);
		put64(page, s->ts);
		put64(page + 8, MISSED_EVENTS | MISSED_STORED);
		put64(page + PAGE_HEADER, s->lost);
		s->lost = 0;
		return 1;
	}
	return ret;
}

/**
 * trace_dat_close() - close a file
 * @d: the file
 */
void trace_dat_close(struct trace_dat *d)
{
	int i;

	for (i = 0; i < d->nr_streams; i++)
		free(d->streams[i].buf);
	free(d->streams);
	if (d->compression)
		tracecmd_compress_destroy(d->compression);
	tep_free(d->tep);
	if (d->fd >= 0)
		close(d->fd);
}
