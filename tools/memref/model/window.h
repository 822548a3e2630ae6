/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Options that select a part of a recording. */
#ifndef MEMREF_WINDOW_H
#define MEMREF_WINDOW_H

#include <stddef.h>

#include "lib/options.h"
#include "model.h"

/* Rows for a verb's option table. */
#define WINDOW_TIME_OPTIONS(w) \
	OPT_TIME(0, "from", "TIME", &(w)->from, "s", 0, 1e9, \
		 "only intervals that end after this time of the recording (5s, 300ms; seconds without unit)"), \
	OPT_TIME(0, "until", "TIME", &(w)->to, "s", SHORTEST, 1e9, \
		 "only intervals that begin before this time (seconds without unit)")

#define WINDOW_OPTIONS(w) \
	WINDOW_TIME_OPTIONS(w), \
	OPT_RENAMED(0, "to", "until"), \
	OPT_CALL(0, "addr", "START-END", window_addr, w, "only this memory: 1G-2G, 0x40000000-0x80000000")

#define WINDOW_PID_OPTION(w) \
	PIDS_OPTION('p', &(w)->pids, 1, "only these processes, not those that they forked, in views by process"), \
	OPT_TEXT(0, "mapping", "TEXT", &(w)->mapping, \
		 "only mappings whose name contains this, in views of virtual memory: heap, libc, /dev/shm")

/* @by: -1, then in the order of enum age_by */
#define AGES_BY_OPTION(by, about) \
	OPT_WORD(0, "by", "total|class|cgroup|node|process|mapping|file", by, about)

int window_addr(const struct opt *o, const char *value);
int window_check(const struct window *w);
void window_describe(const struct window *w, char *text, size_t size);

#endif
