// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * How many samples a diagnosis needs before it may say that nothing is wrong.
 *
 * A site is reported from PATTERN_MIN_REMOTE sampled remote accesses on, which are at least
 * PATTERN_MIN_SHARE of all.  Of n independent samples, those that are remote accesses of a
 * site with the share q have the binomial distribution.  So the site would have been
 * reported with probability P(X >= max(MIN_REMOTE, MIN_SHARE * n)), X ~ B(n, q).
 */
#include <math.h>

#include "enough.h"
#include "memprof/diagnose/patterns.h"

/* P(X < k), X ~ B(n, q), by its terms' logarithms: the first one is below the smallest double. */
static double below(uint64_t n, double q, uint64_t k)
{
	double term = n * log1p(-q), sum = 0;
	uint64_t i;

	for (i = 0; i < k && i <= n; i++) {
		sum += exp(term);
		term += log((double)(n - i) / (i + 1)) + log(q) - log1p(-q);
	}
	return sum;
}

/**
 * enough_probability() - that a site would be reported
 * @n: sampled accesses
 * @share: of them, the site's remote ones, between 0 and 1
 */
double enough_probability(uint64_t n, double share)
{
	const uint64_t few = ceil(PATTERN_MIN_SHARE * n);

	return 1 - below(n, share, few > PATTERN_MIN_REMOTE ? few : PATTERN_MIN_REMOTE);
}

/** enough_needed() - samples of which a site with ENOUGH_SHARE is reported with ENOUGH_PROBABILITY */
uint64_t enough_needed(void)
{
	uint64_t low = PATTERN_MIN_REMOTE, high = PATTERN_MIN_REMOTE / PATTERN_MIN_SHARE;

	/* Up to there the probability grows with n. */
	while (low < high) {
		const uint64_t n = (low + high) / 2;

		if (enough_probability(n, ENOUGH_SHARE) >= ENOUGH_PROBABILITY)
			high = n;
		else
			low = n + 1;
	}
	return low;
}

/**
 * enough_share() - the least share that is reported with ENOUGH_PROBABILITY
 * @n: sampled accesses, not more than enough_needed()
 *
 * Return: between 0 and 1; above 1 if no site is.
 */
double enough_share(uint64_t n)
{
	double low = 0, high = 1;
	int i;

	if (n < PATTERN_MIN_REMOTE)
		return 2;
	for (i = 0; i < 50; i++) {
		const double q = (low + high) / 2;

		if (enough_probability(n, q) >= ENOUGH_PROBABILITY)
			high = q;
		else
			low = q;
	}
	return high;
}

/**
 * enough_text() - how many samples there are, and what may be said from them, in sentences
 * @n: sampled accesses of objects that are known
 * @found: sites that were reported
 *
 * Return: whether there are enough.
 */
bool enough_text(uint64_t n, size_t found, char *text, size_t size)
{
	const uint64_t needed = enough_needed();
	char seen[128];

	if (n >= needed) {
		snprintf(text, size, "%s%lu samples are of known objects: a site whose remote accesses are %g %% of "
			 "all would have been reported with a probability of %g %% (%lu samples needed).",
			 found ? "" : "Nothing found that would be worth a change. ", (unsigned long)n,
			 100 * ENOUGH_SHARE, 100 * ENOUGH_PROBABILITY, (unsigned long)needed);
		return true;
	}
	if (n < PATTERN_MIN_REMOTE)
		snprintf(seen, sizeof(seen), "no site is reported from fewer than %d", PATTERN_MIN_REMOTE);
	else
		snprintf(seen, sizeof(seen), "only a site whose remote accesses are %.0f %% of all is reported",
			 ceil(100 * enough_share(n)));
	snprintf(text, size, "Too few samples%s: %lu are of known objects, and %lu are needed to report a site "
		 "whose remote accesses are %g %% of all with a probability of %g %%; from %lu, %s. "
		 "Record longer, or with a shorter period.",
		 found ? " to rule out more" : " to say that nothing is wrong", (unsigned long)n,
		 (unsigned long)needed, 100 * ENOUGH_SHARE, 100 * ENOUGH_PROBABILITY, (unsigned long)n, seen);
	return false;
}
