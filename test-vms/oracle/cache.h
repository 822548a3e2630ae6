/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * A model of caches indexed by physical address: which lines they hold, and how
 * many accesses missed.  Nothing of QEMU is in it.
 *
 * An access goes to the first cache that takes its kind; what misses there goes
 * to the next, and so on.  The caches after it have been filled when a cache is
 * filled.  Every access, a write too, allocates.  A cache counts the accesses
 * that reach it; lines written back, and prefetches, are not modeled, and a line
 * written by one CPU stays in the private caches of others: the misses counted
 * are cold, capacity and conflict misses, not those of sharing.
 *
 * Not for several threads at once.
 */
#ifndef MEMSCOPE_ORACLE_CACHE_H
#define MEMSCOPE_ORACLE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_MAX_LEVELS 16
#define CACHE_MAX_CPUS 256
#define CACHE_NAME_LEN 16
#define CACHE_ERROR_LEN 256

enum cache_kind {
	CACHE_DATA,
	CACHE_FETCH,
	CACHE_NR_KINDS
};

enum cache_policy {
	CACHE_LRU,
	CACHE_FIFO,
	CACHE_PLRU,	/* a binary tree of bits, each away from what was used last */
	CACHE_RANDOM
};

struct cache_count {
	uint64_t accesses;
	uint64_t misses;
};

/* What is said of a cache; fixed once the model is made. */
struct cache_shape {
	char name[CACHE_NAME_LEN];
	uint64_t size;		/* bytes */
	unsigned int ways;
	unsigned int sets;	/* a power of two */
	unsigned int line_shift;
	unsigned int level;	/* from 1: how many caches an access passes up to this one */
	unsigned int kinds;	/* bits 1 << enum cache_kind */
	enum cache_policy policy;
	bool shared;		/* one for all CPUs, else one for each */
	bool inclusive;		/* what it evicts leaves the caches before it */
	bool xored;		/* bit n of the index is the parity of address & mask[n] */
	uint64_t mask[32];
};

struct cache_model;

/**
 * cache_model_new() - make a model of what a text describes
 * @spec: caches separated by commas, from the CPU on, each
 *	NAME:SIZE:WAYS:LINE[:WORD...]; docs/develop/test-vms.md has the words
 * @nr_cpus: CPUs, 1 to CACHE_MAX_CPUS
 * @seed: of random replacement
 * @error: gets what is wrong, with the part of @spec it is wrong in
 *
 * Return: the model with all caches empty, or NULL.
 */
struct cache_model *cache_model_new(const char *spec, unsigned int nr_cpus, uint64_t seed,
				    char error[CACHE_ERROR_LEN]);
void cache_model_free(struct cache_model *m);

/**
 * cache_model_access() - one access
 * @cpu: which CPU makes it
 * @address: physical
 * @size: bytes, not 0; an access that crosses lines of the first cache is one
 *	access to each
 */
void cache_model_access(struct cache_model *m, unsigned int cpu, enum cache_kind kind,
			uint64_t address, unsigned int size);

/* All caches forget their lines, and start as they were made; counts stay. */
void cache_model_empty(struct cache_model *m);

unsigned int cache_model_nr(const struct cache_model *m);
const struct cache_shape *cache_model_shape(const struct cache_model *m, unsigned int cache);
/* What @cpu's accesses met in that cache since the model was made. */
struct cache_count cache_model_count(const struct cache_model *m, unsigned int cache,
				     unsigned int cpu);
/* The line size of the first cache that takes this kind; 0: none does. */
unsigned int cache_model_line(const struct cache_model *m, enum cache_kind kind);
/* Whether the line of @address is there; changes nothing. */
bool cache_model_holds(const struct cache_model *m, unsigned int cache, unsigned int cpu,
		       uint64_t address);

/*
 * Reads one cache's description; false with @error filled in.  What belongs to
 * several caches (order, names) is cache_model_new()'s to check.
 */
bool cache_shape_parse(struct cache_shape *shape, const char *text, char error[CACHE_ERROR_LEN]);
/* The same as text that cache_shape_parse() reads. */
void cache_shape_print(const struct cache_shape *shape, char *text, size_t size);

#endif
