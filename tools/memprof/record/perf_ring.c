// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
#include <stdint.h>
#include <string.h>

#include "perf_ring.h"

#define PAGE	4096UL

/**
 * perf_ring_read() - take all records that a ring has, and give their bytes back
 * @ring: a page, and behind it the records
 * @bytes: of the records: a power of two, at least 65,536
 * @take: called with each record in the order of writing; a record is there until it returns
 * @ctx: of @take
 *
 * Return: whether there was anything.
 */
bool perf_ring_read(struct perf_event_mmap_page *ring, size_t bytes,
		    void (*take)(void *ctx, const struct perf_event_header *h), void *ctx)
{
	/* A record whose end is at the ring's beginning: its size has 16 bits. */
	static union {
		struct perf_event_header h;
		char bytes[65536];
	} copy;
	const uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
	const char *data = (const char *)ring + PAGE;
	uint64_t tail = ring->data_tail;
	const bool any = tail < head;

	while (tail < head) {
		const size_t at = tail & (bytes - 1), before = bytes - at;
		const struct perf_event_header *h = (const void *)(data + at);

		/* Not a record of perf: the rest of the ring cannot be parsed. */
		if (h->size < sizeof(*h) || h->size % 8 || h->size > head - tail)
			break;
		tail += h->size;
		if (h->size > before) {
			memcpy(copy.bytes + before, data, h->size - before);
			memcpy(copy.bytes, h, before);
			h = &copy.h;
		}
		take(ctx, h);
	}
	/* From here on the kernel overwrites them. */
	__atomic_store_n(&ring->data_tail, head, __ATOMIC_RELEASE);
	return any;
}
