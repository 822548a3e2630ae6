/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Follows memref's events as they come, from a tracing instance of its own. */
#ifndef MEMREF_FOLLOW_H
#define MEMREF_FOLLOW_H

#include <stdbool.h>

#include "decode.h"

struct tracefs_instance;

/**
 * struct follow - events as they come
 * @row: called for each row; a return value above 0 ends follow_read()
 * @ctx: passed to @row
 * @groups: also rows of groups: pages by their address, and node
 * @ages: also rows of idle ages
 * @lost_events: events that were overwritten before they were read, or damaged
 */
struct follow {
	row_fn row;
	void *ctx;
	bool groups, ages;
	uint64_t lost_events;

	/* Private to follow.c. */
	struct decoder decoder;
	struct tep_handle *tep;
	struct tracefs_instance *instance;
	int ret;
};

int follow_begin(struct follow *f, const char *name);
int follow_read(struct follow *f);
bool follow_is_gone(const struct follow *f);
void follow_end(struct follow *f);

#endif
