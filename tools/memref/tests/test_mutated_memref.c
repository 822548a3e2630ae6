// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memref's events damaged at random: decoded, batches among them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lib/trace/dat.h"
#include "made/mutate.h"
#include "made/recordings.h"
#include "memref/model/model.h"
#include "memref/read/batch.h"
#include "memref/read/decode.h"

static struct decoder decoder;
static struct trace_dat file;

/* What the model of a report is made of. */
static int take(void *ctx, const struct row *row)
{
	struct model *m = ctx;

	switch (row->type) {
	case ROW_GROUP: return model_add_group(m, &row->group);
	case ROW_NODE: return model_add_node(m, &row->node);
	case ROW_TASK: return model_add_task(m, &row->task);
	case ROW_VIRT: return model_add_virt(m, &row->virt);
	case ROW_SCAN: return model_add_scan(m, &row->scan);
	}
	return 0;
}

/* Records one after another: a size, and so many bytes. */
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
		/* Of its own, so that the sanitizers see what is read behind it. */
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

static int open_file(void **unused)
{
	struct trace_file *t = memref_recording(8);
	char error[256];
	size_t size;
	void *bytes = trace_file_bytes(t, TRACE_V7, &size);
	int ret = trace_dat_open(&file, mutate_file(bytes, size), "memref", error, sizeof(error)) ||
		  decoder_init(&decoder, file.tep);

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
	const struct CMUnitTest tests[] = { cmocka_unit_test(events), cmocka_unit_test(batches) };

	return cmocka_run_group_tests_name("mutated events of memref", tests, open_file, close_file);
}
