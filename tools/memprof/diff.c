// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof diff: two recordings of a program, before and after a change: what became local, what
 * became remote, and whether advice did what was predicted.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/output.h"
#include "memprof_cli.h"
#include "options.h"
#include "memprof/diagnose/patterns.h"

/* A smaller difference is none, whatever the samples. */
#define LEAST_POINTS	3.0
/* Standard errors that are chance. */
#define CHANCE		2.0

static const struct verb_usage usage = {
	.command = "memprof diff", .operands = "BEFORE AFTER [options]",
	.about = "Compare two recordings of a program: which sites became local or remote, and whether the "
		 "predictions of diagnose for the first came true in the second.",
	.min = 2, .max = 2,
};

/* Sites are the same by type, name and file: a change of the source moves lines. */
struct row {
	char *key;
	const char *site, *type;
	struct { uint64_t accesses, remote; } of[2];	/* before, after */
	double predicted;		/* remote ones of those before, with the fix */
	const struct finding *finding;	/* of those before, the one with most remote accesses */
	UT_hash_handle hh;
};

static struct row *find_row(struct row **rows, struct memprof *m, const struct finding *x)
{
	const struct memprof_site *site = x->object != NO_NUMBER ? memprof_object_site(m, x->object) : NULL;
	const char *file = site ? strrchr(site->file, '/') : NULL, *type;
	char key[1200];
	struct row *r;
	int n;

	if (x->object == NO_NUMBER || !site)
		return NULL;
	file = file ? file + 1 : site->file;
	type = memprof_type_name(x->type);
	n = snprintf(key, sizeof(key), "%s ", type);
	if (*file && site->name[0] != '[')
		snprintf(key + n, sizeof(key) - n, "%s (%s)", site->name, file);
	else
		snprintf(key + n, sizeof(key) - n, "%s", site->name);
	HASH_FIND_STR(*rows, key, r);
	if (r)
		return r;
	r = calloc(1, sizeof(*r));
	if (!r || !(r->key = strdup(key))) {
		free(r);
		return NULL;
	}
	r->site = r->key + n;
	r->type = type;
	HASH_ADD_KEYPTR(hh, *rows, r->key, strlen(r->key), r);
	return r;
}

/* Return: 0, or -1 without memory. */
static int add_findings(struct row **rows, struct memprof *m, const struct findings *f, int when)
{
	struct row *r;
	size_t i;

	for (i = 0; i < f->nr; i++) {
		const struct finding *x = &f->all[i];

		if (x->object == NO_NUMBER)
			continue;
		r = find_row(rows, m, x);
		if (!r)
			return -1;
		r->of[when].accesses += x->accesses;
		r->of[when].remote += x->remote;
		if (when)
			continue;
		r->predicted += x->predicted;
		if (!r->finding || x->remote > r->finding->remote)
			r->finding = x;
	}
	return 0;
}

static double pct(double part, double whole)
{
	return whole ? 100 * part / whole : 0;
}

/* Points that two shares of so many samples differ by chance. */
static double chance(uint64_t n, double share, uint64_t m)
{
	const double p = share / 100;

	return n && m ? 100 * CHANCE * sqrt(p * (1 - p) * (1.0 / n + 1.0 / m)) : 100;
}

static bool differ(double a, double b, uint64_t n, uint64_t m)
{
	const double by_chance = chance(n, (a + b) / 2, m);

	return fabs(a - b) > (by_chance > LEAST_POINTS ? by_chance : LEAST_POINTS);
}

/* What became of a site. */
static const char *became(const struct row *r)
{
	const double before = pct(r->of[0].remote, r->of[0].accesses), after = pct(r->of[1].remote, r->of[1].accesses);

	if (!r->of[1].accesses)
		return "gone";
	if (!r->of[0].accesses)
		return "new";
	if (!differ(before, after, r->of[0].accesses, r->of[1].accesses))
		return "same";
	return after < before ? "local" : "remote";
}

/* Whether a prediction came true. */
static const char *verdict(double before, double predicted, double after, uint64_t n, uint64_t m)
{
	if (!m)
		return "gone";
	if (!differ(predicted, after, n, m))
		return "as predicted";
	if (!differ(before, after, n, m))
		return "unchanged";
	return after < predicted ? "better" : after > before ? "worse" : "less than predicted";
}

