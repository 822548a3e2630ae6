/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Runs the tools that stand beside memscope. */
#ifndef MEMSCOPE_PROGRAM_H
#define MEMSCOPE_PROGRAM_H

#include <stddef.h>

/**
 * struct output_text - what a program printed
 * @out: standard output, ended by a 0; may be NULL without memory
 * @err: standard error, likewise
 * @status: exit status, as a shell's
 */
struct output_text {
	char *out, *err;
	int status;
};

void program_path(const char *name, char *path, size_t size);
void program_capture(const char *const *argv, struct output_text *text);
int program_run(const char *const *argv);
void output_text_free(struct output_text *text);
const char *last_line(char *text);

#endif
