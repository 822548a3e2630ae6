// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The records of perf.data files, each field of each; and how long each must be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zstd.h>
#include <cmocka.h>

#include "lib/perf/perf_parts.h"
#include "made/mutate.h"

#define LENGTH(a)	(sizeof(a) / sizeof((a)[0]))
#define WORDS		64
#define FIELDS		25		/* bits of sample_type */

/* A record of at most so many words. */
struct made {
	struct perf_event_header h;
	uint64_t words[WORDS];
	size_t nr;
};

static void add(struct made *m, uint64_t word)
{
	assert_true(m->nr < WORDS);
	m->words[m->nr++] = word;
}

/* What a file from a pipe with one event says of a record.  @r points to the record. */
static int parse_as(const struct perf_event_attr *attr, struct made *m, size_t bytes, struct perf_record *r,
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

static void check_record(const struct perf_record *r, const struct perf_record *expected)
{
	assert_int_equal(r->type, expected->type);
	assert_int_equal(r->time, expected->time);
	assert_int_equal(r->pid, expected->pid);
	assert_int_equal(r->tid, expected->tid);
	assert_int_equal(r->cpu, expected->cpu);
}

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

static void fill(struct made *m, size_t nr, uint64_t word)
{
	while (nr--)
		add(m, word++);
}

/* A sample with these fields, and what is read of it. */
static void make_sample(struct made *m, uint64_t type, struct perf_record *e)
{
	uint64_t word = 0x1000000000000001;
	size_t i;

	*m = (struct made){ .h = { .type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER } };
	*e = (struct perf_record){ .type = PERF_RECORD_SAMPLE, .cpu = -1, .sample.period = 4321 };
	for (i = 0; i < LENGTH(before); i++) {
		if (!(type & before[i].bit))
			continue;
		word += 0x0101010101010101;
		add(m, word);
		if (before[i].offset)
			memcpy((char *)e + before[i].offset, &word, sizeof(word));
		else if (before[i].bit == PERF_SAMPLE_CPU)
			e->cpu = (uint32_t)word;
		else
			e->pid = (uint32_t)word, e->tid = word >> 32;
	}
	if (type & PERF_SAMPLE_READ)
		fill(m, 1, 77);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		add(m, 2);
		e->sample.nr_chain = 2;
		e->sample.chain = &m->words[m->nr];
		fill(m, 2, 88);
	}
	if (type & PERF_SAMPLE_RAW) {
		e->sample.raw_size = 5;
		e->sample.raw = (char *)&m->words[m->nr] + 4;
		add(m, 5 | 3ULL << 32);
		add(m, 4);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		add(m, 1);
		fill(m, 3, 111);
	}
	if (type & PERF_SAMPLE_REGS_USER) {
		add(m, 2);
		fill(m, 2, 122);
	}
	if (type & PERF_SAMPLE_STACK_USER) {
		add(m, 9);
		fill(m, 2, 133);
		add(m, 9);
	}
	if (type & PERF_SAMPLE_WEIGHT_STRUCT) {
		add(m, 0x8003800281000001);
		e->sample.weight = 0x81000001;
		e->sample.ins_lat = 0x8002;
		e->sample.retire_lat = 0x8003;
	} else if (type & PERF_SAMPLE_WEIGHT) {
		add(m, e->sample.weight = 0x8003800281000001);
	}
	for (i = 0; i < LENGTH(behind); i++) {
		if (!(type & behind[i].bit))
			continue;
		word += 0x0101010101010101;
		add(m, behind[i].offset ? word : 1);
		if (behind[i].offset)
			memcpy((char *)e + behind[i].offset, &word, sizeof(word));
		else
			fill(m, 3, 144);
	}
	if (type & PERF_SAMPLE_AUX) {
		add(m, 8);
		add(m, 155);
	}
}

