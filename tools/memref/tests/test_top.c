// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memref top's display and lines, made from rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lib/cells/utf8.h"
#include "memref/live/draw.h"
#include "memref/live/frame.h"
#include "memref/live/parts.h"

static int scan(struct top *t, uint32_t seq, uint64_t user, uint32_t flags)
{
	const struct row row = { .type = ROW_SCAN, .scan = {
		.seq = seq, .pages = { 256, user, 0 }, .group_kb = 64, .flags = flags,
		.begin_ns = seq * 1000000000ULL, .scan_ns = seq * 1000000000ULL + 900000000,
		.end_ns = (seq + 1) * 1000000000ULL, .harvest_ns = 100000000,
	} };

	return top_add(t, &row);
}

static void task(struct top *t, uint32_t seq, uint32_t pid, const char *comm, uint64_t pages)
{
	struct row row = { .type = ROW_TASK, .task = { .seq = seq, .pid = pid, .pages = pages } };

	strcpy(row.task.comm, comm);
	assert_int_equal(top_add(t, &row), 0);
}

static void age(struct top *t, uint32_t seq, enum age_class class, uint64_t cgroup, const char *path, int bucket,
		uint32_t pages)
{
	struct row row = { .type = ROW_AGE, .age = { .seq = seq, .class = class, .cgroup = cgroup } };

	strcpy(row.age.path, path);
	row.age.pages[bucket] = pages;
	assert_int_equal(top_add(t, &row), 0);
}

static char text[1 << 20];

static const char *line(struct top *t)
{
	FILE *f = fmemopen(text, sizeof(text), "w");

	top_print_line(t, f);
	fclose(f);
	return text;
}

static struct controls controls;
static uint64_t now_ns;

/* The screen with its styles. */
static const char *styled(struct top *t, int width, int height, bool utf8)
{
	const struct shape shape = { width, height, utf8, .keys = true };
	FILE *f = fmemopen(text, sizeof(text), "w");

	assert_int_equal(top_draw(t, &controls, &shape, now_ns, f), 0);
	fclose(f);
	return text;
}

/* The screen as a user sees it. */
static const char *screen(struct top *t, int width, int height, bool utf8)
{
	char *from, *to = text;

	styled(t, width, height, utf8);
	for (from = text; *from; from++)
		if (*from == '\n' || *from >= NR_STYLES || *from < 0)
			*to++ = *from;
	*to = '\0';
	return text;
}

static void shows(const char *what)
{
	if (strstr(text, what))
		return;
	fputs(text, stderr);
	fail_msg("'%s' is not on the screen", what);
}

static void shows_not(const char *what)
{
	if (!strstr(text, what))
		return;
	fputs(text, stderr);
	fail_msg("'%s' is on the screen", what);
}

static void press(struct top *t, const char *keys)
{
	for (; *keys; keys++)
		assert_false(controls_key(&controls, t, *keys));
}

static int begin(void **state)
{
	(void)state;
	controls_init(&controls);
	now_ns = 0;
	return 0;
}

static void lines(void **state)
{
	struct top t;

	(void)state;
	top_init(&t);
	assert_int_equal(scan(&t, 7, 512, 0), 1);
	assert_string_equal(line(&t), "7 0.900 0.900 1.000 2.000 0.000 3.000 - 100.000 none - -\n");
	assert_int_equal(scan(&t, 8, 256, 1 | 4 | 0x100000), 1);
	assert_string_equal(line(&t), "8 1.900 0.900 1.000 1.000 0.000 2.000 - 100.000 "
				  "reclaim,late,0x100000 - -\n");
	top_free(&t);
}

