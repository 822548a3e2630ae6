/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Suites: the programs to measure, their configurations, and strategies. */
#ifndef PAGEALLOC_BENCH_SUITE_H
#define PAGEALLOC_BENCH_SUITE_H

#include <stddef.h>
#include <stdint.h>

enum { SUITE_NAME_LEN = 32, SUITE_STRATEGIES = 32 };

/* Words of a command line, ended by NULL. */
struct words {
	char **word;
	size_t nr;
};

/**
 * struct suite_strategy - a placement strategy
 * @options: options for pagealloc run; none for the kernel's default placement
 */
struct suite_strategy {
	char name[SUITE_NAME_LEN];
	struct words options;
};

/**
 * struct suite_config - a configuration of a program
 * @args: arguments appended to its command
 * @env: NAME=VALUE, added to its environment
 */
struct suite_config {
	char name[SUITE_NAME_LEN];
	struct words args, env;
};

/* How a program is measured: as one run, or by lines that request measurements. */
enum suite_protocol { PROTOCOL_RUN, PROTOCOL_LINES };

/* Contents of the modelled caches when a measurement starts. */
enum suite_caches { CACHES_DEFAULT, CACHES_KEEP, CACHES_EMPTY };

/* Rule for the warm-up measurements of an execution. */
enum { WARMUP_MSER = -1 };

/**
 * struct suite_rules - repetitions of a program
 * @executions: n, over all boots
 * @measurements: m, per execution, including warm-up
 * @warmup: number of warm-up measurements, or WARMUP_MSER
 * @timeout_s: time limit of an execution
 */
struct suite_rules {
	uint64_t executions, measurements;
	int64_t warmup;
	uint64_t timeout_s;
};

struct suite_program {
	char name[SUITE_NAME_LEN];
	unsigned int line;
	struct words command;
	char *prepare;		/* shell command run once before all executions, or NULL */
	enum suite_protocol protocol;
	int marks_itself;	/* emits the oracle's marks around its measurements itself */
	enum suite_caches caches;
	uint32_t strategies;	/* bit i: suite's strategy i */
	struct suite_rules rules;
	struct suite_config *configs;
	size_t nr_configs;
};

/**
 * struct suite - a suite file
 * @text: contents of the file
 * @trace: file that the process of each measured execution is written to, or NULL
 * @aging_bytes: memory that the ager fragments before each execution; 0: none
 */
struct suite {
	char name[SUITE_NAME_LEN];
	char *text, *trace;
	size_t size;
	uint64_t seed, boots, aging_bytes;
	struct suite_rules rules;
	struct suite_strategy *strategies;
	size_t nr_strategies;
	struct suite_program *programs;
	size_t nr_programs;
};

int suite_load(const char *path, struct suite *suite);
int suite_parse(const char *path, char *text, size_t size, struct suite *suite);
void suite_free(struct suite *suite);

int words_split(const char *text, struct words *words);
void words_free(struct words *words);

#endif
