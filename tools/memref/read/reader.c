// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Reads the memref events of a trace.dat file, as rows or into a model. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode.h"
#include "reader.h"
#include "lib/trace/child.h"
#include "memref/model/window.h"

/* Send only the bytes that the row's type uses: there are many rows. */
static int send_row(void *to, const struct row *row)
{
	static const size_t size[] = {
		[ROW_GROUP] = sizeof(row->group), [ROW_NODE] = sizeof(row->node),
		[ROW_TASK] = sizeof(row->task), [ROW_VIRT] = sizeof(row->virt),
		[ROW_VMA] = sizeof(row->vma), [ROW_AGE] = sizeof(row->age),
		[ROW_VMA_AGE] = sizeof(row->vma_age), [ROW_SCAN] = sizeof(row->scan),
	};

	_Static_assert(sizeof(*row) <= TRACE_CHILD_BYTES, "a row is sent in one piece");
	trace_child_send(to, 0, row, offsetof(struct row, group) + size[row->type]);
	return 0;
}

static int send_rows(void *ctx, struct trace_dat *d, FILE *to)
{
	struct decoder decoder;
	struct trace_event e;
	char wrong[128], why[192];
	int ret;

	(void)ctx;
	if (decoder_init(&decoder, d->tep, wrong, sizeof(wrong))) {
		snprintf(why, sizeof(why), "unsupported format of the memref events: %s", wrong);
		trace_child_refuse(to, why);
		return 0;
	}
	while ((ret = trace_child_next(d, &e, to)) > 0)
		if (decode(&decoder, e.ts, e.data, e.size, send_row, to))
			trace_dat_bad(d, e.offset);
	return ret;
}

static int handle_row(void *ctx, unsigned int kind, const void *what, size_t size)
{
	struct reader *r = ctx;

	(void)kind;
	(void)size;
	return r->row(r->ctx, what);
}

/**
 * reader_each() - read a file row by row
 * @path: the file
 * @r: its row() is called for each row; its other fields are set at the end
 * @error: set to what is wrong with the file
 * @size: size of @error
 *
 * Of a damaged file, the rows that can be read are read, and @error is set.
 *
 * Return: 0, -1 with @error set, or what @r->row returned.
 */
int reader_each(const char *path, struct reader *r, char *error, size_t size)
{
	struct trace_child c = { .system = "memref", .read = send_rows, .take = handle_row,
				 .ctx = r, .progress = r->progress };
	int ret = trace_child_read(path, &c, error, size);

	strcpy(r->host, c.host);
	r->lost_events = c.lost_events;
	r->bad_offset = c.bad_offset;
	return ret;
}

static int add_to_model(void *m, const struct row *row)
{
	return model_add(m, row);
}

static void no_interval(const struct model *m, const char *path, char *error, size_t size)
{
	const struct window time = { .from = m->window.from, .to = m->window.to };
	char text[128];

	window_describe(&time, text, sizeof(text));
	if (m->outside)
		snprintf(error, size, "%s: no interval %s: the recording lasts %.3f s", path,
			 text, model_seconds(m));
	else
		snprintf(error, size, "%s: no complete memref interval", path);
}

/**
 * reader_read() - read a file into a model
 * @path: the file
 * @m: the model, initialized
 * @progress: called from time to time with the share of the file read; may be NULL
 * @error: set to what is wrong with the file
 * @size: size of @error
 *
 * Of a damaged file, the rows that can be read are read, and @error is set.
 *
 * Return: 0, or -1 with @error set.
 */
int reader_read(const char *path, struct model *m, void (*progress)(double share),
		char *error, size_t size)
{
	struct reader r = { .row = add_to_model, .ctx = m, .progress = progress };
	int failed = reader_each(path, &r, error, size);
	size_t length = strlen(error);

	strcpy(m->host, r.host);
	model_end(m);
	m->lost_events = r.lost_events;
	if (failed && !length) {
		/* What a part of the file says would be taken for the whole. */
		model_free(m);
		model_init(m);
		snprintf(error, size, "%s: no memory left", path);
	} else if (failed && r.bad_offset) {
		snprintf(error + length, size - length,
			 " (%" PRIu64 " of %" PRIu64 " intervals read)", m->nr_intervals + m->outside,
			 m->nr_intervals + m->outside + m->missing);
	} else if (!failed && !m->nr_intervals) {
		no_interval(m, path, error, size);
	}
	return *error ? -1 : 0;
}
