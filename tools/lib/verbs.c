// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
		printf("%s\t%s\t%s\n", v->program ? "program" : "verb", v->name, v->about);
}

static void on_large_file(int sig)
{
	(void)sig;
}

/*
 * Standard streams that are closed: no file that is opened later gets their numbers, and
 * messages with them.  Nothing can be written to what is open for reading.
 */
static void open_streams(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0)
			return;
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

	open_streams();
	/* Of a child that ends while it is ignored, waitpid() has no status; it may be inherited. */
	signal(SIGCHLD, SIG_DFL);
	/* A file that is too large is an error of write(); programs that are executed inherit no handler. */
	sigaction(SIGXFSZ, &(struct sigaction){ .sa_handler = on_large_file, .sa_flags = SA_RESTART }, NULL);
	if (argc < 2) {
		usage(stderr, program, verbs);
		return USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout, program, verbs);
		return options_printed();
	}
	if (!strcmp(argv[1], "--help-table")) {
		print_table(program, verbs);
		return options_printed();
	}
	if (!strcmp(argv[1], "--version") && !blank) {
		printf("%s (memscope) " MEMSCOPE_VERSION "\n", program);
		return options_printed();
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
