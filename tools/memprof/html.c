// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof html: the diagnosis and all views in one page that needs no other file. */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/doctor/system.h"
#include "lib/html.h"
#include "lib/tmpfiles.h"
#include "lib/page/page.h"
#include "memprof_cli.h"
#include "options.h"
#include "memprof/diagnose/patterns.h"
#include "memprof/view/enough.h"
#include "plot.h"

#define MAX_ROWS	100

/* What page.js draws of each view, by what its rows are ranked, and rows that the page has at most. */
static const struct drawing {
	const char *view, *rank, *spec;
	size_t max_rows;
} drawings[] = {
	{ "objects", NULL, "{\"kind\":\"bars\",\"label\":[\"site\"],\"series\":[[\"remote_share_pct\",\"of remote accesses\"],"
	  "[\"memory_share_pct\",\"of accesses of memory\"]],\"unit\":\"%\"}", 50000 },
	{ "nodes", NULL, "{\"kind\":\"bars\",\"label\":[\"from_node\",\"to_node\"],"
	  "\"format\":\"CPUs of node {0}, memory of node {1}\",\"series\":[[\"accesses\",\"accesses\"]],\"unit\":\"samples\"}" },
	{ "flow", NULL, "{\"kind\":\"points\",\"x\":\"time_s\",\"time\":true,\"xlabel\":\"time (s)\",\"y\":\"offset\","
	  "\"ylabel\":\"offset in the object (bytes)\",\"group\":\"remote\",\"series\":[[\"0\",\"local\"],[\"1\",\"remote\"]]}", 20000 },
	{ "lines", NULL, NULL, 50000 },
	{ }
};

static const struct verb_usage usage = {
	.command = "memprof html", .operands = "[FILE] -o PAGE [options]", .max = 1, .only = common_only,
	.about = "Make a page of the diagnosis and all views of a recording (default " DEFAULT_FILE ").",
};

static int put_picture(FILE *f, struct memprof *m, const struct view *v, struct table *t, const char *dir)
{
	char path[4200], csv[4200], *svg = NULL;
	size_t n = 0;
	int bad = -1;
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s.svg", dir, v->name);
	snprintf(csv, sizeof(csv), "%s/%s.csv", dir, v->name);
	if (tmpfile_add(csv))
		return complain(-1, "%s: %s", csv, strerror(errno));
	if (tmpfile_add(path)) {
		tmpfile_done(csv);
		return complain(-1, "%s: %s", path, strerror(errno));
	}
	if (!plot_draw(m, v, t, path, NULL)) {
		in = fopen(path, "re");
		if (in && getdelim(&svg, &n, '\0', in) > 0) {
			char prefix[32];

			snprintf(prefix, sizeof(prefix), "%s-", v->name);
			html_svg(f, svg, prefix);
			bad = 0;
		}
		if (in)
			fclose(in);
		free(svg);
	}
	unlink(path);
	unlink(csv);
	tmpfile_done(path);
	tmpfile_done(csv);
	return bad;
}

/* Return 0, or -1 without memory. */
static int put_finding(FILE *f, struct memprof *m, const struct findings *found, const struct finding *x)
{
	char text[2048] = "the process", *evidence = NULL;
	size_t size;
	FILE *e;

	if (x->object != NO_NUMBER)
		memprof_site_text(memprof_object_site(m, x->object), text, sizeof(text));
	fputs("<li><b>", f);
	html_text(f, text);
	fprintf(f, "</b>: %s. ", pattern_name(x->pattern));
	html_text(f, pattern_about(x->pattern));
	fprintf(f, "; %.1f %% of all remote accesses, %.1f %% of its own are remote.",
		found->remote ? 100.0 * x->remote / found->remote : 0,
		x->accesses ? 100.0 * x->remote / x->accesses : 0);
	e = open_memstream(&evidence, &size);
	if (!e)
		return -1;
	print_evidence(x, e);
	if (fclose(e)) {
		free(evidence);
		return -1;
	}
	fputs("<br>Evidence: ", f);
	html_text(f, evidence + strspn(evidence, " "));
	free(evidence);
	if (x->refused || x->fix != FIX_NONE) {
		fix_text(m, x, text, sizeof(text));
		fputs("<br>Advice: ", f);
		html_text(f, text);
	}
	if (!x->refused && x->fix != FIX_NONE)
		fprintf(f, ". Expected: %.1f %% of all accesses remote.",
			100.0 * (found->remote - x->remote + x->predicted) / found->accesses);
	fputs("</li>\n", f);
	return 0;
}

