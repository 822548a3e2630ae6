// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The samples of perf.data files, each field of each; and how long each must be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "made/mutate.h"
#include "one_record.h"
#include "perf_bytes.h"

#define FIELDS		25		/* bits of sample_type */

static void check_sample(const struct perf_record *r, const struct perf_record *expected)
{
	const struct perf_sample *s = &r->sample, *e = &expected->sample;

	check_record(r, expected);
	assert_int_equal(s->id, e->id);
	assert_int_equal(s->ip, e->ip);
	assert_int_equal(s->addr, e->addr);
	assert_int_equal(s->stream_id, e->stream_id);
	assert_int_equal(s->period, e->period);
	assert_int_equal(s->weight, e->weight);
	assert_int_equal(s->ins_lat, e->ins_lat);
	assert_int_equal(s->retire_lat, e->retire_lat);
	assert_int_equal(s->data_src, e->data_src);
	assert_int_equal(s->transaction, e->transaction);
	assert_int_equal(s->phys_addr, e->phys_addr);
	assert_int_equal(s->cgroup, e->cgroup);
	assert_int_equal(s->data_page_size, e->data_page_size);
	assert_int_equal(s->code_page_size, e->code_page_size);
	assert_ptr_equal(s->chain, e->chain);
	assert_int_equal(s->nr_chain, e->nr_chain);
	assert_ptr_equal(s->raw, e->raw);
	assert_int_equal(s->raw_size, e->raw_size);
}

/* Fields of a word, in the order of perf_event_open(2): those in front of others, and behind. */
static const struct { uint64_t bit; size_t offset; } before[] = {
	{ PERF_SAMPLE_IDENTIFIER, offsetof(struct perf_record, sample.id) },
	{ PERF_SAMPLE_IP, offsetof(struct perf_record, sample.ip) },
	{ PERF_SAMPLE_TID, 0 },
	{ PERF_SAMPLE_TIME, offsetof(struct perf_record, time) },
	{ PERF_SAMPLE_ADDR, offsetof(struct perf_record, sample.addr) },
	{ PERF_SAMPLE_ID, offsetof(struct perf_record, sample.id) },
	{ PERF_SAMPLE_STREAM_ID, offsetof(struct perf_record, sample.stream_id) },
	{ PERF_SAMPLE_CPU, 0 },
	{ PERF_SAMPLE_PERIOD, offsetof(struct perf_record, sample.period) },
}, behind[] = {
	{ PERF_SAMPLE_DATA_SRC, offsetof(struct perf_record, sample.data_src) },
	{ PERF_SAMPLE_TRANSACTION, offsetof(struct perf_record, sample.transaction) },
	{ PERF_SAMPLE_REGS_INTR, 0 },
	{ PERF_SAMPLE_PHYS_ADDR, offsetof(struct perf_record, sample.phys_addr) },
	{ PERF_SAMPLE_CGROUP, offsetof(struct perf_record, sample.cgroup) },
	{ PERF_SAMPLE_DATA_PAGE_SIZE, offsetof(struct perf_record, sample.data_page_size) },
	{ PERF_SAMPLE_CODE_PAGE_SIZE, offsetof(struct perf_record, sample.code_page_size) },
};

