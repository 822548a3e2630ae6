// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Streams are merged in order of time: of any pace, with chunks that end together, with a new base of times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "memprof/lib/tests/one_process.h"

/* A stream that was silent for longer than a delta holds begins again, with another base. */
static void times_have_a_new_base(void **unused)
{
	const uint64_t words[3] = { [2] = T(5000000) };
	struct event_record base;
	struct memprof *m;
	struct data *d;
	uint32_t s;

	(void)unused;
	begin(&d, &s);
	alloc(d, s, T(10), 0x20000, 100);
	data_sample(d, 0, T(20), 10, 10, 0x20010, LOAD, 0);
	memcpy(&base, words, sizeof(base));
	base.type = EVENT_BASE;
	data_event(d, s, T(10), base);
	/* From the first event's time on, as the stream writes it; from the base on, as it is. */
	gone(d, s, T(10 + 3), 0x20000);
	alloc(d, s, T(10 + 5), 0x20000, 50);
	data_sample(d, 0, T(5000004), 10, 10, 0x20010, LOAD, 0);
	data_sample(d, 0, T(5000010), 10, 10, 0x20010, LOAD, 0);
	data_end(d, 1);
	m = open_it();
	assert_null(memprof_damage(m));
	is_at(m, 0, 0x20000, 10);
	assert_int_equal(object_of(m, 0)->died_ns, UINT64_C(5000003000));
	is_unknown(m, 1, "without a live object");
	is_at(m, 2, 0x20000, 5000005);
	memprof_close(m);
}

/*
 * Streams of any pace: bursts, long rests, many at once, one far ahead of others.  Each
 * access is of the object that its thread has just allocated.
 */
static void streams_of_any_pace(void **unused)
{
	enum { STREAMS = 40, RECORDS = 60000 };
	uint64_t now = DATA_START + 1000, last = 0, wrong = 0;
	uint32_t s[STREAMS], k, mode;
	struct memprof_access a;
	struct memprof *m;
	struct data *d;
	size_t i, n = 0;

	(void)unused;
	for (mode = 0; mode < 3; mode++) {
		srandom(mode);
		begin(&d, &s[0]);
		for (k = 1; k < STREAMS; k++)
			s[k] = data_stream(d, 10, 10 + k, 5);
		for (i = n = 0; i < RECORDS; i++) {
			/* One at random; a burst of each; or the first has ten thousand at a time. */
			k = mode == 0 ? (size_t)random() % STREAMS : mode == 1 ? i / 3000 % STREAMS :
			    i % 20000 < 10000 ? 0 : (size_t)random() % STREAMS;
			now += mode == 1 && i % 3000 == 0 ? 1000000000 : random() % 3 * (mode == 2 ? 1 : 5000);
			alloc(d, s[k], now, 0x20000 + 0x1000 * k + 64 * (i % 50), 64);
			if (i % 3 == 0) {
				data_sample(d, i % 4, now + 1, 10, 10 + k, 0x20000 + 0x1000 * k + 64 * (i % 50), LOAD, i);
				n++;
			}
			now += 2;
		}
		data_end(d, 1);
		m = open_it();
		assert_int_equal(memprof_nr_accesses(m), n);
		assert_int_equal(memprof_totals(m)->events, RECORDS);
		for (i = last = wrong = 0; i < n; i++) {
			memprof_access(m, i, &a);
			wrong += a.time_ns < last;
			last = a.time_ns;
			/* Allocated 1 ns before. */
			wrong += memprof_object(m, a.object)->born_ns != a.time_ns - 1;
		}
		assert_int_equal(wrong, 0);
		memprof_close(m);
	}
}

/*
 * Streams whose chunks end together, with equal times on both sides of the border: while a
 * stream's last record waits for delivery, its next chunk must not replace the buffer.
 */
static void chunks_end_together(void **unused)
{
	enum { RECORDS = 20000, RUNS = 36 };
	/* Records of a chunk, and how many ns a record is after the one before, at most. */
	static const unsigned int lengths[] = { 1, 2, 3, 10, 100, 1000 }, steps[] = { 1, 2, 1000 };
	static uint64_t born[RECORDS];
	struct memprof_access a;
	struct memprof *m;
	struct data *d;
	unsigned int run;
	size_t i;

	(void)unused;
	for (run = 0; run < RUNS; run++) {
		const unsigned int length = lengths[run % 6], step = steps[run / 6 % 3];
		const unsigned int streams = run < RUNS / 2 ? 2 : 5;
		uint64_t now = T(10), wrong = 0;
		uint32_t s[5], k;

		srandom(run);
		begin(&d, &s[0]);
		for (k = 1; k < streams; k++)
			s[k] = data_stream(d, 10, 10 + k, 5);
		for (i = 0; i < RECORDS; i++) {
			if (i % (length * streams) == 0)
				for (k = 0; k < streams; k++)
					data_end_chunk(d, s[k]);
			now += random() % step;
			born[i] = now;
			alloc(d, s[i % streams], now, 0x10000 + 32 * i, 32);
		}
		for (i = 0; i < RECORDS; i++)
			data_sample(d, 0, now + 1000000 + i, 10, 10, 0x10000 + 32 * i, LOAD, 0);
		data_end(d, 1);
		m = open_it();
		assert_null(memprof_damage(m));
		assert_int_equal(memprof_totals(m)->events, RECORDS);
		assert_int_equal(memprof_nr_accesses(m), RECORDS);
		for (i = 0; i < RECORDS; i++) {
			const struct memprof_object *o;

			memprof_access(m, i, &a);
			o = memprof_object(m, a.object);
			wrong += o->type != MEMPROF_DYNAMIC || o->address != 0x10000 + 32 * i ||
				 o->born_ns != born[i] - DATA_START;
		}
		if (wrong)
			fail_msg("%u streams, chunks of %u, steps below %u ns: %lu accesses charged wrongly",
				 streams, length, step, (unsigned long)wrong);
		memprof_close(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_have_a_new_base),
		cmocka_unit_test(streams_of_any_pace),
		cmocka_unit_test(chunks_end_together),
	};

	return cmocka_run_group_tests(tests, data_make_path, data_remove_path);
}
