// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memref html: all views of a recording in one self-contained page. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/doctor/system.h"
#include "lib/html.h"
#include "lib/tmpfiles.h"
#include "lib/options.h"
#include "lib/page/page.h"
#include "memref.h"
#include "memref/model/flags.h"
#include "memref/view/view.h"

/* Rows shown of a view with a plot, and of one without; summary rows come first. */
#define FIRST_ROWS	10
#define MAX_ROWS	200

/* What page.js draws of each view, and the column by which its rows are ranked. */
#define CLASSES(prefix, suffix) \
	"\"series\":[[\"" prefix "kernel" suffix "\",\"kernel\"],[\"" prefix "user" suffix "\",\"user\"]," \
	"[\"" prefix "page_cache" suffix "\",\"page cache\"]"
#define OVER_TIME "\"x\":\"time_s\",\"time\":true,\"xlabel\":\"time (s)\","

static const struct drawing {
	const char *view, *rank, *spec;
} drawings[] = {
	{ "wss", "wss_total_mib", "{\"kind\":\"lines\"," OVER_TIME CLASSES("wss_", "_mib")
	  ",[\"wss_total_mib\",\"total\"],[\"rss_mib\",\"resident\"]],\"unit\":\"MiB\",\"ylabel\":\"MiB per interval\"}" },
	{ "heatmap", "pages_user", "{\"kind\":\"heat\"," OVER_TIME CLASSES("pages_", "") "],\"width\":\"interval_s\","
	  "\"y\":\"phys_addr\",\"size\":\"size_kib\",\"unit\":\"pages\",\"ylabel\":\"physical address, gaps shortened\"}" },
	{ "virtual", "pages", "{\"kind\":\"heat\"," OVER_TIME "\"series\":[[\"pages\",\"user\"]],\"width\":\"interval_s\","
	  "\"y\":\"virt_addr\",\"size\":\"size_kib\",\"place\":\"place_mib\",\"unit\":\"pages\","
	  "\"ylabel\":\"virtual address, gaps left out\"}" },
	{ "temporal", "groups", "{\"kind\":\"lines\"," OVER_TIME CLASSES("groups_", "")
	  ",[\"groups\",\"total\"]],\"unit\":\"groups\",\"ylabel\":\"groups per interval\"}" },
	{ "spatial", "intervals", "{\"kind\":\"stems\",\"x\":\"phys_addr\",\"xscale\":9.313225746154785e-10,\"xunit\":\"GiB\","
	  "\"xlabel\":\"physical address (GiB)\"," CLASSES("intervals_", "")
	  ",[\"intervals\",\"total\"]],\"unit\":\"intervals\",\"ylabel\":\"intervals with a reference\"}" },
	{ "numa", NULL, "{\"kind\":\"lines\",\"by\":\"node\",\"scale\":0.00390625," OVER_TIME CLASSES("pages_", "")
	  "],\"unit\":\"MiB\",\"ylabel\":\"MiB per interval\"}" },
	{ "thp", NULL, "{\"kind\":\"bars\",\"label\":[\"density_pct\"],\"format\":\"{0} % of the block\","
	  "\"series\":[[\"share_pages_pct\",\"pages\"],[\"share_blocks_pct\",\"blocks\"]],\"unit\":\"%\"}" },
	{ "mapping-times", "mib", "{\"kind\":\"lines\",\"stacked\":true,\"by\":\"mapping\"," OVER_TIME
	  "\"series\":[[\"mib\",\"referenced\"]],\"unit\":\"MiB\",\"ylabel\":\"MiB per interval\"}" },
	{ "ages", NULL, "{\"kind\":\"lines\",\"stacked\":true,\"where\":[\"of\",\"total\"]," OVER_TIME
	  "\"series\":[[\"age_0_mib\",\"age 0\"],[\"age_1_mib\",\"1\"],[\"age_2_mib\",\"2-3\"],[\"age_4_mib\",\"4-7\"],"
	  "[\"age_8_mib\",\"8-15\"],[\"age_16_mib\",\"16-31\"],[\"age_32_mib\",\"32-63\"],[\"age_64_mib\",\"64-127\"],"
	  "[\"age_128_mib\",\"128 or more\"]],\"unit\":\"MiB\",\"ylabel\":\"MiB by idle age (intervals)\"}" },
	{ }
};

struct page {
	FILE *f, *nav, *tables;		/* pictures, links to sections, tables */
	struct model *m;
	char dir[4096];			/* temporary folder for the pictures */
	int pictures;
	bool scripted;			/* no pictures: plots only where the page's script may run */
};

