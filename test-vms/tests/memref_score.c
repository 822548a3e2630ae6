// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memref-score ORACLE-FILE ACCURACY-FILE: compares what memref reported with
 * what the oracle saw, per cell.  One tab-separated line a cell, a header first.
 *
 * For the harvest n, what was accessed between the end of harvest n-1 and the
 * beginning of harvest n must be reported (recall); what is reported must have
 * been accessed between the beginning of harvest n-1 and the end of harvest n
 * (precision), because a harvest takes time.
 *
 * User pages are compared page by page.  The kernel's leaves cover 2 MiB: a
 * block of 2 MiB that was accessed is recalled if all of its accessed pages
 * are reported; a block reported whole is right if any page was accessed, of
 * one reported in part every reported page must have been.
 */
#include <stdlib.h>
#include <string.h>

#include "../guest/accuracy.h"
#include "../oracle/file.h"

#define BLOCK_WORDS 8		/* 512 pages, 2 MiB */
#define MAX_CELLS 256

/* Through user page tables' entries. */
#define USER_WRITES ((1 << ORACLE_USER_WRITE) | (1 << ORACLE_COPY_WRITE))

struct score {
	uint64_t truth, found;		/* must be reported; and were */
	uint64_t reported, right;	/* were reported; and accessed */
};

struct cell {
	char name[56];
	unsigned int scans;
	struct score user, kernel, written;
};

static struct cell cells[MAX_CELLS];
static size_t nr_cells, nr_words;

/* Truth around one harvest, by class: must be reported, may be reported. */
struct window {
	uint64_t *must, *may;
};

static void die(const char *what)
{
	fprintf(stderr, "memref-score: %s\n", what);
	exit(1);
}

static uint64_t *new_bitmap(void)
{
	uint64_t *b = calloc(nr_words, sizeof(*b));

	if (!b)
		die("out of memory");
	return b;
}

static void clear(uint64_t *b)
{
	memset(b, 0, nr_words * sizeof(*b));
}

static void score_pages(struct score *s, const struct window *w, const uint64_t *got)
{
	for (size_t i = 0; i < nr_words; i++) {
		s->truth += __builtin_popcountll(w->must[i]);
		s->found += __builtin_popcountll(w->must[i] & got[i]);
		s->reported += __builtin_popcountll(got[i]);
		s->right += __builtin_popcountll(got[i] & w->may[i]);
	}
}

static void score_blocks(struct score *s, const struct window *w, const uint64_t *got)
{
	for (size_t i = 0; i + BLOCK_WORDS <= nr_words; i += BLOCK_WORDS) {
		bool must = false, missed = false, may = false, any = false, whole = true;
		bool wrong = false;

		for (size_t j = i; j < i + BLOCK_WORDS; j++) {
			must |= w->must[j] != 0;
			missed |= (w->must[j] & ~got[j]) != 0;
			may |= w->may[j] != 0;
			any |= got[j] != 0;
			whole &= got[j] == UINT64_MAX;
			wrong |= (got[j] & ~w->may[j]) != 0;
		}
		s->truth += must;
		s->found += must && !missed;
		s->reported += any;
		s->right += any && (whole ? may : !wrong);
	}
}

/* With VERBOSE set: the pages that make the score less than perfect. */
static void explain(const char *cell, const char *class, const struct window *w,
		    const uint64_t *got)
{
	for (size_t i = 0; i < nr_words; i++) {
		for (int b = 0; b < 64; b++) {
			uint64_t bit = 1ull << b;

			if (w->must[i] & ~got[i] & bit)
				fprintf(stderr, "%s: %s: frame %zu missed\n", cell, class,
					i * 64 + b);
			if (got[i] & ~w->may[i] & bit && !strcmp(class, "user"))
				fprintf(stderr, "%s: %s: frame %zu not accessed\n", cell, class,
					i * 64 + b);
		}
	}
}

static struct cell *find_cell(const char *name)
{
	for (size_t i = 0; i < nr_cells; i++) {
		if (!strcmp(cells[i].name, name))
			return &cells[i];
	}
	if (nr_cells == MAX_CELLS)
		die("too many cells");
	snprintf(cells[nr_cells].name, sizeof(cells[0].name), "%s", name);
	return &cells[nr_cells++];
}

static uint64_t *read_bitmap(FILE *f, uint64_t *b, size_t words)
{
	clear(b);
	if (words > nr_words || fread(b, sizeof(*b), words, f) != words)
		die("the guest's file is cut off");
	return b;
}

