/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Names, types and units of metrics in Performance Co-Pilot. */
#ifndef MEMSCOPE_PCP_NAMES_H
#define MEMSCOPE_PCP_NAMES_H

#include <pcp/pmapi.h>

#include "metrics.h"

#define PCP_NAME	256

void pcp_metric_name(const struct metric *metric, char name[PCP_NAME]);
void pcp_instance_name(const struct metric_value *v, char name[PCP_NAME]);
pmUnits pcp_units(enum metric_unit unit);
int pcp_type(const struct metric *metric);

#endif
