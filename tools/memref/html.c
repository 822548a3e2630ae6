// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memref html: all views of a recording in one self-contained page. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/html.h"
#include "memref/model/flags.h"
#include "lib/leftover.h"
#include "lib/options.h"
#include "memref.h"
#include "memref/view/view.h"

/* Rows shown of a view with a plot, and of one without; summary rows come first. */
#define FIRST_ROWS	10
#define MAX_ROWS	200

static const char style[] =
	":root { color-scheme: light dark; --fg: #222; --bg: #fff; --line: #ccc; --warn: #fff3d6; }\n"
	"@media (prefers-color-scheme: dark) {\n"
	"  :root { --fg: #ddd; --bg: #181818; --line: #444; --warn: #4a3a10; }\n"
	"}\n"
	"body { font: 15px/1.4 sans-serif; max-width: 1200px; margin: 1em auto; padding: 0 1em;\n"
	"  color: var(--fg); background: var(--bg); }\n"
	"h2 { border-bottom: 1px solid var(--line); margin-top: 2em; }\n"
	"a { color: inherit; }\n"
	"nav a { margin-right: 1em; }\n"
	".warnings { background: var(--warn); padding: .5em 1em; }\n"
	".plots { display: grid; gap: 1em; grid-template-columns: repeat(auto-fit, minmax(450px, 1fr)); }\n"
	"figure { margin: 0; } figure:first-child { grid-column: 1 / -1; }\n"
	"svg { width: 100%; background: #fff; }\n"
	".scroll { overflow-x: auto; }\n"
	"table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .5em 0; }\n"
	"th, td { border: 1px solid var(--line); padding: .1em .5em; text-align: right; }\n"
	"th, td.text { text-align: left; }\n"
	"pre { overflow: auto; max-height: 30em; border: 1px solid var(--line); padding: .5em; }\n"
	"@media print {\n"
	"  body { font-size: 11px; max-width: none; } nav, details { display: none; }\n"
	"  figure, table { break-inside: avoid; }\n"
	"}\n";

struct page {
	FILE *f, *nav;			/* the body, and the links to its sections */
	struct model *m;
	char dir[4096];			/* temporary folder for the pictures */
	int pictures;
};

static void settings(struct page *p)
{
	static const char * const flush[] = { "off", "once", "exact" };
	static const char * const write[] = { "off", "anon", "all" };
	const struct scan_row *s = &p->m->intervals[0].scan;
	size_t last = p->m->nr_intervals - 1;

	fputs("<p>", p->f);
	html_text(p->f, p->m->host);
	fprintf(p->f, "<br>\n%zu intervals in %.3f s", p->m->nr_intervals,
		interval_time(p->m, last));
	if (s->interval_ms)
		fprintf(p->f, ", %u ms each", s->interval_ms);
	else
		fputs(", ended on demand", p->f);
	fprintf(p->f, "; groups (LMBs) of %g MiB; TLB flush %s; write detection: %s",
		s->group_kb / 1024.0, flush[s->flush % 3], write[s->write % 3]);
	if (s->kernel_leaf_kb)
		fprintf(p->f, "; kernel mapped by %u KiB", s->kernel_leaf_kb);
	else
		fputs("; without the kernel", p->f);
	if (s->pids)
		fprintf(p->f, "; %u selected processes", s->pids);
	if (s->cpu_max)
		fprintf(p->f, "; at most %u %% of a CPU", s->cpu_max);
	fputs("\n", p->f);
}

/* Add a list item; the first call opens the list. */
static void warn(struct page *p, int *warned, const char *what, uint64_t n, const char *unit)
{
	if (!n)
		return;
	if (!(*warned)++)
		fputs("<div class=\"warnings\"><p>When reading the numbers, consider:\n<ul>\n", p->f);
	fprintf(p->f, "<li>%s: %" PRIu64 "%s\n", what, n, unit);
}

