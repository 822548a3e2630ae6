/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Programs whose first argument is a verb. */
#ifndef MEMSCOPE_VERBS_H
#define MEMSCOPE_VERBS_H

/**
 * struct verb - a verb of a program
 * @name: the verb
 * @run: its main(), with the verb as argv[0]; returns the exit status
 * @about: description in the list of verbs, one line
 */
struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *about;
};

int verbs_main(const char *program, const struct verb *verbs, int argc, char **argv);

#endif
