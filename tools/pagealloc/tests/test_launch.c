// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Commands of pagealloc that are stopped where they begin and end. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "pagealloc/cli.h"

static int begun, ended, begin_status, end_status;
static char begin_exe[256], end_exe[256];

static void look(pid_t pid, char *exe)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	n = readlink(path, exe, 255);
	exe[n < 0 ? 0 : n] = '\0';
}

/* If not 0, written to when the program is about to begin. */
static int about_to_begin;

static int begin(struct launch *l, pid_t pid)
{
	(void)l;
	begun++;
	if (about_to_begin)
		assert_int_equal(write(about_to_begin, "", 1), 1);
	look(pid, begin_exe);
	return begin_status;
}

static int end(struct launch *l, pid_t pid)
{
	(void)l;
	ended++;
	look(pid, end_exe);
	return end_status;
}

static int run(const char *script, int with_end)
{
	char *argv[] = { "bash", "-c", (char *)script, NULL };
	struct launch l = { .argv = argv, .begin = begin, .end = with_end ? end : NULL };

	begun = 0;
	ended = 0;
	*begin_exe = *end_exe = '\0';
	return launch(&l);
}

static void statuses(void **state)
{
	static const char * const sent[] = { "TERM", "HUP", "INT", "QUIT", "USR1", "USR2", "ALRM", "WINCH" };
	char script[128];
	int with_end;
	size_t i;

	(void)state;
	for (with_end = 0; with_end < 2; with_end++) {
		assert_int_equal(run("exit 0", with_end), 0);
		assert_int_equal(begun, 1);
		assert_int_equal(ended, with_end);
		assert_non_null(strstr(begin_exe, "bash"));
		assert_int_equal(run("exit 7", with_end), 7);
		assert_int_equal(run("kill -TERM $$", with_end), 128 + SIGTERM);
		/* Signals reach it, and its own children. */
		assert_int_equal(run("trap 'exit 9' USR1; kill -USR1 $$; exit 1", with_end), 9);
		assert_int_equal(run("sh -c 'exit 4'; [ $? = 4 ] && exit 5", with_end), 5);
		/* What is sent to us reaches it. */
		for (i = 0; i < sizeof(sent) / sizeof(sent[0]); i++) {
			snprintf(script, sizeof(script), "trap 'exit 9' %s; kill -%s $PPID; sleep 60 & wait; exit 1",
				 sent[i], sent[i]);
			assert_int_equal(run(script, with_end), 9);
		}
		/* Stopped and continued as by a shell. */
		assert_int_equal(run("(sleep 0.3; kill -CONT $$) & kill -STOP $$; exit 6", with_end), 6);
	}
}

/* A command that becomes another one: its first begin, its last end. */
static void another_program(void **state)
{
	(void)state;
	assert_int_equal(run("exec sleep 0", 1), 0);
	assert_int_equal(begun, 1);
	assert_int_equal(ended, 1);
	assert_non_null(strstr(begin_exe, "bash"));
	assert_non_null(strstr(end_exe, "sleep"));
}

static void failures(void **state)
{
	char *none[] = { "/nonexistent/command", NULL }, *folder[] = { "/tmp", NULL };
	struct launch l = { .argv = none, .begin = begin, .end = end };

	(void)state;
	begun = 0;
	ended = 0;
	assert_int_equal(launch(&l), 127);
	l.argv = folder;
	assert_int_equal(launch(&l), 126);
	assert_int_equal(begun + ended, 0);
	/* What could not be set up does not run. */
	begin_status = FAILED;
	unlink("/tmp/test_launch.ran");
	assert_int_equal(run(": >/tmp/test_launch.ran", 1), FAILED);
	assert_int_equal(access("/tmp/test_launch.ran", F_OK), -1);
	assert_int_equal(ended, 0);
	begin_status = OK;
	end_status = FAILED;
	assert_int_equal(run("exit 0", 1), FAILED);
	end_status = OK;
}

static void *exit_thread(void *arg)
{
	(void)arg;
	exit(5);
}

/* This program again: another thread than the first ends it. */
static int threads(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, exit_thread, NULL);
	pause();
	return 1;
}

static void ended_by_thread(void **state)
{
	char exe[256] = "", *argv[] = { exe, "threads", NULL };
	struct launch l = { .argv = argv, .begin = begin, .end = end };
	int i;

	(void)state;
	look(getpid(), exe);
	for (i = 0; i < 20; i++) {
		begun = 0;
		ended = 0;
		assert_int_equal(launch(&l), 5);
		assert_int_equal(begun, 1);
		assert_int_equal(ended, 1);
		assert_string_equal(end_exe, exe);
	}
}

/* TERM to us ends it, and is looked at before. */
static void passed_on(void **state)
{
	pid_t me = getpid(), killer;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	killer = fork();
	if (!killer) {
		char c;

		close(fds[1]);
		if (read(fds[0], &c, 1) == 1)
			kill(me, SIGTERM);
		_exit(0);
	}
	about_to_begin = fds[1];
	assert_int_equal(run("exec sleep 100", 1), 128 + SIGTERM);
	about_to_begin = 0;
	close(fds[0]);
	close(fds[1]);
	assert_int_equal(ended, 1);
	waitpid(killer, NULL, 0);
}

static void fixed_addresses(void **state)
{
	char *argv[] = { "grep", "-q", "^00040000$", "/proc/self/personality", NULL };
	struct launch l = { .argv = argv, .begin = begin, .no_aslr = 1 };

	(void)state;
	assert_int_equal(launch(&l), 0);
}

/* What is reserved is there when the program runs, which does not notice. */
static int reserve(struct launch *l, pid_t pid)
{
	(void)l;
	begun++;
	return -launch_reserve(pid, 0x600000000000, 0x600000005000);
}

static void reserved(void **state)
{
	static char script[] = "kill -USR1 $$; exit 1";
	char *argv[] = { "grep", "-q", "^600000000000-600000005000 ---p", "/proc/self/maps", NULL };
	char *shell[] = { "bash", "-c", script, NULL };
	struct launch l = { .argv = argv, .begin = reserve };

	(void)state;
#ifndef __x86_64__
	skip();
#endif
	assert_int_equal(launch(&l), 0);
	l.end = end;
	ended = 0;
	assert_int_equal(launch(&l), 0);
	assert_int_equal(ended, 1);
	l.argv = shell;
	assert_int_equal(launch(&l), 128 + SIGUSR1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statuses), cmocka_unit_test(another_program),
		cmocka_unit_test(failures), cmocka_unit_test(ended_by_thread), cmocka_unit_test(passed_on),
		cmocka_unit_test(fixed_addresses), cmocka_unit_test(reserved),
	};

	if (argc > 1 && !strcmp(argv[1], "threads"))
		return threads();
	return cmocka_run_group_tests_name("launch", tests, NULL, NULL);
}
