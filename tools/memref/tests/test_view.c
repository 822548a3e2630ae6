// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Views of models that are filled by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "one_view.h"

static void group(uint32_t seq, uint64_t addr, uint32_t kernel, uint32_t user)
{
	const struct group_row row = {
		.seq = seq, .phys_addr = addr, .pages = { kernel, user, 0 },
	};

	assert_int_equal(model_add_group(&m, &row), 0);
}

/* Intervals last from seq - 1 to seq seconds; groups have 2 MiB. */
static struct scan_row scan_row(uint32_t seq, uint32_t groups, uint64_t kernel, uint64_t user)
{
	return (struct scan_row){
		.seq = seq, .groups = groups, .pages = { kernel, user, 0 }, .group_kb = 2048,
		.begin_ns = seq * 1000000000ULL, .scan_ns = (seq + 1) * 1000000000ULL,
		.end_ns = (seq + 1) * 1000000000ULL, .write = 1,
	};
}

static void scan(uint32_t seq, uint32_t groups, uint64_t kernel, uint64_t user)
{
	const struct scan_row row = scan_row(seq, groups, kernel, user);

	assert_int_equal(model_add_scan(&m, &row), 0);
}

/* The row of the summary that has an item. */
static size_t item(const char *name)
{
	size_t row;

	for (row = 0; row < rows(); row++)
		if (!strcmp(cell(row, "item")->text, name))
			return row;
	fail_msg("no item %s", name);
	return 0;
}

static void summary(void **state)
{
	uint32_t seq;

	(void)state;
	for (seq = 1; seq <= 5; seq++) {
		struct scan_row row = scan_row(seq, 0, 256, 256 * seq);

		row.flags = seq == 2 ? SCAN_DAMON | SCAN_STRETCHED : SCAN_DAMON;
		row.rss = 512 * seq;
		row.tables = 30;
		row.tables_cold = 10;
		assert_int_equal(model_add_scan(&m, &row), 0);
	}
	model_end(&m);
	make("summary");
	is(item("wss_user_min"), "value", 1);
	is(item("wss_user_p25"), "value", 2);
	is(item("wss_user_median"), "value", 3);
	is(item("wss_user_p75"), "value", 4);
	is(item("wss_user_max"), "value", 5);
	is(item("wss_kernel_p99"), "value", 1);
	is(item("wss_total_max"), "value", 6);
	is(item("rss_max"), "value", 10);
	is(item("tables_read"), "value", 150);
	is(item("tables_cold_share"), "value", 25);
	is(item("intervals_damon"), "value", 5);
	is(item("intervals_stretched"), "value", 1);
	is(item("intervals_hotplug"), "value", 0);
}

/* A figure that the kernel does not record is missing, not 0. */
static void not_recorded(void **state)
{
	(void)state;
	group(1, 0, 1, 0);
	scan(1, 1, 1, 0);
	model_end(&m);
	make("summary");
	assert_int_equal(cell(item("rss_max"), "value")->type, CELL_NONE);
	assert_int_equal(cell(item("tables_cold_share"), "value")->type, CELL_NONE);
	make("wss");
	assert_int_equal(cell(0, "rss_mib")->type, CELL_NONE);
}

static void rss(void **state)
{
	struct scan_row row = scan_row(1, 0, 0, 0);

	(void)state;
	assert_int_equal(model_add_scan(&m, &row), 0);
	row.seq = 2;
	row.rss = 1024;
	assert_int_equal(model_add_scan(&m, &row), 0);
	make("wss");
	is(0, "rss_mib", 0);
	is(1, "rss_mib", 4);
}

static void lacking(void **state)
{
	const struct window process = { .pids = { 1, { 7 } } };

	(void)state;
	scan(1, 0, 0, 0);
	m.window.from = 0.5;
	lacks("spatial", "no memory was referenced from 0.5 s");
	assert_int_equal(view_window(view_find("wss"), &process, error, sizeof(error)), -1);
	assert_string_equal(error, "--pid 7: the view wss does not distinguish processes");
	assert_null(view_find("nonsense"));
}

