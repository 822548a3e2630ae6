// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Temporary files are removed by a signal, and none is registered that would not be. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/tmpfiles.h"

/* As many as tmpfiles.c has. */
enum { ALL = 8 };

static char dir[] = "/tmp/memscope-tmpfiles.XXXXXX";

static const char *path_of(int nr, char *path, size_t size)
{
	snprintf(path, size, "%s/%d", dir, nr);
	return path;
}

static void create(const char *path)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fclose(f);
}

static void one_too_many_is_refused(void **state)
{
	char path[PATH_MAX];
	int i;

	(void)state;
	for (i = 0; i < ALL; i++)
		assert_int_equal(tmpfile_add(path_of(i, path, sizeof(path))), 0);
	errno = 0;
	assert_int_equal(tmpfile_add(path_of(ALL, path, sizeof(path))), -1);
	assert_int_equal(errno, ENOBUFS);
	/* What was not registered can be given back without harm. */
	tmpfile_done(path);
	tmpfile_done(path_of(3, path, sizeof(path)));
	assert_int_equal(tmpfile_add(path_of(ALL, path, sizeof(path))), 0);
	assert_int_equal(tmpfile_add(path), -1);
	for (i = 0; i <= ALL; i++)
		tmpfile_done(path_of(i, path, sizeof(path)));
}

static void a_path_that_would_be_cut_is_refused(void **state)
{
	char path[PATH_MAX + 1];

	(void)state;
	memset(path, 'x', sizeof(path));
	path[PATH_MAX] = '\0';
	assert_int_equal(tmpfile_add(path), -1);
	assert_int_equal(errno, ENAMETOOLONG);
	path[PATH_MAX - 1] = '\0';
	assert_int_equal(tmpfile_add(path), 0);
	tmpfile_done(path);
}

static void a_signal_removes_all(void **state)
{
	char path[PATH_MAX];
	int i, status;
	pid_t pid;

	(void)state;
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		/* A folder is registered before what is in it. */
		path_of(0, path, sizeof(path));
		if (tmpfile_add(path) || mkdir(path, 0700))
			_exit(1);
		for (i = 1; i < ALL; i++) {
			snprintf(path, sizeof(path), "%s/0/%d", dir, i);
			if (tmpfile_add(path))
				_exit(1);
			create(path);
		}
		raise(SIGTERM);
		_exit(2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
	assert_int_equal(access(path_of(0, path, sizeof(path)), F_OK), -1);
}

/* The handler may come while a path is written: it removes no file whose name the path begins with. */
static void a_signal_finds_no_part_of_a_path(void **state)
{
	char path[PATH_MAX], name[64], c;
	int i, status, first[2];
	pid_t pid;

	(void)state;
	create(path_of(1, path, sizeof(path)));
	for (i = 0; i < 100; i++) {
		assert_int_equal(pipe(first), 0);
		pid = fork();
		assert_true(pid >= 0);
		if (!pid) {
			for (;;) {
				snprintf(name, sizeof(name), "%s/1.temporary", dir);
				if (tmpfile_add(name))
					_exit(1);
				tmpfile_done(name);
				/* Nobody reads it after the first one. */
				if (first[1] >= 0 && write(first[1], "", 1) != 1)
					_exit(1);
				first[1] = -1;
			}
		}
		close(first[1]);
		assert_int_equal(read(first[0], &c, 1), 1);
		close(first[0]);
		usleep(i * 10);
		kill(pid, SIGTERM);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
	}
	assert_int_equal(access(path, F_OK), 0);
	unlink(path);
}

static int make_directory(void **state)
{
	(void)state;
	return !mkdtemp(dir);
}

static int remove_directory(void **state)
{
	(void)state;
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_too_many_is_refused),
		cmocka_unit_test(a_path_that_would_be_cut_is_refused),
		cmocka_unit_test(a_signal_removes_all),
		cmocka_unit_test(a_signal_finds_no_part_of_a_path),
	};

	return cmocka_run_group_tests_name("tmpfiles", tests, make_directory, remove_directory);
}
