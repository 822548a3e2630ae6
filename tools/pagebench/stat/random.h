/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Pseudo-random numbers from a seed: the order of executions, the ager's pages. */
#ifndef PAGEALLOC_BENCH_RANDOM_H
#define PAGEALLOC_BENCH_RANDOM_H

#include <stdint.h>

/* SplitMix64: G. Steele, D. Lea, C. Flood, OOPSLA 2014; as in java.util. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* A number below @n: the high half of a product, with a bias below @n / 2^64. */
static inline uint64_t random_below(uint64_t *state, uint64_t n)
{
	return (unsigned __int128)random_next(state) * n >> 64;
}

/* An independent generator for each place (@a, @b) in a plan. */
static inline uint64_t random_at(uint64_t seed, uint64_t a, uint64_t b)
{
	uint64_t state = seed;

	state = random_next(&state) ^ a;
	state = random_next(&state) ^ b;
	return random_next(&state);
}

/* FNV-1a hash of a name. */
static inline uint64_t random_hash(uint64_t hash, const char *text)
{
	for (hash ^= 0xcbf29ce484222325ull; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	return hash;
}

#endif
