// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Drawing with gnuplot, by the scripts in plots/, and the files of pictures. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "complain.h"
#include "gnuplot.h"
#include "lib/cells/utf8.h"
#include "tmpfiles.h"
#include "options.h"
#include "outfile.h"

/* Of the child that has no program to become: gnuplot's own are 0 and 1, its loader's 127. */
#define NOT_FOUND	125

/* Columns of a name in a legend. */
#define LEGEND_WIDTH	40

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
		return wrong_usage("-o PICTURE: name a file that ends in .png or .svg");
	/* There is no way to write them in gnuplot's strings that take all else as it is. */
	for (c = output; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return wrong_usage("-o PICTURE: the name of a picture must not have control characters");
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

	if (snprintf(p->tmp, sizeof(p->tmp), "%s%.*s.%d%s", here, n, output, getpid(), of) >= PATH_MAX ||
	    snprintf(p->data, sizeof(p->data), "%s%.*s.%d%s", here, n, output, getpid(), ext) >= PATH_MAX ||
	    snprintf(p->beside, sizeof(p->beside), "%s%.*s%s", here, n, output, ext) >= PATH_MAX)
		return complain(FAILED, "%s: name too long", output);
	return OK;
}

/**
 * picture_begin() - have a signal remove the temporary files of a picture, until picture_end()
 * @p: the files; none is written
 *
 * Return: OK, or FAILED with a message printed.
 */
int picture_begin(const struct picture_files *p)
{
	if (tmpfile_add(p->data))
		return complain(FAILED, "%s: %s", p->data, strerror(errno));
	if (tmpfile_add(p->tmp)) {
		tmpfile_done(p->data);
		return complain(FAILED, "%s: %s", p->tmp, strerror(errno));
	}
	return OK;
}

/**
 * picture_end() - give a picture and its data their names, or remove them
 * @p: the files, after picture_begin()
 * @output: the name of the picture
 * @failed: it was not drawn, which was said
 *
 * Return: OK, or FAILED with a message printed.
 */
int picture_end(const struct picture_files *p, const char *output, int failed)
{
	if (!failed && outfile_rename(p->data, p->beside))
		failed = complain(FAILED, "%s: %s", p->beside, strerror(errno));
	if (!failed && outfile_rename(p->tmp, output)) {
		failed = complain(FAILED, "%s: %s", output, strerror(errno));
		/* A picture of before that stays is not of these data. */
		unlink(p->beside);
	}
	if (failed) {
		unlink(p->tmp);
		unlink(p->data);
	}
	tmpfile_done(p->tmp);
	tmpfile_done(p->data);
	return failed ? FAILED : OK;
}

/**
 * picture_run() - run a program that draws
 * @argv: its name, its arguments, the last one a file; NULL
 * @package: the Debian package that has it
 *
 * It does not go on drawing when this program is killed.
 *
 * Return: OK, or FAILED with a message printed.
 */
int picture_run(const char * const *argv, const char *package)
{
	const pid_t parent = getpid();
	int status, last;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(FAILED);
		execvp(argv[0], (char **)argv);
		_exit(errno == ENOENT ? NOT_FOUND : FAILED);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return complain(FAILED, "%s: %s", argv[0], strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
		return complain(FAILED, "%s: not found (Debian package %s)", argv[0], package);
	for (last = 0; argv[last + 1]; last++)
		;
	return status ? complain(FAILED, "%s failed on %s", argv[0], argv[last]) : OK;
}

/* Single quotes are strings of their own: gnuplot does not understand a doubled one at the begin. */
static void put_quoted(FILE *f, const char *c)
{
	fputs(*c == '\'' ? "'.\"'\".'" : c, f);
}

/**
 * gnuplot_path() - write an assignment of the path of a file to a variable of a script
 * @f: the commands
 * @name: the variable
 * @path: any bytes, written as they are; control characters become blanks, see picture_check()
 */
void gnuplot_path(FILE *f, const char *name, const char *path)
{
	fprintf(f, "%s='", name);
	for (; *path; path++)
		put_quoted(f, (char[]){ (unsigned char)*path < ' ' ? ' ' : *path, '\0' });
	fputs("'; ", f);
}

/**
 * gnuplot_text() - write an assignment of text to a variable of a script
 * @f: the commands
 * @name: the variable
 * @text: any bytes, written on one line, as valid UTF-8
 */
void gnuplot_text(FILE *f, const char *name, const char *text)
{
	char c[UTF8_SIZE];

	fprintf(f, "%s='", name);
	while (*text) {
		text += utf8_next_in_line(c, text);
		put_quoted(f, c);
	}
	fputs("'; ", f);
}

/* The end of a name that is too long for a legend, from a character on. */
static const char *legend_end(const char *name)
{
	int width = utf8_width(name), columns;

	while (width > LEGEND_WIDTH) {
		name += utf8_fit(name, width - LEGEND_WIDTH < 2 ? 2 : width - LEGEND_WIDTH, &columns);
		width -= columns;
	}
	return name;
}

/**
 * gnuplot_name() - write an assignment of a name in a legend to a variable of a script
 * @f: the commands
 * @variable: the variable
 * @name: any bytes; of a long name, only the end is written
 * @after: text behind it
 *
 * Return: 0, or -1 without memory.
 */
int gnuplot_name(FILE *f, const char *variable, const char *name, const char *after)
{
	char *text = utf8_clean(name), *c, *line;
	const char *end;

	if (!text)
		return -1;
	/* gnuplot makes lines of \n in titles. */
	for (c = text; *c; c++)
		if (*c == '\\')
			*c = '/';
	end = legend_end(text);
	if (asprintf(&line, "%s%s%s", end == text ? "" : "...", end, after) >= 0) {
		gnuplot_text(f, variable, line);
		free(line);
	} else {
		line = NULL;
	}
	free(text);
	return line ? 0 : -1;
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
	const char * const argv[] = { "gnuplot", "-e", commands, script, NULL };

	snprintf(script, sizeof(script), "%s/%s.gp", plots, name);
	return picture_run(argv, "gnuplot-nox");
}
