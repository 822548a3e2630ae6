/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Programs whose first argument is a verb. */
#ifndef MEMSCOPE_VERBS_H
#define MEMSCOPE_VERBS_H

#include <stdbool.h>

/**
 * struct verb - a verb of a program
 * @name: the verb
 * @run: its main(), with the verb as argv[0]; returns the exit status
 * @about: description in the list of verbs, one line
 * @program: it is a program of its own, PROGRAM-VERB, which lists its verbs and options itself
 */
struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *about;
	bool program;
};

int verbs_main(const char *program, const struct verb *verbs, int argc, char **argv);

#endif
