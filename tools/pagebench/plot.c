// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * pagealloc bench plot: pictures of results, the paper's Figures 1, 4, 5, 7, 9, 10.
 *
 * Like memref plot, writes the data as CSV beside the picture, and runs a gnuplot
 * script in plots/ on them, which users can also run themselves.
 */
#include <errno.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/gnuplot.h"
#include "pagealloc/cli.h"
#include "bench.h"
#include "report.h"

/* The kind of the picture, and its data. */
struct drawing {
	enum statistic statistic;
	const char *benchmark, *config, *title;
	const struct request *request;
	struct evaluation *ev;
	struct section section;
	char subject[256];	/* end of the title */
	char error[1024];
};

/* A kind of picture; its make() fills a section, or returns -1: out of memory, or with error set. */
struct plot_kind {
	const char *name, *about;
	unsigned int needs;	/* statistics, besides the drawing's own if -1 */
	int (*make)(struct drawing *d);
};

static int selected(const struct drawing *d, const struct experiment *x)
{
	return (!d->benchmark || !strcmp(x->benchmark, d->benchmark)) &&
	       (!d->config || !strcmp(x->config, d->config));
}

/* Index of the first strategy's sample in a requested cell, or -1. */
static long selected_cell(const struct drawing *d, size_t cell)
{
	long s = d->ev->cells[cell * d->ev->nr_strategies];

	return s >= 0 && selected(d, d->ev->samples[s].x) ? s : -1;
}

static int make_ranking(struct drawing *d)
{
	struct evaluation *ev = d->ev;
	size_t n = ev->nr_strategies, s, r, left_out, rows = 0;
	double *share = malloc(n * n * sizeof(*share)), cells;
	int several, failed = !share;

	section_column(&d->section, CELL_TEXT, 0, "measurements");
	section_column(&d->section, CELL_TEXT, 0, "strategy");
	section_column(&d->section, CELL_INT, 0, "cells");
	for (r = 0; r < n; r++)
		section_column(&d->section, CELL_REAL, 2, "rank_%zu_pct", r + 1);
	section_ready(&d->section);
	for (several = 1; several >= 0 && !failed; several--) {
		if (!several && (d->statistic == STAT_MEASUREMENT || d->statistic == STAT_EXECUTION))
			break;
		cells = rank_shares(ev, d->statistic, several, d->request->view.min_diff, share, &left_out);
		failed = cells < 0;
		for (s = 0; s < n && cells > 0 && !failed; s++) {
			struct cell row[MAX_COLUMNS] = {
				TEXT_CELL(kind(several)), TEXT_CELL(ev->strategies[s]), INT_CELL(cells),
			};

			for (r = 0; r < n; r++)
				row[3 + r] = REAL_CELL(share[s * n + r]);
			failed = table_add(&d->section.table, row);
			rows++;
		}
	}
	free(share);
	if (!failed && !rows) {
		snprintf(d->error, sizeof(d->error), "%s is not known of any benchmark with all strategies",
			 statistic_names[d->statistic]);
		failed = -1;
	}
	snprintf(d->subject, sizeof(d->subject), "%s", statistic_names[d->statistic]);
	return failed ? -1 : 0;
}

/* Impact factors of a strategy, sorted. */
static size_t factors(const struct drawing *d, size_t strategy, double *x)
{
	size_t i, n = 0;

	for (i = 0; i < d->ev->nr_samples; i++) {
		const struct sample *sample = &d->ev->samples[i];

		if (!strcmp(sample->x->strategy, d->ev->strategies[strategy]) && selected(d, sample->x) &&
		    sample->several && !isnan(sample->impact.factor.estimate))
			x[n++] = sample->impact.factor.estimate;
	}
	gsl_sort(x, 1, n);
	return n;
}

static int add_share(struct drawing *d, size_t strategy, double x, double share, double band)
{
	const struct cell row[] = {
		INT_CELL(strategy + 1), TEXT_CELL(d->ev->strategies[strategy]), REAL_CELL(x),
		REAL_CELL(share), REAL_CELL(fmax(share - band, 0)), REAL_CELL(fmin(share + band, 1)),
	};

	return table_add(&d->section.table, row);
}