/* The rows of an interval are shown with it, and not with the next. */
static void tasks_and_nodes(void **state)
{
	struct row node = { .type = ROW_NODE, .node = { .start = 0, .end = 65536, .seq = 1 } };
	struct row group = { .type = ROW_GROUP, .group = {
		.phys_addr = 65536, .seq = 1, .pages = { 0, 16, 0 },
	} };
	struct top t;

	(void)state;
	top_init(&t);
	assert_int_equal(top_add(&t, &node), 0);
	node.node.start = 65536;
	node.node.end = 1 << 20;
	node.node.node = 1;
	assert_int_equal(top_add(&t, &node), 0);
	assert_int_equal(top_add(&t, &group), 0);
	task(&t, 1, 12, "little", 1);
	task(&t, 1, 13, "two words\033", 512);
	task(&t, 1, 14, "idle", 0);
	assert_int_equal(scan(&t, 1, 16, 0), 1);
	assert_non_null(strstr(line(&t), " none 0:0.000,1:0.062 two_words\357\277\275[13]:2.000,little[12]:0.004\n"));
	screen(&t, 80, 24, false);
	shows("node 1          64 KiB: kernel 0 KiB, user 64 KiB, page cache 0 KiB\n");
	shows("      13 two words?           2.0 MiB");
	assert_int_equal(scan(&t, 2, 16, 0), 1);
	assert_non_null(strstr(line(&t), " none - -\n"));
	top_free(&t);
}

/* Measure a frame: columns of its widest row, and number of rows. */
static void measure(int *columns, int *rows)
{
	char *row = text, *end;

	*columns = *rows = 0;
	for (; (end = strchr(row, '\n')); row = end + 1) {
		*end = '\0';
		if (utf8_width(row) > *columns)
			*columns = utf8_width(row);
		++*rows;
	}
	assert_string_equal(row, "");
}

/* No row is wider than the screen, and there are not more than it has. */
static void sizes(void **state)
{
	static const char * const keys[] = { "", "/program", "h", "p", "a", "a/class" };
	int width, height, utf8, columns, rows, i;
	struct top t;
	size_t k;

	(void)state;
	top_init(&t);
	screen(&t, 20, 5, false);
	measure(&columns, &rows);
	assert_true(columns <= 20 && rows <= 5);
	for (i = 0; i < 1000; i++)
		assert_int_equal(scan(&t, i + 1, i * 100, 0x7ff), 1);
	for (i = 0; i < 40; i++)
		task(&t, 1001, i, i % 2 ? "program" : "\346\274\242\345\255\227\346\274\242\345\255\227\346\274", i << 20);
	for (i = 0; i < 40; i++)
		age(&t, 1001, i % NR_AGE_CLASSES, i, "/a/path/\346\274\242\345\255\227\346\274\242\345\255", i % AGE_BUCKETS, i << 20);
	scan(&t, 1001, 5, 0x7ff);
	for (k = 0; k < sizeof(keys) / sizeof(*keys); k++) {
		controls_init(&controls);
		press(&t, keys[k]);
		for (width = 1; width < 400; width += 7) {
			for (height = 1; height < 60; height += 5) {
				for (utf8 = 0; utf8 < 2; utf8++) {
					screen(&t, width, height, utf8);
					measure(&columns, &rows);
					assert_true(columns <= width && rows <= height);
				}
			}
		}
	}
	top_free(&t);
}

/* The history of three minutes: a rising figure is higher at the right. */
static void spark(void **state)
{
	const char *row, *end;
	struct top t;
	int i, rises = 0;

	(void)state;
	top_init(&t);
	for (i = 0; i < 400; i++)
		assert_int_equal(scan(&t, i + 1, i * 1000, 0), 1);
	screen(&t, 120, 30, false);
	row = strstr(text, "user ");
	assert_non_null(row);
	end = strchr(row, '\n');
	assert_int_equal(end[-1], '#');
	for (row = end - 50; row < end - 1; row++)
		rises += row[0] != row[1];
	/* From 220 of 400 seconds on: the upper half of eight levels. */
	assert_in_range(rises, 2, 5);
	top_free(&t);
}

