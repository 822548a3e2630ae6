// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref plot: draw a view of a recording.
 *
 * Write the view as CSV beside the picture, then run the view's gnuplot script
 * in plots/ on the CSV.  Users can run the scripts on the CSV themselves.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/gnuplot.h"
#include "lib/options.h"
#include "memref.h"
#include "memref/view/view.h"
#include "memref/model/window.h"

/* A picture to draw, its files, and the folder of the scripts. */
struct picture {
	const char *class, *title;
	char plots[PATH_MAX];
	struct picture_files files;
};

/* In the order of the words of --class. */
const char * const plot_classes[NR_PLOT_CLASSES] = {
	"total", "user", "kernel", "page_cache", "all",
};

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

static const struct verb_usage usage = {
	.command = "memref plot", .operands = "VIEW [FILE] -o PICTURE [options]", .words = words,
	.about = "Draw a view of a recording (" DEFAULT_INPUT ").", .min = 1, .max = 2,
};

static void default_title(const struct model *m, const struct view *view, const char *class,
			  char *title, size_t size)
{
	const struct scan_row *s = &m->intervals[0].scan;
	const enum age_by by = m->ages.by;
	char what[64], interval[48], kernel[48] = "";
	int user = view->plot == PLOT_NO_CLASS || !strcmp(class, "user");

	if (s->interval_ms && s->parts > 1)
		snprintf(interval, sizeof(interval), "of %u parts of %u ms", s->parts, s->interval_ms);
	else if (s->interval_ms)
		snprintf(interval, sizeof(interval), "%u ms", s->interval_ms);
	else
		snprintf(interval, sizeof(interval), "on demand");
	if (s->kernel_leaf_kb && !user && strcmp(class, "page_cache"))
		snprintf(kernel, sizeof(kernel), ", kernel mapped by %u KiB", s->kernel_leaf_kb);
	if (view->plot != PLOT_NO_CLASS)
		snprintf(what, sizeof(what), "%s, %s", view->name, class);
	else
		snprintf(what, sizeof(what), "%s%s%s", view->name, by == AGES_TOTAL ? "" : " by ",
			 by == AGES_TOTAL ? "" : age_by_names[by]);
	snprintf(title, size, "%s - %s: interval %s, LMB %g MiB, TLB flush %s%s", what, m->host,
		 interval, s->group_kb / 1024.0, flush_name(s->flush), kernel);
}

/* A plot cannot show more; bounds gnuplot's command line. */
#define MAX_BOUNDARIES 64

/* Node boundaries as "node start_byte" pairs; a node may have several spans. */
static void print_nodes(FILE *f, const struct model *m)
{
	const struct node_span *spans = m->spans;
	size_t i, n = 0;

	fputs("nodes='", f);
	for (i = 0; i < m->nr_spans && n < MAX_BOUNDARIES; i++)
		if (!i || spans[i].node != spans[i - 1].node)
			n += fprintf(f, "%u %" PRIu64 " ", spans[i].node, spans[i].start) > 0;
	fputs("'; ", f);
}

/* gnuplot cannot scale the palette of an empty heat map. */
static int has_pages(const struct model *m, const char *class)
{
	size_t i;
	int c;

	for (i = 0; i < m->nr_intervals; i++)
		for (c = 0; c < NR_CLASSES; c++)
			if (m->intervals[i].pages[c] &&
			    (!strcmp(class, "total") || !strcmp(class, class_names[c])))
				return 1;
	return 0;
}

static int write_csv(struct model *m, const struct view *view, const char *csv)
{
	struct outfile out;
	struct table table;
	char error[512];
	int failed;

	failed = view_make_plot(view, m, &table, error, sizeof(error));
	if (failed) {
		complain(FAILED, "%s", error);
	} else {
		failed = outfile_open(&out, csv);
		if (!failed)
			failed = outfile_close(&out, table_print_plot(&table, out.f));
	}
	table_free(&table);
	return failed ? FAILED : OK;
}

/* Of the virtual memory of one process: lacks_virt_events() refuses that of several. */
static uint32_t shown_process(const struct model *m)
{
	uint32_t i;

	for (i = 0; i < m->nr_virt_pids - 1; i++)
		if (pids_choose(&m->window.pids, m->virt_pids[i]))
			break;
	return m->virt_pids[i];
}

