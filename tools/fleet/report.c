// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memscope-fleet report: answer a question over a store. */
#include <stdio.h>
#include <stdlib.h>

#include "engine.h"
#include "fleet.h"
#include "lib/complain.h"
#include "lib/output.h"
#include "questions.h"

static const struct verb_usage usage = {
	.command = "memscope-fleet report", .operands = "QUESTION STORE [options]", .words = question_word,
	.about = "Answer a question over the hosts of a store (see memscope-fleet import).", .min = 2, .max = 2,
};

static int answer(struct engine *e, const struct question *q, const char *store, unsigned int top,
		  const struct output *output)
{
	struct paths parts = { };
	struct table table = { };
	char *list = NULL, *sql = NULL, limit[32] = "";
	int ret = store_parts(store, q->table, &parts);

	if (!ret && !parts.nr)
		ret = complain(FAILED, "%s: no %s-*.parquet: not a store of memscope-fleet import", store, q->table);
	if (!ret)
		list = paths_sql(&parts, 0, parts.nr);
	if (top)
		snprintf(limit, sizeof(limit), " LIMIT %u", top);
	if (!ret && (!list || asprintf(&sql, "CREATE VIEW %s AS SELECT * FROM read_parquet(%s)", q->table, list) < 0))
		ret = complain(FAILED, "no memory left");
	if (!ret)
		ret = engine_run(e, sql);
	free(sql);
	sql = NULL;
	if (!ret && asprintf(&sql, "%s%s", q->sql, limit) < 0)
		ret = complain(FAILED, "no memory left");
	if (!ret) {
		ret = engine_query(e, sql, &q->columns, &table);
		if (ret)
			table_free(&table);
		else
			ret = output_table(output, &table, 0);
	}
	free(sql);
	free(list);
	paths_free(&parts);
	return ret;
}

int cmd_report(int argc, char **argv)
{
	struct output output = { };
	const char *library = NULL;
	unsigned int top = 20;
	const struct question *q;
	struct engine *e;
	const struct opt options[] = {
		OUTPUT_OPTIONS(&output),
		OPT_NUMBER('n', "top", "N", &top, 0, UINT32_MAX, "the first N rows (default 20; 0: all)"),
		OPT_TEXT(0, "engine", "FILE", &library, "the library of DuckDB (default: as npm installs it)"), { }
	};
	int ret;

	argv += options_parse(&usage, options, argc, argv);
	q = question_find(argv[0]);
	if (!q)
		return unknown_word(&usage, "question", argv[0]);
	if (output.explain)
		return output_explain(&output, &q->columns);
	e = engine_open(library);
	if (!e)
		return FAILED;
	ret = answer(e, q, argv[1], top, &output);
	engine_close(e);
	return ret;
}