/* The empirical CDF as a step function: two points per step, and the ends of the range. */
static int make_ecdf(struct drawing *d)
{
	double *x = malloc((d->ev->nr_samples + 1) * sizeof(*x)), least = INFINITY, most = 0, band;
	size_t s, i, n;
	int failed = !x;

	section_column(&d->section, CELL_INT, 0, "series");
	section_column(&d->section, CELL_TEXT, 0, "strategy");
	section_column(&d->section, CELL_REAL, SIGNIFICANT(6), "impact_factor");
	section_column(&d->section, CELL_REAL, 4, "share");
	section_column(&d->section, CELL_REAL, 4, "low");
	section_column(&d->section, CELL_REAL, 4, "high");
	section_ready(&d->section);
	for (s = 0; s < d->ev->nr_strategies && !failed; s++) {
		n = factors(d, s, x);
		least = n ? fmin(least, x[0]) : least;
		most = n ? fmax(most, x[n - 1]) : most;
	}
	for (s = 0; s < d->ev->nr_strategies && !failed; s++) {
		n = factors(d, s, x);
		if (!n)
			continue;
		band = stat_dkw(n, CONFIDENCE);
		failed = add_share(d, s, least, 0, band);
		for (i = 0; i < n && !failed; i++)
			failed = add_share(d, s, x[i], (double)i / n, band) ||
				 add_share(d, s, x[i], (i + 1.0) / n, band);
		if (!failed)
			failed = add_share(d, s, most, 1, band);
	}
	free(x);
	if (!failed && !most) {
		snprintf(d->error, sizeof(d->error), "no experiment has an impact factor");
		failed = -1;
	}
	return failed ? -1 : 0;
}

static int add_point(struct drawing *d, size_t series, const struct experiment *x, double execution,
		     double misses, double value)
{
	struct cell row[] = {
		INT_CELL(series + 1), TEXT_CELL(x->strategy), TEXT_CELL(x->benchmark), TEXT_CELL(x->config),
		isnan(execution) ? NONE_CELL : INT_CELL(execution), known(misses), known(value),
	};

	return table_add(&d->section.table, row);
}

/* Add one point per execution of a benchmark and configuration, or one per experiment. */
static int misses_of_cell(struct drawing *d, size_t cell, int metric, int executions)
{
	struct evaluation *ev = d->ev;
	double scale[2] = { 1, 1 };
	struct sample misses;
	size_t s, i;
	int failed = 0;

	for (s = 0; s < ev->nr_strategies && !failed; s++) {
		const struct sample *time = cell_sample(ev, cell, s);
		double *x = malloc(2 * time->runs.n * sizeof(*x)), *y = x + time->runs.n, mean[2];

		failed = !x || sample_init(&misses, ev->results, time->x, metric, d->error, sizeof(d->error));
		if (failed) {
			free(x);
			break;
		}
		stat_run_means(&misses.runs, x);
		stat_run_means(&time->runs, y);
		mean[0] = gsl_stats_mean(x, 1, time->runs.n);
		mean[1] = gsl_stats_mean(y, 1, time->runs.n);
		if (!s)
			memcpy(scale, mean, sizeof(scale));
		for (i = 0; executions && i < time->runs.n && !failed; i++)
			failed = add_point(d, s, time->x, i, x[i] / scale[0], y[i] / scale[1]);
		if (!executions)
			failed = add_point(d, s, time->x, NAN, mean[0] / scale[0], mean[1] / scale[1]);
		sample_free(&misses);
		free(x);
	}
	return failed;
}

static int make_misses(struct drawing *d)
{
	const char *name = misses_metric(d->ev->results, d->request->view.misses);
	size_t c, cells = 0;
	long only = -1;

	section_column(&d->section, CELL_INT, 0, "series");
	section_column(&d->section, CELL_TEXT, 0, "strategy");
	section_column(&d->section, CELL_TEXT, 0, "benchmark");
	section_column(&d->section, CELL_TEXT, 0, "config");
	section_column(&d->section, CELL_INT, 0, "execution");
	section_column(&d->section, CELL_REAL, SIGNIFICANT(6), "misses_ratio");
	section_column(&d->section, CELL_REAL, SIGNIFICANT(6), "value_ratio");
	section_ready(&d->section);
	if (!name) {
		misses_missing(d->ev->results, d->request->view.misses, NULL, d->error, sizeof(d->error));
		return -1;
	}
	if (evaluation_cells(d->ev, d->error, sizeof(d->error)))
		return -1;
	for (c = 0; c < d->ev->nr_cells; c++)
		cells += selected_cell(d, c) >= 0;
	for (c = 0; c < d->ev->nr_cells; c++) {
		if (selected_cell(d, c) < 0)
			continue;
		only = selected_cell(d, c);
		if (misses_of_cell(d, c, results_metric(d->ev->results, name), cells == 1))
			return -1;
	}
	if (cells == 1)
		snprintf(d->subject, sizeof(d->subject), "%.60s %.60s, %.60s, a point an execution",
			 d->ev->samples[only].x->benchmark, d->ev->samples[only].x->config, name);
	else
		snprintf(d->subject, sizeof(d->subject), "%.100s, a point a benchmark and configuration", name);
	if (cells)
		return 0;
	snprintf(d->error, sizeof(d->error), "no such benchmark or configuration");
	return -1;
}