static void check_fields(uint64_t type)
{
	const struct perf_event_attr attr = {
		.sample_type = type, .sample_period = 4321, .sample_regs_user = 1ULL << 40 | 1, .sample_regs_intr = 7,
	};
	struct perf_record r, expected;
	char error[512];
	struct made m;
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
	struct made m = { .h.type = PERF_RECORD_SAMPLE };
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
	struct made m = { .h.type = PERF_RECORD_SAMPLE };
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
	struct made m;
	size_t i, k;

	(void)unused;
	for (i = 0; i < LENGTH(rows); i++) {
		struct perf_event_attr attr = rows[i].attr;

		attr.sample_type |= PERF_SAMPLE_TRANSACTION;
		m = (struct made){ .h.type = PERF_RECORD_SAMPLE };
		add(&m, rows[i].first);
		fill(&m, rows[i].words - 1, 1000);
		add(&m, 0xabc);
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

		m = (struct made){ .h.type = PERF_RECORD_SAMPLE };
		add(&m, first);
		fill(&m, words - 1, 1000);
		if (i < 3)
			add(&m, 0xabc);
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
		struct made m = { .h.type = PERF_RECORD_SAMPLE, .words = { rows[i].first } };

		assert_int_equal(parse_as(&rows[i].attr, &m, 8 * WORDS, &r, error), -1);
		assert_string_equal(error, "x: damaged sample at 0x1234");
	}
}

/* ---- what is behind other records ---- */

static void other_records_end_with_what_their_event_says(void **unused)
{
	static const uint64_t fields[] = { PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID,
					   PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER };
	struct perf_event_attr attr = { };
	struct perf_record r, e;
	char error[512];
	struct made m;
	unsigned int set;
	size_t i;

	(void)unused;
	for (set = 0; set < 128; set++) {
		/* IP and others are of samples alone. */
		attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD;
		attr.sample_id_all = set < 64;
		m = (struct made){ .h = { .type = PERF_RECORD_THROTTLE, .misc = 3 } };
		e = (struct perf_record){ .type = PERF_RECORD_THROTTLE, .cpu = -1 };
		for (i = 0; i < LENGTH(fields); i++) {
			if (!(set & 1 << i))
				continue;
			attr.sample_type |= fields[i];
			add(&m, 0x8000000190000001 + i);
			if (set >= 64)
				continue;
			if (fields[i] == PERF_SAMPLE_TID)
				e.pid = 0x90000001, e.tid = 0x80000001;
			else if (fields[i] == PERF_SAMPLE_TIME)
				e.time = m.words[m.nr - 1];
			else if (fields[i] == PERF_SAMPLE_CPU)
				e.cpu = 0x90000005;
		}
		assert_int_equal(parse_as(&attr, &m, 8 * m.nr, &r, error), 1);
		check_record(&r, &e);
		if (set && set < 64) {
			assert_int_equal(parse_as(&attr, &m, 8 * (m.nr - 1), &r, error), -1);
			assert_string_equal(error, "x: damaged record of type 5 at 0x1234");
		}
		/* From the end: what is in front is of the record. */
		memmove(m.words + 2, m.words, 8 * m.nr);
		assert_int_equal(parse_as(&attr, &m, 8 * (m.nr + 2), &r, error), 1);
		check_record(&r, &e);
	}
}

static const struct perf_event_attr plain;

/* One that is too short by a byte of @bytes is damage, of which the type is named. */
static void check_shortest(struct made *m, size_t bytes, struct perf_record *r)
{
	char error[512], expected[64];

	snprintf(expected, sizeof(expected), "x: damaged record of type %u at 0x1234", m->h.type);
	assert_int_equal(parse_as(&plain, m, bytes - 1, r, error), -1);
	assert_string_equal(error, expected);
	assert_int_equal(parse_as(&plain, m, bytes, r, error), 1);
	assert_string_equal(error, "");
}

static void forks_exits_and_losses_have_their_fields(void **unused)
{
	static const uint32_t types[] = { PERF_RECORD_FORK, PERF_RECORD_EXIT };
	struct perf_event_attr timed = { .sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1 };
	struct perf_record r;
	char error[512];
	struct made m;
	size_t i;

	(void)unused;
	for (i = 0; i < 2; i++) {
		m = (struct made){ .h.type = types[i], .words = { 10 | 20ULL << 32, 11 | 21ULL << 32, 777, 888 } };
		check_shortest(&m, 24, &r);
		check_record(&r, &(struct perf_record){ .type = types[i], .pid = 10, .tid = 11, .time = 777, .cpu = -1 });
		assert_int_equal(r.parent, 20);
		assert_int_equal(parse_as(&timed, &m, 32, &r, error), 1);
		assert_int_equal(r.time, 888);
	}
	m = (struct made){ .h.type = PERF_RECORD_LOST, .words = { 5, 6, 7 } };
	check_shortest(&m, 16, &r);
	check_record(&r, &(struct perf_record){ .type = PERF_RECORD_LOST, .cpu = -1 });
	assert_int_equal(r.lost, 6);
	m.h.type = PERF_RECORD_LOST_SAMPLES;
	check_shortest(&m, 8, &r);
	check_record(&r, &(struct perf_record){ .type = PERF_RECORD_LOST, .cpu = -1 });
	assert_int_equal(r.lost, 5);
	m.h.type = PERF_RECORD_THROTTLE;
	assert_int_equal(parse_as(&plain, &m, 0, &r, error), 1);
	check_record(&r, &(struct perf_record){ .type = PERF_RECORD_THROTTLE, .cpu = -1 });
}

