// SPDX-License-Identifier: GPL-2.0
/* The sampler's files in tracefs: set for a while, then put back as they were. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

#include "knobs.h"
#include "memref.h"

#define MAX_PIDS 4096

/* A knob: its file, what is wanted, and what was there before. */
static struct {
	const char *file;
	const char *option;
	char want[MAX_PIDS];
	char *before;
	int set;
} knobs[NR_KNOBS] = {
	[INTERVAL] = { "memref/interval_ms", "--interval" },
	[GROUP] = { "memref/group_kb", "--group" },
	[FLUSH] = { "memref/flush", "--flush" },
	[WRITE] = { "memref/write", "--write" },
	[KERNEL_MODE] = { "memref/kernel", "--kernel" },
	[CHILDREN] = { "memref/children", "--children" },
	[CPU_MAX] = { "memref/cpu_max", "--cpu-max" },
	[ENCODING] = { "memref/encoding", "--encoding" },
	[TASKS] = { "memref/tasks", "--tasks" },
	[VIRT] = { "memref/virt", "--virt" },
	[CGROUP] = { "memref/cgroup", "--cgroup" },
	[PIDS] = { "memref_pid", "--pid" },
};

/**
 * knobs_want() - note what knobs_apply() shall set
 * @knob: the knob
 * @value: what to set it to
 */
void knobs_want(enum knob knob, const char *value)
{
	snprintf(knobs[knob].want, sizeof(knobs[knob].want), "%s", value);
	knobs[knob].set = 1;
}

/**
 * knobs_wanted() - shall a knob be set?
 * @knob: the knob
 *
 * Return: 1 or 0.
 */
int knobs_wanted(enum knob knob)
{
	return knobs[knob].set;
}

/**
 * knobs_want_interval() - the argument of --interval
 * @ms: a number; the kernel knows which are allowed
 *
 * Return: OK, or USAGE after saying why.
 */
int knobs_want_interval(const char *ms)
{
	char *end;

	strtoul(ms, &end, 10);
	if (end == ms || *end)
		return complain(USAGE, "--interval %s: not a number of ms", ms);
	knobs_want(INTERVAL, ms);
	return OK;
}

/**
 * knobs_want_pid() - the argument of --pid, which may be repeated
 * @pid: a number
 *
 * Return: OK, or USAGE after saying why.
 */
int knobs_want_pid(const char *pid)
{
	char *want = knobs[PIDS].want, *end;

	strtoul(pid, &end, 10);
	if (end == pid || *end || strlen(want) + strlen(pid) + 2 > sizeof(knobs[PIDS].want))
		return complain(USAGE, "--pid %s: not a pid, or too many", pid);
	if (*want)
		strcat(want, " ");
	strcat(want, pid);
	knobs[PIDS].set = 1;
	return OK;
}

/**
 * knobs_exist() - is there a sampler?
 *
 * Return: OK, or FAILED after saying what is missing.
 */
int knobs_exist(void)
{
	if (tracefs_file_exists(NULL, (char *)knobs[PIDS].file))
		return OK;
	return complain(FAILED, "this kernel has no memref (CONFIG_MEMREF), or no tracefs");
}

/* tracefs_instance_file_write() truncates, which is what memref_pid expects. */
static int write_knob(const char *file, const char *value)
{
	int ret;

	errno = 0;
	ret = tracefs_instance_file_write(NULL, file, *value ? value : "\n");
	return ret < 0 ? -1 : 0;
}

/* Processes that ended meanwhile cannot be selected again. */
static void drop_dead(char *pids)
{
	char *alive = strdup(pids), *save, *pid;

	if (!alive)
		return;
	*pids = '\0';
	for (pid = strtok_r(alive, " \n", &save); pid; pid = strtok_r(NULL, " \n", &save)) {
		if (kill(atoi(pid), 0) && errno == ESRCH)
			continue;
		if (*pids)
			strcat(pids, " ");
		strcat(pids, pid);
	}
	free(alive);
}

/**
 * knobs_restore() - put back what knobs_apply() changed
 */
void knobs_restore(void)
{
	int i;

	for (i = NR_KNOBS - 1; i >= 0; i--) {
		if (!knobs[i].before)
			continue;
		if (i == PIDS)
			drop_dead(knobs[i].before);
		if (write_knob(knobs[i].file, knobs[i].before))
			complain(FAILED, "%s: cannot be put back to %s", knobs[i].file,
				 knobs[i].before);
		free(knobs[i].before);
		knobs[i].before = NULL;
	}
}

/* Set a knob, and remember what it was.  Return 0, or -1 with errno set. */
static int set(int knob)
{
	char *before;
	int size;

	before = tracefs_instance_file_read(NULL, knobs[knob].file, &size);
	if (!before)
		before = strdup("");
	if (!before)
		return -1;
	if (knob != PIDS)
		before[strcspn(before, "\n")] = '\0';
	if (write_knob(knobs[knob].file, knobs[knob].want)) {
		free(before);
		return -1;
	}
	knobs[knob].before = before;
	return 0;
}

/**
 * knobs_apply() - set the knobs that shall be set
 *
 * Return: OK, or FAILED after saying why; then some may be set.
 */
int knobs_apply(void)
{
	int i;

	for (i = 0; i < NR_KNOBS; i++) {
		if (!knobs[i].set || !set(i))
			continue;
		return complain(FAILED, "%s %s: %s", knobs[i].option, knobs[i].want,
				errno == ESRCH ? "no such process" :
				errno == EBUSY ? "a memref event is enabled already" :
				strerror(errno));
	}
	return OK;
}

/**
 * knobs_try() - set a knob that an older kernel need not have
 * @knob: the knob
 * @value: what to set it to
 */
void knobs_try(enum knob knob, const char *value)
{
	if (!tracefs_file_exists(NULL, (char *)knobs[knob].file))
		return;
	snprintf(knobs[knob].want, sizeof(knobs[knob].want), "%s", value);
	set(knob);
}
