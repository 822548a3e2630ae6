// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_ages_gen FILE [INTERVALS [FLAGS [mappings|many|empty [LOST]]]]: a recording with the idle ages of two control
 * groups, of intervals of a second: /web references 1024 of 4096 pages in each, /web/db 512, and 1600
 * in a loop of 8 intervals.  With mappings, also with those of the mappings of two processes, which
 * share a file; with many, those of 12 more, of odd names, see many(); with empty, of mappings without
 * memory.  LOST events are missing before each page.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of more than 100,000 intervals. */
#define BYTES_CAPACITY (1 << 27)
#include "age_sim.h"
#include "memref_events.h"

/* Of these, a page of 4 KiB has place for some more; with mappings, for fewer. */
#define PER_PAGE 7
#define PER_PAGE_MAPPINGS 4
#define PER_PAGE_MANY 1

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

static void add_vma_age(struct vma_age_row *row, uint32_t seq, size_t i, const char *name)
{
	row->seq = seq;
	row->start = i << 30;
	row->end = row->start + (16 << 20);
	put_vma_age(&event, row, name);
	add();
}

static void mappings(uint32_t seq, bool empty)
{
	static const struct vma_age_row rows[] = {
		{ .pid = 10, .comm = "web", .name = "[heap]", .anon = { [0] = 1024, [8] = 3072 } },
		{ .pid = 10, .comm = "web", .name = "/lib/c.so", .file = { [0] = 64 } },
		{ .pid = 11, .comm = "db srv", .name = "/lib/c.so", .file = { [0] = 128, [2] = 32 } },
		{ .pid = 10, .comm = "web", .name = "/lib/c.so", .file = { [1] = 32 }, .anon = { [1] = 32 } },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct vma_age_row row = rows[i];

		if (empty) {
			memset(row.anon, 0, sizeof(row.anon));
			memset(row.file, 0, sizeof(row.file));
		}
		add_vma_age(&row, seq, i, row.name);
	}
}

/* Mapping @i: 1 MiB that is always referenced; 12 - @i that are not after interval 1, if odd every 8th. */
static void many(uint32_t seq)
{
	static const char * const names[12] = {
		"[heap]", "/lib/a\"b\",c.so", "/tmp/two\nlines", "/srv/'.system(\"touch hurt\").'", "/\xff\xc3(\xc3\xa9",
		"/{/=40 a_b}^@&%s\\n", "/`touch hurt`; system 'touch hurt' #", "$HOME", "/long/0123456789/0123456789/"
		"0123456789/0123456789/0123456789/library.so.6.0.1", "[anon: a cache]", "", "/<b>&amp;</text>",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct vma_age_row row = { .pid = 20, .comm = "it's \"{a_b}", .anon = { [0] = 256 } };

		row.anon[sim_bucket(i % 2 ? (seq - 1) % 8 : seq - 1)] += (12 - i) * 256;
		add_vma_age(&row, seq, 4 + i, names[i]);
	}
}

static void interval(struct age_sim *web, struct age_sim *db, const char *kind)
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
	if (*kind)
		mappings(web->interval, !strcmp(kind, "empty"));
	if (!strcmp(kind, "many"))
		many(web->interval);
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
	const uint32_t lost = argc > 5 ? strtoul(argv[5], NULL, 10) : 0;
	const char *kind = argc > 4 ? argv[4] : "";
	const uint32_t per_page = !*kind ? PER_PAGE : strcmp(kind, "many") ? PER_PAGE_MAPPINGS : PER_PAGE_MANY;
	FILE *f;

	if (argc < 2) {
		fprintf(stderr, "usage: memref_ages_gen FILE [INTERVALS [FLAGS [mappings|many|empty [LOST]]]]\n");
		return 2;
	}
	flags = argc > 3 ? strtoul(argv[3], NULL, 10) : SCAN_FAULT_AROUND;
	for (i = 0; i < NR_LAYOUTS; i++) {
		layout_format(&layouts[i], text[i], sizeof(text[i]));
		formats[i] = text[i];
	}
	table = put_v6(&file, "memref", formats, NR_LAYOUTS, 1);
	at = file.size;
	for (i = 0; i < intervals; i += per_page) {
		page = page_begin(&file, (10 + i) * UINT64_C(1000000000));
		for (n = 0; n < per_page && i + n < intervals; n++)
			interval(&web, &db, kind);
		page_end(&file, page, lost ? LOST | LOST_STORED : 0, lost);
	}
	put_cpu(&file, table, 0, at);
	f = fopen(argv[1], "w");
	if (!f || fwrite(file.b, file.size, 1, f) != 1 || fclose(f)) {
		perror(argv[1]);
		return 1;
	}
	return 0;
}
