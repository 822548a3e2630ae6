/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Trace events in JSON, which Perfetto's user interface shows. */
#ifndef MEMSCOPE_PERFETTO_H
#define MEMSCOPE_PERFETTO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct perfetto - a file of trace events that is being written
 * @f: the file, opened and closed by the caller
 * @no_memory: a text is missing
 */
struct perfetto {
	FILE *f;
	bool no_memory;
};

/* More of a sample: a text, or a number where there is none. */
struct perfetto_arg {
	const char *key, *text;
	int64_t number;
};

/**
 * struct perfetto_sample - something that happened at a time, drawn on the track of a thread
 * @name: what
 * @ns: when
 * @pid: the process
 * @tid: the thread
 * @args: the rest, up to one without a key
 */
struct perfetto_sample {
	const char *name;
	uint64_t ns;
	uint32_t pid, tid;
	const struct perfetto_arg *args;
};

void perfetto_begin(struct perfetto *p, FILE *f, const char *host);
void perfetto_name_thread(struct perfetto *p, uint32_t pid, uint32_t tid, const char *name);
void perfetto_add(struct perfetto *p, const struct perfetto_sample *s);
void perfetto_end(struct perfetto *p);

#endif
