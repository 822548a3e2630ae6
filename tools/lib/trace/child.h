/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * Reading a trace.dat file in a child process.
 *
 * libtraceevent trusts the formats of events that are in the file: damaged, it may
 * crash, loop, or end the process.  So a child reads, and sends what it finds through
 * a pipe; whatever becomes of it, what it had sent is good.
 */
#ifndef MEMSCOPE_TRACE_CHILD_H
#define MEMSCOPE_TRACE_CHILD_H

#include <stdio.h>

#include "dat.h"

/* The largest thing that can be sent. */
#define TRACE_CHILD_BYTES 4096

/**
 * struct trace_child - who reads a file, who takes what it gives, and what else is told
 * @system: the tracing system whose events are read
 * @read: runs in the child: sends what it makes of the events, which it gets by
 *	trace_child_next(), with trace_child_send(); returns less than 0 if that failed
 * @take: takes a thing that was sent, aligned to 8 bytes; anything but 0 ends the reading
 * @ctx: for both
 * @progress: told now and then how much of the file is read; or NULL
 * @host: name and kernel of the machine
 * @lost_events: that the ring buffer had no room for
 * @bad_offset: where the first part that could not be read begins; 0: none
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

int trace_child_read(const char *path, struct trace_child *c, char *error, size_t size);

/* In the child. */
int trace_child_next(struct trace_dat *d, struct trace_event *event, FILE *to);
void trace_child_send(FILE *to, unsigned int kind, const void *what, size_t size);
void trace_child_refuse(FILE *to, const char *why);

#endif