/* A sample with these fields, and what is read of it. */
static void make_sample(struct made_record *m, uint64_t type, struct perf_record *e)
{
	uint64_t word = 0x1000000000000001;
	size_t i;

	*m = (struct made_record){ .h = { .type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER } };
	*e = (struct perf_record){ .type = PERF_RECORD_SAMPLE, .cpu = -1, .sample.period = 4321 };
	for (i = 0; i < LENGTH(before); i++) {
		if (!(type & before[i].bit))
			continue;
		word += 0x0101010101010101;
		add_word(m, word);
		if (before[i].offset)
			memcpy((char *)e + before[i].offset, &word, sizeof(word));
		else if (before[i].bit == PERF_SAMPLE_CPU)
			e->cpu = (uint32_t)word;
		else
			e->pid = (uint32_t)word, e->tid = word >> 32;
	}
	if (type & PERF_SAMPLE_READ)
		add_words(m, 1, 77);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		add_word(m, 2);
		e->sample.nr_chain = 2;
		e->sample.chain = &m->words[m->nr];
		add_words(m, 2, 88);
	}
	if (type & PERF_SAMPLE_RAW) {
		e->sample.raw_size = 5;
		e->sample.raw = (char *)&m->words[m->nr] + 4;
		add_word(m, 5 | 3ULL << 32);
		add_word(m, 4);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		add_word(m, 1);
		add_words(m, 3, 111);
	}
	if (type & PERF_SAMPLE_REGS_USER) {
		add_word(m, 2);
		add_words(m, 2, 122);
	}
	if (type & PERF_SAMPLE_STACK_USER) {
		add_word(m, 9);
		add_words(m, 2, 133);
		add_word(m, 9);
	}
	if (type & PERF_SAMPLE_WEIGHT_STRUCT) {
		add_word(m, 0x8003800281000001);
		e->sample.weight = 0x81000001;
		e->sample.ins_lat = 0x8002;
		e->sample.retire_lat = 0x8003;
	} else if (type & PERF_SAMPLE_WEIGHT) {
		add_word(m, e->sample.weight = 0x8003800281000001);
	}
	for (i = 0; i < LENGTH(behind); i++) {
		if (!(type & behind[i].bit))
			continue;
		word += 0x0101010101010101;
		add_word(m, behind[i].offset ? word : 1);
		if (behind[i].offset)
			memcpy((char *)e + behind[i].offset, &word, sizeof(word));
		else
			add_words(m, 3, 144);
	}
	if (type & PERF_SAMPLE_AUX) {
		add_word(m, 8);
		add_word(m, 155);
	}
}

static void check_fields(uint64_t type)
{
	const struct perf_event_attr attr = {
		.sample_type = type, .sample_period = 4321, .sample_regs_user = 1ULL << 40 | 1, .sample_regs_intr = 7,
	};
	struct perf_record r, expected;
	char error[512];
	struct made_record m;
	size_t words;

	make_sample(&m, type, &expected);
	assert_int_equal(parse_as(&attr, &m, 8 * m.nr, &r, error), 1);
	check_sample(&r, &expected);
	/* Behind the last field, there may be others. */
	assert_int_equal(parse_as(&attr, &m, 8 * (m.nr + 1), &r, error), 1);
	check_sample(&r, &expected);
	for (words = 0; words < m.nr; words++) {
		assert_int_equal(parse_as(&attr, &m, 8 * words, &r, error), -1);
		assert_string_equal(error, "x: damaged sample at 0x1234");
	}
	if (!words)
		return;
	assert_int_equal(parse_as(&attr, &m, 8 * m.nr - 1, &r, error), -1);
}

static void samples_have_any_two_fields(void **unused)
{
	const uint64_t all = (1ULL << FIELDS) - 1;
	uint64_t seed = 1;
	int i, k;

	(void)unused;
	check_fields(0);
	for (i = 0; i < FIELDS; i++)
		for (k = i; k < FIELDS; k++) {
			check_fields(1ULL << i | 1ULL << k);
			check_fields(all & ~(1ULL << i | 1ULL << k));
		}
	check_fields(all);
	for (i = 0; i < 1000; i++)
		check_fields(mutate_random(&seed) & all);
}

static void a_field_that_is_not_known_is_refused(void **unused)
{
	struct perf_event_attr attr = { };
	char error[512], expected[128];
	struct perf_record r;
	struct made_record m = { .h.type = PERF_RECORD_SAMPLE };
	int bit;

	(void)unused;
	for (bit = FIELDS; bit < 64; bit++) {
		attr.sample_type = 1ULL << bit;
		snprintf(expected, sizeof(expected), "x: samples have fields that are newer than Linux 6.12 "
			 "(sample_type 0x%llx) at 0x1234", 1ULL << bit);
		assert_int_equal(parse_as(&attr, &m, 8 * WORDS, &r, error), -1);
		assert_string_equal(error, expected);
	}
}

