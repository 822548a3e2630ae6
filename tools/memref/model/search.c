// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Search for the smallest memory limit that is enough, by tries: guesses first, then bisection.
 * Whatever is smaller than a limit that is not enough is taken not to be enough, either.
 */
#include "search.h"

#define PAGE 4096
/* Limits that differ by less than this part of the peak are not told apart. */
#define GRAINS 1024
/* No limit above so many peaks is tried. */
#define MOST_PEAKS 8
#define MOST_BYTES (1ULL << 62)

static uint64_t whole_pages(uint64_t bytes)
{
	return (bytes + PAGE - 1) / PAGE * PAGE;
}

static uint64_t grain(const struct search *s)
{
	const uint64_t bytes = whole_pages(s->peak / GRAINS);

	return bytes ? bytes : PAGE;
}

/* Whether a smaller limit could save more than the precision says. */
static bool is_found(const struct search *s)
{
	const uint64_t gap = s->enough - s->too_small;

	return gap <= grain(s) || (s->enough < s->peak && gap <= s->precision * (s->peak - s->too_small));
}

/**
 * search_next() - the limit to be tried next
 * @s: what is known
 *
 * Return: bytes, whole pages; 0: the search has come to its end.
 */
uint64_t search_next(struct search *s)
{
	if (s->enough && is_found(s))
		return 0;
	while (s->nr_guessed < SEARCH_GUESSES) {
		const uint64_t guess = whole_pages(s->guesses[s->nr_guessed++]);

		/* A guess beside a limit that was tried would show nothing new. */
		if (guess >= s->too_small + grain(s) && (!s->enough || guess + grain(s) <= s->enough))
			return guess;
	}
	if (!s->enough && s->too_small >= s->peak)
		return s->too_small / MOST_PEAKS < s->peak && s->too_small < MOST_BYTES ? 2 * s->too_small : 0;
	if (!s->enough)
		return whole_pages(s->peak);
	return whole_pages(s->too_small + (s->enough - s->too_small) / 2);
}

/**
 * search_doubt() - a limit to be tried once more, at the end of the search
 * @s: what is known
 *
 * Times differ from run to run: a limit that was nearly enough may be so the next time, and then the search goes on
 * with smaller ones.
 *
 * Return: bytes, @s->too_small; 0: no limit was too small by so little, or it was tried twice.
 */
uint64_t search_doubt(const struct search *s)
{
	return s->nearly ? s->too_small : 0;
}

static void note_enough(struct search *s, uint64_t limit)
{
	if (s->enough && s->nr_larger < SEARCH_LIMITS)
		s->larger[s->nr_larger++] = s->enough;
	s->enough = limit;
	if (limit > s->too_small)
		return;
	s->nearly = s->nr_smaller && s->smaller[s->nr_smaller - 1].nearly;
	s->too_small = s->nr_smaller ? s->smaller[--s->nr_smaller].limit : 0;
}

static void note_too_small(struct search *s, uint64_t limit, bool nearly)
{
	if (s->too_small && limit != s->too_small && s->nr_smaller < SEARCH_LIMITS) {
		s->smaller[s->nr_smaller].limit = s->too_small;
		s->smaller[s->nr_smaller++].nearly = s->nearly;
	}
	s->nearly = nearly && limit != s->too_small && limit != s->enough;
	s->too_small = limit;
	if (limit == s->enough)
		s->enough = s->nr_larger ? s->larger[--s->nr_larger] : 0;
}

/**
 * search_note() - what a try has shown
 * @s: what is known
 * @limit: that was tried, from search_next() or search_doubt(); or @s->enough, tried once more
 * @result: what its try has shown
 *
 * A limit that was enough, and once more is not, is too small: times differ from run to run, and the
 * smallest limit that was enough is the one that chance favored.
 */
void search_note(struct search *s, uint64_t limit, enum search_result result)
{
	if (result != SEARCH_ENOUGH)
		note_too_small(s, limit, result == SEARCH_NEARLY);
	else if (limit != s->enough)
		note_enough(s, limit);
}
