/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Profiles for pprof: samples added up by their stack and labels. */
#ifndef MEMSCOPE_PPROF_H
#define MEMSCOPE_PPROF_H

#include <stdint.h>
#include <stdio.h>

#define PPROF_MAX_VALUES	4
#define PPROF_MAX_LABELS	8
#define PPROF_MAX_DEPTH		256

struct pprof;

/* A value of each sample: what it counts, and in which unit. */
struct pprof_type {
	const char *type, *unit;
};

/* A label with its text; NULL: the sample lacks it. */
struct pprof_label {
	const char *key, *text;
};

/**
 * struct pprof_frame - a frame of a stack
 * @function: its name
 * @file: source file; NULL or "": not known
 * @line: in @file; 0: not known
 */
struct pprof_frame {
	const char *function, *file;
	unsigned int line;
};

/**
 * struct pprof_sample - a sample
 * @frames: its stack, the leaf first
 * @depth: number of frames; the ones beyond PPROF_MAX_DEPTH are left out
 * @labels: its labels
 * @nr_labels: their number
 * @values: one for each type of the profile
 */
struct pprof_sample {
	const struct pprof_frame *frames;
	unsigned int depth;
	const struct pprof_label *labels;
	unsigned int nr_labels;
	const int64_t *values;
};

struct pprof *pprof_new(const struct pprof_type *types, unsigned int nr);
void pprof_add(struct pprof *p, const struct pprof_sample *s);
void pprof_times(struct pprof *p, uint64_t begin_ns, uint64_t duration_ns);
int pprof_write(struct pprof *p, const char *comment, FILE *out);
void pprof_free(struct pprof *p);

#endif
