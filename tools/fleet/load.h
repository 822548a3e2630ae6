/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Checked rows into the tables of a ClickHouse server. */
#ifndef FLEET_LOAD_H
#define FLEET_LOAD_H

#include "clickhouse.h"
#include "incoming.h"

int load(const struct incoming *in, const struct server_address *address, uint64_t now_ns,
	 const struct columns *columns, struct table *result);

#endif
