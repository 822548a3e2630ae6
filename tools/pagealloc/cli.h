/* SPDX-License-Identifier: GPL-2.0 */
/* The verbs of pagealloc, and what they share. */
#ifndef PAGEALLOC_CLI_H
#define PAGEALLOC_CLI_H

#include <getopt.h>
#include <stdio.h>

#include "lib/complain.h"
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

/* target.c: the process and the ranges that are meant */

struct range {
	uint64_t start, end;
	const char *name;	/* of the mapping, or empty */
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
int count_parse(const char *text, unsigned long *count);

/* options.c: what several verbs understand */

/* The hint that is wanted. */
struct wish {
	const char *strategy;
	unsigned int flags;		/* PAGE_HINT_* */
	const char *inherit;
	struct pagealloc_hint *hint;	/* NULL: none */
	unsigned int inherit_flags;
};

enum { WISH_ORDER0 = 512, WISH_LOCKED, WISH_INHERIT };
#define WISH_OPTIONS	{ "strategy", 1, NULL, 's' }, { "order0", 0, NULL, WISH_ORDER0 }, \
			{ "locked", 0, NULL, WISH_LOCKED }, { "inherit", 1, NULL, WISH_INHERIT }
extern const char wish_usage[];

int wish_option(struct wish *w, int c, const char *arg);
int wish_parse(struct wish *w);
int inherit_parse(const char *text, unsigned int *flags);
void inherit_print(char *buf, size_t size, unsigned int flags);

/* launch.c: commands */

/**
 * struct launch - a command and where it is stopped
 * @argv: the command, ended by NULL
 * @no_aslr: its address space is not randomized
 * @begin: called when its program is in memory and has not begun to run; 0 or a
 *	status, after which it is killed
 * @end: called before it is gone, or NULL
 * @ctx: for these
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

int layout_load(const char *path, struct pagealloc_layout **layout);
int layout_complain(int err, const char *path, const struct pagealloc_layout *layout,
		    struct pagealloc *handle);
int layout_compare(const char *path, const struct pagealloc_layout *layout,
		   struct pagealloc *handle, int exact, int list, struct table *t);

/* system.c: what the kernel says in files */

int system_read(const char *path, char *buf, size_t size);
const char *system_root(void);

#endif
