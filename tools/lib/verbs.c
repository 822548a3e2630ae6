// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "complain.h"
#include "verbs.h"

static void usage(FILE *f, const char *program, const struct verb *v)
{
	fprintf(f, "usage: %s VERB [options]\n\n", program);
	for (; v->name; v++)
		fprintf(f, "  %-8s %s\n", v->name, v->about);
	fprintf(f, "\n%s VERB --help tells more; %s --version the version.\n", program, program);
}

/**
 * verbs_main() - do what the first argument says
 * @program: name of the program
 * @verbs: what it can do; ended by one without name
 * @argc: arguments of main()
 * @argv: arguments of main()
 *
 * Return: the exit status.
 */
int verbs_main(const char *program, const struct verb *verbs, int argc, char **argv)
{
	const struct verb *v;

	if (argc < 2) {
		usage(stderr, program, verbs);
		return USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout, program, verbs);
		return OK;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("%s (memscope) " MEMSCOPE_VERSION "\n", program);
		return OK;
	}
	for (v = verbs; v->name; v++)
		if (!strcmp(argv[1], v->name))
			return v->run(argc - 1, argv + 1);
	complain(USAGE, "%s: no such verb", argv[1]);
	usage(stderr, program, verbs);
	return USAGE;
}
