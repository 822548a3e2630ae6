/* SPDX-License-Identifier: GPL-2.0 */
/* The options that choose a part of a recording. */
#ifndef MEMREF_WINDOW_H
#define MEMREF_WINDOW_H

#include <stddef.h>

#include "model.h"

/* What getopt_long() returns for them. */
enum { WINDOW_FROM = 256, WINDOW_TO, WINDOW_ADDR, WINDOW_PID };

#define WINDOW_OPTIONS \
	{ "from", 1, NULL, WINDOW_FROM }, { "to", 1, NULL, WINDOW_TO }, \
	{ "addr", 1, NULL, WINDOW_ADDR }, { "pid", 1, NULL, WINDOW_PID }

extern const char window_usage[], window_pid_usage[];

int window_option(struct window *w, int option, const char *arg, char *error, size_t size);
void window_describe(const struct window *w, char *text, size_t size);

#endif
