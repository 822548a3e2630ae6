/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
#ifndef DPROF_READER_H
#define DPROF_READER_H

#include "events.h"

#define UNKNOWN_HOST	"unknown host"

/**
 * struct reader - callbacks for the contents of a recording, and its metadata
 * @event: called for each event, in the order of time; a value other than 0 stops reading
 * @symbols: called with parts of the text of /proc/kallsyms; or NULL
 * @ctx: passed to @event and @symbols
 * @kallsyms: of perf.data, a file with the kernel's symbols; NULL: those of the running
 *	kernel, if it is the recorded one
 * @progress: called now and then with the share of the file that is read; or NULL
 * @host: name and kernel of the machine, or UNKNOWN_HOST
 * @lost_events: events that the ring buffer dropped
 */
struct reader {
	int (*event)(void *ctx, const struct event *e);
	int (*symbols)(void *ctx, const char *text, size_t size);
	void *ctx;
	const char *kallsyms;
	void (*progress)(double share);
	char host[256];
	uint64_t lost_events;
};

int reader_read(const char *path, struct reader *r, char *error, size_t size);

/* The kinds of files: reader.c chooses. */
int reader_trace(const char *path, struct reader *r, char *error, size_t size);
int reader_text(const char *path, struct reader *r, char *error, size_t size);
int reader_perf(const char *path, struct reader *r, char *error, size_t size);

#endif
