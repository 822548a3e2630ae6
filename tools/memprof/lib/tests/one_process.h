/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Recordings of one process with a heap, made up for tests, and the object of each access. */
#ifndef MEMPROF_ONE_PROCESS_H
#define MEMPROF_ONE_PROCESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "memprof/memprof.h"
#include "memprof/tests/memprof_data.h"

#define T(us)	(DATA_START + UINT64_C(1000) * (us))
#define LOAD	((struct sample_record){ .op = 1, .level = LEVEL_RAM, .latency = 200, .pfn = 1 })

static inline struct memprof *open_it(void)
{
	char error[256];
	struct memprof *m = memprof_open(data_path, NULL, error, sizeof(error));

	if (!m)
		fail_msg("%s", error);
	return m;
}

static inline void alloc(struct data *d, uint32_t s, uint64_t t, uint64_t addr, uint64_t size)
{
	data_event(d, s, t, (struct event_record){ .type = EVENT_ALLOC, .addr = addr, .size = size,
						   .chain = 1 });
}

static inline void gone(struct data *d, uint32_t s, uint64_t t, uint64_t addr)
{
	data_event(d, s, t, (struct event_record){ .type = EVENT_FREE, .addr = addr });
}

/* The object of access number i. */
static inline const struct memprof_object *object_of(struct memprof *m, size_t i)
{
	struct memprof_access a;

	assert_true(i < memprof_nr_accesses(m));
	memprof_access(m, i, &a);
	return memprof_object(m, a.object);
}

static inline void is_at(struct memprof *m, size_t i, uint64_t addr, uint64_t born_us)
{
	const struct memprof_object *o = object_of(m, i);

	assert_int_equal(o->type, MEMPROF_DYNAMIC);
	assert_int_equal(o->address, addr);
	assert_int_equal(o->born_ns, born_us * 1000);
}

static inline void is_unknown(struct memprof *m, size_t i, const char *why)
{
	const struct memprof_object *o = object_of(m, i);

	assert_int_equal(o->type, MEMPROF_UNKNOWN);
	if (!strstr(o->symbol, why))
		fail_msg("access %zu: %s, not %s", i, o->symbol, why);
}

static inline void begin(struct data **d, uint32_t *s)
{
	*d = data_new(data_path);
	data_task(*d, T(0), &(struct task_record){ .type = TASK_FORK, .pid = 10, .tid = 10, .other = 1 }, NULL);
	data_task(*d, T(1), &(struct task_record){ .type = TASK_EXEC, .pid = 10, .tid = 10 }, "prog");
	data_task(*d, T(2), &(struct task_record){ .type = TASK_MMAP, .pid = 10, .tid = 10, .start = 0x10000,
		  .length = 0x100000, .flags = TASK_WRITABLE }, "[heap]");
	*s = data_stream(*d, 10, 10, 5);
}

#endif