static void names_end_within_their_records(void **unused)
{
	struct made m = { .h = { .type = PERF_RECORD_COMM, .misc = PERF_RECORD_MISC_COMM_EXEC },
			  .words = { 10 | 11ULL << 32 } };
	struct perf_record r;
	char error[512];

	(void)unused;
	strcpy((char *)&m.words[1], "name of 18 letters");
	check_shortest(&m, 8 + 19, &r);
	check_record(&r, &(struct perf_record){ .type = PERF_RECORD_COMM, .pid = 10, .tid = 11, .cpu = -1 });
	assert_ptr_equal(r.comm, &m.words[1]);
	assert_int_equal(parse_as(&plain, &m, 8, &r, error), -1);
	assert_int_equal(parse_as(&plain, &m, 0, &r, error), -1);
	m.h.type = PERF_RECORD_CGROUP;
	check_shortest(&m, 8 + 19, &r);
	check_record(&r, &(struct perf_record){ .type = PERF_RECORD_CGROUP, .cpu = -1 });
	assert_int_equal(r.cgroup.id, 10 | 11ULL << 32);
	assert_ptr_equal(r.cgroup.path, &m.words[1]);
	assert_int_equal(parse_as(&plain, &m, 8, &r, error), -1);
}

static void check_map(const struct perf_map *m, const struct perf_map *e)
{
	assert_int_equal(m->start, e->start);
	assert_int_equal(m->length, e->length);
	assert_int_equal(m->offset, e->offset);
	assert_int_equal(m->prot, e->prot);
	assert_int_equal(m->flags, e->flags);
	assert_ptr_equal(m->name, e->name);
	assert_ptr_equal(m->build_id, e->build_id);
	assert_int_equal(m->build_id_size, e->build_id_size);
}

static void mappings_have_their_fields(void **unused)
{
	struct made m = { .h = { .type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_USER },
			  .words = { 10 | 11ULL << 32, 0x1000, 0x2000, 0x3000 } };
	struct perf_map e = { .start = 0x1000, .length = 0x2000, .offset = 0x3000, .prot = PROT_READ | PROT_EXEC,
			      .name = (char *)&m.words[4] };
	const struct perf_record of = { .type = PERF_RECORD_MMAP2, .pid = 10, .tid = 11, .cpu = -1 };
	struct perf_record r;
	char error[512];

	(void)unused;
	strcpy((char *)&m.words[4], "/bin/prog");
	check_shortest(&m, 32 + 10, &r);
	check_record(&r, &of);
	check_map(&r.map, &e);
	/* The bit of build-ids is of the other kind alone. */
	m.h.misc = PERF_RECORD_MISC_MMAP_DATA | 1 << 14;
	check_shortest(&m, 32 + 10, &r);
	e.prot = PROT_READ;
	check_map(&r.map, &e);
	m = (struct made){ .h = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA },
			   .words = { 10 | 11ULL << 32, 0x1000, 0x2000, 0x3000, 20, 5, 6, 3 | 2ULL << 32 } };
	strcpy((char *)&m.words[8], "/bin/prog");
	check_shortest(&m, 64 + 10, &r);
	check_record(&r, &of);
	e.prot = 3;
	e.flags = 2;
	e.name = (char *)&m.words[8];
	check_map(&r.map, &e);
	m.h.misc = 1 << 14;
	check_shortest(&m, 64 + 10, &r);
	e.build_id_size = 20;
	e.build_id = (uint8_t *)&m.words[4] + 4;
	check_map(&r.map, &e);
	m.words[4] = 21;
	assert_int_equal(parse_as(&plain, &m, 64 + 10, &r, error), -1);
	m.words[4] = 0x0908070605040300;
	check_shortest(&m, 64 + 10, &r);
	assert_int_equal(r.map.build_id_size, 0);
	assert_int_equal(r.map.build_id[0], 6);
}