static void settings(struct page *p)
{
	static const char * const flush[] = { "off", "once", "exact" };
	static const char * const write[] = { "off", "anon", "all" };
	const struct scan_row *s = &p->m->intervals[0].scan;
	size_t last = p->m->nr_intervals - 1;

	fputs("<p class=\"settings\">", p->f);
	html_text(p->f, p->m->host);
	fprintf(p->f, "<br>\n%zu intervals in %.3f s", p->m->nr_intervals,
		interval_time(p->m, last));
	if (s->interval_ms && s->parts > 1)
		fprintf(p->f, ", each of %u parts of %u ms", s->parts, s->interval_ms);
	else if (s->interval_ms)
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
	fputs("</p>\n", p->f);
}

/* Add a list item; the first call opens the list. */
static void warn(struct page *p, int *warned, const char *what, uint64_t n, const char *unit)
{
	if (!n)
		return;
	if (!(*warned)++)
		fputs("<div class=\"warnings\"><p>When reading the numbers, consider:</p>\n<ul>\n", p->f);
	fprintf(p->f, "<li>%s: %" PRIu64 "%s</li>\n", what, n, unit);
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
		      "the part that could be read.</p></div>\n", p->f);
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

/* The contents of the file, to be freed; NULL with a message printed if it cannot be read. */
static char *read_file(const char *path)
{
	FILE *f;
	char *text = NULL;
	size_t size = 0;

	errno = 0;
	f = fopen(path, "r");
	if (!f || getdelim(&text, &size, '\0', f) < 0) {
		complain(FAILED, "%s: %s", path, errno ? strerror(errno) : "empty file");
		free(text);
		text = NULL;
	}
	if (f)
		fclose(f);
	return text;
}

/* Call @what with the path of each temporary file: picture and CSV.  Return: 0 if it did for each. */
static int each_file(const struct page *p, int (*what)(const char *path))
{
	static const char * const names[] = { "plot.svg", "plot.csv" };
	char path[sizeof(p->dir) + 16];
	size_t i;
	int ret = 0;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", p->dir, names[i]);
		ret |= what(path);
	}
	return ret;
}