/* What the line form prints is read by scripts. */
static void batch_form(void **state)
{
	const struct row end = { .type = ROW_SCAN, .scan = {
		.seq = 4000000000u, .pages = { 1, 2, 3 }, .rss = 262144, .flags = SCAN_SELECTED,
		.begin_ns = 1000000000, .scan_ns = 1234567890, .end_ns = 1235567890, .harvest_ns = 1000000,
	} };
	struct top t;

	(void)state;
	top_init(&t);
	task(&t, 4000000000u, 1, "a", 4);
	task(&t, 4000000000u, 2, "b\377", 3);
	task(&t, 4000000000u, 3, "c d", 2);
	task(&t, 4000000000u, 4, "e", 1);
	assert_int_equal(top_add(&t, &end), 1);
	assert_string_equal(line(&t), "4000000000 0.235 0.235 0.004 0.008 0.012 0.023 1024.000 1.000 selected - "
			    "a[1]:0.016,b\357\277\275[2]:0.012,c_d[3]:0.008\n");
	{
		FILE *f = fmemopen(text, sizeof(text), "w");

		top_print_header(f);
		fclose(f);
	}
	assert_string_equal(text, "seq time_s interval_s wss_kernel_mib wss_user_mib wss_page_cache_mib "
			    "wss_total_mib rss_mib scan_ms flags nodes_mib top_mib\n");
	top_free(&t);
}

static void amounts(void **state)
{
	static const struct { uint64_t pages; enum unit unit; const char *text; } cases[] = {
		{ 0, UNIT_AUTO, "      0 KiB" }, { 249, UNIT_AUTO, "    996 KiB" },
		{ 250, UNIT_AUTO, "    1.0 MiB" }, { 131072, UNIT_AUTO, "  512.0 MiB" },
		{ 262144, UNIT_AUTO, "    1.0 GiB" }, { 3ULL << 30, UNIT_AUTO, "   12.0 TiB" },
		{ 131072, UNIT_KIB, " 524288 KiB" }, { 131072, UNIT_MIB, "  512.0 MiB" },
		{ 131072, UNIT_GIB, "    0.5 GiB" }, { 131072, UNIT_PERCENT, "     12.5 %" },
		{ 3ULL << 30, UNIT_KIB, "12288.0 GiB" }, { 1 << 25, UNIT_MIB, " 131072 MiB" },
	};
	char text[UNIT_SIZE];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		format_pages(text, cases[i].pages, cases[i].unit, 1 << 20);
		assert_string_equal(text, cases[i].text);
		assert_int_equal(strlen(text), UNIT_WIDTH);
	}
	format_pages(text, 1, UNIT_PERCENT, 0);
	assert_string_equal(text, "          -");
}

/* A screen of 80x24, whole. */
static void whole(void **state)
{
	struct row row = { .type = ROW_TASK, .task = { .seq = 3, .pid = 7, .comm = "worker",
		.pages = 65536, .written = 32768, .rss = 131072 } };
	struct top t;

	(void)state;
	top_init(&t);
	t.memory = 1 << 20;
	assert_int_equal(top_add(&t, &row), 0);
	assert_int_equal(scan(&t, 3, 65536, SCAN_STRETCHED | SCAN_SELECTED), 1);
	now_ns = 6500000000;
	assert_string_equal(screen(&t, 80, 24, false),
		"memref top: interval 3 took 0.900 s, ended 2 s ago                       h: help\n"
		"harvest 100.0 ms, 10.0 % of a CPU: 0 entries read, 0 young, 0 processes\n"
		"groups of 64 KiB\n"
		"\n"
		"kernel         1.0 MiB   0.0%                                                  #\n"
		"user         256.0 MiB   6.2% ################                                 #\n"
		"page_cache       0 KiB   0.0%                                                   \n"
		"total        257.0 MiB   6.3% ################                                 #\n"
		"! the CPU budget made the interval longer\n"
		"- only selected processes were sampled\n"
		"\n"
		"     pid command                usedv     written         RSS  % mem of RSS\n"
		"       7 worker             256.0 MiB   128.0 MiB   512.0 MiB   6.2% ###===\n");
	top_free(&t);
}

