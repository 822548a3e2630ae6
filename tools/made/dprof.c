// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* A recording of dprof as trace-cmd would have written what a text says. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dprof/read/events.h"
#include "recordings.h"

/* One name a kind of numbers, which trace_file.c asks for the sign. */
static const char *type_name(const struct event_field *f)
{
	static char names[64][16];
	static int nr;
	char *name = names[nr++ % 64];

	snprintf(name, 16, "%c%d%s", f->is_signed ? 's' : 'u', 8 * f->size, f->count > 1 ? "[]" : "");
	return name;
}

static int define(struct trace_file *t, const struct event_format *format)
{
	struct trace_field fields[MAX_FIELDS];
	const struct event_field *f;
	unsigned int n = 0;

	for (f = format->field; f->name; f++)
		fields[n++] = f->count == 1 ?
			(struct trace_field){ type_name(f), f->name, f->size, FIELD_NUMBER } :
			(struct trace_field){ f->count ? type_name(f) : "char[]", f->name,
					      f->count ? f->size : 1, FIELD_DYNAMIC };
	return trace_file_define(t, format->name, fields, n);
}

static void add(struct trace_file *t, int id, const struct event *e)
{
	struct trace_value values[MAX_FIELDS];
	const struct event_field *f;
	unsigned int n = 0;

	for (f = event_format[e->kind].field; f->name; f++, n++) {
		const char *bytes = (const char *)e + f->offset;

		values[n] = f->count == 1 ? (struct trace_value){ .number = event_get(e, f, 0) } :
			(struct trace_value){ .bytes = bytes, .size = f->count ? f->size * f->count : strlen(bytes) + 1 };
	}
	trace_file_add(t, e->cpu < 0 ? 0 : e->cpu % 4, e->ts, id, e->pid, values);
}

/* The samples of a CPU that are not written yet, as mm/dprof/batch.c of the series packs them. */
struct packed {
	uint32_t words[15 * 64];
	uint64_t first, data_src, cgroup;
	unsigned int nr, nr_words, source;
};

static const struct trace_field batch_fields[] = {
	{ "u64", "age", 8, FIELD_NUMBER }, { "u64", "linear", 8, FIELD_NUMBER }, { "u32", "cpu", 4, FIELD_NUMBER },
	{ "u16", "nr", 2, FIELD_NUMBER }, { "u16", "nr_words", 2, FIELD_NUMBER },
	{ "u32[]", "words", 4, FIELD_DYNAMIC }, { "u8", "source", 1, FIELD_NUMBER },
};

#define LINEAR	0xffff888000000000ULL

/* The event comes later than its samples, between others. */
static void write_batch(struct trace_file *t, int id, struct packed *p, unsigned int cpu, uint64_t ts)
{
	if (p->nr)
		trace_file_add(t, cpu, ts, id, 0, (struct trace_value[]){
			{ .number = ts - p->first }, { .number = LINEAR }, { .number = cpu }, { .number = p->nr },
			{ .number = p->nr_words }, { .bytes = p->words, .size = 4 * p->nr_words },
			{ .number = p->source } });
	p->nr = p->nr_words = 0;
}

static void pack(struct packed *p, const struct event *e)
{
	const struct sample_event *s = &e->sample;
	const uint32_t locked = s->data_src >> 25 & 1;
	const uint64_t data_src = s->data_src ^ (uint64_t)s->op << 1 ^ (uint64_t)locked << 25;
	uint32_t *head = p->words + p->nr_words, *to = head + 7;

	if (!p->nr++) {
		p->first = e->ts;
		p->data_src = 0;
		p->cgroup = 0;
		p->source = s->source;
	}
	*head = s->op | (s->flags & 1) << 2 | locked << 3 | (uint32_t)s->width << 9 | s->type << 17;
	if (s->ip >> 32 != UINT32_MAX) {
		*head |= 1 << 4;
		*to++ = s->ip >> 32;
	}
	if (s->phys && s->phys == s->addr - LINEAR) {
		*head |= 1 << 5;
	} else if (s->phys) {
		*head |= 1 << 6;
		*to++ = s->phys;
		*to++ = s->phys >> 32;
	}
	if (data_src != p->data_src) {
		*head |= 1 << 7;
		p->data_src = data_src;
		*to++ = data_src;
		*to++ = data_src >> 32;
	}
	if (s->latency) {
		*head |= 1 << 8;
		*to++ = s->latency;
	}
	head[1] = s->ip;
	head[2] = s->addr;
	head[3] = s->addr >> 32;
	head[4] = s->offset;
	head[5] = e->ts - p->first;
	head[6] = e->pid;
	if (s->cgroup != p->cgroup) {
		head[6] |= 1U << 31;
		p->cgroup = s->cgroup;
		*to++ = s->cgroup;
		*to++ = s->cgroup >> 32;
	}
	p->nr_words = to - p->words;
}

static struct trace_file *recording(const char *text, unsigned int batched)
{
	static struct packed packed[4];
	uint64_t now = 0;
	int batch;
	struct trace_file *t = trace_file_new("dprof", 4);
	char *lines = strdup(text), *line, *save = NULL;
	int ids[NR_EVENTS], kind;
	const char *wrong;
	struct event e;

	for (kind = 0; kind < NR_EVENTS; kind++)
		ids[kind] = define(t, &event_format[kind]);
	batch = batched ? trace_file_define(t, "dprof_samples", batch_fields, 7) : 0;
	for (line = strtok_r(lines, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, "symbol ", 7))
			trace_file_symbol(t, line + 7);
		if (!isdigit((unsigned char)*line))
			continue;
		if (event_parse(&e, line, &wrong)) {
			fprintf(stderr, "dprof_recording: %s: not understood\n", wrong);
			exit(1);
		}
		now = e.ts;
		if (batched && e.kind == EVENT_SAMPLE && e.cpu >= 0 && e.cpu < 4) {
			struct packed *p = &packed[e.cpu];

			pack(p, &e);
			if (p->nr == batched)
				write_batch(t, batch, p, e.cpu, now);
			continue;
		}
		add(t, ids[e.kind], &e);
	}
	for (kind = 0; kind < 4; kind++)
		write_batch(t, batch, &packed[kind], kind, now);
	free(lines);
	return t;
}

/** dprof_recording() - of the events of a text, on four CPUs */
struct trace_file *dprof_recording(const char *text)
{
	return recording(text, 0);
}

/** dprof_batches() - the same, samples in events of many, at most 64 */
struct trace_file *dprof_batches(const char *text, unsigned int samples)
{
	return recording(text, samples);
}
