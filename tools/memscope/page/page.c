// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * One page of several recordings: the ranked findings first, then each recording.  A page
 * that a tool makes goes into a frame of its own, so that names and styles of two pages
 * never meet; the views of other tools are tables.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cells/utf8.h"
#include "lib/complain.h"
#include "lib/html.h"
#include "lib/tmpfiles.h"
#include "lib/page/page.h"
#include "memscope/run/program.h"
#include "memscope/run/rows.h"
#include "page.h"

/* Rows of a table shown at first. */
#define FIRST_ROWS	20

static void put_cell(FILE *out, const json_t *value)
{
	if (json_is_string(value)) {
		fputs("<td class=\"text\">", out);
		html_text(out, json_string_value(value));
	} else if (json_is_integer(value)) {
		fprintf(out, "<td>%" JSON_INTEGER_FORMAT, json_integer_value(value));
	} else if (json_is_real(value)) {
		fprintf(out, "<td>%.6g", json_real_value(value));
	} else {
		fputs("<td>-", out);
	}
	fputs("</td>", out);
}

static void put_row(FILE *out, json_t *row)
{
	const char *name;
	json_t *value;

	fputs("<tr>", out);
	json_object_foreach(row, name, value)
		put_cell(out, value);
	fputs("</tr>\n", out);
}

/* RFC 4180; html_text() makes what is quoted a part of the page. */
static void put_csv(FILE *out, const json_t *rows)
{
	json_t *row, *value;
	const char *name, *comma = "";
	size_t i;

	json_object_foreach(json_array_get(rows, 0), name, value) {
		fputs(comma, out);
		html_text(out, name);
		comma = ",";
	}
	json_array_foreach(rows, i, row) {
		fputc('\n', out);
		comma = "";
		json_object_foreach(row, name, value) {
			fputs(comma, out);
			comma = ",";
			if (json_is_integer(value)) {
				fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
			} else if (json_is_real(value)) {
				fprintf(out, "%.6g", json_real_value(value));
			} else if (json_is_string(value)) {
				const char *text = json_string_value(value);
				char c[UTF8_SIZE];

				fputs("&quot;", out);
				while (*text) {
					text += utf8_next(c, text);
					html_text(out, *c == '"' ? "\"\"" : c);
				}
				fputs("&quot;", out);
			}
		}
	}
	fputc('\n', out);
}

/*
 * The columns are those of the first row, in the order in which the tool prints them.
 * @id: of the table in this page; @name: of the view
 */