static void heatmap(void **state)
{
	uint32_t seq;

	(void)state;
	m.heat.max_cells = 8;
	for (seq = 1; seq <= 9; seq++) {
		group(seq, 4 << 20, seq, 10);
		scan(seq, 1, seq, 10);
	}
	model_end(&m);
	make("heatmap");
	/* Two intervals a column, but the last. */
	assert_int_equal(rows(), 5);
	is(0, "time_s", 2);
	is(0, "interval_s", 2);
	is(0, "phys_addr", 4 << 20);
	is(0, "size_kib", 2048);
	is(0, "pages_kernel", 1.5);
	is(0, "pages_user", 10);
	is(0, "pages_page_cache", 0);
	is(4, "time_s", 9);
	is(4, "interval_s", 1);
	is(4, "pages_kernel", 9);
}

/* Where an interval is missing, nothing is shown. */
static void hole(void **state)
{
	(void)state;
	m.heat.max_cells = 8;
	group(1, 0, 1, 1);
	scan(1, 1, 1, 1);
	group(4, 0, 1, 1);
	scan(4, 1, 1, 1);
	make("heatmap");
	is(0, "time_s", 1);
	is(1, "time_s", 4);
	is(1, "interval_s", 1);
}

static void virtual(void **state)
{
	const uint64_t heap = 0x555555400000, stack = 0x7fffffe00000;

	(void)state;
	m.virt.max_cells = 100;
	virt(1, 7, heap, 100, 50);
	virt(1, 7, heap + VIRT_BLOCK, 512, 0);
	virt(1, 7, stack, 3, 3);
	scan(1, 0, 0, 0);
	virt(2, 7, heap, 1, 0);
	virt(2, 7, stack, 4, 0);
	scan(2, 0, 0, 0);
	make("virtual");
	assert_int_equal(rows(), 5);
	is(0, "virt_addr", heap);
	is(0, "pages", 100);
	is(0, "pages_written", 50);
	is(0, "place_mib", 0);
	is(1, "place_mib", 2);
	is(1, "area", 1);
	is(2, "virt_addr", stack);
	is(2, "area", 2);
	is(2, "place_mib", 6);
	is(3, "time_s", 2);
	is(3, "area", 1);
	is(3, "place_mib", 0);
	is(4, "place_mib", 6);
}

static void virtual_of_whom(void **state)
{
	(void)state;
	m.virt.max_cells = 100;
	scan(1, 0, 0, 0);
	lacks("virtual", "memref record --virt --pid");
	virt(2, 7, 0, 1, 0);
	virt(2, 9, 0, 1, 0);
	scan(2, 0, 0, 0);
	lacks("virtual", "by --pid (7, 9)");
}

static void virtual_of_another(void **state)
{
	(void)state;
	m.virt.max_cells = 100;
	m.window.pids = (struct pids){ 1, { 9 } };
	virt(1, 7, 0, 1, 0);
	scan(1, 0, 0, 0);
	lacks("virtual", "--pid 9: the recording is of the virtual memory of 7");
	virt(2, 9, 0, 1, 0);
	scan(2, 0, 0, 0);
	make("virtual");
	assert_int_equal(rows(), 1);
	/* A picture is of one address space. */
	m.window.pids = (struct pids){ 2, { 7, 9 } };
	lacks("virtual", "by --pid (7, 9)");
	m.window.pids = (struct pids){ 2, { 8, 9 } };
	make("virtual");
}

/* Here, the addresses of the window are virtual. */
static void virtual_window(void **state)
{
	(void)state;
	m.virt.max_cells = 100;
	m.window.addr = 3 << 20;
	m.window.addr_end = 4 << 20;
	virt(1, 7, 0, 1, 0);
	virt(1, 7, 4 << 20, 2, 0);
	scan(1, 0, 0, 0);
	lacks("virtual", "no virtual memory was referenced at 0x300000-0x400000");
	virt(2, 7, 2 << 20, 3, 0);
	scan(2, 0, 0, 0);
	make("virtual");
	assert_int_equal(rows(), 1);
	is(0, "pages", 3);
}

