// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * dprof: of misses, which are of lines that any cache of the size had lost; against caches that see
 * all accesses, of which one in PERIOD is a sample.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "dprof/judge/gaps.h"
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
	uint32_t sites;			/* which instruction begins a visit is one of these; 0: the first one */
	bool stores;			/* half of the visits begin with a store, of which nobody knows if it missed */
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

static void sample_access(struct machine *c, uint32_t type, uint64_t base, uint64_t addr, uint32_t ip, int cpu,
			  bool store, enum data_level level)
{
	const struct data_src src = {
		.level = level, .load = !store, .store = store, .modified = level == DATA_PEER_CACHE,
	};
	const struct event e = {
		.kind = EVENT_SAMPLE, .cpu = cpu, .pid = 1, .ts = c->accesses,
		.sample = {
			.ip = 0x1000 + ip, .addr = addr, .phys = addr, .base = base, .type = 20 + type,
			.offset = addr - base, .data_src = data_src_encode(&src), .op = store ? 2 : 1, .width = 8,
			.source = 1,
		},
	};

	assert_int_equal(model_add(&c->m, &e), 0);
}

static void sample_at(struct machine *c, uint32_t type, uint64_t base, uint64_t addr, uint32_t ip, int cpu,
		      enum data_level level)
{
	sample_access(c, type, base, addr, ip, cpu, false, level);
}

static void sample_object(struct machine *c, uint32_t type, uint64_t base, uint64_t addr, uint32_t ip,
			  enum data_level level)
{
	sample_at(c, type, base, addr, ip, 0, level);
}

/* Of an object that is the line. */
static void sample(struct machine *c, uint32_t type, uint64_t line, uint32_t ip, int cpu, enum data_level level)
{
	sample_at(c, type, line * 64, line * 64 + ip % 8 * 8, ip, cpu, level);
}

