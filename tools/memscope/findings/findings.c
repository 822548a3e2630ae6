// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The list of findings: ranked, and as a table or text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cells/utf8.h"
#include "lib/complain.h"
#include "findings.h"

/* Samples from which a share is known to some 10 %, and to some 3 %. */
#define FAIR_SAMPLES	100
#define GOOD_SAMPLES	1000

static const char * const trust_names[] = { "weak", "fair", "good" };

const char *trust_name(enum trust trust)
{
	return trust_names[trust];
}

/**
 * trust_samples() - how far to trust a share
 * @samples: number of samples that it was counted of
 */
enum trust trust_samples(double samples)
{
	return samples >= GOOD_SAMPLES ? TRUST_GOOD : samples >= FAIR_SAMPLES ? TRUST_FAIR : TRUST_WEAK;
}

/**
 * findings_add() - append a finding
 * @l: the list
 * @tool: the tool
 * @file: the recording
 *
 * Return: the finding, empty; NULL with a message printed if there is no memory left.
 */
struct finding *findings_add(struct findings *l, const char *tool, const char *file)
{
	struct finding *all = realloc(l->all, (l->nr + 1) * sizeof(*all)), *f;

	if (!all) {
		complain(FAILED, "no memory left");
		return NULL;
	}
	l->all = all;
	f = &all[l->nr++];
	memset(f, 0, sizeof(*f));
	f->tool = tool;
	f->share = NAN;
	f->of = "";
	snprintf(f->file, sizeof(f->file), "%s", file);
	return f;
}

/**
 * finding_score() - by what findings are ranked
 * @f: the finding
 *
 * Return: the share that it concerns, less if it is not to be trusted; 0 if the share is unknown.
 */
double finding_score(const struct finding *f)
{
	static const double factors[] = { 0.1, 0.5, 1 };

	return isnan(f->share) ? 0 : f->share * factors[f->trust];
}

static int by_score(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	const double s = finding_score(x), t = finding_score(y);

	if (s != t)
		return s > t ? -1 : 1;
	/* Without a share, the order of the tools and of their own lists stays. */
	return x->trust != y->trust ? (int)y->trust - (int)x->trust : strcmp(x->subject, y->subject);
}

/**
 * findings_rank() - sort findings, the most important first
 * @l: the list
 */
void findings_rank(struct findings *l)
{
	if (l->nr)
		qsort(l->all, l->nr, sizeof(*l->all), by_score);
}

const struct columns findings_columns = COLUMNS(
	{ "rank", CELL_INT, 0, "", "place in the list, the most important first" },
	{ "tool", CELL_TEXT, 0, "", "tool that has found it" },
	{ "subject", CELL_TEXT, 0, "", "what it is about: an object, a kernel type, memory, a strategy" },
	{ "finding", CELL_TEXT, 0, "", "what is wrong with it, or what it shows" },
	{ "share_pct", CELL_REAL, 2, "%", "share of share_of that it concerns", "the tool gives no share" },
	{ "share_of", CELL_TEXT, 0, "", "what share_pct is a share of", "the tool gives no share" },
	{ "evidence", CELL_TEXT, 0, "", "the numbers that it rests on" },
	{ "advice", CELL_TEXT, 0, "", "what to do", "nothing is known to do" },
	{ "trust", CELL_TEXT, 0, "", "how far to trust it: good, fair or weak" },
	{ "trust_why", CELL_TEXT, 0, "", "what that rests on" },
	{ "file", CELL_TEXT, 0, "", "the recording" },
);

/**
 * findings_table() - make a table of findings
 * @l: the list, ranked
 * @t: set to the table
 *
 * Return: OK, or FAILED with a message printed.
 */
int findings_table(const struct findings *l, struct table *t)
{
	size_t i;

	table_init_columns(t, &findings_columns);
	for (i = 0; i < l->nr; i++) {
		const struct finding *f = &l->all[i];

		if (table_add(t, (struct cell[]){
			INT_CELL(i + 1), TEXT_CELL(f->tool), TEXT_CELL(f->subject), TEXT_CELL(f->what),
			isnan(f->share) ? NONE_CELL : REAL_CELL(100 * f->share),
			*f->of ? TEXT_CELL(f->of) : NONE_CELL, TEXT_CELL(f->evidence),
			*f->advice ? TEXT_CELL(f->advice) : NONE_CELL, TEXT_CELL(trust_name(f->trust)),
			TEXT_CELL(f->trust_why), TEXT_CELL(f->file) })) {
			table_free(t);
			return complain(FAILED, "no memory left");
		}
	}
	return OK;
}

/**
 * findings_print() - print findings as text
 * @l: the list, ranked
 * @recordings: number of recordings that were read
 * @out: where to
 */
void findings_print(const struct findings *l, size_t recordings, FILE *out)
{
	size_t i;

	fprintf(out, "%zu finding%s in %zu recording%s.\n", l->nr, l->nr == 1 ? "" : "s", recordings,
		recordings == 1 ? "" : "s");
	for (i = 0; i < l->nr; i++) {
		const struct finding *f = &l->all[i];

		fprintf(out, "\n%zu. ", i + 1);
		utf8_print(out, f->subject);
		fputs(": ", out);
		utf8_print(out, f->what);
		fputs("\n    evidence: ", out);
		utf8_print(out, f->evidence);
		if (!isnan(f->share))
			fprintf(out, "; %.1f %% of %s", 100 * f->share, f->of);
		fputc('\n', out);
		if (*f->advice) {
			fputs("    advice: ", out);
			utf8_print(out, f->advice);
			fputc('\n', out);
		}
		fprintf(out, "    trust: %s: %s\n    from: %s, ", trust_name(f->trust), f->trust_why, f->tool);
		utf8_print(out, f->file);
		fputc('\n', out);
	}
}

void findings_free(struct findings *l)
{
	free(l->all);
	memset(l, 0, sizeof(*l));
}
