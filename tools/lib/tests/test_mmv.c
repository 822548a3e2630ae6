// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Memory-mapped values, as Performance Co-Pilot's pminfo and its agent pmdammv read them. */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pcp/pmapi.h>
#include <pcp/mmv_stats.h>
#include <pcp/mmv_dev.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/export/mmv.h"

#define PCP "/usr/lib/pcp/pmdas/mmv/"

static const struct metric list[] = {
	{ "test_bytes", "Bytes of a class.", UNIT_BYTES, { "class" } },
	{ "test_seconds", "A time.", UNIT_SECONDS, { NULL } },
	{ "test_pages", "Pages of a node and class.", UNIT_NONE, { "node", "class" } },
	{ "test_never", "Has no value.", UNIT_NONE, { NULL } },
	{ }
};

static char directory[] = "/tmp/test_mmv.XXXXXX", text[1 << 16];
/* Where the package pcp is: "" for an installed one. */
static char pcp[PATH_MAX];

/* Debian's libpcp-mmv1 and pcp, which .ci/unpack unpacks into the build directory. */
static void needs_pcp(void)
{
	const char *build = getenv("MEMSCOPE_BUILD");
	char agent[PATH_MAX + 64];

	snprintf(pcp, sizeof(pcp), "%s/unpacked", build ? build : "build");
	snprintf(agent, sizeof(agent), "%s" PCP "pmda_mmv.so", pcp);
	if (access(agent, R_OK)) {
		pcp[0] = '\0';
		snprintf(agent, sizeof(agent), PCP "pmda_mmv.so");
	}
	if (!dlopen("libpcp_mmv.so.1", RTLD_NOW) || access(agent, R_OK))
		skip();
}

/* What a client of the agent sees. */
static const char *seen(const char *options)
{
	char command[6 * PATH_MAX];
	FILE *f;
	size_t n;

	snprintf(command, sizeof(command), "PCP_TMP_DIR=%s PCP_BINADM_DIR=%s/usr/lib/pcp/bin PATH=$PATH:%s/usr/bin pminfo -n %s" PCP
		 "root_mmv -L -K clear -K add,70,%s" PCP "pmda_mmv.so,mmv_init %s mmv.test 2>&1", directory, pcp, pcp, pcp, pcp, options);
	f = popen(command, "r");
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	pclose(f);
	return text;
}

static void publish_with(struct mmv *v, uint64_t user, const char *other, int result)
{
	struct metrics m = { .list = list };

	metrics_add(&m, 0, user, "user", NULL);
	metrics_add(&m, 0, 18e18, other, NULL);
	metrics_add(&m, 1, 0.125, NULL, NULL);
	metrics_add_numbered(&m, 2, 7, 1, "kernel");
	assert_int_equal(mmv_publish(v, &m), result);
	assert_int_equal(m.nr, 0);
}

static void publish(struct mmv *v, uint64_t user, const char *other)
{
	publish_with(v, user, other, 0);
}

static void values(void **state)
{
	struct mmv *v;

	(void)state;
	needs_pcp();
	v = mmv_begin("test", list);
	assert_non_null(v);
	publish(v, 4096, "two words");
	seen("-f");
	assert_non_null(strstr(text, "or \"user\"] value 4096\n"));
	assert_non_null(strstr(text, "or \"two_words\"] value 18000000000000000000\n"));
	assert_non_null(strstr(text, "or \"1:kernel\"] value 7\n"));
	assert_non_null(strstr(text, "value 0.125\n"));
	assert_null(strstr(text, "never"));
	seen("-dt");
	assert_non_null(strstr(text, "mmv.test.bytes [Bytes of a class.]"));
	assert_non_null(strstr(text, "Units: byte"));
	assert_non_null(strstr(text, "Units: sec"));
	/* Without a new file. */
	publish(v, 8192, "two words");
	seen("-f");
	assert_non_null(strstr(text, "or \"user\"] value 8192\n"));
	/* An instance goes: 0; another comes. */
	publish(v, 1, "new");
	seen("-f");
	assert_non_null(strstr(text, "or \"new\"] value 18000000000000000000\n"));
	assert_non_null(strstr(text, "or \"two_words\"] value 0\n"));
	mmv_end(v);
	assert_null(strstr(seen("-f"), "value"));
}

/*
 * Values of places that are known are stored, and nothing else is done: a process that may only
 * read, write and end publishes them.
 */
static void no_system_call(void **state)
{
	struct mmv *v;
	int status, i;
	pid_t pid;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	/* Its allocator asks the kernel. */
	skip();
#endif
	needs_pcp();
	v = mmv_begin("test", list);
	assert_non_null(v);
	publish(v, 1, "other");
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		/* Memory that the metrics take, and give back, is there then. */
		for (i = 0; i < 10; i++)
			publish(v, i, "other");
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
			_exit(3);
		for (i = 0; i < 1000; i++)
			publish(v, i, "other");
		/* _exit() ends a group, which is another call. */
		syscall(SYS_exit, 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	seen("-f");
	assert_non_null(strstr(text, "or \"user\"] value 999\n"));
	mmv_end(v);
}

/* Names that come and go do not fill the machine. */
static void bounded(void **state)
{
	struct mmv *v;
	char name[32], path[64];
	struct stat st;
	off_t most = 0;
	int i;

	(void)state;
	needs_pcp();
	v = mmv_begin("test", list);
	snprintf(path, sizeof(path), "%s/mmv/test", directory);
	for (i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "name%d", i);
		publish(v, i, name);
		assert_int_equal(stat(path, &st), 0);
		most = st.st_size > most ? st.st_size : most;
	}
	assert_in_range(most, 1, 256 << 10);
	seen("-f");
	assert_non_null(strstr(text, "or \"user\"] value 999\n"));
	assert_non_null(strstr(text, "or \"name999\"]"));
	assert_null(strstr(text, "or \"name1\"]"));
	mmv_end(v);
}

