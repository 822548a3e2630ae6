// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The machine, from files as the kernel has them: nodes, CPUs, and whose a frame is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "memprof/record/system.h"

static char root[] = "/tmp/memprof-machine.XXXXXX";

static void file(const char *path, const char *text)
{
	char command[512];
	FILE *f;

	snprintf(command, sizeof(command), "mkdir -p \"$(dirname '%s%s')\"", root, path);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "%s%s", root, path);
	f = fopen(command, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int set_up(void **state)
{
	(void)state;
	strcpy(root + strlen(root) - 6, "XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

/* Two nodes with CPUs that take turns, one without; blocks of 128 MiB. */
static void blocks(void **state)
{
	static const char *const dirs[] = { "node0/memory0", "node0/memory1", "node2/memory32", "node2/memory33" };
	const uint64_t pages = (128 << 20) / sysconf(_SC_PAGESIZE);
	struct machine m;
	char path[128];
	unsigned int i;

	(void)state;
	file("/sys/devices/system/cpu/online", "0-5,7\n");
	file("/sys/devices/system/node/node0/cpulist", "0,2,4-5\n");
	file("/sys/devices/system/node/node0/distance", "10 20 30\n");
	file("/sys/devices/system/node/node1/cpulist", "1,3,6-7\n");
	file("/sys/devices/system/node/node1/distance", "20 10 40\n");
	file("/sys/devices/system/node/node2/cpulist", "\n");
	file("/sys/devices/system/node/node2/distance", "30 40 10\n");
	file("/sys/devices/system/memory/block_size_bytes", "8000000\n");
	for (i = 0; i < sizeof(dirs) / sizeof(*dirs); i++) {
		snprintf(path, sizeof(path), "/sys/devices/system/node/%s/state", dirs[i]);
		file(path, "online\n");
	}
	/* Not what they look like. */
	file("/sys/devices/system/node/node1/memory_side_cache/x", "");
	assert_int_equal(machine_read(&m, root), 0);
	assert_int_equal(m.nr_nodes, 3);
	assert_int_equal(m.nr_cpus, 8);
	for (i = 0; i < 8; i++) {
		assert_int_equal(m.online[i], i != 6);
		assert_int_equal(m.cpu_node[i], i == 1 || i == 3 || i > 5);
	}
	assert_int_equal(m.distance[0][1], 20);
	assert_int_equal(m.distance[1][2], 40);
	assert_int_equal(m.distance[2][0], 30);
	/* The first and the last frame of each, and those beside them. */
	assert_int_equal(machine_node_of_pfn(&m, 0), 0);
	assert_int_equal(machine_node_of_pfn(&m, pages), 0);
	assert_int_equal(machine_node_of_pfn(&m, 2 * pages - 1), 0);
	assert_int_equal(machine_node_of_pfn(&m, 2 * pages), -1);
	assert_int_equal(machine_node_of_pfn(&m, 32 * pages - 1), -1);
	assert_int_equal(machine_node_of_pfn(&m, 32 * pages), 2);
	assert_int_equal(machine_node_of_pfn(&m, 34 * pages - 1), 2);
	assert_int_equal(machine_node_of_pfn(&m, 34 * pages), -1);
	assert_int_equal(machine_node_of_pfn(&m, UINT64_MAX), -1);
	machine_free(&m);
}

/* Without memory blocks: the spans of zones. */
static void zones(void **state)
{
	struct machine m;

	(void)state;
	file("/sys/devices/system/cpu/online", "0-1\n");
	file("/sys/devices/system/node/node0/cpulist", "0\n");
	file("/sys/devices/system/node/node1/cpulist", "1\n");
	file("/proc/zoneinfo",
	     "Node 0, zone      DMA\n  pages free     1\n        spanned  4095\n        present  3998\n  start_pfn:           1\n"
	     "Node 0, zone    DMA32\n        spanned  1044480\n  start_pfn:           4096\n"
	     "Node 0, zone  Movable\n        spanned  0\n  start_pfn:           0\n"
	     "Node 1, zone   Normal\n        spanned  1000\n  start_pfn:           1048576\n");
	assert_int_equal(machine_read(&m, root), 0);
	assert_int_equal(machine_node_of_pfn(&m, 0), -1);
	assert_int_equal(machine_node_of_pfn(&m, 1), 0);
	assert_int_equal(machine_node_of_pfn(&m, 4095), 0);
	assert_int_equal(machine_node_of_pfn(&m, 4096 + 1044480 - 1), 0);
	assert_int_equal(machine_node_of_pfn(&m, 1048576), 1);
	assert_int_equal(machine_node_of_pfn(&m, 1048576 + 999), 1);
	assert_int_equal(machine_node_of_pfn(&m, 1048576 + 1000), -1);
	machine_free(&m);
}

/* A machine that shows no nodes has one. */
static void no_nodes(void **state)
{
	struct machine m;

	(void)state;
	file("/sys/devices/system/cpu/online", "0\n");
	assert_int_equal(machine_read(&m, root), 0);
	assert_int_equal(m.nr_nodes, 1);
	assert_int_equal(m.nr_cpus, 1);
	assert_int_equal(m.distance[0][0], 10);
	assert_int_equal(machine_node_of_pfn(&m, 0), -1);
	machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(blocks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(zones, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_nodes, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("memprof_machine", tests, NULL, NULL);
}
