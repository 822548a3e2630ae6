// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Names, types and units of metrics in Performance Co-Pilot. */
#include <stdio.h>
#include <string.h>

#include "pcp_names.h"

/** pcp_metric_name() - memref_working_set_bytes -> memref.working_set_bytes */
void pcp_metric_name(const struct metric *metric, char name[PCP_NAME])
{
	char *first;

	snprintf(name, PCP_NAME, "%s", metric->name);
	first = strchr(name, '_');
	if (first)
		*first = '.';
}

/** pcp_instance_name() - the labels of a value; up to a blank, names of instances must differ */
void pcp_instance_name(const struct metric_value *v, char name[PCP_NAME])
{
	char *c;

	snprintf(name, PCP_NAME, "%s%s%s", v->labels[0], v->labels[1] ? ":" : "", v->labels[1] ? v->labels[1] : "");
	for (c = name; *c; c++)
		if ((unsigned char)*c <= ' ')
			*c = '_';
	if (!*name)
		strcpy(name, "-");
}

/** pcp_units() - dimension and scale of a unit */
pmUnits pcp_units(enum metric_unit unit)
{
	switch (unit) {
	case UNIT_BYTES: return (pmUnits){ .dimSpace = 1, .scaleSpace = PM_SPACE_BYTE };
	case UNIT_SECONDS: return (pmUnits){ .dimTime = 1, .scaleTime = PM_TIME_SEC };
	case UNIT_NONE: return (pmUnits){ .dimCount = 1, .scaleCount = PM_COUNT_ONE };
	default: return (pmUnits){ 0 };
	}
}

/** pcp_type() - type of a metric's values.  Return: PM_TYPE_U64 or PM_TYPE_DOUBLE */
int pcp_type(const struct metric *metric)
{
	return metric->unit == UNIT_NONE || metric->unit == UNIT_BYTES ? PM_TYPE_U64 : PM_TYPE_DOUBLE;
}