/* The clock runs without events; what is late is so since it was due. */
static void clock_runs(void **state)
{
	struct row row = { .type = ROW_SCAN, .scan = { .seq = 1, .interval_ms = 2000,
		.begin_ns = 10000000000, .scan_ns = 12000000000, .end_ns = 12000000000 } };
	struct top t;

	(void)state;
	top_init(&t);
	t.start_ns = 10000000000;
	t.interval_ms = 2000;
	now_ns = 11000000000;
	screen(&t, 80, 24, false);
	shows("waiting for the first interval: 1 s of 2 s");
	shows_not("late");
	now_ns = 14000000000;
	screen(&t, 80, 24, false);
	shows("! late: the interval should have ended 2 s ago\n");
	assert_int_equal(top_add(&t, &row), 1);
	screen(&t, 80, 24, false);
	shows("interval 1 took 2.000 s, ended 2 s ago");
	shows_not("late");
	now_ns = 14999999999;
	screen(&t, 80, 24, false);
	shows_not("late");
	now_ns = 15000000000;
	screen(&t, 80, 24, false);
	shows("ended 3 s ago");
	shows("! late: the interval should have ended 1 s ago\n");
	now_ns = 12000000000 + 125 * 1000000000ULL;
	screen(&t, 80, 24, false);
	shows("ended 2 min 05 s ago");
	/* On demand, nothing is late; and the clock of a guest may be behind. */
	row.scan.interval_ms = 0;
	assert_int_equal(top_add(&t, &row), 1);
	screen(&t, 80, 24, false);
	shows_not("late");
	now_ns = 0;
	screen(&t, 80, 24, false);
	shows("ended 0 s ago");
	top_free(&t);
}

static void three_tasks(struct top *t, uint32_t seq)
{
	static const struct task_row rows[] = {
		{ .pid = 30, .comm = "alpha", .pages = 100, .written = 1, .rss = 2000 },
		{ .pid = 10, .comm = "beta", .pages = 300, .written = 2, .rss = 1000 },
		{ .pid = 20, .comm = "caf\303\251", .pages = 200, .written = 3, .rss = 3000 },
	};
	size_t i;

	for (i = 0; i < 3; i++) {
		struct row row = { .type = ROW_TASK, .task = rows[i] };

		row.task.seq = seq;
		assert_int_equal(top_add(t, &row), 0);
	}
	assert_int_equal(scan(t, seq, 600, 0), 1);
}

/* The order of the pids on the screen, as "30 10 20". */
static const char *order(struct top *t, int width, int height)
{
	static char pids[256];
	char *row, *next;
	int pid;

	screen(t, width, height, true);
	pids[0] = '\0';
	for (row = text; (next = strchr(row, '\n')); row = next + 1)
		if (*row == ' ' && sscanf(row, "%d", &pid) == 1)
			snprintf(pids + strlen(pids), sizeof(pids) - strlen(pids), "%s%d", *pids ? " " : "", pid);
	return pids;
}

static void sorting(void **state)
{
	struct top t;

	(void)state;
	top_init(&t);
	three_tasks(&t, 1);
	assert_string_equal(order(&t, 80, 24), "10 20 30");
	shows("used▼");
	press(&t, ">");
	assert_string_equal(order(&t, 80, 24), "20 10 30");
	shows("written▼");
	press(&t, ">");
	assert_string_equal(order(&t, 80, 24), "20 30 10");
	/* There is no column to the right. */
	press(&t, ">>>");
	shows("RSS▼");
	press(&t, "<<<");
	assert_string_equal(order(&t, 80, 24), "30 10 20");
	shows("command▲");
	press(&t, "r");
	assert_string_equal(order(&t, 80, 24), "20 10 30");
	shows("command▼");
	press(&t, "r<<<");
	assert_string_equal(order(&t, 80, 24), "10 20 30");
	shows("pid▲");
	/* A column that does not fit sorts nevertheless. */
	press(&t, ">>>>");
	assert_string_equal(order(&t, 40, 9), "20 30 10");
	top_free(&t);
}

