// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * dprof plot: draw a view of a recording.
 *
 * The data are written to a file beside the picture: CSV for the view's gnuplot script in
 * plots/, or the graph for Graphviz's dot.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/gnuplot.h"
#include "dprof.h"
#include "dprof/view/view.h"

static const char *words(int n, const char **about)
{
	const struct view *v;

	for (v = views; v->name; v++) {
		if (!v->plot || n--)
			continue;
		if (about)
			*about = v->about;
		return v->name;
	}
	return NULL;
}

/* The graph of dataflow is of one type. */
#define PLOTTED	"assoc-sets|sharing"

static const struct opt_only only[] = {
	{ "level", PLOTTED }, { "cache", PLOTTED }, { "per-sample", PLOTTED }, { "seed", PLOTTED }, { "top", PLOTTED },
	{ }
};

static const struct verb_usage usage = {
	.command = "dprof plot", .operands = "VIEW [FILE] -o PICTURE [options]", .words = words, .only = only,
	.about = "Draw a view of a recording (" DEFAULT_INPUT ").", .min = 1, .max = 2,
};

/* @of: the recording, for messages */
static int write_data(struct analysis *a, const struct view *view, const char *of, const char *path)
{
	bool dot = !strcmp(view->plot, "dot");
	struct table table = { };
	struct outfile out;
	int failed = 0;

	if (!dot && view->make(a, &table))
		failed = complain(FAILED, "out of memory");
	/* gnuplot has no range for the axes then. */
	if (!failed && !dot && !table_rows(&table))
		failed = complain(FAILED, "%s: nothing to draw: dprof report %s is empty", of, view->name);
	if (!failed)
		failed = outfile_open(&out, path);
	if (!failed)
		failed = outfile_close(&out, dot ? dataflow_dot(a, out.f) :
				       table_print_plot(&table, out.f));
	table_free(&table);
	return failed ? FAILED : OK;
}

static int run_dot(const struct picture_files *p)
{
	const char *type = strcmp(strrchr(p->tmp, '.'), ".svg") ? "-Tpng" : "-Tsvg";

	return picture_run((const char * const []){ "dot", type, "-o", p->tmp, p->data, NULL }, "graphviz");
}

static int run_gnuplot(struct analysis *a, const struct view *view, const struct picture_files *p,
		       const char *title)
{
	char plots[PATH_MAX], *commands = NULL, text[512];
	size_t size;
	FILE *f;
	int failed;

	if (gnuplot_find(plots, sizeof(plots)))
		return complain(FAILED, "no plot scripts found (set MEMSCOPE_PLOTS)");
	if (!title) {
		snprintf(text, sizeof(text), "%s%s%s - %s: cache of %llu KiB, %u ways", view->about,
			 a->only ? ": " : "", a->only ? a->only->name : "", a->m.host,
			 (unsigned long long)a->geometry.size >> 10, a->geometry.ways);
		title = text;
	}
	f = open_memstream(&commands, &size);
	if (!f)
		return complain(FAILED, "out of memory");
	gnuplot_path(f, "plots", plots);
	gnuplot_path(f, "csv", p->data);
	gnuplot_path(f, "out", p->tmp);
	gnuplot_text(f, "title", title);
	fprintf(f, "ways=%u; sets=%u", a->geometry.ways, geometry_sets(&a->geometry));
	failed = fclose(f) ? complain(FAILED, "out of memory") :
			     gnuplot_run(plots, view->plot, commands);
	free(commands);
	return failed;
}

static int draw(struct analysis *a, const struct view *view, const char *path, const char *output,
		const char *title)
{
	const char *lacks = view->lacks ? view->lacks(a) : NULL;
	bool dot = !strcmp(view->plot, "dot");
	struct picture_files p;
	int failed;

	if (analysis_matches(a))
		return FAILED;
	if (lacks)
		return complain(FAILED, "%s: %s", path, lacks);
	/* The lines of a recording without types have other columns. */
	if (view->make == view_sharing && !model_has_types(&a->m))
		return complain(FAILED, "%s: no plot of sharing without types of objects: see dprof report sharing", path);
	view_note(a, view->shows, path);
	if (picture_name(&p, output, dot ? ".dot" : ".csv"))
		return FAILED;
	if (picture_begin(&p))
		return FAILED;
	failed = write_data(a, view, path, p.data);
	if (!failed)
		failed = dot ? run_dot(&p) : run_gnuplot(a, view, &p, title);
	return picture_end(&p, output, failed);
}

int cmd_plot(int argc, char **argv)
{
	const char *output = NULL, *title = NULL, *path;
	const struct view *view;
	struct analysis a;
	const struct opt options[] = {
		OPT_TEXT('o', "output", "PICTURE", &output,
			 "a .png or .svg file; its data are written beside it as .csv or .dot"),
		OPT_TEXT(0, "title", "TITLE", &title, "title of the picture (default: host and cache)"),
		OPT_CHANGED('t', NULL, "--title"), ANALYSIS_LEVEL_OPTION(&a), ANALYSIS_SIM_OPTIONS(&a),
		ANALYSIS_TYPES_OPTIONS(&a), ANALYSIS_SAMPLES_OPTIONS(&a), ANALYSIS_FILES_OPTIONS(&a), { }
	};
	int ret;

	analysis_init(&a);
	argv += options_parse(&usage, options, argc, argv);
	view = view_find(argv[0]);
	if (!view || !view->plot)
		return unknown_word(&usage, "plot", argv[0]);
	if (picture_check(output))
		return USAGE;
	path = recording_path(argv[1]);
	if (!path)
		return FAILED;
	ret = analysis_load(&a, path, view->need);
	if (a.m.events && draw(&a, view, path, output, title))
		ret = FAILED;
	analysis_free(&a);
	return ret;
}