static void other_types_are_not_given(void **unused)
{
	static const uint32_t none[] = { 0, PERF_RECORD_UNTHROTTLE, PERF_RECORD_READ, 11, 12, 14, 15, 16, 17, 18, 20, 21, 63 };
	struct made m = { .words = { 0 } };
	struct perf_record r;
	char error[512];
	size_t i;

	(void)unused;
	for (i = 0; i < LENGTH(none); i++) {
		m.h.type = none[i];
		assert_int_equal(parse_as(&plain, &m, 64, &r, error), 0);
		assert_string_equal(error, "");
	}
}

/* ---- the order of records, and where they are ---- */

struct file {
	char *bytes;
	size_t size;
};

static void put(struct file *f, const void *data, size_t size)
{
	f->bytes = realloc(f->bytes, f->size + size + 1);
	assert_non_null(f->bytes);
	memcpy(f->bytes + f->size, data, size);
	f->size += size;
}

static void put_record(struct file *f, uint32_t type, const void *data, size_t size)
{
	const struct perf_event_header h = { .type = type, .size = sizeof(h) + size };

	put(f, &h, sizeof(h));
	if (size)
		put(f, data, size);
}

/* Where the records of a file with a smallest event begin. */
#define FIRST	(16 + 8 + 64)

static struct file begin(uint64_t sample_type, bool id_all)
{
	const uint64_t attr[8] = { 64ULL << 32, 0, 0, sample_type, 0, (uint64_t)id_all << 18 };
	struct file f = { 0 };

	put(&f, "PERFILE2\x10\0\0\0\0\0\0", 16);
	put_record(&f, PERF_HEADER_ATTR, attr, sizeof(attr));
	assert_int_equal(f.size, FIRST);
	return f;
}

static void put_timed(struct file *f, uint64_t time)
{
	put_record(f, PERF_RECORD_THROTTLE, &time, sizeof(time));
}

/* Times in the order they are given, up to a 1; then the error.  Frees the file. */
static void check_times(struct file *f, const uint64_t *times, uint64_t late, const char *error)
{
	struct perf_record r;
	struct perf_data d;
	char what[512];
	int ret;

	assert_int_equal(perf_data_open_as(&d, mutate_file(f->bytes, f->size), "x", what, sizeof(what)), 0);
	while ((ret = perf_data_next(&d, &r)) > 0)
		assert_int_equal(r.time, *times++);
	assert_int_equal(*times, 1);
	assert_string_equal(d.error, error);
	assert_int_equal(ret, *error ? -1 : 0);
	assert_int_equal(d.late, late);
	perf_data_close(&d);
	free(f->bytes);
}

static void records_are_given_in_order_of_time(void **unused)
{
	struct file f = begin(PERF_SAMPLE_TIME, true);

	(void)unused;
	put_timed(&f, 30);
	put_timed(&f, 10);
	/* These have no time, and do not wait. */
	put_timed(&f, 0);
	put_timed(&f, UINT64_MAX);
	put_timed(&f, UINT64_MAX - 1);
	put_record(&f, PERF_RECORD_UNTHROTTLE, (uint64_t[]){ 5 }, 8);
	put_timed(&f, 20);
	check_times(&f, (uint64_t[]){ 0, UINT64_MAX, 10, 20, 30, UINT64_MAX - 1, 1 }, 0, "");
	f = begin(PERF_SAMPLE_TIME, true);
	put_timed(&f, 20);
	put_record(&f, PERF_FINISHED_ROUND, NULL, 0);
	put_record(&f, PERF_FINISHED_ROUND, NULL, 0);
	put_record(&f, 79, NULL, 0);
	put_timed(&f, 30);
	/* The one of 20 was given when this is read: it is late, and the next one is not. */
	put_timed(&f, 19);
	put_timed(&f, 20);
	check_times(&f, (uint64_t[]){ 20, 19, 20, 30, 1 }, 1, "");
	/* Without times behind other records, samples cannot be put in order with them. */
	f = begin(PERF_SAMPLE_TIME, false);
	put_record(&f, PERF_RECORD_SAMPLE, (uint64_t[]){ 30 }, 8);
	put_record(&f, PERF_RECORD_SAMPLE, (uint64_t[]){ 10 }, 8);
	put_timed(&f, 5);
	check_times(&f, (uint64_t[]){ 30, 10, 0, 1 }, 0, "");
}

