// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Drawing with gnuplot, by the scripts in plots/. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "complain.h"
#include "gnuplot.h"

/* Of the child that has no gnuplot to become: gnuplot's own are 0 and 1, its loader's 127. */
#define NOT_FOUND	125

/**
 * gnuplot_find() - find the scripts: by $MEMSCOPE_PLOTS, in the source tree, or installed
 * @dir: set to the path of their directory
 * @size: size of @dir
 *
 * Return: 0, or -1.
 */
int gnuplot_find(char *dir, size_t size)
{
	static const char * const places[] = {
		"/../../plots", "/../share/memscope/plots", "/../../../plots",
	};
	const char *env = getenv("MEMSCOPE_PLOTS");
	char exe[PATH_MAX], script[PATH_MAX + 32], *slash;
	ssize_t n;
	size_t i;

	if (env) {
		snprintf(dir, size, "%s", env);
		return 0;
	}
	n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n < 0)
		return -1;
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	*slash = '\0';
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (snprintf(dir, size, "%s%s", exe, places[i]) >= (int)size)
			continue;
		snprintf(script, sizeof(script), "%.*s/common.gp", PATH_MAX, dir);
		if (!access(script, R_OK))
			return 0;
	}
	return -1;
}

/**
 * picture_check() - check the name of a picture
 * @output: its name, or NULL
 *
 * Return: OK, or USAGE with a message printed.
 */
int picture_check(const char *output)
{
	const char *ext = output ? strrchr(output, '.') : NULL, *c;

	if (!ext || (strcmp(ext, ".png") && strcmp(ext, ".svg")))
		return complain(USAGE, "-o PICTURE: name a file that ends in .png or .svg");
	/* There is no way to write them in gnuplot's strings that take all else as it is. */
	for (c = output; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return complain(USAGE, "-o PICTURE: the name of a picture must not have control characters");
	return OK;
}

/**
 * picture_name() - name the files of a picture
 * @p: set to the names; relative ones begin with ./, so that they are no options of
 *	programs, and neither commands (<, |) nor home directories (~) for gnuplot
 * @output: name of the picture, after picture_check()
 * @ext: of the data: ".csv"
 *
 * Return: OK, or FAILED with a message printed.
 */
int picture_name(struct picture_files *p, const char *output, const char *ext)
{
	const char *of = strrchr(output, '.'), *here = *output == '/' ? "" : "./";
	const int n = of - output;

	if (snprintf(p->data, sizeof(p->data), "%s%.*s%s", here, n, output, ext) >= PATH_MAX ||
	    snprintf(p->tmp, sizeof(p->tmp), "%s%.*s.%d%s", here, n, output, getpid(), of) >= PATH_MAX)
		return complain(FAILED, "%s: name too long", output);
	return OK;
}

/**
 * gnuplot_quoted() - write an assignment of text to a variable of a script
 * @f: the commands
 * @name: the variable
 * @value: any text; single quotes are strings of their own (gnuplot does not understand a doubled
 *	one at the begin), control characters become blanks
 */
void gnuplot_quoted(FILE *f, const char *name, const char *value)
{
	fprintf(f, "%s='", name);
	for (; *value; value++) {
		if (*value == '\'')
			fputs("'.\"'\".'", f);
		else
			fputc((unsigned char)*value < ' ' ? ' ' : *value, f);
	}
	fputs("'; ", f);
}

/**
 * gnuplot_run() - run a script
 * @plots: directory of the scripts
 * @name: name of the script, without .gp
 * @commands: gnuplot commands that set its variables
 *
 * Return: OK, or FAILED with a message printed.
 */
int gnuplot_run(const char *plots, const char *name, const char *commands)
{
	char script[PATH_MAX + 64];
	int status;
	pid_t pid;

	snprintf(script, sizeof(script), "%s/%s.gp", plots, name);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		execlp("gnuplot", "gnuplot", "-e", commands, script, NULL);
		_exit(errno == ENOENT ? NOT_FOUND : FAILED);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return complain(FAILED, "gnuplot: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
		return complain(FAILED, "gnuplot: not found (Debian package gnuplot-nox)");
	return status ? complain(FAILED, "gnuplot failed on %s", script) : OK;
}
