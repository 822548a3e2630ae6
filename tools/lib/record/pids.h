/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The processes, or tasks, that --pid chooses. */
#ifndef MEMSCOPE_PIDS_H
#define MEMSCOPE_PIDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/options.h"

/* The kernel's PID_MAX_LIMIT, and how many an option takes. */
enum { MAX_PID = 4 << 20, MAX_PIDS = 4096 };

/**
 * struct pids - IDs, sorted, each once
 * @nr: how many; 0: no choice, all processes
 * @id: the IDs
 */
struct pids {
	size_t nr;
	int32_t id[MAX_PIDS];
};

/*
 * A row of a verb's option table.  @least is 1, or 0 where idle CPUs count as task 0; @whom says
 * whose data these are, and whether those of forked processes count; @taker takes the argument.
 */
#define IDS_OPTION(letter, name, pids, least, taker, whom) \
	{ OPT_KIND_CALL, letter, name, "LIST", pids, .min = least, .take = taker, \
	  .help = whom ": IDs with commas between them; may be repeated" }
#define PIDS_OPTION(letter, pids, least, whom)	IDS_OPTION(letter, "pid", pids, least, pids_option, whom)
/* Of threads, as events have them: other systems have larger numbers than Linux. */
#define TIDS_OPTION(tids, least, whom)		IDS_OPTION(0, "tid", tids, least, tids_option, whom)

int pids_option(const struct opt *o, const char *value);
int tids_option(const struct opt *o, const char *value);
int pids_add(struct pids *p, int32_t id);
bool pids_has(const struct pids *p, int32_t id);
bool pids_choose(const struct pids *p, int32_t id);
void pids_print(const struct pids *p, FILE *f);
const char *pids_text(const struct pids *p, char *text, size_t size);

#endif
