// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * The database engine: DuckDB, a library that is loaded when it is needed.
 *
 * Debian has no package of it; npm's @duckdb/node-bindings-linux-x64 has the library.  The
 * declarations are those of its C interface (duckdb.h), as far as they are used.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine.h"
#include "lib/complain.h"

#define LIBRARY		"node_modules/@duckdb/node-bindings-linux-x64/libduckdb.so"

/* A duckdb_result: the caller allocates it. */
struct result {
	uint64_t counts[3];
	void *columns, *error, *internal;
};

struct engine {
	void *library, *database, *connection;
	int (*open)(const char *path, void **database);
	void (*close)(void **database);
	int (*connect)(void *database, void **connection);
	void (*disconnect)(void **connection);
	int (*query)(void *connection, const char *sql, struct result *r);
	void (*destroy)(struct result *r);
	const char *(*error)(struct result *r);
	uint64_t (*rows)(struct result *r);
	char *(*text)(struct result *r, uint64_t column, uint64_t row);
	void (*free)(void *text);
};

static const struct {
	const char *name;
	size_t at;
} functions[] = {
	{ "duckdb_open", offsetof(struct engine, open) },
	{ "duckdb_close", offsetof(struct engine, close) },
	{ "duckdb_connect", offsetof(struct engine, connect) },
	{ "duckdb_disconnect", offsetof(struct engine, disconnect) },
	{ "duckdb_query", offsetof(struct engine, query) },
	{ "duckdb_destroy_result", offsetof(struct engine, destroy) },
	{ "duckdb_result_error", offsetof(struct engine, error) },
	{ "duckdb_row_count", offsetof(struct engine, rows) },
	{ "duckdb_value_varchar", offsetof(struct engine, text) },
	{ "duckdb_free", offsetof(struct engine, free) },
};

/* Where npm puts it: beside the build's programs, or for an installed memscope. */
static void *find_library(char *tried, size_t size)
{
	static const char * const folders[] = { "/../fleet", "/../lib/memscope", NULL };
	char self[PATH_MAX], path[PATH_MAX + 128];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;
	void *library;
	int i;

	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	for (i = 0; folders[i]; i++) {
		snprintf(path, sizeof(path), "%s%s/%s", self, folders[i], LIBRARY);
		library = access(path, R_OK) ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (library)
			return library;
	}
	snprintf(tried, size, "%s", path);
	return dlopen("libduckdb.so", RTLD_NOW | RTLD_LOCAL);
}

static int load(struct engine *e, const char *path)
{
	char tried[PATH_MAX + 128];
	size_t i;

	e->library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : find_library(tried, sizeof(tried));
	if (!e->library && path)
		return complain(FAILED, "--engine %s: %s", path, dlerror());
	if (!e->library)
		return complain(FAILED, "no libduckdb.so, nor %s: install DuckDB (see memscope-fleet(1)) or use --engine",
				tried);
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *function = dlsym(e->library, functions[i].name);

		if (!function)
			return complain(FAILED, "libduckdb.so: no function %s: not a DuckDB of a known version",
					functions[i].name);
		memcpy((char *)e + functions[i].at, &function, sizeof(function));
	}
	return OK;
}

/**
 * engine_open() - load the engine, with an empty database in memory
 * @library: its library; NULL: where it is installed
 *
 * Return: the engine, or NULL with a message printed.
 */
struct engine *engine_open(const char *library)
{
	struct engine *e = calloc(1, sizeof(*e));

	if (!e) {
		complain(FAILED, "no memory left");
		return NULL;
	}
	if (load(e, library)) {
		engine_close(e);
		return NULL;
	}
	if (e->open(NULL, &e->database) || e->connect(e->database, &e->connection)) {
		complain(FAILED, "DuckDB cannot open a database in memory");
		engine_close(e);
		return NULL;
	}
	return e;
}

/* Return OK with @r to be destroyed, or FAILED with a message printed. */
static int run(struct engine *e, const char *sql, struct result *r)
{
	const char *error;

	memset(r, 0, sizeof(*r));
	if (!e->query(e->connection, sql, r))
		return OK;
	error = e->error(r);
	complain(FAILED, "DuckDB: %.*s", error ? (int)strcspn(error, "\n") : 13, error ? error : "query failed");
	e->destroy(r);
	return FAILED;
}

/**
 * engine_run() - run a statement
 * @e: the engine
 * @sql: the statement
 *
 * Return: OK, or FAILED with a message printed.
 */
int engine_run(struct engine *e, const char *sql)
{
	struct result r;
	int ret = run(e, sql, &r);

	if (!ret)
		e->destroy(&r);
	return ret;
}

static struct cell cell_of(const struct column *c, char *text)
{
	if (!text)
		return NONE_CELL;
	if (c->type == CELL_INT)
		return INT_CELL(strtoull(text, NULL, 10));
	return c->type == CELL_REAL ? REAL_CELL(strtod(text, NULL)) : TEXT_CELL(text);
}

/**
 * engine_query() - run a query
 * @e: the engine
 * @sql: the query; its columns are those of the table
 * @columns: of the table, up to 16
 * @t: gets the rows; free it with table_free()
 *
 * Return: OK, or FAILED with a message printed.
 */
int engine_query(struct engine *e, const char *sql, const struct columns *columns, struct table *t)
{
	struct result r;
	uint64_t i, rows;
	int c, ret = OK;

	table_init_columns(t, columns);
	if (run(e, sql, &r))
		return FAILED;
	rows = e->rows(&r);
	for (i = 0; i < rows && !ret; i++) {
		struct cell row[16];
		char *texts[16];

		for (c = 0; c < columns->nr; c++) {
			texts[c] = e->text(&r, c, i);
			row[c] = cell_of(&columns->all[c], texts[c]);
		}
		ret = table_add(t, row);
		for (c = 0; c < columns->nr; c++)
			e->free(texts[c]);
	}
	e->destroy(&r);
	return ret ? complain(FAILED, "no memory left") : OK;
}

/** engine_close() - close the engine, or NULL */
void engine_close(struct engine *e)
{
	if (!e)
		return;
	if (e->connection)
		e->disconnect(&e->connection);
	if (e->database)
		e->close(&e->database);
	/* Its threads may not have ended: the library stays loaded. */
	free(e);
}

/** sql_quote() - text as a string of SQL.  Return: to be freed; NULL without memory */
char *sql_quote(const char *text)
{
	char *quoted = malloc(2 * strlen(text) + 3), *to = quoted;

	if (!quoted)
		return NULL;
	*to++ = '\'';
	for (; *text; text++) {
		if (*text == '\'')
			*to++ = '\'';
		*to++ = *text;
	}
	strcpy(to, "'");
	return quoted;
}