/* By how much of all accesses it changed. */
static double change(const struct row *r, const struct findings f[2])
{
	return pct(r->of[1].remote, f[1].accesses) - pct(r->of[0].remote, f[0].accesses);
}

static const struct findings *sorted_by;

static int by_change(struct row *a, struct row *b)
{
	const double x = fabs(change(a, sorted_by)), y = fabs(change(b, sorted_by));

	return x != y ? (x < y ? 1 : -1) : strcmp(a->key, b->key);
}

static int add_row(struct table *t, const struct row *r, const struct findings f[2])
{
	const bool was = r->of[0].accesses, is = r->of[1].accesses;
	const struct finding *x = r->finding && r->finding->fix != FIX_NONE && r->finding->fix != FIX_PAD ?
				  r->finding : NULL;
	const double before = pct(r->of[0].remote, r->of[0].accesses), after = pct(r->of[1].remote, r->of[1].accesses);
	const double predicted = pct(r->predicted, r->of[0].accesses);

	return table_add(t, (struct cell[]){
		TEXT_CELL(r->site), TEXT_CELL(r->type), INT_CELL(r->of[0].accesses), INT_CELL(r->of[1].accesses),
		was ? REAL_CELL(before) : NONE_CELL, is ? REAL_CELL(after) : NONE_CELL,
		REAL_CELL(pct(r->of[0].remote, f[0].accesses)), REAL_CELL(pct(r->of[1].remote, f[1].accesses)),
		REAL_CELL(change(r, f)), TEXT_CELL(became(r)),
		TEXT_CELL(r->finding ? pattern_name(r->finding->pattern) : "-"), TEXT_CELL(x ? fix_name(x->fix) : "none"),
		x ? REAL_CELL(predicted) : NONE_CELL,
		x ? TEXT_CELL(verdict(before, predicted, after, r->of[0].accesses, r->of[1].accesses)) : NONE_CELL });
}

/* The first row is of all accesses; the prediction is that of all fixes together. */
static int add_all(struct table *t, const struct findings f[2])
{
	const double before = pct(f[0].remote, f[0].accesses), after = pct(f[1].remote, f[1].accesses);
	const double predicted = pct(f[0].joint, f[0].accesses);
	const struct row all = { .of = { { f[0].accesses, f[0].remote }, { f[1].accesses, f[1].remote } } };

	return table_add(t, (struct cell[]){
		TEXT_CELL("[all]"), TEXT_CELL("recording"), INT_CELL(f[0].accesses), INT_CELL(f[1].accesses),
		f[0].accesses ? REAL_CELL(before) : NONE_CELL, f[1].accesses ? REAL_CELL(after) : NONE_CELL,
		REAL_CELL(before), REAL_CELL(after), REAL_CELL(after - before), TEXT_CELL(became(&all)),
		TEXT_CELL("-"), TEXT_CELL(f[0].fixes ? "all" : "none"), f[0].fixes ? REAL_CELL(predicted) : NONE_CELL,
		f[0].fixes ? TEXT_CELL(verdict(before, predicted, after, f[0].accesses, f[1].accesses)) : NONE_CELL });
}

static const struct columns diff_columns = COLUMNS(
	{ "site", CELL_TEXT, 0, "", "where the objects are allocated; [all]: all accesses" },
	{ "type", CELL_TEXT, 0, "",
	  "what the objects are: static, dynamic, file, code, stack, kernel, unknown; recording" },
	{ "accesses_before", CELL_INT, 0, "samples",
	  "accesses of main memory with known nodes, first recording" },
	{ "accesses_after", CELL_INT, 0, "samples", "the same, second recording" },
	{ "remote_pct_before", CELL_REAL, 2, "%",
	  "of the site's accesses, those that are remote, first recording", "it has none" },
	{ "remote_pct_after", CELL_REAL, 2, "%", "the same, second recording", "it has none" },
	{ "of_all_pct_before", CELL_REAL, 2, "%",
	  "the site's remote accesses, of all accesses, first recording" },
	{ "of_all_pct_after", CELL_REAL, 2, "%", "the same, second recording" },
	{ "change_points", CELL_REAL, 2, "points", "of_all_pct_after - of_all_pct_before" },
	{ "became", CELL_TEXT, 0, "",
	  "local or remote: remote_pct changed by more than 3 points and two standard errors; "
	  "same: it did not; new, gone: one recording lacks the site" },
	{ "pattern_before", CELL_TEXT, 0, "",
	  "what memprof diagnose found in the first recording" },
	{ "fix", CELL_TEXT, 0, "", "what it advised" },
	{ "predicted_pct", CELL_REAL, 2, "%",
	  "the remote share of the site's accesses with the fix", "nothing was advised" },
	{ "prediction", CELL_TEXT, 0, "",
	  "whether it came true: as predicted, better, less than predicted, unchanged, worse, "
	  "gone", "nothing was advised" },
);