static int put_diagnosis(FILE *f, struct memprof *m)
{
	struct findings found;
	char text[2048];
	size_t i, n = 0;

	if (patterns_find(m, &found)) {
		patterns_free(&found);
		return -1;
	}
	for (i = 0; i < found.nr; i++)
		n += found.all[i].pattern != PATTERN_NONE;
	fprintf(f, "<div class=\"verdict\">\n<h2 id=\"diagnosis\">diagnosis</h2>\n<p>%.1f %% of %lu sampled accesses of "
		"main memory are remote.</p>\n%s", found.accesses ? 100.0 * found.remote / found.accesses : 0,
		(unsigned long)found.accesses, n ? "<ol>\n" : "");
	for (i = 0; i < found.nr; i++)
		if (found.all[i].pattern != PATTERN_NONE && put_finding(f, m, &found, &found.all[i])) {
			patterns_free(&found);
			return -1;
		}
	fputs(n ? "</ol>\n" : "", f);
	if (found.fixes > 1)
		fprintf(f, "<p>With %zu fixes together: %.1f %% of all accesses remote.</p>\n", found.fixes,
			100.0 * found.joint / found.accesses);
	enough_text(found.judged, n, text, sizeof(text));
	fputs("<p>", f);
	html_text(f, text);
	fputs("</p>\n</div>\n", f);
	patterns_free(&found);
	return 0;
}

/* What the recording is of; what is no text or number of it is shown as JSON. */
static void put_meta(FILE *f, const struct memprof *m)
{
	json_t *meta = json_loads(memprof_meta(m), 0, NULL), *value;
	const char *name;

	fputs("<dl class=\"facts\">\n", f);
	json_object_foreach(meta, name, value) {
		char *text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY);

		fputs("<dt>", f);
		html_text(f, name);
		fputs("</dt><dd>", f);
		html_text(f, text ? text : json_is_string(value) ? json_string_value(value) : "");
		fputs("</dd>\n", f);
		free(text);
	}
	fputs("</dl>\n", f);
	json_decref(meta);
}

static const struct drawing *find_drawing(const struct view *v)
{
	const struct drawing *d = drawings;

	while (d->view && strcmp(d->view, v->name))
		d++;
	return d;
}

/* How plots are put into the page: not at all, by its script, or also as pictures of gnuplot's. */
enum plots { NO_PLOTS, SCRIPTED, PICTURES };

/* @dir: for pictures */
static int put_view(FILE *pictures, FILE *tables, struct memprof *m, const struct view *v,
		    const struct view_options *o, enum plots plots, const char *dir)
{
	const struct drawing *d = find_drawing(v);
	const struct page_plot plot = { d->spec, v->about };
	char command[64];
	const struct page_table show = {
		.name = v->name, .about = v->about, .rank = d->rank, .shown = MAX_ROWS, .max_rows = d->max_rows,
		.command = command,
	};
	struct table table;
	int bad = v->make(m, o, &table);

	snprintf(command, sizeof(command), "memprof report %s FILE -f csv", v->name);
	if (!bad && plots && v->plot && table.nr_cells && (d->spec || plots == PICTURES)) {
		fprintf(pictures, "<h3>%s</h3>\n", v->name);
		page_plot_begin(pictures, v->name, &plot);
		bad = plots == PICTURES ? put_picture(pictures, m, v, &table, dir) : 0;
		page_plot_end(pictures, &plot);
	}
	if (!bad)
		bad = page_table(tables, &show, &table);
	table_free(&table);
	return bad;
}

/* Whether the view that options choose from has rows. */
static bool has_rows(struct memprof *m, const struct view_options *o)
{
	const char *view = o->site ? "objects" : o->object != NO_NUMBER || o->thread != NO_NUMBER ? "flow" : NULL;
	struct table table;
	bool has;

	if (!view)
		return true;
	has = view_find(view)->make(m, o, &table) || table_rows(&table);
	table_free(&table);
	return has;
}

