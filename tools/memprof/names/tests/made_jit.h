/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Map files and jitdumps that are made byte by byte, for tests, and the function and line at each address. */
#ifndef MEMPROF_MADE_JIT_H
#define MEMPROF_MADE_JIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memprof/names/names.h"
#include "memprof/names/tests/made_root.h"

#define MAP	"/tmp/perf-10.map"
#define DUMP	"/tmp/jit-10.dump"

/* What is at an address at a time; function NULL: nothing; file NULL: no line. */
struct expected {
	uint64_t addr, time;
	const char *function;
	uint64_t in;
	const char *file;
	unsigned int line;
};

static inline void code_is(const struct jit *j, const struct expected *e, size_t n)
{
	static const char odd[] = "odd";

	for (size_t i = 0; i < n; i++, e++) {
		struct place place = { odd, odd, 99 };
		uint64_t in = 77;
		const bool found = jit_code(j, 10, e->addr, e->time, &place, &in);

		if (found != !!e->function || (found && strcmp(place.function, e->function)))
			fail_msg("%zu: %#lx at %lu: %s, not %s", i, (unsigned long)e->addr, (unsigned long)e->time,
				 found ? place.function : "nothing", e->function ? e->function : "nothing");
		assert_int_equal(in, found ? e->in : 77);
		if (!found)
			assert_null(place.function);
		if (e->file)
			assert_string_equal(place.file, e->file);
		else
			assert_null(place.file);
		assert_int_equal(place.line, e->line);
	}
}

#define CODE_IS(j, ...)	do {							\
		const struct expected e_[] = { __VA_ARGS__ };			\
		code_is(j, e_, sizeof(e_) / sizeof(e_[0]));			\
	} while (0)

static inline struct jit *of_map(const char *text, size_t bytes)
{
	struct jit *j = jit_new(root);

	write_file(MAP, text, bytes);
	assert_int_equal(jit_add(j, 10, NULL), 0);
	assert_int_equal(unlink(below(MAP)), 0);
	return j;
}

static struct {
	unsigned char bytes[1 << 16];
	size_t n;
} dump;

static inline void put(unsigned int bytes, uint64_t value)
{
	assert_true(dump.n + bytes <= sizeof(dump.bytes));
	for (unsigned int i = 0; i < bytes; i++)
		dump.bytes[dump.n++] = value >> 8 * i;
}

static inline void put_text(const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		put(1, text[i]);
}

static inline void put_header(uint32_t bytes, uint64_t flags)
{
	dump.n = 0;
	put(4, 0x4a695444);
	put(4, 1);
	put(4, bytes);
	put(4, 62);
	put(4, 0);
	put(4, 10);
	put(8, 0xbadbadbad);
	put(8, flags);
	while (dump.n < bytes)
		put(1, 0xee);
}

static inline void put_head(uint32_t id, uint32_t bytes, uint64_t time)
{
	put(4, id);
	put(4, bytes);
	put(8, time);
}

/* A function that is loaded, with so many bytes of its name and of what is behind it. */
static inline void put_load_bytes(uint64_t time, uint64_t addr, uint64_t size, const char *name, size_t bytes)
{
	put_head(0, 56 + bytes, time);
	put(4, 10);
	put(4, 11);
	put(8, addr + 0x1000000);
	put(8, addr);
	put(8, size);
	put(8, 5);
	put_text(name, bytes);
}

static inline void put_load(uint64_t time, uint64_t addr, uint64_t size, const char *name)
{
	put_load_bytes(time, addr, size, name, strlen(name) + 1);
}

static inline void put_move(uint64_t time, uint64_t from, uint64_t to, uint64_t size)
{
	put_head(1, 64, time);
	put(4, 10);
	put(4, 11);
	put(8, to + 0x1000000);
	put(8, from);
	put(8, to);
	put(8, size);
	put(8, 5);
}

static inline void put_lines_head(uint32_t bytes, uint64_t nr)
{
	put_head(2, 32 + bytes, 1);
	put(8, 0xabcdef);
	put(8, nr);
}

static inline void put_line(uint64_t addr, uint32_t line, const char *file)
{
	put(8, addr);
	put(4, line);
	put(4, 0xdd);
	put_text(file, strlen(file) + 1);
}

static inline struct jit *of_dump(void)
{
	struct jit *j = jit_new(root);

	write_file(DUMP, dump.bytes, dump.n);
	assert_int_equal(jit_add(j, 10, DUMP), 0);
	assert_int_equal(unlink(below(DUMP)), 0);
	return j;
}

#endif
