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

/** dprof_recording() - of the events of a text, on four CPUs */
struct trace_file *dprof_recording(const char *text)
{
	struct trace_file *t = trace_file_new("dprof", 4);
	char *lines = strdup(text), *line, *save = NULL;
	int ids[NR_EVENTS], kind;
	const char *wrong;
	struct event e;

	for (kind = 0; kind < NR_EVENTS; kind++)
		ids[kind] = define(t, &event_format[kind]);
	for (line = strtok_r(lines, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (!isdigit((unsigned char)*line))
			continue;
		if (event_parse(&e, line, &wrong)) {
			fprintf(stderr, "dprof_recording: %s: not understood\n", wrong);
			exit(1);
		}
		add(t, ids[e.kind], &e);
	}
	free(lines);
	return t;
}