static int make_executions(struct drawing *d)
{
	struct evaluation *ev = d->ev;
	size_t c, s, i, j, at = 0, cells = 0, cell = 0, n;

	section_column(&d->section, CELL_INT, 0, "series");
	section_column(&d->section, CELL_TEXT, 0, "strategy");
	section_column(&d->section, CELL_INT, 0, "execution");
	section_column(&d->section, CELL_INT, 0, "measurement");
	section_column(&d->section, CELL_REAL, SIGNIFICANT(9), "value");
	section_ready(&d->section);
	n = snprintf(d->error, sizeof(d->error), "choose one by --benchmark and --config:");
	for (c = 0; c < ev->nr_cells; c++) {
		for (s = 0; s < ev->nr_strategies; s++)
			if (ev->cells[c * ev->nr_strategies + s] >= 0)
				break;
		if (!selected(d, cell_sample(ev, c, s)->x))
			continue;
		cell = c;
		n += snprintf(d->error + n, sizeof(d->error) - n, "%s %s %s", cells++ ? "," : "",
			      cell_sample(ev, c, s)->x->benchmark, cell_sample(ev, c, s)->x->config);
		n = n < sizeof(d->error) ? n : sizeof(d->error) - 1;
	}
	if (!cells)
		snprintf(d->error, sizeof(d->error), "no such benchmark or configuration");
	if (cells != 1)
		return -1;
	*d->error = '\0';
	for (s = 0; s < ev->nr_strategies; s++) {
		const struct sample *x;

		if (ev->cells[cell * ev->nr_strategies + s] < 0)
			continue;
		x = cell_sample(ev, cell, s);
		snprintf(d->subject, sizeof(d->subject), "%.100s %.100s", x->x->benchmark, x->x->config);
		/* Executions of one strategy after another. */
		for (i = 0; i < x->runs.n; i++, at++) {
			for (j = x->start[i]; j < x->start[i + 1]; j++) {
				const struct cell row[] = {
					INT_CELL(s + 1), TEXT_CELL(x->x->strategy), INT_CELL(at + 1),
					INT_CELL(j - x->start[i]), REAL_CELL(x->y[j]),
				};

				if (table_add(&d->section.table, row))
					return -1;
			}
		}
	}
	return 0;
}

#define OF_STATISTIC (~0U)

static const struct plot_kind kinds[] = {
	{ "ranking", "ranks of the strategies, stacked (the paper's Figures 4, 5, 7)", OF_STATISTIC, make_ranking },
	{ "ecdf", "distribution of the impact factor, with a band (Figure 9)", 1 << STAT_EXECUTION, make_ecdf },
	{ "misses", "the metric against cache misses, both relative (Figure 10)", 0, make_misses },
	{ "executions", "each measurement of each execution (Figure 1)", 0, make_executions },
	{ NULL },
};

static const char *kind_word(int n, const char **about)
{
	if (about)
		*about = kinds[n].about;
	return kinds[n].name;
}

static const struct opt_only only[] = {
	{ "statistic", "ranking" }, { "min-diff", "ranking" }, { "misses", "misses" },
	/* Ranks are of all benchmarks. */
	{ "benchmark", "ecdf|misses|executions" }, { "config", "ecdf|misses|executions" },
	{ }
};

static const struct verb_usage usage = {
	.command = "pagealloc bench plot", .operands = "KIND RAW... -o PICTURE [options]",
	.words = kind_word, .only = only, .about = "Draw the results of `pagealloc bench run`.", .min = 2, .max = -1,
};

/* Variables of the script. */
static char *commands(const struct drawing *d, const char *plots, const struct picture_files *p)
{
	const struct metric *m = &d->ev->results->metrics[d->ev->metric];
	char *text = NULL, list[1024] = "", label[160];
	size_t size, i, n = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (i = 0; i < d->ev->nr_strategies && n < sizeof(list); i++)
		n += snprintf(list + n, sizeof(list) - n, "%s%s", i ? " " : "", d->ev->strategies[i]);
	snprintf(label, sizeof(label), strcmp(m->unit, "1") ? "%.60s (%.20s)" : "%.60s", m->name, m->unit);
	gnuplot_path(f, "plots", plots);
	gnuplot_path(f, "csv", p->data);
	gnuplot_path(f, "out", p->tmp);
	gnuplot_text(f, "title", d->title);
	gnuplot_text(f, "strategies", list);
	gnuplot_text(f, "metric", m->name);
	gnuplot_text(f, "value_label", label);
	fprintf(f, "min_diff=%g", d->request->view.min_diff);
	if (!fclose(f))
		return text;
	free(text);
	return NULL;
}

