// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* What is said of samples that cannot be true, and that nothing is said of those that can. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/perf/plausible.h"

enum { L1 = 1, L2, MEMORY };

/* A program as they are: most in the L1, a few far away. */
static struct plausible good(unsigned int n)
{
	struct plausible p = { };
	unsigned int i;

	for (i = 0; i < n; i++)
		plausible_add(&p, &(struct plausible_sample){
			.addr = i % 7 ? UINT64_C(0x7f0000000000) + 64 * i : 0xffff888000000000 + i,
			.mapping = i % 50 ? MAPPING_FOUND : MAPPING_NONE, .level = i % 10 ? L1 : i % 20 ? L2 : MEMORY,
			.memory = i % 20 == 0, .latency = i % 10 ? 4 : i % 20 ? 14 : 300 });
	return p;
}

static void expect(const struct plausible *p, int nodes, const char *expected)
{
	char text[512];

	assert_int_equal(plausible_doubt(p, nodes, text, sizeof(text)), *expected != '\0');
	assert_string_equal(text, expected);
}

static void right(void **state)
{
	unsigned int n;

	(void)state;
	for (n = 0; n < 3000; n = 2 * n + 1) {
		const struct plausible p = good(n);

		expect(&p, 1, "");
	}
}

static void addresses(void **state)
{
	struct plausible p = good(1000);
	unsigned int i;

	(void)state;
	/* None is known of: no address is wrong. */
	for (i = 0; i < 1000; i++)
		plausible_add(&p, &(struct plausible_sample){ .level = L1 });
	expect(&p, 0, "");
	/* Behind the 57 bits of an address, and a number that is none. */
	for (i = 0; i < 10; i++)
		plausible_add(&p, &(struct plausible_sample){ .addr = UINT64_C(1) << 57, .level = L1 });
	expect(&p, 0, "");
	for (i = 0; i < 30; i++)
		plausible_add(&p, &(struct plausible_sample){ .addr = 8 + i, .level = L1 });
	expect(&p, 0, "2 % of the addresses are none that a program can access");
}

static void mappings(void **state)
{
	struct plausible p = good(1000);
	unsigned int i;

	(void)state;
	for (i = 0; i < 31; i++)
		plausible_add(&p, &(struct plausible_sample){ .addr = 1 << 20, .mapping = MAPPING_NONE, .level = L1 });
	expect(&p, 0, "");
	for (i = 0; i < 70; i++)
		plausible_add(&p, &(struct plausible_sample){ .addr = 1 << 20, .mapping = MAPPING_NONE, .level = L1 });
	expect(&p, 0, "11 % of the addresses are outside of any mapping");
}

static void levels(void **state)
{
	struct plausible p = { };
	unsigned int i;

	(void)state;
	for (i = 0; i < 999; i++)
		plausible_add(&p, &(struct plausible_sample){ .addr = 1 << 20, .level = L2 });
	expect(&p, 0, "");
	plausible_add(&p, &(struct plausible_sample){ .addr = 1 << 20, .level = L1 });
	expect(&p, 0, "99.9 % of the accesses found their data in the same cache, and it is not the L1");
	for (i = 0; i < 10; i++)
		plausible_add(&p, &(struct plausible_sample){ .addr = 1 << 20, .level = L1 });
	expect(&p, 0, "");
	/* All in the L1 may be. */
	p = (struct plausible){ };
	for (i = 0; i < 2000; i++)
		plausible_add(&p, &(struct plausible_sample){ .addr = 1 << 20, .level = L1 });
	expect(&p, 0, "");
	/* Nor need anything but memory be asked for. */
	p = (struct plausible){ };
	for (i = 0; i < 2000; i++)
		plausible_add(&p, &(struct plausible_sample){ .addr = 1 << 20, .level = MEMORY, .memory = true });
	expect(&p, 0, "");
}

static void nodes(void **state)
{
	struct plausible p = good(1000);
	unsigned int i;

	(void)state;
	for (i = 0; i < 250; i++)
		plausible_add(&p, &(struct plausible_sample){ .addr = 1 << 20, .level = MEMORY, .remote = true });
	expect(&p, 2, "");
	expect(&p, 0, "");
	expect(&p, 1, "20 % of the accesses are remote, on a machine with one node");
}

static void latencies(void **state)
{
	struct plausible p = good(3000);
	unsigned int i;

	(void)state;
	for (i = 0; i < 3000; i++)
		plausible_add(&p, &(struct plausible_sample){ .addr = 1 << 20, .level = L1, .latency = 1000 });
	expect(&p, 0, "the L1 is slower (528 cycles) than memory (300)");
	/* What cannot be is said in one line. */
	for (i = 0; i < 300; i++)
		plausible_add(&p, &(struct plausible_sample){ .addr = 8, .level = L1 });
	expect(&p, 0, "5 % of the addresses are none that a program can access; "
	       "the L1 is slower (528 cycles) than memory (300)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(right), cmocka_unit_test(addresses), cmocka_unit_test(mappings),
		cmocka_unit_test(levels), cmocka_unit_test(nodes), cmocka_unit_test(latencies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