static void units(void **state)
{
	struct top t;

	(void)state;
	top_init(&t);
	t.memory = 60000;
	three_tasks(&t, 1);
	screen(&t, 80, 24, true);
	shows("    10 beta                 1.2 MiB       8 KiB     3.9 MiB   0.5%");
	press(&t, "u");
	screen(&t, 80, 24, true);
	shows("    10 beta                1200 KiB       8 KiB    4000 KiB   0.5%");
	press(&t, "uuu");
	screen(&t, 80, 24, true);
	shows("    10 beta                   0.5 %       0.0 %       1.7 %   0.5%");
	press(&t, "u");
	screen(&t, 80, 24, true);
	shows("1.2 MiB");
	top_free(&t);
}

static void type(struct top *t, const uint32_t *keys)
{
	for (; *keys; keys++)
		assert_false(controls_key(&controls, t, *keys));
}

static void filters(void **state)
{
	static const uint32_t e_acute[] = { 0xe9, 0 }, backspace[] = { PRESS_BACKSPACE, 0 },
		enter[] = { PRESS_ENTER, 0 }, escape[] = { PRESS_ESCAPE, 0 },
		controlling[] = { 0x1b, 0x7f, 0x9b, 1, 0xd800, PRESS_UP, PRESS_OTHER, 0 };
	struct top t;
	int i;

	(void)state;
	top_init(&t);
	three_tasks(&t, 1);
	press(&t, "/ETA");
	assert_string_equal(order(&t, 80, 24), "10");
	shows("filter \"ETA\": 1 of 3 processes");
	shows("filter: ETA ");
	type(&t, enter);
	assert_string_equal(order(&t, 80, 24), "10");
	shows_not("filter: ");
	/* Esc brings back the filter that was there; a backspace takes a whole character. */
	press(&t, "f");
	type(&t, backspace);
	type(&t, backspace);
	type(&t, backspace);
	type(&t, backspace);
	assert_string_equal(order(&t, 80, 24), "10 20 30");
	type(&t, e_acute);
	assert_string_equal(order(&t, 80, 24), "20");
	type(&t, backspace);
	assert_string_equal(controls.filter, "");
	type(&t, e_acute);
	type(&t, controlling);
	assert_string_equal(controls.filter, "é");
	type(&t, escape);
	assert_string_equal(controls.filter, "ETA");
	/* By pid; keys of other meanings are text; too much of it is dropped. */
	press(&t, "/\025" "30");
	assert_string_equal(order(&t, 80, 24), "30");
	press(&t, "\025qhp<");
	assert_string_equal(controls.filter, "qhp<");
	order(&t, 80, 24);
	shows("0 of 3 processes");
	for (i = 0; i < 300; i++)
		type(&t, e_acute);
	assert_int_equal(strlen(controls.filter), FILTER_SIZE - 2);
	screen(&t, 20, 3, true);
	shows("filter: éé");
	type(&t, escape);
	press(&t, "/\025");
	type(&t, enter);
	/* Without UTF-8, names and filter are alike replaced. */
	press(&t, "/");
	type(&t, e_acute);
	screen(&t, 80, 24, false);
	shows("20 caf? ");
	shows("filter \"?\": 1 of 3");
	top_free(&t);
}

