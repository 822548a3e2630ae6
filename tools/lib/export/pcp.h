/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Archives of Performance Co-Pilot, by its libpcp_import. */
#ifndef MEMSCOPE_PCP_H
#define MEMSCOPE_PCP_H

#include <stdint.h>

#include "metrics.h"

struct pcp;

struct pcp *pcp_open(const char *output, const char *host, const struct metric *list);
int pcp_write(struct pcp *p, struct metrics *m, uint64_t time_ns);
int pcp_close(struct pcp *p, int failed);

#endif
