/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * Reading a trace.dat file in a child process.
 *
 * libtraceevent trusts the event formats in the file: damaged ones may make it crash,
 * loop, or exit.  So a child process reads the file and sends records through a pipe;
 * what it has sent stays valid whatever happens to it.
 */
#ifndef MEMSCOPE_TRACE_CHILD_H
#define MEMSCOPE_TRACE_CHILD_H

#include <stdbool.h>
#include <stdio.h>

#include "dat.h"

/* The largest record that can be sent. */
#define TRACE_CHILD_BYTES 4096

/**
 * struct trace_child - callbacks for reading a file, and its metadata
 * @system: the tracing system whose events are read
 * @read: runs in the child: reads events by trace_child_next(), and sends records by
 *	trace_child_send(); returns less than 0 on failure
 * @take: called in the parent for each record, which is aligned to 8 bytes; a return
 *	value other than 0 ends reading
 * @ctx: passed to both
 * @progress: called from time to time with the share of the file read; may be NULL
 * @host: set to the name and kernel of the machine
 * @lost_events: set to the number of events that the ring buffer dropped
 * @bad_offset: set to the offset of the first unreadable part; 0: none
 */
struct trace_child {
	const char *system;
	int (*read)(void *ctx, struct trace_dat *d, FILE *to);
	int (*take)(void *ctx, unsigned int kind, const void *what, size_t size);
	void *ctx;
	void (*progress)(double share);
	char host[256];
	uint64_t lost_events, bad_offset;
};

/* Only for tests, which may clear it: then trace_child_read() reads in the calling process. */
extern bool trace_child_forks;
/* A child that computes for half of this and sends nothing is taken to loop.  Only for tests, which may shorten it. */
extern int trace_child_silence_ms;

int trace_child_read(const char *path, struct trace_child *c, char *error, size_t size);

/* For use in the child. */
int trace_child_next(struct trace_dat *d, struct trace_event *event, FILE *to);
void trace_child_send(FILE *to, unsigned int kind, const void *what, size_t size);
void trace_child_refuse(FILE *to, const char *why);

#endif
