/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Classes of misses (section 3.3 of the paper), by the paper's heuristic and by samples. */
#ifndef DPROF_CLASSIFY_H
#define DPROF_CLASSIFY_H

#include "residence.h"
#include "sharing.h"
#include "dprof/sim/sim.h"

/**
 * struct verdict - the misses of an instruction at an offset of a type
 * @misses: samples that missed; simulated misses, if the recording has no levels
 * @paper: misses by class, by the heuristic of the paper (which has no cold misses)
 * @paper_misses: misses that the heuristic classifies: those with path traces
 * @ours: misses by class, by samples, and by simulation where they do not say enough
 * @latency: sum of the latencies in cycles of all samples, hits included; 0: not known
 * @has_writer: @writer is known
 * @writer: the write of another CPU that causes the most misses
 */
struct verdict {
	uint32_t type, offset, width;
	uint64_t ip;
	double misses, paper[NR_OUTCOMES], paper_misses, ours[NR_OUTCOMES];
	uint64_t latency;
	bool has_writer;
	struct { uint32_t type, offset; uint64_t ip; double misses; } writer;
};

struct verdicts {
	struct verdict *verdict;
	size_t nr, capacity;
	bool simulated;			/* misses are simulated, not sampled */
};

int classify(struct model *m, const struct traces *t, const struct sim *s, const struct residence *r,
	     struct sharing *shared, enum level level, struct verdicts *v);
void verdicts_free(struct verdicts *v);
enum outcome verdict_class(const double *by_outcome);

#endif
