// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Findings of pagealloc bench: strategies by which programs are faster or slower. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/complain.h"
#include "memscope/run/program.h"
#include "memscope/run/rows.h"
#include "findings.h"

/* Of how many programs and settings a mean is trusted. */
#define FAIR_CELLS	3
#define GOOD_CELLS	8

static int add(struct findings *l, const char *file, const json_t *row)
{
	const double change = row_number(row, "mean_change_pct"), cells = row_number(row, "cells");
	const double low = row_number(row, "low_pct"), high = row_number(row, "high_pct");
	const bool interval = json_is_number(json_object_get(row, "low_pct"));
	struct finding *f;

	/* An interval with 0 in it shows no difference. */
	if (!interval || (low <= 0 && high >= 0))
		return OK;
	f = findings_add(l, "pagealloc", file);
	if (!f)
		return FAILED;
	snprintf(f->subject, sizeof(f->subject), "strategy %s", row_text(row, "strategy"));
	snprintf(f->what, sizeof(f->what), "programs are %s than with %s", change < 0 ? "faster" : "slower",
		 row_text(row, "against"));
	f->share = fabs(change) / 100;
	f->of = "the run time";
	snprintf(f->evidence, sizeof(f->evidence), "mean change %.2f %% (95 %% interval %.2f to %.2f)", change, low, high);
	if (change < 0)
		snprintf(f->advice, sizeof(f->advice), "pagealloc run --strategy %s -- COMMAND", row_text(row, "strategy"));
	f->trust = cells >= GOOD_CELLS ? TRUST_GOOD : cells >= FAIR_CELLS ? TRUST_FAIR : TRUST_WEAK;
	snprintf(f->trust_why, sizeof(f->trust_why), "%.0f programs and settings; pagealloc bench report --view checks tests them",
		 cells);
	return OK;
}

int bench_findings(struct findings *l, const char *file)
{
	const char *const argv[] = { "pagealloc", "bench", "report", file, "--view", "summary", "-f", "json", NULL };
	struct output_text text;
	json_t *all, *row;
	int ret = OK;
	size_t i;

	program_capture(argv, &text);
	if (text.status) {
		/* Results of one strategy have nothing to compare. */
		ret = strstr(text.err ? text.err : "", "strateg") ? OK : complain(FAILED, "%s", last_line(text.err));
		output_text_free(&text);
		return ret;
	}
	all = json_loads(text.out ? text.out : "", 0, NULL);
	json_array_foreach(json_object_get(json_object_get(all, "summary"), "rows"), i, row)
		if (!ret)
			ret = add(l, file, row);
	json_decref(all);
	output_text_free(&text);
	return ret;
}
