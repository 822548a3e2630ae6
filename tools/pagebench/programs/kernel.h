/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The interface of a benchmark kernel. */
#ifndef PAGEALLOC_PROGRAMS_KERNEL_H
#define PAGEALLOC_PROGRAMS_KERNEL_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct kernel - a measured kernel
 * @make: allocate and fill data of at most @size bytes, rounded down to the kernel's
 *	shape; returns NULL on failure
 * @bytes: size of the memory that a measurement touches
 * @prepare: unmeasured preparation of each measurement, or NULL
 * @run: the measured part: run @iterations iterations
 * @check: verify the result of the last run; returns 0 or -1
 * @free: free the result of @make
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

/* A number from -1 to 1 that is a function of its place, so that results can be verified. */
static inline double kernel_number(uint64_t place)
{
	uint64_t z = place * 0x9e3779b97f4a7c15ull + 0x632be59bd9b4e019ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	z ^= z >> 31;
	return (double)(int64_t)z * 0x1p-63;
}

#endif
