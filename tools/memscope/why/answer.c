// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The rows of an answer, and the views that they are made of. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/complain.h"
#include "memscope/run/rows.h"
#include "why.h"

const struct columns answer_columns = COLUMNS(
	{ "topic", CELL_TEXT, 0, "", "page, mapping, object, type, threads, nodes or advice" },
	{ "item", CELL_TEXT, 0, "", "what of it: a process, a thread, a site, a property" },
	{ "value", CELL_TEXT, 0, "", "the answer" },
);

void answer_init(struct answer *a)
{
	memset(a, 0, sizeof(*a));
	table_init_columns(&a->table, &answer_columns);
}

/**
 * answer_add() - add a row
 * @a: the answer
 * @topic: page, mapping, object, type, threads, nodes or advice
 * @item: what of it
 * @fmt: the value
 */
void answer_add(struct answer *a, const char *topic, const char *item, const char *fmt, ...)
{
	char value[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	a->failed |= table_add(&a->table, (struct cell[]){ TEXT_CELL(topic), TEXT_CELL(item), TEXT_CELL(value) });
}

/**
 * answer_findings() - add advice of memprof diagnose
 * @a: the answer
 * @rows: its rows
 * @site: of this site only; NULL: of all
 * @most: of so many at most
 */
void answer_findings(struct answer *a, json_t *rows, const char *site, size_t most)
{
	size_t i, n = 0;
	json_t *row;

	json_array_foreach(rows, i, row) {
		if ((site && strcmp(site, row_text(row, "site"))) || !strcmp(row_text(row, "fix"), "none"))
			continue;
		if (n++ >= most)
			break;
		answer_add(a, "advice", row_text(row, "site"), "%s: %s (%.0f sampled accesses, %.1f %% of them remote)",
			   row_text(row, "pattern"), row_text(row, "advice"), row_number(row, "accesses"),
			   row_number(row, "remote_pct"));
	}
	if (!n)
		answer_add(a, "advice", "memprof", "nothing to change was found%s", site ? " about this object" : "");
}

/**
 * view_rows() - the rows of a view of a recording
 * @program: the tool
 * @view: a view of its report, or "diagnose"
 * @path: the recording
 * @more: more options, up to a NULL
 *
 * Return: the rows, or NULL with a message printed.
 */
json_t *view_rows(const char *program, const char *view, const char *path, const char *const *more)
{
	const char *argv[16] = { program };
	char error[512];
	json_t *rows;
	int n = 1;

	if (strcmp(view, "diagnose"))
		argv[n++] = "report";
	argv[n++] = view;
	argv[n++] = path;
	argv[n++] = "-f";
	argv[n++] = "json";
	while (more && *more && n < 15)
		argv[n++] = *more++;
	rows = rows_read(argv, error, sizeof(error));
	if (rows)
		return rows;
	if (rows_none(error))
		return json_array();
	complain(FAILED, "%s", error);
	return NULL;
}

/**
 * recording_of() - the first recording of a kind
 * @r: the recordings
 * @kind: the kind
 *
 * Return: its path, or NULL.
 */
const char *recording_of(const struct recordings *r, enum recording kind)
{
	size_t i;

	for (i = 0; i < r->nr; i++)
		if (r->all[i].kind == kind)
			return r->all[i].path;
	return NULL;
}
