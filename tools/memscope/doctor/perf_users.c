// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Who else uses perf events, and whether an event of ours would count beside them. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "lib/doctor/system.h"
#include "facts.h"

#define RUN_NS	20000000

/* Whether a process has a perf event open. */
static bool has_perf_event(const char *pid)
{
	char dir[PATH_MAX], path[PATH_MAX + 256], target[64];
	bool found = false;
	struct dirent *e;
	ssize_t n;
	DIR *d;

	snprintf(dir, sizeof(dir), "%s/proc/%s/fd", system_root(), pid);
	d = opendir(dir);
	while (d && !found && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		n = readlink(path, target, sizeof(target) - 1);
		target[n > 0 ? n : 0] = '\0';
		found = !strcmp(target, "anon_inode:[perf_event]");
	}
	if (d)
		closedir(d);
	return found;
}

/**
 * find_perf_users() - list other processes with open perf events
 * @text: set to their names and pids, as far as this user may see; "" if there are none
 * @size: size of @text
 */
void find_perf_users(char *text, size_t size)
{
	char path[PATH_MAX], name[64];
	struct dirent *e;
	size_t n = 0;
	DIR *d;

	*text = '\0';
	snprintf(path, sizeof(path), "%s/proc", system_root());
	d = opendir(path);
	while (d && (e = readdir(d))) {
		if (!isdigit((unsigned char)*e->d_name) ||
		    (!*system_root() && atol(e->d_name) == (long)getpid()) || !has_perf_event(e->d_name))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", e->d_name);
		system_read(path, name, sizeof(name));
		if (n + 96 > size) {
			snprintf(text + n, size - n, ", ...");
			break;
		}
		n += snprintf(text + n, size - n, "%s%s (pid %s)", n ? ", " : "", *name ? name : "?", e->d_name);
	}
	if (d)
		closedir(d);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

/**
 * source_runs() - test whether an event of a source counts
 * @source: an available source
 *
 * Return: false if its event opens but the kernel never schedules it, as another user
 * has the hardware; true otherwise.
 */
bool source_runs(const struct memsource *source)
{
	const struct memsource_request request = {
		.period = 1000000, .user = true, .kernel = !source->filters_mode, .loads = true, .stores = true,
	};
	struct { uint64_t value, enabled, running; } count = { };
	struct memsource_events events;
	int fds[MEMSOURCE_MAX_EVENTS], i;
	char error[256];
	uint64_t end;
	bool runs;

	if (memsource_events(source, &request, &events, error, sizeof(error)))
		return true;
	for (i = 0; i < events.nr; i++)
		events.attr[i].read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (memsource_open(&events, 0, -1, fds))
		return true;
	ioctl(fds[0], PERF_EVENT_IOC_ENABLE, 0);
	end = now_ns() + RUN_NS;
	while (now_ns() < end)
		;
	runs = read(fds[0], &count, sizeof(count)) != sizeof(count) || !count.enabled || count.running;
	for (i = 0; i < events.nr; i++)
		close(fds[i]);
	return runs;
}
