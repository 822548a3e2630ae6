/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The verbs of pagealloc, and their shared helpers. */
#ifndef PAGEALLOC_CLI_H
#define PAGEALLOC_CLI_H

#include <stdio.h>

#include "lib/complain.h"
#include "lib/doctor/system.h"
#include "lib/options.h"
#include "lib/outfile.h"
#include "lib/output.h"
#include "lib/table.h"
#include "pagealloc.h"

int cmd_run(int argc, char **argv);
int cmd_set(int argc, char **argv);
int cmd_clear(int argc, char **argv);
int cmd_get(int argc, char **argv);
int cmd_map(int argc, char **argv);
int cmd_colors(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_repair(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_stats(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_bench(int argc, char **argv);

/* Explains RANGE in --help. */
#define RANGE_HELP	"  RANGE is 0xSTART-0xEND, or the name of a mapping: [heap], libfoo.so."

/* target.c: the process and the ranges that operands name */

struct range {
	uint64_t start, end;
	const char *name;	/* name of the mapping, or empty */
};

struct target {
	pid_t pid;
	struct pagealloc *handle;
	struct pagealloc_mapping *maps;
	size_t nr_maps;
	struct range *ranges;
	size_t nr_ranges;
};

enum { ALL_MAPPINGS = 1 << 0, MAPPINGS_OF_RANGE = 1 << 1 };

int target_open(struct target *t, const char *pid, unsigned int flags);
int target_ranges(struct target *t, char **words, int nr, int how);
void target_close(struct target *t);
const char *target_name(const struct target *t, uint64_t address);
int complain_about(int err, const char *what);

/* options.c: options of several verbs */

/* A hint requested on the command line. */
struct hint_request {
	const char *strategy;
	unsigned int flags;		/* PAGE_HINT_* */
	const char *inherit;
	struct pagealloc_hint *hint;	/* NULL: none */
	unsigned int inherit_flags;
};

#define NO_ASLR_HELP "do not randomize addresses, so that colors derived from addresses repeat in every run"

/* Rows for a verb's option table. */
#define HINT_OPTIONS(w) \
	OPT_TEXT(0, "strategy", "NAME[:ARG]", &(w)->strategy, \
		 "coloring[:offset=N], binhop[:first=N,step=N], modulo:C,C,... or modulo:FILE, exact:FILE, " \
		 "partition:C-C,C,..., random:seed=N, or another module's NAME[:@FILE]"), \
	OPT_CALL(0, "order0", NULL, hint_request_flag, w, "no large folios"), \
	OPT_CALL(0, "locked", NULL, hint_request_flag, w, "only CAP_SYS_NICE can remove the hint"), \
	OPT_CALL(0, "inherit", "LIST", hint_request_inherit, w, \
		 "fork (children get the default hint), exec (new programs keep it), ranges (children get " \
		 "the hints of ranges), or none; default of run: fork,exec"), \
	OPT_CHANGED('s', NULL, "--strategy")

int hint_request_flag(const struct opt *o, const char *value);
int hint_request_inherit(const struct opt *o, const char *value);
int hint_request_parse(struct hint_request *w);
void inherit_print(char *buf, size_t size, unsigned int flags);

/* launch.c: running commands */

/**
 * struct launch - a command, and callbacks at its begin and end
 * @argv: the command, ended by NULL
 * @no_aslr: do not randomize its address space
 * @begin: called after the program is loaded, before its first instruction; if the
 *	result is not 0, the command is killed and the result is the exit status
 * @end: called when the command exits, before its memory is released; may be NULL
 * @ctx: for these callbacks
 */
struct launch {
	char **argv;
	int no_aslr;
	int (*begin)(struct launch *l, pid_t pid);
	int (*end)(struct launch *l, pid_t pid);
	void *ctx;
};

int launch(struct launch *l);
int launch_reserve(pid_t pid, uint64_t start, uint64_t end);
int launch_exec(char **argv);
extern void (*launch_gate)(void);
int no_aslr(void);

/* replay.c: layouts in files */

extern const struct columns compare_columns, list_columns;

int layout_load(const char *path, struct pagealloc_layout **layout);
int layout_complain(int err, const char *path, const struct pagealloc_layout *layout,
		    struct pagealloc *handle);
int layout_compare(const char *path, const struct pagealloc_layout *layout,
		   struct pagealloc *handle, int exact, int list, struct table *t);

#endif
