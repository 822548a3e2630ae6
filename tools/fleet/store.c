// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* A store: a folder with parts of each table, TABLE-NUMBER.parquet. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "fleet.h"
#include "lib/complain.h"

const char * const fleet_tables[NR_TABLES] = { "intervals", "services" };

/** paths_add() - add a path.  Return: 0, or -1 without memory */
int paths_add(struct paths *p, const char *path)
{
	char **more;

	if (p->nr == p->capacity) {
		more = reallocarray(p->path, 2 * p->capacity + 64, sizeof(*more));
		if (!more)
			return -1;
		p->path = more;
		p->capacity = 2 * p->capacity + 64;
	}
	p->path[p->nr] = strdup(path);
	return p->path[p->nr] ? (p->nr++, 0) : -1;
}

/** paths_sql() - the paths of [from, to) as a list of SQL.  Return: to be freed; NULL without memory */
char *paths_sql(const struct paths *p, size_t from, size_t to)
{
	char *sql = NULL, *quoted;
	size_t size, i;
	FILE *f = open_memstream(&sql, &size);
	int failed = !f;

	for (i = from; f && i < to; i++) {
		quoted = sql_quote(p->path[i]);
		failed |= !quoted;
		fprintf(f, "%s%s", i == from ? "[" : ",", quoted ? quoted : "");
		free(quoted);
	}
	if (f) {
		fputc(']', f);
		failed |= fclose(f);
	}
	if (!failed)
		return sql;
	free(sql);
	return NULL;
}

/** paths_free() - free the paths */
void paths_free(struct paths *p)
{
	while (p->nr)
		free(p->path[--p->nr]);
	free(p->path);
	*p = (struct paths){ };
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/**
 * store_parts() - the parts of a table
 * @store: the folder
 * @table: the table
 * @parts: gets them, sorted
 *
 * Return: OK, or FAILED with a message printed.
 */
int store_parts(const char *store, const char *table, struct paths *parts)
{
	size_t length = strlen(table);
	DIR *dir = opendir(store);
	struct dirent *d;
	char path[4096];
	int failed = 0;

	if (!dir)
		return complain(FAILED, "%s: %s", store, strerror(errno));
	while (!failed && (d = readdir(dir))) {
		const char *end = strstr(d->d_name, ".parquet");

		if (strncmp(d->d_name, table, length) || d->d_name[length] != '-' || !end || end[8])
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", store, d->d_name) < (int)sizeof(path))
			failed = paths_add(parts, path);
	}
	closedir(dir);
	if (parts->nr)
		qsort(parts->path, parts->nr, sizeof(*parts->path), by_name);
	return failed ? complain(FAILED, "no memory left") : OK;
}
