/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The database engine: DuckDB, a library that is loaded when it is needed. */
#ifndef FLEET_ENGINE_H
#define FLEET_ENGINE_H

#include "lib/table.h"

struct engine;

struct engine *engine_open(const char *library);
int engine_run(struct engine *e, const char *sql);
int engine_query(struct engine *e, const char *sql, const struct columns *columns, struct table *t);
void engine_close(struct engine *e);
char *sql_quote(const char *text);

#endif
