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

	cost_damon(&t, &(struct damon){ "cost_damon_exact", false, true });
	cost_damon(&t, &(struct damon){ "cost_damon_paddr_exact", true, true });
}
