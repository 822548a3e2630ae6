// SPDX-License-Identifier: GPL-2.0
/*
 * memref record: set the sampler's knobs, let trace-cmd record, put the knobs
 * back as they were.  What can fail because of the output is checked before
 * anything is switched on; what was changed is undone by a guard, whatever ends us.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tracefs.h>
#include <unistd.h>

#include "lib/record/command.h"
#include "lib/record/guard.h"
#include "lib/size.h"
#include "knobs.h"
#include "memref.h"

static void usage(FILE *f)
{
	fputs("usage: memref record [options] [-- COMMAND [ARGUMENT...]]\n"
	      "Record which physical memory is referenced while COMMAND runs, or until Ctrl-C.\n\n"
	      "  -i, --interval MS     length of an interval, 10 to 3600000; 0: on demand\n"
	      "  -g, --group SIZE      group of physical memory, 64K to 1G, a power of two\n"
	      "  -p, --pid PID         only this process; may be repeated\n"
	      "      --children        and the processes they fork\n"
	      "      --command-only    only COMMAND and the processes it forks\n"
	      "      --cgroup PATH     only processes in this cgroup (v2), or below it\n"
	      "      --write MODE      off, anon or all: which writes to tell from reads\n"
	      "      --flush 0|1|2     flush the TLBs at each harvest; 2: exactly\n"
	      "      --kernel MODE     auto, on or off: kernel page tables, too\n"
	      "      --cpu-max PCT     longer intervals if the sampler would take more of a\n"
	      "                        CPU, 0 to 100 %; 0: no limit\n"
	      "      --tasks           what each process references\n"
	      "      --virt            and where in its virtual memory, for processes selected\n"
	      "      --encoding KIND   group or batch: an event each, or packed\n"
	      "  -o, --output FILE     (default trace.dat)\n"
	      "      --help\n\n"
	      "What is not given stays as it is set.  The exit status is COMMAND's.\n", f);
}

/* The event is enabled: the sampler has a number for its intervals. */
static bool sampler_runs(void)
{
	char *seq = tracefs_instance_file_read(NULL, "memref/seq", NULL);
	bool runs = seq;

	free(seq);
	return runs;
}

/* With the guard at work.  Return the exit status. */
static int record_command(const char *output, const char *tmp, char **command, pid_t child, int go)
{
	int status, ret, failed;
	pid_t tracer;

	ret = knobs_apply();
	tracer = ret ? -1 : trace_cmd_start("memref", tmp, sampler_runs);
	if (tracer < 0) {
		undo_output(tmp);
		close(go);
		/* Never told to go. */
		if (child > 0)
			waitpid(child, NULL, 0);
		return FAILED;
	}
	/* A signal that came meanwhile ends it before it begins. */
	command_wait(-1, -1, 0);
	if (child > 0 && !command_interrupted && write(go, "", 1) != 1)
		ret = complain(FAILED, "%s: ended before it began", command[0]);
	close(go);
	if (child < 0)
		fprintf(stderr, "memref: recording, Ctrl-C ends it\n");
	status = trace_cmd_wait(child, tracer);
	failed = trace_cmd_stop(tracer, tmp, output);
	if (status < 0) {
		/* Nothing is recorded any more: the kernel need not go on, either. */
		guard_undo();
		failed = FAILED;
		if (child > 0)
			trace_cmd_wait(child, -1);
	}
	return failed ? failed : ret ? ret : status;
}

static int record(const char *output, char **command, int command_only)
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
		knobs_want(PIDS, buf);
		knobs_want(CHILDREN, "1");
	}
	if (!ret)
		ret = record_command(output, tmp, command, child, go);
	return guard_undo() ? FAILED : ret;
}

enum {
	OPT_CHILDREN = 256, OPT_COMMAND_ONLY, OPT_WRITE, OPT_FLUSH, OPT_KERNEL, OPT_CPU_MAX,
	OPT_ENCODING, OPT_TASKS, OPT_VIRT, OPT_CGROUP
};

int cmd_record(int argc, char **argv)
{
	static const struct option options[] = {
		{ "interval", 1, NULL, 'i' }, { "group", 1, NULL, 'g' },
		{ "pid", 1, NULL, 'p' }, { "children", 0, NULL, OPT_CHILDREN },
		{ "command-only", 0, NULL, OPT_COMMAND_ONLY },
		{ "write", 1, NULL, OPT_WRITE }, { "flush", 1, NULL, OPT_FLUSH },
		{ "kernel", 1, NULL, OPT_KERNEL }, { "cpu-max", 1, NULL, OPT_CPU_MAX },
		{ "encoding", 1, NULL, OPT_ENCODING }, { "tasks", 0, NULL, OPT_TASKS },
		{ "virt", 0, NULL, OPT_VIRT }, { "cgroup", 1, NULL, OPT_CGROUP }, { "output", 1, NULL, 'o' },
		{ "help", 0, NULL, 'h' }, { }
	};
	const char *output = "trace.dat";
	int c, command_only = 0;
	uint64_t size;
	char buf[32];

	while ((c = getopt_long(argc, argv, "+i:g:p:o:h", options, NULL)) != -1) {
		switch (c) {
		case 'i':
			if (knobs_want_interval(optarg))
				return USAGE;
			break;
		case 'g':
			if (parse_size(optarg, &size) || size & (size - 1) || size < 65536 ||
			    size > 1 << 30)
				return complain(USAGE, "--group %s: not a power of two from 64K to 1G",
						optarg);
			snprintf(buf, sizeof(buf), "%lu", (unsigned long)(size >> 10));
			knobs_want(GROUP, buf);
			break;
		case 'p':
			if (knobs_want_pid(optarg))
				return USAGE;
			break;
		case OPT_CHILDREN: knobs_want(CHILDREN, "1"); break;
		case OPT_COMMAND_ONLY: command_only = 1; break;
		case OPT_WRITE: knobs_want(WRITE, optarg); break;
		case OPT_FLUSH: knobs_want(FLUSH, optarg); break;
		case OPT_KERNEL: knobs_want(KERNEL_MODE, optarg); break;
		case OPT_CPU_MAX: knobs_want(CPU_MAX, optarg); break;
		case OPT_ENCODING: knobs_want(ENCODING, optarg); break;
		case OPT_TASKS: knobs_want(TASKS, "1"); break;
		case OPT_VIRT: knobs_want(VIRT, "1"); break;
		case OPT_CGROUP: knobs_want(CGROUP, optarg); break;
		case 'o': output = optarg; break;
		case 'h': usage(stdout); return OK;
		default: usage(stderr); return USAGE;
		}
	}
	if (command_only && (optind == argc || knobs_wanted(PIDS)))
		return complain(USAGE, "--command-only needs a command, and no --pid");
	if (knobs_wanted(VIRT) && !command_only && !knobs_wanted(PIDS) && !knobs_wanted(CGROUP))
		return complain(USAGE, "--virt needs --pid, --cgroup or --command-only");
	if (geteuid())
		return complain(FAILED, "record needs root");
	if (knobs_exist())
		return FAILED;
	return record(output, argv + optind, command_only);
}