/* The scripts' variables, to be freed; NULL if out of memory. */
static char *make_commands(struct model *m, const struct view *view,
			   const struct picture *p)
{
	char *commands = NULL, window[256];
	int failed = 0;
	size_t size;
	FILE *f = open_memstream(&commands, &size);

	if (!f)
		return NULL;
	window_describe(&m->window, window, sizeof(window));
	gnuplot_path(f, "plots", p->plots);
	gnuplot_path(f, "csv", p->files.data);
	gnuplot_path(f, "out", p->files.tmp);
	gnuplot_text(f, "title", p->title);
	gnuplot_text(f, "class", p->class);
	gnuplot_text(f, "window", window);
	print_nodes(f, m);
	if (view->legend)
		failed = view->legend(m, f);
	if (view->needs & VIEW_VIRT)
		fprintf(f, "process=%u; ", shown_process(m));
	fprintf(f, "group_mib=%g; from=%g; addr=%" PRIu64 ".0",
		m->intervals[0].scan.group_kb / 1024.0, m->window.from, m->window.addr);
	if (!fclose(f) && !failed)
		return commands;
	free(commands);
	return NULL;
}

static int run_gnuplot(struct model *m, const struct view *view, const struct picture *p)
{
	char *commands = make_commands(m, view, p);
	int failed = commands ? gnuplot_run(p->plots, view->name, commands) : complain(FAILED, "no memory left");

	free(commands);
	return failed;
}

/**
 * plot_has() - whether a view can be drawn for a class
 * @m: the model
 * @view: one with a plot
 * @class: one of plot_classes[]
 *
 * Return: 1 or 0.
 */
int plot_has(const struct model *m, const struct view *view, const char *class)
{
	switch (view->plot) {
	case PLOT_ALL:
		return 1;
	case PLOT_ONE:
		return strcmp(class, "all") && has_pages(m, class);
	case PLOT_NO_CLASS:
		return !strcmp(class, "total");
	default:
		return 0;
	}
}

/**
 * plot_draw() - draw a view
 * @m: the model
 * @view: one with a plot
 * @output: the picture, .png or .svg; its data are written beside it as .csv
 * @class: one of plot_classes[]
 * @title: title of the picture
 *
 * Return: OK, or FAILED with a message printed.
 */
int plot_draw(struct model *m, const struct view *view, const char *output,
	      const char *class, const char *title)
{
	struct picture p = { .class = class, .title = title };
	int failed;

	if (gnuplot_find(p.plots, sizeof(p.plots)))
		return complain(FAILED, "no plot scripts found (set MEMSCOPE_PLOTS)");
	if (picture_name(&p.files, output, ".csv"))
		return FAILED;
	if (view->plot == PLOT_ONE && !has_pages(m, class))
		return complain(FAILED, "no pages of class %s were referenced", class);

	if (picture_begin(&p.files))
		return FAILED;
	failed = write_csv(m, view, p.files.data) || run_gnuplot(m, view, &p);
	return picture_end(&p.files, output, failed);
}

int cmd_plot(int argc, char **argv)
{
	const char *output = NULL, *class = NULL, *title = NULL;
	int class_index = -1, by = -1;
	struct window window = { };
	const struct opt options[] = {
		OPT_TEXT('o', "output", "PICTURE", &output, "a .png or .svg file; its data are written beside it as .csv"),
		OPT_WORD(0, "class", "total|user|kernel|page_cache|all", &class_index,
			 "of memory (default total)"),
		OPT_TEXT(0, "title", "TITLE", &title, "title of the picture (default: host and settings)"),
		OPT_CHANGED('c', NULL, "--class"), OPT_CHANGED('t', NULL, "--title"),
		WINDOW_OPTIONS(&window), WINDOW_PID_OPTION(&window),
		AGES_BY_OPTION(&by, "draw a picture of idle ages, or a line of the curve, for each of these (default total)"), { }
	};
	const struct view *view;
	const char *path;
	struct model model;
	char text[512], error[512];
	int damaged, failed;

	argv += options_parse(&usage, options, argc, argv);
	if (class_index >= 0)
		class = plot_classes[class_index];
	view = view_find(argv[0]);
	if (!view || !view->plot)
		return unknown_word(&usage, "plot", argv[0]);
	if (window_check(&window))
		return USAGE;
	if (class && view->plot == PLOT_NO_CLASS)
		return wrong_usage("--class %s: the plot %s has no classes", class, view->name);
	if (class && view->plot == PLOT_ONE && !strcmp(class, "all"))
		return wrong_usage("--class all: the plot %s shows one class", view->name);
	if (!class)
		class = "total";
	if (picture_check(output))
		return USAGE;
	if (view_by(view, &window, by, AGES_TOTAL, error, sizeof(error)) ||
	    view_window(view, &window, error, sizeof(error)))
		return wrong_usage("%s", error);

	path = recording_path(argv[1]);
	if (!path)
		return FAILED;
	damaged = load_recording(path, &window, view->needs, &model);
	if (!model.nr_intervals) {
		model_free(&model);
		return FAILED;
	}
	warn_lost_ages(&model, view);
	if (!title) {
		default_title(&model, view, class, text, sizeof(text));
		title = text;
	}
	failed = plot_draw(&model, view, output, class, title);
	model_free(&model);
	return damaged || failed ? FAILED : OK;
}
