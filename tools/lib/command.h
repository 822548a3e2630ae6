/* SPDX-License-Identifier: GPL-2.0 */
/* The command that a program records, and trace-cmd that records it. */
#ifndef MEMSCOPE_COMMAND_H
#define MEMSCOPE_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

pid_t command_start(char **command, int (*prepare)(void *ctx), void *ctx, int *go);
int command_status(int status);
pid_t trace_cmd_start(const char *system, const char *output, bool (*runs)(void));
bool trace_cmd_ended(pid_t pid);
int trace_cmd_stop(pid_t pid, const char *output);

#endif
