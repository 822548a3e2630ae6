// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memscope-fleet import: check columns that hosts sent, and add them to a store.
 *
 * A host's files are in a folder of its name, which is the name of whoever delivered them:
 * rows for another host are refused, as is what no machine can have measured.
 */
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine.h"
#include "fleet.h"
#include "lib/complain.h"
#include "lib/output.h"
#include "tables.h"

/* CSV that is checked at once, which bounds the memory needed. */
#define BATCH_BYTES	(256ULL << 20)

struct import {
	const char *folder, *store;
	uint64_t now_ns;
	struct engine *e;
	struct paths files[NR_TABLES];
	uint64_t *bytes[NR_TABLES];	/* of each file */
	struct paths made;		/* parts, under temporary names */
	unsigned int next;		/* number of the next part */
};

static const struct verb_usage usage = {
	.command = "memscope-fleet import", .operands = "FOLDER -o STORE [options]",
	.about = "Check the columns in FOLDER/HOST/*.intervals.csv and *.services.csv (see memref export --to columns), "
		 "and add them to STORE.  Prints how many rows were accepted, and which hosts' were refused.",
	.min = 1, .max = 1,
};

static int ends_with(const char *name, const char *end)
{
	size_t a = strlen(name), b = strlen(end);

	return a > b && !strcmp(name + a - b, end);
}

/* Only a file with the columns of this version is read.  Return OK, or FAILED with a message. */
static int check_header(const char *path, int table)
{
	char line[512] = "";
	FILE *f = fopen(path, "re");

	if (!f)
		return complain(FAILED, "%s: %s", path, strerror(errno));
	if (!fgets(line, sizeof(line), f))
		*line = '\0';
	fclose(f);
	line[strcspn(line, "\r\n")] = '\0';
	if (strcmp(line, table_header[table]))
		return complain(FAILED, "%s: not the columns of %s, schema %d", path, fleet_tables[table], FLEET_SCHEMA);
	return OK;
}

/* Return 0, 1 if the file is refused with a message, -1 without memory. */
static int add_file(struct import *x, const char *path, const char *name)
{
	char end[32];
	struct stat st;
	uint64_t *more;
	int t;

	for (t = 0; t < NR_TABLES; t++) {
		snprintf(end, sizeof(end), ".%s.csv", fleet_tables[t]);
		if (!ends_with(name, end))
			continue;
		if (stat(path, &st) || !S_ISREG(st.st_mode) || check_header(path, t))
			return 1;
		more = reallocarray(x->bytes[t], x->files[t].nr + 1, sizeof(*more));
		if (!more || paths_add(&x->files[t], path))
			return -1;
		x->bytes[t] = more;
		more[x->files[t].nr - 1] = st.st_size;
		return 0;
	}
	return 0;
}

