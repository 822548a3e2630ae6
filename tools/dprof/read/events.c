// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The fields of the events, and events as lines of text. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"

const char * const class_name[NR_MEMORY_CLASSES] = {
	"unknown", "slab", "kmalloc", "page", "page_cache", "anon", "page_table", "static",
	"percpu", "stack", "struct_page", "vmalloc", "module", "user", "fixmap",
	"boot",
};

#define NUMBERS(m, f, n) \
	{ #f, offsetof(struct event, m.f), sizeof(((struct event *)0)->m.f) / (n), n }
#define NUMBER(m, f)	NUMBERS(m, f, 1)
#define SIGNED(m, f, n) \
	{ #f, offsetof(struct event, m.f), sizeof(((struct event *)0)->m.f) / (n), n, 1 }
#define RARE(m, f) \
	{ #f, offsetof(struct event, m.f), sizeof(((struct event *)0)->m.f), 1, 0, 1, 1 }
#define TEXT(m, f)	{ #f, offsetof(struct event, m.f), sizeof(((struct event *)0)->m.f), 0 }
#define FORMAT(m)	.name = "dprof_" #m, .size = sizeof(((struct event *)0)->m)

const struct event_format event_format[NR_EVENTS] = {
	[EVENT_TYPE] = { FORMAT(type), {
		NUMBER(type, id), NUMBER(type, class), NUMBER(type, size), TEXT(type, cache),
		TEXT(type, func), TEXT(type, file), NUMBER(type, line), TEXT(type, module) } },
	[EVENT_SAMPLE] = { FORMAT(sample), {
		NUMBER(sample, ip), NUMBER(sample, addr), NUMBER(sample, phys),
		NUMBER(sample, base), NUMBER(sample, type), NUMBER(sample, offset),
		NUMBER(sample, data_src), NUMBER(sample, latency), NUMBER(sample, op),
		NUMBER(sample, width), NUMBER(sample, source), NUMBER(sample, flags),
		RARE(sample, space), RARE(sample, at), RARE(sample, home), RARE(sample, cpu_home),
		RARE(sample, cgroup) } },
	[EVENT_ALLOC] = { FORMAT(alloc), {
		NUMBER(alloc, base), NUMBER(alloc, ip), NUMBER(alloc, type),
		NUMBER(alloc, size) } },
	[EVENT_FREE] = { FORMAT(free), {
		NUMBER(free, base), NUMBER(free, ip), NUMBER(free, type) } },
	[EVENT_HISTORY] = { FORMAT(history), {
		NUMBER(history, id), NUMBER(history, base), NUMBER(history, type),
		NUMBER(history, size), NUMBER(history, ip), SIGNED(history, offset, MAX_WATCHED),
		NUMBERS(history, len, MAX_WATCHED), NUMBER(history, slots) } },
	[EVENT_ACCESS] = { FORMAT(access), {
		NUMBER(access, id), NUMBER(access, ip), NUMBER(access, since),
		{ "seq", offsetof(struct event, access.seq), 4, 1, 0, 1 },
		NUMBER(access, type), SIGNED(access, offset, 1), NUMBER(access, len),
		NUMBER(access, op) } },
	[EVENT_HISTORY_END] = { FORMAT(history_end), {
		NUMBER(history_end, id), NUMBER(history_end, ip), NUMBER(history_end, lifetime),
		NUMBER(history_end, blind), NUMBER(history_end, accesses),
		NUMBER(history_end, lost), NUMBER(history_end, how) } },
	[EVENT_CGROUP] = { FORMAT(cgroup), { NUMBER(cgroup, id), TEXT(cgroup, path) } },
	[EVENT_CHAIN] = { FORMAT(chain), {
		{ "frames", offsetof(struct event, chain.frames), 8, CHAIN_FRAMES, 0, 1, 1 } } },
};

/**
 * event_get() - get a number of an event
 * @e: the event
 * @f: one of its fields, not a string
 * @i: index of the number in the field
 *
 * Return: the number.
 */
uint64_t event_get(const struct event *e, const struct event_field *f, int i)
{
	uint64_t value = 0;

	memcpy(&value, (const char *)e + f->offset + i * f->size, f->size);
	return value;
}

/**
 * event_put() - set a number of an event
 * @e: the event
 * @f: one of its fields, not a string
 * @i: index of the number in the field
 * @value: truncated to the size of the field
 */
void event_put(struct event *e, const struct event_field *f, int i, uint64_t value)
{
	memcpy((char *)e + f->offset + i * f->size, &value, f->size);
}

static int parse_number(char **p, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)**p))
		return -1;
	errno = 0;
	*value = strtoull(*p, &end, 0);
	*p = end;
	return errno ? -1 : 0;
}

