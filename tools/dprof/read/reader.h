/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
#ifndef DPROF_READER_H
#define DPROF_READER_H

#include "events.h"

/**
 * struct reader - who takes the events of a recording, and what else it tells
 * @event: takes an event, in the order of time; anything but 0 ends the reading
 * @symbols: takes the text of /proc/kallsyms, or a part of it; or NULL
 * @ctx: for both
 * @kallsyms: of perf.data, a file with the kernel's symbols; NULL: those of the running
 *	kernel, if it is the one that was recorded
 * @progress: told now and then how much of the file is read; or NULL
 * @host: name and kernel of the machine
 * @lost_events: that the ring buffer had no room for
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
