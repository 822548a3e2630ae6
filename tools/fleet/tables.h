/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* How rows of each table are read, checked and stored: SQL. */
#ifndef FLEET_TABLES_H
#define FLEET_TABLES_H

#include "fleet.h"

/* As memref export --to columns has it. */
#define FLEET_SCHEMA	1

extern const char * const table_header[NR_TABLES];

/* Of a printf: latest time, in ns since 1970; list of files.  Makes the table batch. */
extern const char * const table_read_sql[NR_TABLES];

/* Selects what is stored of the table batch. */
extern const char * const table_store_sql[NR_TABLES];

#endif