static int write_csv(struct drawing *d, const char *path)
{
	struct outfile out;

	return outfile_open(&out, path) || outfile_close(&out, table_print_plot(&d->section.table, out.f)) ?
	       FAILED : OK;
}

static int run_gnuplot(struct drawing *d, const struct plot_kind *kind, const char *plots,
		       const struct picture_files *p)
{
	char script[32], *text = commands(d, plots, p);
	int failed;

	snprintf(script, sizeof(script), "bench-%s", kind->name);
	failed = text ? gnuplot_run(plots, script, text) : complain(FAILED, "no memory left");
	free(text);
	return failed;
}

static int draw(struct drawing *d, const struct plot_kind *kind, const char *picture)
{
	char plots[PATH_MAX];
	struct picture_files p;
	int failed;

	if (gnuplot_find(plots, sizeof(plots)))
		return complain(FAILED, "no plot scripts found (set MEMSCOPE_PLOTS)");
	if (picture_name(&p, picture, ".csv"))
		return FAILED;
	if (request_clash(p.beside, d->ev->results))
		return FAILED;
	if (picture_begin(&p))
		return FAILED;
	failed = write_csv(d, p.data) || run_gnuplot(d, kind, plots, &p);
	return picture_end(&p, picture, failed);
}

static int make(struct drawing *d, const struct plot_kind *kind, char **paths)
{
	unsigned int needs = kind->needs == OF_STATISTIC ? 1U << d->statistic : kind->needs;
	static const char * const names[] = {
		"mean", "variation within executions", "variation of all measurements",
		"variation between executions (impact factor)",
	};
	char title[600];

	if (kind->needs == OF_STATISTIC && evaluation_cells(d->ev, d->error, sizeof(d->error)))
		return complain(FAILED, "%s", d->error);
	if (kind->make == make_ranking && rank_too_many(d->ev, d->error, sizeof(d->error)))
		return complain(FAILED, "%s", d->error);
	if (evaluate(d->ev, needs, d->error, sizeof(d->error)))
		return complain(FAILED, "%s", d->error);
	section_begin(&d->section, kind->name, kind->about, "");
	*d->error = '\0';
	if (kind->make(d))
		return *d->error ? complain(FAILED, "%s: %s", paths[0], d->error) :
		       complain(FAILED, "no memory left");
	if (kind->needs == OF_STATISTIC)
		snprintf(d->subject, sizeof(d->subject), "%s", names[d->statistic]);
	if (!d->title) {
		snprintf(title, sizeof(title), "%s%s%s - %.60s, Linux %.60s", kind->name,
			 *d->subject ? ", " : "", d->subject, results_setting(d->ev->results, "suite"),
			 results_setting(d->ev->results, "kernel"));
		d->title = strdup(title);
		return d->title ? OK : complain(FAILED, "no memory left");
	}
	d->title = strdup(d->title);
	return d->title ? OK : complain(FAILED, "no memory left");
}

int bench_plot(int argc, char **argv)
{
	struct request request = DEFAULT_REQUEST;
	struct drawing d = { .request = &request };
	const char *output = NULL, *title = NULL;
	const struct opt options[] = {
		OPT_TEXT('o', "output", "PICTURE", &output, "a .png or .svg file; its data are written beside it as .csv"),
		OPT_TEXT(0, "title", "TITLE", &title, "title of the picture (default: the kind and its subject)"),
		/* In the order of statistic_names. */
		OPT_WORD(0, "statistic", "mean|measurement|unclassified|execution", &d.statistic,
			 "statistic by which strategies are ranked (default mean)"),
		OPT_TEXT(0, "benchmark", "NAME", &d.benchmark, "only this benchmark"),
		OPT_TEXT(0, "config", "NAME", &d.config, "only this configuration"),
		OPT_CHANGED('t', NULL, "--title"), REQUEST_OPTIONS(&request), { }
	};
	const struct plot_kind *kind = kinds;
	struct evaluation ev;
	struct results r;
	int skip, failed;

	skip = options_parse(&usage, options, argc, argv);
	argc -= skip;
	argv += skip;
	while (kind->name && strcmp(kind->name, argv[0]))
		kind++;
	if (!kind->name)
		return unknown_word(&usage, "plot", argv[0]);
	if (picture_check(output))
		return USAGE;

	d.ev = &ev;
	d.title = title;
	failed = request_read(&request, argv + 1, argc - 1, &r, &ev);
	if (!failed) {
		failed = make(&d, kind, argv + 1);
		if (!failed) {
			failed = draw(&d, kind, output);
			free((char *)d.title);
		}
	}
	table_free(&d.section.table);
	evaluation_free(&ev);
	results_free(&r);
	return failed;
}
