// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* dprof: classes of sampled misses of types without traces, by what a simulation says of each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "dprof/judge/classify.h"
#include "lib/perf/data_src.h"

#define TYPES	6

static void sample(struct model *m, uint32_t type, enum data_level level, int op)
{
	static uint64_t time;
	const struct data_src src = { .level = level, .load = op == 1, .store = op == 2,
				      .modified = level == DATA_PEER_CACHE };
	const uint64_t base = 0x880000000 + type * 0x1000;
	const struct event e = {
		.kind = EVENT_SAMPLE, .cpu = 0, .pid = 1, .ts = ++time,
		.sample = {
			.ip = 0x1000 + type, .addr = base + 8, .phys = base + 8, .base = base, .type = 20 + type,
			.offset = 8, .data_src = data_src_encode(&src), .op = op, .width = 4, .source = 1,
		},
	};

	assert_int_equal(model_add(m, &e), 0);
}

/*
 * Of each type, 30 hits, 8 loads from the L2 and 2 that were on their way, 4 from memory; 3 stores to the L2.
 * Of the last one, 4 from another CPU's cache, too.
 */
static void make_model(struct model *m)
{
	static const struct { enum data_level level; int op, n; } samples[] = {
		{ DATA_L1, 1, 30 }, { DATA_L2, 1, 8 }, { DATA_LFB, 1, 2 }, { DATA_RAM, 1, 4 }, { DATA_L2, 2, 3 },
	};
	uint32_t type;
	size_t i;
	int k;

	model_init(m);
	for (type = 0; type < TYPES; type++)
		for (i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
			for (k = 0; k < samples[i].n; k++)
				sample(m, type, samples[i].level, samples[i].op);
	for (k = 0; k < 4; k++)
		sample(m, TYPES - 1, DATA_PEER_CACHE, 1);
	assert_int_equal(model_end(m), 0);
	assert_int_equal(claims_find(m), 0);
}

/* What the caches of the simulation did, and the classes that the misses of the samples are of. */
static const struct {
	const char *about;
	uint64_t outcome[NR_OUTCOMES], full_misses;
	bool has_traces, known;
	double l1[NR_OUTCOMES], l2[NR_OUTCOMES];
} cases[TYPES] = {
	{ "conflicts are what a fully associative cache does not miss",
	  { 99, 0, 0, 3, 7, 10 }, 8, false, false,
	  { 0, 0, 0, 2.4, 9.6, 2 }, { 0, 0, 0, 0.4, 1.6, 2 } },
	{ "of types with traces, what each access was",
	  { 99, 0, 0, 3, 7, 10 }, 8, true, false,
	  { 0, 0, 0, 3.6, 8.4, 2 }, { 0, 0, 0, 0.6, 1.4, 2 } },
	{ "a fully associative cache may miss more",
	  { 99, 0, 0, 3, 7, 10 }, 11, false, false,
	  { 0, 0, 0, 0, 12, 2 }, { 0, 0, 0, 0, 2, 2 } },
	{ "no miss at all", { 99, 0, 0, 0, 0, 0 }, 0, false, false,
	  { 0, 0, 0, 0, 14, 0 }, { 0, 0, 0, 0, 4, 0 } },
	{ "none that is of the CPU itself", { 99, 1, 3, 0, 0, 0 }, 0, false, false,
	  { 0, 1, 3, 0, 10, 0 }, { 0, 1, 3, 0, 0, 0 } },
	{ "where it is known how long lines stay, the simulation does not count",
	  { 99, 0, 0, 3, 7, 10 }, 8, false, true,
	  { 0, 2, 0, 10.5, 5.5, 0 }, { 0, 2, 0, 3, 3, 0 } },
};

static void classes_by_type(void **unused)
{
	const struct traces none = { };
	struct sim_type simulated[TYPES] = { };
	struct residence_type types[TYPES] = { };
	const struct sim s = { .nr_types = TYPES, .type = simulated };
	const struct residence r = { .type = types };
	uint32_t i, k, by_type[TYPES];
	struct model m;

	(void)unused;
	make_model(&m);
	assert_int_equal(m.nr_types, TYPES);
	for (i = 0; i < TYPES; i++) {
		const uint32_t type = m.by_index[i]->key.id - 20;

		by_type[i] = type;
		memcpy(simulated[i].sum.outcome, cases[type].outcome, sizeof(cases[type].outcome));
		simulated[i].sum.full_misses = cases[type].full_misses;
		simulated[i].has_traces = cases[type].has_traces;
		types[i] = (struct residence_type){ .known = cases[type].known, .own = { 8, 2 },
							  .other = { 8, 4 } };
	}
	for (enum level level = LEVEL_L1; level <= LEVEL_L2; level += LEVEL_L2 - LEVEL_L1) {
		struct sharing shared = { };
		struct verdicts v;

		assert_int_equal(sharing_find(&m, &shared), 0);
		assert_int_equal(classify(&m, &none, &s, &r, &shared, level, &v), 0);
		assert_int_equal(v.nr, TYPES);
		assert_false(v.simulated);
		for (i = 0; i < TYPES; i++) {
			const struct verdict *one = &v.verdict[i];
			const uint32_t type = by_type[one->type];
			const double *expected = level == LEVEL_L1 ? cases[type].l1 : cases[type].l2;

			assert_int_equal(one->ip, 0x1000 + type);
			assert_int_equal(one->offset, 8);
			assert_int_equal(one->width, 4);
			assert_float_equal(one->misses, (level == LEVEL_L1 ? 14 : 4) + 4 * (type == TYPES - 1), 0);
			assert_float_equal(one->paper_misses, 0, 0);
			for (k = 0; k < NR_OUTCOMES; k++) {
				/* Nor is it no number. */
				if (!(fabs(one->ours[k] - expected[k]) < 1e-9))
					fail_msg("%s: L%d, %s: %g, not %g", cases[type].about, level == LEVEL_L1 ? 1 : 2,
						 outcome_name[k], one->ours[k], expected[k]);
				assert_float_equal(one->paper[k], 0, 0);
			}
		}
		verdicts_free(&v);
		sharing_free(&shared);
	}
	model_free(&m);
}

static void class_with_the_most_misses(void **unused)
{
	static const struct { double by[NR_OUTCOMES]; enum outcome most; } of[] = {
		{ { 9, 0, 0, 0, 0, 0 }, HIT }, { { 9, 1, 0, 0, 0, 0 }, MISS_TRUE }, { { 9, 0, 0, 0, 0, 0.1 }, MISS_COLD },
		{ { 0, 1, 2, 2, 1, 0 }, MISS_FALSE }, { { 0, 1, 2, 3, 3, 2 }, MISS_CONFLICT }, { { 0, 1, 2, 3, 4, 4 }, MISS_CAPACITY },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		assert_int_equal(verdict_class(of[i].by), of[i].most);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_by_type),
		cmocka_unit_test(class_with_the_most_misses),
	};

	return cmocka_run_group_tests_name("dprof classify", tests, NULL, NULL);
}
