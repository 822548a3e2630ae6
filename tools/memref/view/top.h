/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* memref top: the last interval and the minutes before it, as text. */
#ifndef MEMREF_TOP_SHOW_H
#define MEMREF_TOP_SHOW_H

#include <stdio.h>

#include "memref/model/model.h"

/* The last three minutes, by half seconds. */
#define NR_BUCKETS	360
#define BUCKET_NS	500000000ULL

enum { TOTAL = NR_CLASSES, NR_LINES };

struct bucket {
	uint64_t number;		/* of the half second */
	uint64_t pages[NR_LINES];	/* most in any interval of it */
};

/**
 * struct top - what is shown
 * @last: the last interval; none yet: no intervals in it
 * @now: the rows of the one that is not complete
 * @buckets: the past, a ring
 * @begin_ns: of the first interval
 * @intervals: so far
 * @lost_events: so far
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
