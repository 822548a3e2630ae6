// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The mode of trace-cmd's output: of the file that it replaces, or what a new one gets. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/record/command.h"
#include "lib/record/undo.h"

static char folder[] = "/tmp/test_record_output.XXXXXX", output[64], tmp[64];

static void put(const char *path, mode_t mode)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(path, f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, mode), 0);
}

/* Of the output, which is what was written to @tmp. */
static mode_t mode(void)
{
	char text[64] = "";
	struct stat st;
	FILE *f = fopen(output, "r");

	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	assert_string_equal(text, tmp);
	assert_int_equal(access(tmp, F_OK), -1);
	assert_int_equal(stat(output, &st), 0);
	return st.st_mode & 07777;
}

/* As trace-cmd does that wrote its file: ends by SIGINT, with status 0. */
static pid_t tracer(void)
{
	sigset_t interrupt, before;
	pid_t pid;
	int sig;

	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigprocmask(SIG_BLOCK, &interrupt, &before);
	pid = fork();
	if (!pid) {
		sigwait(&interrupt, &sig);
		_exit(0);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	assert_true(pid > 0);
	return pid;
}

static void stop(void)
{
	put(tmp, 0600);
	assert_int_equal(trace_cmd_stop(tracer(), tmp, output), 0);
}

/* As the guard does when the recorder was killed. */
static void undo(void)
{
	char line[256];

	put(tmp, 0600);
	assert_true(undo_line(line, sizeof(line), UNDO_OUTPUT, tmp, output) > 0);
	assert_int_equal(undo_all(line), 0);
}

static void check(void (*replace)(void))
{
	static const mode_t modes[] = { 0600, 0640, 0664, 0444 };
	size_t i;

	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		unlink(output);
		put(output, modes[i]);
		replace();
		assert_int_equal(mode(), modes[i]);
	}
	unlink(output);
	umask(027);
	replace();
	assert_int_equal(mode(), 0640);
	umask(022);
	unlink(output);
	replace();
	assert_int_equal(mode(), 0644);
}

static void a_recording_keeps_the_mode(void **unused)
{
	(void)unused;
	check(stop);
}

static void that_of_the_guard_keeps_it_too(void **unused)
{
	(void)unused;
	check(undo);
}

static int make_folder(void **unused)
{
	(void)unused;
	if (!mkdtemp(folder))
		return -1;
	snprintf(output, sizeof(output), "%s/out.dat", folder);
	snprintf(tmp, sizeof(tmp), "%s/out.dat.part.1", folder);
	return 0;
}

static int remove_folder(void **unused)
{
	(void)unused;
	unlink(output);
	unlink(tmp);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recording_keeps_the_mode),
		cmocka_unit_test(that_of_the_guard_keeps_it_too),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