static void warnings(struct page *p, int damaged)
{
	const struct model *m = p->m;
	const struct flag *flag;
	int warned = 0;
	char unit[64];
	size_t i;

	if (damaged)
		fputs("<div class=\"warnings\"><p>The file is damaged or truncated: this page shows "
		      "the part that could be read.</div>\n", p->f);
	warn(p, &warned, "events lost", m->lost_events, "");
	warn(p, &warned, "intervals missing", m->missing, "");
	warn(p, &warned, "intervals without some of their groups", m->incomplete, "");
	snprintf(unit, sizeof(unit), " of %zu intervals", m->nr_intervals);
	for (flag = flags; flag->name; flag++) {
		uint64_t n = 0;

		for (i = 0; i < m->nr_intervals; i++)
			n += !!(m->intervals[i].scan.flags & flag->bit);
		if (flag->doubt)
			warn(p, &warned, flag->about, n, unit);
	}
	if (warned)
		fputs("</ul></div>\n", p->f);
}

/* The contents of the file, to be freed; NULL if it cannot be read. */
static char *read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!f)
		return NULL;
	if (getdelim(&text, &size, '\0', f) < 0) {
		free(text);
		text = NULL;
	}
	fclose(f);
	return text;
}

/* Call @what with the path of each temporary file: picture and CSV. */
static void each_file(const struct page *p, void (*what)(const char *path))
{
	static const char * const names[] = { "plot.svg", "plot.csv" };
	char path[sizeof(p->dir) + 16];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", p->dir, names[i]);
		what(path);
	}
}

static void remove_file(const char *path)
{
	unlink(path);
}

static void picture(struct page *p, const char *class, const char *svg)
{
	char prefix[16];

	snprintf(prefix, sizeof(prefix), "p%d-", p->pictures);
	p->pictures++;
	fputs("<figure>", p->f);
	html_svg(p->f, svg, prefix);
	fputs("<figcaption>", p->f);
	html_text(p->f, class);
	fputs("</figcaption></figure>\n", p->f);
}

/*
 * One picture per class; identical ones once.  Return OK, or FAILED if drawing
 * failed before the first picture of the page.
 */
static int plots(struct page *p, const struct view *view)
{
	char *svg[NR_PLOT_CLASSES] = { NULL };
	char path[sizeof(p->dir) + 16];
	int c, d, ret = OK;

	snprintf(path, sizeof(path), "%s/plot.svg", p->dir);
	fputs("<div class=\"plots\">\n", p->f);
	for (c = 0; c < NR_PLOT_CLASSES && !ret; c++) {
		if (!plot_has(p->m, view, plot_classes[c]))
			continue;
		if (!plot_draw(p->m, view, path, plot_classes[c], ""))
			svg[c] = read_file(path);
		each_file(p, remove_file);
		if (!svg[c]) {
			ret = p->pictures ? OK : FAILED;
			continue;
		}
		for (d = 0; d < c && (!svg[d] || strcmp(svg[c], svg[d])); d++)
			;
		if (d == c)
			picture(p, plot_classes[c], svg[c]);
	}
	fputs("</div>\n", p->f);
	for (c = 0; c < NR_PLOT_CLASSES; c++)
		free(svg[c]);
	return ret;
}

static int rows(struct page *p, const struct view *view, struct table *t)
{
	size_t nr = table_rows(t), shown = view->plot ? FIRST_ROWS : MAX_ROWS;
	char *csv = NULL;
	size_t size;
	FILE *f;
	int failed;

	fputs("<div class=\"scroll\">", p->f);
	failed = table_print_html(t, shown, p->f);
	fputs("</div>\n", p->f);
	f = open_memstream(&csv, &size);
	if (!f)
		return complain(FAILED, "no memory left");
	failed |= table_print(t, TABLE_CSV, f);
	failed |= fclose(f);
	if (!failed) {
		if (nr > shown)
			fprintf(p->f, "<p>The first %zu of %zu rows.\n", shown, nr);
		fputs("<details><summary>CSV</summary><pre>", p->f);
		html_text(p->f, csv);
		fputs("</pre></details>\n", p->f);
	}
	free(csv);
	return failed ? FAILED : OK;
}

