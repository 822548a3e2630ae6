// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memscope-fleet report: answer a question over a store. */
#include <stdio.h>
#include <stdlib.h>

#include "clickhouse.h"
#include "engine.h"
#include "fleet.h"
#include "lib/complain.h"
#include "lib/output.h"
#include "questions.h"

static const struct verb_usage usage = {
	.command = "memscope-fleet report", .operands = "QUESTION STORE|--clickhouse URL [options]", .words = question_word,
	.about = "Answer a question over the hosts of a store, or of a ClickHouse server (see memscope-fleet import).",
	.min = 1, .max = 2,
};

/* Make the table of the question of the parts of a store. */
static int open_store(struct engine *e, const char *store, const char *table)
{
	struct paths parts = { };
	char *list = NULL, *sql = NULL;
	int ret = store_parts(store, table, &parts);

	if (!ret && !parts.nr)
		ret = complain(FAILED, "%s: no %s-*.parquet: not a store of memscope-fleet import", store, table);
	if (!ret)
		list = paths_sql(&parts, 0, parts.nr);
	if (!ret && (!list || asprintf(&sql, "CREATE VIEW %s AS SELECT * FROM read_parquet(%s, "
				  "hive_partitioning = false)", table, list) < 0))
		ret = complain(FAILED, "no memory left");
	if (!ret)
		ret = engine_run(e, sql);
	free(sql);
	free(list);
	paths_free(&parts);
	return ret;
}

static int ask_store(const char *library, const char *store, const struct question *q, const char *sql, struct table *t)
{
	struct engine *e = engine_open(library);
	int ret = e ? open_store(e, store, q->table) : FAILED;

	if (!ret)
		ret = engine_query(e, sql, &q->columns, t);
	engine_close(e);
	return ret;
}

static int ask_server(const struct server_address *address, const struct question *q, const char *sql, struct table *t)
{
	struct server *s = server_open(address);
	int ret = s ? server_query(s, sql, &q->columns, t) : FAILED;

	server_close(s);
	return ret;
}

int cmd_report(int argc, char **argv)
{
	struct output output = { };
	struct server_address address = { };
	const char *library = NULL;
	unsigned int top = 20;
	const struct question *q;
	struct table answer = { };
	char *sql, limit[32] = "";
	const struct opt options[] = {
		OUTPUT_OPTIONS(&output),
		OPT_NUMBER('n', "top", "N", &top, 0, UINT32_MAX, "the first N rows (default 20; 0: all)"),
		SERVER_OPTIONS(&address),
		OPT_TEXT(0, "engine", "FILE", &library, "DuckDB's library (default: as npm installs it)"), { }
	};
	int ret;

	argv += options_parse(&usage, options, argc, argv);
	q = question_find(argv[0]);
	if (!q)
		return unknown_word(&usage, "question", argv[0]);
	if (output.explain)
		return output_explain(&output, &q->columns);
	if (!address.url && address.timeout_s > 0)
		return options_wrong(&usage, "--timeout: only with --clickhouse");
	if (address.url && library)
		return options_wrong(&usage, "--engine: not with --clickhouse");
	if (!argv[1] == !address.url)
		return options_wrong(&usage, argv[1] ? "both STORE and --clickhouse" : "STORE is missing, or --clickhouse URL");
	if (top)
		snprintf(limit, sizeof(limit), " LIMIT %u", top);
	if (asprintf(&sql, "%s%s", address.url ? q->clickhouse : q->sql, limit) < 0)
		return complain(FAILED, "no memory left");
	ret = address.url ? ask_server(&address, q, sql, &answer) : ask_store(library, argv[1], q, sql, &answer);
	free(sql);
	if (ret)
		table_free(&answer);
	return ret ? FAILED : output_table(&output, &answer, 0);
}