static void a_period_that_is_not_recorded_is_that_of_the_event(void **unused)
{
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_IP, .sample_period = 99 };
	struct made_record m = { .h.type = PERF_RECORD_SAMPLE };
	struct perf_record r;
	char error[512];

	(void)unused;
	assert_int_equal(parse_as(&attr, &m, 8, &r, error), 1);
	assert_int_equal(r.sample.period, 99);
	attr.freq = 1;
	assert_int_equal(parse_as(&attr, &m, 8, &r, error), 1);
	assert_int_equal(r.sample.period, 0);
}

/* Fields whose length is in them: @words of them are there, and behind them a transaction. */
static void fields_are_as_long_as_their_sizes(void **unused)
{
	const struct row {
		struct perf_event_attr attr;
		uint64_t first;
		size_t words;
	} rows[] = {
		{ { .sample_type = PERF_SAMPLE_READ }, 5, 1 },
		{ { .sample_type = PERF_SAMPLE_READ, .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED }, 5, 2 },
		{ { .sample_type = PERF_SAMPLE_READ, .read_format = PERF_FORMAT_TOTAL_TIME_RUNNING }, 5, 2 },
		{ { .sample_type = PERF_SAMPLE_READ, .read_format = PERF_FORMAT_ID }, 5, 2 },
		{ { .sample_type = PERF_SAMPLE_READ, .read_format = 1 << 4 }, 5, 2 },
		{ { .sample_type = PERF_SAMPLE_READ, .read_format = 23 }, 5, 5 },
		{ { .sample_type = PERF_SAMPLE_READ, .read_format = 1 << 5 }, 5, 1 },
		{ { .sample_type = PERF_SAMPLE_READ, .read_format = PERF_FORMAT_GROUP }, 0, 1 },
		{ { .sample_type = PERF_SAMPLE_READ, .read_format = PERF_FORMAT_GROUP }, 3, 4 },
		{ { .sample_type = PERF_SAMPLE_READ, .read_format = 31 }, 3, 1 + 2 + 9 },
		{ { .sample_type = PERF_SAMPLE_READ, .read_format = 12 }, 3, 1 + 6 },
		{ { .sample_type = PERF_SAMPLE_CALLCHAIN }, 0, 1 }, { { .sample_type = PERF_SAMPLE_CALLCHAIN }, 9, 10 },
		{ { .sample_type = PERF_SAMPLE_RAW }, 0, 1 }, { { .sample_type = PERF_SAMPLE_RAW }, 4, 1 },
		{ { .sample_type = PERF_SAMPLE_RAW }, 5, 2 }, { { .sample_type = PERF_SAMPLE_RAW }, 12, 2 },
		{ { .sample_type = PERF_SAMPLE_RAW }, 13, 3 }, { { .sample_type = PERF_SAMPLE_RAW }, 12 | 1ULL << 32, 2 },
		{ { .sample_type = PERF_SAMPLE_BRANCH_STACK }, 0, 1 }, { { .sample_type = PERF_SAMPLE_BRANCH_STACK }, 4, 13 },
		{ { .sample_type = PERF_SAMPLE_BRANCH_STACK, .branch_sample_type = 1 << 17 }, 2, 8 },
		{ { .sample_type = PERF_SAMPLE_BRANCH_STACK, .branch_sample_type = 1 << 17 }, 0, 2 },
		{ { .sample_type = PERF_SAMPLE_BRANCH_STACK, .branch_sample_type = 1 << 19 }, 2, 9 },
		{ { .sample_type = PERF_SAMPLE_BRANCH_STACK, .branch_sample_type = 1 << 18 }, 2, 7 },
		{ { .sample_type = PERF_SAMPLE_REGS_USER, .sample_regs_user = 0x8000000000000007, .sample_regs_intr = 1 }, 1, 5 },
		{ { .sample_type = PERF_SAMPLE_REGS_USER, .sample_regs_user = 7, .sample_regs_intr = 1 }, 0, 1 },
		{ { .sample_type = PERF_SAMPLE_STACK_USER }, 0, 1 }, { { .sample_type = PERF_SAMPLE_STACK_USER }, 1, 3 },
		{ { .sample_type = PERF_SAMPLE_STACK_USER }, 8, 3 }, { { .sample_type = PERF_SAMPLE_STACK_USER }, 17, 5 },
	};
	struct perf_record r;
	char error[512];
	struct made_record m;
	size_t i, k;

	(void)unused;
	for (i = 0; i < LENGTH(rows); i++) {
		struct perf_event_attr attr = rows[i].attr;

		attr.sample_type |= PERF_SAMPLE_TRANSACTION;
		m = (struct made_record){ .h.type = PERF_RECORD_SAMPLE };
		add_word(&m, rows[i].first);
		add_words(&m, rows[i].words - 1, 1000);
		add_word(&m, 0xabc);
		assert_int_equal(parse_as(&attr, &m, 8 * m.nr, &r, error), 1);
		assert_int_equal(r.sample.transaction, 0xabc);
		for (k = 0; k < m.nr; k++)
			assert_int_equal(parse_as(&attr, &m, 8 * k, &r, error), -1);
	}
	/* Registers at an interrupt, and AUX data, are behind it. */
	for (i = 0; i < 12; i++) {
		struct perf_event_attr attr = { .sample_type = i < 3 ? PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_CGROUP :
						PERF_SAMPLE_AUX, .sample_regs_intr = 0x11, .sample_regs_user = 7 };
		const uint64_t first = i < 3 ? i : 8 * (i - 3) - (i > 3 && i % 2), words = i < 3 ? i ? 3 : 1 : i - 2;

		m = (struct made_record){ .h.type = PERF_RECORD_SAMPLE };
		add_word(&m, first);
		add_words(&m, words - 1, 1000);
		if (i < 3)
			add_word(&m, 0xabc);
		assert_int_equal(parse_as(&attr, &m, 8 * m.nr, &r, error), 1);
		assert_int_equal(r.sample.cgroup, i < 3 ? 0xabc : 0);
		assert_int_equal(parse_as(&attr, &m, 8 * (m.nr - 1), &r, error), -1);
	}
}

