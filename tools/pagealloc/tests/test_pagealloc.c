// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* libpagealloc against a kernel that is a few lines of this file. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "pagealloc/lib/layout.h"

#define PAGE 4096u

/* --- the kernel --- */

#define MAX_SETS 20000

static struct {
	int error;			/* what ioctls return instead */
	unsigned int color_bits;
	uint64_t salt;			/* changes every frame */
	struct page_hints_set set[MAX_SETS];
	void *arg[MAX_SETS];
	int nr_sets, nr_clears;
	unsigned int remap_flags, inherit;
	struct page_hints_range clear;
} kernel;

static void kernel_reset(void)
{
	int i;

	for (i = 0; i < kernel.nr_sets; i++)
		free(kernel.arg[i]);
	memset(&kernel, 0, sizeof(kernel));
	kernel.color_bits = 5;
}

int __real_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
	if (strstr(path, "/page_hints"))
		path = "/dev/null";
	return __real_open(path, flags);
}

static uint64_t frame_of(uint64_t address)
{
	return (address / PAGE * 2654435761u + kernel.salt) % 1000003 + 1;
}

static struct page_hints_info the_info(void)
{
	struct page_hints_info info = {
		.size = sizeof(info), .api_version = PAGE_HINTS_API_VERSION,
		.color_bits = kernel.color_bits, .colors = 1U << kernel.color_bits, .inherit = 7,
	};
	unsigned int i;

	for (i = 0; i < info.color_bits; i++)
		info.masks[i] = UINT64_C(0x21) << i;
	return info;
}

/* All but every seventh page of a mapping are there; each tenth is a file's. */
static int query(struct page_hints_query *q)
{
	struct page_hints_page *pages = (void *)(uintptr_t)q->pages;
	uint64_t *addresses = (void *)(uintptr_t)q->addresses;
	struct page_hints_info info = the_info();
	uint64_t n = 0;

	/* Such as the shadow memory of a sanitizer: nothing there. */
	if (q->end - q->start > 64 << 20)
		q->start = q->end;
	for (; q->start < q->end && n < q->nr_pages; q->start += PAGE, n++) {
		uint64_t number = q->start / PAGE;

		addresses[n] = q->start;
		pages[n] = (struct page_hints_page){ };
		if (number % 7 == 0)
			continue;
		pages[n].flags = PAGE_HINTS_PRESENT | (number % 10 ? 0 : PAGE_HINTS_FILE);
		pages[n].pfn = frame_of(q->start);
		pages[n].color = pagealloc_color(&info, pages[n].pfn);
	}
	q->nr_pages = n;
	return 0;
}

static int verify(struct page_hints_query *q)
{
	assert_int_equal(q->size, sizeof(*q));
	assert_true(!q->pages && !q->nr_pages && !q->addresses);
	q->present = 40;
	q->hinted = 30;
	q->placed = 20;
	q->hits = 10;
	return 0;
}

static int remap(struct page_hints_remap *r)
{
	int32_t *status = (void *)(uintptr_t)r->status;
	uint64_t i;

	kernel.remap_flags = r->flags;
	for (i = 0; status && i < (r->end - r->start) / PAGE; i++)
		status[i] = i % 2 ? -EBUSY : 1;
	r->moved = 1;
	r->there = 2;
	r->failed = 3;
	return 0;
}

