// SPDX-License-Identifier: GPL-2.0
/* The sampler's files in tracefs: set for a while; a guard puts them back as they were. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

#include "lib/record/guard.h"
#include "knobs.h"
#include "memref.h"

#define MAX_PIDS 4096

/* A knob: its file and what is wanted. */
static struct {
	const char *file;
	const char *option;
	char want[MAX_PIDS];
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

/*
 * Set a knob, after the guard was told what it was.  tracefs_instance_file_write()
 * truncates, which is what memref_pid expects.  Return 0, or -1 with errno set.
 */
static int set(int knob)
{
	char *before = tracefs_instance_file_read(NULL, knobs[knob].file, NULL);
	int ret;

	if (before && knob != PIDS)
		before[strcspn(before, "\n")] = '\0';
	ret = guard_note(knob == PIDS ? UNDO_PIDS : UNDO_WRITE, knobs[knob].file, before ? before : "");
	free(before);
	errno = 0;
	if (ret || tracefs_instance_file_write(NULL, knobs[knob].file,
					       *knobs[knob].want ? knobs[knob].want : "\n") < 0)
		return -1;
	return 0;
}

/**
 * knobs_apply() - set the knobs that shall be set
 *
 * Return: OK, or FAILED after saying why; then some may be set.  guard_undo() puts
 * them back.
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
