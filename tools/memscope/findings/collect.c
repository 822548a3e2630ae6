// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The findings of several recordings: each by the file of its tool, then ranked together. */
#include <string.h>

#include "lib/complain.h"
#include "findings.h"

/**
 * findings_read() - collect and rank the findings of recordings
 * @l: gets the findings
 * @r: the recordings
 *
 * Return: OK, or FAILED with a message printed.
 */
int findings_read(struct findings *l, const struct recordings *r)
{
	static int (* const readers[RECORDING_KINDS])(struct findings *l, const char *file) = {
		[RECORDING_MEMREF] = memref_findings, [RECORDING_DPROF] = dprof_findings,
		[RECORDING_DPROF_TEXT] = dprof_findings, [RECORDING_MEMPROF] = memprof_findings,
		[RECORDING_PERF] = memprof_findings, [RECORDING_BENCH] = bench_findings,
	};
	size_t i;

	memset(l, 0, sizeof(*l));
	for (i = 0; i < r->nr; i++) {
		/* A layout says where pages are, not whether that is good. */
		if (readers[r->all[i].kind] && readers[r->all[i].kind](l, r->all[i].path)) {
			findings_free(l);
			return FAILED;
		}
	}
	findings_rank(l);
	return OK;
}
