// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* trace.dat files damaged at random, of each version: read, and cut out of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/trace/dat.h"
#include "made/mutate.h"
#include "made/trace_file.h"

static const struct trace_field fields[] = {
	{ "u64", "number", 8, FIELD_NUMBER }, { "u8[]", "data", 1, FIELD_DYNAMIC },
};

static void *make(enum trace_version version, size_t *size)
{
	struct trace_file *t = trace_file_new("made", 2);
	const int id = trace_file_define(t, "up", fields, 2);
	void *bytes;
	uint64_t i;

	for (i = 0; i < 200; i++) {
		if (i == 100)
			trace_file_lose(t, 0, 3);
		trace_file_add(t, i % 2, 1000 + (i * i << 20), id, i, (struct trace_value[]){
			{ .number = i }, { .bytes = fields, .size = i % 40 } });
	}
	bytes = trace_file_bytes(t, version, size);
	trace_file_free(t);
	return bytes;
}

static volatile unsigned int touched;

static void read_all(void *ctx, char *data, size_t size)
{
	const char *path = mutate_file(data, size);
	struct trace_event e;
	struct trace_dat d;
	char error[256] = "";
	uint64_t n = 0;

	(void)ctx;
	if (!trace_dat_open(&d, path, "made", error, sizeof(error)))
		while (trace_dat_next(&d, &e) > 0) {
			const unsigned char *p = e.data;

			/* All of it is there. */
			if (e.size)
				touched += p[0] + p[e.size - 1];
			n++;
		}
	else
		assert_true(*error);
	/* An event takes four bytes at least, and compressed data are bounded. */
	assert_true(n <= 64 << 20);
	trace_dat_close(&d);
}

static void cut(void *ctx, char *data, size_t size)
{
	const char *path = mutate_file(data, size);
	static int to = -1;
	struct trace_dat d;
	char error[256] = "";

	(void)ctx;
	if (to < 0)
		to = open("/dev/null", O_WRONLY);
	if (!trace_dat_open(&d, path, "made", error, sizeof(error)))
		trace_dat_cut(&d, to, 2000, 1 << 30, error, sizeof(error));
	trace_dat_close(&d);
}

/* The formats go to libtraceevent, which has bugs of its own: a child process reads them. */
static void mutate_version(enum trace_version version, const char *name, void (*read)(void *, char *, size_t))
{
	struct mutation m = { .name = name, .read = read };
	uint64_t bytes;
	size_t size;

	m.data = make(version, &size);
	m.size = size;
	if (version == TRACE_V7_ZSTD) {
		/* "7", byte order, size of long, page size, two names, where options are: a section. */
		m.keep_from = 10 + 2 + 1 + 1 + 4 + 5 + 6 + 8;
		memcpy(&bytes, (const char *)m.data + m.keep_from + 8, 8);
		m.keep_to = m.keep_from + 16 + bytes;
	} else {
		trace_file_formats(m.data, size, &m.keep_from, &m.keep_to);
	}
	assert_in_range(m.keep_to - m.keep_from, 16, size);
	mutate(&m);
	free((void *)m.data);
}

static void version_6(void **unused)
{
	(void)unused;
	mutate_version(TRACE_V6, "trace.dat of version 6", read_all);
	mutate_version(TRACE_V6, "trace.dat of version 6, cut", cut);
}

static void version_7(void **unused)
{
	(void)unused;
	mutate_version(TRACE_V7, "trace.dat of version 7", read_all);
	mutate_version(TRACE_V7, "trace.dat of version 7, cut", cut);
}

static void version_7_compressed(void **unused)
{
	(void)unused;
	mutate_version(TRACE_V7_ZSTD, "compressed trace.dat", read_all);
	mutate_version(TRACE_V7_ZSTD, "compressed trace.dat, cut", cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_6), cmocka_unit_test(version_7), cmocka_unit_test(version_7_compressed),
	};

	return cmocka_run_group_tests_name("mutated trace.dat", tests, NULL, NULL);
}
