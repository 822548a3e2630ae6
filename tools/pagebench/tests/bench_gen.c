// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* bench_gen [NAME=VALUE...]: print a made-up raw.csv, see struct bench_data. */
#include <stdlib.h>
#include <string.h>

#include "bench_data.h"

int main(int argc, char **argv)
{
	struct bench_data d = BENCH_DATA;
	struct { const char *name; unsigned int *n; int *i; double *x; const char **s; } options[] = {
		{ "benchmarks", &d.benchmarks }, { "strategies", &d.strategies }, { "n", &d.n },
		{ "m", &d.m }, { "warm", &d.warm }, { "boots", &d.boots },
		{ "misses", .i = &d.misses }, { "canary", .i = &d.canary },
		{ "between", .x = &d.between }, { "effect", .x = &d.effect },
		{ "suite", .s = &d.suite }, { "kernel", .s = &d.kernel }, { "unit", .s = &d.unit },
	};
	size_t i, length;

	for (; argc > 1; argc--, argv++) {
		const char *value = strchr(argv[1], '=');

		length = value ? (size_t)(value++ - argv[1]) : 0;
		if (value && !strncmp(argv[1], "seed=", 5)) {
			d.seed = strtoull(value, NULL, 10);
			continue;
		}
		for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
			if (value && strlen(options[i].name) == length &&
			    !strncmp(options[i].name, argv[1], length))
				break;
		if (i == sizeof(options) / sizeof(options[0])) {
			fprintf(stderr, "bench_gen: %s: not NAME=VALUE\n", argv[1]);
			return 2;
		}
		if (options[i].n)
			*options[i].n = strtoul(value, NULL, 10);
		else if (options[i].i)
			*options[i].i = atoi(value);
		else if (options[i].x)
			*options[i].x = atof(value);
		else
			*options[i].s = value;
	}
	bench_data_write(stdout, &d);
	return ferror(stdout) || fflush(stdout);
}
