/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* What memref top shows: the last interval, and the last minutes. */
#ifndef MEMREF_TOP_H
#define MEMREF_TOP_H

#include <stdbool.h>
#include <stdio.h>

#include "memref/model/model.h"

/* The last three minutes, in half seconds. */
#define NR_BUCKETS	360
#define BUCKET_NS	500000000ULL

enum { TOTAL = NR_CLASSES, NR_LINES };

struct bucket {
	uint64_t number;		/* half seconds since the clock's 0 */
	uint64_t pages[NR_LINES];	/* maximum of its intervals */
};

/**
 * struct shown - an interval that can be shown
 * @m: the interval, its groups and processes
 * @classes: its idle ages by class; empty if the kernel does not keep them
 * @cgroups: its idle ages by control group
 * @ages_seq: the interval that the ages belong to
 */
struct shown {
	struct model m;
	struct ages classes, cgroups;
	uint32_t ages_seq;
};

/**
 * struct top - what memref top shows
 * @last: the interval that is shown, the last one unless paused; has no intervals before
 *	the first is complete
 * @now: the rows of the current, incomplete interval
 * @newest: the last interval, while paused
 * @buckets: history, a ring
 * @frozen: the history when the display was paused
 * @paused: @last and @frozen are shown, whatever is added
 * @missed: intervals that were complete while paused; kept for some seconds after
 * @missed_events: events lost meanwhile
 * @resumed_ns: end of the last interval that was complete while paused
 * @begin_ns: begin of the first interval
 * @intervals: number of intervals so far
 * @lost_events: number of lost events so far
 * @start_ns: when the program began to wait for the first interval
 * @interval_ms: requested length of an interval, of all of its parts, if known before the first; 0: on demand
 * @memory: pages of memory of the machine; 0: unknown
 */
struct top {
	struct shown last, now, newest;
	struct bucket buckets[NR_BUCKETS], frozen[NR_BUCKETS];
	bool paused;
	uint64_t missed, missed_events, resumed_ns;
	uint64_t begin_ns;
	uint64_t intervals;
	uint64_t lost_events;
	uint64_t start_ns;
	uint32_t interval_ms;
	uint64_t memory;
};

void top_init(struct top *t);
void top_free(struct top *t);
int top_add(struct top *t, const struct row *row);
void top_lose(struct top *t, uint64_t events);
void top_pause(struct top *t, bool pause);
void top_print_header(FILE *f);
void top_print_line(struct top *t, FILE *f);

#endif