/* Hints of pages 16 to 31 and 48 to 63, no default. */
static int get(struct page_hints_get *g)
{
	if (g->start == PAGEALLOC_DEFAULT || g->start >= 64 * PAGE) {
		errno = ENOENT;
		return -1;
	}
	g->end = g->start < 32 * PAGE ? 32 * PAGE : 64 * PAGE;
	g->start = g->end - 16 * PAGE;
	strcpy(g->strategy, "binhop");
	return 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	struct page_hints_set *set;
	va_list ap;
	void *arg;

	(void)fd;
	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (kernel.error && request != PAGE_HINTS_INFO) {
		errno = kernel.error;
		return -1;
	}
	switch (request) {
	case PAGE_HINTS_INFO:
		*(struct page_hints_info *)arg = the_info();
		return 0;
	case PAGE_HINTS_QUERY:
		return query(arg);
	case PAGE_HINTS_VERIFY:
		return verify(arg);
	case PAGE_HINTS_REMAP:
		return remap(arg);
	case PAGE_HINTS_GET:
		return get(arg);
	case PAGE_HINTS_INHERIT:
		kernel.inherit = ((struct page_hints_inherit *)arg)->flags;
		return 0;
	case PAGE_HINTS_SET:
		set = &kernel.set[kernel.nr_sets];
		*set = *(struct page_hints_set *)arg;
		kernel.arg[kernel.nr_sets] = malloc(set->arg_size + 1);
		if (set->arg_size)
			memcpy(kernel.arg[kernel.nr_sets], (void *)(uintptr_t)set->arg,
			       set->arg_size);
		kernel.nr_sets++;
		return 0;
	case PAGE_HINTS_CLEAR:
		kernel.clear = *(struct page_hints_range *)arg;
		kernel.nr_clears++;
		return 0;
	}
	errno = ENOTTY;
	return -1;
}

static struct pagealloc *open_self(void)
{
	struct pagealloc *handle;

	assert_int_equal(pagealloc_open(0, 0, &handle), 0);
	return handle;
}

/* --- strategies --- */

static void good_text(void **state)
{
	static const struct {
		const char *text, *strategy;
		size_t size;
		uint64_t word;			/* the argument's first, as far as it goes */
	} good[] = {
		{ "coloring", "coloring", 0, 0 }, { "coloring:offset=3", "coloring", 8, 3 },
		{ "coloring:offset=0xffffffffffffffff", "coloring", 8, UINT64_MAX },
		{ "binhop", "binhop", 0, 0 }, { "binhop:step=2,first=1", "binhop", 8, 0x200000001 },
		{ "partition:0-7,16", "partition", 8, 0x100ff },
		{ "partition:63", "partition", 8, 1ULL << 63 },
		{ "partition:64", "partition", 16, 0 }, { "partition:4095", "partition", 512, 0 },
		{ "random:seed=42", "random", 8, 42 }, { "modulo:5,6", "modulo", 8, 0x600000005 },
		{ "reverse", "reverse", 0, 0 },
	};
	struct pagealloc_hint *hint;
	uint64_t word;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(pagealloc_hint_parse(good[i].text, PAGE_HINT_ORDER0, &hint,
						      NULL, 0), 0);
		assert_string_equal(hint->strategy, good[i].strategy);
		assert_int_equal(hint->arg_size, good[i].size);
		assert_int_equal(hint->flags, PAGE_HINT_ORDER0);
		if (hint->arg_size) {
			memcpy(&word, hint->arg, sizeof(word));
			assert_int_equal(word, good[i].word);
		}
		pagealloc_hint_free(hint);
	}
}

