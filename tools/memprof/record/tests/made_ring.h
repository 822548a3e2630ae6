/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Rings as perf writes them, made up for tests: a page that has head and tail, and records; and what perf counts. */
#ifndef MEMPROF_MADE_RING_H
#define MEMPROF_MADE_RING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MADE_PAGE	4096

static inline struct perf_event_mmap_page *made_ring(size_t bytes)
{
	void *p = NULL;

	if (posix_memalign(&p, MADE_PAGE, MADE_PAGE + bytes))
		abort();
	return memset(p, 0, MADE_PAGE + bytes);
}

/* Bytes that may go round its end. */
static inline void made_put(struct perf_event_mmap_page *ring, size_t bytes, const void *p, size_t n)
{
	char *data = (char *)ring + MADE_PAGE;
	size_t i;

	for (i = 0; i < n; i++)
		data[(ring->data_head + i) & (bytes - 1)] = ((const char *)p)[i];
	ring->data_head += n;
}

static inline void made_record(struct perf_event_mmap_page *ring, size_t bytes, uint32_t type, uint16_t misc,
			       const void *body, size_t n)
{
	const struct perf_event_header h = { type, misc, sizeof(h) + n };

	made_put(ring, bytes, &h, sizeof(h));
	made_put(ring, bytes, body, n);
}

/* What is read of an event's descriptor: its count, and how many records were lost. */
static inline int made_counts(uint64_t lost)
{
	const uint64_t counts[] = { 1000, lost };
	const int fd = memfd_create("counts", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, counts, sizeof(counts), 0), sizeof(counts));
	return fd;
}

#endif
