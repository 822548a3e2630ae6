// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
#include <stdio.h>
#include <string.h>

#include "complain.h"
#include "options.h"
#include "verbs.h"

static void usage(FILE *f, const char *program, const struct verb *v)
{
	fprintf(f, "usage: %s VERB [options]\n\n", program);
	for (; v->name; v++)
		fprintf(f, "  %-8s %s\n", v->name, v->about);
	fprintf(f, "\nSee %s VERB --help for its options%s%s%s.\n", program, strchr(program, ' ') ? "" : "; ",
		strchr(program, ' ') ? "" : program, strchr(program, ' ') ? "" : " --version prints the version");
}

/* The verbs of this program, for verb_word(). */
static const struct verb *all;

static const char *verb_word(int n, const char **about)
{
	if (about)
		*about = all[n].about;
	return all[n].name;
}

static void print_table(const char *program, const struct verb *v)
{
	printf("verbs\t%s\n", program);
	for (; v->name; v++)
		if (!v->program)
			printf("verb\t%s\t%s\n", v->name, v->about);
}

/**
 * verbs_main() - run the verb that the first argument names
 * @program: name of the program; with the verb, for a verb that has verbs itself
 * @verbs: the verbs; ended by one without a name
 * @argc: arguments of main()
 * @argv: arguments of main()
 *
 * Return: the exit status.
 */
int verbs_main(const char *program, const struct verb *verbs, int argc, char **argv)
{
	const char *blank = strchr(program, ' '), *near;
	const struct verb *v;

	if (argc < 2) {
		usage(stderr, program, verbs);
		return USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout, program, verbs);
		return OK;
	}
	if (!strcmp(argv[1], "--help-table")) {
		print_table(program, verbs);
		return OK;
	}
	if (!strcmp(argv[1], "--version") && !blank) {
		printf("%s (memscope) " MEMSCOPE_VERSION "\n", program);
		return OK;
	}
	for (v = verbs; v->name; v++)
		if (!strcmp(argv[1], v->name))
			return v->run(argc - 1, argv + 1);
	all = verbs;
	near = nearest_word(argv[1], verb_word);
	return complain(USAGE, "%s%s%s: no such verb%s%s%s; see %s --help", blank ? blank + 1 : "",
			blank ? " " : "", argv[1], near ? " (did you mean " : "", near ? near : "",
			near ? "?)" : "", program);
}
