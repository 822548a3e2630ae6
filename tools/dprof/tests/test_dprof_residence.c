// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * dprof: of misses, which are of lines that any cache of the size had lost; against caches that see
 * all accesses, of which one in PERIOD is a sample.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "dprof/judge/residence.h"
#include "lib/perf/data_src.h"

#define PERIOD 97
#define TYPES 4

static const struct geometry l1 = { 32 << 10, 8, 64 };

/* What one CPU accesses, and what became of it. */
struct machine {
	struct model m;
	struct cache sets;
	struct full_cache full;
	uint64_t random, accesses;
	double missed[TYPES], outlived[TYPES];
};

static uint32_t below(struct machine *c, uint32_t limit)
{
	c->random = c->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (c->random >> 33) % limit;
}

static void begin(struct machine *c)
{
	memset(c, 0, sizeof(*c));
	model_init(&c->m);
	c->random = 1;
	c->full.capacity = l1.size / l1.line;
	assert_int_equal(cache_init(&c->sets, &l1), 0);
}

static void end(struct machine *c)
{
	cache_free(&c->sets);
	full_free(&c->full);
	model_free(&c->m);
}

static void sample(struct machine *c, uint32_t type, uint64_t line, uint32_t ip, int cpu, enum data_level level)
{
	const struct data_src src = { .level = level, .load = true, .modified = level == DATA_PEER_CACHE };
	const struct event e = {
		.kind = EVENT_SAMPLE, .cpu = cpu, .pid = 1, .ts = c->accesses,
		.sample = {
			.ip = 0x1000 + ip, .addr = line * 64 + ip % 8 * 8, .base = line * 64, .type = 20 + type,
			.offset = ip % 8 * 8, .data_src = data_src_encode(&src), .op = 1, .width = 8, .source = 1,
		},
	};

	assert_int_equal(model_add(&c->m, &e), 0);
}

/* A visit: so many instructions access a line, the first may miss. */
static void visit(struct machine *c, uint32_t type, uint64_t line, int instructions)
{
	const struct cache_line owner = { .line = line };
	int ip;

	for (ip = 0; ip < instructions; ip++) {
		const bool hit = cache_access(&c->sets, line, &owner), full = full_access(&c->full, line);

		if (!hit) {
			c->missed[type]++;
			c->outlived[type] += !full;
		}
		if (++c->accesses % PERIOD == 0)
			sample(c, type, line, ip, 0, hit ? DATA_L1 : DATA_L2);
	}
}

/* Lines of a type, from one on, at a stride, so that they may crowd few sets. */
static uint64_t line_of(uint32_t type, uint32_t n, uint32_t stride)
{
	return 0x220000000ULL + type * 0x100000 + n * stride;
}

static void judge(struct machine *c, struct residence *r)
{
	assert_int_equal(model_end(&c->m), 0);
	assert_int_equal(claims_find(&c->m), 0);
	assert_int_equal(residence_find(r, &c->m, &l1, LEVEL_L1, false), 0);
}

static uint32_t index_of(const struct machine *c, uint32_t type)
{
	uint32_t i;

	for (i = 0; i < c->m.nr_types; i++)
		if (c->m.by_index[i]->key.id == 20 + type)
			return i;
	fail_msg("type %u has no sample", type);
	return 0;
}

/* The share of a type's misses is that of the caches. */
static void is_true(const struct machine *c, const struct residence *r, uint32_t type, double tolerance)
{
	const double truth = c->outlived[type] / c->missed[type];
	double own, other;

	assert_true(c->missed[type] > 100);
	assert_true(residence_outlived(r, index_of(c, type), 0, &own, &other));
	print_message("# type %u: %.0f misses, %.3f of lines that were lost, judged %.3f\n", type, c->missed[type], truth,
		      own);
	assert_float_equal(own, truth, tolerance);
}

/* Of some lines visits are frequent, of others rare; together they do not fit. */
static void rates(void **state)
{
	struct residence r;
	struct machine c;
	int i;

	(void)state;
	begin(&c);
	for (i = 0; i < 400000; i++) {
		const uint32_t which = below(&c, 100);

		if (which < 60)
			visit(&c, 0, line_of(0, below(&c, 200), 1), 5);
		else if (which < 90)
			visit(&c, 1, line_of(1, below(&c, 300), 1), 3);
		else
			visit(&c, 2, line_of(2, below(&c, 1000), 1), 3);
	}
	judge(&c, &r);
	is_true(&c, &r, 0, 0.1);
	is_true(&c, &r, 1, 0.1);
	is_true(&c, &r, 2, 0.1);
	residence_free(&r);
	end(&c);
}

