// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The sampler's files in tracefs (knobs): set while memref runs; a guard restores them. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

#include "lib/numbers.h"
#include "lib/record/cgroup.h"
#include "lib/record/setting.h"
#include "knobs.h"
#include "memref.h"

/* So many processes, each with a blank; and a path. */
#define MAX_VALUE (MAX_PIDS * sizeof("4194304"))

/* A knob: its file below tracefs, its option, and the requested value. */
static struct {
	const char *file;
	const char *option;
	char value[MAX_VALUE];
	int set;
} knobs[NR_KNOBS] = {
	[INTERVAL] = { "memref/interval_ms", "--interval" },
	[GROUP] = { "memref/group_kb", "--group-size" },
	[FLUSH] = { "memref/flush", "--flush" },
	[WRITE] = { "memref/write", "--write" },
	[KERNEL_MODE] = { "memref/kernel", "--kernel-tables" },
	[CHILDREN] = { "memref/children", "--children" },
	[CPU_MAX] = { "memref/cpu_max", "--cpu-max" },
	[ENCODING] = { "memref/encoding", "--encoding" },
	[TASKS] = { "memref/tasks", "--tasks" },
	[VIRT] = { "memref/virt", "--virt" },
	[AGES] = { "memref/ages", "--ages" },
	[VMA_AGES] = { "memref/vma_ages", "--mapping-ages" },
	[FAULT_AROUND] = { "memref/fault_around", "--fault-around" },
	[WORKERS] = { "memref/workers", "--workers" },
	[PARTS] = { "memref/parts", "--parts" },
	[CGROUP] = { "memref/cgroup", "--cgroup" },
	[PIDS] = { "memref_pid", "--pid" },
};

/**
 * knobs_request() - queue a value for knobs_apply()
 * @knob: the knob
 * @value: the requested value
 */
void knobs_request(enum knob knob, const char *value)
{
	snprintf(knobs[knob].value, sizeof(knobs[knob].value), "%s", value);
	knobs[knob].set = 1;
}

/**
 * knobs_request_pids() - queue the processes of KNOB_PID_OPTION(), if there are any
 * @pids: the processes
 */
void knobs_request_pids(const struct pids *pids)
{
	char *text = knobs[PIDS].value;
	size_t i, n = 0;

	for (i = 0; i < pids->nr; i++)
		n += snprintf(text + n, sizeof(knobs[PIDS].value) - n, "%s%" PRId32, n ? " " : "", pids->id[i]);
	knobs[PIDS].set = pids->nr > 0;
}

/**
 * knobs_requested() - whether a value is queued for a knob
 * @knob: the knob
 *
 * Return: 1 or 0.
 */
int knobs_requested(enum knob knob)
{
	return knobs[knob].set;
}

/**
 * knobs_has_parts() - whether an interval is to be of several harvests
 *
 * Return: 1 or 0.
 */
int knobs_has_parts(void)
{
	return knobs[PARTS].set && strcmp(knobs[PARTS].value, "1");
}

/* For options without an argument, or whose argument the table of options checks. */
int knob_option(const struct opt *o, const char *value)
{
	knobs_request((uintptr_t)o->to, value ? value : "1");
	return OK;
}

int knob_interval(const struct opt *o, const char *value)
{
	char ms[32];
	double s;

	(void)o;
	if (parse_time(value, "ms", &s) || fabs(s * 1000 - round(s * 1000)) > 1e-6)
		return wrong_usage("--interval %s: not a number of ms, nor a time such as 500ms or 1s", value);
	if (s > 0 && (s < 0.01 || s > 3600))
		return wrong_usage("--interval %s: not 0, or a time from 10ms to 1h", value);
	snprintf(ms, sizeof(ms), "%.0f", s * 1000);
	knobs_request(INTERVAL, ms);
	return OK;
}

int knob_group_size(const struct opt *o, const char *value)
{
	uint64_t size;
	char kb[32];

	(void)o;
	if (parse_size(value, &size) || size & (size - 1) || size < 65536 || size > 1 << 30)
		return wrong_usage("--group-size %s: not a power of two from 64K to 1G", value);
	snprintf(kb, sizeof(kb), "%" PRIu64, size >> 10);
	knobs_request(GROUP, kb);
	return OK;
}

/* The kernel keeps them by mapping only while it keeps them at all. */
int knob_mapping_ages(const struct opt *o, const char *value)
{
	(void)o;
	(void)value;
	knobs_request(AGES, "1");
	knobs_request(VMA_AGES, "1");
	return OK;
}

/* The kernel expects the path below the root of the cgroup v2 hierarchy. */
int knob_cgroup(const struct opt *o, const char *value)
{
	char directory[PATH_MAX], path[PATH_MAX];

	(void)o;
	cgroup_directory(value, directory, sizeof(directory));
	cgroup_below_root(directory, path, sizeof(path));
	knobs_request(CGROUP, path);
	return OK;
}

/**
 * knobs_exist() - check that the kernel has the sampler
 *
 * Return: OK, or FAILED with a message printed.
 */
int knobs_exist(void)
{
	if (tracefs_file_exists(NULL, (char *)knobs[PIDS].file))
		return OK;
	return complain(FAILED, "this kernel has no memref (CONFIG_MEMREF), or no tracefs");
}

/* Return 0, or -1 with errno set. */
static int set(int knob)
{
	return setting_write(knobs[knob].file, knobs[knob].value, knob == PIDS ? UNDO_PIDS : UNDO_WRITE);
}

/**
 * knobs_apply() - write all queued values
 *
 * Return: OK, or FAILED with a message printed.  After a failure some knobs may be
 * set; guard_undo() restores them.
 */
int knobs_apply(void)
{
	int i, failed;

	for (i = 0; i < NR_KNOBS; i++) {
		if (!knobs[i].set || !set(i))
			continue;
		failed = errno;
		if (failed == ENOENT && !tracefs_file_exists(NULL, (char *)knobs[i].file))
			return complain(FAILED, "%s: this kernel's memref has no file %s", knobs[i].option, knobs[i].file);
		return complain(FAILED, "%s %s: %s", knobs[i].option, knobs[i].value,
				failed == ESRCH ? "no such process" :
				failed == EBUSY && i == GROUP ? "a memref event is enabled already" :
				failed == EBUSY && i == PARTS ? "not together with memref/tasks, virt, ages or vma_ages" :
				failed == EBUSY ? "not together with memref/parts" :
				strerror(failed));
	}
	return OK;
}

/**
 * knobs_interval_ms() - the time from one report to the next, as the kernel has it set
 * @ms: where to put it; 0: on demand
 *
 * Return: 0, or -1 if it is not known.
 */
int knobs_interval_ms(long long *ms)
{
	long long parts;

	if (tracefs_instance_file_read_number(NULL, knobs[INTERVAL].file, ms))
		return -1;
	if (!tracefs_instance_file_read_number(NULL, knobs[PARTS].file, &parts))
		*ms *= parts;
	return 0;
}

/**
 * knobs_try() - set a knob, if this kernel has it
 * @knob: the knob
 * @value: the value
 */
void knobs_try(enum knob knob, const char *value)
{
	if (!tracefs_file_exists(NULL, (char *)knobs[knob].file))
		return;
	snprintf(knobs[knob].value, sizeof(knobs[knob].value), "%s", value);
	set(knob);
}
