// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Reads recordings in text form (dprof(1)), as dprof script and the tests write them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/csv/line.h"
#include "reader.h"

/* Return 0, -1 with the invalid word in @wrong, or the value that a callback returned. */
static int parse_line(struct reader *r, char *line, const char **wrong)
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
		ret = parse_line(r, line, &wrong);
		if (wrong)
			snprintf(error, size, "%s:%zu: invalid: %s", path, number, wrong);
	}
	if (!ret && length < 0) {
		snprintf(error, size, "%s: %s", path, strerror(errno));
		ret = -1;
	}
	free(line);
	fclose(f);
	return ret;
}
