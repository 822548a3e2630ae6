// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* ages-score ORACLE-FILE AGES-FILE: compares the idle ages that memref reported with
 * the accesses that the oracle saw.  One tab-separated line a workload, a header first.
 *
 * A harvest takes time: what was accessed between two harvests belongs to the interval
 * that the second one ends, what was accessed during a harvest to that one or the next.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../guest/ages.h"
#include "../oracle/file.h"

#define MAX_WORKS 64

struct work {
	char name[24];
	uint64_t pages, exact, near, none, far;	/* far: the largest error */
	unsigned int scans, ages;		/* ages: a bit for each age reported */
};

static struct work works[MAX_WORKS];
static size_t nr_works;
/* By frame: the number of the last interval certainly, and possibly, with an access. */
static uint32_t *certain, *possible;
static size_t nr_words;

static void die(const char *what)
{
	fprintf(stderr, "ages-score: %s\n", what);
	exit(1);
}

static void note(const uint64_t *set, uint32_t *last, uint32_t interval)
{
	for (size_t i = 0; i < nr_words; i++)
		for (uint64_t bits = set[i]; bits; bits &= bits - 1)
			last[i * 64 + __builtin_ctzll(bits)] = interval;
}

static struct work *find_work(const char *name)
{
	for (size_t i = 0; i < nr_works; i++)
		if (!strcmp(works[i].name, name))
			return &works[i];
	if (nr_works == MAX_WORKS)
		die("too many workloads");
	snprintf(works[nr_works].name, sizeof(works[0].name), "%s", name);
	return &works[nr_works++];
}

static void score_page(struct work *w, const struct ages_page *p, uint32_t now)
{
	int64_t youngest, oldest, error = 0;

	if (p->pfn >= nr_words * 64)
		die("a frame that the oracle does not have");
	/* Never accessed: nothing is known of its age. */
	if (!certain[p->pfn])
		return;
	w->pages++;
	if (p->age == AGES_NONE) {
		w->none++;
		return;
	}
	w->ages |= 1u << (p->age < 31 ? p->age : 31);
	oldest = now - certain[p->pfn];
	youngest = possible[p->pfn] > certain[p->pfn] ? now - (int64_t)possible[p->pfn] : oldest;
	if (p->age > oldest)
		error = p->age - oldest;
	else if (p->age < youngest)
		error = youngest - p->age;
	w->exact += !error;
	w->near += error <= 1;
	if (error > (int64_t)w->far)
		w->far = error;
}

static void score_scan(FILE *f, uint32_t now)
{
	struct ages_page page;
	struct ages_scan scan;
	struct work *w;

	if (fread(&scan, sizeof(scan), 1, f) != 1 || scan.magic != AGES_MAGIC)
		die("the guest's file has less harvests than the oracle saw");
	scan.work[sizeof(scan.work) - 1] = '\0';
	w = find_work(scan.work);
	w->scans++;
	for (uint32_t i = 0; i < scan.nr_pages; i++) {
		if (fread(&page, sizeof(page), 1, f) != 1)
			die("the guest's file is cut off");
		score_page(w, &page, now);
	}
}

/* The sets of accesses that count for the scan that is next in the file. */
static unsigned int next_sets(FILE *f)
{
	unsigned int sets = ORACLE_SETS_USER_VA;
	struct ages_scan scan;
	long where = ftell(f);

	if (fread(&scan, sizeof(scan), 1, f) != 1)
		return sets;
	fseek(f, where, SEEK_SET);
	return sets | (scan.kernel_reads ? 1 << ORACLE_KERNEL_READ : 0) | (scan.kernel_writes ? 1 << ORACLE_KERNEL_WRITE : 0);
}

int main(int argc, char **argv)
{
	struct oracle_reader r;
	uint32_t now = 1;
	uint64_t *set;
	FILE *f;
	int ret;

	if (argc != 3)
		die("usage: ages-score ORACLE-FILE AGES-FILE");
	if (!oracle_open(&r, argv[1]))
		return 1;
	f = fopen(argv[2], "rb");
	if (!f)
		die("no file of ages");
	nr_words = r.nr_words;
	set = calloc(nr_words, sizeof(*set));
	certain = calloc(nr_words * 64, sizeof(*certain));
	possible = calloc(nr_words * 64, sizeof(*possible));
	if (!set || !certain || !possible)
		die("out of memory");
	while ((ret = oracle_next(&r)) > 0) {
		bool harvest = r.interval.begin_code == MARK_SCAN_BEGIN;

		memset(set, 0, nr_words * sizeof(*set));
		oracle_union(&r, next_sets(f), set);
		if (!harvest) {
			note(set, certain, now);
			continue;
		}
		note(set, possible, now + 1);
		score_scan(f, now++);
	}
	if (ret < 0)
		return 1;
	puts("work\tharvests\tpages\texact\twithin_one\twithout_age\tlargest_error\tdistinct");
	for (size_t i = 0; i < nr_works; i++) {
		const struct work *w = &works[i];
		double pages = w->pages ? w->pages : 1;

		printf("%s\t%u\t%llu\t%.6f\t%.6f\t%llu\t%llu\t%d\n", w->name, w->scans,
		       (unsigned long long)w->pages, w->exact / pages, w->near / pages,
		       (unsigned long long)w->none, (unsigned long long)w->far,
		       __builtin_popcount(w->ages));
	}
	return 0;
}
