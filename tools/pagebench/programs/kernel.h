/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* What a benchmark program is made of. */
#ifndef PAGEALLOC_PROGRAMS_KERNEL_H
#define PAGEALLOC_PROGRAMS_KERNEL_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct kernel - a program that is measured
 * @make: allocate and fill data of @size bytes, or as much less as its shape
 *	needs; NULL if that cannot be
 * @bytes: of memory that a measurement touches
 * @prepare: what each measurement needs and is not measured, or NULL
 * @run: so many iterations, which are measured
 * @check: is the result of the last run right?  0, or -1
 * @free: give back what @make made
 */
struct kernel {
	const char *name, *about;
	void *(*make)(uint64_t size);
	uint64_t (*bytes)(const void *data);
	void (*prepare)(void *data);
	int (*run)(void *data, uint64_t iterations);
	int (*check)(void *data);
	void (*free)(void *data);
};

extern const struct kernel kernel_fft, kernel_lu, kernel_sor, kernel_sparse, kernel_montecarlo,
	kernel_aes, kernel_ping;

/* A number from -1 to 1 that only its place tells: what was there is known later. */
static inline double kernel_number(uint64_t place)
{
	uint64_t z = place * 0x9e3779b97f4a7c15ull + 0x632be59bd9b4e019ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	z ^= z >> 31;
	return (double)(int64_t)z * 0x1p-63;
}

#endif
