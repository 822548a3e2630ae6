/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Runs the recorded command and trace-cmd, and handles signals. */
#ifndef MEMSCOPE_COMMAND_H
#define MEMSCOPE_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Return values of command_wait(). */
#define COMMAND_ENDED	1
#define TRACER_ENDED	2

/* Most systems that are recorded together. */
#define TRACING_SYSTEMS	2

/**
 * struct tracing - what trace-cmd records
 * @systems: tracing systems, up to a NULL
 * @clock: clock of the time stamps; NULL: that which is set
 */
struct tracing {
	const char *systems[TRACING_SYSTEMS];
	const char *clock;
};

extern volatile sig_atomic_t command_interrupted;

void command_catch_signals(void);
void command_ignore_pipe(void);
int command_wait(pid_t child, pid_t tracer, int timeout_ms);
int command_check(char **command);
pid_t command_start(char **command, int (*prepare)(void *ctx), void *ctx, int *go);
int command_status(int status);
int trace_cmd_output(const char *output, char *tmp, size_t size, bool keep);
pid_t tracing_start(const struct tracing *t, const char *tmp, bool (*runs)(void));
pid_t trace_cmd_start(const char *system, const char *tmp, bool (*runs)(void));
int trace_cmd_wait(pid_t child, pid_t tracer);
int trace_cmd_stop(pid_t pid, const char *tmp, const char *output);

#endif
