// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * A seed for each statistic, by its name: a benchmark more in the file, or
 * another order, changes no number of the others.
 */
#include "stat.h"

/**
 * stat_seed() - a seed
 * @name: "suite|benchmark|config|strategy|statistic"
 * @user: what the user said
 *
 * SplitMix64 (Steele, Lea, Flood 2014) of the name's FNV-1a hash and @user.
 *
 * Return: the seed.
 */
uint64_t stat_seed(const char *name, uint64_t user)
{
	uint64_t z = 0xcbf29ce484222325;

	for (; *name; name++)
		z = (z ^ (unsigned char)*name) * 0x100000001b3;
	z = (z ^ user) + 0x9e3779b97f4a7c15;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/**
 * stat_rng() - random numbers for a statistic
 * @name: as for stat_seed()
 * @user: as for stat_seed()
 *
 * Return: a Mersenne twister, which takes 32 bits of the seed; free it with
 * gsl_rng_free().  NULL without memory.
 */
gsl_rng *stat_rng(const char *name, uint64_t user)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	if (rng)
		gsl_rng_set(rng, stat_seed(name, user) & 0xffffffff);
	return rng;
}
