// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Sources of samples, of machines as their /sys and /proc describe them. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/perf/source.h"

static char root[] = "/tmp/memsource.XXXXXX";
static struct memsource sources[MEMSOURCE_COUNT];
static struct memsource_events events;
static char error[512];

static const struct memsource_request all = {
	.period = 100001, .user = true, .kernel = true, .loads = true, .stores = true,
};

static int begin(void **state)
{
	(void)state;
	strcpy(strrchr(root, '.') + 1, "XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int end(void **state)
{
	char command[PATH_MAX];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command);
}

/* A file below the root, with its directories. */
static void put(const char *path, const char *text)
{
	char full[PATH_MAX], *slash;
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (slash = strchr(full + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		assert_true(!mkdir(full, 0755) || errno == EEXIST);
		*slash = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	assert_true(fprintf(f, "%s\n", text) > 0);
	assert_int_equal(fclose(f), 0);
}

#define DEVICES "/sys/bus/event_source/devices/"

static void cpu(const char *vendor, const char *flags)
{
	char text[256];

	snprintf(text, sizeof(text), "processor\t: 0\nvendor_id\t: %s\nflags\t\t: fpu %s\nbugs\t\t:",
		 vendor, flags);
	put("/proc/cpuinfo", text);
}

static void intel(const char *pmu)
{
	static const char * const files[][2] = {
		{ "type", "4" }, { "format/event", "config:0-7" }, { "format/umask", "config:8-15" },
		{ "format/ldlat", "config1:0-15" },
		{ "events/mem-loads", "event=0xcd,umask=0x1,ldlat=3" },
		{ "events/mem-stores", "event=0xcd,umask=0x2" },
	};
	char path[PATH_MAX];

	cpu("GenuineIntel", "pebs");
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), DEVICES "%s/%s", pmu, files[i][0]);
		put(path, files[i][1]);
	}
}

static const struct memsource *chosen(const char *name)
{
	memsource_probe(sources, root);
	return memsource_choose(sources, name, error, sizeof(error));
}

static void nothing(void **state)
{
	(void)state;
	cpu("AuthenticAMD", "sse ibsx");
	assert_null(chosen(NULL));
	assert_non_null(strstr(error, "ibs: the processor has no IBS, or a hypervisor hides it"));
	assert_non_null(strstr(error, "pebs: the processor is not Intel's"));
	assert_non_null(strstr(error, "swmem: the kernel has no swmem"));
	assert_null(chosen("pebs"));
	assert_string_equal(error, "pebs: the processor is not Intel's");
	assert_null(chosen("lbr"));
	assert_non_null(strstr(error, "lbr: not a source"));
	cpu("AuthenticAMD", "sse ibs");
	assert_null(chosen("ibs"));
	assert_non_null(strstr(error, "the kernel has no ibs_op"));
	cpu("GenuineIntel", "sse");
	put(DEVICES "cpu/type", "4");
	assert_null(chosen("pebs"));
	assert_non_null(strstr(error, "as in most virtual machines"));
}

static void ibs(void **state)
{
	const struct memsource *s;
	struct memsource_request request = all;

	(void)state;
	cpu("AuthenticAMD", "ibs");
	put(DEVICES "ibs_op/type", "9");
	put(DEVICES "ibs_op/format/cnt_ctl", "config:19");
	put(DEVICES "swmem/type", "12");
	s = chosen(NULL);
	assert_non_null(s);
	assert_string_equal(s->name, "ibs");
	assert_string_equal(s->period_unit, "ops");
	assert_int_equal(memsource_events(s, &all, &events, error, sizeof(error)), 0);
	assert_int_equal(events.nr, 1);
	assert_int_equal(events.attr[0].type, 9);
	assert_int_equal(events.attr[0].config, 1 << 19);
	/* The driver refuses what is no multiple of 16, or less than 0x90. */
	assert_int_equal(events.attr[0].sample_period, 100000);
	assert_false(events.filter_mode);
	/* It refuses exclude_user and exclude_kernel, too. */
	request.kernel = false;
	request.period = 1;
	assert_int_equal(memsource_events(s, &request, &events, error, sizeof(error)), 0);
	assert_int_equal(events.attr[0].exclude_kernel, 0);
	assert_int_equal(events.attr[0].sample_period, 0x90);
	assert_true(events.filter_mode);
	/* Unless it filters itself. */
	put(DEVICES "ibs_op/format/swfilt", "config2:0");
	s = chosen("ibs");
	assert_int_equal(memsource_events(s, &request, &events, error, sizeof(error)), 0);
	assert_int_equal(events.attr[0].exclude_kernel, 1);
	assert_int_equal(events.attr[0].config2, 1);
	assert_false(events.filter_mode);
}