/* Read the file as it is now, until the process that makes it is gone.  Return: what is wrong, or 0. */
static int read_files(const char *path, pid_t maker)
{
	void *library = dlopen("libpcp_mmv.so.1", RTLD_NOW);
	__typeof__(mmv_lookup_value_desc) *lookup = (__typeof__(lookup))dlsym(library, "mmv_lookup_value_desc");
	static union { char bytes[1 << 18]; mmv_disk_header_t header; } file;
	uint64_t last = 0;
	pmAtomValue *at;
	int fd;

	while (getppid() == maker) {
		fd = open(path, O_RDONLY);
		if (fd < 0)
			return 1;
		if (read(fd, file.bytes, sizeof(file)) < (ssize_t)sizeof(file.header))
			return 2;
		close(fd);
		/* What readers are to look for: the file was replaced meanwhile. */
		if (file.header.g1 != file.header.g2)
			continue;
		at = lookup(file.bytes, "test.bytes", "user");
		if (!at || at->ull < last)
			return 3;
		last = at->ull;
	}
	return 0;
}

/* Whoever opens a file while it is replaced finds all values in it. */
static void replaced(void **state)
{
	char name[32], path[64];
	pid_t maker = getpid(), reader;
	int status, i;
	struct mmv *v;

	(void)state;
	needs_pcp();
	v = mmv_begin("test", list);
	assert_non_null(v);
	publish(v, 1, "name0");
	snprintf(path, sizeof(path), "%s/mmv/test", directory);
	reader = fork();
	assert_true(reader >= 0);
	if (!reader)
		_exit(read_files(path, maker));
	for (i = 1; i < 20000 && !waitpid(reader, &status, WNOHANG); i++) {
		snprintf(name, sizeof(name), "name%d", i);
		publish(v, 1 + i, name);
	}
	if (i == 20000) {
		kill(reader, SIGKILL);
		waitpid(reader, &status, 0);
	} else {
		assert_int_equal(WEXITSTATUS(status), 0);
	}
	assert_int_equal(i, 20000);
	mmv_end(v);
	snprintf(path, sizeof(path), "%s/mmv/.test", directory);
	assert_int_equal(access(path, F_OK), -1);
}

/* A directory that goes, or is full, ends nobody: values are published when it is there again. */
static void place_gone(void **state)
{
	char path[64], away[64];
	struct mmv *v;

	(void)state;
	needs_pcp();
	v = mmv_begin("test", list);
	assert_non_null(v);
	publish(v, 1, "a");
	snprintf(path, sizeof(path), "%s/mmv", directory);
	snprintf(away, sizeof(away), "%s/away", directory);
	assert_int_equal(rename(path, away), 0);
	publish_with(v, 2, "b", 1);
	publish_with(v, 3, "c", 1);
	assert_int_equal(rename(away, path), 0);
	publish(v, 4, "d");
	seen("-f");
	assert_non_null(strstr(text, "or \"user\"] value 4\n"));
	mmv_end(v);
}

/* In a child, with a file system of its own that has no room. */
static int publish_when_full(void)
{
	struct mmv *v = mmv_begin("test", list);
	char path[64], name[32], map[32];
	const uid_t user = getuid();
	int i, fd;

	if (unshare((user ? CLONE_NEWUSER : 0) | CLONE_NEWNS))
		return 77;
	/* With the rights of root in its own namespace. */
	snprintf(map, sizeof(map), "0 %u 1", (unsigned int)user);
	fd = user ? open("/proc/self/uid_map", O_WRONLY) : -1;
	if (user && write(fd, map, strlen(map)) < 0)
		return 77;
	snprintf(path, sizeof(path), "%s/mmv", directory);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("none", path, "tmpfs", 0, "size=64k"))
		return 77;
	publish(v, 1, "a");
	snprintf(path, sizeof(path), "%s/mmv/big", directory);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	for (i = 0; i < 100; i++) {
		/* Also the room of the file that is no more. */
		while (write(fd, text, sizeof(text)) > 0)
			;
		snprintf(name, sizeof(name), "name%d", i);
		publish_with(v, i, name, 1);
	}
	close(fd);
	if (unlink(path))
		return 1;
	publish(v, 5, "z");
	mmv_end(v);
	return 0;
}

static void no_capacity(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	/* No client looks at it. */
	if (!dlopen("libpcp_mmv.so.1", RTLD_NOW))
		skip();
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(publish_when_full());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void no_place(void **state)
{
	struct metrics m = { .list = list };
	struct mmv *v;

	(void)state;
	needs_pcp();
	setenv("PCP_TMP_DIR", "/dev/null", 1);
	v = mmv_begin("test", list);
	metrics_add(&m, 1, 1, NULL, NULL);
	assert_int_equal(mmv_publish(v, &m), 1);
	mmv_end(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(values), cmocka_unit_test(no_system_call), cmocka_unit_test(bounded), cmocka_unit_test(replaced), cmocka_unit_test(place_gone), cmocka_unit_test(no_capacity), cmocka_unit_test(no_place) };
	char mmv[64];
	int ret;

	if (!mkdtemp(directory))
		return 1;
	snprintf(mmv, sizeof(mmv), "%s/mmv", directory);
	mkdir(mmv, 0777);
	setenv("PCP_TMP_DIR", directory, 1);
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(mmv);
	rmdir(directory);
	return ret;
}