static void node(uint32_t seq, uint32_t number, uint64_t start, uint64_t end)
{
	const struct node_row row = {
		.seq = seq, .node = number, .start = start, .end = end,
	};

	assert_int_equal(model_add_node(&m, &row), 0);
}

static void numa(void **state)
{
	(void)state;
	scan(1, 0, 0, 0);
	lacks("numa", "no memref_node events");
	node(2, 0, 0, 4 << 20);
	/* There is no node 1. */
	node(2, 2, 4 << 20, 16 << 20);
	group(2, 0, 10, 20);
	group(2, 4 << 20, 0, 50);
	group(2, 6 << 20, 20, 0);
	scan(2, 3, 30, 70);
	model_end(&m);
	make("numa");
	assert_int_equal(rows(), 2);
	is(0, "seq", 2);
	is(0, "node", 0);
	is(0, "pages_kernel", 10);
	is(0, "pages_user", 20);
	is(0, "share_pct", 30);
	is(1, "node", 2);
	is(1, "pages_kernel", 20);
	is(1, "pages_user", 50);
	is(1, "share_pct", 70);
}

static void task(uint32_t seq, uint32_t pid, const char *comm, uint64_t pages, uint64_t written)
{
	struct task_row row = {
		.seq = seq, .pid = pid, .pages = pages, .written = written, .rss = 2560,
	};

	memcpy(row.comm, comm, strlen(comm));
	assert_int_equal(model_add_task(&m, &row), 0);
}

static void tasks(void **state)
{
	(void)state;
	task(1, 7, "small", 256, 0);
	task(1, 8, "large\n\xff", 1280, 256);
	scan(1, 0, 0, 0);
	task(2, 7, "small", 0, 0);
	task(2, 8, "large\n\xff", 512, 256);
	scan(2, 0, 0, 0);
	make("tasks");
	assert_int_equal(rows(), 2);
	is(0, "pid", 8);
	assert_string_equal(cell(0, "comm")->text, "large??");
	is(0, "intervals", 2);
	is(0, "mean_pages", 896);
	is(0, "mean_mib", 3.5);
	is(0, "max_mib", 5);
	is(0, "mean_written_mib", 1);
	is(0, "rss_max_mib", 10);
	is(0, "share_pct", 87.5);
	is(1, "pid", 7);
	is(1, "intervals", 1);
	is(1, "mean_mib", 0.5);

	m.window.pids = (struct pids){ 1, { 7 } };
	make("tasks");
	assert_int_equal(rows(), 1);
	is(0, "share_pct", 12.5);
	m.window.pids = (struct pids){ 2, { 7, 8 } };
	make("tasks");
	assert_int_equal(rows(), 2);
	m.window.pids = (struct pids){ 1, { 9 } };
	lacks("tasks", "--pid 9");
}

static void no_tasks(void **state)
{
	const struct window place = { .addr_end = 4096 }, process = { .pids = { 1, { 7 } } };

	(void)state;
	scan(1, 0, 0, 0);
	lacks("tasks", "memref record --tasks");
	assert_int_equal(view_window(view_find("tasks"), &process, error, sizeof(error)), 0);
	assert_int_equal(view_window(view_find("tasks"), &place, error, sizeof(error)), -1);
}

static void age(uint32_t seq, uint32_t class, uint64_t cgroup, const char *path, uint32_t young,
		uint32_t old, uint32_t again)
{
	struct age_row row = { .seq = seq, .class = class, .cgroup = cgroup };

	strcpy(row.path, path);
	row.pages[0] = young;
	row.pages[AGE_BUCKETS - 1] = old;
	row.again[AGE_BUCKETS - 1] = again;
	assert_int_equal(model_add_age(&m, &row), 0);
}

