/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Why accesses miss (section 3.3), by the paper's heuristic and by simulation. */
#ifndef DPROF_CLASSIFY_H
#define DPROF_CLASSIFY_H

#include "sharing.h"
#include "dprof/sim/sim.h"

/**
 * struct verdict - the misses of an instruction at an offset of a type
 * @misses: samples that missed; simulated misses, if the recording has no levels
 * @paper: of them, by the heuristic of the paper (its misses are never cold)
 * @paper_misses: those it has something to say of: with path traces
 * @ours: by simulation and samples
 * @latency: cycles of the samples that missed and others, summed; 0: not known
 * @has_writer: misses come of another CPU's writes
 * @writer: the write most come of
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
	size_t nr, room;
	bool simulated;			/* misses are those of the simulation */
};

int classify(struct model *m, const struct traces *t, const struct sim *s,
	     struct sharing *shared, enum level beyond, struct verdicts *v);
void verdicts_free(struct verdicts *v);
enum outcome verdict_class(const double *by_outcome);

#endif
