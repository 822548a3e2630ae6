/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Archives of Performance Co-Pilot, by its libpcp_import. */
#ifndef MEMSCOPE_PCP_H
#define MEMSCOPE_PCP_H

#include <stdint.h>

#include "metrics.h"

struct pcp;

/**
 * struct pcp_options - what a recording may not tell
 * @host: name of the machine; NULL: as recorded
 * @begin_ns: when it began, in ns since 1970; 0: it ended when the file was last modified
 */
struct pcp_options {
	const char *host;
	uint64_t begin_ns;
};

#define PCP_OPTIONS(o)										\
	OPT_TEXT(0, "host", "NAME", &(o)->host, "name of the machine (default: as recorded)"),	\
	OPT_NUMBER(0, "begin", "NS", &(o)->begin_ns, 1, 0x1p62,					\
		   "start of the recording, in ns since 1970 (default: such that it ends when the file was last "	\
		   "modified)")

/* What they have an effect with: rows of a table of struct opt_only. */
#define PCP_ONLY	{ "host", "pcp" }, { "begin", "pcp" }

struct pcp *pcp_open(const char *output, const char *host, const struct metric *list);
int pcp_write(struct pcp *p, struct metrics *m, uint64_t time_ns);
int pcp_close(struct pcp *p, int failed);
int pcp_check_output(const char *output);
int pcp_write_summary(const struct pcp_options *o, const char *path, const char *output, uint64_t end_ns,
		      uint64_t length_ns, struct metrics *m);

#endif
