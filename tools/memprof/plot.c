// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof plot: draw a view of a recording.  Writes the view's CSV beside the picture and
 * lets gnuplot draw it by plots/memprof-VIEW.gp.
 */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/gnuplot.h"
#include "lib/table.h"
#include "lib/cells/utf8.h"
#include "memprof_cli.h"
#include "options.h"
#include "plot.h"

/* Bytes of the command in a title, with the end. */
#define TITLE_COMMAND	80

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
	.command = "memprof plot", .operands = "VIEW [FILE] -o PICTURE [options]", .words = words,
	.about = "Draw a view of a recording (default " DEFAULT_FILE ").", .min = 1, .max = 2, .only = common_only,
};

static int write_csv(struct table *t, const char *csv)
{
	struct outfile out;

	if (outfile_open(&out, csv))
		return FAILED;
	return outfile_close(&out, table_print_plot(t, out.f)) ? FAILED : OK;
}

static void default_title(const struct memprof *m, const struct view *view, char *title, size_t size)
{
	json_t *meta = json_loads(memprof_meta(m), 0, NULL);
	const char *command = json_string_value(json_object_get(meta, "command"));
	const char *source = json_string_value(json_object_get(meta, "source"));
	char text[TITLE_COMMAND];

	/* A picture is so wide; what is longer would be cut at both ends. */
	utf8_copy(text, sizeof(text), command && *command ? command : "?");
	snprintf(title, size, "%s - %s%s (%s, %lu samples)", view->name, text,
		 command && strlen(command) > strlen(text) ? "..." : "", source ? source : "?",
		 (unsigned long)memprof_totals(m)->samples);
	json_decref(meta);
}

static int run_gnuplot(const struct view *view, const char *plots, const struct picture_files *p, const char *title)
{
	char script[64], *commands = NULL;
	size_t size;
	int failed;
	FILE *f = open_memstream(&commands, &size);

	if (!f)
		return complain(FAILED, "no memory left");
	gnuplot_path(f, "plots", plots);
	gnuplot_path(f, "csv", p->data);
	gnuplot_path(f, "out", p->tmp);
	gnuplot_text(f, "title", title);
	snprintf(script, sizeof(script), "memprof-%s", view->name);
	failed = fclose(f) ? complain(FAILED, "no memory left") : gnuplot_run(plots, script, commands);
	free(commands);
	return failed;
}

/**
 * plot_draw() - draw a view
 * @m: the recording
 * @view: one with a plot
 * @t: its rows, at least one
 * @output: the picture, .png or .svg; its data go beside it as .csv
 * @title: of the picture; NULL: the view and the command
 *
 * Return: OK, or FAILED after saying why.
 */
int plot_draw(struct memprof *m, const struct view *view, struct table *t, const char *output, const char *title)
{
	char plots[PATH_MAX], text[512];
	struct picture_files p;
	int failed;

	if (gnuplot_find(plots, sizeof(plots)))
		return complain(FAILED, "no plot scripts found (set MEMSCOPE_PLOTS)");
	if (picture_name(&p, output, ".csv"))
		return FAILED;
	if (!title) {
		default_title(m, view, text, sizeof(text));
		title = text;
	}
	if (picture_begin(&p))
		return FAILED;
	failed = write_csv(t, p.data) || run_gnuplot(view, plots, &p, title);
	return picture_end(&p, output, failed);
}

/* Return: OK, or FAILED after saying why */
static int draw(struct memprof *m, const struct view *view, const struct common *c, const char *output,
		const char *title)
{
	struct table table;
	int failed;

	if (view->make(m, &c->view, &table))
		failed = complain(FAILED, "no memory left");
	else if (common_matches(m, c, table_rows(&table)))
		failed = FAILED;
	else if (!table.nr_cells)
		failed = complain(FAILED, "%s: there is nothing to draw", view->name);
	else
		failed = plot_draw(m, view, &table, output, title);
	table_free(&table);
	return failed;
}

int cmd_plot(int argc, char **argv)
{
	struct common common = COMMON_DEFAULT;
	const char *output = NULL, *title = NULL;
	const struct opt options[] = {
		OPT_TEXT('o', "output", "PICTURE", &output, "a .png or .svg file; its data are written beside it as .csv"),
		OPT_TEXT(0, "title", "TITLE", &title, "title of the picture (default: the view and the command)"),
		OPT_CHANGED('t', NULL, "--title"), COMMON_OPTIONS(&common), { }
	};
	const struct view *view;
	struct memprof *m;
	int damaged, failed;

	argv += options_parse(&usage, options, argc, argv);
	view = view_find(argv[0]);
	if (!view || !view->plot)
		return unknown_word(&usage, "plot", argv[0]);
	if (common_check_options(&common))
		return USAGE;
	if (picture_check(output))
		return USAGE;
	m = common_open(argv[1], &common, &damaged);
	if (!m || common_check(m, &common)) {
		memprof_close(m);
		return FAILED;
	}
	common_doubt(m, argv[1], &common);
	failed = draw(m, view, &common, output, title);
	memprof_close(m);
	return damaged || failed ? FAILED : OK;
}
