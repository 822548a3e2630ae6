/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* What recordings of a run know about an address, a process or a control group. */
#ifndef MEMSCOPE_WHY_H
#define MEMSCOPE_WHY_H

#include <jansson.h>
#include <stdint.h>

#include "lib/table.h"
#include "memscope/read/recording.h"

/**
 * struct answer - rows of "topic, item, value"
 * @table: the rows
 * @failed: no memory was left for a row
 */
struct answer {
	struct table table;
	int failed;
};

extern const struct columns answer_columns;

void answer_init(struct answer *a);
void answer_add(struct answer *a, const char *topic, const char *item, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void answer_findings(struct answer *a, json_t *rows, const char *site, size_t most);
json_t *view_rows(const char *program, const char *view, const char *path, const char *const *more);
const char *recording_of(const struct recordings *r, enum recording kind);

/* Each returns OK, or FAILED with a message printed. */
int why_address(struct answer *a, const struct recordings *r, uint64_t address);
int why_kernel(struct answer *a, const struct recordings *r, uint64_t address);
int why_process(struct answer *a, const struct recordings *r, unsigned int pid);
int why_cgroup(struct answer *a, const struct recordings *r, const char *directory, const char *name);

#endif