static void ages_of(enum age_by by)
{
	uint32_t seq;

	m.ages.by = by;
	for (seq = 1; seq <= 2; seq++) {
		age(seq, AGE_ANON, 7, "/web", 256, 512, 256);
		age(seq, AGE_FILE, 7, "/web", 0, 256, 0);
		age(seq, AGE_KERNEL, 0, "", 256, 0, 0);
		scan(seq, 0, 0, 0);
	}
	model_end(&m);
}

static void ages_by_class(void **state)
{
	(void)state;
	lacks("ages", "memref record --ages");
	ages_of(AGES_CLASS);
	make("ages");
	assert_int_equal(rows(), 6);
	assert_string_equal(cell(0, "of")->text, "anon");
	assert_int_equal(cell(3, "seq")->integer, 2);
	assert_float_equal(cell(0, "age_0_mib")->real, 1, 1e-9);
	assert_float_equal(cell(0, "age_128_mib")->real, 2, 1e-9);
	assert_float_equal(cell(0, "all_mib")->real, 3, 1e-9);
	assert_string_equal(cell(2, "of")->text, "kernel");
}

static void ages_by_cgroup(void **state)
{
	(void)state;
	ages_of(AGES_CGROUP);
	make("ages");
	assert_int_equal(rows(), 4);
	assert_string_equal(cell(0, "of")->text, "/web");
	assert_float_equal(cell(0, "age_128_mib")->real, 3, 1e-9);
	assert_string_equal(cell(1, "of")->text, "none");
}

static void vma_age(uint32_t seq, uint32_t pid, const char *name, uint32_t pages)
{
	struct vma_age_row row = { .seq = seq, .pid = pid, .comm = "worker" };
	uint32_t *of = *name == '/' ? row.file : row.anon;

	of[1] = pages;
	strcpy(row.name, name);
	assert_int_equal(model_add_vma_age(&m, &row), 0);
}

static void ages_by_mapping(void **state)
{
	(void)state;
	m.ages.by = AGES_MAPPING;
	age(1, AGE_ANON, 7, "/web", 256, 512, 256);
	scan(1, 0, 0, 0);
	lacks("ages", "the recording has no memref_vma_age events: record with memref record --mapping-ages");
	vma_age(2, 7, "[heap]", 512);
	vma_age(2, 7, "/lib/\xc3\xa4\xff\n", 256);
	scan(2, 0, 0, 0);
	model_end(&m);
	make("ages");
	assert_int_equal(rows(), 2);
	assert_string_equal(cell(0, "of")->text, "worker (7) [heap]");
	assert_float_equal(cell(0, "age_1_mib")->real, 2, 1e-9);
	assert_float_equal(cell(0, "all_mib")->real, 2, 1e-9);
	/* Letters stay; the rest does not reach a terminal. */
	assert_string_equal(cell(1, "of")->text, "worker (7) /lib/\xc3\xa4\xef\xbf\xbd?");
	assert_int_equal(cell(1, "seq")->integer, 2);
}

/* With events, but none that matches. */
static void ages_of_nothing(void **state)
{
	(void)state;
	m.ages.by = AGES_FILE;
	vma_age(1, 7, "[heap]", 512);
	scan(1, 0, 0, 0);
	lacks("ages", "the recording has no idle ages of files");
	m.ages.by = AGES_PROCESS;
	m.window.pids = (struct pids){ 1, { 9 } };
	vma_age(2, 7, "[heap]", 512);
	scan(2, 0, 0, 0);
	lacks("ages", "the recording has no idle ages of process 9");
}

/* The table of the plot of a view. */
static void make_plot(const char *name)
{
	table_free(&t);
	assert_int_equal(view_make_plot(view_find(name), &m, &t, error, sizeof(error)), 0);
}

