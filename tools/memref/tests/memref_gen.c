// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_gen FILE [NAME [BEGIN]]: a recording of three intervals of a second each, in groups of
 * 1 MiB, with known contents: memref_files.t lists what must be read from it.  NAME: of its process.
 * BEGIN: when it begins, in seconds of CLOCK_MONOTONIC (default 10).
 */
#include <stdlib.h>

#include "memref_events.h"

static struct bytes file, event;
static const char *name = "worker";

/* The event, on the page. */
static void add(uint32_t delta)
{
	/* Words of its own; what is longer than 28 has its length in a word. */
	if (event.size % 4)
		put(&event, 0, 4 - event.size % 4);
	if (event.size <= 28 * 4) {
		put_head(&file, event.size / 4, delta);
	} else {
		put_head(&file, 0, delta);
		put(&file, event.size + 4, 4);
	}
	put_data(&file, event.b, event.size);
	event.size = 0;
}

static void interval(uint32_t seq, uint64_t begin_ns, uint32_t user)
{
	const uint32_t first[NR_CLASSES] = { [KERNEL] = 64 }, second[NR_CLASSES] = { [USER] = user, [PAGE_CACHE] = 16 };
	/* A group left out, then one with user pages: all of them, which is 0. */
	static const uint8_t batch[] = { 0x12, 0 };
	struct scan_row s = {
		.begin_ns = begin_ns, .scan_ns = begin_ns + 990000000, .end_ns = begin_ns + 1000000000,
		.pages = { 64, user + 256, 16 }, .ptes = 1000, .young = 336 + user, .seq = seq, .groups = 3,
		.mms = 2, .interval_ms = 1000, .group_kb = 1024, .kernel_leaf_kb = 4, .rss = 1024,
	};

	put_group(&event, 16ULL << 20, seq, first, 0);
	add(100);
	put_group(&event, 17ULL << 20, seq, second, 1);
	add(100);
	put_batch(&event, 18, seq, 1024, batch, sizeof(batch));
	add(100);
	put_task(&event, seq, 77, user + 256, name);
	add(100);
	put_scan(&event, &s);
	add(100);
}

int main(int argc, char **argv)
{
	static char text[NR_LAYOUTS][4096];
	const char *formats[NR_LAYOUTS];
	uint32_t table, at, page, i;
	uint64_t begin_ns;
	FILE *f;

	if (argc < 2 || argc > 4) {
		fprintf(stderr, "usage: memref_gen FILE [NAME [BEGIN]]\n");
		return 2;
	}
	if (argc > 2)
		name = argv[2];
	begin_ns = strtoull(argc > 3 ? argv[3] : "10", NULL, 10) * UINT64_C(1000000000);
	for (i = 0; i < NR_LAYOUTS; i++) {
		layout_format(&layouts[i], text[i], sizeof(text[i]));
		formats[i] = text[i];
	}
	table = put_v6(&file, "memref", formats, NR_LAYOUTS, 1);
	at = file.size;
	for (i = 0; i < 3; i++) {
		page = page_begin(&file, begin_ns + i * UINT64_C(1000000000) + 999000000);
		interval(1 + i, begin_ns + i * UINT64_C(1000000000), 32 << i);
		page_end(&file, page, i == 2 ? LOST | LOST_STORED : 0, 5);
	}
	put_cpu(&file, table, 0, at);
	f = fopen(argv[1], "w");
	if (!f || fwrite(file.b, file.size, 1, f) != 1 || fclose(f)) {
		perror(argv[1]);
		return 1;
	}
	return 0;
}
