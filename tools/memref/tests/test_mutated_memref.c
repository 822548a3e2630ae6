// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref's events damaged at random: decoded, batches among them; and whole recordings: each
 * view made, and each export.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lib/trace/child.h"
#include "lib/trace/dat.h"
#include "made/mutate.h"
#include "made/recordings.h"
#include "memref/memref.h"
#include "memref/model/model.h"
#include "memref/read/batch.h"
#include "memref/read/decode.h"
#include "memref/read/reader.h"
#include "memref/view/view.h"

static struct decoder decoder;
static struct trace_dat file;

/* Add the row to a model, as memref report does. */
static int take(void *ctx, const struct row *row)
{
	return model_add(ctx, row);
}

/* Decode records in sequence: each is a size and that many bytes. */
static void decode_all(void *ctx, char *data, size_t size)
{
	struct model m;
	uint16_t length;
	size_t at;

	(void)ctx;
	model_init(&m);
	for (at = 0; at + 2 <= size; at += 2 + length) {
		void *copy;

		memcpy(&length, data + at, 2);
		if (length > size - at - 2)
			break;
		/* A copy of exact size, so that sanitizers catch reads behind it. */
		copy = malloc(length ? length : 1);
		memcpy(copy, data + at + 2, length);
		decode(&decoder, at, copy, length, take, &m);
		free(copy);
	}
	model_free(&m);
}

static void events(void **unused)
{
	static char data[MUTATE_BYTES];
	struct mutation m = { .name = "memref's events", .data = data, .read = decode_all };
	struct trace_event e;

	(void)unused;
	while (trace_dat_next(&file, &e) > 0 && m.size + 2 + e.size < 8192) {
		const uint16_t length = e.size;

		memcpy(data + m.size, &length, 2);
		memcpy(data + m.size + 2, e.data, e.size);
		m.size += 2 + e.size;
	}
	assert_true(m.size > 4096);
	mutate(&m);
}

static void take_batch(void *ctx, char *data, size_t size)
{
	struct batch b = { .data = (uint8_t *)data, .end = (uint8_t *)data + size, .group_kb = 1024 };
	struct group_row row;
	size_t n = 0;

	(void)ctx;
	while (batch_next(&b, &row) > 0)
		n++;
	assert_true(n <= size);
	assert_true(b.data <= b.end);
}

static void batches(void **unused)
{
	static const unsigned char bytes[] = {
		0x13, 5, 6, 0x0a, 0x81, 1, 0xf7, 200, 1, 3, 4, 5, 0x21, 0, 0xff, 0xff, 0xff, 0x7f, 1, 2, 3,
	};
	const struct mutation m = { .name = "batches", .data = bytes, .size = sizeof(bytes), .read = take_batch };

	(void)unused;
	mutate(&m);
}

/* A view or an export, each in its turn; what it reads is read by a child process, as always. */
static void report(void *turn, char *data, size_t size)
{
	static const char * const formats[] = { "damo", "damo-json", "csv", "json", "folded", "raw" };
	const size_t nr_formats = sizeof(formats) / sizeof(formats[0]);
	const char *path = mutate_file(data, size);
	static unsigned int by;
	size_t *i = turn;
	const struct view *v;
	char error[512] = "";
	struct model m;
	struct table t;

	if (*i < nr_formats) {
		cmd_export(6, (char *[]){ "export", (char *)path, "--to", (char *)formats[(*i)++], "-o", "/dev/null", NULL });
		return;
	}
	v = &views[*i - nr_formats];
	*i = v[1].name ? *i + 1 : 0;
	model_init(&m);
	m.ages.by = by++ % NR_AGE_BY;
	m.heat.max_cells = m.virt.max_cells = 4096;
	m.thp.collect = v->needs & VIEW_THP;
	m.mappings.collect = v->needs & VIEW_MAPPINGS;
	reader_read(path, &m, NULL, error, sizeof(error));
	if (m.nr_intervals) {
		view_make(v, &m, &t, error, sizeof(error));
		table_free(&t);
	}
	model_free(&m);
}

/* Read by this process: libtraceevent crashes on formats that a damaged file puts elsewhere. */
static void report_here(void *turn, char *data, size_t size)
{
	trace_child_forks = false;
	report(turn, data, size);
}

static void recordings(void **unused)
{
	static const enum trace_version version[] = { TRACE_V6, TRACE_V7 };
	size_t i, turn = 0;

	(void)unused;
	for (i = 0; i < sizeof(version) / sizeof(version[0]); i++) {
		struct mutation m = { .name = "memref's recordings", .read = report_here, .survive = report,
				      .ctx = &turn };
		struct trace_file *t = memref_recording(8);

		m.data = trace_file_bytes(t, version[i], &m.size);
		/* libtraceevent reads the formats: test_mutated_trace damages them. */
		trace_file_formats(m.data, m.size, &m.keep_from, &m.keep_to);
		mutate(&m);
		free((void *)m.data);
		trace_file_free(t);
	}
}

static int open_file(void **unused)
{
	struct trace_file *t = memref_recording(8);
	char error[256];
	size_t size;
	void *bytes = trace_file_bytes(t, TRACE_V7, &size);
	int ret = trace_dat_open(&file, mutate_file(bytes, size), "memref", error, sizeof(error)) ||
		  decoder_init(&decoder, file.tep, error, sizeof(error));

	(void)unused;
	free(bytes);
	trace_file_free(t);
	return ret;
}

static int close_file(void **unused)
{
	(void)unused;
	trace_dat_close(&file);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events), cmocka_unit_test(batches), cmocka_unit_test(recordings),
	};

	/* What is said of each is not of interest. */
	stderr = fopen("/dev/null", "we");
	return cmocka_run_group_tests_name("mutated events of memref", tests, open_file, close_file);
}
