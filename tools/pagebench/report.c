// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * pagealloc bench report: tables of results.
 *
 * All input is read and checked, and all statistics are computed, before any output.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cells/utf8.h"
#include "pagealloc/cli.h"
#include "bench.h"
#include "report.h"

/**
 * request_read() - read result files and prepare their evaluation
 * @q: the options
 * @paths: the files
 * @nr: number of @paths
 * @r: set to the results; free it with results_free(), even after a failure
 * @ev: set to the evaluation; free it with evaluation_free(), even after a failure
 *
 * Return: OK, or FAILED with a message printed.
 */
int request_read(const struct request *q, char **paths, int nr, struct results *r,
		 struct evaluation *ev)
{
	char error[1024];
	int i;

	memset(r, 0, sizeof(*r));
	memset(ev, 0, sizeof(*ev));
	for (i = 0; i < nr; i++)
		if (results_read(r, paths[i], error, sizeof(error)))
			return complain(FAILED, "%s", error);
	if (results_finish(r, error, sizeof(error)) ||
	    evaluation_init(ev, r, q->metric, q->strategies, &q->effort, error, sizeof(error)))
		return complain(FAILED, "%s", error);
	return OK;
}

/**
 * request_clash() - check that the output does not replace measured results
 * @output: the output file
 * @r: the results
 *
 * Return: 0, or FAILED with a message printed.
 */
int request_clash(const char *output, const struct results *r)
{
	size_t i;

	for (i = 0; i < r->nr_files; i++)
		if (outfile_is(output, r->files[i]))
			return complain(FAILED, "%s: holds the results, is not overwritten", output);
	return OK;
}

static const char *view_word(int n, const char **about)
{
	if (n && !bench_views[n - 1].name)
		return NULL;
	if (about)
		*about = bench_views[n].name ? bench_views[n].about : "all for which there are data";
	return bench_views[n].name ? bench_views[n].name : "all";
}

static const struct opt_only only[] = {
	{ "cost-ratio", "mean" }, { "min-diff", "ranking|summary" }, { "misses", "correlation" }, { }
};

static const struct verb_usage usage = {
	.command = "pagealloc bench report", .operands = "[options] RAW...",
	.about = "Evaluate the results of `pagealloc bench run`: raw.csv files, or their directories.",
	.words = view_word, .words_of = "view", .word = "mean", .only = only, .min = 1, .max = -1,
};

#define MAX_NOTES 24

/* The sections of the report, and notes on them. */
struct report {
	struct section sections[MAX_SECTIONS];
	int nr;
	char *notes[MAX_NOTES];
	int nr_notes;
};

__attribute__((format(printf, 2, 3)))
static void note(struct report *report, const char *fmt, ...)
{
	va_list ap;

	if (report->nr_notes == MAX_NOTES)
		return;
	va_start(ap, fmt);
	if (vasprintf(&report->notes[report->nr_notes], fmt, ap) >= 0)
		report->nr_notes++;
	va_end(ap);
}

/* Note the programs whose measurements start with empty modelled caches, whatever begin is. */
static void note_caches(struct report *report, const struct results *r)
{
	char text[1024] = "";
	size_t i, n = 0;

	if (!results_setting(r, "begin"))
		return;
	for (i = 0; i < r->nr_settings && n < sizeof(text); i++)
		if (r->settings[i].file == r->files[0] && !strncmp(r->settings[i].key, "caches ", 7) &&
		    !strcmp(r->settings[i].value, "empty"))
			n += snprintf(text + n, sizeof(text) - n, " %s", r->settings[i].key + 7);
	if (n)
		note(report, "empty caches before each measurement of:%s", text);
}

