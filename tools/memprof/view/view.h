/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/* The views: tables made of flows. */
#ifndef MEMPROF_VIEW_H
#define MEMPROF_VIEW_H

#include "lib/cells/cells.h"
#include "memprof/memprof.h"

/**
 * struct view_options - options of a view
 * @object: flow: of this object, else NO_NUMBER
 * @thread: flow: of this thread (its number), else NO_NUMBER
 * @site: objects: only those of sites with this in their name
 * @top: so many rows; 0: all
 * @instances: objects: a row per object, not per site
 * @all: count accesses that caches answered, too; lines: those of one thread, too
 * @summary: what was added up while the recording was read; NULL: its accesses are looked at
 */
struct view_options {
	uint32_t object, thread;
	const char *site;
	size_t top;
	bool instances, all;
	struct summary *summary;
};

#define NO_NUMBER	UINT32_MAX

/**
 * struct view - a way to look at a recording
 * @name: on the command line
 * @about: what it shows, for --help
 * @columns: its columns
 * @make: fills a table; returns 0, or -1 without memory
 * @plot: whether plots/memprof-NAME.gp draws it
 */
struct view {
	const char *name, *about;
	const struct columns *columns;
	int (*make)(struct memprof *m, const struct view_options *o, struct table *t);
	bool plot;
};

/* Their columns, beside each. */
extern const struct columns summary_columns, objects_columns, threads_columns, flow_columns,
	nodes_columns, lines_columns, findings_columns, levels_columns, latencies_columns;

/* Those of memprof report; those of memprof diagnose. */
extern const struct view views[], diagnosis_views[];
const struct view *view_find(const char *name);
const char *view_word(int n, const char **about);

int view_summary(struct memprof *m, const struct view_options *o, struct table *t);
int view_objects(struct memprof *m, const struct view_options *o, struct table *t);
int view_threads(struct memprof *m, const struct view_options *o, struct table *t);
int view_flow(struct memprof *m, const struct view_options *o, struct table *t);
int view_nodes(struct memprof *m, const struct view_options *o, struct table *t);
int view_lines(struct memprof *m, const struct view_options *o, struct table *t);
int view_findings(struct memprof *m, const struct view_options *o, struct table *t);
int view_levels(struct memprof *m, const struct view_options *o, struct table *t);
int view_latency(struct memprof *m, const struct view_options *o, struct table *t);

int flow_choose(struct memprof *m, struct view_options *o);

/**
 * struct counts - accesses, added up
 * @misses: of the L1, or of no known level; @levels: of a known one
 * @memory: that main memory answered; remote, and unknown, of these
 * @latencies: how many have one, and their sum
 */
struct counts {
	uint64_t all, memory, remote, no_node, reads, writes, hitm, misses, levels;
	uint64_t latencies, latency;
};

struct summary *summary_new(void);
void summary_add(const struct memprof_access *a, void *arg);

void counts_add(struct counts *c, const struct memprof_access *a);
struct cell counts_remote_pct(const struct counts *c);
struct cell counts_latency(const struct counts *c);

#endif
