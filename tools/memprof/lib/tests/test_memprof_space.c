// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Address spaces of any mappings, beside one that has a cell for each page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "memprof/lib/space.h"

#define PAGES	64

struct cell {
	uint32_t region;
	uint64_t offset;
};

static struct space space;
static struct cell cells[PAGES];

static void compare(void)
{
	const struct mapping *m;
	uint32_t i, n;

	for (n = 0; n < PAGES; n++) {
		/* In no order: the last one found is remembered. */
		i = n * 29 % PAGES;
		m = space_find(&space, i * 4096 + 5);
		if (cells[i].region == UINT32_MAX) {
			assert_null(m);
			continue;
		}
		assert_non_null(m);
		assert_int_equal(m->region, cells[i].region);
		assert_int_equal(m->offset + i * 4096 - m->start, cells[i].offset);
		assert_true(m->start <= i * 4096 && (i + 1) * 4096 <= m->end);
		assert_int_equal(space.regions[m->region].born, cells[i].region + 1000);
	}
	assert_null(space_find(&space, PAGES * 4096));
	for (i = 1; i < space.nr_mappings; i++)
		assert_true(space.mappings[i - 1].end <= space.mappings[i].start);
}

static void any_mappings(void **state)
{
	uint32_t round, first, n, i, region;

	(void)state;
	srand(1);
	memset(cells, 0xff, sizeof(cells));
	for (round = 0; round < 3000; round++) {
		const uint64_t offset = 4096 * (uint64_t)(rand() % 1000);

		first = rand() % PAGES;
		n = 1 + rand() % (round % 2 ? 8 : PAGES / 2);
		if (n > PAGES - first)
			n = PAGES - first;
		if (rand() % 3) {
			struct region r = { .kind = REGION_FILE, .born = space.nr_regions + 1000 };

			region = space_map(&space, first * 4096, (first + n) * 4096, offset, &r);
			assert_int_equal(region, r.born - 1000);
			for (i = 0; i < n; i++)
				cells[first + i] = (struct cell){ region, offset + 4096 * i };
		} else {
			space_unmap(&space, first * 4096, (first + n) * 4096);
			for (i = 0; i < n; i++)
				cells[first + i].region = UINT32_MAX;
		}
		compare();
	}
	/* Nothing is mapped there. */
	assert_int_equal(space_map(&space, 4096, 4096, 0, &(struct region){ 0 }), UINT32_MAX);
	compare();
	free(space.mappings);
	free(space.regions);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(any_mappings) };

	return cmocka_run_group_tests_name("memprof_space", tests, NULL, NULL);
}