/* Notes on how to reproduce the numbers, and on reasons to doubt them. */
static void take_notes(struct report *report, const struct results *r, const struct evaluation *ev)
{
	static const char * const keys[] = { "suite", "kernel", "cpu", "cache", "cpus", "who",
					     "what", "begin", "model_seed", "miss", "color_function" };
	size_t i, least = SIZE_MAX, outer = ev->effort.replicates < 999 ? ev->effort.replicates : 999;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (results_setting(r, keys[i]))
			note(report, "%s: %s", keys[i], results_setting(r, keys[i]));
	note_caches(report, r);
	note(report, "metric: %s in %s, without the warm-up", r->metrics[ev->metric].name,
	     !strcmp(r->metrics[ev->metric].unit, "1") ? "events" : r->metrics[ev->metric].unit);
	note(report, "chance: seed %llu, %zu bootstrap replicates, %zu pairs of groups for an impact factor "
	     "(its interval: %zu replicates of %zu; its null: 199 permutations)",
	     (unsigned long long)ev->effort.seed, ev->effort.replicates, ev->effort.groups, outer,
	     ev->effort.groups / 8 + 1);
	note(report, "pagealloc " MEMSCOPE_VERSION);
	if (r->nr_incomplete)
		note(report, "%zu executions did not end and are left out", r->nr_incomplete);
	for (i = 0; i < ev->nr_samples; i++)
		if (ev->samples[i].runs.n < least)
			least = ev->samples[i].runs.n;
	if (least < GOOD_EXECUTIONS)
		note(report, "an experiment has %zu executions only: with fewer than %d, intervals of variation "
		     "cover less than 95 %%", least, GOOD_EXECUTIONS);
}

static int make_view(struct report *report, const struct bench_view *v, struct evaluation *ev,
		     const struct view_options *o, char *error, size_t size)
{
	unsigned int needs = v->needs;
	int failed;
	size_t i;

	if (v->compares && evaluation_cells(ev, error, size))
		return -2;
	/* Comparisons leave out the impact factor if a sample has too few measurements for it. */
	for (i = 0; v->compares && i < ev->nr_samples; i++)
		if (ev->samples[i].several && !stat_impact_group(&ev->samples[i].runs))
			needs &= ~(1 << STAT_EXECUTION);
	if (evaluate(ev, needs, error, size))
		return -2;
	failed = v->make(ev, o, report->sections, &report->nr, error, size);
	if (failed == -1)
		snprintf(error, size, "no memory left");
	return failed;
}

/* Return OK, or FAILED with a message printed. */
static int make_views(struct report *report, const char *list, struct evaluation *ev,
		      const struct view_options *o)
{
	const struct bench_view *v;
	char error[1024], name[32];
	size_t n;

	if (!strcmp(list, "all")) {
		for (v = bench_views; v->name; v++) {
			int failed = make_view(report, v, ev, o, error, sizeof(error));

			if (failed == -1)
				return complain(FAILED, "%s", error);
			if (failed)
				note(report, "no view %s: %s", v->name, error);
		}
		return OK;
	}
	for (; list; list = list[n] ? list + n + 1 : NULL) {
		n = strcspn(list, ",");
		snprintf(name, sizeof(name), "%.*s", (int)n, list);
		v = bench_view_find(name);
		if (make_view(report, v, ev, o, error, sizeof(error)))
			return complain(FAILED, "%s", error);
	}
	return OK;
}

