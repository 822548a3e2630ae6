/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* A recording and the results derived from it; only those that a view needs are computed. */
#ifndef DPROF_ANALYSIS_H
#define DPROF_ANALYSIS_H

#include "lib/options.h"
#include "classify.h"
#include "dprof/structs/types.h"

/* The results that a view needs; each includes the ones before it. */
enum need { NEED_MODEL, NEED_TRACES, NEED_SIM, NEED_VERDICTS };

/* How classify and paths group their rows. */
enum group_by { BY_TYPE, BY_FIELD, BY_IP };

#define MAX_FILES 64

/**
 * struct analysis - a recording, the options of its views and their results
 * @level: accesses that this level does not serve are misses
 * @geometry: of the cache of this level whose misses are classified
 * @type: show the types of this name only; NULL: all
 * @top: maximum number of types to show; 0: all
 * @by: how rows are grouped
 */
struct analysis {
	enum level level;
	struct geometry geometry;
	bool has_geometry;
	const char *type;
	uint32_t top;
	enum group_by by;
	uint64_t per_sample, seed;
	const char *btf[MAX_FILES], *dwarf[MAX_FILES], *kallsyms;
	int nr_btf, nr_dwarf;

	struct model m;
	struct layouts l;
	struct traces t;
	struct sim sim;
	struct sharing shared;
	struct residence residence;
	struct verdicts v;
	uint64_t *objects;		/* number of objects with samples, by type */
	bool *selected;			/* by type: those that @type names; NULL: all */
	struct dtype *only;		/* of them the one with the most histories, then samples */
	char doubt[512];		/* why the recording is not plausible, or "" */
};

/* Rows of a table of options: the misses that count, the cache, which samples and types. */
#define ANALYSIS_LEVEL_OPTION(a) \
	OPT_CALL(0, "level", "l1|l2|l3", analysis_level, a, \
		 "misses are accesses that this level does not serve (default l1)")

#define ANALYSIS_SIM_OPTIONS(a) \
	OPT_CALL(0, "cache", "SIZE:WAYS", analysis_cache, a, \
		 "the cache of each CPU to simulate, whose misses are classified (default by level: " \
		 "l1 32K:8, l2 512K:8, l3 8M:16 shared " \
		 "by all CPUs)"), \
	OPT_NUMBER(0, "per-sample", "N", &(a)->per_sample, 0, OPT_NUMBER_MAX, \
		   "accesses that a sample stands for (default: estimated)"), \
	OPT_NUMBER(0, "seed", "N", &(a)->seed, 0, OPT_NUMBER_MAX, \
		   "seed of the random numbers (default 1)")

#define ANALYSIS_SAMPLES_OPTIONS(a) \
	TIDS_OPTION(&(a)->m.filter.tasks, 0, "samples of these threads only, not of what they forked"), \
	OPT_RENAMED('p', "pid", "tid"), \
	OPT_CALL(0, "cpu", "LIST", analysis_cpu, a, "samples of these CPUs only: 0,4-7")

#define ANALYSIS_TYPES_OPTIONS(a) \
	OPT_TEXT(0, "type", "TYPE", &(a)->type, \
		 "show these types only: cache:function, or all of a cache or C struct"), \
	OPT_NUMBER('n', "top", "N", &(a)->top, 0, UINT32_MAX, \
		   "maximum number of types or rows (default 20; 0: all)")

/* Files that name types, fields and code. */
#define ANALYSIS_FILES_OPTIONS(a) \
	OPT_CALL(0, "btf", "FILE", analysis_btf, a, \
		 "BTF of the kernel, then of modules (default: that of --vmlinux); may be repeated"), \
	OPT_CALL(0, "vmlinux", "FILE", analysis_vmlinux, a, \
		 "vmlinux or module with DWARF; may be repeated"), \
	OPT_TEXT(0, "kallsyms", "FILE", &(a)->kallsyms, \
		 "a copy of the kernel's /proc/kallsyms, for perf.data (default: that of the running kernel, if " \
		 "it made the recording)")

int analysis_level(const struct opt *o, const char *value);
int analysis_cache(const struct opt *o, const char *value);
int analysis_cpu(const struct opt *o, const char *value);
int analysis_btf(const struct opt *o, const char *value);
int analysis_vmlinux(const struct opt *o, const char *value);
void analysis_init(struct analysis *a);
int analysis_load(struct analysis *a, const char *path, enum need need);
void analysis_free(struct analysis *a);
bool analysis_chooses(const struct analysis *a);
int analysis_matches(const struct analysis *a);
int analysis_matches_operand(const struct analysis *a, const char *path);
bool analysis_selects(const struct analysis *a, const struct dtype *t);
double analysis_objects(const struct analysis *a, const struct dtype *t);
const char *analysis_lacks_hits(const struct analysis *a);

#endif