/* Sizes whose product, or which with what is added, are 0 in 64 bits. */
static void sizes_that_are_too_large_are_damage(void **unused)
{
	static const struct { struct perf_event_attr attr; uint64_t first; } rows[] = {
		{ { .sample_type = PERF_SAMPLE_READ, .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID }, 1ULL << 63 },
		{ { .sample_type = PERF_SAMPLE_READ, .read_format = 11 }, UINT64_MAX },
		{ { .sample_type = PERF_SAMPLE_CALLCHAIN }, UINT64_MAX }, { { .sample_type = PERF_SAMPLE_RAW }, UINT32_MAX },
		{ { .sample_type = PERF_SAMPLE_BRANCH_STACK, .branch_sample_type = 1 << 19 }, 1ULL << 62 },
		{ { .sample_type = PERF_SAMPLE_STACK_USER }, UINT64_MAX }, { { .sample_type = PERF_SAMPLE_AUX }, UINT64_MAX },
	};
	struct perf_record r;
	char error[512];
	size_t i;

	(void)unused;
	for (i = 0; i < LENGTH(rows); i++) {
		struct made_record m = { .h.type = PERF_RECORD_SAMPLE, .words = { rows[i].first } };

		assert_int_equal(parse_as(&rows[i].attr, &m, 8 * WORDS, &r, error), -1);
		assert_string_equal(error, "x: damaged sample at 0x1234");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_have_any_two_fields),
		cmocka_unit_test(a_field_that_is_not_known_is_refused),
		cmocka_unit_test(a_period_that_is_not_recorded_is_that_of_the_event),
		cmocka_unit_test(fields_are_as_long_as_their_sizes),
		cmocka_unit_test(sizes_that_are_too_large_are_damage),
	};

	return cmocka_run_group_tests_name("perf.data samples", tests, NULL, NULL);
}
