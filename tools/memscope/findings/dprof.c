// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Findings of dprof recordings: kernel types whose lines CPUs take from each other, or that miss for other reasons. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/complain.h"
#include "memscope/run/rows.h"
#include "findings.h"

#define MOST_LINES	"10"
/* A line of fewer samples is no finding. */
#define LEAST_SAMPLES	5
/* Causes other than sharing are reported from this share of all misses on. */
#define LEAST_MISSES_PCT	10

/* What all findings of a recording rest on. */
struct basis {
	double samples, misses;
	bool levels;
};

static void set_trust(struct finding *f, const struct basis *b, double samples)
{
	f->trust = trust_samples(samples);
	/* Without levels, misses are those of a simulated cache. */
	if (!b->levels && f->trust > TRUST_WEAK)
		f->trust--;
	snprintf(f->trust_why, sizeof(f->trust_why), "%.0f of %.0f samples, %s", samples, b->samples,
		 b->levels ? "with levels" : "without levels: misses are counted by accesses, or simulated");
}

/* The type, and the field if it is known. */
static void set_subject(struct finding *f, const json_t *row)
{
	const char *field = row_text(row, "field");

	snprintf(f->subject, sizeof(f->subject), "%s%s%s", row_text(row, "type"), *field ? " " : "", field);
}

static int add_sharing(struct findings *l, const char *file, const struct basis *b, const json_t *row)
{
	const bool falsely = !strcmp(row_text(row, "sharing"), "false");
	const double misses = row_number(row, "misses"), gain = row_number(row, "gain_pct");
	const char *user = row_text(row, "user"), *writer = row_text(row, "writer");
	struct finding *f;

	if (row_number(row, "samples") < LEAST_SAMPLES)
		return OK;
	f = findings_add(l, "dprof", file);
	if (!f)
		return FAILED;
	set_subject(f, row);
	snprintf(f->what, sizeof(f->what), "%s sharing between CPUs", falsely ? "false" : "true");
	if (falsely && gain > 0) {
		f->share = gain / 100;
		f->of = "the sampled latency";
	} else if (b->misses > 0) {
		f->share = fmin(1, misses / b->misses);
		f->of = b->levels ? "all misses" : "all sampled accesses";
	}
	snprintf(f->evidence, sizeof(f->evidence), "%.0f misses in %.0f samples of %.0f lines; %s uses what %s writes (%s %s)",
		 misses, row_number(row, "samples"), row_number(row, "lines"), *user ? user : "code not sampled",
		 *writer ? writer : "code not sampled", row_text(row, "writer_type"), row_text(row, "writer_field"));
	if (falsely)
		snprintf(f->advice, sizeof(f->advice), "put %s and %s %s on different cache lines (dprof layout advises an order)",
			 f->subject, row_text(row, "writer_type"), row_text(row, "writer_field"));
	else
		snprintf(f->advice, sizeof(f->advice), "write it less often in %s, or keep a copy for each CPU",
			 *writer ? writer : "its writer");
	set_trust(f, b, row_number(row, "samples"));
	return OK;
}

static int add_cause(struct findings *l, const char *file, const struct basis *b, const json_t *row)
{
	const char *class = row_text(row, "class");
	const bool conflict = !strcmp(class, "conflict");
	struct finding *f;

	/* Sharing has findings by line. */
	if ((!conflict && strcmp(class, "capacity")) || row_number(row, "misses_pct") < LEAST_MISSES_PCT)
		return OK;
	f = findings_add(l, "dprof", file);
	if (!f)
		return FAILED;
	snprintf(f->subject, sizeof(f->subject), "%s", row_text(row, "type"));
	snprintf(f->what, sizeof(f->what), "misses by %s", class);
	f->share = row_number(row, "misses_pct") / 100;
	f->of = "all misses";
	snprintf(f->evidence, sizeof(f->evidence), "%.0f misses, %.1f %% of them by %s", row_number(row, "misses"),
		 row_number(row, conflict ? "conflict_pct" : "capacity_pct"), class);
	strcpy(f->advice, conflict ? "spread the objects over the cache: dprof report assoc-sets shows which sets they fill" :
	       "fewer or smaller objects, or reuse them sooner: dprof report workingset shows what fills the cache");
	set_trust(f, b, row_number(row, "misses"));
	return OK;
}

/* Without a sample, no rows: other recordings of a run may have findings. */
static json_t *view(const char *name, const char *file, const char *top)
{
	const char *const argv[] = { "dprof", "report", name, file, "-n", top, "-f", "json", NULL };
	char error[512];
	json_t *rows = rows_read(argv, error, sizeof(error));

	if (rows)
		return rows;
	complain(FAILED, "%s", error);
	return rows_none(error) ? json_array() : NULL;
}

int dprof_findings(struct findings *l, const char *file)
{
	json_t *profile, *sharing = NULL, *causes = NULL, *row;
	struct basis b = { };
	int ret = FAILED;
	size_t i;

	profile = view("profile", file, "0");
	if (profile && !json_array_size(profile)) {
		json_decref(profile);
		return OK;
	}
	if (profile)
		sharing = view("sharing", file, MOST_LINES);
	if (sharing)
		causes = view("classify", file, MOST_LINES);
	if (causes) {
		ret = OK;
		json_array_foreach(profile, i, row) {
			b.samples += row_number(row, "samples");
			b.misses += row_number(row, "misses_l1");
			b.levels |= json_is_number(json_object_get(row, "misses_l1"));
		}
		if (!b.levels)
			b.misses = b.samples;
		json_array_foreach(sharing, i, row)
			if (!ret)
				ret = add_sharing(l, file, &b, row);
		json_array_foreach(causes, i, row)
			if (!ret)
				ret = add_cause(l, file, &b, row);
	}
	json_decref(profile);
	json_decref(sharing);
	json_decref(causes);
	return ret;
}
