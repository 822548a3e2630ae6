/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* memref top's display: the last interval, and the last minutes, as text. */
#ifndef MEMREF_TOP_SHOW_H
#define MEMREF_TOP_SHOW_H

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
 * struct top - state of the display
 * @last: the last interval; has no intervals before the first is complete
 * @now: the rows of the current, incomplete interval
 * @buckets: history, a ring
 * @begin_ns: begin of the first interval
 * @intervals: number of intervals so far
 * @lost_events: number of lost events so far
 */
struct top {
	struct model last, now;
	struct bucket buckets[NR_BUCKETS];
	uint64_t begin_ns;
	uint64_t intervals;
	uint64_t lost_events;
};

void top_init(struct top *t);
void top_free(struct top *t);
int top_add(struct top *t, const struct row *row);
void top_print_header(FILE *f);
void top_print_line(struct top *t, FILE *f);
void top_draw(struct top *t, FILE *f, int width, int height, int utf8);

#endif
