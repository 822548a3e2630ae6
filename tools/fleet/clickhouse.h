/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The other engine: a ClickHouse server, asked by HTTP. */
#ifndef FLEET_CLICKHOUSE_H
#define FLEET_CLICKHOUSE_H

#include "lib/table.h"

/**
 * struct server_address - what the options give
 * @url: http://HOST:PORT/DATABASE, or NULL
 * @timeout_s: how long a request may take; 0: SERVER_TIMEOUT_S
 */
struct server_address {
	const char *url;
	double timeout_s;
};

#define SERVER_TIMEOUT_S	300

/* Rows for a verb's option table. */
#define SERVER_OPTIONS(address) \
	OPT_TEXT(0, "clickhouse", "URL", &(address)->url, \
		 "a ClickHouse server and its database: http://HOST:PORT/DATABASE"), \
	OPT_TIME(0, "timeout", "TIME", &(address)->timeout_s, "s", 0.001, 86400, \
		 "with --clickhouse: how long a request may take (seconds without unit; default 5min)")

struct server;

struct server *server_open(const struct server_address *address);
int server_run(struct server *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void server_drop(struct server *s, const char *table);
int server_run_without_database(struct server *s, const char *sql);
int server_insert(struct server *s, const char *table, const char *columns, const char *rows, size_t size);
int server_query(struct server *s, const char *sql, const struct columns *columns, struct table *t);
const char *server_database(const struct server *s);
const char *server_name(const struct server *s);
void server_close(struct server *s);
char *server_identifier(const char *name);

#endif
