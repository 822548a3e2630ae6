// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* pagealloc verify, repair: check pages against their hints, and move those that differ. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

static const struct columns verify_columns = COLUMNS(
	{ "start", CELL_TEXT, 0, "", "first address of the mapping; all: the sum" },
	{ "end", CELL_TEXT, 0, "", "address behind it", "of the sum" },
	{ "present", CELL_INT, 0, "pages", "pages in memory" },
	{ "hinted", CELL_INT, 0, "pages", "of these, pages that a hint applies to" },
	{ "placed", CELL_INT, 0, "pages",
	  "of these, pages for which the hint names a color or frame" },
	{ "hits", CELL_INT, 0, "pages",
	  "of these, pages that have it", "the user may not know it (CAP_SYS_NICE)" },
	{ "hit_pct", CELL_REAL, 2, "%", "hits, of placed", "as hits, or placed is 0" },
	{ "mapping", CELL_TEXT, 0, "", "file or name of the mapping", "it has none" },
);

static int add_counts(struct table *table, const char *start, const char *end,
		      const struct pagealloc_counts *n, int known, const char *name)
{
	return table_add(table, (struct cell[]){
		TEXT_CELL(start), end ? TEXT_CELL(end) : NONE_CELL, INT_CELL(n->present),
		INT_CELL(n->hinted), INT_CELL(n->placed), known ? INT_CELL(n->hits) : NONE_CELL,
		known && n->placed ? REAL_CELL(100.0 * n->hits / n->placed) : NONE_CELL,
		*name ? TEXT_CELL(name) : NONE_CELL });
}

/* Whether the kernel reports hits to this user: the first present page shows it. */
static int hits_known(struct target *t)
{
	struct page_hints_page pages[64];
	uint64_t start, before;
	ssize_t nr, j;
	size_t i;

	for (i = 0; i < t->nr_ranges; i++) {
		const struct range *r = &t->ranges[i];

		for (start = before = r->start; start < r->end; before = start) {
			nr = pagealloc_query(t->handle, &start, r->end, pages, NULL, 64);
			if (nr < 0 || start == before)
				break;
			for (j = 0; j < nr; j++)
				if (pages[j].flags & PAGE_HINTS_PRESENT)
					return !!(pages[j].flags & PAGE_HINTS_COLOR);
		}
	}
	return 0;
}

static int verify(struct target *t, struct table *table)
{
	struct pagealloc_counts sum = { };
	int known = hits_known(t);
	size_t i;

	for (i = 0; i < t->nr_ranges; i++) {
		const struct range *r = &t->ranges[i];
		struct pagealloc_counts n;
		char start[24], end[24];
		int ret = pagealloc_verify(t->handle, r->start, r->end, &n);

		if (ret < 0)
			return ret;
		sum.present += n.present;
		sum.hinted += n.hinted;
		sum.placed += n.placed;
		sum.hits += n.hits;
		if (!n.hinted)
			continue;
		snprintf(start, sizeof(start), "0x%llx", (unsigned long long)r->start);
		snprintf(end, sizeof(end), "0x%llx", (unsigned long long)r->end);
		if (add_counts(table, start, end, &n, known, r->name))
			return -ENOMEM;
	}
	return add_counts(table, "all", NULL, &sum, known, "") ? -ENOMEM : 0;
}

static int compare(struct target *t, const char *path, int exact, int list, struct table *table)
{
	struct pagealloc_layout *layout;
	int ret = layout_load(path, &layout);

	if (ret)
		return ret;
	ret = layout_compare(path, layout, t->handle, exact, list, table);
	pagealloc_layout_free(layout);
	return ret;
}

static const struct verb_usage verify_usage = {
	.command = "pagealloc verify", .operands = "PID [RANGE...] [options]",
	.about = "Count the pages of a process that match their hints, per mapping with hinted pages and in total; "
		 "or, with --against, the pages that match a recorded layout." RANGE_HELP,
	.min = 1, .max = -1,
};

int cmd_verify(int argc, char **argv)
{
	bool exact = false, list = false;
	const char *against = NULL;
	struct output out = { };
	const struct opt options[] = {
		OPT_TEXT(0, "against", "FILE", &against, "compare with a layout from pagealloc record"),
		OPT_FLAG(0, "exact", &exact, "compare frames, not colors"),
		OPT_FLAG(0, "list", &list, "list each page that differs, and why"),
		OUTPUT_OPTIONS(&out), { }
	};
	struct table table;
	struct target t;
	int ret, skip;

	skip = options_parse(&verify_usage, options, argc, argv);
	argc -= skip;
	argv += skip;
	if (out.explain)
		return output_explain(&out, !against ? &verify_columns : list ? &list_columns : &compare_columns);
	if (against && argc > 1)
		return options_wrong(&verify_usage, "--against compares the whole process: leave out the range");
	if (!against && (exact || list))
		return options_wrong(&verify_usage, "%s: only with --against", exact ? "--exact" : "--list");
	table_init_columns(&table, &verify_columns);
	ret = target_open(&t, argv[0], PAGEALLOC_READ_ONLY);
	if (!ret && against)
		ret = compare(&t, against, exact, list, &table);
	else if (!ret)
		ret = target_ranges(&t, argv + 1, argc - 1,
				    ALL_MAPPINGS | MAPPINGS_OF_RANGE);
	if (!ret && !against) {
		ret = verify(&t, &table);
		if (ret < 0)
			ret = complain_about(ret, argv[0]);
	}
	if (ret)
		table_free(&table);
	else
		ret = output_table(&out, &table, 0);
	target_close(&t);
	return ret;
}