static void pausing(void **state)
{
	struct top t;

	(void)state;
	top_init(&t);
	three_tasks(&t, 1);
	press(&t, "p");
	screen(&t, 80, 24, true);
	shows("PAUSED: 0 intervals since; p: go on");
	task(&t, 2, 44, "later", 4);
	assert_int_equal(scan(&t, 2, 9000, 0), 1);
	assert_int_equal(scan(&t, 3, 9000, SCAN_RECLAIM), 1);
	top_lose(&t, 12);
	screen(&t, 80, 24, true);
	shows("PAUSED: 2 intervals and 12 lost events since; p: go on");
	shows("interval 1 took");
	shows("user           2.3 MiB");
	shows("alpha");
	shows_not("reclaim");
	/* What is frozen can be sorted and filtered. */
	press(&t, "<");
	assert_string_equal(order(&t, 80, 24), "30 10 20");
	press(&t, " ");
	screen(&t, 80, 24, true);
	shows("2 intervals and 12 lost events passed while paused");
	shows("interval 3 took");
	shows("reclaim ran");
	shows("12 events were lost");
	/* Time to read it, however short the intervals are. */
	assert_int_equal(scan(&t, 8, 600, 0), 1);
	screen(&t, 80, 24, true);
	shows("2 intervals and 12 lost events passed while paused");
	assert_int_equal(scan(&t, 9, 600, 0), 1);
	screen(&t, 80, 24, true);
	shows_not("while paused");
	/* Paused and on with nothing between; before the first interval, too. */
	press(&t, "pp");
	screen(&t, 80, 24, true);
	shows("interval 9 took");
	top_free(&t);
	top_init(&t);
	press(&t, "p");
	assert_int_equal(scan(&t, 1, 1, 0), 1);
	screen(&t, 80, 24, true);
	shows("PAUSED: 1 interval since");
	shows("waiting for the first interval");
	press(&t, "p");
	screen(&t, 80, 24, true);
	shows("interval 1 took");
	top_free(&t);
}

/* The history that is shown stays while it is paused, however long. */
static void pause_keeps_history(void **state)
{
	static char before[sizeof(text)];
	struct top t;
	int i;

	(void)state;
	top_init(&t);
	for (i = 1; i < 100; i++)
		assert_int_equal(scan(&t, i, i * 10, 0), 1);
	press(&t, "p");
	strcpy(before, strchr(screen(&t, 80, 24, true), '\n') + 1);
	for (; i < 500; i++)
		assert_int_equal(scan(&t, i, i, 0), 1);
	screen(&t, 80, 24, true);
	assert_string_equal(strstr(text, "kernel "), strstr(before, "kernel "));
	top_free(&t);
}

static void help(void **state)
{
	const struct key_help *k;
	struct top t;

	(void)state;
	top_init(&t);
	three_tasks(&t, 1);
	press(&t, "h");
	screen(&t, 80, 24, true);
	for (k = key_helps; k->keys; k++)
		shows(k->about);
	shows_not("alpha");
	/* Any key leaves it, and does nothing else. */
	press(&t, "q");
	screen(&t, 80, 24, true);
	shows("alpha");
	press(&t, "?");
	shows_not("arrows");
	screen(&t, 80, 24, true);
	shows("arrows");
	press(&t, "?");
	assert_true(controls_key(&controls, &t, 'q'));
	top_free(&t);
}

/* Keys without a meaning do nothing. */
static void other_keys(void **state)
{
	static char before[sizeof(text)];
	struct controls was;
	uint32_t key;
	struct top t;

	(void)state;
	top_init(&t);
	three_tasks(&t, 1);
	strcpy(before, screen(&t, 80, 24, true));
	was = controls;
	for (key = 0; key < 0x200; key++) {
		if (key && key < 0x80 && strchr("qh?p <>rau/f", key))
			continue;
		assert_false(controls_key(&controls, &t, key));
	}
	assert_false(controls_key(&controls, &t, PRESS_OTHER));
	assert_false(controls_key(&controls, &t, UINT32_MAX));
	assert_memory_equal(&was, &controls, sizeof(was));
	assert_string_equal(screen(&t, 80, 24, true), before);
	top_free(&t);
}

