// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof html: the diagnosis and all views in one page that needs no other file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/html.h"
#include "lib/leftover.h"
#include "memprof_cli.h"
#include "options.h"
#include "memprof/diagnose/patterns.h"
#include "memprof/view/enough.h"
#include "plot.h"

#define MAX_ROWS	100

static const char style[] =
	":root { color-scheme: light dark; --fg: #222; --bg: #fff; --line: #ccc; }\n"
	"@media (prefers-color-scheme: dark) { :root { --fg: #ddd; --bg: #181818; --line: #444; } }\n"
	"body { font: 15px/1.4 sans-serif; max-width: 1200px; margin: 1em auto; padding: 0 1em;\n"
	"  color: var(--fg); background: var(--bg); }\n"
	"h2 { border-bottom: 1px solid var(--line); margin-top: 2em; }\n"
	"svg { width: 100%; background: #fff; } figure { margin: 0; } .scroll { overflow-x: auto; }\n"
	"table { border-collapse: collapse; font-variant-numeric: tabular-nums; }\n"
	"th, td { border: 1px solid var(--line); padding: .1em .5em; text-align: right; }\n"
	"th, td.text { text-align: left; } nav a { margin-right: 1em; color: inherit; }\n";

static const struct verb_usage usage = {
	.command = "memprof html", .operands = "[FILE] -o PAGE [options]", .max = 1,
	.about = "Make a page of the diagnosis and all views of a recording (default " DEFAULT_FILE ").",
};

static int put_picture(FILE *f, struct memprof *m, const struct view *v, const struct view_options *o,
			const char *dir)
{
	char path[4200], csv[4200], *svg = NULL;
	size_t n = 0;
	int bad = -1;
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s.svg", dir, v->name);
	snprintf(csv, sizeof(csv), "%s/%s.csv", dir, v->name);
	leftover_add(csv);
	leftover_add(path);
	if (!plot_draw(m, v, o, path, NULL)) {
		in = fopen(path, "re");
		if (in && getdelim(&svg, &n, '\0', in) > 0) {
			char prefix[32];

			snprintf(prefix, sizeof(prefix), "%s-", v->name);
			fputs("<figure>\n", f);
			html_svg(f, svg, prefix);
			fputs("</figure>\n", f);
			bad = 0;
		}
		if (in)
			fclose(in);
		free(svg);
	}
	unlink(path);
	unlink(csv);
	leftover_done(path);
	leftover_done(csv);
	return bad;
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
	fprintf(f, "<h2 id=\"diagnosis\">diagnosis</h2>\n<p>%.1f %% of %lu sampled accesses of main memory "
		"are remote.</p>\n<ol>\n", found.accesses ? 100.0 * found.remote / found.accesses : 0,
		(unsigned long)found.accesses);
	for (i = 0; i < found.nr; i++) {
		const struct finding *x = &found.all[i];

		if (x->pattern == PATTERN_NONE)
			continue;
		n++;
		strcpy(text, "the process");
		if (x->object != NO_NUMBER)
			memprof_site_text(memprof_object_site(m, x->object), text, sizeof(text));
		fputs("<li><b>", f);
		html_text(f, text);
		fprintf(f, "</b>: %s. ", pattern_name(x->pattern));
		html_text(f, pattern_about(x->pattern));
		fprintf(f, "; %.1f %% of all remote accesses, %.1f %% of its own are remote.",
			found.remote ? 100.0 * x->remote / found.remote : 0,
			x->accesses ? 100.0 * x->remote / x->accesses : 0);
		if (x->refused) {
			fix_text(m, x, text, sizeof(text));
			fputs("<br>Advice: ", f);
			html_text(f, text);
		} else if (x->fix != FIX_NONE) {
			fix_text(m, x, text, sizeof(text));
			fputs("<br>Advice: ", f);
			html_text(f, text);
			fprintf(f, ". Expected: %.1f %% of all accesses remote.",
				100.0 * (found.remote - x->remote + x->predicted) / found.accesses);
		}
		fputs("</li>\n", f);
	}
	fputs("</ol>\n", f);
	if (found.fixes > 1)
		fprintf(f, "<p>With %zu fixes together: %.1f %% of all accesses remote.</p>\n", found.fixes,
			100.0 * found.joint / found.accesses);
	enough_text(found.judged, n, text, sizeof(text));
	fputs("<p>", f);
	html_text(f, text);
	fputs("</p>\n", f);
	patterns_free(&found);
	return 0;
}

static int write_page(FILE *f, struct memprof *m, const struct common *c, bool plots)
{
	char dir[] = "/tmp/memprof-html.XXXXXX";
	const struct view *v;
	struct table table;
	int bad;

	if (plots && !mkdtemp(dir))
		return complain(FAILED, "%s: %s", dir, strerror(errno));
	if (plots)
		leftover_add(dir);
	fprintf(f, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<title>memprof</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>memprof</h1>\n<nav>"
		"<a href=\"#diagnosis\">diagnosis</a>", style);
	for (v = views; v->name; v++)
		fprintf(f, "<a href=\"#%s\">%s</a>", v->name, v->name);
	fputs("</nav>\n<p>", f);
	html_text(f, memprof_meta(m));
	fputs("</p>\n", f);
	if (memprof_damage(m)) {
		fputs("<p><b>The recording is damaged: ", f);
		html_text(f, memprof_damage(m));
		fputs("</b></p>\n", f);
	}
	bad = put_diagnosis(f, m);
	for (v = views; v->name && !bad; v++) {
		fprintf(f, "<h2 id=\"%s\">%s</h2>\n<p>%s</p>\n", v->name, v->name, v->about);
		bad = v->make(m, &c->view, &table);
		if (!bad && plots && v->plot && table.nr_cells)
			bad = put_picture(f, m, v, &c->view, dir);
		if (!bad) {
			fputs("<div class=\"scroll\">\n", f);
			bad = table_print_html(&table, MAX_ROWS, f);
			fputs("</div>\n", f);
		}
		table_free(&table);
	}
	fputs("</body>\n</html>\n", f);
	if (plots) {
		rmdir(dir);
		leftover_done(dir);
	}
	return bad ? complain(FAILED, "the page could not be made") : OK;
}

int cmd_html(int argc, char **argv)
{
	struct common common = COMMON_DEFAULT;
	const char *output = NULL;
	bool no_plots = false;
	const struct opt options[] = {
		OPT_TEXT('o', "output", "PAGE", &output, ".html"),
		OPT_FLAG(0, "no-plots", &no_plots, "tables only"), COMMON_OPTIONS(&common), { }
	};
	struct outfile out;
	struct memprof *m;
	int damaged, failed;

	argv += options_parse(&usage, options, argc, argv);
	if (!output)
		return options_wrong(&usage, "-o PAGE is missing");
	if (common_check_times(&common))
		return USAGE;
	m = common_open(argv[0], &common, &damaged);
	if (!m || common_check(m, &common)) {
		memprof_close(m);
		return FAILED;
	}
	common_doubt(m, argv[0], &common);
	failed = common_choose(m, &common) || outfile_open(&out, output);
	if (!failed)
		failed = outfile_close(&out, write_page(out.f, m, &common, !no_plots));
	memprof_close(m);
	return damaged || failed ? FAILED : OK;
}