static int add_host(struct import *x, const char *host, int *refused)
{
	char folder[4096], path[8192];
	struct dirent *d;
	DIR *dir;
	int ret = 0;

	snprintf(folder, sizeof(folder), "%s/%s", x->folder, host);
	dir = opendir(folder);
	if (!dir)
		return errno == ENOTDIR ? 0 : -1;
	while (ret >= 0 && (d = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", folder, d->d_name);
		ret = *d->d_name == '.' ? 0 : add_file(x, path, d->d_name);
		*refused |= ret > 0;
	}
	closedir(dir);
	return ret < 0 ? -1 : 0;
}

/* Sets @refused if a file is left out with a message. */
static int find_files(struct import *x, int *refused)
{
	DIR *dir = opendir(x->folder);
	struct dirent *d;
	int ret = 0, t;
	size_t nr = 0;

	if (!dir)
		return complain(FAILED, "%s: %s", x->folder, strerror(errno));
	while (!ret && (d = readdir(dir)))
		if (*d->d_name != '.')
			ret = add_host(x, d->d_name, refused);
	closedir(dir);
	for (t = 0; t < NR_TABLES; t++)
		nr += x->files[t].nr;
	if (ret)
		return complain(FAILED, "%s: %s", x->folder, errno ? strerror(errno) : "no memory left");
	return nr || *refused ? OK : complain(FAILED, "%s: no HOST/*.intervals.csv or *.services.csv", x->folder);
}

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

/* Check a batch of files, note what is refused, and write the rest as a part. */
static int import_batch(struct import *x, int table, size_t from, size_t to)
{
	char path[4096], *list = paths_sql(&x->files[table], from, to), *quoted;
	int ret;

	snprintf(path, sizeof(path), "%s/.%s-%06u.parquet.tmp", x->store, fleet_tables[table], x->next++);
	quoted = sql_quote(path);
	if (!list || !quoted || paths_add(&x->made, path))
		ret = complain(FAILED, "no memory left");
	else
		ret = run_format(x->e, table_read_sql[table], (unsigned long long)x->now_ns, list) ||
		      run_format(x->e, "INSERT INTO results SELECT '%s', host, coalesce(refused, 'accepted'), count(*) "
				 "FROM batch GROUP BY ALL", fleet_tables[table]) ||
		      run_format(x->e, "INSERT INTO results SELECT '%s', string_split(file_path, '/')[-2], 'not a row', "
				 "count(DISTINCT line) FROM reject_errors JOIN reject_scans USING (scan_id, file_id) "
				 "GROUP BY ALL", fleet_tables[table]) ||
		      run_format(x->e, "COPY (%s) TO %s (FORMAT parquet, COMPRESSION zstd)", table_store_sql[table], quoted) ||
		      engine_run(x->e, "DROP TABLE batch; DROP TABLE reject_errors; DROP TABLE reject_scans");
	free(list);
	free(quoted);
	return ret;
}

static int import_table(struct import *x, int table)
{
	size_t from = 0, to;
	uint64_t bytes;

	while (from < x->files[table].nr) {
		bytes = 0;
		for (to = from; to < x->files[table].nr && (to == from || bytes < BATCH_BYTES); to++)
			bytes += x->bytes[table][to];
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

/* All parts appear, or none. */
static int finish_parts(struct import *x, int failed)
{
	char path[4096], *name;
	size_t i;

	for (i = 0; i < x->made.nr; i++) {
		if (failed) {
			unlink(x->made.path[i]);
			continue;
		}
		snprintf(path, sizeof(path), "%s", x->made.path[i]);
		name = strrchr(path, '/') + 1;
		memmove(name, name + 1, strlen(name));
		name[strlen(name) - strlen(".tmp")] = '\0';
		if (rename(x->made.path[i], path))
			failed = complain(FAILED, "%s: %s", path, strerror(errno));
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

static int import(struct import *x, const char *library, const struct output *output)
{
	struct table table = { };
	int refused = 0, ret = find_files(x, &refused);

	if (!ret && mkdir(x->store, 0777) && errno != EEXIST)
		ret = complain(FAILED, "%s: %s", x->store, strerror(errno));
	if (!ret)
		ret = find_next(x);
	if (!ret) {
		x->e = engine_open(library);
		ret = x->e ? import_all(x) : FAILED;
	}
	if (!ret) {
		ret = engine_query(x->e, "SELECT tbl, CASE WHEN result <> 'accepted' THEN host END AS h, result, sum(n) "
				   "FROM results GROUP BY ALL ORDER BY tbl, h NULLS FIRST, result", &result_columns, &table);
		if (ret)
			table_free(&table);
		else
			ret = output_table(output, &table, 0);
	}
	engine_close(x->e);
	return ret || refused ? FAILED : OK;
}

int cmd_import(int argc, char **argv)
{
	struct import x = { .next = 1 };
	struct output output = { };
	const char *library = NULL;
	struct timespec now;
	int t, ret;
	const struct opt options[] = {
		OPT_WORD('f', "format", "text|csv|json", &output.format, "default text"),
		OPT_TEXT('o', "output", "STORE", &x.store, "the folder to add to; made if it is not there"),
		OPT_NUMBER(0, "now", "NS", &x.now_ns, 1, 0x1p63,
			   "rows later than this are refused, in ns since 1970 (default: a minute from now)"),
		OPT_TEXT(0, "engine", "FILE", &library, "the library of DuckDB (default: as npm installs it)"), { }
	};

	clock_gettime(CLOCK_REALTIME, &now);
	x.now_ns = (now.tv_sec + 60) * 1000000000ULL + now.tv_nsec;
	argv += options_parse(&usage, options, argc, argv);
	if (!x.store)
		return options_wrong(&usage, "-o STORE is missing");
	x.folder = argv[0];
	ret = import(&x, library, &output);
	for (t = 0; t < NR_TABLES; t++) {
		paths_free(&x.files[t]);
		free(x.bytes[t]);
	}
	paths_free(&x.made);
	return ret;
}
