// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * dprof merge: write several recordings of one boot as one, one after another in time.
 *
 * Numbers of types, histories and address spaces are of a recording each, so those of the
 * second file and later are moved out of the way.  Equal types get one number again when the
 * file is read (model/join.c).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/options.h"
#include "dprof/read/reader.h"
#include "dprof.h"

#define MAX_RECORDINGS	128
#define MAX_TYPE	(1U << 24)	/* numbers of types and spaces of a recording are below */
#define GAP_NS		1000000		/* between two recordings */

/* A line of the kernel's symbols. */
struct symbol_line {
	char *text;
	UT_hash_handle hh;
};

/**
 * struct merge - what is being written
 * @nr: index of the recording that is read
 * @begun: its first event was seen, at @first; the output has it at @offset
 * @last: time of the last event, in the output
 * @text_base: address of the kernel's text in the first recording; "": not known
 * @symbols: lines that are written
 * @wrong: why the recording cannot be merged, or NULL
 */
struct merge {
	struct outfile out;
	uint32_t nr;
	bool begun;
	uint64_t first, offset, last;
	char text_base[32];
	struct symbol_line *symbols;
	const char *wrong;
};

static int moved(struct merge *m, uint32_t *number, uint32_t least)
{
	if (*number < least)
		return 0;
	if (*number >= MAX_TYPE) {
		m->wrong = "damaged: a type's number is too large";
		return -1;
	}
	*number += m->nr * MAX_TYPE;
	return 0;
}

/* Move the numbers of an event out of the way of those of other recordings. */
static int renumber(struct merge *m, struct event *e)
{
	const uint64_t id = (uint64_t)m->nr << 48;

	switch (e->kind) {
	case EVENT_TYPE:
		return moved(m, &e->type.id, NR_MEMORY_CLASSES);
	case EVENT_SAMPLE:
		return moved(m, &e->sample.space, 1) ? -1 : moved(m, &e->sample.type, NR_MEMORY_CLASSES);
	case EVENT_ALLOC:
		return moved(m, &e->alloc.type, NR_MEMORY_CLASSES);
	case EVENT_FREE:
		return moved(m, &e->free.type, NR_MEMORY_CLASSES);
	case EVENT_HISTORY:
		e->history.id += id;
		return moved(m, &e->history.type, NR_MEMORY_CLASSES);
	case EVENT_ACCESS:
		e->access.id += id;
		return moved(m, &e->access.type, NR_MEMORY_CLASSES);
	case EVENT_HISTORY_END:
		e->history_end.id += id;
		return 0;
	default:
		return 0;
	}
}

static int add_event(void *ctx, const struct event *event)
{
	struct event e = *event;
	struct merge *m = ctx;

	if (renumber(m, &e))
		return 1;
	if (!m->begun) {
		m->begun = true;
		m->first = e.ts;
		/* The first recording keeps its times. */
		m->offset = m->nr ? m->last + GAP_NS : e.ts;
	}
	e.ts = m->offset + (e.ts > m->first ? e.ts - m->first : 0);
	if (e.ts > m->last)
		m->last = e.ts;
	event_print(&e, m->out.f);
	return ferror(m->out.f) ? 1 : 0;
}

/* Addresses of code and variables have to be the same in all recordings. */
static int check_boot(struct merge *m, const char *line)
{
	const size_t n = strcspn(line, " ");

	if (strcmp(line + n, " T _text") || n >= sizeof(m->text_base))
		return 0;
	if (!*m->text_base) {
		memcpy(m->text_base, line, n);
		m->text_base[n] = '\0';
	} else if (strlen(m->text_base) != n || memcmp(m->text_base, line, n)) {
		m->wrong = "recorded after another boot than the first one: the kernel's addresses differ";
		return -1;
	}
	return 0;
}

/* Write a line unless an earlier recording had it. */
static int add_symbol(struct merge *m, const char *text, size_t n)
{
	struct symbol_line *s;

	HASH_FIND(hh, m->symbols, text, n, s);
	if (s)
		return 0;
	s = calloc(1, sizeof(*s));
	if (s)
		s->text = strndup(text, n);
	if (!s || !s->text) {
		free(s);
		return -1;
	}
	HASH_ADD_KEYPTR(hh, m->symbols, s->text, n, s);
	fprintf(m->out.f, "symbol %s\n", s->text);
	return check_boot(m, s->text);
}

static int add_symbols(void *ctx, const char *text, size_t size)
{
	const char *end = text + size;
	size_t n;

	for (; text < end; text += n + 1) {
		for (n = 0; text + n < end && text[n] != '\n'; n++)
			;
		if (n && add_symbol(ctx, text, n))
			return 1;
	}
	return 0;
}

static void free_symbols(struct merge *m)
{
	struct symbol_line *s, *next;

	HASH_ITER(hh, m->symbols, s, next) {
		HASH_DEL(m->symbols, s);
		free(s->text);
		free(s);
	}
}

static int merge(struct merge *m, char **paths)
{
	int failed;

	fputs("# dprof events 1\n", m->out.f);
	for (; paths[m->nr]; m->nr++) {
		struct reader r = { .event = add_event, .symbols = add_symbols, .ctx = m };
		const char *path = paths[m->nr];
		char error[512] = "";

		m->begun = false;
		failed = reader_read(path, &r, error, sizeof(error));
		if (m->wrong)
			return complain(FAILED, "%s: %s", path, m->wrong);
		if (failed)
			return complain(FAILED, "%s", *error ? error : "out of memory, or the disk is full");
		if (!m->begun)
			return complain(FAILED, "%s: no dprof events in the file", path);
		if (!m->nr && *r.host)
			fprintf(m->out.f, "host %s\n", r.host);
		if (r.lost_events)
			fprintf(stderr, "dprof: %s: %" PRIu64 " events were lost while recording\n", path,
				r.lost_events);
	}
	return OK;
}

static const struct verb_usage usage = {
	.command = "dprof merge", .operands = "FILE FILE... [options]", .min = 2, .max = MAX_RECORDINGS,
	.about = "Write recordings of one boot as one, one after another, in the text form that all verbs read.",
};

int cmd_merge(int argc, char **argv)
{
	const char *output = NULL;
	struct merge m = { };
	const struct opt options[] = {
		OPT_TEXT('o', "output", "FILE", &output, "output file (default standard output)"), { }
	};
	int ret;

	argv += options_parse(&usage, options, argc, argv);
	if (outfile_open(&m.out, output))
		return FAILED;
	ret = merge(&m, argv);
	free_symbols(&m);
	return outfile_close(&m.out, ret) || ret ? FAILED : OK;
}
