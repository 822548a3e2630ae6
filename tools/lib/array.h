/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Arrays that grow by one element at a time. */
#ifndef MEMSCOPE_ARRAY_H
#define MEMSCOPE_ARRAY_H

#include <stddef.h>
#include <stdlib.h>

/**
 * array_grow() - make place for one more element
 * @array: the array; NULL: none yet
 * @nr: number of its elements
 * @capacity: elements that fit; set if the array grows
 * @size: bytes of an element
 *
 * Return: the array, which may have moved, or NULL without memory: the old one is valid then, with @capacity.
 */
static inline void *array_grow(void *array, size_t nr, size_t *capacity, size_t size)
{
	const size_t more = *capacity ? *capacity * 2 : 64;

	if (nr < *capacity)
		return array;
	array = realloc(array, more * size);
	if (array)
		*capacity = more;
	return array;
}

#endif
