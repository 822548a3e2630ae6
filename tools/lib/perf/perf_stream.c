// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The records of a perf.data file one after another, decompressed. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "perf_parts.h"

/* Room for the largest record, and one behind it. */
#define BUFFER	(256U << 10)

/** perf_fail() - note what is wrong, and where, unless something was before.  Return: -1 */
int perf_fail(struct perf_data *d, uint64_t at, const char *fmt, ...)
{
	char what[256];
	va_list args;

	if (*d->error)
		return -1;
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	snprintf(d->error, sizeof(d->error), "%s: %s at 0x%lx", d->path, what, (unsigned long)at);
	return -1;
}

/** perf_stream_read() - bytes from anywhere in the file.  Return: 0, or -1 with d->error set */
int perf_stream_read(struct perf_data *d, uint64_t at, void *to, size_t bytes)
{
	size_t done = 0;
	ssize_t n;

	while (done < bytes) {
		n = pread(d->fd, (char *)to + done, bytes - done, at + done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return perf_fail(d, at + done, "%s", strerror(errno));
		if (!n)
			return perf_fail(d, at + done, "truncated");
		done += n;
	}
	return 0;
}

/** perf_stream_begin() - the records from d->at to d->data_end */
int perf_stream_begin(struct perf_data *d)
{
	d->buffer = malloc(BUFFER);
	d->record = malloc(PERF_MAX_RECORD + 1);
	return d->buffer && d->record ? 0 : perf_fail(d, d->at, "no memory left");
}

/* A record where its fields can be read: compressed ones have any size. */
static const struct perf_event_header *aligned(struct perf_data *d, const char *record, size_t bytes)
{
	if ((uintptr_t)record % 8)
		record = memcpy(d->record, record, bytes);
	return (const void *)record;
}

/* So many bytes of the file in one piece, or NULL: fewer are left, or d->error is set. */
static const char *look(struct perf_data *d, size_t bytes)
{
	const size_t left = d->buffer_end - d->buffer_at;
	uint64_t more;

	if (left >= bytes)
		return d->buffer + d->buffer_at;
	more = d->data_end - d->at - left;
	if (left + more < bytes)
		return NULL;
	memmove(d->buffer, d->buffer + d->buffer_at, left);
	d->buffer_at = 0;
	d->buffer_end = left;
	if (more > BUFFER - left)
		more = BUFFER - left;
	if (perf_stream_read(d, d->at + left, d->buffer + left, more))
		return NULL;
	d->buffer_end += more;
	return d->buffer;
}

/* Behind what was looked at, or what need not be. */
static void skip(struct perf_data *d, uint64_t bytes)
{
	const size_t left = d->buffer_end - d->buffer_at;

	d->at += bytes;
	d->buffer_at += bytes < left ? bytes : left;
}

/* Data that follow a record, and are not in its size. */
static int skip_data(struct perf_data *d, const struct perf_event_header *h, uint64_t at)
{
	uint64_t bytes = 0;

	if (h->type == PERF_AUXTRACE && h->size >= sizeof(*h) + 8)
		memcpy(&bytes, h + 1, 8);
	else if (h->type == PERF_HEADER_TRACING_DATA && h->size >= sizeof(*h) + 4)
		memcpy(&bytes, h + 1, 4);
	if (h->type == PERF_HEADER_TRACING_DATA)
		bytes = (bytes + 7) & ~UINT64_C(7);
	if (bytes > d->data_end - d->at)
		return perf_fail(d, at, "truncated record of type %u", h->type);
	skip(d, bytes);
	return 0;
}

/* What is packed in a record.  Records with more than 64 KiB have their size in front. */
static int begin_packed(struct perf_data *d, const struct perf_event_header *h, uint64_t at)
{
	const char *data = (const char *)(h + 1);
	size_t bytes = h->size - sizeof(*h);
	uint64_t size;

	if (h->type == PERF_COMPRESSED2) {
		if (bytes < sizeof(size))
			return perf_fail(d, at, "damaged compressed record");
		memcpy(&size, data, sizeof(size));
		data += sizeof(size);
		bytes -= sizeof(size);
		if (size > bytes)
			return perf_fail(d, at, "damaged compressed record");
		bytes = size;
	}
	if (!d->zstd) {
		d->zstd = ZSTD_createDStream();
		d->plain = malloc(BUFFER);
		if (!d->zstd || !d->plain)
			return perf_fail(d, at, "no memory left");
	}
	d->packed = data;
	d->packed_left = bytes;
	d->packed_at = at;
	d->packed_more = true;
	return 0;
}

/* More bytes behind those that are decompressed: d->packed_more says if there may be others. */
static int unpack(struct perf_data *d)
{
	ZSTD_outBuffer out;
	ZSTD_inBuffer in = { d->packed, d->packed_left, 0 };
	size_t ret;

	memmove(d->plain, d->plain + d->plain_at, d->plain_end - d->plain_at);
	d->plain_end -= d->plain_at;
	d->plain_at = 0;
	out = (ZSTD_outBuffer){ d->plain, BUFFER, d->plain_end };
	ret = ZSTD_decompressStream(d->zstd, &out, &in);
	if (ZSTD_isError(ret))
		return perf_fail(d, d->packed_at, "cannot be decompressed (%s)", ZSTD_getErrorName(ret));
	d->packed += in.pos;
	d->packed_left -= in.pos;
	/* A full buffer may hide more. */
	d->packed_more = d->packed_left || out.pos == BUFFER;
	if (!in.pos && out.pos == d->plain_end && d->packed_more)
		return perf_fail(d, d->packed_at, "cannot be decompressed (no progress)");
	d->plain_end = out.pos;
	return 0;
}

/* The next record of those that are decompressed.  Return: 1, 0 if there is none yet, -1 */
static int next_plain(struct perf_data *d, struct perf_raw *raw)
{
	struct perf_event_header h;

	for (;;) {
		const size_t left = d->plain_end - d->plain_at;

		if (left >= sizeof(h)) {
			memcpy(&h, d->plain + d->plain_at, sizeof(h));
			if (h.size < sizeof(h))
				return perf_fail(d, d->packed_at, "damaged compressed record");
			if (left >= h.size) {
				*raw = (struct perf_raw){ aligned(d, d->plain + d->plain_at, h.size), d->packed_at };
				d->plain_at += h.size;
				return 1;
			}
		}
		if (!d->packed_more)
			return 0;
		if (unpack(d))
			return -1;
	}
}

/**
 * perf_stream_next() - the next record
 * @d: the file
 * @raw: set to it; it stays until the next call
 *
 * Return: 1, 0 at the end, -1 with d->error set.
 */
int perf_stream_next(struct perf_data *d, struct perf_raw *raw)
{
	const struct perf_event_header *h;
	struct perf_event_header first;
	const char *data;
	uint64_t at;
	int ret;

	for (;;) {
		ret = d->plain ? next_plain(d, raw) : 0;
		if (ret)
			return ret;
		at = d->at;
		if (at == d->data_end) {
			if (d->plain_at != d->plain_end)
				return perf_fail(d, at, "truncated compressed record");
			return 0;
		}
		data = look(d, sizeof(first));
		if (data) {
			memcpy(&first, data, sizeof(first));
			if (first.size < sizeof(first))
				return perf_fail(d, at, "damaged record (of %u bytes)", first.size);
			data = look(d, first.size);
		}
		if (!data)
			return perf_fail(d, at, "truncated record");
		h = aligned(d, data, first.size);
		skip(d, first.size);
		if (h->type == PERF_COMPRESSED || h->type == PERF_COMPRESSED2) {
			if (begin_packed(d, h, at))
				return -1;
			continue;
		}
		*raw = (struct perf_raw){ h, at };
		return skip_data(d, h, at) ? -1 : 1;
	}
}

/** perf_stream_end() - free what reading took */
void perf_stream_end(struct perf_data *d)
{
	ZSTD_freeDStream(d->zstd);
	free(d->plain);
	free(d->record);
	free(d->buffer);
}
