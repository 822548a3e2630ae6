// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* A row of raw.csv, taken apart and checked by itself. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/csv/csv.h"
#include "lib/numbers.h"
#include "results.h"

enum {
	SUITE, BENCHMARK, CONFIG, STRATEGY, BOOT, BLOCK, EXECUTION, MEASUREMENT, WARMUP, PHASE,
	METRIC, UNIT, VALUE, NR_FIELDS
};

static const char * const names[NR_FIELDS] = {
	"suite", "benchmark", "config", "strategy", "boot", "block", "execution", "measurement",
	"warmup", "phase", "metric", "unit", "value",
};

/* More than anybody runs; a damaged digit must not take the memory. */
#define MAX_NUMBER 10000000ULL

/* Decimal, as printf writes it: no nan, no inf, no hexadecimal, nothing too large. */
static int real(const char *text, double *x)
{
	char *end;

	if (!*text || text[strspn(text, "0123456789.eE+-")] || (!isdigit((unsigned char)*text) &&
	    *text != '-'))
		return -1;
	errno = 0;
	*x = strtod(text, &end);
	return *end || (errno && fabs(*x) > 1) ? -1 : 0;
}

/**
 * row_parse() - take a row apart
 * @line: without its newline; is changed, and @row points into it
 * @row: what is in it
 * @error: what is wrong
 * @size: room there
 *
 * Return: 0, or -1 with a message in @error.
 */
int row_parse(char *line, struct row *row, char *error, size_t size)
{
	static const int texts[] = { SUITE, BENCHMARK, STRATEGY, METRIC, UNIT };
	static const int numbers[] = { BOOT, BLOCK, EXECUTION, MEASUREMENT, WARMUP, PHASE };
	uint64_t n[NR_FIELDS] = { };
	char *field[NR_FIELDS];
	size_t i;
	int nr;

	nr = csv_split(line, field, NR_FIELDS);
	if (nr != NR_FIELDS) {
		snprintf(error, size, nr < 0 ? "more than %d fields, or a quote out of place" :
			 "not the %d fields of a row", NR_FIELDS);
		return -1;
	}
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (*field[texts[i]])
			continue;
		snprintf(error, size, "no %s", names[texts[i]]);
		return -1;
	}
	row->is_end = !strcmp(field[METRIC], "end");
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		int f = numbers[i];

		/* Where an execution ends there is no measurement. */
		if (row->is_end && f >= MEASUREMENT && !*field[f])
			continue;
		if (!parse_number(field[f], 0, f == WARMUP ? 1 : f == PHASE ? UINT64_MAX : MAX_NUMBER, &n[f]))
			continue;
		snprintf(error, size, "%s %.40s: not %s", names[f], *field[f] ? field[f] : "(empty)",
			 f == WARMUP ? "0 or 1" : "a number");
		return -1;
	}
	if (real(field[VALUE], &row->value) || row->value < 0) {
		snprintf(error, size, "value %.40s: not a number of 0 or more",
			 *field[VALUE] ? field[VALUE] : "(empty)");
		return -1;
	}
	row->suite = field[SUITE];
	row->benchmark = field[BENCHMARK];
	row->config = field[CONFIG];
	row->strategy = field[STRATEGY];
	row->metric = field[METRIC];
	row->unit = field[UNIT];
	row->boot = n[BOOT];
	row->block = n[BLOCK];
	row->execution = n[EXECUTION];
	row->measurement = n[MEASUREMENT];
	row->warmup = n[WARMUP];
	row->phase = n[PHASE];
	return 0;
}
