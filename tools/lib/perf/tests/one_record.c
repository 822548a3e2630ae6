// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* A record of perf.data, made word by word, and what is read of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "one_record.h"

void add_word(struct made_record *m, uint64_t word)
{
	assert_true(m->nr < WORDS);
	m->words[m->nr++] = word;
}

/* Words that count up from @word. */
void add_words(struct made_record *m, size_t nr, uint64_t word)
{
	while (nr--)
		add_word(m, word++);
}

/* What a file from a pipe with one event says of a record.  @r points to the record. */
int parse_as(const struct perf_event_attr *attr, struct made_record *m, size_t bytes, struct perf_record *r,
	     char error[512])
{
	struct perf_event e = { .attr = *attr };
	struct perf_data d = { .path = "x", .events = &e, .nr_events = 1 };
	const struct perf_raw raw = { &m->h, 0x1234 };
	int ret;

	m->h.size = sizeof(m->h) + bytes;
	ret = perf_parse(&d, &raw, r);
	strcpy(error, d.error);
	if (ret > 0) {
		assert_int_equal(r->at, 0x1234);
		assert_int_equal(r->misc, m->h.misc);
		assert_ptr_equal(r->event, &e);
	}
	return ret;
}

void check_record(const struct perf_record *r, const struct perf_record *expected)
{
	assert_int_equal(r->type, expected->type);
	assert_int_equal(r->time, expected->time);
	assert_int_equal(r->pid, expected->pid);
	assert_int_equal(r->tid, expected->tid);
	assert_int_equal(r->cpu, expected->cpu);
}