/* Lines that fit, but crowd few sets: conflicts, beside others that do not fit. */
static void crowded_sets(void **state)
{
	struct residence r;
	struct machine c;
	int i;

	(void)state;
	begin(&c);
	for (i = 0; i < 400000; i++) {
		if (below(&c, 2))
			visit(&c, 0, line_of(0, below(&c, 24), 64), 2);
		else
			visit(&c, 1, line_of(1, below(&c, 700), 1), 2);
	}
	judge(&c, &r);
	assert_true(c.outlived[0] / c.missed[0] < 0.05);
	is_true(&c, &r, 0, 0.1);
	is_true(&c, &r, 1, 0.1);
	residence_free(&r);
	end(&c);
}

/* One type after another: while a type is in use, its lines are visited more often than on average. */
static void phases(void **state)
{
	struct residence r;
	struct machine c;
	int i;

	(void)state;
	begin(&c);
	for (i = 0; i < 900000; i++) {
		const int phase = i / 300000;
		static const uint32_t lines[] = { 480, 700, 1400 };

		visit(&c, phase, line_of(phase, below(&c, lines[phase]), 1), 2);
	}
	judge(&c, &r);
	is_true(&c, &r, 1, 0.1);
	is_true(&c, &r, 2, 0.1);
	residence_free(&r);
	end(&c);
}

/* Another CPU's write is found at the next visit: was the line lost before? */
static void written_by_others(void **state)
{
	double own, other, lost[2] = { 0 }, all[2] = { 0 };
	struct residence r;
	struct machine c;
	int i;

	(void)state;
	begin(&c);
	for (i = 0; i < 600000; i++) {
		/* Half of visits are to 30 lines that another CPU writes at any time, others to many. */
		const uint32_t type = below(&c, 2), n = below(&c, type ? 2000 : 30);
		const uint64_t line = line_of(type, n, 1);
		const struct cache_line owner = { .line = line };

		/* In one of 4 visits, the write came at any time since the last one: as if it was now. */
		if (below(&c, 4) == 0) {
			const uint32_t since = below(&c, type ? 4000 : 60);

			all[type]++;
			lost[type] += since > 4 * 512;
			cache_access(&c.sets, line, &owner);
			if (++c.accesses % 23 == 0)
				sample(&c, type, line, 0, 0, DATA_PEER_CACHE);
		} else {
			visit(&c, type, line, 1);
		}
	}
	judge(&c, &r);
	assert_true(residence_outlived(&r, index_of(&c, 0), 0, &own, &other));
	assert_true(other < 0.02);
	assert_true(residence_outlived(&r, index_of(&c, 1), 0, &own, &other));
	print_message("# lines that another CPU wrote after they were lost: judged %.3f\n", other);
	assert_true(other > 0.2 && other < 0.8);
	residence_free(&r);
	end(&c);
}

/* Nothing is said of what samples do not tell. */
static void not_known(void **state)
{
	double own, other;
	struct residence r;
	struct machine c;
	int i;

	(void)state;
	/* All fits. */
	begin(&c);
	for (i = 0; i < 200000; i++)
		visit(&c, 0, line_of(0, below(&c, 24), 64), 1);
	judge(&c, &r);
	assert_false(residence_outlived(&r, index_of(&c, 0), 0, &own, &other));
	residence_free(&r);
	end(&c);
	/* Each line has one sample. */
	begin(&c);
	for (i = 0; i < 400000; i++)
		visit(&c, 0, line_of(0, i % 200000, 1), 1);
	judge(&c, &r);
	assert_false(residence_outlived(&r, index_of(&c, 0), 0, &own, &other));
	residence_free(&r);
	/* A cache that CPUs share. */
	assert_int_equal(residence_find(&r, &c.m, &l1, LEVEL_L3, true), 0);
	assert_false(residence_outlived(&r, index_of(&c, 0), 0, &own, &other));
	residence_free(&r);
	end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates),
		cmocka_unit_test(crowded_sets),
		cmocka_unit_test(phases),
		cmocka_unit_test(written_by_others),
		cmocka_unit_test(not_known),
	};

	return cmocka_run_group_tests_name("residence", tests, NULL, NULL);
}
