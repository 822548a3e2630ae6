/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Decodes memref events into rows, by the formats that libtraceevent has parsed. */
#ifndef MEMREF_DECODE_H
#define MEMREF_DECODE_H

#include <event-parse.h>

#include "memref/model/events.h"

enum event {
	EVENT_GROUP, EVENT_BATCH, EVENT_NODE, EVENT_TASK, EVENT_VIRT, EVENT_VMA, EVENT_AGE, EVENT_VMA_AGE, EVENT_SCAN,
	NR_EVENTS
};

/* An event's id, and its fields in the order of decode.c. */
struct fields {
	int id;				/* -1: the trace has no such event */
	const struct tep_format_field *field[32];
};

struct decoder {
	struct fields event[NR_EVENTS];
};

extern const char * const event_names[NR_EVENTS];

/* Called for each row; a return value other than 0 ends the decoding of the event. */
typedef int (*row_fn)(void *ctx, const struct row *row);

int decoder_init(struct decoder *d, struct tep_handle *tep, char *wrong, size_t size);
int decode(const struct decoder *d, uint64_t ts, const void *data, uint32_t size,
	   row_fn take, void *ctx);

#endif
