/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Options that verbs share: which part of a recording, what of a view. */
#ifndef MEMPROF_OPTIONS_H
#define MEMPROF_OPTIONS_H

#include "lib/options.h"
#include "lib/record/pids.h"
#include "lib/perf/plausible.h"
#include "memprof/view/view.h"

#define MAX_WRAPPERS	256

/* Functions that allocate for others, up to a NULL. */
struct wrapper_names {
	const char *names[MAX_WRAPPERS + 1];
	size_t nr;
};

struct common {
	struct memprof_options what;
	struct pids pids, tids;
	struct wrapper_names wrappers;
	struct view_options view;
	struct plausible plausible;
	char doubt[512];
};

#define COMMON_DEFAULT	{ .what = { .size = sizeof(struct memprof_options) }, \
			  .view = { .object = NO_NUMBER, .thread = NO_NUMBER } }

#define WRAPPER_OPTION(w) \
	OPT_CALL(0, "wrapper", "NAME|@FILE", common_wrapper, w, \
		 "name objects that NAME() allocates after its caller; '*' matches any text, a name with .so in " \
		 "it is that of a library; @FILE: a file of names, one per line; may be repeated")

/* Rows of a table of options: which accesses, and how they are read. */
#define PART_OPTIONS(c) \
	OPT_CALL(0, "from", "TIME", common_time, &(c)->what.from_ns, \
		 "only accesses after this time of the recording (5s, 300ms; seconds without unit)"), \
	OPT_CALL(0, "until", "TIME", common_time, &(c)->what.to_ns, \
		 "only accesses before this time (seconds without unit)"), \
	PIDS_OPTION('p', &(c)->pids, 0, "accesses of these processes only, not of those that they forked"), \
	TIDS_OPTION(&(c)->tids, 0, "accesses of these threads only, not of those that they started"), \
	OPT_TEXT(0, "symfs", "DIR", &(c)->what.symbols, "directory that has the recorded machine's files"), \
	OPT_SIZE(0, "memory", "SIZE", &(c)->what.memory, 1, OPT_NUMBER_MAX, \
		 "maximum memory to use; data beyond it go to files in $TMPDIR or /var/tmp (default: " \
		 "a quarter of the machine's)"), \
	WRAPPER_OPTION(&(c)->wrappers)

/* And what of a view: see common_only[]. */
#define COMMON_OPTIONS(c) \
	PART_OPTIONS(c), \
	OPT_RENAMED(0, "to", "until"), \
	OPT_NUMBER(0, "object", "NUMBER", &(c)->view.object, 0, NO_NUMBER - 1, "only this object, by its number in the view objects"), \
	OPT_NUMBER(0, "thread", "NUMBER", &(c)->view.thread, 0, NO_NUMBER - 1, "only this thread, by its number in the view threads"), \
	OPT_TEXT(0, "site", "TEXT", &(c)->view.site, "only those with TEXT in their site"), \
	OPT_FLAG(0, "instances", &(c)->view.instances, "a row per object, not per site"), \
	OPT_NUMBER('n', "top", "N", &(c)->view.top, 0, OPT_NUMBER_MAX, "the first N rows; 0: all"), \
	OPT_FLAG(0, "all", &(c)->view.all, "also accesses that caches served; for lines, also lines that one " \
		 "thread accesses")

extern const struct opt_only common_only[];

int common_wrapper(const struct opt *o, const char *value);
int common_time(const struct opt *o, const char *value);
struct memprof_options common_what(const struct common *c);
struct memprof *common_open(const char *path, const struct common *c, int *damaged);
int common_check(const struct memprof *m, const struct common *c);
int common_matches(const struct memprof *m, const struct common *c, size_t rows);
void common_doubt_add(struct common *c, const struct memprof_access *a);
void common_doubt(const struct memprof *m, const char *path, struct common *c);
int common_check_options(const struct common *c);
int unnamed_file(void);

#endif
