/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Programs whose first argument says what to do. */
#ifndef MEMSCOPE_VERBS_H
#define MEMSCOPE_VERBS_H

/**
 * struct verb - a thing to do
 * @name: the first argument of the program
 * @run: does it; its arguments begin with the verb; returns the exit status
 * @about: a line for the usage
 */
struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *about;
};

int verbs_main(const char *program, const struct verb *verbs, int argc, char **argv);

#endif
