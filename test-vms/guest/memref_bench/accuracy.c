// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_bench accuracy: share of the used pages that are found, and false positives;
 * hinting: the same by the hinting faults of NUMA balancing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* @peers: for those that sample over a time, too; they look at memory that stays mapped. */
struct cell {
	const char *name;
	struct work work;
	bool peers;
};

static const struct cell cells[] = {
	{ "read_16", { 16, 1, 2000, false, false, PLAIN }, false },
	{ "write_16", { 16, 1, 2000, true, false, PLAIN }, false },
	{ "read_256", { 256, 1, 500, false, false, PLAIN }, true },
	{ "write_256", { 256, 1, 500, true, false, PLAIN }, false },
	{ "read_4096", { 4096, 1, 50, false, false, PLAIN }, true },
	{ "write_4096", { 4096, 1, 50, true, false, PLAIN }, true },
	{ "read_65536", { 65536, 1, 4, false, false, PLAIN }, true },
	{ "write_65536", { 65536, 1, 4, true, false, PLAIN }, false },
	{ "read_sparse", { 65536, 128, 400, false, false, PLAIN }, true },
	{ "write_sparse", { 65536, 128, 400, true, false, PLAIN }, true },
	{ "fork_4096", { 4096, 1, 50, false, false, FORK }, false },
	{ "mprotect_4096", { 4096, 1, 50, true, false, MPROTECT }, false },
	{ "mapped_sparse", { FILE_PAGES, 32, 50, false, false, MAPPED }, false },
	{ "unmap_4096", { 4096, 1, 50, true, false, UNMAP }, false },
	{ "exit_4096", { 4096, 1, 50, true, false, EXIT }, false },
};

static const struct damon damons[] = {
	{ "damon", false, false }, { "damon_exact", false, true },
	{ "damon_paddr", true, false }, { "damon_paddr_exact", true, true },
};

static void score(const struct cell *c, const char *tool, const char *with, const struct found *f)
{
	unsigned long truth = 0, hit = 0, reported = 0;

	for (unsigned long i = 0; i < MAX_PAGES; i++) {
		bool used = i < c->work.nr_pages && i % c->work.stride == 0;

		truth += used;
		if (!f->has_pages)
			continue;
		reported += f->page[i];
		hit += used && f->page[i];
	}
	/* A number only: at best, its pages are the right ones. */
	if (!f->has_pages) {
		reported = f->pages;
		hit = reported < truth ? reported : truth;
	}
	printf("accuracy %s %s %s %.4f %.4f\n", c->name, tool, with, (double)hit / truth,
	       reported ? (double)hit / reported : 1.0);
	fflush(stdout);
}

/* Begin, let the target run, end: with the target as it comes. */
static void accuracy_cell(struct target *t, const struct cell *c, const char *with, bool flush)
{
	static struct found f;
	struct work w = c->work;

	w.flush = flush;
	look_at(t, w.how);
	/* The TLB has what the target uses, as in the middle of its work. */
	run(t, &w);

	put(TRACEFS "memref/children", "1");
	memref_on(t->pid);
	run(t, &c->work);
	memref_end(t, &f);
	run(t, &c->work);
	memref_end(t, &f);
	score(c, "memref", with, &f);
	memref_off();
	put(TRACEFS "memref/children", "0");

	run(t, &w);
	idle_begin(t);
	run(t, &w);
	idle_end(t, &f);
	score(c, "page_idle", with, &f);

	run(t, &w);
	refs_begin(t);
	run(t, &w);
	refs_end(t, &f);
	score(c, "clear_refs", with, &f);
}

static void accuracy_mglru(struct target *t, const struct cell *c, const char *with, bool flush)
{
	static struct found f;
	struct work w = c->work;

	w.flush = flush;
	look_at(t, w.how);
	mglru_on();
	run(t, &w);
	mglru_begin();
	run(t, &w);
	mglru_end(&f);
	mglru_off();
	score(c, "mglru", with, &f);
}

/* DAMON samples while the target runs. */
static void accuracy_damon(struct target *t, const struct cell *c, const char *with, bool flush,
			   const struct damon *d)
{
	const bool exact = d->exact;
	unsigned int sample_us = exact ? 500000 : 5000, aggr_us = exact ? 500000 : 100000;
	uint64_t ns = exact ? 2500000000ull : 800000000ull;
	static struct found f;
	struct work w = c->work;
	int tries = 20;

	w.flush = flush;
	look_at(t, w.how);
	damon_on(t, d, sample_us, aggr_us);
	/* On a slow machine an aggregation takes longer than it should. */
	do {
		uint64_t until = now() + ns;

		if (!tries--) {
			fprintf(stderr, "memref_bench: no whole aggregation of DAMON's in %.0f s\n",
				20 * ns / 1e9);
			exit(1);
		}
		put(TRACEFS "trace", "\n");
		put(TRACEFS "events/damon/damon_aggregated/enable", "1");
		while (now() < until)
			run(t, &w);
		put(TRACEFS "events/damon/damon_aggregated/enable", "0");
	} while (!damon_found(t, d, &f));
	damon_off();
	score(c, d->name, with, &f);
}

static void accuracy_peers(struct target *t, const struct cell *c, const char *with, bool flush)
{
	for (size_t k = 0; k < sizeof(damons) / sizeof(damons[0]); k++)
		accuracy_damon(t, c, with, flush, &damons[k]);
	accuracy_mglru(t, c, with, flush);
}

void accuracy(void)
{
	static struct target t;
	pid_t neighbor;

	start_target(&t);
	/* page_idle sees no page that still waits to be put on a list. */
	put("/proc/sys/vm/drop_caches", "1");
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		accuracy_cell(&t, &cells[i], "alone", false);
		accuracy_cell(&t, &cells[i], "flush", true);
		neighbor = start_neighbor();
		accuracy_cell(&t, &cells[i], "neighbor", false);
		stop(neighbor);
	}
	put(TRACEFS "buffer_size_kb", "16384");
	/* Anew: of memory that was forked, mprotect() changes no entry, and flushes nothing. */
	stop_target(&t);
	t.threads = true;
	start_target(&t);
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		if (!cells[i].peers)
			continue;
		accuracy_peers(&t, &cells[i], "alone", false);
		accuracy_peers(&t, &cells[i], "flush", true);
		neighbor = start_neighbor();
		accuracy_peers(&t, &cells[i], "neighbor", false);
		stop(neighbor);
	}
	stop_target(&t);
}

/*
 * The kernel asks a process once in a second of its time, about 256 MiB, and less and less often
 * when all of its memory is on the right node: so each set has a process of its own.
 */
static void accuracy_numab(const struct cell *c, const char *with, bool flush)
{
	static struct target t = { .threads = true };
	static struct found f;
	struct work w = c->work;
	uint64_t until;

	w.flush = flush;
	start_target(&t);
	numab_on();
	for (int interval = 0; interval < 2; interval++) {
		numab_begin();
		for (until = now() + 6000000000ull; now() < until;)
			run(&t, &w);
		numab_end(&t, &f);
	}
	numab_off();
	score(c, "numab", with, &f);
	stop_target(&t);
}

void hinting(void)
{
	pid_t neighbor;

	put(TRACEFS "buffer_size_kb", "16384");
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		if (!cells[i].peers)
			continue;
		accuracy_numab(&cells[i], "alone", false);
		accuracy_numab(&cells[i], "flush", true);
		neighbor = start_neighbor();
		accuracy_numab(&cells[i], "neighbor", false);
		stop(neighbor);
	}
}