/* Statuses of a page after a remap. */
static const struct { int status; const char *name, *about; } outcomes[] = {
	{ 1, "moved", "to their place" },
	{ 0, "there", "were there already" },
	{ -ENODATA, "no_place", "no hint, or it names no place" },
	{ -ENOENT, "absent", "not present" },
	{ -EBUSY, "busy", "pinned or in use" },
	{ -EACCES, "shared", "mapped by another process too (--shared)" },
	{ -EADDRNOTAVAIL, "no_frame", "nothing free at their place" },
	{ -EOPNOTSUPP, "not_movable", "of a device or of hugetlb" },
};

#define NR_OUTCOMES (sizeof(outcomes) / sizeof(outcomes[0]))
#define REMAP_PAGES 16384

static int repair_range(struct target *t, const struct range *r, unsigned int flags,
			int32_t *status, uint64_t *counts)
{
	uint64_t page = sysconf(_SC_PAGESIZE), start, end;

	for (start = r->start; start < r->end; start = end) {
		size_t nr, i, o;
		int ret;

		end = r->end - start > REMAP_PAGES * page ? start + REMAP_PAGES * page : r->end;
		nr = (end - start) / page;
		ret = pagealloc_remap(t->handle, start, end, flags, status, NULL);
		if (ret < 0)
			return ret;
		for (i = 0; i < nr; i++) {
			for (o = 0; o < NR_OUTCOMES && outcomes[o].status != status[i]; o++)
				;
			counts[o]++;
		}
	}
	return 0;
}

static int add_outcomes(const uint64_t *counts, struct table *table)
{
	size_t i;

	for (i = 0; i <= NR_OUTCOMES; i++) {
		const char *name = i < NR_OUTCOMES ? outcomes[i].name : "other";
		const char *about = i < NR_OUTCOMES ? outcomes[i].about : "another error";

		if (table_add(table, (struct cell[]){ TEXT_CELL(name), INT_CELL(counts[i]),
						      TEXT_CELL(about) }))
			return -ENOMEM;
	}
	return 0;
}

static int repair(struct target *t, unsigned int flags, uint64_t *counts)
{
	int32_t *status = malloc(REMAP_PAGES * sizeof(*status));
	int ret = status ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; i < t->nr_ranges && !ret; i++) {
		const struct range *r = &t->ranges[i];
		struct pagealloc_counts n;

		/* Skip mappings without hints: walking large ones would take long. */
		ret = pagealloc_verify(t->handle, r->start, r->end, &n);
		if (!ret && n.hinted)
			ret = repair_range(t, r, flags, status, counts);
	}
	free(status);
	return ret;
}

/* ---- repair --watch ---- */

/* Limits of the CPU time used, and of the back-off in multiples of the interval. */
#define WATCH_SHARE	0.05
#define WATCH_PATIENCE	16

static volatile sig_atomic_t watch_ends;

static void end_watch(int sig)
{
	(void)sig;
	watch_ends = 1;
}

static double seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Sleep; a signal ends the sleep early. */
static void watch_sleep(double seconds)
{
	struct timespec t = { (time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9) };

	if (!watch_ends)
		nanosleep(&t, NULL);
}

/* Move misplaced pages of the ranges; @missing: set to their number; add outcomes to @counts. */
static int watch_ranges(struct target *t, unsigned int flags, uint64_t *missing, uint64_t *counts)
{
	int32_t *status = malloc(REMAP_PAGES * sizeof(*status));
	int ret = status ? 0 : -ENOMEM;
	size_t i;

	*missing = 0;
	for (i = 0; i < t->nr_ranges && !ret && !watch_ends; i++) {
		const struct range *r = &t->ranges[i];
		struct pagealloc_counts n;

		ret = pagealloc_verify(t->handle, r->start, r->end, &n);
		/* All pages match: nothing to move. */
		if (ret || n.placed == n.hits)
			continue;
		*missing += n.placed - n.hits;
		ret = repair_range(t, r, flags, status, counts);
	}
	free(status);
	return ret;
}

static int watch_round(const char *pid, char **words, int nr, unsigned int flags,
		       uint64_t *missing, uint64_t *counts)
{
	struct target t;
	int ret = target_open(&t, pid, 0);

	if (!ret)
		ret = target_ranges(&t, words, nr, ALL_MAPPINGS | MAPPINGS_OF_RANGE);
	if (!ret && !hits_known(&t))
		ret = complain(FAILED, "%s: --watch needs permission to set hints", pid);
	if (!ret) {
		ret = watch_ranges(&t, flags, missing, counts);
		/* The process has exited, or executed another program. */
		if (ret == -ESRCH)
			watch_ends = 1;
		ret = ret == -ESRCH ? OK : ret < 0 ? complain_about(ret, pid) : ret;
	}
	target_close(&t);
	return ret;
}

