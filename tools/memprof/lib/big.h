/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/*
 * The arrays that grow with a recording.  What would exceed a limit has its place in a file
 * without a name, in $TMPDIR or /var/tmp: the kernel keeps as much of it in memory as
 * there is.
 */
#ifndef MEMPROF_BIG_H
#define MEMPROF_BIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BIG_ARRAYS	8

/**
 * struct bigs - arrays of a handle
 * @all: of them; @array is NULL where there is none
 * @limit: bytes of all together that are in memory, 0: a quarter of the machine's
 * @used: bytes in memory
 * @error: why there is no room, "" without memory
 */
struct bigs {
	struct { void *array; size_t bytes; int fd; bool in_file; } all[BIG_ARRAYS];
	uint64_t limit, used;
	char error[256];
};

void *big_new(struct bigs *b, size_t bytes, bool *failed) __attribute__((visibility("hidden")));
void *big_grow_now(struct bigs *b, void *array, size_t *capacity, size_t need, size_t bytes, bool *failed)
	__attribute__((visibility("hidden")));
bool big_fits(const struct bigs *b, size_t more) __attribute__((visibility("hidden")));
void big_free(struct bigs *b) __attribute__((visibility("hidden")));

/**
 * big_grow() - make room in an array
 * @b: the handle's
 * @array: of big_new() or big_grow(), or NULL
 * @capacity: elements that it has room for
 * @need: that it is to have room for
 * @bytes: of an element
 * @failed: is set without memory, or without room on the disk
 *
 * Return: the array, as it was if there is no room.
 */
static inline void *big_grow(struct bigs *b, void *array, size_t *capacity, size_t need, size_t bytes,
			     bool *failed)
{
	return __builtin_expect(need <= *capacity, 1) ? array :
	       big_grow_now(b, array, capacity, need, bytes, failed);
}

#endif