static int compare(struct memprof *m[2], const struct findings f[2], size_t top, struct table *t)
{
	struct row *rows = NULL, *r, *next;
	size_t n = 0;
	int bad, i;

	table_init_columns(t, &diff_columns);
	bad = add_all(t, f);
	for (i = 0; i < 2 && !bad; i++)
		bad = add_findings(&rows, m[i], &f[i], i);
	sorted_by = f;
	HASH_SORT(rows, by_change);
	HASH_ITER(hh, rows, r, next) {
		if (!bad && (!top || n < top) && (r->of[0].accesses || r->of[1].accesses)) {
			bad = add_row(t, r, f);
			n++;
		}
		HASH_DEL(rows, r);
		free(r->key);
		free(r);
	}
	return bad;
}

/*
 * One of the recordings, which gets what is doubtful of it in @c, and true in @matches if it has accesses of those
 * that are chosen.  Return: OK, or FAILED after saying why.
 */
static int look_at(const char *path, struct common *c, struct memprof **m, struct findings *f, int *damaged, bool *matches)
{
	*m = common_open(path, c, damaged);
	if (!*m)
		return FAILED;
	common_doubt(*m, path, c);
	if (memprof_totals(*m)->accesses)
		*matches = true;
	return patterns_find(*m, f) ? complain(FAILED, "no memory left") : OK;
}

static void join_doubts(const struct common c[2], char *text, size_t size)
{
	const bool first = *c[0].doubt, second = *c[1].doubt;

	snprintf(text, size, "%s%s%s%s%s", first ? "first recording: " : "", c[0].doubt, first && second ? "; " : "",
		 second ? "second recording: " : "", c[1].doubt);
}

int cmd_diff(int argc, char **argv)
{
	struct common common = COMMON_DEFAULT, parts[2] = { };
	char doubts[2 * sizeof(common.doubt) + 64];
	struct output output = { };
	struct memprof *m[2] = { };
	struct findings f[2] = { };
	int damaged[2] = { }, failed = 0, i;
	const struct opt options[] = {
		OUTPUT_OPTIONS(&output),
		OPT_NUMBER('n', "top", "N", &common.view.top, 0, OPT_NUMBER_MAX, "the first N sites; 0: all"),
		PART_OPTIONS(&common), { }
	};
	struct table table = { };
	bool matches = false;

	common.view.top = 20;
	argv += options_parse(&usage, options, argc, argv);
	if (output.explain)
		return output_explain(&output, &diff_columns);
	if (common_check_options(&common))
		return USAGE;
	for (i = 0; i < 2 && !failed; i++) {
		parts[i] = common;
		failed = look_at(argv[i], &parts[i], &m[i], &f[i], &damaged[i], &matches);
	}
	/* What is in one of them is new or gone. */
	if (!failed && !matches)
		failed = common_matches(m[memprof_totals(m[1])->recorded ? 1 : 0], &common, 0);
	if (!failed) {
		failed = compare(m, f, common.view.top, &table);
		join_doubts(parts, doubts, sizeof(doubts));
		table.warning = doubts;
		failed = output_table(&output, &table, failed);
	}
	for (i = 0; i < 2; i++) {
		patterns_free(&f[i]);
		memprof_close(m[i]);
	}
	return failed || damaged[0] || damaged[1] ? FAILED : OK;
}
