// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * The frame that all HTML pages share.  A page is one file: style, script and the library
 * that plots are part of it, and its policy forbids requests.  The data of a plot are the
 * CSV that the page shows below the table, so that there is one copy; without JavaScript
 * the pictures and the tables are what they are.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "lib/html.h"
#include "page.h"

#define NSEC_PER_SEC	UINT64_C(1000000000)

/* In assets.S; strings. */
extern const char page_css[], page_js[], page_dygraphs_css[], page_dygraphs_js[], page_dygraphs_license[];

/**
 * page_head() - write a page to the end of its title
 * @f: the page
 * @title: its title, and first heading
 * @begin_ns: CLOCK_MONOTONIC at time 0 of its plots, by which pages in frames share a window of
 *	time; 0: not known
 */
void page_head(FILE *f, const char *title, uint64_t begin_ns)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n<title>", f);
	html_text(f, title);
	fprintf(f, "</title>\n<style>\n%s\n%s</style>\n</head>\n<body>\n<main", page_dygraphs_css, page_css);
	if (begin_ns)
		fprintf(f, " data-begin=\"%" PRIu64 ".%09" PRIu64 "\"", begin_ns / NSEC_PER_SEC, begin_ns % NSEC_PER_SEC);
	fputs(">\n<h1>", f);
	html_text(f, title);
	fputs("</h1>\n", f);
}

/**
 * page_foot() - write the end of a page: licenses and scripts
 * @f: the page
 */
void page_foot(FILE *f)
{
	fputs("</main>\n<footer>\n<details><summary>Made by memscope; plots by dygraphs: license</summary>\n"
	      "<pre tabindex=\"0\" role=\"region\" aria-label=\"license of dygraphs\">", f);
	html_text(f, page_dygraphs_license);
	fprintf(f, "</pre></details>\n</footer>\n<script>%s</script>\n<script>\n%s</script>\n</body>\n</html>\n",
		page_dygraphs_js, page_js);
}

/**
 * page_plot_begin() - begin a plot; its static pictures follow
 * @f: the page
 * @name: name of the table whose rows it shows, see struct page_table
 * @plot: the plot
 */
void page_plot_begin(FILE *f, const char *name, const struct page_plot *plot)
{
	fprintf(f, "<figure class=\"plot\" id=\"plot-%s\" data-csv=\"csv-%s\" data-plot=\"", name, name);
	html_text(f, plot->spec);
	fputs("\" aria-label=\"", f);
	html_text(f, plot->about);
	fputs("\">\n<div class=\"static\">\n", f);
}

/**
 * page_plot_end() - end a plot
 * @f: the page
 * @plot: the plot
 */
void page_plot_end(FILE *f, const struct page_plot *plot)
{
	fputs("</div>\n<figcaption>", f);
	html_text(f, plot->about);
	fputs("</figcaption>\n</figure>\n", f);
}

static void put_note(FILE *f, const struct page_table *p, size_t rows, size_t left, size_t step)
{
	if (step > 1) {
		fprintf(f, "<p class=\"note\">This page has every %zuth of %zu rows; all of them: <code>", step, rows);
		html_text(f, p->command);
		fputs("</code></p>\n", f);
	}
	if (left <= p->shown)
		return;
	if (p->rank) {
		fprintf(f, "<p class=\"note\">The %zu of %zu rows with the most ", p->shown, left);
		html_text(f, p->rank);
		fputs(".</p>\n", f);
	} else {
		fprintf(f, "<p class=\"note\">The first %zu of %zu rows.</p>\n", p->shown, left);
	}
}

/**
 * page_table() - write a table: the most important rows, and all of them as CSV
 * @f: the page
 * @p: how
 * @t: the table; rows that the page does not have are removed
 *
 * Return: 0, or -1 if writing failed, or out of memory.
 */
int page_table(FILE *f, const struct page_table *p, struct table *t)
{
	const size_t rows = table_rows(t), step = p->max_rows ? table_thin(t, p->max_rows) : 1;
	const size_t left = table_rows(t);
	char *csv = NULL;
	size_t size;
	FILE *text;
	int bad;

	fprintf(f, "<section class=\"table\" data-csv=\"csv-%s\" data-summary=\"%zu\" data-shown=\"%zu\">\n"
		"<h3 id=\"%s\">%s: ", p->name, t->nr_summary, p->shown, p->name, p->name);
	html_text(f, p->about);
	fprintf(f, "</h3>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"table %s\">\n", p->name);
	bad = table_print_html(t, p->shown, p->rank, f);
	fputs("</div>\n", f);
	put_note(f, p, rows, left, step);
	text = open_memstream(&csv, &size);
	if (!text)
		return -1;
	bad |= table_print(t, TABLE_CSV, text);
	bad |= fclose(text);
	if (!bad) {
		fprintf(f, "<details><summary>%s as CSV</summary><pre id=\"csv-%s\" tabindex=\"0\" role=\"region\" "
			"aria-label=\"%s as CSV\">", p->name, p->name, p->name);
		html_text(f, csv);
		fputs("</pre></details>\n", f);
	}
	fputs("</section>\n", f);
	free(csv);
	return bad || ferror(f) ? -1 : 0;
}
