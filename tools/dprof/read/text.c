// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Reads recordings in text form (dprof(1)), as dprof script and the tests write them. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/csv/line.h"
#include "reader.h"

static const char not_in_order[] = "not in the order of time";

/* Whether an event is not before the last one.  What describes types and groups has no time. */
static bool is_in_order(const struct event *e, uint64_t *last)
{
	if (e->kind == EVENT_TYPE || e->kind == EVENT_CGROUP)
		return true;
	if (e->ts < *last)
		return false;
	*last = e->ts;
	return true;
}

/*
 * Return 0, -1 with the invalid word, or not_in_order, in @wrong, or the value that a callback
 * returned.  @last: time of the last event
 */
static int parse_line(struct reader *r, char *line, uint64_t *last, const char **wrong)
{
	struct event e;

	*wrong = NULL;
	if (!*line || *line == '#')
		return 0;
	if (!strncmp(line, "symbol ", 7)) {
		line += 7;
		if (!r->symbols)
			return 0;
		line[strlen(line)] = '\n';
		return r->symbols(r->ctx, line, strcspn(line, "\n") + 1);
	}
	if (!strncmp(line, "host ", 5)) {
		snprintf(r->host, sizeof(r->host), "%s", line + 5);
		return 0;
	}
	if (event_parse(&e, line, wrong))
		return -1;
	*wrong = not_in_order;
	if (!is_in_order(&e, last))
		return -1;
	*wrong = NULL;
	return r->event(r->ctx, &e);
}

/**
 * reader_text() - read a recording in text form
 * @path: the file
 * @r: callbacks
 * @error: set to the reason of a failure
 * @size: of @error
 *
 * Return: 0, -1 with @error set, or the value that a callback returned.
 */
int reader_text(const char *path, struct reader *r, char *error, size_t size)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	const char *wrong;
	uint64_t last = 0;
	size_t number = 0;
	ssize_t length = 0;
	int ret = 0;

	if (!f) {
		snprintf(error, size, "%s: %s", path, strerror(errno));
		return -1;
	}
	while (!ret && (length = line_get(&line, f)) > 0) {
		number++;
		if (strlen(line) != (size_t)length || line[length - 1] != '\n') {
			snprintf(error, size, "%s:%zu: truncated, or not text", path, number);
			ret = -1;
			break;
		}
		line[length - 1] = '\0';
		ret = parse_line(r, line, &last, &wrong);
		if (wrong)
			snprintf(error, size, "%s:%zu: %s%s", path, number,
				 wrong == not_in_order ? "" : "invalid: ", wrong);
	}
	if (!ret && length < 0) {
		snprintf(error, size, "%s: %s", path, strerror(errno));
		ret = -1;
	}
	free(line);
	fclose(f);
	return ret;
}
