/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The questions, by name, as queries of the tables intervals and services. */
#ifndef FLEET_QUESTIONS_H
#define FLEET_QUESTIONS_H

#include "lib/table.h"

/**
 * struct question - a question
 * @name: on the command line
 * @about: for --help
 * @table: the table that the query reads
 * @sql: the query for DuckDB, without LIMIT
 * @clickhouse: that for ClickHouse
 * @columns: of the answer
 */
struct question {
	const char *name, *about, *table, *sql, *clickhouse;
	struct columns columns;
};

extern const struct question questions[];

const struct question *question_find(const char *name);
const char *question_word(int n, const char **about);

#endif
