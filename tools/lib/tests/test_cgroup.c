// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The path of a control group by the kernel's id: of this process, where there is a hierarchy. */
#include <limits.h>
#include <linux/magic.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/record/cgroup.h"

/* As /proc/self/cgroup has it, with the id of its directory. */
static uint64_t own(char *path, size_t size)
{
	char line[PATH_MAX] = "", directory[2 * PATH_MAX];
	struct statfs fs;
	struct stat st;
	FILE *f = fopen("/proc/self/cgroup", "re");

	while (f && fgets(line, sizeof(line), f) && strncmp(line, "0::", 3))
		;
	if (f)
		fclose(f);
	line[strcspn(line, "\n")] = '\0';
	if (strncmp(line, "0::/", 4) || statfs(CGROUP_ROOT, &fs) || fs.f_type != CGROUP2_SUPER_MAGIC)
		return 0;
	snprintf(path, size, "%s", line + 3);
	snprintf(directory, sizeof(directory), CGROUP_ROOT "%s", path);
	return stat(directory, &st) ? 0 : st.st_ino;
}

static void the_own_group_has_its_path(void **unused)
{
	char expected[PATH_MAX], path[PATH_MAX];
	const uint64_t id = own(expected, sizeof(expected));

	(void)unused;
	if (!id)
		skip();
	assert_int_equal(cgroup_path(id, getpid(), getpid(), path, sizeof(path)), 0);
	assert_string_equal(path, expected);
}

/* perf has a parent where it does not know the group. */
static void the_group_of_a_parent_has_its_path(void **unused)
{
	char expected[PATH_MAX], path[PATH_MAX];
	struct stat st;

	(void)unused;
	if (!own(expected, sizeof(expected)) || stat(CGROUP_ROOT, &st))
		skip();
	assert_int_equal(cgroup_path(st.st_ino, getpid(), getpid(), path, sizeof(path)), 0);
	assert_string_equal(path, "/");
}

static void what_is_gone_has_none(void **unused)
{
	char expected[PATH_MAX], path[PATH_MAX];

	(void)unused;
	if (!own(expected, sizeof(expected)))
		skip();
	assert_int_equal(cgroup_path(UINT64_MAX - 1, getpid(), getpid(), path, sizeof(path)), -1);
	assert_int_equal(cgroup_path(UINT64_MAX - 1, INT_MAX, INT_MAX, path, sizeof(path)), -1);
}

/* A hierarchy of its own, of cgroup version 1, has no ids that could be looked up. */
static void perf_event_of_version_1_goes_by_the_process(void **unused)
{
	char line[PATH_MAX], path[PATH_MAX], *at = NULL;
	FILE *f = fopen("/proc/self/cgroup", "re");

	(void)unused;
	while (f && !at && fgets(line, sizeof(line), f))
		at = strstr(line, ":perf_event:");
	if (f)
		fclose(f);
	if (!at)
		skip();
	at[strcspn(at, "\n")] = '\0';
	assert_int_equal(cgroup_path(77, getpid(), getpid(), path, sizeof(path)), 0);
	assert_string_equal(path, at + strlen(":perf_event:"));
}

static void directories_and_names(void **unused)
{
	char path[PATH_MAX];

	(void)unused;
	cgroup_directory("a/b", path, sizeof(path));
	assert_string_equal(path, CGROUP_ROOT "/a/b");
	cgroup_below_root(CGROUP_ROOT "/a/b/", path, sizeof(path));
	assert_string_equal(path, "/a/b");
	cgroup_below_root(CGROUP_ROOT, path, sizeof(path));
	assert_string_equal(path, "/");
	cgroup_below_root("a", path, sizeof(path));
	assert_string_equal(path, "/a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_own_group_has_its_path), cmocka_unit_test(the_group_of_a_parent_has_its_path),
		cmocka_unit_test(what_is_gone_has_none),
		cmocka_unit_test(perf_event_of_version_1_goes_by_the_process), cmocka_unit_test(directories_and_names),
	};

	return cmocka_run_group_tests_name("control groups", tests, NULL, NULL);
}
