// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Reads a recording into a model. */
#include <stdio.h>
#include <string.h>

#include "load.h"
#include "dprof/read/reader.h"

/**
 * model_load() - read a recording
 * @m: the model, initialized
 * @path: the recording
 * @error: set to the reason of a failure
 * @size: of @error
 *
 * The model of a damaged file has the events before the damage; an error is returned, too.
 * Without memory it has no events.
 *
 * Return: 0, or -1 with @error set.
 */
int model_load(struct model *m, const char *path, char *error, size_t size)
{
	struct reader r = { .event = model_add, .symbols = model_add_symbols, .ctx = m,
			    .kallsyms = m->kallsyms };
	int failed = reader_read(path, &r, error, size);

	strcpy(m->host, r.host);
	m->lost_events = r.lost_events;
	if (model_end(m) || (failed && !*error)) {
		/* What a part of the recording says would be taken for the whole. */
		m->no_memory = true;
		m->events = 0;
		snprintf(error, size, "%s: out of memory", path);
		return -1;
	}
	if (!failed && !m->events) {
		snprintf(error, size, "%s: no dprof events in the file", path);
		return -1;
	}
	return failed;
}
