/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* What the files of the reader of perf.data share. */
#ifndef PERF_PARTS_H
#define PERF_PARTS_H

#include "perf_data.h"

/* Records that perf itself writes: not in perf_event.h. */
enum {
	PERF_HEADER_ATTR = 64, PERF_HEADER_TRACING_DATA = 66, PERF_FINISHED_ROUND = 68,
	PERF_AUXTRACE = 71, PERF_EVENT_UPDATE = 78, PERF_HEADER_FEATURE = 80,
	PERF_COMPRESSED = 81, PERF_COMPRESSED2 = 83,
};

#define PERF_USER_TYPES		64	/* those from here on */
#define PERF_MAX_RECORD		65535	/* the size has 16 bits */

/**
 * struct perf_raw - a record as it is in the file
 * @h: with the rest behind it, aligned to 8 bytes
 * @at: as of struct perf_record
 */
struct perf_raw {
	const struct perf_event_header *h;
	uint64_t at;
};

/* perf_stream.c: bytes and records of the file */
int perf_fail(struct perf_data *d, uint64_t at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int perf_stream_begin(struct perf_data *d);
int perf_stream_next(struct perf_data *d, struct perf_raw *raw);
int perf_stream_read(struct perf_data *d, uint64_t at, void *to, size_t bytes);
void perf_stream_end(struct perf_data *d);

/* perf_events.c: which event a record is of */
int perf_events_add(struct perf_data *d, const void *attr, size_t size, const uint64_t *ids, size_t nr,
		    uint64_t at);
int perf_events_check(struct perf_data *d, uint64_t at);
struct perf_event *perf_events_by_id(struct perf_data *d, uint64_t id);
struct perf_event *perf_events_of(struct perf_data *d, const struct perf_event_header *h);
void perf_events_free(struct perf_data *d);

/* perf_header.c: what is before the records, and between them in files from pipes */
int perf_header_read(struct perf_data *d);
int perf_header_attr(struct perf_data *d, const struct perf_raw *raw);
int perf_header_feature(struct perf_data *d, const struct perf_raw *raw);

/* perf_parse.c: fields */
int perf_parse(struct perf_data *d, const struct perf_raw *raw, struct perf_record *r);

/* perf_order.c: records in order of time */
struct perf_queue *perf_queue_new(size_t limit);
int perf_queue_add(struct perf_queue *q, const struct perf_raw *raw, uint64_t time, bool *late);
void perf_queue_round(struct perf_queue *q);
void perf_queue_finish(struct perf_queue *q);
void *perf_queue_next(struct perf_queue *q, struct perf_raw *raw);
void perf_queue_free(struct perf_queue *q);

#endif