static int process_is_there(const char *pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%.20s/page_hints", pid);
	return !access(path, F_OK);
}

/* Whether it has exited; its parent may not have waited for it yet. */
static bool process_has_ended(const char *pid)
{
	unsigned long pages = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/statm", pid);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT;
	if (fscanf(f, "%lu", &pages) != 1)
		pages = 0;
	fclose(f);
	return !pages;
}

/* Repair periodically until the process ends, or SIGINT or SIGTERM arrives. */
static int watch_repair(const char *pid, char **words, int nr, unsigned int flags,
			double interval, uint64_t *counts)
{
	double start = seconds_of(CLOCK_MONOTONIC), wait = interval;
	struct sigaction end = { .sa_handler = end_watch };
	bool begun = false;
	int ret = OK;

	sigaction(SIGINT, &end, NULL);
	sigaction(SIGTERM, &end, NULL);
	while (!ret && !watch_ends && process_is_there(pid)) {
		double used = seconds_of(CLOCK_PROCESS_CPUTIME_ID), rest;
		uint64_t missing = 0, moved = counts[0];

		ret = watch_round(pid, words, nr, flags, &missing, counts);
		begun |= !ret;
		moved = counts[0] - moved;
		if (missing) {
			inform("%.1f s: %" PRIu64 " pages were not in place, %" PRIu64 " moved",
			       seconds_of(CLOCK_MONOTONIC) - start, missing, moved);
		}
		/* Back off while no page can be moved. */
		wait = !missing || moved ? interval : wait * 2;
		if (wait > interval * WATCH_PATIENCE)
			wait = interval * WATCH_PATIENCE;
		used = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - used;
		rest = used / WATCH_SHARE - used;
		if (!ret)
			watch_sleep(rest > wait ? rest : wait);
	}
	/* It is no failure if the process ended meanwhile. */
	return ret && begun && process_has_ended(pid) ? OK : ret;
}

static const struct verb_usage repair_usage = {
	.command = "pagealloc repair", .operands = "PID [RANGE...] [options]",
	.about = "Migrate the pages of a process that do not match their hints, and count the outcomes in mappings "
		 "with hints." RANGE_HELP,
	.min = 1, .max = -1,
};

/* Options that set a flag of the remap. */
static int set_flag(const struct opt *o, const char *value)
{
	(void)value;
	*(unsigned int *)o->to |= strcmp(o->name, "evict") ? PAGE_HINTS_REMAP_SHARED : PAGE_HINTS_REMAP_EVICT;
	return OK;
}

static const struct columns repair_columns = COLUMNS(
	{ "outcome", CELL_TEXT, 0, "", "what became of the pages" },
	{ "pages", CELL_INT, 0, "pages", "number of such pages" },
	{ "about", CELL_TEXT, 0, "", "explanation" },
);

int cmd_repair(int argc, char **argv)
{
	uint64_t counts[NR_OUTCOMES + 1] = { };
	struct target t = { };
	unsigned int flags = 0;
	struct output out = { };
	double interval = 0;
	const struct opt options[] = {
		OPT_TIME(0, "watch", "TIME", &interval, "s", 0.01, 86400,
			 "repeat at this interval (seconds without unit) until the process ends or Ctrl-C; uses at "
			 "most 5 % of a CPU"),
		OPT_CALL(0, "shared", NULL, set_flag, &flags, "also move pages that other processes map (CAP_SYS_NICE)"),
		OPT_CALL(0, "evict", NULL, set_flag, &flags, "exact: migrate the pages that occupy the frames"),
		QUIET_OPTION,
		OUTPUT_OPTIONS(&out), { }
	};
	struct table table;
	int ret, skip;

	skip = options_parse(&repair_usage, options, argc, argv);
	if (out.explain)
		return output_explain(&out, &repair_columns);
	argc -= skip;
	argv += skip;
	table_init_columns(&table, &repair_columns);
	ret = target_open(&t, argv[0], 0);
	if (!ret && interval > 0)
		ret = watch_repair(argv[0], argv + 1, argc - 1, flags,
				   interval, counts);
	else if (!ret)
		ret = target_ranges(&t, argv + 1, argc - 1,
				    ALL_MAPPINGS | MAPPINGS_OF_RANGE);
	if (!ret && !(interval > 0)) {
		ret = repair(&t, flags, counts);
		if (ret < 0)
			ret = complain_about(ret, argv[0]);
	}
	if (!ret && add_outcomes(counts, &table))
		ret = complain(FAILED, "no memory left");
	if (ret)
		table_free(&table);
	else
		ret = output_table(&out, &table, 0);
	target_close(&t);
	return ret;
}
