/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Findings of several recordings, in one ranked list. */
#ifndef MEMSCOPE_FINDINGS_H
#define MEMSCOPE_FINDINGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/table.h"
#include "memscope/read/recording.h"

/* How far to trust a finding, by what it rests on. */
enum trust { TRUST_WEAK, TRUST_FAIR, TRUST_GOOD };

/**
 * struct finding - one finding
 * @tool: that has found it
 * @file: the recording
 * @subject: what it is about: an object, a type, the machine's memory
 * @what: what is wrong with it
 * @share: share of what was measured (latency, misses, memory) that it concerns, 0 to 1; NAN: unknown
 * @of: what @share is a share of
 * @evidence: the numbers
 * @advice: what to do; "": nothing is known
 * @trust: how far to trust it
 * @trust_why: what that rests on
 */
struct finding {
	const char *tool, *of;
	enum trust trust;
	double share;
	char file[256], subject[512], what[128], evidence[512], advice[1024], trust_why[256];
};

struct findings {
	struct finding *all;
	size_t nr;
};

extern const struct columns findings_columns;

struct finding *findings_add(struct findings *l, const char *tool, const char *file);
void findings_rank(struct findings *l);
int findings_table(const struct findings *l, struct table *t);
void findings_print(const struct findings *l, size_t recordings, FILE *out);
void findings_free(struct findings *l);
const char *trust_name(enum trust trust);
enum trust trust_samples(double samples);
double finding_score(const struct finding *f);

/* Each reads a recording through its tool.  Return: OK, or FAILED with a message printed. */
int memref_findings(struct findings *l, const char *file);
int dprof_findings(struct findings *l, const char *file);
int memprof_findings(struct findings *l, const char *file);
int bench_findings(struct findings *l, const char *file);
int findings_read(struct findings *l, const struct recordings *r);

#endif
