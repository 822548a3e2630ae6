// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref record: set the sampler's knobs, run trace-cmd, restore the knobs.
 * The output file is created before any setting changes, so that an unwritable
 * path changes nothing.  A guard process restores the settings however memref ends.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tracefs.h>
#include <unistd.h>

#include "lib/options.h"
#include "lib/record/cgroup.h"
#include "lib/record/command.h"
#include "lib/record/guard.h"
#include "knobs.h"
#include "memref.h"

static const struct verb_usage usage = {
	.command = "memref record", .operands = "[options] [-- COMMAND [ARGUMENT...]]",
	.about = "Record which physical memory is referenced while COMMAND runs, or until Ctrl-C.",
	.end = "Settings that are not given keep their values (see memref(5)).  The exit status is COMMAND's.",
	.max = -1, .command_follows = true,
};

/* memref/seq is readable only while a memref event is enabled. */
static bool sampler_runs(void)
{
	char *seq = tracefs_instance_file_read(NULL, "memref/seq", NULL);
	bool runs = seq;

	free(seq);
	return runs;
}

/* The guard must be running.  Return the exit status. */
static int record_command(const char *output, const char *tmp, char **command, pid_t child, int go)
{
	int status, ret, failed;
	pid_t tracer;

	ret = knobs_apply();
	tracer = ret ? -1 : trace_cmd_start("memref", tmp, sampler_runs);
	if (tracer < 0) {
		undo_output(tmp);
		close(go);
		/* The child has not executed the command: closing its pipe ends it. */
		if (child > 0)
			waitpid(child, NULL, 0);
		return FAILED;
	}
	/* Collect signals that arrived so far: do not start the command then. */
	command_wait(-1, -1, 0);
	if (child > 0 && !command_interrupted && write(go, "", 1) != 1)
		ret = complain(FAILED, "%s: killed before it began", command[0]);
	close(go);
	if (child < 0)
		inform("recording; Ctrl-C ends it");
	status = trace_cmd_wait(child, tracer);
	/* Nothing was recorded of a command that did not begin. */
	failed = trace_cmd_stop(tracer, tmp, ret ? NULL : output);
	if (ret)
		undo_output(tmp);
	if (status < 0) {
		/* trace-cmd is gone: stop the sampler before waiting for the command. */
		guard_undo();
		failed = FAILED;
		if (child > 0)
			trace_cmd_wait(child, -1);
	}
	return failed ? failed : ret ? ret : status;
}

static int record(const char *output, char **command, bool command_only)
{
	char tmp[PATH_MAX], buf[32];
	pid_t child = -1;
	int go = -1, ret;

	command_catch_signals();
	if (guard_begin("memref", true))
		return FAILED;
	ret = trace_cmd_output(output, tmp, sizeof(tmp), true);
	if (!ret && *command) {
		child = command_start(command, NULL, NULL, &go);
		if (child < 0)
			ret = complain(FAILED, "fork: %s", strerror(errno));
	}
	if (!ret && command_only) {
		snprintf(buf, sizeof(buf), "%d", child);
		knobs_request(PIDS, buf);
		knobs_request(CHILDREN, "1");
	}
	if (!ret)
		ret = record_command(output, tmp, command, child, go);
	return guard_undo() ? FAILED : ret;
}

int cmd_record(int argc, char **argv)
{
	const char *output = MEMREF_FILE;
	bool command_only = false;
	struct pids pids = { };
	const struct opt options[] = {
		KNOB_INTERVAL_OPTION,
		KNOB_GROUP_SIZE_OPTION,
		KNOB_PID_OPTION(&pids),
		KNOB_OPTION("children", NULL, CHILDREN, "also the processes that these fork"),
		OPT_FLAG(0, "command-only", &command_only, "only COMMAND and the processes it forks"),
		OPT_CALL('G', "cgroup", "NAME", knob_cgroup, NULL,
			 "only processes in this control group and those below it: " CGROUP_HELP),
		KNOB_OPTION("write", "off|anon|all", WRITE,
			    "where to detect writes: nowhere (off), in anonymous and shared memory (anon), or in "
			    "files, too (all)"),
		KNOB_OPTION("flush", "0|1|2", FLUSH, "TLB flushes at each harvest: 0: none, 1: one, 2: two, for exact results"),
		KNOB_OPTION("kernel-tables", "auto|on|off", KERNEL_MODE, "sample kernel page tables"),
		KNOB_CPU_MAX_OPTION,
		KNOB_NUMBER_OPTION("workers", "N", WORKERS, 0, 64,
				   "threads that read page tables, at most 64; 0: one for each NUMA node with CPUs (the kernel's default: 1)"),
		KNOB_PARTS_OPTION,
		KNOB_OPTION("tasks", NULL, TASKS, "record what each process references"),
		KNOB_OPTION("virt", NULL, VIRT, "record the virtual addresses that selected processes reference"),
		KNOB_OPTION("ages", NULL, AGES, "record in how many intervals memory was not referenced"),
		OPT_CALL(0, "mapping-ages", NULL, knob_mapping_ages, NULL,
			 "record for each mapping of the selected processes in how many intervals its memory "
			 "was not referenced; implies --ages"),
		KNOB_OPTION("fault-around", NULL, FAULT_AROUND,
			    "count the pages of files that a page fault maps around its own as referenced, as "
			    "reclaim does (for memref size)"),
		KNOB_OPTION("encoding", "group|batch", ENCODING, "one event per group, or many groups packed in one event"),
		OPT_TEXT('o', "output", "FILE", &output, "the recording (default " MEMREF_FILE ")"),
		QUIET_OPTION,
		OPT_CHANGED('g', NULL, "--group-size"), OPT_RENAMED(0, "group", "group-size"),
		OPT_RENAMED(0, "kernel", "kernel-tables"), { }
	};
	char **command = argv + options_parse(&usage, options, argc, argv);
	int ret;

	knobs_request_pids(&pids);
	if (command_only && (!*command || knobs_requested(PIDS)))
		return wrong_usage("--command-only needs a command, and no --pid");
	if ((knobs_requested(VIRT) || knobs_requested(VMA_AGES)) && !command_only && !knobs_requested(PIDS) &&
	    !knobs_requested(CGROUP))
		return wrong_usage("%s needs --pid, --cgroup or --command-only",
				   knobs_requested(VIRT) ? "--virt" : "--mapping-ages");
	if (knobs_has_parts() && (knobs_requested(TASKS) || knobs_requested(VIRT) || knobs_requested(AGES)))
		return options_wrong(&usage, "--parts: not with %s", knobs_requested(TASKS) ? "--tasks" :
				   knobs_requested(VIRT) ? "--virt" : "--ages");
	ret = command_check(command);
	if (ret)
		return ret;
	if (geteuid())
		return complain(FAILED, "record needs root");
	if (knobs_exist())
		return FAILED;
	return record(output, command, command_only);
}
