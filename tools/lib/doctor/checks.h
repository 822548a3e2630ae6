/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Checks of a machine: what works, what does not, why, and what to do. */
#ifndef MEMSCOPE_CHECKS_H
#define MEMSCOPE_CHECKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/output.h"
#include "lib/table.h"

/*
 * enum check_state - result of a check
 * @GOOD: works
 * @NOTE: works; the user should know something
 * @WARN: works less well
 * @BAD: does not work
 */
enum check_state { GOOD, NOTE, WARN, BAD, CHECK_STATES };

/**
 * struct checks - the results, a row each
 * @table: the rows
 * @topic: topic of the next rows; NULL: the rows have no topic
 * @nr: number of rows per state
 * @failed: no memory was left for a row
 */
struct checks {
	struct table table;
	const char *topic;
	int nr[CHECK_STATES];
	int failed;
};

extern const struct columns checks_columns, topic_columns;

void checks_init(struct checks *c, const char *topic);
void checks_add(struct checks *c, const char *check, enum check_state state, const char *value,
		const char *why, const char *fix);
int checks_print(struct checks *c, const struct output *o, const char *verdict);
void checks_free(struct checks *c);

/* colors.c */
bool check_page_hints(struct checks *c);
unsigned long check_colors(struct checks *c);

#endif
