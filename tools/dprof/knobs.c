// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Control files in tracefs, dprof's and the tracer's: set for a recording; a guard process restores them. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

#include "lib/record/guard.h"
#include "dprof.h"
#include "knobs.h"

/* A knob: its file, the queued value, and whether the guard has saved the old value. */
static struct {
	const char *file, *option;
	char *queued;
	bool saved;
} knobs[NR_KNOBS] = {
	[KNOB_SOURCE] = { "dprof/source", "--source" },
	[KNOB_ENCODING] = { "dprof/encoding", "--encoding" },
	[KNOB_PERIOD] = { "dprof/period", "--count" },
	[KNOB_USER] = { "dprof/user", "--user" },
	[KNOB_L3_MISS_ONLY] = { "dprof/l3_miss_only", "--l3-miss-only" },
	[KNOB_LDLAT] = { "dprof/ldlat", "--ldlat" },
	[KNOB_PIDS] = { "dprof/filter_pids", "--pid" },
	[KNOB_CGROUP] = { "dprof/filter_cgroup", "--cgroup" },
	[KNOB_CPUS] = { "dprof/filter_cpus", "--cpu" },
	[KNOB_EVERY] = { "dprof/sample_every", "--sample-every" },
	[KNOB_LENGTH] = { "dprof/history_len", "--length" },
	[KNOB_OBJECTS] = { "dprof/history_objects", "--objects" },
	[KNOB_BUDGET] = { "dprof/history_budget", "--budget" },
	[KNOB_CPU_SHARE] = { "dprof/history_cpu_share", "--cpu-share" },
	[KNOB_MAX] = { "dprof/history_max", "--max" },
	[KNOB_MAX_MS] = { "dprof/history_max_ms", "--max-ms" },
	[KNOB_OFFSETS] = { "dprof/history_offsets", "--offsets" },
	[KNOB_TYPES] = { "dprof/types", "--types" },
	[KNOB_HISTORY] = { "dprof/history_types", "--history" },
	[KNOB_CHAINS] = { "options/stacktrace", "--call-graph" },
};

/* The kernel checks offsets against the length, so set that first.  Enable at last. */
static const enum knob order[NR_KNOBS] = {
	KNOB_SOURCE, KNOB_ENCODING, KNOB_PERIOD, KNOB_USER, KNOB_L3_MISS_ONLY, KNOB_LDLAT, KNOB_PIDS, KNOB_CGROUP,
	KNOB_CPUS, KNOB_EVERY, KNOB_LENGTH, KNOB_OBJECTS, KNOB_BUDGET, KNOB_CPU_SHARE, KNOB_MAX, KNOB_MAX_MS, KNOB_OFFSETS, KNOB_TYPES,
	KNOB_HISTORY, KNOB_CHAINS,
};

/**
 * knobs_exist() - test whether this kernel has dprof
 *
 * Return: OK, or FAILED after an error message.
 */
int knobs_exist(void)
{
	if (tracefs_file_exists(NULL, (char *)knobs[KNOB_TYPES].file))
		return OK;
	return complain(FAILED, "this kernel has no dprof (CONFIG_DPROF), or no tracefs");
}

/**
 * knobs_queue() - queue a value for knobs_apply()
 * @knob: the knob
 * @value: the value
 *
 * Return: OK, or FAILED without memory.
 */
int knobs_queue(enum knob knob, const char *value)
{
	char *queued = strdup(value);

	if (!queued)
		return complain(FAILED, "out of memory");
	free(knobs[knob].queued);
	knobs[knob].queued = queued;
	return OK;
}

/**
 * knobs_queued() - get the queued value of a knob
 * @knob: the knob
 *
 * Return: the value, or NULL if none is queued.
 */
const char *knobs_queued(enum knob knob)
{
	return knobs[knob].queued;
}

static int save(enum knob knob)
{
	char *before;
	int ret;

	errno = 0;
	before = tracefs_instance_file_read(NULL, knobs[knob].file, NULL);
	/* What is not known cannot be restored.  An empty file is no error. */
	if (!before && errno)
		return complain(FAILED, "%s: %s", knobs[knob].file, strerror(errno));
	ret = guard_note(UNDO_WRITE, knobs[knob].file, before ? before : "");
	knobs[knob].saved = !ret;
	free(before);
	return ret;
}

static int set(enum knob knob)
{
	const char *queued = knobs[knob].queued;

	errno = 0;
	if (tracefs_instance_file_write(NULL, knobs[knob].file, *queued ? queued : "\n") >= 0)
		return OK;
	return complain(FAILED, "%s %s: %s", knobs[knob].option, queued,
			errno == EINVAL ? "the kernel rejects this value" : strerror(errno));
}

/**
 * knobs_apply() - write the queued values
 *
 * Return: OK, or FAILED after an error message; then some may be written.  guard_undo()
 * restores the old values in both cases.
 */
int knobs_apply(void)
{
	int i;

	for (i = 0; i < NR_KNOBS; i++) {
		enum knob k = order[i];

		if (!knobs[k].queued)
			continue;
		if ((!knobs[k].saved && save(k)) || set(k))
			return FAILED;
	}
	return OK;
}

/**
 * knobs_end_batches() - have the kernel write the samples that it holds back, and no more batches
 *
 * Before tracing is stopped: what comes later is not written.
 *
 * Return: OK, or FAILED after an error message.
 */
int knobs_end_batches(void)
{
	const char *file = knobs[KNOB_ENCODING].file;
	char *now = tracefs_file_exists(NULL, (char *)file) ? tracefs_instance_file_read(NULL, file, NULL) : NULL;
	int ret = OK;

	if (now && !strncmp(now, "batch", 5)) {
		if (!knobs[KNOB_ENCODING].saved)
			ret = save(KNOB_ENCODING);
		if (!ret && tracefs_instance_file_write(NULL, file, "sample") < 0)
			ret = complain(FAILED, "%s: %s", file, strerror(errno));
	}
	free(now);
	return ret;
}

/**
 * knobs_stat() - read a counter of dprof
 * @name: in dprof/stats
 * @text: set to the value as text; or NULL
 * @size: of @text
 *
 * Return: the counter, or -1 if there is no counter of this name.
 */
long knobs_stat(const char *name, char *text, int size)
{
	char *stats = tracefs_instance_file_read(NULL, "dprof/stats", NULL), *line, *save;
	size_t n = strlen(name);
	long value = -1;

	for (line = stats ? strtok_r(stats, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
		if (strncmp(line, name, n) || line[n] != ' ')
			continue;
		value = strtol(line + n + 1, NULL, 10);
		if (text)
			snprintf(text, size, "%s", line + n + 1);
		break;
	}
	free(stats);
	return value;
}
