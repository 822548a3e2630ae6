/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The lines that CPUs use, and how many of the samples in them begin a visit: see visits.c. */
#ifndef DPROF_VISITS_H
#define DPROF_VISITS_H

#include "dprof/model/model.h"

/**
 * struct type_line - a type's lines that begin at an offset of its objects
 * @samples: in all objects
 * @visits: of these, as many as begin a visit
 * @coherent: misses that other CPUs caused
 */
struct type_line {
	struct { int64_t offset; uint32_t type, padding; } key;
	uint64_t samples, visits, coherent;
	UT_hash_handle hh;
};

/**
 * struct used_line - a line that a CPU uses
 * @first, @end: its uses, one for each object in it
 * @type: the one with the most samples
 * @n: its samples
 * @visits: these, but for those of the same visit
 * @written: the share of visits before which another CPU wrote the line
 */
struct used_line {
	size_t first, end;
	uint32_t type;
	uint64_t n;
	double visits, written;
};

/**
 * struct visits - the lines that CPUs use
 * @level: of the cache whose misses count
 * @type_lines: hash
 * @use: the samples, sorted by CPU and line
 * @line: the lines that are used, sorted by CPU and type
 */
struct visits {
	const struct model *m;
	enum level level;
	struct type_line *type_lines;
	struct use **use;
	size_t nr_uses;
	struct used_line *line;
	size_t nr_lines;
};

int visits_find(struct visits *v, const struct model *m, enum level level);
int64_t visits_line_offset(const struct use *u);
void visits_free(struct visits *v);

#endif
