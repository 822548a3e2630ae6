// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * self_tune: a program that tries two placements of its data, measures both,
 * and keeps the better one.
 *
 *	cc self_tune.c -o self_tune $(pkg-config --cflags --libs libpagealloc)
 *	self_tune binhop partition:0-7
 */
#include <errno.h>
#include <pagealloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIZE	(1024 * 1024)	/* about a level 2 cache */
#define ROUNDS	31
#define LINE	64

struct placement {
	const char *text;
	struct pagealloc_hint *hint;
	unsigned char *data;
	double ns[ROUNDS];
};

static int fail(const char *what, int err)
{
	fprintf(stderr, "self_tune: %s: %s\n", what,
		err == -ENOSYS ? "not in this kernel" : strerror(-err));
	return 1;
}

/* A walk over all lines, in an order that no prefetcher guesses. */
static double measure(unsigned char *data)
{
	const size_t lines = SIZE / LINE;
	struct timespec begin, end;
	volatile unsigned int sum = 0;
	size_t i, line = 0;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (i = 0; i < 4 * lines; i++) {
		line = (line * 5 + 7) % lines;	/* visits every line: lines is 2^n */
		sum += data[line * LINE];
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	return ((end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec)) / (4 * lines);
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(struct placement *p)
{
	qsort(p->ns, ROUNDS, sizeof(p->ns[0]), compare);
	return p->ns[ROUNDS / 2];
}

int main(int argc, char **argv)
{
	struct placement p[2] = {
		{ .text = argc > 1 ? argv[1] : "binhop" },
		{ .text = argc > 2 ? argv[2] : "random:seed=1" },
	};
	struct pagealloc_counts counts;
	struct pagealloc *self;
	char error[256];
	int i, round, ret, best;

	ret = pagealloc_open(0, 0, &self);
	if (ret)
		return fail("page hints", ret);
	for (i = 0; i < 2; i++) {
		ret = pagealloc_hint_parse(p[i].text, 0, &p[i].hint, error, sizeof(error));
		if (ret)
			return fail(error, ret);
		ret = pagealloc_alloc(self, SIZE, p[i].hint, PAGEALLOC_POPULATE,
				      (void **)&p[i].data);
		if (ret)
			return fail(p[i].text, ret);
		memset(p[i].data, 1, SIZE);
	}
	/* In turns: what disturbs one disturbs the other. */
	for (round = 0; round < ROUNDS; round++)
		for (i = 0; i < 2; i++)
			p[i].ns[round] = measure(p[i].data);
	for (i = 0; i < 2; i++) {
		uint64_t start = (uintptr_t)p[i].data;

		ret = pagealloc_verify(self, start, start + SIZE, &counts);
		if (ret)
			return fail("verify", ret);
		printf("%s: %.2f ns a line (median of %d), %llu of %llu pages present\n", p[i].text,
		       median(&p[i]), ROUNDS, (unsigned long long)counts.present,
		       (unsigned long long)(SIZE / 4096));
	}
	best = p[1].ns[ROUNDS / 2] < p[0].ns[ROUNDS / 2];
	pagealloc_free(self, p[!best].data, SIZE);
	printf("kept %s\n", p[best].text);
	/* ... and the program goes on with p[best].data. */
	pagealloc_free(self, p[best].data, SIZE);
	for (i = 0; i < 2; i++)
		pagealloc_hint_free(p[i].hint);
	pagealloc_close(self);
	return 0;
}