/* Family 10h: no count of micro-ops. */
static void ibs_of_old(void **state)
{
	const struct memsource *s;

	(void)state;
	cpu("AuthenticAMD", "ibs");
	put(DEVICES "ibs_op/type", "9");
	s = chosen(NULL);
	assert_non_null(s);
	assert_string_equal(s->period_unit, "cycles");
	assert_int_equal(memsource_events(s, &all, &events, error, sizeof(error)), 0);
	assert_int_equal(events.attr[0].config, 0);
}

static void pebs(void **state)
{
	const struct memsource *s;
	struct memsource_request request = all;

	(void)state;
	intel("cpu");
	s = chosen(NULL);
	assert_non_null(s);
	assert_string_equal(s->name, "pebs");
	request.min_latency = 30;
	request.kernel = false;
	assert_int_equal(memsource_events(s, &request, &events, error, sizeof(error)), 0);
	assert_int_equal(events.nr, 2);
	assert_false(events.group);
	assert_int_equal(events.attr[0].config, 0x1cd);
	assert_int_equal(events.attr[0].config1, 30);
	assert_int_equal(events.attr[0].precise_ip, 2);
	assert_int_equal(events.attr[0].exclude_kernel, 1);
	assert_int_equal(events.attr[1].config, 0x2cd);
	assert_int_equal(events.attr[1].sample_period, 100001);
	request.loads = false;
	assert_int_equal(memsource_events(s, &request, &events, error, sizeof(error)), 0);
	assert_int_equal(events.nr, 1);
	assert_int_equal(events.attr[0].config, 0x2cd);
}

/* Sapphire Rapids; and processors with cores of two kinds. */
static void pebs_with_leader(void **state)
{
	const struct memsource *s;

	(void)state;
	intel("cpu_core");
	put(DEVICES "cpu_core/events/mem-loads-aux", "event=0x03,umask=0x82");
	s = chosen(NULL);
	assert_non_null(s);
	assert_string_equal(s->pmu, "cpu_core");
	assert_int_equal(memsource_events(s, &all, &events, error, sizeof(error)), 0);
	assert_int_equal(events.nr, 3);
	assert_true(events.group);
	assert_int_equal(events.attr[0].config, 0x8203);
	assert_int_equal(events.attr[0].sample_period, 0);
	assert_int_equal(events.attr[0].disabled, 1);
	assert_int_equal(events.attr[1].config, 0x1cd);
	assert_int_equal(events.attr[1].config1, 3);
	assert_int_equal(events.attr[1].disabled, 0);
}

static void swmem(void **state)
{
	const struct memsource *s;
	struct memsource_request request = { .frequency = 4000, .kernel = true, .stores = true };

	(void)state;
	cpu("GenuineIntel", "sse");
	put(DEVICES "cpu/type", "4");
	put(DEVICES "swmem/type", "12");
	put(DEVICES "swmem/format/op", "config:2-3");
	s = chosen(NULL);
	assert_non_null(s);
	assert_string_equal(s->name, "swmem");
	assert_false(s->latency);
	request.physical = true;
	assert_int_equal(memsource_events(s, &request, &events, error, sizeof(error)), 0);
	assert_int_equal(events.attr[0].config, 2 << 2);
	assert_int_equal(events.attr[0].freq, 1);
	assert_int_equal(events.attr[0].sample_freq, 4000);
	assert_int_equal(events.attr[0].exclude_user, 1);
	assert_true(events.attr[0].sample_type & PERF_SAMPLE_PHYS_ADDR);
	put(DEVICES "swmem/format/op", "config9:2-3");
	assert_int_equal(memsource_events(s, &request, &events, error, sizeof(error)), -1);
	assert_non_null(strstr(error, "swmem is not described"));
}

static void senseless(void **state)
{
	const struct memsource *s;
	struct memsource_request request = all;

	(void)state;
	cpu("AuthenticAMD", "ibs");
	put(DEVICES "ibs_op/type", "9");
	s = chosen(NULL);
	request.period = 0;
	assert_int_equal(memsource_events(s, &request, &events, error, sizeof(error)), -1);
	assert_string_equal(error, "ibs: neither a period nor a frequency");
	request = all;
	request.loads = request.stores = false;
	assert_int_equal(memsource_events(s, &request, &events, error, sizeof(error)), -1);
	request = all;
	request.user = request.kernel = false;
	assert_int_equal(memsource_events(s, &request, &events, error, sizeof(error)), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing, begin, end),
		cmocka_unit_test_setup_teardown(ibs, begin, end),
		cmocka_unit_test_setup_teardown(ibs_of_old, begin, end),
		cmocka_unit_test_setup_teardown(pebs, begin, end),
		cmocka_unit_test_setup_teardown(pebs_with_leader, begin, end),
		cmocka_unit_test_setup_teardown(swmem, begin, end),
		cmocka_unit_test_setup_teardown(senseless, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
