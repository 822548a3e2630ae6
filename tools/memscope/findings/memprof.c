// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Findings of memprof and perf recordings: objects whose accesses are remote, or whose lines threads share. */
#include <stdio.h>
#include <string.h>

#include "lib/complain.h"
#include "memscope/run/rows.h"
#include "findings.h"

/* Whether samples say which level served them: not all of them are "not known". */
static bool has_levels(json_t *summary)
{
	json_t *row;
	size_t i;

	json_array_foreach(summary, i, row)
		if (strstr(row_text(row, "what"), "not known") && strstr(row_text(row, "what"), "found in"))
			return row_number(row, "value") < 99.99;
	return true;
}

static int add(struct findings *l, const char *file, bool levels, const json_t *row)
{
	const double samples = row_number(row, "accesses"), gain = row_number(row, "latency_gain_pct");
	const double confidence = row_number(row, "confidence");
	const bool too_few = !strcmp(row_text(row, "type"), "recording");
	struct finding *f;

	/* A pattern without a remedy is no finding; memprof diagnose has it. */
	if (!too_few && !strcmp(row_text(row, "fix"), "none"))
		return OK;
	f = findings_add(l, "memprof", file);
	if (!f)
		return FAILED;
	snprintf(f->subject, sizeof(f->subject), "%s", row_text(row, "site"));
	snprintf(f->what, sizeof(f->what), "%s", row_text(row, "pattern"));
	if (too_few) {
		strcpy(f->subject, "accesses of objects");
		snprintf(f->evidence, sizeof(f->evidence), "%.0f samples of objects", samples);
		snprintf(f->advice, sizeof(f->advice), "%s", row_text(row, "advice"));
		strcpy(f->trust_why, "what would have been found is in the advice");
		return OK;
	}
	if (gain > 0) {
		f->share = gain / 100;
		f->of = "the sampled latency of memory";
	} else {
		f->share = row_number(row, "share_of_remote_pct") / 100 * row_number(row, "all_remote_pct") / 100;
		f->of = "all sampled accesses of memory";
	}
	snprintf(f->evidence, sizeof(f->evidence), "%.0f sampled accesses, %.1f %% of them remote; %.1f %% of all remote accesses",
		 samples, row_number(row, "remote_pct"), row_number(row, "share_of_remote_pct"));
	snprintf(f->advice, sizeof(f->advice), "%s", row_text(row, "advice"));
	f->trust = trust_samples(samples);
	if (confidence < 0.8 && f->trust > TRUST_WEAK)
		f->trust--;
	snprintf(f->trust_why, sizeof(f->trust_why), "%.0f samples, %s, confidence of the pattern %.2f", samples,
		 levels ? "with levels" : "without levels: which accesses missed the caches is not known", confidence);
	return OK;
}

static json_t *view(const char *const *argv)
{
	char error[512];
	json_t *rows = rows_read(argv, error, sizeof(error));

	if (!rows)
		complain(FAILED, "%s", error);
	return rows;
}

int memprof_findings(struct findings *l, const char *file)
{
	const char *const diagnose[] = { "memprof", "diagnose", file, "-f", "json", NULL };
	const char *const report[] = { "memprof", "report", "summary", file, "-f", "json", NULL };
	json_t *summary = view(report), *rows = summary ? view(diagnose) : NULL, *row;
	int ret = rows ? OK : FAILED;
	bool levels;
	size_t i;

	levels = summary && has_levels(summary);
	json_array_foreach(rows, i, row)
		if (!ret)
			ret = add(l, file, levels, row);
	json_decref(summary);
	json_decref(rows);
	return ret;
}