static void bad_text(void **state)
{
	static const char * const bad[] = {
		"", ":", ":offset=1", "averylongnameofastrategy", "coloring:", "coloring:offset",
		"coloring:offset=", "coloring:offset=x", "coloring:offset=1,",
		"coloring:offset=1,offset=2",
		"coloring:offset=18446744073709551616", "coloring:offset=-1",
		"binhop:first=4294967296",
		"binhop:last=1", "random", "random:7", "partition", "partition:", "partition:7-0",
		"partition:4096", "partition:1,", "partition:1-", "partition:1;2", "modulo",
		"modulo:",
		"modulo:1,,2", "modulo:4096", "modulo:/nonexistent", "exact", "exact:/nonexistent",
		"reverse:now", "reverse:@/nonexistent",
	};
	struct pagealloc_hint *hint = NULL;
	char error[128];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		*error = '\0';
		assert_true(pagealloc_hint_parse(bad[i], 0, &hint, error, sizeof(error)) < 0);
		/* It names what was given. */
		assert_int_equal(strncmp(error, bad[i], strlen(bad[i])), 0);
		assert_true(strlen(error) > strlen(bad[i]) + 2);
		assert_true(pagealloc_hint_parse(bad[i], 0, &hint, error, 5) < 0);
		assert_true(strlen(error) < 5);
	}
	assert_null(hint);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void table_files(void **state)
{
	char path[] = "/tmp/test_pagealloc.XXXXXX", text[128], error[256];
	struct pagealloc_hint *hint;
	const uint32_t *colors;
	const uint64_t *frames;
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	write_file(path, "# colors\n1 2,3\n\n 31 # the last\n");
	snprintf(text, sizeof(text), "modulo:%s", path);
	assert_int_equal(pagealloc_hint_parse(text, 0, &hint, error, sizeof(error)), 0);
	colors = hint->arg;
	assert_int_equal(hint->arg_size, 16);
	assert_int_equal(colors[0] | colors[1] << 8 | colors[2] << 16 | colors[3] << 24, 0x1f030201);
	pagealloc_hint_free(hint);
	write_file(path, "0x10\n-\n17");
	snprintf(text, sizeof(text), "exact:%s", path);
	assert_int_equal(pagealloc_hint_parse(text, 0, &hint, error, sizeof(error)), 0);
	frames = hint->arg;
	assert_int_equal(hint->arg_size, 24);
	assert_int_equal(frames[0], 16);
	assert_int_equal(frames[1], PAGEALLOC_ANY_FRAME);
	assert_int_equal(frames[2], 17);
	pagealloc_hint_free(hint);
	write_file(path, "1\n2x\n");
	assert_int_equal(pagealloc_hint_parse(text, 0, &hint, error, sizeof(error)), -EINVAL);
	assert_non_null(strstr(error, ":2: not a frame"));
	write_file(path, "# nothing\n");
	assert_int_equal(pagealloc_hint_parse(text, 0, &hint, error, sizeof(error)), -EINVAL);
	assert_non_null(strstr(error, "empty"));
	unlink(path);
}

/* --- hints --- */

static void typed_hints(void **state)
{
	struct pagealloc *h = open_self();
	uint32_t colors[] = { 3, 64, 5 };
	uint64_t frames[] = { 7, PAGEALLOC_ANY_FRAME };
	uint64_t *words;

	(void)state;
	kernel_reset();
	assert_int_equal(pagealloc_set_coloring(h, 0x1000, 0x3000, PAGE_HINT_ORDER0, 9), 0);
	assert_string_equal(kernel.set[0].strategy, "coloring");
	assert_int_equal(kernel.set[0].start, 0x1000);
	assert_int_equal(kernel.set[0].end, 0x3000);
	assert_int_equal(kernel.set[0].flags, PAGE_HINT_ORDER0);
	assert_int_equal(kernel.set[0].size, sizeof(struct page_hints_set));
	assert_int_equal(*(uint64_t *)kernel.arg[0], 9);
	assert_int_equal(pagealloc_set_binhop(h, 0, 0, 0, 1, 2), 0);
	assert_int_equal(*(uint64_t *)kernel.arg[1], 0x200000001);
	assert_int_equal(pagealloc_set_modulo(h, 0, 0, 0, colors, 3), 0);
	assert_int_equal(kernel.set[2].arg_size, 12);
	assert_int_equal(pagealloc_set_exact(h, 0x1000, 0x3000, 0, frames, 2), 0);
	assert_int_equal(kernel.set[3].arg_size, 16);
	assert_int_equal(pagealloc_set_partition(h, 0, 0, 0, colors, 3), 0);
	words = kernel.arg[4];
	assert_int_equal(kernel.set[4].arg_size, 16);
	assert_int_equal(words[0], 1 << 3 | 1 << 5);
	assert_int_equal(words[1], 1);
	assert_int_equal(pagealloc_set_random(h, 0, 0, 0, 99), 0);
	assert_int_equal(*(uint64_t *)kernel.arg[5], 99);
	colors[1] = PAGE_HINTS_MAX_COLORS;
	assert_int_equal(pagealloc_set_partition(h, 0, 0, 0, colors, 3), -ERANGE);
	assert_int_equal(pagealloc_set(h, 0, 0, &(struct pagealloc_hint){ "sixteencharacter" }),
			 -EINVAL);
	kernel.error = EPERM;
	assert_int_equal(pagealloc_set_random(h, 0, 0, 0, 99), -EPERM);
	assert_int_equal(pagealloc_clear(h, 0, 0), -EPERM);
	pagealloc_close(h);
}

