// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The map of live objects: which one is at an address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memprof/lib/live.h"

/* The map of live objects against one that looks at all of them. */
static void live_map_is_right(void **unused)
{
	enum { N = 400, STEPS = 60000 };
	static struct { uint64_t addr, size; uint32_t live; } all[N];
	static const uint64_t sizes[] = { 1, 8, 40, 300, 5000, 40000, 1 << 20, 40 << 20, UINT64_C(9) << 30 };
	struct live_pool pool;
	struct live_map m;
	uint64_t state = 42;
	int i, step;

	(void)unused;
	assert_int_equal(live_pool_init(&pool), 0);
	live_map_init(&m, &pool);
	for (step = 0; step < STEPS; step++) {
		uint64_t addr, size, expected = 0;
		int k;

		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		k = (state >> 33) % N;
		if (all[k].live) {
			live_remove(&m, all[k].live);
			all[k].live = 0;
			continue;
		}
		size = sizes[(state >> 40) % 9] + (state >> 20) % 9;
		addr = UINT64_C(0x100000000) + (state >> 12) % (UINT64_C(64) << 30) / 16 * 16;
		/* Many small ones close together, too. */
		if (size < 6000)
			addr = 0x1000 + (state >> 12) % 200000 / 16 * 16;
		for (i = 0; i < N; i++)
			if (all[i].live && addr < all[i].addr + all[i].size && all[i].addr < addr + size)
				break;
		if (i < N)
			continue;
		all[k].addr = addr;
		all[k].size = size;
		all[k].live = live_insert(&m, addr, size, NULL, NULL);
		assert_true(all[k].live);
		/* Any address: of an object, or beside one. */
		k = (state >> 45) % N;
		addr = all[k].addr + (all[k].size ? (state >> 3) % (all[k].size + 64) : 0);
		for (i = 0; i < N; i++)
			if (all[i].live && addr >= all[i].addr && addr < all[i].addr + all[i].size)
				expected = all[i].live;
		assert_int_equal(live_find(&m, addr), expected);
	}
	live_map_free(&m, NULL, NULL);
	assert_int_equal(pool.live, 0);
	live_pool_free(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(live_map_is_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