/* More processes than rows are counted, and reached by scrolling. */
static void many_processes(void **state)
{
	static const uint32_t down[] = { PRESS_DOWN, PRESS_DOWN, 0 }, end[] = { PRESS_END, 0 },
		up[] = { PRESS_UP, 0 }, home[] = { PRESS_HOME, 0 }, page[] = { PRESS_PAGE_DOWN, 0 },
		back[] = { PRESS_PAGE_UP, 0 };
	struct top t;
	char name[16];
	int i;

	(void)state;
	top_init(&t);
	for (i = 1; i <= 10000; i++) {
		snprintf(name, sizeof(name), "p%d", i);
		task(&t, 1, i, name, i);
	}
	assert_int_equal(scan(&t, 1, 5000, 0), 1);
	/* 9 rows above, the names of columns, the count. */
	assert_string_equal(order(&t, 80, 24), "10000 9999 9998 9997 9996 9995 9994 9993 9992 9991 9990 9989 9988");
	shows("9987 more\n");
	type(&t, down);
	assert_memory_equal(order(&t, 80, 24), "9998 9997", 9);
	shows("2 above, 9985 below\n");
	type(&t, page);
	assert_memory_equal(order(&t, 80, 24), "9985 9984", 9);
	type(&t, back);
	assert_memory_equal(order(&t, 80, 24), "9998 9997", 9);
	type(&t, end);
	assert_string_equal(order(&t, 80, 24), "13 12 11 10 9 8 7 6 5 4 3 2 1");
	shows("9987 above, 0 below\n");
	type(&t, up);
	assert_memory_equal(order(&t, 80, 24), "14 13", 5);
	/* A filter leaves less than the screen has: from the first on. */
	press(&t, "/p999");
	assert_string_equal(order(&t, 80, 24), "9999 9998 9997 9996 9995 9994 9993 9992 9991 9990 999");
	type(&t, home);
	type(&t, (const uint32_t[]){ PRESS_ESCAPE, 0 });
	screen(&t, 40, 10, true);
	shows("pid command");
	shows(" more\n");
	screen(&t, 20, 3, true);
	assert_string_equal(text, "interval 1 took 0.90\ntotal       20.5 MiB\n10000 more\n");
	screen(&t, 20, 5, true);
	assert_string_equal(text, "interval 1 took 0.90\ntotal       20.5 MiB\n"
			    "command        used▼\np10000      39.1 MiB\n9999 more\n");
	top_free(&t);
}

/* Colors mean something: the marked column, doubts, written and read memory. */
static void styles(void **state)
{
	struct row row = { .type = ROW_TASK, .task = { .seq = 1, .pid = 7, .comm = "worker",
		.pages = 50, .written = 25, .rss = 100 } };
	struct top t;

	(void)state;
	top_init(&t);
	assert_int_equal(top_add(&t, &row), 0);
	assert_int_equal(scan(&t, 1, 50, SCAN_RECLAIM), 1);
	styled(&t, 100, 24, true);
	shows("\004used▼");
	shows("\007! reclaim ran");
	shows("\006█\006█\006█\006█\006█\006█\006█\006█\005▒");
	assert_int_equal(text[0], STYLE_TITLE);
	/* A name cannot bring its own. */
	task(&t, 2, 8, "\004\007\n\033[H", 1);
	assert_int_equal(scan(&t, 2, 50, 0), 1);
	styled(&t, 100, 24, false);
	shows("????[H");
	assert_null(strchr(text, '\033'));
	/* Nor by a control character behind ASCII, as a byte or a character. */
	task(&t, 3, 8, "a\233b\302\233[2J", 1);
	assert_int_equal(scan(&t, 3, 50, 0), 1);
	styled(&t, 100, 24, true);
	shows("a\357\277\275b\357\277\275[2J");
	assert_null(strstr(text, "\302\233"));
	top_free(&t);
}