/* All views: pictures first, then the tables. */
static int put_views(FILE *f, struct memprof *m, const struct view_options *o, enum plots plots, const char *dir)
{
	char *pictures = NULL, *tables = NULL;
	size_t size;
	FILE *p = open_memstream(&pictures, &size), *t = open_memstream(&tables, &size);
	const struct view *v;
	int bad = !p || !t;

	for (v = views; v->name && !bad; v++)
		bad = put_view(p, t, m, v, o, plots, dir);
	bad |= p && fclose(p);
	bad |= t && fclose(t);
	if (!bad && *pictures)
		fprintf(f, "<h2>Pictures</h2>\n%s", pictures);
	if (!bad)
		fprintf(f, "<h2>Tables</h2>\n%s", tables);
	free(pictures);
	free(tables);
	return bad;
}

static int write_page(FILE *f, struct memprof *m, const struct common *c, enum plots plots)
{
	const char *tmp = getenv("TMPDIR");
	char dir[PATH_MAX - 64];
	const struct view *v;
	int bad;

	snprintf(dir, sizeof(dir), "%s/memprof-html.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (plots == PICTURES && !mkdtemp(dir))
		return complain(FAILED, "%s: %s", dir, strerror(errno));
	if (plots == PICTURES && tmpfile_add(dir)) {
		complain(FAILED, "%s: %s", dir, strerror(errno));
		rmdir(dir);
		return FAILED;
	}
	page_head(f, "memprof", memprof_totals(m)->start_ns);
	if (memprof_damage(m)) {
		fputs("<p class=\"warnings\"><b>The recording is damaged: ", f);
		html_text(f, memprof_damage(m));
		fputs("</b></p>\n", f);
	}
	bad = put_diagnosis(f, m);
	put_meta(f, m);
	fputs("<nav aria-label=\"sections\"><a href=\"#diagnosis\">diagnosis</a>\n", f);
	for (v = views; v->name; v++)
		fprintf(f, "<a href=\"#%s\">%s</a>\n", v->name, v->name);
	fputs("</nav>\n", f);
	if (!bad)
		bad = put_views(f, m, &c->view, plots, dir);
	page_foot(f);
	if (plots == PICTURES) {
		rmdir(dir);
		tmpfile_done(dir);
	}
	return bad ? complain(FAILED, "the page could not be made") : OK;
}

int cmd_html(int argc, char **argv)
{
	struct common common = COMMON_DEFAULT;
	const char *output = NULL;
	bool no_plots = false;
	const struct opt options[] = {
		OPT_TEXT('o', "output", "PAGE", &output, "the page, a .html file"),
		OPT_FLAG(0, "no-plots", &no_plots, "write tables only"), COMMON_OPTIONS(&common), { }
	};
	enum plots plots;
	struct outfile out;
	struct memprof *m;
	int damaged, failed;

	argv += options_parse(&usage, options, argc, argv);
	if (!output)
		return options_wrong(&usage, "-o PAGE is missing");
	if (common_check_options(&common))
		return USAGE;
	m = common_open(argv[0], &common, &damaged);
	if (!m || common_check(m, &common)) {
		memprof_close(m);
		return FAILED;
	}
	common_doubt(m, argv[0], &common);
	if (common_matches(m, &common, has_rows(m, &common.view))) {
		memprof_close(m);
		return FAILED;
	}
	plots = no_plots ? NO_PLOTS : system_installed("gnuplot") ? PICTURES : SCRIPTED;
	if (plots == SCRIPTED)
		complain(OK, "gnuplot not found (Debian package gnuplot-nox): the page has plots only where its script may run");
	/* Once for picture and table. */
	failed = flow_choose(m, &common.view) ? complain(FAILED, "no memory left") : outfile_open(&out, output);
	if (!failed)
		failed = outfile_end(&out, write_page(out.f, m, &common, plots));
	memprof_close(m);
	return damaged || failed ? FAILED : OK;
}
