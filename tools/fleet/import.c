// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memscope-fleet import: check columns that hosts sent, and add them to a store.
 *
 * A host's files are in a folder of its name, which is the name of whoever delivered them:
 * rows for another host are refused, as is what no machine can have measured.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clickhouse.h"
#include "engine.h"
#include "incoming.h"
#include "lib/complain.h"
#include "lib/output.h"
#include "load.h"
#include "tables.h"

/* CSV that is checked at once, which bounds the memory needed. */
#define BATCH_BYTES	(256ULL << 20)

struct import {
	const char *store;
	int lock;			/* the folder of the store, which this import alone adds to */
	uint64_t now_ns;
	struct engine *e;
	struct incoming in;
	struct paths made;		/* parts, under temporary names */
	unsigned int next;		/* number of the next part */
};

static const struct verb_usage usage = {
	.command = "memscope-fleet import", .operands = "FOLDER -o STORE|--clickhouse URL [options]",
	.about = "Check the columns in FOLDER/HOST/*.intervals.csv and *.services.csv (see memref export --to columns), "
		 "and add them to STORE, or to the tables of a ClickHouse server.  Prints how many rows "
		 "were accepted, and the hosts whose rows were refused.",
	.min = 1, .max = 1,
};

static int run_format(struct engine *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int run_format(struct engine *e, const char *fmt, ...)
{
	va_list args;
	char *sql;
	int n;

	va_start(args, fmt);
	n = vasprintf(&sql, fmt, args);
	va_end(args);
	if (n < 0)
		return complain(FAILED, "no memory left");
	n = engine_run(e, sql);
	free(sql);
	return n;
}

/* How many lines files have, as a list of SQL.  Return: to be freed; NULL without memory. */
static char *lines_sql(const struct import *x, int table, size_t from, size_t to)
{
	char *sql = NULL;
	size_t size, i;
	FILE *f = open_memstream(&sql, &size);

	if (!f)
		return NULL;
	for (i = from; i < to; i++)
		fprintf(f, "%c%" PRIu64, i == from ? '[' : ',', x->in.about[table][i].lines);
	fputc(']', f);
	if (!fclose(f))
		return sql;
	free(sql);
	return NULL;
}

/* Check a batch of files, note what is refused, and write the rest as a part. */
static int import_batch(struct import *x, int table, size_t from, size_t to)
{
	char path[4096], *list = paths_sql(&x->in.files[table], from, to), *lines = lines_sql(x, table, from, to), *quoted;
	int ret;

	snprintf(path, sizeof(path), "%s/.%s-%06u.parquet.tmp", x->store, fleet_tables[table], x->next++);
	quoted = sql_quote(path);
	if (!list || !lines || !quoted || paths_add(&x->made, path))
		ret = complain(FAILED, "no memory left");
	else
		ret = run_format(x->e, table_read_sql[table], (unsigned long long)x->now_ns, list) ||
		      run_format(x->e, "INSERT INTO results SELECT '%s', host, coalesce(refused, 'accepted'), count(*) "
				 "FROM batch GROUP BY ALL", fleet_tables[table]) ||
		      run_format(x->e, "INSERT INTO results SELECT '%s', host, 'not a row', lines - coalesce(n, 0) FROM "
				 "(SELECT string_split(path, '/')[-2] AS host, sum(lines) AS lines FROM "
				 "(SELECT unnest(%s) AS path, unnest(%s) AS lines) GROUP BY host) LEFT JOIN "
				 "(SELECT host, count(*) AS n FROM batch GROUP BY host) USING (host) "
				 "WHERE lines > coalesce(n, 0)", fleet_tables[table], list, lines) ||
		      run_format(x->e, "COPY (%s) TO %s (FORMAT parquet, COMPRESSION zstd)", table_store_sql[table], quoted) ||
		      engine_run(x->e, "DROP TABLE batch");
	free(list);
	free(lines);
	free(quoted);
	return ret;
}

static int import_table(struct import *x, int table)
{
	size_t from = 0, to;
	uint64_t bytes;

	while (from < x->in.files[table].nr) {
		bytes = 0;
		for (to = from; to < x->in.files[table].nr && (to == from || bytes < BATCH_BYTES); to++)
			bytes += x->in.about[table][to].bytes;
		if (import_batch(x, table, from, to))
			return FAILED;
		from = to;
	}
	return OK;
}

/* The number behind those of the parts that there are. */
static int find_next(struct import *x)
{
	struct paths parts = { };
	unsigned long n;
	size_t i;
	int t, ret = OK;

	for (t = 0; !ret && t < NR_TABLES; t++)
		ret = store_parts(x->store, fleet_tables[t], &parts);
	for (i = 0; i < parts.nr; i++) {
		n = strtoul(strrchr(parts.path[i], '-') + 1, NULL, 10);
		if (n >= x->next)
			x->next = n + 1;
	}
	paths_free(&parts);
	return ret;
}

/*
 * Give a part its name, which nothing else must have.  File systems that cannot check this (NFS)
 * rely on the lock.
 */
static int rename_part(const char *from, const char *to)
{
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return OK;
	if (errno == EINVAL && !rename(from, to))
		return OK;
	return complain(FAILED, "%s: %s", to, strerror(errno));
}

/* The name of a part without the dot and .tmp. */
static void part_name(const char *tmp, char *path, size_t size)
{
	char *name;

	snprintf(path, size, "%s", tmp);
	name = strrchr(path, '/') + 1;
	memmove(name, name + 1, strlen(name));
	name[strlen(name) - strlen(".tmp")] = '\0';
}

/* All parts appear, or none. */
static int finish_parts(struct import *x, int failed)
{
	size_t i, named = 0;
	char path[4096];

	for (; named < x->made.nr && !failed; named += !failed) {
		part_name(x->made.path[named], path, sizeof(path));
		failed = rename_part(x->made.path[named], path);
	}
	for (i = 0; failed && i < x->made.nr; i++) {
		part_name(x->made.path[i], path, sizeof(path));
		unlink(i < named ? path : x->made.path[i]);
	}
	return failed ? FAILED : OK;
}

static int import_all(struct import *x)
{
	char *spill = NULL, *quoted = NULL;
	int t, ret;

	if (asprintf(&spill, "%s/.spill", x->store) < 0 || !(quoted = sql_quote(spill)))
		ret = complain(FAILED, "no memory left");
	else
		ret = run_format(x->e, "SET temp_directory = %s; SET memory_limit = '4GB'; "
				 "SET preserve_insertion_order = false; SET enable_progress_bar = false; "
				 "CREATE TABLE results (tbl VARCHAR, host VARCHAR, result VARCHAR, n BIGINT)", quoted);
	for (t = 0; !ret && t < NR_TABLES; t++)
		ret = import_table(x, t);
	if (spill)
		rmdir(spill);
	free(spill);
	free(quoted);
	return finish_parts(x, ret);
}

static const struct columns result_columns = COLUMNS(
	{ "table", CELL_TEXT, 0, "", "intervals or services" },
	{ "host", CELL_TEXT, 0, "", "host whose rows were refused", "all hosts" },
	{ "result", CELL_TEXT, 0, "", "accepted, or why the rows were refused" },
	{ "rows", CELL_INT, 0, "rows", "how many" });

/* Make the store, and keep other imports out until it is closed: they would take the same names. */
static int open_store(struct import *x)
{
	if (mkdir(x->store, 0777) && errno != EEXIST)
		return complain(FAILED, "%s: %s", x->store, strerror(errno));
	x->lock = open(x->store, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (x->lock < 0)
		return complain(FAILED, "%s: %s", x->store, strerror(errno));
	if (flock(x->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return complain(FAILED, "%s: another import writes there", x->store);
	return OK;
}

/* Into a store, by DuckDB. */
static int import_store(struct import *x, const char *library, struct table *result)
{
	int ret = open_store(x);

	if (!ret)
		ret = find_next(x);
	if (!ret) {
		x->e = engine_open(library);
		ret = x->e ? import_all(x) : FAILED;
	}
	if (!ret)
		ret = engine_query(x->e, "SELECT tbl, CASE WHEN result <> 'accepted' THEN host END AS h, result, sum(n) "
				   "FROM results GROUP BY ALL ORDER BY tbl, h NULLS FIRST, result", &result_columns, result);
	engine_close(x->e);
	if (x->lock >= 0)
		close(x->lock);
	return ret;
}

static int import(struct import *x, const char *library, const struct server_address *address, const struct output *output)
{
	struct table result = { };
	int refused = 0, ret = incoming_find(&x->in, &refused);

	if (!ret && address->url)
		ret = load(&x->in, address, x->now_ns, &result_columns, &result);
	else if (!ret)
		ret = import_store(x, library, &result);
	if (ret)
		table_free(&result);
	else
		ret = output_table(output, &result, 0);
	return ret || refused ? FAILED : OK;
}

int cmd_import(int argc, char **argv)
{
	struct import x = { .next = 1, .lock = -1 };
	struct server_address address = { };
	struct output output = { };
	const char *library = NULL;
	struct timespec now;
	int ret;
	const struct opt options[] = {
		OPT_WORD('f', "format", "text|csv|json", &output.format, "default text"),
		OPT_TEXT('o', "output", "STORE", &x.store, "folder of the store to add to, created if missing"),
		OPT_NUMBER(0, "now", "NS", &x.now_ns, 1, 0x1p62,
			   "refuse rows later than this time, in ns since 1970 (default: a minute from now)"),
		SERVER_OPTIONS(&address),
		OPT_TEXT(0, "engine", "FILE", &library, "DuckDB's library (default: as npm installs it)"),
		OPT_INSTEAD(0, "explain", &output.explain, "print the meaning of each column instead"), { }
	};

	clock_gettime(CLOCK_REALTIME, &now);
	x.now_ns = (now.tv_sec + 60) * 1000000000ULL + now.tv_nsec;
	argv += options_parse(&usage, options, argc, argv);
	if (output.explain)
		return output_explain(&output, &result_columns);
	if (!address.url && address.timeout_s > 0)
		return options_wrong(&usage, "--timeout: only with --clickhouse");
	if (address.url && library)
		return options_wrong(&usage, "--engine: not with --clickhouse");
	if (!x.store == !address.url)
		return options_wrong(&usage, x.store ? "both -o and --clickhouse" : "-o STORE is missing, or --clickhouse URL");
	x.in.folder = argv[0];
	ret = import(&x, library, &address, &output);
	incoming_free(&x.in);
	paths_free(&x.made);
	return ret;
}
