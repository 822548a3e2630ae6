// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof record --allocator: perf's rings of calls, damaged at random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "made/mutate.h"
#include "memprof/record/tests/made_uprobes.h"

static void drain_damaged(void *ctx, char *data, size_t size)
{
	struct uprobes *u = make(++*(int *)ctx & 1);

	u->cpus->ring->data_head = u->cpus->ring->data_tail = RING - 512;
	made_put(u->cpus->ring, RING, data, size - size % 8);
	uprobes_drain(u, true);
	assert_int_equal(u->cpus->ring->data_tail, u->cpus->ring->data_head);
	end(u);
}

static void mutated(void **unused)
{
	struct uprobes *u = make(false);
	struct mutation m = { .name = "uprobes' records", .read = drain_damaged };
	int rounds = 0, i;

	(void)unused;
	for (i = 0; i < 30; i++) {
		put_call(u, CALL_MALLOC, 1000 + 100 * i, 0, 100, 0x7000, 0x401234);
		put_call(u, RETURN_MALLOC, 1050 + 100 * i, 0x5000 + 16 * i, 0, 0x7008, 0);
		put_call(u, CALL_FREE, 1080 + 100 * i, 0, 0x5000 + 16 * i, 0x7000, 0);
	}
	m.data = (char *)u->cpus->ring + MADE_PAGE;
	m.size = u->cpus->ring->data_head;
	m.ctx = &rounds;
	mutate(&m);
	end(u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mutated),
	};

	return cmocka_run_group_tests_name("mutated uprobes", tests, NULL, NULL);
}