/* A visit: so many instructions access a line, the first may miss. */
static void visit(struct machine *c, uint32_t type, uint64_t line, int instructions)
{
	const struct cache_line owner = { .line = line };
	const int first = c->sites ? below(c, c->sites) : 0;
	const bool stored = c->stores && below(c, 2);
	int ip;

	for (ip = first; ip < first + instructions; ip++) {
		const bool hit = cache_access(&c->sets, line, &owner), full = full_access(&c->full, line);
		const bool store = stored && ip == first;

		if (!hit && !store) {
			c->missed[type]++;
			c->outlived[type] += !full;
		}
		if (++c->accesses % PERIOD == 0)
			sample_access(c, type, line * 64, line * 64 + ip % 8 * 8, ip, 0, store,
				      hit ? DATA_L1 : store ? DATA_UNKNOWN : DATA_L2);
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

/* The distribution of gaps, and the shape that follows from misses. */
static void shapes_of_gaps(void **state)
{
	static const double shapes[] = { 0.2, 1, 5, INFINITY };
	const double rate = footprints_class_rate(footprints_class(1)), lost_after = 0.5;
	double lost[TIMES], within, found;
	struct footprints f;
	struct model m;
	size_t i;
	int at;

	(void)state;
	model_init(&m);
	assert_int_equal(model_end(&m), 0);
	assert_int_equal(claims_find(&m), 0);
	assert_int_equal(footprints_init(&f, &m, &l1, LEVEL_L1), 0);
	for (at = 0; at < TIMES; at++)
		lost[at] = f.time[at] > lost_after;
	for (i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		struct gaps g = { };

		within = 0;
		for (at = 0; at < 100000; at++)
			within += gaps_density(rate, shapes[i], (at + 0.5) * 2e-5) * 2e-5;
		assert_float_equal(within, 1 - gaps_longer(rate, shapes[i], 2), 1e-4);
		/* Many visits of which as many miss as with the shape. */
		gaps_add(&g, rate, 1e5, 0);
		assert_float_equal(gaps_expected(&g, &f, lost, shapes[i]), 1e5 * gaps_longer(rate, shapes[i], lost_after),
				   3e3);
		g.misses = gaps_expected(&g, &f, lost, shapes[i]);
		found = gaps_shape(&g, &f, lost);
		print_message("# shape %g, found %g\n", shapes[i], found);
		if (isinf(shapes[i]))
			assert_true(isinf(found));
		else
			assert_float_equal(found / shapes[i], 1, 0.02);
		/* Few visits: it may be chance.  More misses than at random times: not by bursts. */
		g = (struct gaps){ };
		gaps_add(&g, rate, 5, gaps_longer(rate, 1, lost_after) * 5);
		assert_true(isinf(gaps_shape(&g, &f, lost)));
		g.misses = 1e5;
		assert_true(isinf(gaps_shape(&g, &f, lost)));
	}
	footprints_free(&f);
	model_free(&m);
}

/* Of some lines visits are frequent, of others rare; together they do not fit. */
static void test_rates(bool stores)
{
	struct residence r;
	struct machine c;
	int i;

	begin(&c);
	c.stores = stores;
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

static void rates(void **state)
{
	(void)state;
	test_rates(false);
}

/* Visits of which it is not known whether they missed do not make the others look like bursts. */
static void rates_with_stores(void **state)
{
	(void)state;
	test_rates(true);
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

/*
 * Objects that are used for a while and then, for long, not at all, beside others that do not fit:
 * most visits of the first are soon after the last one, and of those that miss many are conflicts.
 */
static void bursts(void **state)
{
	enum { OBJECTS = 400, IN_USE = 60, VISITS = 25 };
	uint32_t in_use[IN_USE], visits[IN_USE], next = 0;
	struct residence r;
	struct machine c;
	int i;

	(void)state;
	begin(&c);
	for (i = 0; i < IN_USE; i++)
		in_use[i] = next++, visits[i] = 0;
	for (i = 0; i < 900000; i++) {
		const uint32_t n = below(&c, IN_USE);

		if (below(&c, 8)) {
			visit(&c, 1, line_of(1, below(&c, 700), 1), 2);
			continue;
		}
		visit(&c, 0, line_of(0, in_use[n], 1), 2);
		if (++visits[n] == VISITS) {
			in_use[n] = next++ % OBJECTS;
			visits[n] = 0;
		}
	}
	judge(&c, &r);
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

/* Two types: lines of which some are hot, others too many, that another CPU writes at any time. */
static void test_written(uint32_t sites)
{
	static const uint32_t lines[] = { 30, 2000 };
	enum { FREE, WRITTEN, WRITTEN_LATE } written[2][2000] = { { FREE } };
	double own, other, lost[2] = { 0 }, all[2] = { 0 };
	struct residence r;
	struct machine c;
	int i;

	begin(&c);
	c.sites = sites;
	for (i = 0; i < 900000; i++) {
		const uint32_t type = below(&c, 2), n = below(&c, lines[type]);
		const uint64_t line = line_of(type, n, 1);

		if (below(&c, 3) == 0) {
			/* The first one takes it from the cache, if it still is there. */
			if (!written[type][n])
				written[type][n] = cache_has(&c.sets, line) ? WRITTEN : WRITTEN_LATE;
			cache_remove(&c.sets, line);
			full_remove(&c.full, line);
		} else if (written[type][n]) {
			all[type]++;
			lost[type] += written[type][n] == WRITTEN_LATE;
			written[type][n] = FREE;
			cache_access(&c.sets, line, &(struct cache_line){ .line = line });
			full_access(&c.full, line);
			if (++c.accesses % PERIOD == 0)
				sample(&c, type, line, sites ? below(&c, sites) : 0, 0, DATA_PEER_CACHE);
		} else {
			visit(&c, type, line, 1);
		}
	}
	judge(&c, &r);
	for (i = 0; i < 2; i++) {
		assert_true(residence_outlived(&r, index_of(&c, i), 0, &own, &other));
		print_message("# type %d: %.0f misses, %.3f of lines lost before the write, judged %.3f\n", i, all[i],
			      lost[i] / all[i], other);
		assert_float_equal(other, lost[i] / all[i], 0.05);
	}
	is_true(&c, &r, 1, 0.1);
	residence_free(&r);
	end(&c);
}

static void written_by_others(void **state)
{
	(void)state;
	test_written(0);
}

/* Where each visit is of another instruction, there still are as many visits as misses. */
static void many_sites(void **state)
{
	(void)state;
	test_written(40);
}

/* Objects that are smaller than a line, or begin within one: a line is one line all the same. */
static void objects_in_lines(void **state)
{
	double own, other;
	struct residence r;
	struct machine c;
	int i, k;

	(void)state;
	begin(&c);
	/* 500 lines of two objects each fit. */
	for (i = 0; i < 400000; i++) {
		const uint32_t n = below(&c, 500);

		for (k = 0; k < 2; k++) {
			cache_access(&c.sets, line_of(0, n, 1), &(struct cache_line){ .line = line_of(0, n, 1) });
			if (++c.accesses % PERIOD == 0)
				sample_object(&c, 0, line_of(0, n, 1) * 64 + k * 32, line_of(0, n, 1) * 64 + k * 32, 0,
					      n % 50 ? DATA_L1 : DATA_L2);
		}
	}
	judge(&c, &r);
	assert_false(residence_outlived(&r, index_of(&c, 0), 0, &own, &other));
	residence_free(&r);
	end(&c);
	/* Of objects of 96 bytes, each second one begins within a line. */
	begin(&c);
	for (i = 0; i < 800000; i++) {
		const bool rare = below(&c, 4) == 0;
		const uint64_t base = line_of(0, 0, 1) * 64 + 96ULL * below(&c, rare ? 2000 : 120);
		const uint64_t addr = base + (rare ? 72 : 8), line = addr / 64;
		const bool hit = cache_access(&c.sets, line, &(struct cache_line){ .line = line });
		const bool full = full_access(&c.full, line);

		/* The first misses of all lines have no last use. */
		c.missed[rare] += !hit && i > 100000;
		c.outlived[rare] += !hit && !full && i > 100000;
		if (++c.accesses % PERIOD == 0)
			sample_object(&c, 0, base, addr, rare, hit ? DATA_L1 : DATA_L2);
	}
	judge(&c, &r);
	for (i = 0; i < 2; i++) {
		assert_true(residence_outlived(&r, index_of(&c, 0), i ? 72 : 8, &own, &other));
		print_message("# at %d: %.0f misses, %.3f of lines that were lost, judged %.3f\n", i ? 72 : 8,
			      c.missed[i], c.outlived[i] / c.missed[i], own);
		assert_float_equal(own, c.outlived[i] / c.missed[i], 0.1);
	}
	residence_free(&r);
	end(&c);
}

/* Samples of a CPU that does little decide nothing, and do not hide those of a busy one. */
static void idle_cpu(void **state)
{
	struct residence r;
	struct machine c;
	int i;

	(void)state;
	begin(&c);
	for (i = 0; i < 400000; i++) {
		visit(&c, 0, line_of(0, below(&c, 1000), 1), 2);
		if (i % 20000 == 0)
			sample(&c, 0, line_of(0, i % 7, 1), 0, 1, DATA_L2);
	}
	judge(&c, &r);
	is_true(&c, &r, 0, 0.1);
	residence_free(&r);
	end(&c);
}

/* What a set of one cache loses, the only set of another one loses when it is full. */
static void shapes(void **state)
{
	static const struct geometry l2 = { 512 << 10, 8, 64 }, full = { 32 << 10, 512, 64 };
	double own, other;
	struct residence r;
	struct machine c;
	int i;

	(void)state;
	/* 20 lines of a set of a large cache, and as many others as it has. */
	begin(&c);
	cache_free(&c.sets);
	assert_int_equal(cache_init(&c.sets, &l2), 0);
	c.full.capacity = l2.size / l2.line;
	for (i = 0; i < 3000000; i++) {
		if (below(&c, 100) == 0)
			visit(&c, 0, line_of(0, below(&c, 20), 1024), 1);
		else
			visit(&c, 1, line_of(1, below(&c, 12000), 1), 1);
	}
	assert_int_equal(model_end(&c.m), 0);
	assert_int_equal(claims_find(&c.m), 0);
	assert_int_equal(residence_find(&r, &c.m, &l2, LEVEL_L1, false), 0);
	is_true(&c, &r, 0, 0.02);
	is_true(&c, &r, 1, 0.1);
	residence_free(&r);
	/* The same samples, if the cache had one set: no conflict. */
	assert_int_equal(residence_find(&r, &c.m, &full, LEVEL_L1, false), 0);
	assert_true(residence_outlived(&r, index_of(&c, 1), 0, &own, &other));
	assert_true(own == 1);
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
		cmocka_unit_test(shapes_of_gaps),
		cmocka_unit_test(rates),
		cmocka_unit_test(rates_with_stores),
		cmocka_unit_test(crowded_sets),
		cmocka_unit_test(bursts),
		cmocka_unit_test(phases),
		cmocka_unit_test(written_by_others),
		cmocka_unit_test(many_sites),
		cmocka_unit_test(objects_in_lines),
		cmocka_unit_test(idle_cpu),
		cmocka_unit_test(shapes),
		cmocka_unit_test(not_known),
	};

	return cmocka_run_group_tests_name("residence", tests, NULL, NULL);
}
