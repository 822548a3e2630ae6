// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Reads the file the oracle plugin writes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"

const char *const oracle_set_names[ORACLE_NR_SETS] = {
	[ORACLE_USER_READ] = "user_read",	[ORACLE_USER_WRITE] = "user_write",
	[ORACLE_USER_FETCH] = "user_fetch",	[ORACLE_COPY_READ] = "copy_read",
	[ORACLE_COPY_WRITE] = "copy_write",	[ORACLE_KERNEL_READ] = "kernel_read",
	[ORACLE_KERNEL_WRITE] = "kernel_write", [ORACLE_KERNEL_FETCH] = "kernel_fetch",
};

static int bad(const struct oracle_reader *r, const char *what)
{
	fprintf(stderr, "%s: %s at 0x%lx\n", r->path, what, ftell(r->f));
	return -1;
}

bool oracle_open(struct oracle_reader *r, const char *path)
{
	struct oracle_header *h = &r->header;

	memset(r, 0, sizeof(*r));
	r->path = path;
	r->f = fopen(path, "rb");
	if (!r->f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return false;
	}
	if (fread(h, sizeof(*h), 1, r->f) != 1 || h->magic != ORACLE_FILE_MAGIC ||
	    h->version != ORACLE_FILE_VERSION || h->nr_sets != ORACLE_NR_SETS ||
	    h->max_pfn > 1ull << 32) {
		bad(r, "not an oracle file of this version");
		oracle_close(r);
		return false;
	}
	r->nr_words = (h->max_pfn + 63) / 64;
	for (int i = 0; i < ORACLE_NR_SETS; i++) {
		r->set[i] = calloc(r->nr_words, sizeof(uint64_t));
		if (!r->set[i]) {
			bad(r, "out of memory");
			oracle_close(r);
			return false;
		}
	}
	return true;
}

static int read_set(struct oracle_reader *r, uint64_t *set)
{
	struct oracle_run run;
	uint32_t nr_runs;

	memset(set, 0, r->nr_words * sizeof(*set));
	if (fread(&nr_runs, sizeof(nr_runs), 1, r->f) != 1)
		return bad(r, "truncated");
	while (nr_runs--) {
		if (fread(&run, sizeof(run), 1, r->f) != 1)
			return bad(r, "truncated");
		if ((uint64_t)run.first_word + run.nr_words > r->nr_words)
			return bad(r, "run outside of memory");
		if (fread(set + run.first_word, sizeof(*set), run.nr_words, r->f) != run.nr_words)
			return bad(r, "truncated");
	}
	return 0;
}

int oracle_next(struct oracle_reader *r)
{
	size_t n = fread(&r->interval, 1, sizeof(r->interval), r->f);

	if (!n)
		return 0;
	if (n != sizeof(r->interval))
		return bad(r, "truncated");
	if (r->interval.magic != ORACLE_INTERVAL_MAGIC)
		return bad(r, "no interval");
	for (int i = 0; i < ORACLE_NR_SETS; i++) {
		if (read_set(r, r->set[i]))
			return -1;
	}
	return 1;
}

void oracle_close(struct oracle_reader *r)
{
	for (int i = 0; i < ORACLE_NR_SETS; i++)
		free(r->set[i]);
	if (r->f)
		fclose(r->f);
}

void oracle_union(const struct oracle_reader *r, unsigned int mask, uint64_t *bitmap)
{
	for (int i = 0; i < ORACLE_NR_SETS; i++) {
		if (!(mask & (1u << i)))
			continue;
		for (size_t w = 0; w < r->nr_words; w++)
			bitmap[w] |= r->set[i][w];
	}
}