static void places(void **state)
{
	struct pagealloc *h = open_self();
	struct pagealloc_counts counts;
	struct pagealloc_moved moved;
	struct page_hints_get hint;
	int32_t status[2];

	(void)state;
	kernel_reset();
	assert_int_equal(pagealloc_verify(h, 0, PAGE, &counts), 0);
	assert_int_equal(counts.present, 40);
	assert_int_equal(counts.hinted, 30);
	assert_int_equal(counts.placed, 20);
	assert_int_equal(counts.hits, 10);
	assert_int_equal(pagealloc_remap(h, 0, 2 * PAGE, PAGE_HINTS_REMAP_EVICT, status, &moved), 0);
	assert_int_equal(kernel.remap_flags, PAGE_HINTS_REMAP_EVICT);
	assert_int_equal(status[0], 1);
	assert_int_equal(status[1], -EBUSY);
	assert_int_equal(moved.moved * 100 + moved.there * 10 + moved.failed, 123);
	assert_int_equal(pagealloc_remap(h, 0, 2 * PAGE, 0, NULL, NULL), 0);
	assert_int_equal(pagealloc_get(h, PAGEALLOC_DEFAULT, &hint), -ENOENT);
	assert_int_equal(pagealloc_get(h, 0, &hint), 0);
	assert_int_equal(hint.start, 16 * PAGE);
	assert_int_equal(pagealloc_get(h, hint.end, &hint), 0);
	assert_int_equal(hint.start, 48 * PAGE);
	assert_string_equal(hint.strategy, "binhop");
	assert_int_equal(pagealloc_get(h, hint.end, &hint), -ENOENT);
	assert_int_equal(pagealloc_inherit(h, PAGE_HINTS_FORK_RANGES), 0);
	assert_int_equal(kernel.inherit, PAGE_HINTS_FORK_RANGES);
	kernel.error = EBADF;
	assert_int_equal(pagealloc_remap(h, 0, PAGE, 0, NULL, NULL), -EBADF);
	assert_int_equal(pagealloc_verify(h, 0, PAGE, &counts), -EBADF);
	pagealloc_close(h);
}

static void no_process(void **state)
{
	struct pagealloc *h;

	(void)state;
	assert_int_equal(pagealloc_open(-1, 0, &h), -EINVAL);
	assert_int_equal(pagealloc_open(0, 8, &h), -EINVAL);
	pagealloc_close(NULL);
}

