// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memscope-fleet create: make the tables on a ClickHouse server.
 *
 * Rows have the number of their import; it is complete when the table imports has the number.
 * So an import of many statements, on many servers, appears at once: the questions read rows
 * of complete imports only.
 *
 * No table has partitions: times come from hosts, and a host that sends one of each month
 * would make an INSERT of all hosts fail (ClickHouse allows 100 partitions in one).
 */
#include <stdio.h>
#include <stdlib.h>

#include "clickhouse.h"
#include "lib/complain.h"
#include "lib/options.h"
#include "schema.h"

const char * const schema_columns[NR_TABLES] = {
	"import UInt64, host String, boot String, time_ns Int64, interval_ns Int64, node Nullable(Int32), "
	"memory_bytes Nullable(Int64), pages_kernel Int64, pages_user Int64, pages_page_cache Int64, groups Int64, "
	"groups_written Int64, pages_resident Nullable(Int64), flags Nullable(Int64)",
	"import UInt64, host String, boot String, time_ns Int64, interval_ns Int64, service String, processes Int64, "
	"pages Int64, pages_written Int64, pages_resident Int64",
};

/* @shard: which server of a cluster has a row. */
static const struct {
	const char *name, *columns, *order, *shard;
} tables[] = {
	{ "intervals", NULL, "(host, time_ns)", "cityHash64(host)" },
	{ "services", NULL, "(service, host, time_ns)", "cityHash64(host)" },
	{ "imports", "import UInt64, time_ns Int64", "import", "import" },
};

static const struct verb_usage usage = {
	.command = "memscope-fleet create", .operands = "--clickhouse URL [options]",
	.about = "Create the database of URL and its tables intervals, services and imports on a ClickHouse "
		 "server.  For a cluster, run this on each server; any of them then takes imports and "
		 "answers questions.  Existing tables are kept.",
};

static int create_table(struct server *s, size_t i, const char *cluster)
{
	const char *columns = i < NR_TABLES ? schema_columns[i] : tables[i].columns;
	char *database = server_identifier(server_database(s)), *name = cluster ? server_identifier(cluster) : NULL;
	int ret;

	if (!database || (cluster && !name))
		ret = complain(FAILED, "no memory left");
	else
		ret = server_run(s, "CREATE TABLE IF NOT EXISTS %s%s (%s) ENGINE = MergeTree ORDER BY %s", tables[i].name,
				 cluster ? "_local" : "", columns, tables[i].order);
	if (!ret && cluster)
		ret = server_run(s, "CREATE TABLE IF NOT EXISTS %s (%s) ENGINE = Distributed(%s, %s, %s_local, %s)",
				 tables[i].name, columns, name, database, tables[i].name, tables[i].shard);
	free(database);
	free(name);
	return ret;
}

static int create_database(struct server *s)
{
	char *name = server_identifier(server_database(s)), *sql = NULL;
	int ret;

	if (!name || asprintf(&sql, "CREATE DATABASE IF NOT EXISTS %s", name) < 0)
		ret = complain(FAILED, "no memory left");
	else
		ret = server_run_without_database(s, sql);
	free(name);
	free(sql);
	return ret;
}

int cmd_create(int argc, char **argv)
{
	struct server_address address = { };
	const char *cluster = NULL;
	struct server *s;
	size_t i;
	const struct opt options[] = {
		SERVER_OPTIONS(&address),
		OPT_TEXT(0, "cluster", "NAME", &cluster,
			 "create the tables on all servers of this cluster, which the servers' configuration "
			 "defines"), { }
	};
	int ret;

	options_parse(&usage, options, argc, argv);
	if (!address.url)
		return options_wrong(&usage, "--clickhouse URL is missing");
	s = server_open(&address);
	ret = s ? create_database(s) : FAILED;
	for (i = 0; !ret && i < sizeof(tables) / sizeof(tables[0]); i++)
		ret = create_table(s, i, cluster);
	server_close(s);
	return ret;
}