static void a_sample_whose_id_no_event_has_is_damage(void **unused)
{
	struct file f = begin(PERF_SAMPLE_ID, false);
	char event[FIRST - 16];

	(void)unused;
	memcpy(event, f.bytes + 16, sizeof(event));
	put(&f, event, sizeof(event));
	put_record(&f, PERF_RECORD_SAMPLE, (uint64_t[]){ 0 }, 8);
	put_record(&f, PERF_RECORD_SAMPLE, (uint64_t[]){ 5 }, 8);
	check_times(&f, (uint64_t[]){ 0, 1 }, 0, "x: a sample of an event that the file does not describe at 0xb0");
}

static void what_was_before_damage_is_given_first(void **unused)
{
	static const struct { uint32_t type; uint16_t size; const char *error; } rows[] = {
		{ PERF_RECORD_THROTTLE, 7, "x: damaged record (of 7 bytes) at 0x78" },
		{ PERF_RECORD_THROTTLE, 0, "x: damaged record (of 0 bytes) at 0x78" },
		{ PERF_RECORD_THROTTLE, 8, "x: damaged record of type 5 at 0x78" },
		{ PERF_RECORD_THROTTLE, 17, "x: truncated record at 0x78" },
		{ PERF_HEADER_ATTR, 16, "x: damaged event at 0x78" },
		{ PERF_HEADER_FEATURE, 8, "x: damaged feature at 0x78" },
		{ PERF_COMPRESSED2, 8, "x: damaged compressed record at 0x78" },
		{ PERF_COMPRESSED2, 15, "x: damaged compressed record at 0x78" },
		{ PERF_COMPRESSED2, 16, "x: damaged compressed record at 0x78" },
		{ PERF_COMPRESSED, 16, "x: cannot be decompressed (Unknown frame descriptor) at 0x78" },
		{ PERF_AUXTRACE, 16, "x: truncated record of type 71 at 0x78" },
		{ PERF_HEADER_TRACING_DATA, 12, "x: truncated record of type 66 at 0x78" },
	};
	size_t i;

	(void)unused;
	for (i = 0; i < LENGTH(rows); i++) {
		struct file f = begin(PERF_SAMPLE_TIME, true);
		const struct perf_event_header h = { .type = rows[i].type, .size = rows[i].size };

		put_timed(&f, 30);
		put_timed(&f, 10);
		put(&f, &h, sizeof(h));
		put(&f, "\1\1\1\1\1\1\1\1", 8);
		check_times(&f, (uint64_t[]){ 10, 30, 1 }, 0, rows[i].error);
	}
	/* Data that would end a byte behind the file. */
	for (i = 0; i < 2; i++) {
		struct file f = begin(PERF_SAMPLE_TIME, true);

		put_timed(&f, 30);
		put_record(&f, i ? PERF_HEADER_TRACING_DATA : PERF_AUXTRACE, (uint64_t[]){ 25 }, 8);
		put(&f, (char[31]){ 0 }, i ? 31 : 24);
		check_times(&f, (uint64_t[]){ 30, 1 }, 0, i ? "x: truncated record of type 66 at 0x68" :
			    "x: truncated record of type 71 at 0x68");
	}
	for (i = 1; i < 8; i++) {
		struct file f = begin(PERF_SAMPLE_TIME, true);

		put_timed(&f, 30);
		put(&f, "\5\0\0\0\0\0\x10", i);
		check_times(&f, (uint64_t[]){ 30, 1 }, 0, "x: truncated record at 0x68");
	}
}

