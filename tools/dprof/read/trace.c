// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Reads the dprof events of a trace.dat file. */
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "lib/trace/child.h"
#include "reader.h"

/*
 * The event of the tracer itself that holds a call chain, include/trace "kernel_stack": behind the
 * common fields, the number of addresses as an int, and the addresses.  The formats in the file
 * that libtraceevent parses are those of dprof; this one has not changed since it exists.
 */
enum { STACK_ID = 4, STACK_NR = 8, STACK_FRAMES = 16, STACK_MAX = 1024 };

/* Kinds of messages from the child. */
enum { SEND_EVENT, SEND_SYMBOLS };

/* The ids and fields of the events as the file declares them. */
struct decoder {
	int id[NR_EVENTS];			/* -1: the file lacks the event */
	const struct tep_format_field *field[NR_EVENTS][MAX_FIELDS];
	const struct tep_format_field *pid;
	int batch_id;				/* of dprof_samples */
	struct batch_fields {
		const struct tep_format_field *age, *linear, *cpu, *source, *words;
	} batch;
};

/*
 * Check that the file's field has the size that @expected expects, so that decoding reads no
 * bytes of another field.  Arrays of numbers are dynamic; older recordings have arrays of a
 * fixed length.
 */
static int usable(const struct tep_format_field *f, const struct event_field *expected)
{
	if (!f || f->offset < 0 || f->size < 0)
		return 0;
	if (expected->count != 1 && (f->flags & TEP_FIELD_IS_DYNAMIC))
		return f->size == 4;
	if (!expected->count)
		return 0;
	return f->size == expected->size * expected->count;
}

/* Of these, the numbers are at most as long as read. */
static const struct batch_field {
	const char *name;
	size_t at;
	int size, is_dynamic;
} batch_fields[] = {
	{ "age", offsetof(struct batch_fields, age), 8, 0 },
	{ "linear", offsetof(struct batch_fields, linear), 8, 0 },
	{ "cpu", offsetof(struct batch_fields, cpu), 4, 0 },
	{ "source", offsetof(struct batch_fields, source), 1, 0 },
	{ "words", offsetof(struct batch_fields, words), 4, TEP_FIELD_IS_DYNAMIC },
};

