// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof script: compile a C program against libmemprof, and run it. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/tmpfiles.h"
#include "lib/options.h"
#include "memprof_cli.h"

static const struct verb_usage usage = {
	.command = "memprof script", .operands = "PROGRAM.c [ARGUMENT...]",
	.about = "Compile a program that uses libmemprof(3), and run it with the arguments; the first is "
		 "usually a recording.  The compiler is $CC, or cc.",
	.end = "The exit status is the program's.", .min = 1, .max = -1, .command_follows = true,
};

static int run(char *const argv[])
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		execvp(argv[0], argv);
		complain(FAILED, "%s: %s", argv[0], strerror(errno));
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return complain(FAILED, "%s: %s", argv[0], strerror(errno));
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* In the build tree beside the program; where it is installed, the compiler finds it. */
static void find_library(char *include, char *library, size_t size)
{
	char exe[PATH_MAX], *slash;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char path[PATH_MAX + 64];

	*include = *library = '\0';
	if (n < 0)
		return;
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	*slash = '\0';
	snprintf(path, sizeof(path), "%s/../lib/libmemprof.so", exe);
	if (!access(path, R_OK))
		snprintf(library, size, "%s/../lib", exe);
	snprintf(path, sizeof(path), "%s/../../tools/memprof/memprof.h", exe);
	if (!access(path, R_OK))
		snprintf(include, size, "-I%s/../../tools/memprof", exe);
	else
		snprintf(include, size, "-I%s/../include/memprof", exe);
}

int cmd_script(int argc, char **argv)
{
	const struct opt options[] = { { } };
	char dir[] = "/tmp/memprof-script.XXXXXX", program[64], include[PATH_MAX + 64];
	char library[PATH_MAX + 64], link[PATH_MAX + 80], rpath[PATH_MAX + 80];
	const char *cc = getenv("CC");
	char *compile[16];
	int i = 0, ret;

	argv += options_parse(&usage, options, argc, argv);
	if (access(argv[0], R_OK))
		return complain(FAILED, "%s: %s", argv[0], strerror(errno));
	if (!mkdtemp(dir))
		return complain(FAILED, "%s: %s", dir, strerror(errno));
	snprintf(program, sizeof(program), "%s/script", dir);
	if (tmpfile_add(dir) || tmpfile_add(program)) {
		ret = complain(FAILED, "%s: %s", program, strerror(errno));
		tmpfile_done(dir);
		rmdir(dir);
		return ret;
	}
	find_library(include, library, sizeof(include));
	snprintf(link, sizeof(link), "-L%s", library);
	snprintf(rpath, sizeof(rpath), "-Wl,-rpath,%s", library);
	compile[i++] = (char *)(cc && *cc ? cc : "cc");
	compile[i++] = "-O2";
	compile[i++] = "-o";
	compile[i++] = program;
	compile[i++] = argv[0];
	if (*include)
		compile[i++] = include;
	if (*library) {
		compile[i++] = link;
		compile[i++] = rpath;
	}
	compile[i++] = "-lmemprof";
	compile[i++] = "-lm";
	compile[i] = NULL;
	ret = run(compile);
	if (!ret) {
		argv[0] = program;
		ret = run(argv);
	} else {
		ret = complain(FAILED, "%s: not compiled", argv[0]);
	}
	unlink(program);
	tmpfile_done(program);
	rmdir(dir);
	tmpfile_done(dir);
	return ret;
}
