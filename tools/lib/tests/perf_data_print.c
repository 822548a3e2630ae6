// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Prints the samples of a perf.data file, a field a column, for tests to compare with
 * perf script: perf_data_print FILE FIELD[,FIELD...]
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/perf/perf_data.h"


static void print_field(const struct perf_record *r, const char *field)
{
	const struct perf_sample *s = &r->sample;

	if (!strcmp(field, "pid"))
		printf(" %d", (int)r->pid);
	else if (!strcmp(field, "tid"))
		printf(" %d", (int)r->tid);
	else if (!strcmp(field, "cpu"))
		printf(" %d", r->cpu);
	else if (!strcmp(field, "time"))
		printf(" %" PRIu64 ".%09" PRIu64, r->time / 1000000000, r->time % 1000000000);
	else if (!strcmp(field, "period"))
		printf(" %" PRIu64, s->period);
	else if (!strcmp(field, "event"))
		printf(" %s", r->event->name);
	else if (!strcmp(field, "ip"))
		printf(" %" PRIx64, s->ip);
	else if (!strcmp(field, "addr"))
		printf(" %" PRIx64, s->addr);
	else if (!strcmp(field, "data_src"))
		printf(" %" PRIx64, s->data_src);
	else if (!strcmp(field, "weight"))
		printf(" %" PRIu64, s->weight);
	else if (!strcmp(field, "ins_lat"))
		printf(" %u", s->ins_lat);
	else if (!strcmp(field, "phys_addr"))
		printf(" %" PRIx64, s->phys_addr);
	else
		printf(" ?%s", field);
}

int main(int argc, char **argv)
{
	struct perf_record r;
	struct perf_data d;
	char error[512], fields[256], *field;
	int ret;

	if (argc != 3) {
		fprintf(stderr, "usage: perf_data_print FILE FIELD[,FIELD...]\n");
		return 2;
	}
	ret = perf_data_open(&d, argv[1], error, sizeof(error));
	while (!ret && (ret = perf_data_next(&d, &r)) > 0) {
		ret = 0;
		if (r.type != PERF_RECORD_SAMPLE)
			continue;
		snprintf(fields, sizeof(fields), "%s", argv[2]);
		for (field = strtok(fields, ","); field; field = strtok(NULL, ","))
			print_field(&r, field);
		putchar('\n');
	}
	if (ret < 0)
		fprintf(stderr, "%s\n", *d.error ? d.error : error);
	perf_data_close(&d);
	return ret < 0;
}
