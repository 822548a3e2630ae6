// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The settings of memref and dprof for a run of memscope record. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

#include "lib/complain.h"
#include "lib/record/setting.h"
#include "run.h"

static unsigned int selected;

/* Whether a line of dprof/stats is there. */
static bool dprof_has(const char *line)
{
	char *stats = tracefs_instance_file_read(NULL, "dprof/stats", NULL);
	bool has = stats && strstr(stats, line);

	free(stats);
	return has;
}

/* memref/seq is readable only while a memref event is enabled. */
static bool memref_runs(void)
{
	char *seq = tracefs_instance_file_read(NULL, "memref/seq", NULL);
	bool runs = seq;

	free(seq);
	return runs;
}

/**
 * settings_free() - check that nobody else records
 * @r: the run
 *
 * Return: OK, or FAILED with a message printed.
 */
int settings_free(const struct run *r)
{
	const bool busy = (r->what & RECORD_REFS && memref_runs()) || (r->what & RECORD_TYPES && dprof_has("running 1\n"));

	return busy ? complain(FAILED, "memref or dprof events are already enabled, by another recorder or in tracefs: "
			       "disable them first") : OK;
}

/* trace-cmd enables events first, then tracing_on.  For tracing_start(). */
bool settings_work(void)
{
	char *on = tracefs_instance_file_read(NULL, "tracing_on", NULL);
	const bool tracing = on && *on == '1';

	free(on);
	return tracing && (!(selected & RECORD_REFS) || memref_runs()) &&
	       (!(selected & RECORD_TYPES) || dprof_has("running 1\n"));
}

/**
 * settings_apply() - set memref and dprof for a run; the guard must be running
 * @r: the run
 *
 * Return: OK, or FAILED with a message printed; guard_undo() restores what was set.
 */
int settings_apply(const struct run *r)
{
	char ms[16], pid[16];
	const struct {
		unsigned int what;
		const char *file, *value;
		enum undo kind;
	} settings[] = {
		{ RECORD_REFS, "memref/interval_ms", ms, UNDO_WRITE },
		{ RECORD_REFS, "memref/group_kb", "2048", UNDO_WRITE },
		{ RECORD_REFS, "memref/children", "1", UNDO_WRITE },
		/* Other kernels have no such file. */
		{ tracefs_file_exists(NULL, (char *)"memref/parts") ? RECORD_REFS : 0, "memref/parts", "1", UNDO_WRITE },
		{ RECORD_REFS, "memref/tasks", "1", UNDO_WRITE },
		{ RECORD_REFS, "memref/virt", "1", UNDO_WRITE },
		{ RECORD_REFS, "memref_pid", pid, UNDO_PIDS },
		{ RECORD_TYPES, "dprof/source", r->types_source ? r->types_source : "auto", UNDO_WRITE },
		{ RECORD_TYPES, "dprof/period", r->types_period ? r->types_period : "0", UNDO_WRITE },
		{ RECORD_TYPES, "dprof/types", "", UNDO_WRITE },
		{ RECORD_TYPES, "dprof/history_types", "", UNDO_WRITE },
	};
	size_t i;

	selected = r->what;
	snprintf(ms, sizeof(ms), "%u", r->interval_ms);
	snprintf(pid, sizeof(pid), "%d", (int)r->pid);
	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (r->what & settings[i].what && setting_write(settings[i].file, settings[i].value, settings[i].kind))
			return complain(FAILED, "%s %s: %s", settings[i].file, settings[i].value, strerror(errno));
	return OK;
}

/**
 * settings_warn() - report what the kernel cannot record; while it records
 * @r: the run
 */
void settings_warn(const struct run *r)
{
	char *stats = r->what & RECORD_TYPES ? tracefs_instance_file_read(NULL, "dprof/stats", NULL) : NULL;
	const char *error = stats ? strstr(stats, "sampling_error ") : NULL;
	const int number = error ? atoi(error + strlen("sampling_error ")) : 0;

	if (number < 0 && strstr(stats, "sampling off\n"))
		complain(FAILED, "no samples of types: %s%s", strerror(-number),
			 number == -EINVAL && r->types_period ? " (--count)" : "");
	free(stats);
}
