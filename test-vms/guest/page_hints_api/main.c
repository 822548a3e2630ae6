// SPDX-License-Identifier: GPL-2.0
/*
 * Runs in the guest, as root: what /proc/<pid>/page_hints and page_map promise,
 * call by call: good and bad input, rights, inheritance, where pages are.
 * Prints TAP.
 *
 *	page_hints_api DIR
 *
 * DIR holds page_strategy_*.ko.
 */
#include "page_hints_api.h"

char *self_path;

int try_put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), ret, err;

	ret = write(fd, text, strlen(text));
	err = errno;
	close(fd);
	errno = err;
	return ret;
}

static void api(void)
{
	int fd = hints_open(getpid(), O_RDWR);

	load_all();
	if (fd < 0)
		die("page_hints");
	/* The guest's root directory is root's alone. */
	chmod("/", 0755);
	test_structures(fd);
	test_set(fd);
	test_splits(fd);
	test_rights();
	test_colors();
	test_strangers();
	test_inheritance(fd);
	test_locked(fd);
	test_maps();
	test_places(fd);
	test_compat(fd);
	close(fd);
	for (unsigned int i = 0; i < NR_STRATEGIES; i++)
		ok(unused(strategies[i]), "%s: no references left at the end", strategies[i]);
}

int main(int argc, char **argv)
{
	self_path = realpath("/proc/self/exe", NULL);
	if (argc != 2)
		return 2;
	if (!strcmp(argv[1], "report"))
		return report();
	module_dir = argv[1];
	api();
	printf("1..%d\n", nr_tests);
	return nr_bad != 0;
}
