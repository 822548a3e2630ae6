// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Reads what memscope doctor judges.  All files are below system_root(), so that a test
 * can make a machine; events are opened on the machine itself only.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/doctor/system.h"
#include "facts.h"

#define TRACEFS		"/sys/kernel/tracing"
#define CAP_SYS_ADMIN	21
#define CAP_SYS_NICE	23
#define CAP_PERFMON	38

/* Whether the kernel's configuration sets an option to y or m; -1: it cannot be read. */
static int config_has(const char *release, const char *option)
{
	const char *root = system_root();
	char path[PATH_MAX], line[512];
	const size_t n = strlen(option);
	int ret = 0;
	gzFile f;

	snprintf(path, sizeof(path), "%s/proc/config.gz", root);
	f = gzopen(path, "re");
	if (!f) {
		snprintf(path, sizeof(path), "%s/boot/config-%s", root, release);
		f = gzopen(path, "re");
	}
	if (!f)
		return -1;
	while (!ret && gzgets(f, line, sizeof(line)))
		ret = !strncmp(line, option, n) && (!strcmp(line + n, "=y\n") || !strcmp(line + n, "=m\n"));
	gzclose(f);
	return ret;
}

/* A feature with files in tracefs.  What this user cannot see may be in the configuration. */
static enum found feature(const struct facts *f, const char *file, const char *option)
{
	char path[PATH_MAX];
	int configured;

	snprintf(path, sizeof(path), TRACEFS "/%s", file);
	if (system_has(path))
		return PRESENT;
	configured = config_has(f->release, option);
	if (configured >= 0)
		return configured ? PRESENT : ABSENT;
	return f->tracefs == PRESENT ? ABSENT : HIDDEN;
}

static bool is_mounted(const char *type)
{
	char path[PATH_MAX], line[1024], name[64];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/self/mounts", system_root());
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%*s %*s %63s", name) == 1 && !strcmp(name, type);
	if (f)
		fclose(f);
	return found;
}

static void read_user(struct facts *f)
{
	unsigned long long caps = 0;
	unsigned int real, effective = 1;
	char text[128];

	if (!system_field("/proc/self/status", "Uid:", text, sizeof(text)) &&
	    sscanf(text, "%u %u", &real, &effective) == 2)
		f->root = !effective;
	if (!system_field("/proc/self/status", "CapEff:", text, sizeof(text)))
		caps = strtoull(text, NULL, 16);
	f->perfmon = caps >> CAP_PERFMON & 1 || caps >> CAP_SYS_ADMIN & 1;
	f->nice = caps >> CAP_SYS_NICE & 1;
}

static void read_kernel(struct facts *f)
{
	char text[256];

	if (system_read("/proc/sys/kernel/osrelease", f->release, sizeof(f->release)))
		strcpy(f->release, "not known");
	f->tracefs = is_mounted("tracefs") ? PRESENT : ABSENT;
	if (f->tracefs && !system_has(TRACEFS "/tracing_on"))
		f->tracefs = HIDDEN;
	f->memref = feature(f, "memref_pid", "CONFIG_MEMREF");
	f->dprof = feature(f, "dprof/types", "CONFIG_DPROF");
	f->page_hints = system_has("/proc/self/page_hints");
	f->unprivileged_hints = !system_read("/proc/sys/vm/page_hints_unprivileged", text, sizeof(text)) &&
				!strcmp(text, "1");
	f->sites = !system_read("/proc/sys/vm/mem_profiling", text, sizeof(text));
	f->btf = system_has("/sys/kernel/btf/vmlinux");
	if (!system_read("/sys/kernel/security/lockdown", text, sizeof(text)))
		f->lockdown = strstr(text, "[confidentiality]") ? LOCKDOWN_CONFIDENTIALITY :
			      strstr(text, "[integrity]") ? LOCKDOWN_INTEGRITY : LOCKDOWN_NONE;
}

static void read_samples(struct facts *f)
{
	const struct memsource *ibs = &f->sources[MEMSOURCE_IBS];
	char text[64];
	int i;

	f->paranoid = system_read("/proc/sys/kernel/perf_event_paranoid", text, sizeof(text)) ? NO_PERF : atoi(text);
	f->max_rate = system_read("/proc/sys/kernel/perf_event_max_sample_rate", text, sizeof(text)) ? -1 :
		      atol(text);
	memsource_probe(f->sources, system_root());
	find_perf_users(f->perf_users, sizeof(f->perf_users));
	/* There is one IBS a CPU: an event that finds it taken opens, and never counts. */
	if (!system_field(TRACEFS "/dprof/stats", "sampling ", text, sizeof(text)) && !strcmp(text, "ibs"))
		strcpy(f->holder, "dprof, in the kernel");
	else if (ibs->available && !*system_root() && !source_runs(ibs))
		snprintf(f->holder, sizeof(f->holder), "%s", *f->perf_users ? f->perf_users : "another user");
	f->source = -1;
	for (i = 0; i < MEMSOURCE_COUNT && f->source < 0; i++)
		if (f->sources[i].available && !(i == MEMSOURCE_IBS && *f->holder))
			f->source = i;
}

/* Number of nodes in a list such as 0-1,3. */
static int count_list(const char *text)
{
	int n = 0, from, to, used;

	while (sscanf(text, "%d%n", &from, &used) == 1) {
		text += used;
		to = from;
		if (*text == '-' && sscanf(text, "-%d%n", &to, &used) == 1)
			text += used;
		n += to - from + 1;
		if (*text++ != ',')
			break;
	}
	return n;
}

static void read_memory(struct facts *f)
{
	char text[256];

	if (system_read("/sys/devices/system/node/has_memory", text, sizeof(text)))
		system_read("/sys/devices/system/node/online", text, sizeof(text));
	f->nodes = count_list(text);
	if (!system_field("/proc/meminfo", "MemTotal:", text, sizeof(text)))
		f->total_kb = strtoul(text, NULL, 10);
	if (!system_field("/proc/meminfo", "MemAvailable:", text, sizeof(text)))
		f->available_kb = strtoul(text, NULL, 10);
	if (!system_field("/proc/meminfo", "HugePages_Total:", text, sizeof(text)))
		f->huge_pages = strtoul(text, NULL, 10);
}

/**
 * facts_read() - read all facts of this machine, or of that below $MEMSCOPE_ROOT
 * @f: the facts
 */
void facts_read(struct facts *f)
{
	memset(f, 0, sizeof(*f));
	read_user(f);
	read_kernel(f);
	read_samples(f);
	read_memory(f);
	f->trace_cmd = system_installed("trace-cmd");
	f->gnuplot = system_installed("gnuplot");
}
