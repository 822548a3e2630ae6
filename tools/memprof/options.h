/* SPDX-License-Identifier: GPL-2.0 */
/* Options that verbs share: which part of a recording, what of a view. */
#ifndef MEMPROF_OPTIONS_H
#define MEMPROF_OPTIONS_H

#include "memprof/view/view.h"

struct common {
	struct memprof_options what;
	struct view_options view;
};

#define COMMON_DEFAULT	{ .what = { .size = sizeof(struct memprof_options) }, \
			  .view = { .object = NO_NUMBER, .thread = NO_NUMBER } }

enum { OPT_FROM = 512, OPT_TO, OPT_PID, OPT_TID, OPT_OBJECT, OPT_THREAD, OPT_SITE, OPT_TOP,
       OPT_SYMBOLS, OPT_INSTANCES, OPT_ALL, OPT_MEMORY };

#define COMMON_OPTIONS								\
	{ "from", 1, NULL, OPT_FROM }, { "to", 1, NULL, OPT_TO },		\
	{ "pid", 1, NULL, OPT_PID }, { "tid", 1, NULL, OPT_TID },		\
	{ "object", 1, NULL, OPT_OBJECT }, { "thread", 1, NULL, OPT_THREAD },	\
	{ "site", 1, NULL, OPT_SITE }, { "top", 1, NULL, OPT_TOP },		\
	{ "symfs", 1, NULL, OPT_SYMBOLS }, { "instances", 0, NULL, OPT_INSTANCES },	\
	{ "all", 0, NULL, OPT_ALL }, { "memory", 1, NULL, OPT_MEMORY }

extern const char options_usage[];

int common_option(struct common *c, int option, const char *value);
struct memprof *common_open(const char *path, const struct common *c, int *damaged);
int common_check(const struct memprof *m, const struct common *c);

#endif