static void score_scan(FILE *f, size_t words, const struct window *user,
		       const struct window *kernel, const struct window *written, bool complete)
{
	static uint64_t *got_user, *got_kernel, *got_cache, *got_written;
	struct accuracy_scan scan;
	struct cell *c;

	if (!got_user) {
		got_user = new_bitmap();
		got_kernel = new_bitmap();
		got_cache = new_bitmap();
		got_written = new_bitmap();
	}
	if (fread(&scan, sizeof(scan), 1, f) != 1)
		die("the guest's file has less harvests than the oracle saw");
	scan.cell[sizeof(scan.cell) - 1] = '\0';
	read_bitmap(f, got_user, words);
	read_bitmap(f, got_kernel, words);
	read_bitmap(f, got_cache, words);
	read_bitmap(f, got_written, words);
	if (!scan.scored)
		return;
	if (!complete)
		die("a scored harvest without one before it");
	/* read() and write() also touch the kernel's map: the kernel's leaf
	 * and the file's page are both right.
	 */
	for (size_t i = 0; i < nr_words; i++)
		got_kernel[i] |= got_cache[i];
	c = find_cell(scan.cell);
	c->scans++;
	score_pages(&c->user, user, got_user);
	if (scan.writes) {
		score_pages(&c->written, written, got_written);
		return;
	}
	score_blocks(&c->kernel, kernel, got_kernel);
	if (getenv("VERBOSE") && scan.flush) {
		explain(scan.cell, "user", user, got_user);
		explain(scan.cell, "kernel", kernel, got_kernel);
	}
}

static double ratio(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / whole : 1;
}

int main(int argc, char **argv)
{
	struct window user, kernel, written;
	struct accuracy_header header;
	struct oracle_reader r;
	bool complete = false;
	FILE *f;
	int ret;

	if (argc != 3)
		die("usage: memref-score ORACLE-FILE ACCURACY-FILE");
	if (!oracle_open(&r, argv[1]))
		return 1;
	f = fopen(argv[2], "rb");
	if (!f || fread(&header, sizeof(header), 1, f) != 1 || header.magic != ACCURACY_MAGIC)
		die("no accuracy file");
	nr_words = r.nr_words > header.nr_words ? r.nr_words : header.nr_words;
	nr_words = (nr_words + BLOCK_WORDS - 1) / BLOCK_WORDS * BLOCK_WORDS;
	user = (struct window){ new_bitmap(), new_bitmap() };
	kernel = (struct window){ new_bitmap(), new_bitmap() };
	written = (struct window){ new_bitmap(), new_bitmap() };

	while ((ret = oracle_next(&r)) > 0) {
		bool harvest = r.interval.begin_code == MARK_SCAN_BEGIN;

		oracle_union(&r, ORACLE_SETS_USER_VA, user.may);
		oracle_union(&r, ORACLE_SETS_KERNEL_VA, kernel.may);
		oracle_union(&r, USER_WRITES, written.may);
		if (!harvest) {
			oracle_union(&r, ORACLE_SETS_USER_VA, user.must);
			oracle_union(&r, ORACLE_SETS_KERNEL_VA, kernel.must);
			oracle_union(&r, USER_WRITES, written.must);
			continue;
		}
		score_scan(f, header.nr_words, &user, &kernel, &written, complete);
		/* What this harvest's time saw may still be reported next time. */
		clear(user.must);
		clear(kernel.must);
		clear(user.may);
		clear(kernel.may);
		clear(written.must);
		clear(written.may);
		oracle_union(&r, USER_WRITES, written.may);
		oracle_union(&r, ORACLE_SETS_USER_VA, user.may);
		oracle_union(&r, ORACLE_SETS_KERNEL_VA, kernel.may);
		complete = true;
	}
	if (ret < 0)
		return 1;
	puts("cell\tintervals\tuser_pages\tuser_recall\tuser_precision\tkernel_blocks\t"
	     "kernel_recall\tkernel_precision\twritten_pages\twrite_recall\twrite_precision");
	for (size_t i = 0; i < nr_cells; i++) {
		const struct cell *c = &cells[i];

		printf("%s\t%u\t%llu\t%.6f\t%.6f\t%llu\t%.6f\t%.6f\t%llu\t%.6f\t%.6f\n", c->name, c->scans,
		       (unsigned long long)c->user.truth / c->scans,
		       ratio(c->user.found, c->user.truth),
		       ratio(c->user.right, c->user.reported),
		       (unsigned long long)c->kernel.truth / c->scans,
		       ratio(c->kernel.found, c->kernel.truth),
		       ratio(c->kernel.right, c->kernel.reported),
		       (unsigned long long)c->written.truth / c->scans,
		       ratio(c->written.found, c->written.truth),
		       ratio(c->written.right, c->written.reported));
	}
	return 0;
}