static int forget_file(const char *path)
{
	tmpfile_done(path);
	return 0;
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

/* One picture per class; identical ones once.  Return: OK, or FAILED with a message printed. */
static int plots(struct page *p, const struct view *view)
{
	char *svg[NR_PLOT_CLASSES] = { NULL };
	char path[sizeof(p->dir) + 16];
	int c, d, ret = OK;

	snprintf(path, sizeof(path), "%s/plot.svg", p->dir);
	for (c = 0; c < NR_PLOT_CLASSES && !ret; c++) {
		if (!plot_has(p->m, view, plot_classes[c]))
			continue;
		if (!plot_draw(p->m, view, path, plot_classes[c], ""))
			svg[c] = read_file(path);
		each_file(p, unlink);
		if (!svg[c]) {
			ret = FAILED;
			continue;
		}
		for (d = 0; d < c && (!svg[d] || strcmp(svg[c], svg[d])); d++)
			;
		if (d == c)
			picture(p, plot_classes[c], svg[c]);
	}
	for (c = 0; c < NR_PLOT_CLASSES; c++)
		free(svg[c]);
	return ret;
}

static const struct drawing *find_drawing(const struct view *v)
{
	const struct drawing *d = drawings;

	while (d->view && strcmp(d->view, v->name))
		d++;
	return d;
}

static int picture_of(struct page *p, const struct view *v, const struct drawing *d)
{
	const struct page_plot plot = { d->spec ? d->spec : "{}", v->about };
	int ret;

	fprintf(p->nav, "<a href=\"#plot-%s\">%s</a>\n", v->name, v->name);
	fprintf(p->f, "<h3>%s</h3>\n", v->name);
	page_plot_begin(p->f, v->name, &plot);
	ret = p->scripted ? OK : plots(p, v);
	page_plot_end(p->f, &plot);
	return ret;
}

/* Skips views that this recording lacks data for. */
static int view(struct page *p, const struct view *v)
{
	const struct drawing *d = find_drawing(v);
	const struct page_table show = {
		.name = v->name, .about = v->about, .rank = d->rank, .shown = v->plot ? FIRST_ROWS : MAX_ROWS,
	};
	char lacks[512];
	struct table t;
	int ret = view_make(v, p->m, &t, lacks, sizeof(lacks));

	if (ret < 0)
		complain(FAILED, "%s: %s", v->name, lacks);
	if (ret > 0)
		ret = OK;
	else if (!ret && t.nr_cells) {
		if (v->plot && (d->spec || !p->scripted))
			ret = picture_of(p, v, d);
		fprintf(p->nav, "<a href=\"#%s\">%s%s</a>\n", v->name, v->plot ? "rows of " : "", v->name);
		if (!ret && page_table(p->tables, &show, &t))
			ret = complain(FAILED, "no memory left");
	}
	table_free(&t);
	return ret;
}

static int verdict(struct page *p)
{
	char *text = NULL, *line, *next;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int ret = f ? verdict_write(p->m, f) : -1;

	if (f && fclose(f))
		ret = -1;
	fputs("<div class=\"verdict\" id=\"verdict\">\n", p->f);
	for (line = text; !ret && line && *line; line = next) {
		next = strchr(line, '\n');
		*next++ = '\0';
		fputs("<p>", p->f);
		html_text(p->f, line);
		fputs("</p>\n", p->f);
	}
	fputs("</div>\n", p->f);
	free(text);
	return ret ? complain(FAILED, "no memory left") : OK;
}

static int write_page(struct page *p, FILE *f, const char *title, int damaged)
{
	char *body = NULL, *nav = NULL, *tables = NULL;
	const struct view *v;
	size_t size;
	int ret = OK;

	p->f = open_memstream(&body, &size);
	p->nav = open_memstream(&nav, &size);
	p->tables = open_memstream(&tables, &size);
	/* Views with pictures first, then the tables without. */
	for (v = views; p->f && p->nav && p->tables && v->name && !ret; v++)
		ret = v->plot ? view(p, v) : OK;
	for (v = views; p->f && p->nav && p->tables && v->name && !ret; v++)
		ret = v->plot ? OK : view(p, v);
	if ((p->f && fclose(p->f)) | (p->nav && fclose(p->nav)) | (p->tables && fclose(p->tables)) ||
	    !body || !nav || !tables)
		ret = complain(FAILED, "no memory left");
	if (!ret) {
		page_head(f, title, p->m->begin_ns);
		p->f = f;
		ret = verdict(p);
		settings(p);
		warnings(p, damaged);
		fprintf(f, "<nav aria-label=\"sections\">%s</nav>\n<h2>Pictures</h2>\n%s<h2>Tables</h2>\n%s",
			nav, body, tables);
		page_foot(f);
	}
	free(body);
	free(nav);
	free(tables);
	return ret;
}

static int html(struct model *m, const char *output, const char *title, int damaged)
{
	const char *tmp = getenv("TMPDIR");
	struct page p = { .m = m, .scripted = !system_installed("gnuplot") };
	struct outfile out;
	int ret;

	if (p.scripted)
		complain(OK, "gnuplot not found (Debian package gnuplot-nox): the page has plots only where its script may run");
	if (snprintf(p.dir, sizeof(p.dir), "%s/memref-html.XXXXXX", tmp ? tmp : "/tmp") >=
	    (int)sizeof(p.dir) || !mkdtemp(p.dir))
		return complain(FAILED, "%s: %s", p.dir, strerror(errno));
	if (tmpfile_add(p.dir) || each_file(&p, tmpfile_add))
		ret = complain(FAILED, "%s: %s", p.dir, strerror(errno));
	else
		ret = outfile_open(&out, output);
	if (!ret) {
		ret = write_page(&p, out.f, title, damaged);
		ret = outfile_end(&out, ret);
	}
	rmdir(p.dir);
	each_file(&p, forget_file);
	tmpfile_done(p.dir);
	return ret;
}

static const struct verb_usage usage = {
	.command = "memref html", .operands = "[FILE] -o PAGE [options]",
	.about = "Write all views and plots of a recording (" DEFAULT_INPUT ") as one HTML page.", .max = 1,
};

int cmd_html(int argc, char **argv)
{
	const char *path, *output = NULL, *title = NULL;
	const struct opt options[] = {
		OPT_TEXT('o', "output", "PAGE", &output, "the page, a .html file"),
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
	path = recording_path(argv[0]);
	if (!path)
		return FAILED;
	for (v = views; v->name; v++)
		needs |= v->needs;
	damaged = load_recording(path, &window, needs, &model);
	failed = !model.nr_intervals || html(&model, output, title ? title : path, damaged);
	model_free(&model);
	return damaged || failed ? FAILED : OK;
}
