// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The records of perf.data files that are no samples, each field of each; and how long each must be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "one_record.h"
#include "perf_bytes.h"

static void other_records_end_with_what_their_event_says(void **unused)
{
	static const uint64_t fields[] = { PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID,
					   PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER };
	struct perf_event_attr attr = { };
	struct perf_record r, e;
	char error[512];
	struct made_record m;
	unsigned int set;
	size_t i;

	(void)unused;
	for (set = 0; set < 128; set++) {
		/* IP and others are of samples alone. */
		attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD;
		attr.sample_id_all = set < 64;
		m = (struct made_record){ .h = { .type = PERF_RECORD_THROTTLE, .misc = 3 } };
		e = (struct perf_record){ .type = PERF_RECORD_THROTTLE, .cpu = -1 };
		for (i = 0; i < LENGTH(fields); i++) {
			if (!(set & 1 << i))
				continue;
			attr.sample_type |= fields[i];
			add_word(&m, 0x8000000190000001 + i);
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
static void check_shortest(struct made_record *m, size_t bytes, struct perf_record *r)
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
	struct made_record m;
	size_t i;

	(void)unused;
	for (i = 0; i < 2; i++) {
		m = (struct made_record){ .h.type = types[i], .words = { 10 | 20ULL << 32, 11 | 21ULL << 32, 777, 888 } };
		check_shortest(&m, 24, &r);
		check_record(&r, &(struct perf_record){ .type = types[i], .pid = 10, .tid = 11, .time = 777, .cpu = -1 });
		assert_int_equal(r.parent, 20);
		assert_int_equal(parse_as(&timed, &m, 32, &r, error), 1);
		assert_int_equal(r.time, 888);
	}
	m = (struct made_record){ .h.type = PERF_RECORD_LOST, .words = { 5, 6, 7 } };
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
	struct made_record m = { .h = { .type = PERF_RECORD_COMM, .misc = PERF_RECORD_MISC_COMM_EXEC },
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
	struct made_record m = { .h = { .type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_USER },
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
	m = (struct made_record){ .h = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA },
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
	struct made_record m = { .words = { 0 } };
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_records_end_with_what_their_event_says),
		cmocka_unit_test(forks_exits_and_losses_have_their_fields),
		cmocka_unit_test(names_end_within_their_records),
		cmocka_unit_test(mappings_have_their_fields),
		cmocka_unit_test(other_types_are_not_given),
	};

	return cmocka_run_group_tests_name("perf.data records", tests, NULL, NULL);
}
