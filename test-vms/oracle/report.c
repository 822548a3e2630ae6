// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* oracle-report: prints the recordings of the oracle plugin. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"

static void usage(FILE *f)
{
	fputs("usage: oracle-report list FILE             one line an interval, pages in each set\n"
	      "       oracle-report pages FILE SEQ SETS    frame numbers, one a line\n"
	      "       oracle-report bitmap FILE SEQ SETS   one bit a frame, 64-bit words, to stdout\n"
	      "SEQ is an interval's number, or FIRST-LAST for what any of them has.\n"
	      "SETS is a list of user_read, user_write, user_fetch, copy_read, copy_write,\n"
	      "kernel_read, kernel_write, kernel_fetch; or all, user (through user addresses),\n"
	      "kernel (through kernel addresses), read, write, fetch.\n", f);
}

static size_t count(const uint64_t *set, size_t nr_words)
{
	size_t n = 0;

	for (size_t w = 0; w < nr_words; w++)
		n += __builtin_popcountll(set[w]);
	return n;
}

static int list(struct oracle_reader *r)
{
	int ret;

	printf("%5s %6s %6s %9s %12s %12s %12s %8s", "seq", "begin", "end", "ms", "insns_user",
	       "insns_kernel", "accesses", "other");
	for (int s = 0; s < ORACLE_NR_SETS; s++)
		printf(" %12s", oracle_set_names[s]);
	putchar('\n');
	while ((ret = oracle_next(r)) > 0) {
		const struct oracle_interval *i = &r->interval;

		printf("%5u 0x%04x ", i->seq, i->begin_code);
		if (i->end_code == UINT32_MAX)
			printf("%6s", "exit");
		else
			printf("0x%04x", i->end_code);
		printf(" %9.3f %12llu %12llu %12llu %8llu", (i->end_ns - i->begin_ns) / 1e6,
		       (unsigned long long)i->insns_user, (unsigned long long)i->insns_kernel,
		       (unsigned long long)i->accesses, (unsigned long long)i->other);
		for (int s = 0; s < ORACLE_NR_SETS; s++)
			printf(" %12zu", count(r->set[s], r->nr_words));
		putchar('\n');
	}
	return ret;
}

static unsigned int parse_sets(char *list)
{
	static const struct {
		const char *name;
		unsigned int mask;
	} groups[] = {
		{ "all", (1 << ORACLE_NR_SETS) - 1 },	{ "user", ORACLE_SETS_USER_VA },
		{ "kernel", ORACLE_SETS_KERNEL_VA },	{ "read", ORACLE_SETS_READ },
		{ "write", ORACLE_SETS_WRITE },		{ "fetch", ORACLE_SETS_FETCH },
	};
	unsigned int mask = 0;

	for (char *s = strtok(list, ","); s; s = strtok(NULL, ",")) {
		unsigned int before = mask;

		for (int i = 0; i < ORACLE_NR_SETS; i++)
			mask |= !strcmp(s, oracle_set_names[i]) ? 1u << i : 0;
		for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
			mask |= !strcmp(s, groups[i].name) ? groups[i].mask : 0;
		if (mask == before) {
			fprintf(stderr, "oracle-report: %s: no such set, or named twice\n", s);
			exit(2);
		}
	}
	return mask;
}

static uint64_t *unite(struct oracle_reader *r, const char *range, unsigned int mask)
{
	uint64_t *bitmap = calloc(r->nr_words, sizeof(*bitmap));
	unsigned long first, last;
	bool found = false;
	char *end;
	int ret;

	first = last = strtoul(range, &end, 10);
	if (*end == '-')
		last = strtoul(end + 1, &end, 10);
	if (*end || end == range || last < first) {
		fprintf(stderr, "oracle-report: %s: not an interval\n", range);
		exit(2);
	}
	if (!bitmap) {
		fprintf(stderr, "oracle-report: no memory left\n");
		return NULL;
	}
	while ((ret = oracle_next(r)) > 0) {
		if (r->interval.seq < first || r->interval.seq > last)
			continue;
		oracle_union(r, mask, bitmap);
		found |= r->interval.seq == last;
	}
	if (!ret && !found)
		fprintf(stderr, "%s: no interval %lu\n", r->path, last);
	if (ret || !found) {
		free(bitmap);
		return NULL;
	}
	return bitmap;
}

static void print_pages(const uint64_t *bitmap, size_t nr_words)
{
	for (size_t w = 0; w < nr_words; w++) {
		for (uint64_t bits = bitmap[w]; bits; bits &= bits - 1)
			printf("%zu\n", w * 64 + __builtin_ctzll(bits));
	}
}

int main(int argc, char **argv)
{
	struct oracle_reader r;
	const char *verb = argc > 1 ? argv[1] : "";
	uint64_t *bitmap;
	int ret = -1;

	if (!strcmp(verb, "--help") || !strcmp(verb, "-h")) {
		usage(stdout);
		return 0;
	}
	if (!(argc == 3 && !strcmp(verb, "list")) &&
	    !(argc == 5 && (!strcmp(verb, "pages") || !strcmp(verb, "bitmap")))) {
		usage(stderr);
		return 2;
	}
	if (!oracle_open(&r, argv[2]))
		return 1;
	if (argc == 3) {
		ret = list(&r);
	} else {
		bitmap = unite(&r, argv[3], parse_sets(argv[4]));
		if (bitmap) {
			ret = 0;
			if (!strcmp(verb, "pages"))
				print_pages(bitmap, r.nr_words);
			else
				fwrite(bitmap, sizeof(*bitmap), r.nr_words, stdout);
			free(bitmap);
		}
	}
	oracle_close(&r);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "oracle-report: standard output: %s\n", strerror(errno));
		ret = -1;
	}
	return ret ? 1 : 0;
}