/* Memory by idle age: classes and control groups, of the interval that is shown. */
static void idle_ages(void **state)
{
	struct top t;

	(void)state;
	top_init(&t);
	t.memory = 1 << 20;
	three_tasks(&t, 1);
	press(&t, "a");
	screen(&t, 80, 24, true);
	shows("no idle ages: memref top --ages");
	age(&t, 2, AGE_ANON, 5, "/hot", 0, 256);
	age(&t, 2, AGE_ANON, 5, "/hot", 4, 512);
	age(&t, 2, AGE_CACHE, 6, "/cold/caf\303\251", 8, 2560);
	age(&t, 2, AGE_KERNEL, 0, "", 3, 128);
	three_tasks(&t, 2);
	screen(&t, 80, 24, false);
	shows("of                            all        used    idle 8+v   idle 128+  0 .. 128+\n"
	      "cgroup /cold/caf??       10.0 MiB       0 KiB    10.0 MiB    10.0 MiB          #\n"
	      "class page_cache         10.0 MiB       0 KiB    10.0 MiB    10.0 MiB          #\n"
	      "cgroup /hot               3.0 MiB     1.0 MiB     2.0 MiB       0 KiB  -   #    \n");
	shows("class kernel              512 KiB       0 KiB       0 KiB       0 KiB     #     \n");
	shows_not("alpha");
	press(&t, "<");
	screen(&t, 100, 24, false);
	shows("usedv");
	shows("+\ncgroup /hot ");
	press(&t, "/COLD");
	screen(&t, 80, 24, false);
	shows("filter \"COLD\": 1 of 6 classes and control groups");
	shows_not("class anon");
	type(&t, (const uint32_t[]){ PRESS_ESCAPE, 0 });
	/* Narrow: fewer columns; an order that is not shown is named. */
	screen(&t, 40, 10, false);
	shows("class anon           3.0 MiB     1.0 MiB\n");
	screen(&t, 20, 8, false);
	shows("class an     3.0 MiB\n");
	shows(" more, by used\n");
	/* Paused, they stay; ages of an interval that was lost are not those of the next. */
	press(&t, "p");
	age(&t, 3, AGE_ANON, 5, "/hot", 0, 25600);
	assert_int_equal(scan(&t, 3, 0, 0), 1);
	screen(&t, 80, 24, false);
	shows("class anon                3.0 MiB ");
	press(&t, "p");
	screen(&t, 80, 24, false);
	shows("class anon              100.0 MiB ");
	age(&t, 4, AGE_ANON, 5, "/hot", 0, 1);
	age(&t, 5, AGE_ANON, 5, "/hot", 0, 2);
	assert_int_equal(scan(&t, 5, 0, 0), 1);
	screen(&t, 80, 24, false);
	shows("class anon                  8 KiB ");
	age(&t, 6, AGE_ANON, 5, "/hot", 0, 1);
	assert_int_equal(scan(&t, 7, 0, 0), 1);
	screen(&t, 80, 24, false);
	shows("no idle ages");
	press(&t, "a");
	three_tasks(&t, 8);
	screen(&t, 80, 24, false);
	shows("alpha");
	top_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(lines, begin), cmocka_unit_test_setup(batch_form, begin),
		cmocka_unit_test_setup(tasks_and_nodes, begin), cmocka_unit_test_setup(sizes, begin),
		cmocka_unit_test_setup(spark, begin), cmocka_unit_test(amounts),
		cmocka_unit_test_setup(whole, begin), cmocka_unit_test_setup(clock_runs, begin),
		cmocka_unit_test_setup(sorting, begin), cmocka_unit_test_setup(units, begin),
		cmocka_unit_test_setup(filters, begin), cmocka_unit_test_setup(pausing, begin),
		cmocka_unit_test_setup(pause_keeps_history, begin), cmocka_unit_test_setup(help, begin),
		cmocka_unit_test_setup(other_keys, begin), cmocka_unit_test_setup(many_processes, begin),
		cmocka_unit_test_setup(styles, begin), cmocka_unit_test_setup(idle_ages, begin),
	};

	return cmocka_run_group_tests_name("top", tests, NULL, NULL);
}
