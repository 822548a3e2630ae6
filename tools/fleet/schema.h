/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The tables on a ClickHouse server. */
#ifndef FLEET_SCHEMA_H
#define FLEET_SCHEMA_H

#include "fleet.h"

/* The columns of a table, with their types. */
extern const char * const schema_columns[NR_TABLES];

#endif
