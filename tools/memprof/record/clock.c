// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof record: from the TSC, by which preloaded threads date events, to
 * CLOCK_MONOTONIC, by which perf dates samples.  The recorder reads both together each
 * time it comes, before and after the events that it takes: between two such pairs, the
 * time is on the line from one to the other.  So it is as exact as the pairs are, times
 * of all threads keep their order, and changes of the clock's rate (NTP) are followed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "clock.h"

/* An interrupt between the two makes a pair worse: the best of so many. */
#define TRIES	8

/**
 * clock_trusts_tsc() - whether events may be dated by the TSC
 * @root: before /sys
 *
 * The kernel takes it for its own clock only if it is constant, does not stop, and is the
 * same on all CPUs, and goes on watching that.
 */
bool clock_trusts_tsc(const char *root)
{
	char path[4096], text[32] = "";
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/sys/devices/system/clocksource/clocksource0/current_clocksource",
		 root);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	return n > 0 && !strcmp(text, "tsc\n");
}

/**
 * clock_add() - a pair, later than those before
 * @c: the clock
 * @tsc: the TSC
 * @ns: CLOCK_MONOTONIC at the same time
 */
void clock_add(struct clock *c, uint64_t tsc, uint64_t ns)
{
	const struct clock_pair *last = &c->pairs[(c->nr - 1) % CLOCK_PAIRS];

	if (c->nr && tsc <= last->tsc)
		return;
	/* Two that are close, each a little off. */
	if (c->nr && ns < last->ns)
		ns = last->ns;
	c->pairs[c->nr++ % CLOCK_PAIRS] = (struct clock_pair){ tsc, ns };
}

#if defined(__x86_64__)
/** clock_read() - read both clocks: times up to now can be converted */
void clock_read(struct clock *c)
{
	uint64_t best = UINT64_MAX, tsc = 0, ns = 0, before, after;
	struct timespec t;
	unsigned int cpu;
	int i;

	for (i = 0; i < TRIES; i++) {
		before = __rdtscp(&cpu);
		clock_gettime(CLOCK_MONOTONIC, &t);
		after = __rdtscp(&cpu);
		if (after - before >= best)
			continue;
		best = after - before;
		tsc = before + best / 2;
		ns = t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
	}
	clock_add(c, tsc, ns);
	if (c->nr > 1) {
		/* In ns by the rate since the first pair. */
		const struct clock_pair *first = &c->pairs[c->nr > CLOCK_PAIRS ? c->nr % CLOCK_PAIRS : 0];
		uint64_t error = (double)best / 2 * (ns - first->ns) / (tsc - first->tsc) + 1;

		if (error > c->error_ns)
			c->error_ns = error;
	}
}
#else
void clock_read(struct clock *c)
{
	(void)c;
}
#endif

/**
 * clock_ns() - CLOCK_MONOTONIC at a time
 * @c: the clock
 * @tsc: the time; what is not between pairs is on the line of the nearest two
 * @hint: 0 at first; where the last one was found: times that ask after each other are
 *	close
 *
 * Return: ns; 0 with fewer than two pairs.
 */
uint64_t clock_ns(const struct clock *c, uint64_t tsc, uint64_t *hint)
{
	const uint64_t oldest = c->nr > CLOCK_PAIRS ? c->nr - CLOCK_PAIRS : 0;
	const struct clock_pair *a, *b;
	uint64_t i = *hint;

	if (c->nr < 2)
		return 0;
	if (i < oldest)
		i = oldest;
	if (i > c->nr - 2)
		i = c->nr - 2;
	while (i < c->nr - 2 && c->pairs[(i + 1) % CLOCK_PAIRS].tsc <= tsc)
		i++;
	while (i > oldest && c->pairs[i % CLOCK_PAIRS].tsc > tsc)
		i--;
	*hint = i;
	a = &c->pairs[i % CLOCK_PAIRS];
	b = &c->pairs[(i + 1) % CLOCK_PAIRS];
	/* Rounded down on both sides of @a, so that order is kept. */
	if (tsc < a->tsc)
		return a->ns - (uint64_t)(((unsigned __int128)(a->tsc - tsc) * (b->ns - a->ns) +
					   (b->tsc - a->tsc) - 1) / (b->tsc - a->tsc));
	return a->ns + (uint64_t)((unsigned __int128)(tsc - a->tsc) * (b->ns - a->ns) /
				  (b->tsc - a->tsc));
}