static void is_panel(size_t row, int seq, const char *of, int rank, double idle)
{
	is(row, "seq", seq);
	assert_string_equal(cell(row, "of")->text, of);
	is(row, "rank", rank);
	is(row, "age_1_mib", idle);
	is(row, "all_mib", idle);
}

/* What memref plot gives to the script. */
static char *legend(const char *view)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(view_find(view)->legend(&m, f), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

/* Nine mappings have seven panels and one of the others; the last one is not in each interval. */
static void age_panels(void **state)
{
	char name[8], of[32], *text;
	uint32_t seq, i;

	(void)state;
	m.ages.by = AGES_MAPPING;
	for (seq = 1; seq <= 2; seq++) {
		for (i = seq == 1 ? 1 : 2; i <= 9; i++) {
			snprintf(name, sizeof(name), "[%u]", i);
			vma_age(seq, 7, name, i * 256);
		}
		scan(seq, 0, 0, 0);
	}
	model_end(&m);
	make_plot("ages");
	assert_int_equal(rows(), 16);
	for (i = 0; i < 16; i++) {
		snprintf(of, sizeof(of), "worker (7) [%u]", 9 - i % 8);
		if (i % 8 < 7)
			is_panel(i, 1 + i / 8, of, 1 + i % 8, 9 - i % 8);
	}
	is_panel(7, 1, "other", 8, 3);
	is_panel(15, 2, "other", 8, 2);
	text = legend("ages");
	assert_non_null(strstr(text, "array named[8]; named[1]='worker (7) [9]: mean 9.0 of 9.0 MiB idle'; "));
	assert_non_null(strstr(text, "; named[8]='2 others: mean 2.5 of 2.5 MiB idle'; "));
	free(text);
}

/* Eight have a panel each; that with the most idle time is first, not that with the most memory. */
static void age_panels_ranked(void **state)
{
	struct vma_age_row row = { .seq = 1, .pid = 9, .comm = "hot", .name = "[heap]", .anon = { [0] = 4096 } };
	uint32_t i;

	(void)state;
	m.ages.by = AGES_PROCESS;
	assert_int_equal(model_add_vma_age(&m, &row), 0);
	for (i = 1; i <= 6; i++)
		vma_age(1, i, "[heap]", 10);
	row = (struct vma_age_row){ .seq = 1, .pid = 8, .comm = "cold", .name = "[heap]", .anon = { [8] = 1 } };
	assert_int_equal(model_add_vma_age(&m, &row), 0);
	scan(1, 0, 0, 0);
	model_end(&m);
	make_plot("ages");
	assert_int_equal(rows(), 8);
	assert_string_equal(cell(0, "of")->text, "cold (8)");
	/* As idle as each other: in the order in which they were seen. */
	assert_string_equal(cell(1, "of")->text, "worker (1)");
	assert_string_equal(cell(6, "of")->text, "worker (6)");
	assert_string_equal(cell(7, "of")->text, "hot (9)");
	is(7, "rank", 8);
}

/* Those that a recording has too many of are among the others, even with more memory than each of them. */
static void age_panels_bound(void **state)
{
	char *text;
	uint32_t i;

	(void)state;
	m.ages.by = AGES_PROCESS;
	for (i = 1; i <= MAX_AGE_ENTRIES + 2; i++)
		vma_age(1, i, "[heap]", i > MAX_AGE_ENTRIES ? 100 : 1);
	scan(1, 0, 0, 0);
	model_end(&m);
	make_plot("ages");
	assert_int_equal(rows(), 8);
	assert_string_equal(cell(0, "of")->text, "worker (1)");
	is(7, "age_1_mib", (MAX_AGE_ENTRIES - 7 + 200) / 256.0);
	text = legend("ages");
	assert_non_null(strstr(text, "'more than 65529 others: "));
	free(text);
}

/* The plot of all memory is of the view's table, and has no names. */
static void age_panels_of_total(void **state)
{
	char *text;

	(void)state;
	ages_of(AGES_TOTAL);
	make_plot("ages");
	assert_int_equal(rows(), 2);
	assert_int_equal(t.nr_columns, ages_columns.nr);
	text = legend("ages");
	assert_string_equal(text, "");
	free(text);
}

/* Names cannot leave the strings of the commands. */
static void age_panels_named(void **state)
{
	char *text;

	(void)state;
	m.ages.by = AGES_FILE;
	vma_age(1, 7, "/'.system(\"x\").'\n\\n\xff", 256);
	vma_age(1, 7, "/0123456789/0123456789/0123456789/0123456789", 128);
	scan(1, 0, 0, 0);
	model_end(&m);
	text = legend("ages");
	assert_string_equal(text, "array named[2]; "
			    "named[1]='/'.\"'\".'.system(\"x\").'.\"'\".'?/n\xef\xbf\xbd: mean 1.0 of 1.0 MiB idle'; "
			    "named[2]='...3456789/0123456789/0123456789/0123456789: mean 0.5 of 0.5 MiB idle'; ");
	free(text);
}

static void option_by(void **state)
{
	struct window w = { };

	(void)state;
	assert_int_equal(view_by(view_find("wss"), &w, -1, AGES_CLASS, error, sizeof(error)), 0);
	assert_int_equal(w.by, AGES_CLASS);
	assert_int_equal(view_by(view_find("ages"), &w, AGES_FILE, AGES_CLASS, error, sizeof(error)), 0);
	assert_int_equal(w.by, AGES_FILE);
	assert_int_equal(view_by(view_find("wss"), &w, AGES_FILE, AGES_CLASS, error, sizeof(error)), -1);
	assert_string_equal(error, "--by file: the view wss has no idle ages");
}

/* Processes and mappings have no curve, and other ages have no processes. */
static void windows_of_ages(void **state)
{
	static const struct { const char *view; struct window w; const char *wrong; } tests[] = {
		{ "ages", { .pids = { 1, { 7 } }, .by = AGES_PROCESS }, NULL },
		{ "ages", { .pids = { 1, { 7 } }, .mapping = "heap", .by = AGES_FILE }, NULL },
		{ "ages", { .pids = { 1, { 7 } }, .by = AGES_CLASS }, "--pid 7: the view ages does not distinguish processes, except with" },
		{ "ages", { .mapping = "heap", .by = AGES_NODE }, "--mapping heap: the view ages does not distinguish mappings" },
		{ "ages", { .addr_end = 4096, .by = AGES_MAPPING }, "--addr: the view ages" },
		{ "curve", { .by = AGES_NODE }, NULL },
		{ "curve", { .by = AGES_PROCESS }, "--by process: the view curve needs how much was referenced again" },
		{ "curve", { .by = AGES_MAPPING }, "--by mapping: the view curve" },
		{ "curve", { .by = AGES_FILE }, "--by file: the view curve" },
		{ "curve", { .pids = { 1, { 7 } } }, "--pid 7: the view curve does not distinguish processes" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		const int ret = view_window(view_find(tests[i].view), &tests[i].w, error, sizeof(error));

		assert_int_equal(ret, tests[i].wrong ? -1 : 0);
		if (ret)
			assert_non_null(strstr(error, tests[i].wrong));
	}
}

/* 3 MiB are old, and 1 MiB of them is referenced in each interval of a second. */
static void age_curve(void **state)
{
	(void)state;
	ages_of(AGES_TOTAL);
	make("curve");
	assert_int_equal(rows(), AGE_BUCKETS - 1);
	assert_int_equal(cell(0, "age")->integer, 1);
	assert_int_equal(cell(7, "age")->integer, 128);
	assert_float_equal(cell(7, "age_s")->real, 128, 1e-9);
	assert_float_equal(cell(7, "reclaimable_mib")->real, 3, 1e-9);
	assert_float_equal(cell(7, "again_pages_per_s")->real, 256, 1e-9);
	assert_float_equal(cell(7, "again_pct_per_interval")->real, 100.0 * 256 / 768, 1e-9);
}

/* The plot has a line for each of the eight whose memory was idle for longest, and says how many it leaves out. */
static void curve_ranks(void **state)
{
	char name[8], of[32], *text;
	uint32_t i;

	(void)state;
	m.ages.by = AGES_MAPPING;
	for (i = 1; i <= 10; i++) {
		snprintf(name, sizeof(name), "[%u]", i);
		vma_age(1, 7, name, i * 256);
	}
	scan(1, 0, 0, 0);
	model_end(&m);
	make_plot("curve");
	assert_int_equal(rows(), 8 * (AGE_BUCKETS - 1));
	for (i = 0; i < rows(); i++) {
		const int rank = 1 + i / (AGE_BUCKETS - 1);

		snprintf(of, sizeof(of), "worker (7) [%u]", 11 - rank);
		assert_string_equal(cell(i, "of")->text, of);
		assert_int_equal(cell(i, "rank")->integer, rank);
		if (i % (AGE_BUCKETS - 1) == 0)
			is(i, "reclaimable_mib", 11 - rank);
	}
	text = legend("curve");
	assert_non_null(strstr(text, "others=2; array named[8]; named[1]='worker (7) [10]'; "));
	assert_non_null(strstr(text, "; named[8]='worker (7) [3]'; "));
	free(text);
}

/* Two intervals of @full full blocks, and @others blocks of @pages pages. */
static void blocks(int full, int others, uint32_t pages)
{
	uint32_t seq;
	int i;

	m.thp.collect = 1;
	for (seq = 1; seq <= 2; seq++) {
		for (i = 0; i < full; i++)
			group(seq, i * THP_SIZE, 5, THP_PAGES);
		for (; i < full + others; i++)
			group(seq, i * THP_SIZE, 5, pages);
		scan(seq, full + others, 0, 0);
	}
	model_end(&m);
}

static void advice(const char *verdict)
{
	const char *text;

	make("thp");
	assert_int_equal(rows(), 12);
	text = cell(10, "advice")->text;
	if (strncmp(text, verdict, strlen(verdict)))
		fail_msg("'%s' is not '%s'", text, verdict);
}

/* memref html shows the first ten rows: the verdict is among them. */
static void thp_verdict_is_on_the_page(void **state)
{
	char page[8192] = "";
	FILE *f = fmemopen(page, sizeof(page), "w");
	const char *all, *peak, *first;

	(void)state;
	blocks(3, 1, 128);
	make("thp");
	assert_int_equal(table_print_html(&t, 10, NULL, f), 0);
	fclose(f);
	all = strstr(page, "<tr><td class=\"text\">all<");
	peak = strstr(page, "<tr><td class=\"text\">peak<");
	first = strstr(page, "<tr><td class=\"text\">0-10<");
	assert_non_null(all);
	assert_non_null(peak);
	assert_non_null(first);
	assert_true(all < peak && peak < first);
	assert_non_null(strstr(all, "<td class=\"text\">worth it: 92 %"));
}

static void thp_dense(void **state)
{
	(void)state;
	blocks(3, 1, 128);
	advice("worth it: 92 % of the pages are in blocks more than half referenced; "
	       "4 TLB entries of 2 MiB for 1664 of 4 KiB; 1.5 of 8.0 MiB wasted");
	is(2, "blocks_2mib", 1);
	is(2, "share_blocks_pct", 25);
	is(2, "pages_4kib", 128);
	is(2, "wasted_mib", 1.5);
	is(9, "pages_4kib", 1536);
	is(9, "wasted_mib", 0);
	is(10, "pages_4kib", 1664);
	is(11, "blocks_2mib", 4);
}

static void thp_sparse(void **state)
{
	(void)state;
	blocks(0, 1100, 1);
	advice("not worth it: 0 %");
}

static void thp_some_dense(void **state)
{
	(void)state;
	/* Most of the pages are in the full ones, but most blocks are not. */
	blocks(3, 20, 10);
	advice("mixed: 88 %");
}

static void thp_little(void **state)
{
	(void)state;
	blocks(1, 0, 0);
	advice("not worth it: at most 512 pages");
}

static void thp_of_process(void **state)
{
	(void)state;
	m.thp.collect = 1;
	m.window.pids = (struct pids){ 1, { 7 } };
	group(1, 0, 0, 100);
	scan(1, 1, 0, 100);
	lacks("thp", "memref record --virt --pid");
	virt(2, 7, VIRT_BLOCK, 512, 0);
	virt(2, 9, 2 * VIRT_BLOCK, 512, 0);
	group(2, 0, 0, 100);
	scan(2, 1, 0, 100);
	model_end(&m);
	make("thp");
	is(11, "blocks_2mib", 1);
	is(11, "pages_4kib", 512);
}

static void thp_lacking(void **state)
{
	struct scan_row row = scan_row(2, 0, 0, 0);

	(void)state;
	m.thp.collect = 1;
	scan(1, 0, 0, 0);
	lacks("thp", "no user pages were referenced");
	row.group_kb = 65536;
	assert_int_equal(model_add_scan(&m, &row), 0);
	lacks("thp", "groups of 65536 KiB are larger than the 2 MiB of a huge page: "
	      "record with memref record --group-size 2M or smaller");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(summary, begin, end),
		cmocka_unit_test_setup_teardown(not_recorded, begin, end),
		cmocka_unit_test_setup_teardown(rss, begin, end),
		cmocka_unit_test_setup_teardown(lacking, begin, end),
		cmocka_unit_test_setup_teardown(heatmap, begin, end),
		cmocka_unit_test_setup_teardown(hole, begin, end),
		cmocka_unit_test_setup_teardown(virtual, begin, end),
		cmocka_unit_test_setup_teardown(virtual_of_whom, begin, end),
		cmocka_unit_test_setup_teardown(virtual_of_another, begin, end),
		cmocka_unit_test_setup_teardown(virtual_window, begin, end),
		cmocka_unit_test_setup_teardown(numa, begin, end),
		cmocka_unit_test_setup_teardown(tasks, begin, end),
		cmocka_unit_test_setup_teardown(no_tasks, begin, end),
		cmocka_unit_test_setup_teardown(ages_by_class, begin, end),
		cmocka_unit_test_setup_teardown(ages_by_cgroup, begin, end),
		cmocka_unit_test_setup_teardown(ages_by_mapping, begin, end),
		cmocka_unit_test_setup_teardown(ages_of_nothing, begin, end),
		cmocka_unit_test_setup_teardown(age_panels, begin, end),
		cmocka_unit_test_setup_teardown(age_panels_ranked, begin, end),
		cmocka_unit_test_setup_teardown(age_panels_bound, begin, end),
		cmocka_unit_test_setup_teardown(age_panels_of_total, begin, end),
		cmocka_unit_test_setup_teardown(age_panels_named, begin, end),
		cmocka_unit_test(option_by),
		cmocka_unit_test(windows_of_ages),
		cmocka_unit_test_setup_teardown(age_curve, begin, end),
		cmocka_unit_test_setup_teardown(curve_ranks, begin, end),
		cmocka_unit_test_setup_teardown(thp_dense, begin, end),
		cmocka_unit_test_setup_teardown(thp_verdict_is_on_the_page, begin, end),
		cmocka_unit_test_setup_teardown(thp_sparse, begin, end),
		cmocka_unit_test_setup_teardown(thp_some_dense, begin, end),
		cmocka_unit_test_setup_teardown(thp_little, begin, end),
		cmocka_unit_test_setup_teardown(thp_of_process, begin, end),
		cmocka_unit_test_setup_teardown(thp_lacking, begin, end),
	};

	return cmocka_run_group_tests_name("view", tests, NULL, NULL);
}
