/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* A record of perf.data, made word by word, and what is read of it. */
#ifndef MEMSCOPE_ONE_RECORD_H
#define MEMSCOPE_ONE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "lib/perf/perf_parts.h"

#define WORDS		64

struct made_record {
	struct perf_event_header h;
	uint64_t words[WORDS];
	size_t nr;
};

void add_word(struct made_record *m, uint64_t word);
void add_words(struct made_record *m, size_t nr, uint64_t word);
int parse_as(const struct perf_event_attr *attr, struct made_record *m, size_t bytes, struct perf_record *r,
	     char error[512]);
void check_record(const struct perf_record *r, const struct perf_record *expected);

#endif