static void memory(void **state)
{
	struct pagealloc_hint hint = { "binhop" };
	struct pagealloc *h = open_self();
	unsigned char vec[3];
	char *mem = NULL;

	(void)state;
	kernel_reset();
	assert_int_equal(pagealloc_alloc(h, 2 * PAGE + 1, &hint, PAGEALLOC_POPULATE,
					 (void **)&mem), 0);
	assert_int_equal(kernel.set[0].end - kernel.set[0].start, 3 * PAGE);
	assert_int_equal(kernel.set[0].start, (uintptr_t)mem);
	assert_int_equal(mincore(mem, 3 * PAGE, vec), 0);
	assert_int_equal(vec[0] & vec[1] & vec[2] & 1, 1);
	assert_int_equal(mem[3 * PAGE - 1], 0);
	assert_int_equal(pagealloc_free(h, mem, 2 * PAGE + 1), 0);
	assert_int_equal(kernel.clear.start, (uintptr_t)mem);
	assert_int_equal(kernel.clear.end, (uintptr_t)mem + 3 * PAGE);
	assert_int_equal(mincore(mem, PAGE, vec), -1);
	mem = NULL;
	assert_int_equal(pagealloc_alloc(h, 0, &hint, 0, (void **)&mem), -EINVAL);
	assert_int_equal(pagealloc_alloc(h, SIZE_MAX, &hint, 0, (void **)&mem), -EINVAL);
	assert_int_equal(pagealloc_alloc(h, PAGE, &hint, 4, (void **)&mem), -EINVAL);
	kernel.error = ENOENT;
	assert_int_equal(pagealloc_alloc(h, PAGE, &hint, 0, (void **)&mem), -ENOENT);
	assert_null(mem);
	pagealloc_close(h);
}

static void colors(void **state)
{
	struct page_hints_info info = { .color_bits = 2, .masks = { 0x11, 0x2 } };

	(void)state;
	assert_int_equal(pagealloc_color(&info, 0), 0);
	assert_int_equal(pagealloc_color(&info, 0x1), 1);
	assert_int_equal(pagealloc_color(&info, 0x10), 1);
	assert_int_equal(pagealloc_color(&info, 0x11), 0);
	assert_int_equal(pagealloc_color(&info, 0x13), 2);
	info.color_bits = 0;
	assert_int_equal(pagealloc_color(&info, 0x13), 0);
}

/* --- layouts --- */

static struct pagealloc_layout *record_self(struct pagealloc *h, unsigned int flags)
{
	struct pagealloc_layout *l;

	assert_int_equal(pagealloc_layout_record(h, flags, &l), 0);
	return l;
}

static char *as_text(const struct pagealloc_layout *l, size_t *size)
{
	char *text;
	FILE *f = open_memstream(&text, size);

	assert_int_equal(pagealloc_layout_write(l, f), 0);
	fclose(f);
	return text;
}

static int from_text(const char *text, size_t size, struct pagealloc_layout **l, char *error)
{
	FILE *f = fmemopen((void *)text, size, "r");
	int ret = pagealloc_layout_read(f, l, error, 256);

	fclose(f);
	return ret;
}

static void round_trip(void **state)
{
	struct pagealloc *h = open_self();
	struct pagealloc_layout *l, *copy;
	char *text, *again, error[256];
	size_t size, size_again;
	int frames;

	(void)state;
	kernel_reset();
	l = record_self(h, 0);
	assert_true(l->nr_pages > 100);
	assert_true(l->anchors[ANCHOR_EXE] && l->anchors[ANCHOR_BRK] && l->anchors[ANCHOR_STACK]);
	text = as_text(l, &size);
	assert_int_equal(from_text(text, size, &copy, error), 0);
	again = as_text(copy, &size_again);
	assert_int_equal(size, size_again);
	assert_memory_equal(text, again, size);
	free(again);
	free(text);
	pagealloc_layout_free(copy);
	pagealloc_layout_free(l);

	l = record_self(h, PAGEALLOC_NO_FRAMES);
	text = as_text(l, &size);
	assert_int_equal(from_text(text, size, &copy, error), 0);
	pagealloc_layout_info(copy, NULL, NULL, &frames);
	assert_int_equal(frames, 0);
	assert_non_null(strstr(text, "\nframes no\n"));
	free(text);
	pagealloc_layout_free(copy);
	pagealloc_layout_free(l);
	pagealloc_close(h);
}

