// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Nothing found: whether there were enough samples to report that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "memprof/diagnose/tests/two_nodes.h"
#include "memprof/view/enough.h"

/* The numbers are R's: 1 - pbinom(19, n, q). */
static void an_all_clear_needs_enough_samples(void **unused)
{
	char text[1024];

	(void)unused;
	assert_true(fabs(enough_probability(1390, 0.02) - 0.9501854) < 1e-7);
	assert_true(fabs(enough_probability(1389, 0.02) - 0.9498114) < 1e-7);
	assert_int_equal(enough_needed(), 1390);
	assert_true(fabs(enough_share(62) - 0.4164775) < 1e-7);
	assert_true(fabs(enough_share(1000) - 0.0277553) < 1e-7);
	assert_true(enough_share(19) > 1);
	/* With many, the sites' least share counts, and the terms of the sum begin below the least double. */
	assert_true(fabs(enough_probability(10000, 0.01) - 0.5134993) < 1e-6);
	assert_true(enough_probability(1000000, 0.02) > 0.999999);
	assert_false(enough_text(62, 0, text, sizeof(text)));
	assert_non_null(strstr(text, "62 are of known objects, and 1390 are needed"));
	assert_null(strstr(text, "Nothing found"));
	assert_false(enough_text(0, 0, text, sizeof(text)));
	assert_null(strstr(text, "Nothing found"));
	assert_false(enough_text(1389, 0, text, sizeof(text)));
	assert_true(enough_text(1390, 0, text, sizeof(text)));
	assert_non_null(strstr(text, "Nothing found that would be worth a change."));
}

/* Unknown objects cannot be reported: their samples do not count. */
static void samples_of_unknown_objects_are_not_enough(void **unused)
{
	struct data *d = data_new(data_path);
	struct findings f;
	uint32_t s;
	int i;

	(void)unused;
	now = DATA_START;
	s = process(d, 10);
	object(d, s, 1, 0);
	for (i = 0; i < 300; i++) {
		now += 1000;
		/* Two of three where no object is. */
		data_sample(d, 0, now, 10, 10, HEAP + (i % 3 ? 2048 * PAGE : 8 * i), (struct sample_record){
			    .op = 1, .level = LEVEL_RAM, .latency = 200, .pfn = 1, .node = 0 }, 0x500000);
	}
	memprof_close(diagnose(d, &f));
	assert_int_equal(f.accesses, 300);
	assert_int_equal(f.judged, 100);
	patterns_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_all_clear_needs_enough_samples),
		cmocka_unit_test(samples_of_unknown_objects_are_not_enough),
	};

	return cmocka_run_group_tests(tests, data_make_path, data_remove_path);
}
