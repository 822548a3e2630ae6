// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Checked rows into the tables of a ClickHouse server.
 *
 * Intervals go to their table as they are.  Services go through a table of the import, of which
 * the server adds up those beyond the largest of a host.  The last statement makes the import
 * complete (see create.c); of one that fails before, no question reads a row.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "lib/complain.h"
#include "lib/csv/line.h"
#include "load.h"
#include "rows.h"
#include "schema.h"

/* What a statement brings, which bounds our memory; and what the server adds up at once, its. */
#define INSERT_BYTES	(32 << 20)
#define STAGED_BYTES	(256 << 20)

/* What became of the rows of a host. */
struct host {
	char *name;
	uint64_t rows[NR_VERDICTS];
};

struct load {
	struct server *s;
	uint64_t now_ns, import;
	int table;
	FILE *f;		/* rows that wait for a statement */
	char *rows;
	size_t size;
	uint64_t staged;	/* bytes of services in the table of the import */
	char staging[32];
	struct host *hosts;	/* of the table */
	size_t nr_hosts;
};

static int no_memory(void)
{
	return complain(FAILED, "no memory left");
}

static int open_rows(struct load *l)
{
	l->f = open_memstream(&l->rows, &l->size);
	return l->f ? OK : no_memory();
}

static void close_rows(struct load *l)
{
	if (l->f)
		fclose(l->f);
	free(l->rows);
	l->f = NULL;
	l->rows = NULL;
}

/* Services of equal host, time and name are one row; names beyond a host's 1,000 largest are (others). */
static int settle_services(struct load *l)
{
	int ret;

	if (!l->staged)
		return OK;
	ret = server_run(l->s, "INSERT INTO services (%s) SELECT any(import), host, any(boot), time_ns, any(interval_ns), "
			 "name, sum(processes), sum(pages), sum(pages_written), sum(pages_resident) FROM ("
			 "SELECT import, host, boot, time_ns, interval_ns, processes, pages, pages_written, pages_resident, "
			 "CASE WHEN (host, service) IN (SELECT host, service FROM ("
			 "SELECT host, service, max(pages) AS most FROM %s GROUP BY host, service) "
			 "ORDER BY host, most DESC, service LIMIT 1000 BY host) THEN service ELSE '(others)' END AS name "
			 "FROM %s) GROUP BY host, time_ns, name", row_columns[1], l->staging, l->staging);
	server_drop(l->s, l->staging);
	l->staged = 0;
	return ret;
}

/* Send the rows that wait. */
static int flush_rows(struct load *l)
{
	int ret = fflush(l->f) ? no_memory() : OK;

	if (ret || !l->size)
		return ret;
	if (l->table == 1 && !l->staged)
		ret = server_run(l->s, "CREATE TABLE %s (%s) ENGINE = Log", l->staging, schema_columns[1]);
	if (!ret)
		ret = server_insert(l->s, l->table == 1 ? l->staging : fleet_tables[l->table], row_columns[l->table], l->rows, l->size);
	if (l->table == 1)
		l->staged += l->size;
	close_rows(l);
	if (!ret && l->staged >= STAGED_BYTES)
		ret = settle_services(l);
	return ret ? ret : open_rows(l);
}

/* Return the host of a path FOLDER/HOST/NAME, or NULL without memory. */
static struct host *host_of(struct load *l, const char *path)
{
	const char *end = strrchr(path, '/'), *name = memrchr(path, '/', end - path) + 1;
	const size_t length = end - name;
	struct host *h = l->nr_hosts ? &l->hosts[l->nr_hosts - 1] : NULL;

	if (h && strlen(h->name) == length && !memcmp(h->name, name, length))
		return h;
	h = reallocarray(l->hosts, l->nr_hosts + 1, sizeof(*h));
	if (!h)
		return NULL;
	l->hosts = h;
	h += l->nr_hosts;
	*h = (struct host){ .name = strndup(name, length) };
	return h->name ? (l->nr_hosts++, h) : NULL;
}

/* @line: of which nothing is known but its length; @whole: it is not a piece of a longer one. */
static int add_line(struct load *l, struct host *h, char *line, size_t length, int whole)
{
	struct row row;
	enum verdict verdict;

	if (length && line[length - 1] == '\n')
		line[--length] = '\0';
	if (length && line[length - 1] == '\r')
		line[--length] = '\0';
	if (!length)
		return OK;
	verdict = whole ? row_check(l->table, line, length, h->name, l->now_ns, &row) : ROW_NONE;
	h->rows[verdict]++;
	if (verdict != ROW_ACCEPTED)
		return OK;
	row_write(l->table, &row, l->import, l->f);
	return ftello(l->f) >= INSERT_BYTES ? flush_rows(l) : OK;
}