/* Bytes that are no records, unless they are skipped. */
static void data_behind_a_record_are_skipped(void **unused)
{
	static const struct { uint32_t type, size; uint64_t says; size_t bytes; } rows[] = {
		{ PERF_AUXTRACE, 40, 24, 24 }, { PERF_AUXTRACE, 8, 0, 0 }, { PERF_AUXTRACE, 40, 300000, 300000 },
		{ PERF_AUXTRACE, 0, 0, 0 },
		{ PERF_HEADER_TRACING_DATA, 8, 24, 24 }, { PERF_HEADER_TRACING_DATA, 4, 25, 32 },
		{ PERF_HEADER_TRACING_DATA, 4, 31, 32 }, { PERF_HEADER_TRACING_DATA, 4, 0, 0 },
		{ PERF_HEADER_TRACING_DATA, 8, 16 | 1ULL << 32, 16 }, { 72, 40, 24, 0 },
	};
	char *ones = malloc(300000);
	size_t i;

	(void)unused;
	assert_non_null(ones);
	memset(ones, 1, 300000);
	for (i = 0; i < LENGTH(rows); i++) {
		struct file f = begin(PERF_SAMPLE_TIME, true);

		put_record(&f, rows[i].type, (uint64_t[8]){ rows[i].says, 1, 1 }, rows[i].size);
		put(&f, ones, rows[i].bytes);
		put_timed(&f, 30);
		check_times(&f, (uint64_t[]){ 30, 1 }, 0, "");
	}
	free(ones);
}

/* Records of each length, over several buffers' ends: where each one is, and of which time. */
static void records_of_any_length_are_in_one_piece(void **unused)
{
	struct file f = begin(PERF_SAMPLE_TIME, true);
	size_t sizes[64], i, at;
	char *data = calloc(1, 65536), what[512];
	struct perf_record r;
	struct perf_data d;

	(void)unused;
	for (i = 0; i < LENGTH(sizes); i++) {
		const uint64_t time = 100 + i;

		sizes[i] = i % 3 ? 65528 - 8 - 8 * (i % 11) : 8 * (i + 1);
		memcpy(data + sizes[i] - 8, &time, 8);
		put_record(&f, PERF_RECORD_THROTTLE, data, sizes[i]);
		memset(data, 0, 65536);
	}
	assert_int_equal(perf_data_open_as(&d, mutate_file(f.bytes, f.size), "x", what, sizeof(what)), 0);
	for (i = 0, at = FIRST; i < LENGTH(sizes); i++) {
		assert_int_equal(perf_data_next(&d, &r), 1);
		assert_int_equal(r.time, 100 + i);
		assert_int_equal(r.at, at);
		at += 8 + sizes[i];
	}
	assert_int_equal(perf_data_next(&d, &r), 0);
	perf_data_close(&d);
	free(data);
	free(f.bytes);
}

/* @pieces of the compressed bytes, each in a record. */
static void put_packed(struct file *f, const struct file *plain, size_t pieces, uint32_t type)
{
	const size_t capacity = ZSTD_compressBound(plain->size) + 1024;
	char *packed = malloc(capacity), data[65536];
	ZSTD_inBuffer in = { plain->bytes, plain->size, 0 };
	ZSTD_outBuffer out = { packed, capacity, 0 };
	ZSTD_CStream *z = ZSTD_createCStream();
	size_t i, from, bytes;
	uint64_t says;

	/* As perf does, without the end of a frame. */
	assert_int_equal(ZSTD_compressStream2(z, &out, &in, ZSTD_e_flush), 0);
	ZSTD_freeCStream(z);
	for (i = 0; i < pieces; i++) {
		from = out.pos * i / pieces;
		says = bytes = out.pos * (i + 1) / pieces - from;
		assert_true(bytes < 60000);
		memcpy(data, &says, 8);
		memcpy(data + (type == PERF_COMPRESSED2 ? 8 : 0), packed + from, bytes);
		/* What is behind the size is none of it. */
		memcpy(data + 8 + bytes, "\1\2\3\4", 4);
		put_record(f, type, data, bytes + (type == PERF_COMPRESSED2 ? 12 : 0));
	}
	free(packed);
}

/* Up to 40 records; of zeros, or with random bytes, so that what is packed is more than a step takes. */
static struct file put_plain(bool zeros, size_t nr, uint64_t times[41])
{
	char *data = calloc(1, 65536);
	struct file plain = { 0 };
	uint64_t seed = 3;
	size_t i, k;