static int parse_field(struct event *e, const struct event_field *f, char *text)
{
	uint64_t value;
	int i, minus;

	if (!f->count) {
		if (strlen(text) >= f->size)
			return -1;
		strcpy((char *)e + f->offset, text);
		return 0;
	}
	/* An array may have fewer or more numbers than struct event; drop the excess. */
	for (i = 0; !i || (f->count > 1 && *text); i++) {
		if (i && *text++ != ',')
			return -1;
		minus = f->is_signed && *text == '-';
		text += minus;
		/* Of a signed number, the least is one further from 0 than the largest. */
		if (parse_number(&text, &value) ||
		    (f->size < 8 && (value - minus) >> (8 * f->size - f->is_signed) && (value || !minus)))
			return -1;
		if (i < f->count)
			event_put(e, f, i, minus ? -value : value);
	}
	return *text ? -1 : 0;
}

static const struct event_field *find_field(enum event_kind kind, const char *name)
{
	const struct event_field *f;

	for (f = event_format[kind].field; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

/**
 * event_parse() - parse a line of text
 * @e: the event; fields that the line lacks are 0
 * @line: TIME_NS CPU PID NAME FIELD=VALUE..., without newline; modified
 * @wrong: on error, the word that is invalid
 *
 * Return: 0, or -1 if the line is not an event.
 */
int event_parse(struct event *e, char *line, const char **wrong)
{
	char *word[4], *save, *text;
	const struct event_field *f;
	uint64_t number[3];
	int i, kind;

	memset(e, 0, sizeof(*e));
	for (i = 0; i < 4; i++) {
		word[i] = strtok_r(i ? NULL : line, " \t", &save);
		if (!word[i]) {
			*wrong = "expected TIME_NS CPU PID NAME";
			return -1;
		}
	}
	for (i = 0; i < 3; i++) {
		*wrong = text = word[i];
		/* -1: the CPU of a file whose index is truncated, or a task that was ending. */
		number[i] = -1;
		if (i && !strcmp(text, "-1"))
			continue;
		if (parse_number(&text, &number[i]) || *text || (i && number[i] > INT32_MAX))
			return -1;
	}
	e->ts = number[0];
	e->cpu = number[1];
	e->pid = number[2];
	for (kind = 0; kind < NR_EVENTS && strcmp(word[3], event_format[kind].name); kind++)
		;
	*wrong = word[3];
	if (kind == NR_EVENTS)
		return -1;
	e->kind = kind;
	while ((text = strtok_r(NULL, " \t", &save))) {
		char *value = strchr(text, '=');

		*wrong = text;
		if (!value)
			return -1;
		*value++ = '\0';
		f = find_field(kind, text);
		if (!f || parse_field(e, f, value))
			return -1;
	}
	return 0;
}

/* Replace blanks in names: they separate the fields of a line. */
static void print_text(const char *text, FILE *out)
{
	for (; *text; text++)
		fputc(isspace((unsigned char)*text) ? '_' : *text, out);
}

/**
 * event_print() - write an event as a line that event_parse() accepts
 * @e: the event
 * @out: the output; the caller checks ferror()
 */
void event_print(const struct event *e, FILE *out)
{
	const struct event_format *format = &event_format[e->kind];
	const struct event_field *f;
	int i;

	fprintf(out, "%" PRIu64 " %d %d %s", e->ts, e->cpu < 0 ? -1 : e->cpu,
		e->pid < 0 ? -1 : e->pid, format->name);
	for (f = format->field; f->name; f++) {
		if (f->rare && !event_get(e, f, 0))
			continue;
		fprintf(out, " %s=", f->name);
		if (!f->count)
			print_text((const char *)e + f->offset, out);
		for (i = 0; i < f->count && (!i || !f->rare || event_get(e, f, i)); i++) {
			if (f->is_signed)
				fprintf(out, "%s%d", i ? "," : "", (int32_t)event_get(e, f, i));
			else
				fprintf(out, f->size == 8 ? "%s0x%" PRIx64 : "%s%" PRIu64,
					i ? "," : "", event_get(e, f, i));
		}
	}
	fputc('\n', out);
}