static int load_file(struct load *l, const char *path)
{
	struct host *h = host_of(l, path);
	FILE *f = fopen(path, "re");
	int ret = OK, header = 1, piece = 0;
	char *line = NULL;
	ssize_t n;

	if (!f || !h)
		ret = f ? no_memory() : complain(FAILED, "%s: %s", path, strerror(errno));
	while (!ret && (n = line_get(&line, f)) > 0) {
		const int ends = line[n - 1] == '\n';

		/* Of a line in pieces, the first counts. */
		if (!header && !piece)
			ret = add_line(l, h, line, n, ends || n < LINE_BYTES);
		header = 0;
		piece = !ends;
	}
	if (!ret && n < 0)
		ret = complain(FAILED, "%s: %s", path, strerror(errno));
	free(line);
	if (f)
		fclose(f);
	return ret;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct host *)a)->name, ((const struct host *)b)->name);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(verdict_name[*(const enum verdict *)a], verdict_name[*(const enum verdict *)b]);
}

/* Accepted rows of all hosts, then those refused: by host, and by name of the reason. */
static int add_result(struct load *l, struct table *result)
{
	enum verdict order[NR_VERDICTS];
	uint64_t accepted = 0;
	size_t i, v;
	int ret = 0;

	for (v = 0; v < NR_VERDICTS; v++)
		order[v] = v;
	qsort(order, NR_VERDICTS, sizeof(*order), by_text);
	if (l->nr_hosts)
		qsort(l->hosts, l->nr_hosts, sizeof(*l->hosts), by_name);
	for (i = 0; i < l->nr_hosts; i++)
		accepted += l->hosts[i].rows[ROW_ACCEPTED];
	if (accepted)
		ret = table_add(result, (struct cell[]){ TEXT_CELL(fleet_tables[l->table]), NONE_CELL,
				TEXT_CELL(verdict_name[ROW_ACCEPTED]), INT_CELL(accepted) });
	for (i = 0; i < l->nr_hosts; i++)
		for (v = 0; v < NR_VERDICTS && !ret; v++)
			if (order[v] != ROW_ACCEPTED && l->hosts[i].rows[order[v]])
				ret = table_add(result, (struct cell[]){ TEXT_CELL(fleet_tables[l->table]),
						TEXT_CELL(l->hosts[i].name), TEXT_CELL(verdict_name[order[v]]),
						INT_CELL(l->hosts[i].rows[order[v]]) });
	return ret ? no_memory() : OK;
}

static void free_hosts(struct load *l)
{
	while (l->nr_hosts)
		free(l->hosts[--l->nr_hosts].name);
	free(l->hosts);
	l->hosts = NULL;
}

static int load_table(struct load *l, const struct paths *files, struct table *result)
{
	int ret = open_rows(l);
	size_t i;

	for (i = 0; !ret && i < files->nr; i++)
		ret = load_file(l, files->path[i]);
	if (!ret)
		ret = flush_rows(l);
	if (!ret)
		ret = settle_services(l);
	if (!ret)
		ret = add_result(l, result);
	if (l->staged)
		server_drop(l->s, l->staging);
	close_rows(l);
	free_hosts(l);
	return ret;
}

static int complete(struct load *l)
{
	struct timespec now;
	char row[64];
	int n;

	clock_gettime(CLOCK_REALTIME, &now);
	n = snprintf(row, sizeof(row), "%" PRIu64 "\t%lld\n", l->import, now.tv_sec * 1000000000LL + now.tv_nsec);
	if (!server_insert(l->s, "imports", "import, time_ns", row, n))
		return OK;
	return complain(FAILED, "%s: the import is complete if the table imports has %" PRIu64, server_name(l->s), l->import);
}

/**
 * load() - check rows, and add them to the tables of a server
 * @in: the files
 * @address: the server
 * @now_ns: the latest time of a row
 * @columns: of @result: table, host, result, rows
 * @result: gets how many rows were accepted, and which refused; free it with table_free()
 *
 * Return: OK, or FAILED with a message printed.
 */
int load(const struct incoming *in, const struct server_address *address, uint64_t now_ns,
	 const struct columns *columns, struct table *result)
{
	struct load l = { .now_ns = now_ns };
	int ret = OK;

	table_init_columns(result, columns);
	if (getrandom(&l.import, sizeof(l.import), 0) != sizeof(l.import))
		return complain(FAILED, "no random number: %s", strerror(errno));
	snprintf(l.staging, sizeof(l.staging), "import_%" PRIu64, l.import);
	l.s = server_open(address);
	if (!l.s)
		return FAILED;
	for (; !ret && l.table < NR_TABLES; l.table++)
		ret = load_table(&l, &in->files[l.table], result);
	if (!ret)
		ret = complete(&l);
	server_close(l.s);
	return ret;
}