/* Return 0, or -1 as decoder_init(). */
static int batch_init(struct decoder *d, struct tep_handle *tep, char *wrong, size_t size)
{
	struct tep_event *e = tep_find_event_by_name(tep, "dprof", "dprof_samples");
	size_t i;

	d->batch_id = e ? e->id : -1;
	for (i = 0; e && i < sizeof(batch_fields) / sizeof(batch_fields[0]); i++) {
		const struct batch_field *expected = &batch_fields[i];
		const struct tep_format_field *f = tep_find_field(e, expected->name);

		if (!f || f->offset < 0 || f->size != expected->size ||
		    (int)(f->flags & TEP_FIELD_IS_DYNAMIC) != expected->is_dynamic) {
			snprintf(wrong, size, "dprof_samples.%s", expected->name);
			return -1;
		}
		memcpy((char *)&d->batch + expected->at, &f, sizeof(f));
	}
	return 0;
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
	return batch_init(d, tep, wrong, size);
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

/* Return 1, 0 for an empty chain, -1 for a damaged event. */
static int decode_stack(const struct decoder *d, const struct trace_event *raw, struct event *e)
{
	const unsigned char *data = raw->data;
	uint64_t nr;

	if (raw->size < STACK_FRAMES)
		return -1;
	nr = number(data + STACK_NR, 4);
	if (nr > STACK_MAX || STACK_FRAMES + nr * 8 > raw->size)
		return -1;
	memset(e, 0, sizeof(*e));
	e->kind = EVENT_CHAIN;
	e->ts = raw->ts;
	e->cpu = raw->cpu;
	if (d->pid && d->pid->size == 4 && (uint64_t)d->pid->offset + 4 <= raw->size)
		e->pid = number(data + d->pid->offset, 4);
	memcpy(e->chain.frames, data + STACK_FRAMES, (nr < CHAIN_FRAMES ? nr : CHAIN_FRAMES) * 8);
	return nr > 0;
}

/* Return 1, 0 for an event of another system, -1 for a damaged event. */
static int decode(const struct decoder *d, const struct trace_event *raw, struct event *e)
{
	const unsigned char *data = raw->data;
	const struct event_field *f;
	int i, k;

	if (raw->size < 2)
		return 0;
	if (number(data, 2) == STACK_ID)
		return decode_stack(d, raw, e);
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

static int batch_number(const struct trace_event *raw, const struct tep_format_field *f, uint64_t *n)
{
	if ((uint64_t)f->offset + f->size > raw->size)
		return -1;
	*n = number((const unsigned char *)raw->data + f->offset, f->size);
	return 0;
}

/* Return 1, 0 for another event, -1 for a damaged one. */
static int begin_batch(const struct decoder *d, const struct trace_event *raw, struct batch *b)
{
	uint64_t age, linear, cpu, source, where;
	uint32_t offset, size;

	if (d->batch_id < 0 || raw->size < 2 || (int)number(raw->data, 2) != d->batch_id)
		return 0;
	if (batch_number(raw, d->batch.age, &age) || batch_number(raw, d->batch.linear, &linear) ||
	    batch_number(raw, d->batch.cpu, &cpu) || batch_number(raw, d->batch.source, &source) ||
	    batch_number(raw, d->batch.words, &where))
		return -1;
	offset = where & 0xffff;
	size = where >> 16;
	if (offset + size > raw->size || size % 4 || age > raw->ts || age > BATCH_MAX_AGE || cpu > INT32_MAX)
		return -1;
	*b = (struct batch){ .ts = raw->ts - age, .linear = linear, .cpu = cpu, .source = source,
			     .words = (const unsigned char *)raw->data + offset, .nr = size / 4 };
	return 1;
}

/* How long before its event a sample may have been, in this file.  Return -1 without memory. */
static int find_lag(const struct decoder *d, struct trace_dat *file, uint64_t *lag)
{
	struct trace_event raw;
	struct batch b;
	int ret;

	*lag = 0;
	if (d->batch_id < 0)
		return 0;
	while ((ret = trace_dat_next(file, &raw)) > 0)
		if (begin_batch(d, &raw, &b) > 0 && raw.ts - b.ts > *lag)
			*lag = raw.ts - b.ts;
	trace_dat_rewind(file);
	return ret;
}

static void send_event(void *to, const struct event *e)
{
	trace_child_send(to, SEND_EVENT, e, offsetof(struct event, type) + event_format[e->kind].size);
}

/* Events that come are later than @raw less the lag: send what is before, now and then. */
static void send_waiting(struct waiting *w, const struct trace_event *raw)
{
	if (!w->lag)
		waiting_send(w, UINT64_MAX);
	else if (raw->ts > w->lag && w->nr && raw->ts - w->lag > w->first && raw->ts - w->first > 2 * w->lag)
		waiting_send(w, raw->ts - w->lag - 1);
}

/* Return 0, or -1 without memory. */
static int take_raw(const struct decoder *d, struct trace_dat *file, const struct trace_event *raw,
		    struct waiting *w)
{
	struct batch b;
	struct event e;
	int ret = begin_batch(d, raw, &b);

	if (ret > 0) {
		while ((ret = batch_next(&b, &e)) > 0)
			if (waiting_add(w, &e))
				return -1;
	} else if (!ret) {
		ret = decode(d, raw, &e);
		if (ret > 0 && waiting_add(w, &e))
			return -1;
	}
	if (ret < 0)
		trace_dat_bad(file, raw->offset);
	send_waiting(w, raw);
	return 0;
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
	struct waiting waiting = { .send = send_event, .ctx = to };
	struct decoder decoder;
	struct trace_event raw;
	char wrong[80], why[128];
	int ret;

	_Static_assert(sizeof(struct event) <= TRACE_CHILD_BYTES, "an event is sent in one piece");
	if (r->symbols)
		send_symbols(to, d);
	if (decoder_init(&decoder, d->tep, wrong, sizeof(wrong))) {
		snprintf(why, sizeof(why), "unsupported format of the dprof events: %s", wrong);
		trace_child_refuse(to, why);
		return 0;
	}
	ret = find_lag(&decoder, d, &waiting.lag);
	while (ret >= 0 && (ret = trace_child_next(d, &raw, to)) > 0)
		if (take_raw(&decoder, d, &raw, &waiting))
			ret = -1;
	waiting_send(&waiting, UINT64_MAX);
	waiting_free(&waiting);
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