static const char small[] =
	"pagealloc-layout 1\n"
	"page_size 4096\n"
	"colors 4\n"
	"masks 0x1 0x2\n"
	"frames yes\n"
	"anchor exe 0x400000\n"
	"# a comment\n"
	"map exe 0x400000 0x402000 rw-p 0x1000 0 /a name with spaces (deleted)\n"
	"a 0 3 7\n"
	"f 1 0 8\n"
	"map mmap 0x500000 0x501000 rw-p 0x0 0\n"
	"a 0 1 5\n"
	"end 2 3\n";

static void small_file(void **state)
{
	struct pagealloc_layout *l;
	char error[256];

	(void)state;
	assert_int_equal(from_text(small, strlen(small), &l, error), 0);
	assert_int_equal(l->nr_maps, 2);
	assert_int_equal(l->nr_pages, 3);
	assert_string_equal(l->maps[0].at.name, "/a name with spaces (deleted)");
	assert_string_equal(l->maps[1].at.name, "");
	assert_int_equal(l->maps[1].first, 2);
	assert_int_equal(l->pages[1].file, 1);
	assert_int_equal(l->pages[0].pfn, 7);
	pagealloc_layout_free(l);
}

/* Any line away, or cut anywhere, is noticed; and the line is named. */
static void damaged_files(void **state)
{
	static const struct { const char *what, *instead, *error; } bad[] = {
		{ "pagealloc-layout 1", "pagealloc-layout 2", "line 1: unsupported version 2" },
		{ "pagealloc-layout 1", "#!/bin/sh", "line 1: not a layout" },
		{ "page_size 4096", "page_size 4095", "line 2: invalid page size" },
		{ "colors 4", "colors 8", "line 4: 8 colors, but 2 masks" },
		{ "colors 4", "colors 5000", "line 3: not a number of colors" },
		{ "0x1 0x2", "0x1 zwei", "line 4: invalid color masks" },
		{ "0x1 0x2", "0x1 0x0", "line 4: invalid color masks" },
		{ "frames yes", "frames maybe", "line 5" },
		{ "anchor exe", "anchor axe", "line 6: invalid anchor" },
		{ "0x400000\n", "0x400001\n", "line 6: invalid anchor" },
		{ "0x402000", "0x402001", "line 8: not of whole pages" },
		{ "0x402000", "0x400000", "line 8: not of whole pages" },
		{ "0x500000", "0x401000", "line 11: overlaps" },
		{ "rw-p", "rw", "line 8: invalid mapping" },
		{ "a 0 3 7", "a 2 3 7", "line 9: not a page" },
		{ "a 0 3 7", "a 1 3 7", "line 10: pages are not in order" },
		{ "a 0 3 7", "a 0 4 7", "line 9: not a color below 4" },
		{ "a 0 3 7", "a 0 2 7", "line 9: the frame is of color 3, not 2" },
		{ "a 0 3 7", "a 0 3", "line 9: not a frame" },
		{ "a 0 3 7", "a 0 3 7 7", "line 9: too many fields" },
		{ "a 0 3 7", "b 0 3 7", "line 9: unknown line" },
		{ "a 0 3 7", "colors 4", "line 9: unknown line" },
		{ "end 2 3", "end 2 4", "differs from the end line" },
		{ "end 2 3", "", "line 13: unknown line" },
		{ "end 2 3\n", "", "truncated" },
		{ "end 2 3\n", "end 2 3\nmore\n", "lines after the end" },
	};
	char text[1024], error[256], *at;
	struct pagealloc_layout *l;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		at = strstr(small, bad[i].what);
		assert_non_null(at);
		snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - small), small, bad[i].instead,
			 at + strlen(bad[i].what));
		assert_int_equal(from_text(text, strlen(text), &l, error), -EINVAL);
		if (!strstr(error, bad[i].error))
			fail_msg("%s: %s", bad[i].instead, error);
	}
	for (i = 1; i < strlen(small) - 1; i++)
		assert_int_equal(from_text(small, i, &l, error), -EINVAL);
}

