/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Search for the smallest memory limit that is enough, by tries. */
#ifndef MEMREF_SEARCH_H
#define MEMREF_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#define SEARCH_GUESSES 3
/* Each limit halves what is left, or is a guess. */
#define SEARCH_LIMITS 80

/* What a try has shown.  Nearly: it took too long, by no more than what chance may add to a run. */
enum search_result { SEARCH_TOO_SMALL, SEARCH_NEARLY, SEARCH_ENOUGH };

/**
 * struct search - what tries have shown; bytes
 * @peak: memory without a limit; what a limit saves is counted from here
 * @precision: share of what the best limit saves that may be missed
 * @guesses: limits to be tried first, in this order
 * @nr_guessed: so many of these were looked at
 * @too_small: the largest limit that was not enough; 0: none
 * @enough: the smallest that was; 0: none
 * @larger: those that were enough before it, from the largest on
 * @nr_larger: their number
 * @smaller: those that were not enough before @too_small, from the smallest on, each with its @nearly
 * @nr_smaller: their number
 * @nearly: the result of @too_small, of a single try, was nearly enough
 */
struct search {
	uint64_t peak;
	double precision;
	uint64_t guesses[SEARCH_GUESSES];
	int nr_guessed;
	uint64_t too_small, enough;
	uint64_t larger[SEARCH_LIMITS];
	int nr_larger;
	struct { uint64_t limit; bool nearly; } smaller[SEARCH_LIMITS];
	int nr_smaller;
	bool nearly;
};

uint64_t search_next(struct search *s);
uint64_t search_doubt(const struct search *s);
void search_note(struct search *s, uint64_t limit, enum search_result result);

#endif