	assert_non_null(data);
	for (i = 0; i < nr; i++) {
		times[i] = 100 + i;
		for (k = 0; !zeros && k < 4000; k++)
			data[mutate_random(&seed) % 65000] = mutate_random(&seed);
		k = 65528 - 8 * (1 + i % 19);
		memcpy(data + k - 8, &times[i], 8);
		put_record(&plain, PERF_RECORD_THROTTLE, data, k);
		memset(data, 0, 65536);
	}
	times[nr] = 1;
	free(data);
	return plain;
}

/* Of a record, more than a buffer; of a record of the file, less than a record. */
static void compressed_records_may_be_of_any_length(void **unused)
{
	static const size_t pieces[] = { 8, 16, 320 };
	struct file f, plain;
	uint64_t times[41];
	char expected[64];
	size_t i;

	(void)unused;
	for (i = 0; i < 2 * LENGTH(pieces); i++) {
		plain = put_plain(false, 40, times);
		f = begin(PERF_SAMPLE_TIME, true);
		put_packed(&f, &plain, pieces[i / 2], i % 2 ? PERF_COMPRESSED2 : PERF_COMPRESSED);
		check_times(&f, times, 0, "");
		free(plain.bytes);
	}
	/* Of zeros, all is in one record, and may be taken before the last of it fits into the buffer. */
	for (i = 1; i <= 40; i++) {
		plain = put_plain(true, i, times);
		f = begin(PERF_SAMPLE_TIME, true);
		put_packed(&f, &plain, 1, PERF_COMPRESSED);
		check_times(&f, times, 0, "");
		if (i < 40)
			free(plain.bytes);
	}
	/* The last record is cut in what is packed. */
	plain.size -= 8;
	times[39] = 1;
	f = begin(PERF_SAMPLE_TIME, true);
	put_packed(&f, &plain, 1, PERF_COMPRESSED);
	snprintf(expected, sizeof(expected), "x: truncated compressed record at 0x%zx", f.size);
	check_times(&f, times, 0, expected);
	free(plain.bytes);
}

/* A record of 12 bytes, and one whose call chain is to be read as words. */
static void compressed_records_are_aligned(void **unused)
{
	struct file f = begin(PERF_SAMPLE_CALLCHAIN, false), plain = { 0 };
	struct perf_record r;
	struct perf_data d;
	char what[512];
	size_t at = f.size;

	(void)unused;
	put_record(&plain, 79, "1234", 4);
	put_record(&plain, PERF_RECORD_SAMPLE, (uint64_t[]){ 2, 7, 8 }, 24);
	put_record(&plain, 79, NULL, 0);
	put_packed(&f, &plain, 1, PERF_COMPRESSED);
	assert_int_equal(perf_data_open_as(&d, mutate_file(f.bytes, f.size), "x", what, sizeof(what)), 0);
	assert_int_equal(perf_data_next(&d, &r), 1);
	assert_int_equal(r.at, at);
	assert_int_equal((uintptr_t)r.sample.chain % 8, 0);
	assert_int_equal(r.sample.nr_chain, 2);
	assert_int_equal(r.sample.chain[1], 8);
	assert_int_equal(perf_data_next(&d, &r), 0);
	perf_data_close(&d);
	free(plain.bytes);
	free(f.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_have_any_two_fields),
		cmocka_unit_test(a_field_that_is_not_known_is_refused),
		cmocka_unit_test(a_period_that_is_not_recorded_is_that_of_the_event),
		cmocka_unit_test(fields_are_as_long_as_their_sizes),
		cmocka_unit_test(sizes_that_are_too_large_are_damage),
		cmocka_unit_test(other_records_end_with_what_their_event_says),
		cmocka_unit_test(forks_exits_and_losses_have_their_fields),
		cmocka_unit_test(names_end_within_their_records),
		cmocka_unit_test(mappings_have_their_fields),
		cmocka_unit_test(other_types_are_not_given),
		cmocka_unit_test(records_are_given_in_order_of_time),
		cmocka_unit_test(a_sample_whose_id_no_event_has_is_damage),
		cmocka_unit_test(what_was_before_damage_is_given_first),
		cmocka_unit_test(data_behind_a_record_are_skipped),
		cmocka_unit_test(records_of_any_length_are_in_one_piece),
		cmocka_unit_test(compressed_records_may_be_of_any_length),
		cmocka_unit_test(compressed_records_are_aligned),
	};

	return cmocka_run_group_tests_name("perf.data records", tests, NULL, NULL);
}