/* Skips views that this recording lacks data for. */
static int view(struct page *p, const struct view *v)
{
	char lacks[512];
	struct table t;
	int ret = view_make(v, p->m, &t, lacks, sizeof(lacks));

	if (ret < 0)
		complain(FAILED, "%s: %s", v->name, lacks);
	if (ret > 0)
		ret = OK;
	else if (!ret && t.nr_cells) {
		fprintf(p->nav, "<a href=\"#%s\">%s</a>\n", v->name, v->name);
		fprintf(p->f, "<h2 id=\"%s\">%s: ", v->name, v->name);
		html_text(p->f, v->about);
		fputs("</h2>\n", p->f);
		if (v->plot)
			ret = plots(p, v);
		if (!ret)
			ret = rows(p, v, &t);
	}
	table_free(&t);
	return ret;
}

static void head(struct page *p, FILE *f, const char *title, int damaged)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>", f);
	html_text(f, title);
	fprintf(f, "</title>\n<style>\n%s</style>\n<h1>", style);
	html_text(f, title);
	fputs("</h1>\n", f);
	p->f = f;
	settings(p);
	warnings(p, damaged);
}

static int write_page(struct page *p, FILE *f, const char *title, int damaged)
{
	char *body = NULL, *nav = NULL;
	const struct view *v;
	size_t size;
	int ret = OK;

	p->f = open_memstream(&body, &size);
	p->nav = open_memstream(&nav, &size);
	/* Views with pictures first, then the tables without. */
	for (v = views; p->f && p->nav && v->name && !ret; v++)
		ret = v->plot ? view(p, v) : OK;
	for (v = views; p->f && p->nav && v->name && !ret; v++)
		ret = v->plot ? OK : view(p, v);
	if ((p->f && fclose(p->f)) | (p->nav && fclose(p->nav)) || !body || !nav)
		ret = complain(FAILED, "no memory left");
	if (!ret) {
		head(p, f, title, damaged);
		fprintf(f, "<nav>%s</nav>\n%s</html>\n", nav, body);
	}
	free(body);
	free(nav);
	return ret;
}

static int html(struct model *m, const char *output, const char *title, int damaged)
{
	const char *tmp = getenv("TMPDIR");
	struct page p = { .m = m };
	struct outfile out;
	int ret;

	if (snprintf(p.dir, sizeof(p.dir), "%s/memref-html.XXXXXX", tmp ? tmp : "/tmp") >=
	    (int)sizeof(p.dir) || !mkdtemp(p.dir))
		return complain(FAILED, "%s: %s", p.dir, strerror(errno));
	leftover_add(p.dir);
	each_file(&p, leftover_add);
	ret = outfile_open(&out, output);
	if (!ret) {
		ret = write_page(&p, out.f, title, damaged);
		errno = 0;
		ret = outfile_close(&out, ret);
	}
	rmdir(p.dir);
	each_file(&p, leftover_done);
	leftover_done(p.dir);
	return ret;
}

static const struct verb_usage usage = {
	.command = "memref html", .operands = "[FILE] -o PAGE [options]",
	.about = "Write all views and plots of a recording (default trace.dat) as one HTML page.", .max = 1,
};

int cmd_html(int argc, char **argv)
{
	const char *path, *output = NULL, *title = NULL;
	const struct opt options[] = {
		OPT_TEXT('o', "output", "PAGE", &output, ".html"),
		OPT_TEXT(0, "title", "TITLE", &title, "title of the page (default: name of the recording)"),
		OPT_CHANGED('t', NULL, "--title"), { }
	};
	int damaged, failed, needs = 0;
	const struct view *v;
	struct window window = { };
	struct model model;

	argv += options_parse(&usage, options, argc, argv);
	if (!output)
		return options_wrong(&usage, "-o PAGE is missing");
	path = argv[0] ? argv[0] : "trace.dat";
	for (v = views; v->name; v++)
		needs |= v->needs;
	damaged = load_recording(path, &window, needs, &model);
	failed = !model.nr_intervals || html(&model, output, title ? title : path, damaged);
	model_free(&model);
	return damaged || failed ? FAILED : OK;
}
