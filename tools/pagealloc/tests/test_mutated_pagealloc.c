// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Layouts, and files of colors and frames, damaged at random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "made/mutate.h"
#include "pagealloc/pagealloc.h"

/* What was read is written as a layout that can be read. */
static void read_layout(void *ctx, char *data, size_t size)
{
	struct pagealloc_layout *layout;
	char error[128] = "";
	FILE *f = fopen(mutate_file(data, size), "re");
	int *ret = ctx;

	assert_non_null(f);
	*ret = pagealloc_layout_read(f, &layout, error, sizeof(error));
	fclose(f);
	if (*ret) {
		assert_true(*error);
		return;
	}
	f = tmpfile();
	assert_non_null(f);
	assert_int_equal(pagealloc_layout_write(layout, f), 0);
	pagealloc_layout_free(layout);
	rewind(f);
	assert_int_equal(pagealloc_layout_read(f, &layout, error, sizeof(error)), 0);
	pagealloc_layout_free(layout);
	fclose(f);
}

static void layouts(void **unused)
{
	static const char text[] =
		"pagealloc-layout 1\npage_size 4096\ncolors 4\nmasks 0x1 0x2\nframes yes\n# made up\n"
		"anchor brk 0x600000\nmap brk 0x600000 0x604000 rw-p 0x0 0 [heap]\na 0 1 5\na 1 2 6\na 3 0 8\n"
		"map fixed 0x7f0000000000 0x7f0000200000 r--p 0x1000 9 /lib/a b.so\nf 0 3 7\na 511 0 1024\nend 2 5\n";
	char copy[sizeof(text)];
	int ret = -1;
	const struct mutation m = {
		.name = "layouts", .data = text, .size = sizeof(text) - 1, .read = read_layout, .ctx = &ret };

	(void)unused;
	memcpy(copy, text, sizeof(text));
	read_layout(&ret, copy, m.size);
	assert_int_equal(ret, 0);
	mutate(&m);
}

static void read_numbers(void *strategy, char *data, size_t size)
{
	struct pagealloc_hint *hint;
	char text[128], error[128] = "";

	snprintf(text, sizeof(text), "%s:%s", (const char *)strategy, mutate_file(data, size));
	if (pagealloc_hint_parse(text, 0, &hint, error, sizeof(error)))
		assert_true(*error);
	else
		pagealloc_hint_free(hint);
}

static void colors_and_frames(void **unused)
{
	static const char text[] = "# made up\n0, 8 16\n0x7 63\n1,2,3\n", frames[] = "4096 - 0x1001\n- - 77, 78 # two\n";
	struct mutation m = {
		.name = "colors", .data = text, .size = sizeof(text) - 1, .read = read_numbers, .ctx = "modulo" };

	(void)unused;
	mutate(&m);
	m.name = "frames";
	m.data = frames;
	m.size = sizeof(frames) - 1;
	m.ctx = "exact";
	mutate(&m);
}

/* Of which the same is asked for in words. */
static void read_words(void *unused, char *data, size_t size)
{
	struct pagealloc_hint *hint;
	char error[128] = "";

	(void)unused;
	(void)size;
	/* Another file is not of interest. */
	if (strpbrk(data, "/@") || !strncmp(data, "exact", 5))
		return;
	if (pagealloc_hint_parse(data, 0, &hint, error, sizeof(error)))
		assert_true(*error);
	else
		pagealloc_hint_free(hint);
}

static void words(void **unused)
{
	static const char * const texts[] = {
		"coloring:offset=3", "binhop:first=7,step=2", "partition:0-7,16,20-31", "random:seed=12", "modulo:0,8,16",
	};
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		mutate(&(struct mutation){ .name = texts[i], .data = texts[i], .size = strlen(texts[i]), .read = read_words });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layouts), cmocka_unit_test(colors_and_frames), cmocka_unit_test(words),
	};

	return cmocka_run_group_tests_name("mutated inputs of pagealloc", tests, NULL, NULL);
}