/* Whatever comes, nothing but 0 or -EINVAL; the sanitizers see the rest. */
static void random_damage(void **state)
{
	struct pagealloc_layout *l;
	unsigned int seed = 4, i, j;
	char text[1024], error[256];

	(void)state;
	print_message("# seed %u\n", seed);
	srand(seed);
	for (i = 0; i < 50000; i++) {
		size_t size = strlen(small);
		int ret;

		memcpy(text, small, size);
		for (j = 0; j < 1 + i % 4; j++)
			text[rand() % size] = rand() % 3 ? "0123456789 xaf\n-"[rand() % 16] : rand();
		ret = from_text(text, size, &l, error);
		assert_true(ret == 0 || ret == -EINVAL);
		if (!ret)
			pagealloc_layout_free(l);
		else
			assert_true(*error);
	}
}

/* Each recorded page that is not a file's has a hint with its color or frame. */
static void check_hints(const struct pagealloc_layout *l, int exact, int64_t moved)
{
	size_t m, p, hinted = 0;
	int s;

	for (m = 0; m < l->nr_maps; m++) {
		const struct layout_map *map = &l->maps[m];

		for (p = map->first; p < map->first + map->nr; p++) {
			uint64_t address = map->at.start + l->pages[p].index * PAGE + moved;
			int found = 0;

			for (s = 0; s < kernel.nr_sets; s++) {
				struct page_hints_set *set = &kernel.set[s];
				size_t i = (address - set->start) / PAGE;

				if (address < set->start || address >= set->end)
					continue;
				found++;
				if (exact)
					assert_int_equal(((uint64_t *)kernel.arg[s])[i],
							 l->pages[p].pfn);
				else
					assert_int_equal(((uint32_t *)kernel.arg[s])[i],
							 l->pages[p].color);
			}
			assert_int_equal(found, !l->pages[p].file);
			hinted += found;
		}
	}
	assert_true(hinted > 0);
}

static void count(void *ctx, const struct pagealloc_difference *d)
{
	assert_string_equal(d->why, "taken");
	assert_true(d->address && d->pfn && d->goal_pfn && d->pfn != d->goal_pfn);
	++*(uint64_t *)ctx;
}

static void replay(void **state)
{
	uint64_t differences = 0;
	struct pagealloc *h = open_self();
	struct pagealloc_replay r;
	struct pagealloc_layout *l;
	uint64_t files;
	int exact;

	(void)state;
	for (exact = 0; exact < 2; exact++) {
		kernel_reset();
		l = record_self(h, 0);
		assert_int_equal(pagealloc_layout_apply(l, h, exact ? PAGEALLOC_EXACT : 0, &r), 0);
		assert_string_equal(kernel.set[0].strategy, exact ? "exact" : "modulo");
		assert_int_equal(r.pages, l->nr_pages);
		assert_int_equal(r.hinted + r.files, r.pages);
		assert_int_equal(r.unmapped, 0);
		check_hints(l, exact, 0);

		assert_int_equal(pagealloc_layout_compare(l, h, exact ? PAGEALLOC_EXACT : 0, &r,
							  count, &differences), 0);
		files = r.files;
		assert_true(files > 0);
		assert_int_equal(r.there + files, r.pages);
		assert_int_equal(differences, 0);
		/* Other frames, the same color for one in 32. */
		kernel.salt = 1;
		assert_int_equal(pagealloc_layout_compare(l, h, exact ? PAGEALLOC_EXACT : 0, &r,
							  count, &differences), 0);
		assert_int_equal(r.there + r.elsewhere + files, r.pages);
		assert_true(r.elsewhere > r.pages / 2);
		assert_int_equal(differences, r.elsewhere);
		differences = 0;
		pagealloc_layout_free(l);
	}
	pagealloc_close(h);
}