static int wrong_view(const char *list, const char *name)
{
	const char *near = nearest_word(name, view_word);

	return options_wrong(&usage, "--view %s: %s is no view%s%s%s", list, *name ? name : "nothing",
			     near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

/* Refuse views given twice: the number of sections is limited. */
static int check_views(const char *list)
{
	const char *all = list;
	char name[32], seen[512] = ",", key[40];
	size_t n;

	if (!strcmp(list, "all"))
		return OK;
	for (; list; list = list[n] ? list + n + 1 : NULL) {
		n = strcspn(list, ",");
		snprintf(name, sizeof(name), "%.*s", (int)n, list);
		snprintf(key, sizeof(key), ",%s,", name);
		if (n >= sizeof(name) || !bench_view_find(name))
			return wrong_view(all, name);
		if (strstr(seen, key))
			return wrong_usage("--view %s: %s twice", all, name);
		strncat(seen, key + 1, sizeof(seen) - strlen(seen) - 1);
	}
	return OK;
}

static int print_plain(struct report *report, enum table_format format, FILE *out)
{
	int i;

	for (i = 0; i < report->nr_notes; i++)
		fprintf(out, "# %s\n", report->notes[i]);
	for (i = 0; i < report->nr; i++) {
		struct section *s = &report->sections[i];

		fprintf(out, "\n# %s: %s\n# %s.\n", s->name, s->title, s->meaning);
		if (table_print(&s->table, format, out))
			return -1;
	}
	return 0;
}

/* Settings are whatever bytes a file has.  Return 0, or -1 without memory. */
static int print_string(const char *text, FILE *out)
{
	char *clean = utf8_clean(text);
	json_t *string = clean ? json_string(clean) : NULL;
	int ret = string ? json_dumpf(string, out, JSON_ENCODE_ANY) : -1;

	json_decref(string);
	free(clean);
	return ret;
}

static int print_json(struct report *report, FILE *out)
{
	int i;

	fprintf(out, "{\"schema_version\": %d,\n\"about\": [", JSON_SCHEMA_VERSION);
	for (i = 0; i < report->nr_notes; i++) {
		fputs(i ? ",\n " : "\n ", out);
		if (print_string(report->notes[i], out))
			return -1;
	}
	fputs("\n]", out);
	for (i = 0; i < report->nr; i++) {
		struct section *s = &report->sections[i];

		fprintf(out, ",\n\"%s\": {\"title\": ", s->name);
		if (print_string(s->title, out))
			return -1;
		fputs(",\n \"meaning\": ", out);
		if (print_string(s->meaning, out))
			return -1;
		fputs(",\n \"rows\": ", out);
		if (table_print_rows(&s->table, out))
			return -1;
		fputc('}', out);
	}
	fputs("\n}\n", out);
	return fflush(out) || ferror(out) ? -1 : 0;
}

int bench_report(int argc, char **argv)
{
	struct request request = DEFAULT_REQUEST;
	struct output output = { };
	const char *views = "mean";
	const struct opt options[] = {
		OPT_TEXT(0, "view", "LIST", &views, "views to print, separated by commas (default mean)"),
		OPT_CHANGED('v', NULL, "--view"), REQUEST_OPTIONS(&request),
		OPT_REAL(0, "cost-ratio", "R", &request.view.cost_ratio, SHORTEST, OPT_NUMBER_MAX,
			 "an execution costs as much as R measurements"),
		OUTPUT_OPTIONS(&output), { }
	};
	struct report *report;
	struct evaluation ev;
	struct outfile out;
	struct results r;
	int skip, i, failed;

	skip = options_parse(&usage, options, argc, argv);
	argc -= skip;
	argv += skip;
	if (output.explain)
		return output_explain(&output, &bench_columns);
	if (check_views(views))
		return USAGE;
	report = calloc(1, sizeof(*report));
	if (!report)
		return complain(FAILED, "no memory left");
	failed = request_read(&request, argv, argc, &r, &ev);
	if (!failed) {
		take_notes(report, &r, &ev);
		failed = make_views(report, views, &ev, &request.view);
	}
	if (!failed && !request_clash(output.path, &r) && !outfile_open(&out, output.path))
		failed = outfile_close(&out, output.format == TABLE_JSON ? print_json(report, out.f) :
				       print_plain(report, output.format, out.f));
	else
		failed = FAILED;
	for (i = 0; i < report->nr; i++)
		table_free(&report->sections[i].table);
	for (i = 0; i < report->nr_notes; i++)
		free(report->notes[i]);
	free(report);
	evaluation_free(&ev);
	results_free(&r);
	return failed;
}
