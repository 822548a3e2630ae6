// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * dprof merge: write several recordings of one boot as one, one after another in time.
 *
 * Numbers of types, histories and address spaces are of a recording each, so those of the
 * second file and later are moved behind the largest of the files before.  Equal types get one
 * number again when the file is read (model/join.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/hash.h"
#include "lib/options.h"
#include "dprof/read/reader.h"
#include "dprof.h"

#define MAX_RECORDINGS	128
#define GAP_NS		1000000		/* between two recordings */

/* What numbers are of. */
enum numbered { TYPES, SPACES, HISTORIES, NR_NUMBERED };

/**
 * struct numbers - numbers of one kind
 * @base: added to those of the recording that is read
 * @next: above all that were written
 */
struct numbers {
	uint64_t base, next;
};

/* A line of the kernel's symbols. */
struct symbol_line {
	char *text;
	UT_hash_handle hh;
};

/**
 * struct merge - what is being written
 * @nr: index of the recording that is read
 * @events: of it that were seen
 * @begun: its first event with a time was seen, at @first; the output has it at @offset
 * @last: time of the last event, in the output
 * @next: where a recording begins that is not the first one
 * @numbers: of each kind, what is in use
 * @text_base: address of the kernel's text in the first recording; "": not known
 * @symbols: lines that are written
 * @wrong: why the recording cannot be merged, or NULL
 */
struct merge {
	struct outfile out;
	uint32_t nr;
	uint64_t events;
	bool begun;
	uint64_t first, offset, last, next;
	struct numbers numbers[NR_NUMBERED];
	char text_base[32];
	struct symbol_line *symbols;
	const char *wrong;
};

/* Move a number behind those of the files before.  @max: the largest that its field can hold */
static int move(struct merge *m, enum numbered kind, uint64_t *number, uint64_t max)
{
	static const char * const wrong[] = {
		[TYPES] = "a type's number is too large to be moved behind those of the files before",
		[SPACES] = "an address space's number is too large to be moved behind those of the files before",
		[HISTORIES] = "a history's number is too large to be moved behind those of the files before",
	};
	struct numbers *n = &m->numbers[kind];

	/* The largest number itself has none behind it. */
	if (n->base > max || *number >= max - n->base) {
		m->wrong = wrong[kind];
		return -1;
	}
	*number += n->base;
	if (*number >= n->next)
		n->next = *number + 1;
	return 0;
}

/* Classes of memory are the first types, and have the same numbers in all recordings. */
static int move_type(struct merge *m, uint32_t *type)
{
	uint64_t number = *type;

	if (number < NR_MEMORY_CLASSES)
		return 0;
	if (move(m, TYPES, &number, UINT32_MAX))
		return -1;
	*type = number;
	return 0;
}

/* 0 is the kernel's. */
static int move_space(struct merge *m, uint32_t *space)
{
	uint64_t number = *space;

	if (!number)
		return 0;
	if (move(m, SPACES, &number, UINT32_MAX))
		return -1;
	*space = number;
	return 0;
}

static int move_history(struct merge *m, uint64_t *id)
{
	return move(m, HISTORIES, id, UINT64_MAX);
}

/* Move the numbers of an event out of the way of those of other recordings. */
static int renumber(struct merge *m, struct event *e)
{
	switch (e->kind) {
	case EVENT_TYPE:
		return move_type(m, &e->type.id);
	case EVENT_SAMPLE:
		return move_space(m, &e->sample.space) ? -1 : move_type(m, &e->sample.type);
	case EVENT_ALLOC:
		return move_type(m, &e->alloc.type);
	case EVENT_FREE:
		return move_type(m, &e->free.type);
	case EVENT_HISTORY:
		return move_history(m, &e->history.id) ? -1 : move_type(m, &e->history.type);
	case EVENT_ACCESS:
		return move_history(m, &e->access.id) ? -1 : move_type(m, &e->access.type);
	case EVENT_HISTORY_END:
		return move_history(m, &e->history_end.id);
	default:
		return 0;
	}
}

/* The time of an event in the output.  What describes types and groups may have none, 0. */
static uint64_t time_of(struct merge *m, const struct event *e)
{
	if (!m->begun) {
		/* The first recording keeps its times. */
		m->first = e->ts;
		m->offset = m->nr ? m->next : e->ts;
		m->begun = e->kind != EVENT_TYPE && e->kind != EVENT_CGROUP;
	}
	return m->offset + (e->ts > m->first ? e->ts - m->first : 0);
}

static int add_event(void *ctx, const struct event *event)
{
	struct event e = *event;
	struct merge *m = ctx;

	/* Addresses of code have the number of its file in this recording. */
	if (e.kind == EVENT_SAMPLE && e.sample.source == SOURCE_PERF) {
		m->wrong = "recorded by perf: cannot be merged";
		return 1;
	}
	if (renumber(m, &e))
		return 1;
	m->events++;
	e.ts = time_of(m, &e);
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

static void begin_file(struct merge *m)
{
	int i;

	m->begun = false;
	m->events = 0;
	m->next = m->last + GAP_NS;
	for (i = 0; i < NR_NUMBERED; i++)
		m->numbers[i].base = m->numbers[i].next;
}

static int merge(struct merge *m, char **paths)
{
	int failed;

	fputs("# dprof events 1\n", m->out.f);
	for (; paths[m->nr]; m->nr++) {
		struct reader r = { .event = add_event, .symbols = add_symbols, .ctx = m };
		const char *path = paths[m->nr];
		char error[512] = "";

		begin_file(m);
		failed = reader_read(path, &r, error, sizeof(error));
		if (m->wrong)
			return complain(FAILED, "%s: %s", path, m->wrong);
		/* outfile_end() says why. */
		if (ferror(m->out.f))
			return FAILED;
		if (failed)
			return complain(FAILED, "%s", *error ? error : "out of memory");
		if (!m->events)
			return complain(FAILED, "%s: no dprof events in the file", path);
		if (!m->nr && *r.host)
			fprintf(m->out.f, "host %s\n", r.host);
		if (r.lost_events)
			fprintf(stderr, "dprof: %s: %" PRIu64 " events were lost while recording\n", path,
				r.lost_events);
	}
	return OK;
}

/* Before anything is written: standard output cannot be taken back. */
static int can_be_read(char **paths)
{
	int fd;

	for (; *paths; paths++) {
		fd = open(*paths, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return complain(FAILED, "%s: %s", *paths, strerror(errno));
		close(fd);
	}
	return OK;
}

static const struct verb_usage usage = {
	.command = "dprof merge", .operands = "FILE FILE... [options]", .min = 2, .max = MAX_RECORDINGS,
	.about = "Join recordings of one boot into one, one after another, in the text form that all verbs "
		 "read.",
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
	if (can_be_read(argv) || outfile_open(&m.out, output))
		return FAILED;
	ret = merge(&m, argv);
	free_symbols(&m);
	return outfile_end(&m.out, ret);
}
