// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* dprof's files in tracefs: set for a while; a guard puts them back as they were. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

#include "lib/record/guard.h"
#include "dprof.h"
#include "knobs.h"

/* A knob: its file, what is wanted, and whether the guard knows what was there before. */
static struct {
	const char *file, *option;
	char *want;
	bool noted;
} knobs[NR_KNOBS] = {
	[KNOB_SOURCE] = { "dprof/source", "--source" },
	[KNOB_PERIOD] = { "dprof/period", "--count" },
	[KNOB_USER] = { "dprof/user", "--user" },
	[KNOB_EVERY] = { "dprof/sample_every", "--sample-every" },
	[KNOB_LENGTH] = { "dprof/history_len", "--length" },
	[KNOB_OBJECTS] = { "dprof/history_objects", "--objects" },
	[KNOB_BUDGET] = { "dprof/history_budget", "--budget" },
	[KNOB_MAX] = { "dprof/history_max", "--max" },
	[KNOB_MAX_MS] = { "dprof/history_max_ms", "--max-ms" },
	[KNOB_OFFSETS] = { "dprof/history_offsets", "--offsets" },
	[KNOB_TYPES] = { "dprof/types", "--types" },
	[KNOB_HISTORY] = { "dprof/history_types", "--history" },
};

/* Offsets must fit the length: that is set first.  What turns something on is last. */
static const enum knob order[NR_KNOBS] = {
	KNOB_SOURCE, KNOB_PERIOD, KNOB_USER, KNOB_EVERY, KNOB_LENGTH, KNOB_OBJECTS, KNOB_BUDGET,
	KNOB_MAX, KNOB_MAX_MS, KNOB_OFFSETS, KNOB_TYPES, KNOB_HISTORY,
};

/**
 * knobs_exist() - is there a dprof in this kernel?
 *
 * Return: OK, or FAILED after saying what is missing.
 */
int knobs_exist(void)
{
	if (tracefs_file_exists(NULL, (char *)knobs[KNOB_TYPES].file))
		return OK;
	return complain(FAILED, "this kernel has no dprof (CONFIG_DPROF), or no tracefs");
}

/**
 * knobs_want() - note what knobs_apply() shall set
 * @knob: the knob
 * @value: what to set it to
 *
 * Return: OK, or FAILED without memory.
 */
int knobs_want(enum knob knob, const char *value)
{
	char *want = strdup(value);

	if (!want)
		return complain(FAILED, "no memory left");
	free(knobs[knob].want);
	knobs[knob].want = want;
	return OK;
}

/**
 * knobs_wanted() - what a knob shall be set to
 * @knob: the knob
 *
 * Return: the value, or NULL.
 */
const char *knobs_wanted(enum knob knob)
{
	return knobs[knob].want;
}

static int note(enum knob knob)
{
	char *before = tracefs_instance_file_read(NULL, knobs[knob].file, NULL);
	int ret = guard_note(UNDO_WRITE, knobs[knob].file, before ? before : "");

	knobs[knob].noted = !ret;
	free(before);
	return ret;
}

static int set(enum knob knob)
{
	const char *want = knobs[knob].want;

	errno = 0;
	if (tracefs_instance_file_write(NULL, knobs[knob].file, *want ? want : "\n") >= 0)
		return OK;
	return complain(FAILED, "%s %s: %s", knobs[knob].option, want,
			errno == EINVAL ? "the kernel does not take that" : strerror(errno));
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
		enum knob k = order[i];

		if (!knobs[k].want)
			continue;
		if ((!knobs[k].noted && note(k)) || set(k))
			return FAILED;
	}
	return OK;
}

/**
 * knobs_stat() - a counter of dprof
 * @name: in dprof/stats
 * @text: its value as text; or NULL
 * @size: of @text
 *
 * Return: the counter, or -1 if there is none of the name.
 */
long knobs_stat(const char *name, char *text, int size)
{
	char *stats = tracefs_instance_file_read(NULL, "dprof/stats", NULL), *line, *save;
	size_t n = strlen(name);
	long value = -1;

	for (line = strtok_r(stats, "\n", &save); stats && line; line = strtok_r(NULL, "\n", &save)) {
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
