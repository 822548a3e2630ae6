// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* What a process, or all processes of a run, used: memory, objects, threads, nodes; and advice. */
#include <stdio.h>
#include <string.h>

#include "lib/complain.h"
#include "memscope/run/rows.h"
#include "why.h"

#define MOST_OBJECTS	5
#define MOST_ADVICE	5

/* @pid 0: all. */
static int add_pages(struct answer *a, const char *path, unsigned int pid, bool *known)
{
	json_t *rows = view_rows("memref", "tasks", path, NULL), *row;
	char item[64];
	size_t i;

	if (!rows)
		return FAILED;
	json_array_foreach(rows, i, row) {
		if (pid && row_number(row, "pid") != pid)
			continue;
		*known = true;
		snprintf(item, sizeof(item), "%.0f %s", row_number(row, "pid"), row_text(row, "comm"));
		answer_add(a, "page", item, "at most %.1f MiB used in one interval, %.1f on average, of %.1f MiB resident; %.0f intervals",
			   row_number(row, "max_mib"), row_number(row, "mean_mib"), row_number(row, "rss_max_mib"),
			   row_number(row, "intervals"));
	}
	json_decref(rows);
	return OK;
}

static int add_threads(struct answer *a, const char *path, unsigned int pid, bool *known)
{
	json_t *rows = view_rows("memprof", "threads", path, NULL), *row;
	char item[32];
	size_t i;

	if (!rows)
		return FAILED;
	json_array_foreach(rows, i, row) {
		if ((pid && row_number(row, "pid") != pid) || !row_number(row, "accesses"))
			continue;
		*known = true;
		snprintf(item, sizeof(item), "%.0f", row_number(row, "tid"));
		answer_add(a, "threads", item, "%s: %.0f sampled accesses, %.1f %% of those of memory remote; mostly on node %.0f",
			   row_text(row, "name"), row_number(row, "accesses"), row_number(row, "remote_pct"), row_number(row, "node"));
	}
	json_decref(rows);
	return OK;
}

static int add_objects(struct answer *a, const char *path, const char *const *of)
{
	json_t *rows = view_rows("memprof", "objects", path, of), *row;
	size_t i, n = 0;

	if (!rows)
		return FAILED;
	json_array_foreach(rows, i, row) {
		if (n++ >= MOST_OBJECTS)
			break;
		answer_add(a, "object", row_text(row, "type"), "%s: %.0f bytes, %.0f sampled accesses, %.1f %% remote; from nodes %s, on nodes %s",
			   row_text(row, "site"), row_number(row, "bytes"), row_number(row, "accesses"), row_number(row, "remote_pct"),
			   row_text(row, "from_nodes"), row_text(row, "on_nodes"));
	}
	json_decref(rows);
	rows = view_rows("memprof", "diagnose", path, of);
	if (!rows)
		return FAILED;
	answer_findings(a, rows, NULL, MOST_ADVICE);
	json_decref(rows);
	return OK;
}

static int add_all(struct answer *a, const struct recordings *r, unsigned int pid, bool *known)
{
	const char *refs = recording_of(r, RECORDING_MEMREF), *objects = recording_of(r, RECORDING_MEMPROF);
	char number[16];
	const char *const of[] = { "-p", number, NULL };

	snprintf(number, sizeof(number), "%u", pid);
	if (refs && add_pages(a, refs, pid, known))
		return FAILED;
	if (objects && add_threads(a, objects, pid, known))
		return FAILED;
	if (objects && *known && add_objects(a, objects, pid ? of : NULL))
		return FAILED;
	return OK;
}

/**
 * why_process() - what is known about a process
 * @a: gets the rows
 * @r: the recordings
 * @pid: the process
 *
 * Return: OK, or FAILED with a message printed.
 */
int why_process(struct answer *a, const struct recordings *r, unsigned int pid)
{
	bool known = false;

	if (add_all(a, r, pid, &known))
		return FAILED;
	return known ? OK : complain(FAILED, "%u: no process of this pid was recorded", pid);
}

/* Whether a name, as users write it, is that of a control group. */
static bool is_cgroup(const char *path, const char *name)
{
	const size_t n = strlen("/sys/fs/cgroup");

	if (!strncmp(name, "/sys/fs/cgroup", n))
		name += n;
	while (*name == '/')
		name++;
	while (*path == '/')
		path++;
	return !strcmp(path, name);
}

/**
 * why_cgroup() - what is known about the control group of a run
 * @a: gets the rows
 * @r: the recordings
 * @directory: of memscope record; its manifest has the group
 * @name: the group, below /sys/fs/cgroup
 *
 * Return: OK, or FAILED with a message printed.
 */
int why_cgroup(struct answer *a, const struct recordings *r, const char *directory, const char *name)
{
	json_t *manifest;
	const char *group;
	char path[4096];
	bool known = false;
	int ret;

	snprintf(path, sizeof(path), "%s/manifest.json", directory);
	manifest = json_load_file(path, 0, NULL);
	group = json_string_value(json_object_get(manifest, "cgroup"));
	if (!group)
		ret = complain(FAILED, "%s: no manifest with a control group", path);
	else if (!is_cgroup(group, name))
		ret = complain(FAILED, "%s: the recorded command was in the control group %s", name, group);
	else
		ret = add_all(a, r, 0, &known);
	json_decref(manifest);
	return ret;
}
