// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * oracle-phase: runs a command in the guest as a phase of the oracle's cache
 * model, traced if wanted.  Without the oracle the marks are NOPs, and the command
 * just runs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/mark.h"

#define TRACED "/sys/kernel/debug/oracle/traced"
/* As env(1) and the like: what is ours, what is exec's. */
#define EXIT_OURS 125
#define EXIT_CANNOT_RUN 126
#define EXIT_NOT_FOUND 127

static void usage(FILE *f)
{
	fputs("usage: oracle-phase [--traced] [--empty] [--no-phase] [--] command [argument...]\n"
	      "Runs the command as one phase of the oracle's cache model.\n"
	      "  --traced    only the command's and its children's accesses count, with the\n"
	      "              oracle's who=traced or traced+kernel; loads the module oracle_trace\n"
	      "  --empty     the modeled caches are empty when the command starts\n"
	      "  --no-phase  the command makes its phases itself (oracle/mark.h)\n"
	      "exit status: the command's; 128+N if signal N ended it; 125 if we failed;\n"
	      "126, 127: the command is not executable, is not there; 2: wrong usage\n", f);
}

static int run(char **argv)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return -1;
	if (!pid) {
		execvp(argv[0], argv);
		_exit(EXIT_NOT_FOUND);
	}
	if (waitpid(pid, &status, 0) != pid)
		return -1;
	return status;
}

static bool load_module(void)
{
	char *modprobe[] = { "modprobe", "oracle_trace", NULL };

	if (!access(TRACED, F_OK))
		return true;
	if (run(modprobe) || access(TRACED, F_OK)) {
		fprintf(stderr, "oracle-phase: %s: not there, and modprobe oracle_trace did not help\n",
			TRACED);
		return false;
	}
	return true;
}

static bool trace_us(void)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%d", getpid());
	int fd = open(TRACED, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, n) != n) {
		fprintf(stderr, "oracle-phase: %s: %s\n", TRACED, strerror(errno));
		return false;
	}
	close(fd);
	return true;
}

static void __attribute__((noreturn)) child(char **argv, bool traced, bool phase, bool ignored)
{
	if (ignored)
		signal(SIGCHLD, SIG_IGN);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	if (traced && !trace_us())
		_exit(EXIT_OURS);
	if (phase)
		oracle_phase_begin();
	execvp(argv[0], argv);
	fprintf(stderr, "oracle-phase: %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "traced", no_argument, NULL, 't' },
		{ "empty", no_argument, NULL, 'e' },
		{ "no-phase", no_argument, NULL, 'n' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	bool traced = false, empty = false, phase = true, ignored;
	int status, c;
	pid_t pid;

	while ((c = getopt_long(argc, argv, "+h", options, NULL)) != -1) {
		switch (c) {
		case 't':
			traced = true;
			break;
		case 'e':
			empty = true;
			break;
		case 'n':
			phase = false;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (optind == argc) {
		usage(stderr);
		return 2;
	}
	/* Who began us may ignore it: then nothing could be waited for. */
	ignored = signal(SIGCHLD, SIG_DFL) == SIG_IGN;
	if (traced && !load_module())
		return EXIT_OURS;
	/* Ours is to report; what the terminal sends is for the command. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	oracle_mark(ORACLE_CODE_START);
	sched_yield();
	if (empty)
		oracle_empty();
	pid = fork();
	if (!pid)
		child(argv + optind, traced, phase, ignored);
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		fprintf(stderr, "oracle-phase: %s\n", strerror(errno));
		return EXIT_OURS;
	}
	if (phase)
		oracle_phase_end();
	oracle_mark(ORACLE_CODE_STOP);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
