/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* perf.data files, written byte by byte: a native one with two events, or what comes from a pipe. */
#ifndef MEMSCOPE_PERF_BYTES_H
#define MEMSCOPE_PERF_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "lib/perf/perf_parts.h"

#define LENGTH(a)	(sizeof(a) / sizeof((a)[0]))
#define ATTR		64		/* the smallest there is */
#define ID_ALL		(1 << 18)	/* attr.sample_id_all */
#define MIB		(1ULL << 20)

/* A file, or a part of one. */
struct bytes {
	char *at;
	size_t size, capacity;
};

void put(struct bytes *b, const void *data, size_t size);
void put32(struct bytes *b, uint32_t value);
void put64(struct bytes *b, uint64_t value);
void put_text(struct bytes *b, const char *text);
void put_record(struct bytes *b, uint32_t type, const void *data, size_t size);
void put_attr(struct bytes *b, uint32_t type, uint64_t sample_type, uint64_t flags);
void patch(struct bytes *b, size_t at, uint64_t value);
struct perf_data *open_as(const struct bytes *b, size_t size, const char *expected);
void close_file(struct perf_data *d, struct bytes *b);

/* Offsets of the native file. */
enum { SIZE = 8, ATTR_SIZE = 16, ATTRS = 24, DATA = 40, FEATURES_AT = 72, IDS = 104, EVENTS = 128, RECORDS = 288,
       SECTIONS = 336 };

struct bytes native(void);
void put_feature(struct bytes *b, unsigned int feature, uint64_t bytes);

void begin_names(struct bytes *f, uint32_t nr, uint32_t attr);
void put_name(struct bytes *f, size_t attr, const char *name, const uint64_t *ids, uint32_t nr);

struct bytes begin_pipe(void);
void put_event(struct bytes *b, uint32_t type, uint64_t sample_type, uint64_t flags, const uint64_t *ids, size_t nr);
void put_pipe_feature(struct bytes *b, uint64_t number, const struct bytes *f);
struct perf_data *read_pipe(const struct bytes *b, size_t records, const char *expected);

#endif