/* The heap moved: its pages are found by where the break begins. */
static void moved_heap(void **state)
{
	struct pagealloc *h = open_self();
	struct pagealloc_replay r;
	struct pagealloc_layout *l, heap;
	struct layout_map *map = NULL;
	size_t i;

	(void)state;
	kernel_reset();
	/* A sanitizer has its memory elsewhere. */
	assert_ptr_not_equal(sbrk(64 * PAGE), (void *)-1);
	l = record_self(h, 0);
	for (i = 0; i < l->nr_maps; i++)
		if (l->maps[i].anchor == ANCHOR_BRK)
			map = &l->maps[i];
	assert_non_null(map);
	/* A layout of the heap alone, as if recorded elsewhere. */
	heap = *l;
	heap.maps = map;
	heap.nr_maps = 1;
	heap.anchors[ANCHOR_BRK] -= 16 * PAGE;
	map->at.start -= 16 * PAGE;
	map->at.end -= 16 * PAGE;
	assert_int_equal(pagealloc_layout_apply(&heap, h, 0, &r), 0);
	check_hints(&heap, 0, 16 * PAGE);
	/* Where the break began is not known, and addresses are others. */
	heap.anchors[ANCHOR_BRK] = 0;
	assert_int_equal(pagealloc_layout_apply(&heap, h, 0, &r), 0);
	assert_int_equal(r.unmapped, map->nr);
	pagealloc_layout_free(l);
	pagealloc_close(h);
}

static void other_function(void **state)
{
	struct pagealloc *h = open_self();
	struct pagealloc_replay r;
	struct pagealloc_layout *l;

	(void)state;
	kernel_reset();
	l = record_self(h, PAGEALLOC_NO_FRAMES);
	assert_int_equal(pagealloc_layout_apply(l, h, PAGEALLOC_EXACT, &r), -ENODATA);
	kernel.color_bits = 6;
	assert_int_equal(pagealloc_layout_apply(l, h, 0, &r), -EDOM);
	assert_int_equal(pagealloc_layout_compare(l, h, 0, &r, NULL, NULL), -EDOM);
	assert_int_equal(kernel.nr_sets, 0);
	kernel.color_bits = 0;
	pagealloc_layout_free(l);
	assert_int_equal(pagealloc_layout_record(h, 0, &l), -EDOM);
	kernel_reset();
	kernel.error = EPERM;
	assert_int_equal(pagealloc_layout_record(h, 0, &l), -EPERM);
	pagealloc_close(h);
}

static void mappings(void **state)
{
	struct pagealloc *h = open_self();
	struct pagealloc_mapping *maps;
	ssize_t nr, i, stacks = 0;

	(void)state;
	nr = pagealloc_mappings(h, &maps);
	assert_true(nr > 5);
	for (i = 0; i < nr; i++) {
		assert_true(maps[i].start < maps[i].end);
		assert_true(!i || maps[i - 1].end <= maps[i].start);
		assert_int_equal(strlen(maps[i].perms), 4);
		stacks += !strcmp(maps[i].name, "[stack]");
	}
	assert_int_equal(stacks, 1);
	pagealloc_mappings_free(maps, nr);
	pagealloc_close(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_text), cmocka_unit_test(bad_text),
		cmocka_unit_test(table_files), cmocka_unit_test(typed_hints),
		cmocka_unit_test(places),
		cmocka_unit_test(no_process), cmocka_unit_test(memory), cmocka_unit_test(colors),
		cmocka_unit_test(round_trip), cmocka_unit_test(small_file),
		cmocka_unit_test(damaged_files), cmocka_unit_test(random_damage),
		cmocka_unit_test(replay), cmocka_unit_test(moved_heap),
		cmocka_unit_test(other_function), cmocka_unit_test(mappings),
	};

	return cmocka_run_group_tests_name("pagealloc", tests, NULL, NULL);
}
