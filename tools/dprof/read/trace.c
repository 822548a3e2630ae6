// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Reads the dprof events of a trace.dat file. */
#include <stdlib.h>
#include <string.h>

#include "lib/trace/child.h"
#include "reader.h"

/* Kinds of messages from the child. */
enum { SEND_EVENT, SEND_SYMBOLS };

/* The ids and fields of the events as the file declares them. */
struct decoder {
	int id[NR_EVENTS];			/* -1: the file lacks the event */
	const struct tep_format_field *field[NR_EVENTS][MAX_FIELDS];
	const struct tep_format_field *pid;
};

/*
 * Check that the file's field has the size that @want expects, so that decoding reads no
 * bytes of another field.  Arrays of numbers are dynamic; older recordings have arrays of a
 * fixed length.
 */
static int usable(const struct tep_format_field *f, const struct event_field *want)
{
	if (!f || f->offset < 0 || f->size < 0)
		return 0;
	if (want->count != 1 && (f->flags & TEP_FIELD_IS_DYNAMIC))
		return f->size == 4;
	if (!want->count)
		return 0;
	return f->size == want->size * want->count;
}

/* Return 0, or -1 with the name of the unsupported field in @wrong. */
static int decoder_init(struct decoder *d, struct tep_handle *tep, char *wrong, size_t size)
{
	const struct event_field *f;
	int i, k;

	memset(d, 0, sizeof(*d));
	for (k = 0; k < NR_EVENTS; k++) {
		struct tep_event *e = tep_find_event_by_name(tep, "dprof", event_format[k].name);

		d->id[k] = e ? e->id : -1;
		if (!e)
			continue;
		d->pid = tep_find_common_field(e, "common_pid");
		for (i = 0, f = event_format[k].field; f->name; f++, i++) {
			d->field[k][i] = tep_find_field(e, f->name);
			if (usable(d->field[k][i], f) || (!d->field[k][i] && f->optional))
				continue;
			snprintf(wrong, size, "%s.%s", event_format[k].name, f->name);
			return -1;
		}
	}
	return 0;
}

static uint64_t number(const unsigned char *p, int size)
{
	uint64_t v = 0;

	memcpy(&v, p, size);
	return v;
}

static int decode_text(struct event *e, const struct event_field *f, uint32_t where,
		       const struct trace_event *raw)
{
	uint32_t offset = where & 0xffff, size = where >> 16;
	const char *text = (const char *)raw->data + offset;

	if (offset + size > raw->size)
		return -1;
	size = strnlen(text, size);
	/* Truncate a long name at its beginning: the end of a path is more specific. */
	if (size >= f->size) {
		text += size - (f->size - 1);
		size = f->size - 1;
	}
	memcpy((char *)e + f->offset, text, size);
	return 0;
}

/* Drop array elements that struct event has no space for. */
static int decode_array(struct event *e, const struct event_field *f, uint32_t where,
			const struct trace_event *raw)
{
	uint32_t offset = where & 0xffff, size = where >> 16, i;

	if (offset + size > raw->size)
		return -1;
	for (i = 0; i < f->count && (i + 1) * f->size <= size; i++)
		event_put(e, f, i, number((const unsigned char *)raw->data + offset + i * f->size,
					  f->size));
	return 0;
}

static int decode_field(struct event *e, const struct event_field *f,
			const struct tep_format_field *in, const struct trace_event *raw)
{
	const unsigned char *data = (const unsigned char *)raw->data + in->offset;
	int j;

	if ((uint64_t)in->offset + in->size > raw->size)
		return -1;
	if (!f->count)
		return decode_text(e, f, number(data, 4), raw);
	if (in->flags & TEP_FIELD_IS_DYNAMIC)
		return decode_array(e, f, number(data, 4), raw);
	for (j = 0; j < f->count; j++)
		event_put(e, f, j, number(data + j * f->size, f->size));
	return 0;
}

/* Return 1, 0 for an event of another system, -1 for a damaged event. */
static int decode(const struct decoder *d, const struct trace_event *raw, struct event *e)
{
	const unsigned char *data = raw->data;
	const struct event_field *f;
	int i, k;

	if (raw->size < 2)
		return 0;
	for (k = 0; k < NR_EVENTS && d->id[k] != (int)number(data, 2); k++)
		;
	if (k == NR_EVENTS)
		return 0;
	memset(e, 0, sizeof(*e));
	e->kind = k;
	e->ts = raw->ts;
	e->cpu = raw->cpu;
	if (d->pid && d->pid->size == 4 && (uint64_t)d->pid->offset + 4 <= raw->size)
		e->pid = number(data + d->pid->offset, 4);
	for (i = 0, f = event_format[k].field; f->name; f++, i++) {
		const struct tep_format_field *in = d->field[k][i];

		if (in && decode_field(e, f, in, raw))
			return -1;
	}
	return 1;
}

static void send_symbols(FILE *to, struct trace_dat *d)
{
	char *text = trace_dat_symbols(d), *line = text, *end;

	/* Send whole lines: symbols_add() does not join the parts of a line. */
	for (; line && *line; line = end) {
		size_t left = strlen(line);

		end = line + (left < TRACE_CHILD_BYTES ? left : TRACE_CHILD_BYTES);
		while (end > line && end[-1] != '\n')
			end--;
		if (end == line)
			break;
		trace_child_send(to, SEND_SYMBOLS, line, end - line);
	}
	free(text);
}

static int send_events(void *ctx, struct trace_dat *d, FILE *to)
{
	const struct reader *r = ctx;
	struct decoder decoder;
	struct trace_event raw;
	char wrong[80], why[128];
	struct event e;
	int ret;

	_Static_assert(sizeof(e) <= TRACE_CHILD_BYTES, "an event is sent in one piece");
	if (r->symbols)
		send_symbols(to, d);
	if (decoder_init(&decoder, d->tep, wrong, sizeof(wrong))) {
		snprintf(why, sizeof(why), "unsupported format of the dprof events: %s", wrong);
		trace_child_refuse(to, why);
		return 0;
	}
	while ((ret = trace_child_next(d, &raw, to)) > 0) {
		ret = decode(&decoder, &raw, &e);
		if (ret < 0)
			trace_dat_bad(d, raw.offset);
		if (ret > 0)
			trace_child_send(to, SEND_EVENT, &e,
					 offsetof(struct event, type) + event_format[e.kind].size);
	}
	return ret;
}

static int take(void *ctx, unsigned int kind, const void *what, size_t size)
{
	struct reader *r = ctx;

	return kind == SEND_SYMBOLS ? r->symbols(r->ctx, what, size) : r->event(r->ctx, what);
}

/**
 * reader_trace() - read a trace.dat file
 * @path: the file
 * @r: callbacks
 * @error: set to the reason of a failure
 * @size: of @error
 *
 * Return: see reader_read().
 */
int reader_trace(const char *path, struct reader *r, char *error, size_t size)
{
	struct trace_child c = { .system = "dprof", .read = send_events, .take = take,
				 .ctx = r, .progress = r->progress };
	int ret = trace_child_read(path, &c, error, size);

	strcpy(r->host, c.host);
	r->lost_events = c.lost_events;
	return ret;
}