static void put_rows(FILE *out, const json_t *rows, const char *id, const char *name)
{
	json_t *row, *value;
	const char *key;
	size_t i;

	if (!json_array_size(rows)) {
		fputs("<p>No rows.</p>\n", out);
		return;
	}
	fprintf(out, "<section class=\"table\" data-csv=\"csv-%s\" data-summary=\"0\" data-shown=\"%d\">\n"
		"<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"table %s\"><table>\n<thead><tr>",
		id, FIRST_ROWS, name);
	json_object_foreach(json_array_get(rows, 0), key, value) {
		fputs(json_is_string(value) ? "<th scope=\"col\" class=\"text\">" : "<th scope=\"col\">", out);
		html_text(out, key);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n<tbody>", out);
	json_array_foreach(rows, i, row)
		if (i < FIRST_ROWS)
			put_row(out, row);
	fputs("</tbody></table></div>\n", out);
	if (json_array_size(rows) > FIRST_ROWS)
		fprintf(out, "<p class=\"note\">The first %d of %zu rows.</p>\n", FIRST_ROWS, json_array_size(rows));
	fprintf(out, "<details><summary>%s as CSV</summary><pre id=\"csv-%s\" tabindex=\"0\" role=\"region\" "
		"aria-label=\"%s as CSV\">", name, id, name);
	put_csv(out, rows);
	fputs("</pre></details>\n</section>\n", out);
}

/* A recording in which there is nothing to show, as the tool says. */
static int put_none(FILE *out, const char *error)
{
	fputs("<p class=\"note\">", out);
	html_text(out, error);
	fputs("</p>\n", out);
	return OK;
}

/* @number: of the recording in this page */
static int put_dprof(FILE *out, const char *path, size_t number)
{
	static const char * const views[] = { "profile", "sharing", "classify", "levels" };
	char error[512], id[64];
	json_t *rows;
	size_t i;

	for (i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		const char *const argv[] = { "dprof", "report", views[i], path, "-f", "json", NULL };

		rows = rows_read(argv, error, sizeof(error));
		if (!rows && rows_none(error)) {
			put_none(out, error);
			/* Without a sample, the other views say the same. */
			if (!i)
				return OK;
			continue;
		}
		if (!rows)
			return complain(FAILED, "%s", error);
		fprintf(out, "<details%s><summary>%s</summary>\n", i ? "" : " open", views[i]);
		snprintf(id, sizeof(id), "%s-%zu", views[i], number);
		put_rows(out, rows, id, views[i]);
		fputs("</details>\n", out);
		json_decref(rows);
	}
	return OK;
}

/* What a tool prints, as it is. */
static int put_text(FILE *out, const char *const *argv)
{
	struct output_text text;
	int ret = OK;

	program_capture(argv, &text);
	if (text.status) {
		ret = complain(FAILED, "%s", last_line(text.err));
	} else {
		fputs("<pre role=\"region\" tabindex=\"0\" aria-label=\"text\">", out);
		html_text(out, text.out ? text.out : "");
		fputs("</pre>\n", out);
	}
	output_text_free(&text);
	return ret;
}

/*
 * The page that a tool makes, in a frame.
 * @monotonic: its times are of CLOCK_MONOTONIC, so that page.js lets it share a window of time
 */
static int put_page(FILE *out, const char *program, const char *path, bool monotonic)
{
	const char *tmp = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	char page[PATH_MAX], *text = NULL;
	const char *const argv[] = { program, "html", path, "-o", page, NULL };
	struct output_text output;
	size_t size = 0;
	int fd, ret = OK;
	FILE *f;

	snprintf(page, sizeof(page), "%s/memscope-page.XXXXXX", tmp);
	fd = mkstemp(page);
	if (fd < 0)
		return complain(FAILED, "%s: %s", page, strerror(errno));
	close(fd);
	if (tmpfile_add(page)) {
		complain(FAILED, "%s: %s", page, strerror(errno));
		unlink(page);
		return FAILED;
	}
	program_capture(argv, &output);
	f = output.status ? NULL : fopen(page, "re");
	if (output.status) {
		ret = rows_none(last_line(output.err)) ? put_none(out, last_line(output.err)) :
						       complain(FAILED, "%s", last_line(output.err));
	} else if (!f || getdelim(&text, &size, '\0', f) < 0) {
		ret = complain(FAILED, "%s: %s", page, strerror(errno));
	} else {
		fprintf(out, "<iframe title=\"%s: ", program);
		html_text(out, path);
		fprintf(out, "\"%s sandbox=\"allow-scripts\" srcdoc=\"", monotonic ? " data-clock=\"monotonic\"" : "");
		html_text(out, text);
		fputs("\"></iframe>\n", out);
	}
	if (f)
		fclose(f);
	free(text);
	output_text_free(&output);
	unlink(page);
	tmpfile_done(page);
	return ret;
}

static int put_recording(FILE *out, const char *path, enum recording kind, size_t number)
{
	const char *const bench[] = { "pagealloc", "bench", "report", path, NULL };

	switch (kind) {
	case RECORDING_MEMREF:
		return put_page(out, "memref", path, true);
	case RECORDING_MEMPROF:
		return put_page(out, "memprof", path, true);
	/* perf has a clock of its own, unless it was told otherwise. */
	case RECORDING_PERF:
		return put_page(out, "memprof", path, false);
	case RECORDING_DPROF:
	case RECORDING_DPROF_TEXT:
		return put_dprof(out, path, number);
	case RECORDING_BENCH:
		return put_text(out, bench);
	default:
		fputs("<p>A layout: pagealloc run --replay places pages like it.</p>\n", out);
		return OK;
	}
}

static void put_term(FILE *out, const char *term, const char *text)
{
	if (!*text)
		return;
	fprintf(out, "<dt>%s</dt><dd>", term);
	html_text(out, text);
	fputs("</dd>\n", out);
}

static void put_findings(FILE *out, const struct findings *l)
{
	char text[1024];
	size_t i;

	fprintf(out, "<div class=\"verdict\">\n<h2 id=\"findings\">%zu finding%s</h2>\n", l->nr, l->nr == 1 ? "" : "s");
	if (!l->nr)
		fputs("<p>Nothing was found in these recordings.</p>\n", out);
	fputs(l->nr ? "<ol>\n" : "", out);
	for (i = 0; i < l->nr; i++) {
		const struct finding *f = &l->all[i];

		fputs("<li><b>", out);
		html_text(out, f->subject);
		fputs("</b>: ", out);
		html_text(out, f->what);
		fputs("<dl class=\"facts\">\n", out);
		put_term(out, "evidence", f->evidence);
		if (!isnan(f->share)) {
			snprintf(text, sizeof(text), "%.1f %% of %s", 100 * f->share, f->of);
			put_term(out, "share", text);
		}
		put_term(out, "advice", f->advice);
		snprintf(text, sizeof(text), "%s: %s", trust_name(f->trust), f->trust_why);
		put_term(out, "trust", text);
		snprintf(text, sizeof(text), "%s, %s", f->tool, f->file);
		put_term(out, "from", text);
		fputs("</dl></li>\n", out);
	}
	fputs(l->nr ? "</ol>\n</div>\n" : "</div>\n", out);
}

/**
 * page_write() - write the page
 * @out: where to
 * @title: its title
 * @r: the recordings
 * @l: their findings, ranked
 *
 * Return: OK, or FAILED with a message printed.
 */
int page_write(FILE *out, const char *title, const struct recordings *r, const struct findings *l)
{
	size_t i;
	int ret = OK;

	page_head(out, title, 0);
	put_findings(out, l);
	for (i = 0; i < r->nr && !ret; i++) {
		fprintf(out, "<h2 id=\"recording-%zu\">%s: ", i + 1, recording_names[r->all[i].kind]);
		html_text(out, r->all[i].path);
		fputs("</h2>\n", out);
		ret = put_recording(out, r->all[i].path, r->all[i].kind, i + 1);
	}
	page_foot(out);
	return ret;
}
