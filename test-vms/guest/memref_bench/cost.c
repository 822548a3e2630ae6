// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_bench cost: instructions for each page table entry in use.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

static const struct work all = { MAX_PAGES, 1, 1, false, true, PLAIN };

static void cost_memref(struct target *t, const char *name, const char *flush, const char *write)
{
	double insns[ROUNDS];

	put(TRACEFS "memref/flush", flush);
	put(TRACEFS "memref/write", write);
	memref_on(t->pid);
	for (int i = 0; i < ROUNDS; i++) {
		run(t, &(struct work){ MAX_PAGES, 1, 1, strcmp(write, "off"), true, PLAIN });
		put(TRACEFS "memref/scan", "1");
		insns[i] = scan_insns();
		if (last_scan("young") < MAX_PAGES)
			die("not all of the target was seen");
	}
	memref_off();
	result(median(insns, ROUNDS) / MAX_PAGES, "cost_%s", name);
}

/* A pass of DAMON's over all pages ends in a sleep. */
static void cost_damon(struct target *t, const struct damon *d)
{
	uint64_t busy, switches;
	char path[64];

	damon_on(t, d, 1000000, 1000000);
	snprintf(path, sizeof(path), "/proc/%d/schedstat", kdamond());
	sleep(3);
	busy = number_in(path, "");
	snprintf(path, sizeof(path), "/proc/%d/status", kdamond());
	switches = number_in(path, "voluntary_ctxt_switches:");
	sleep(10);
	switches = number_in(path, "voluntary_ctxt_switches:") - switches;
	snprintf(path, sizeof(path), "/proc/%d/schedstat", kdamond());
	busy = number_in(path, "") - busy;
	damon_off();
	if (!switches)
		die("DAMON did nothing");
	result((double)busy / switches / MAX_PAGES, "%s", d->name);
}

static void cost_mglru(struct target *t)
{
	double insns[ROUNDS];
	static struct found f;
	uint64_t begin;

	mglru_on();
	mglru_begin();
	for (int i = 0; i < ROUNDS; i++) {
		run(t, &all);
		begin = now();
		mglru_end(&f);
		insns[i] = now() - begin;
		if (f.pages < 0.99 * MAX_PAGES)
			die("the multi-gen LRU did not see all of the target");
	}
	mglru_off();
	result(median(insns, ROUNDS) / MAX_PAGES, "cost_mglru");
}

/* Of so many passes over the target, with what the kernel does meanwhile; mprotect() would undo it. */
static uint64_t passes(struct target *t, int n)
{
	const struct work w = { MAX_PAGES, 1, 1, false, false, PLAIN };
	uint64_t begin = now();

	while (n--)
		run(t, &w);
	return now() - begin;
}

/* A page is protected, faults, and is made accessible again, all in the target's time. */
static void cost_numab(void)
{
	static struct target t = { .threads = true };
	const int n = 4000;
	uint64_t with, without, faults;

	start_target(&t);
	passes(&t, n);
	without = passes(&t, n);
	numab_on();
	passes(&t, n);
	faults = number_in("/proc/vmstat", "numa_hint_faults ");
	with = passes(&t, n);
	faults = number_in("/proc/vmstat", "numa_hint_faults ") - faults;
	numab_off();
	stop_target(&t);
	if (faults < MAX_PAGES)
		die("NUMA balancing did not ask about all of the target");
	result(((double)with - without) / faults, "cost_numab");
}

void cost(void)
{
	static struct target t;
	double insns[ROUNDS], clear[ROUNDS];
	uint64_t begin;
	static struct found f;

	start_target(&t);
	cost_memref(&t, "memref", "1", "off");
	cost_memref(&t, "memref_exact", "2", "off");
	cost_memref(&t, "memref_write", "1", "anon");
	for (int i = 0; i < ROUNDS; i++) {
		begin = now();
		refs_begin(&t);
		clear[i] = now() - begin;
		run(&t, &all);
		begin = now();
		refs_end(&t, &f);
		insns[i] = now() - begin + clear[i];
		if (f.pages < MAX_PAGES)
			die("clear_refs did not see all of the target");
	}
	result(median(insns, ROUNDS) / MAX_PAGES, "cost_clear_refs");
	for (int i = 0; i < ROUNDS; i++) {
		begin = now();
		idle_begin(&t);
		clear[i] = now() - begin;
		run(&t, &all);
		begin = now();
		idle_end(&t, &f);
		insns[i] = now() - begin + clear[i];
	}
	result(median(insns, ROUNDS) / MAX_PAGES, "cost_page_idle");

	/* By default, of a sample; an aggregation has 20. */
	cost_damon(&t, &(struct damon){ "cost_damon_sample", false, false });
	cost_damon(&t, &(struct damon){ "cost_damon_paddr_sample", true, false });
	cost_damon(&t, &(struct damon){ "cost_damon_exact", false, true });
	cost_damon(&t, &(struct damon){ "cost_damon_paddr_exact", true, true });
	cost_mglru(&t);
	stop_target(&t);
	cost_numab();
}
