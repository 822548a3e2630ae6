/* SPDX-License-Identifier: GPL-2.0 */
/* A recording, and what is worked out of it for views: only what a view needs. */
#ifndef DPROF_ANALYSIS_H
#define DPROF_ANALYSIS_H

#include "classify.h"
#include "dprof/structs/types.h"

/* What a view needs; each has what stands before it. */
enum need { NEED_MODEL, NEED_TRACES, NEED_SIM, NEED_VERDICTS };

/* How misses and fields are added up. */
enum group_by { BY_TYPE, BY_FIELD, BY_IP };

#define MAX_FILES 64

/**
 * struct analysis - a recording being looked at
 * @level: misses are accesses that this level had not; the simulated cache is one
 *	of its kind
 * @geometry: of the simulated cache
 * @type: only this type; NULL all
 * @top: so many rows of types; 0 all
 * @by: how misses are added up
 */
struct analysis {
	enum level level;
	struct geometry geometry;
	bool has_geometry;
	const char *type;
	uint32_t top;
	enum group_by by;
	uint64_t per_sample, seed;
	const char *btf[MAX_FILES], *dwarf[MAX_FILES];
	int nr_btf, nr_dwarf;

	struct model m;
	struct layouts l;
	struct traces t;
	struct sim sim;
	struct sharing shared;
	struct verdicts v;
	uint64_t *objects;		/* that samples saw, by type */
	struct dtype *only;		/* what @type is */
};

enum {
	OPTION_LEVEL = 256, OPTION_CACHE, OPTION_TYPE, OPTION_TOP, OPTION_BY, OPTION_PER_SAMPLE,
	OPTION_SEED, OPTION_BTF, OPTION_VMLINUX
};

#define ANALYSIS_OPTIONS \
	{ "level", 1, NULL, OPTION_LEVEL }, { "cache", 1, NULL, OPTION_CACHE }, \
	{ "type", 1, NULL, OPTION_TYPE }, { "top", 1, NULL, OPTION_TOP }, \
	{ "by", 1, NULL, OPTION_BY }, { "per-sample", 1, NULL, OPTION_PER_SAMPLE }, \
	{ "seed", 1, NULL, OPTION_SEED }, { "btf", 1, NULL, OPTION_BTF }, \
	{ "vmlinux", 1, NULL, OPTION_VMLINUX }

extern const char analysis_usage[];

void analysis_init(struct analysis *a);
int analysis_option(struct analysis *a, int option, const char *value);
int analysis_load(struct analysis *a, const char *path, enum need need);
void analysis_free(struct analysis *a);
bool analysis_wants(const struct analysis *a, const struct dtype *t);
double analysis_objects(const struct analysis *a, const struct dtype *t);

#endif
