// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_ages_gen FILE [INTERVALS [FLAGS]]: a recording with the idle ages of two control groups, of
 * intervals of a second: /web references 1024 of 4096 pages in each, /web/db 512, and 1600 in a
 * loop of 8 intervals.
 */
#include <stdio.h>
#include <stdlib.h>

/* Of more than 100,000 intervals. */
#define BYTES_ROOM (1 << 27)
#include "age_sim.h"
#include "memref_events.h"

/* Of these, a page of 4 KiB has place for some more. */
#define PER_PAGE 7

static struct bytes file, event;
static uint32_t flags;

/* The event, on the page. */
static void add(void)
{
	if (event.size % 4)
		put(&event, 0, 4 - event.size % 4);
	put_head(&file, 0, 100);
	put(&file, event.size + 4, 4);
	put_data(&file, event.b, event.size);
	event.size = 0;
}

static void interval(struct age_sim *web, struct age_sim *db)
{
	struct scan_row s = { .interval_ms = 1000, .group_kb = 1024, .flags = flags };
	struct age_row row;

	sim_begin(web);
	sim_hot_and_loop(web, 1024, 0, 1, 3072);
	row = sim_end(web, "/web");
	put_age_row(&event, &row, row.path);
	add();
	sim_begin(db);
	sim_hot_and_loop(db, 512, 1600, 8, 0);
	row = sim_end(db, "/web/db");
	row.cgroup = 8;
	put_age_row(&event, &row, row.path);
	add();
	s.seq = web->interval;
	s.begin_ns = web->interval * UINT64_C(1000000000);
	s.scan_ns = s.end_ns = s.begin_ns + 1000000000;
	put_scan(&event, &s);
	add();
}

int main(int argc, char **argv)
{
	static char text[NR_LAYOUTS][4096];
	static struct age_sim web, db;
	const char *formats[NR_LAYOUTS];
	uint32_t table, at, page, i, n, intervals = argc > 2 ? strtoul(argv[2], NULL, 10) : 80;
	FILE *f;

	if (argc < 2) {
		fprintf(stderr, "usage: memref_ages_gen FILE [INTERVALS [FLAGS]]\n");
		return 2;
	}
	flags = argc > 3 ? strtoul(argv[3], NULL, 10) : SCAN_FAULT_AROUND;
	for (i = 0; i < NR_LAYOUTS; i++) {
		layout_format(&layouts[i], text[i], sizeof(text[i]));
		formats[i] = text[i];
	}
	table = put_v6(&file, "memref", formats, NR_LAYOUTS, 1);
	at = file.size;
	for (i = 0; i < intervals; i += PER_PAGE) {
		page = page_begin(&file, (10 + i) * UINT64_C(1000000000));
		for (n = 0; n < PER_PAGE && i + n < intervals; n++)
			interval(&web, &db);
		page_end(&file, page, 0, 0);
	}
	put_cpu(&file, table, 0, at);
	f = fopen(argv[1], "w");
	if (!f || fwrite(file.b, file.size, 1, f) != 1 || fclose(f)) {
		perror(argv[1]);
		return 1;
	}
	return 0;
}
