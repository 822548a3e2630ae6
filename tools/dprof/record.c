// SPDX-License-Identifier: GPL-2.0
/*
 * dprof record: set dprof's files in tracefs, let trace-cmd record, put the files
 * back as they were.  What is to be watched may be chosen by a first, short
 * recording of samples.  What can fail because of the output is checked before
 * anything is switched on; what was changed is undone by a guard, whatever ends us.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tracefs.h>
#include <unistd.h>

#include "lib/record/command.h"
#include "lib/record/guard.h"
#include "dprof/model/choose.h"
#include "dprof.h"
#include "knobs.h"

/* What is asked for beside the knobs. */
struct plan {
	const char *output;
	char **command;
	bool choose_types, choose_history;
	double first_seconds;
	int nr_types, nr_offsets;
};

static void usage(FILE *f)
{
	fputs("usage: dprof record [options] [-- COMMAND [ARGUMENT...]]\n"
	      "Record memory accesses by data type while COMMAND runs, or until Ctrl-C.\n\n"
	      "  -s, --source NAME      auto, ibs, pebs or swmem\n"
	      "  -p, --period N         of samples, in units of the source; 0: its default\n"
	      "      --user             sample user mode, too\n"
	      "  -t, --types RULES      the address set: cache, cache:function, :function with\n"
	      "                         * ? [], blanks between; all; none; or auto\n"
	      "      --sample-every N   of the address set, an object of N\n"
	      "  -H, --history RULES    types to take histories of; none; or auto: those that\n"
	      "                         miss most in a first pass, at their busiest offsets\n"
	      "      --offsets GROUPS   offsets watched at once: 0,8 16,24 (default: all, one\n"
	      "                         after another)\n"
	      "      --length 1|2|4|8   bytes watched at an offset\n"
	      "      --objects 1-4      objects watched at once\n"
	      "      --budget N         histories a second, 0: no limit\n"
	      "      --max N            accesses of a history\n"
	      "      --max-ms N         length of a history, 0: no limit\n"
	      "      --first SECONDS    of the first pass (default 2)\n"
	      "      --top N            types that auto chooses (default 2)\n"
	      "      --top-offsets N    offsets of each that auto chooses (default 6)\n"
	      "  -o, --output FILE      (default trace.dat)\n"
	      "      --help\n\n"
	      "What is not given stays as it is set.  The exit status is COMMAND's.\n", f);
}

/* trace-cmd enables events first, and then lets them into the buffer. */
static bool is_tracing(void)
{
	char *on = tracefs_instance_file_read(NULL, "tracing_on", NULL);
	bool is = on && *on == '1';

	free(on);
	return is;
}

static bool dprof_runs(void)
{
	return knobs_stat("running", NULL, 0) > 0 && is_tracing();
}

/* What the kernel could not do, while it records. */
static void warn(void)
{
	char name[32] = "";
	long error = knobs_stat("sampling_error", NULL, 0);

	knobs_stat("sampling", name, sizeof(name));
	if (!strcmp(name, "off") && error < 0)
		complain(FAILED, "no samples: %s", strerror(-error));
	if (knobs_stat("sites", NULL, 0) == 0)
		complain(FAILED, "allocation sites are not known: sysctl vm.mem_profiling=1, or boot with "
			 "sysctl.vm.mem_profiling=1");
	if (knobs_wanted(KNOB_HISTORY) && *knobs_wanted(KNOB_HISTORY) &&
	    knobs_stat("history_slots", NULL, 0) == 0)
		complain(FAILED, "no histories: no debug register is free");
}

static int choose_from(const char *path, const struct plan *p)
{
	const char *length = knobs_wanted(KNOB_LENGTH);
	struct choice c;
	struct model m;
	char error[512];
	int n = -1;

	model_init(&m);
	if (model_load(&m, path, error, sizeof(error)) && !m.events)
		complain(FAILED, "%s", error);
	else
		n = choose(&m, p->nr_types, p->nr_offsets, length ? atoi(length) : 8, &c);
	model_free(&m);
	if (n < 0)
		return FAILED;
	if (!n)
		return complain(FAILED, "the first pass has no samples of slab or page objects to choose "
				"from: longer (--first), or name types");
	fprintf(stderr, "dprof: chosen: %s\n", c.types);
	if (p->choose_types && knobs_want(KNOB_TYPES, c.types))
		return FAILED;
	if (!p->choose_history)
		return OK;
	if (!knobs_wanted(KNOB_OFFSETS) && knobs_want(KNOB_OFFSETS, c.offsets))
		return FAILED;
	return knobs_want(KNOB_HISTORY, c.types);
}

/* Wait, or until the child ends.  Return whether it has ended; it is not reaped. */
static bool wait_seconds(double seconds, pid_t child, pid_t tracer)
{
	return command_wait(child, tracer, seconds * 1000) & COMMAND_ENDED;
}

/* Record samples for a while and choose by them.  Return OK or FAILED. */
static int first_pass(const struct plan *p, pid_t child, int go)
{
	char path[PATH_MAX];
	bool ended;
	pid_t tracer;
	int ret;

	if (trace_cmd_output(p->output, path, sizeof(path), false))
		return FAILED;
	tracer = trace_cmd_start("dprof", path, dprof_runs);
	if (tracer < 0) {
		undo_output(path);
		return FAILED;
	}
	if (child > 0 && write(go, "", 1) != 1)
		complain(FAILED, "%s: ended before it began", p->command[0]);
	ended = wait_seconds(p->first_seconds, child, tracer);
	ret = trace_cmd_stop(tracer, path, NULL);
	if (ended)
		ret = complain(FAILED, "%s ended in the first pass, of %g seconds (--first): nothing is "
			       "left to record", p->command[0], p->first_seconds);
	else if (command_interrupted)
		ret = FAILED;
	else if (!ret)
		ret = choose_from(path, p);
	undo_output(path);
	return ret;
}

static long throttled(void)
{
	const long n = knobs_stat("samples_throttled", NULL, 0);

	return n > 0 ? n : 0;
}

static void say_throttled(long before)
{
	const long n = throttled() - before;

	if (n > 0)
		complain(OK, "%ld samples throttled by perf: busy moments have too few. A longer period "
			 "(-p) helps, or more leave: sysctl kernel.perf_event_max_sample_rate, "
			 "kernel.perf_cpu_time_max_percent", n);
}

/* With the guard at work.  Return the exit status. */
static int record_passes(struct plan *p, const char *tmp, pid_t child, int go)
{
	bool two_passes = p->choose_types || p->choose_history, started = false;
	const long throttled_before = throttled();
	pid_t tracer;
	int ret, failed, status;

	ret = knobs_apply();
	if (!ret && two_passes) {
		ret = first_pass(p, child, go);
		started = true;
	}
	if (!ret && two_passes)
		ret = knobs_apply();
	tracer = ret ? -1 : trace_cmd_start("dprof", tmp, dprof_runs);
	if (tracer < 0) {
		undo_output(tmp);
		close(go);
		if (child > 0 && started)
			kill(child, SIGTERM);
		if (child > 0)
			waitpid(child, NULL, 0);
		return FAILED;
	}
	warn();
	/* A signal that came meanwhile ends it before it begins. */
	command_wait(-1, -1, 0);
	if (child > 0 && !started && !command_interrupted && write(go, "", 1) != 1)
		ret = complain(FAILED, "%s: ended before it began", p->command[0]);
	close(go);
	if (child < 0)
		fprintf(stderr, "dprof: recording, Ctrl-C ends it\n");
	status = trace_cmd_wait(child, tracer);
	failed = trace_cmd_stop(tracer, tmp, p->output);
	if (status < 0) {
		/* Nothing is recorded any more: the kernel need not go on, either. */
		guard_undo();
		failed = FAILED;
		if (child > 0)
			trace_cmd_wait(child, -1);
	}
	if (!ret)
		ret = failed ? failed : status;
	say_throttled(throttled_before);
	return ret;
}

static int record(struct plan *p)
{
	char tmp[PATH_MAX];
	pid_t child = -1;
	int go = -1, ret;

	command_catch_signals();
	if (guard_begin("dprof", true))
		return FAILED;
	if (knobs_stat("running", NULL, 0) > 0)
		ret = complain(FAILED, "events of dprof are enabled already, by trace-cmd or in tracefs: its "
			       "settings are not ours to change");
	else
		ret = trace_cmd_output(p->output, tmp, sizeof(tmp), true);
	if (!ret && *p->command) {
		child = command_start(p->command, NULL, NULL, &go);
		if (child < 0)
			ret = complain(FAILED, "fork: %s", strerror(errno));
	}
	if (!ret)
		ret = record_passes(p, tmp, child, go);
	return guard_undo() ? FAILED : ret;
}

/* "none" is the empty file. */
static int want_rules(enum knob knob, const char *value, bool *automatic)
{
	*automatic = !strcmp(value, "auto");
	return *automatic ? OK : knobs_want(knob, strcmp(value, "none") ? value : "");
}

static int want_number(enum knob knob, const char *option, const char *value)
{
	char *end;

	strtoul(value, &end, 10);
	if (end == value || *end || *value == '-')
		return complain(USAGE, "%s %s: not a number", option, value);
	return knobs_want(knob, value);
}

enum {
	OPT_USER = 256, OPT_EVERY, OPT_OFFSETS, OPT_LENGTH, OPT_OBJECTS, OPT_BUDGET, OPT_MAX,
	OPT_MAX_MS, OPT_FIRST, OPT_TOP, OPT_TOP_OFFSETS
};

static int parse(struct plan *p, int c, const char *value)
{
	char *end;

	switch (c) {
	case 's': return knobs_want(KNOB_SOURCE, value);
	case 'p': return want_number(KNOB_PERIOD, "--period", value);
	case 't': return want_rules(KNOB_TYPES, value, &p->choose_types);
	case 'H': return want_rules(KNOB_HISTORY, value, &p->choose_history);
	case OPT_USER: return knobs_want(KNOB_USER, "1");
	case OPT_EVERY: return want_number(KNOB_EVERY, "--sample-every", value);
	case OPT_OFFSETS: return knobs_want(KNOB_OFFSETS, value);
	case OPT_LENGTH: return want_number(KNOB_LENGTH, "--length", value);
	case OPT_OBJECTS: return want_number(KNOB_OBJECTS, "--objects", value);
	case OPT_BUDGET: return want_number(KNOB_BUDGET, "--budget", value);
	case OPT_MAX: return want_number(KNOB_MAX, "--max", value);
	case OPT_MAX_MS: return want_number(KNOB_MAX_MS, "--max-ms", value);
	case OPT_FIRST:
		p->first_seconds = strtod(value, &end);
		if (end == value || *end || !(p->first_seconds > 0) || p->first_seconds > 3600)
			return complain(USAGE, "--first %s: not a number of seconds", value);
		return OK;
	case OPT_TOP:
	case OPT_TOP_OFFSETS:
		c = c == OPT_TOP ? (p->nr_types = atoi(value)) : (p->nr_offsets = atoi(value));
		if (c < 1 || c > 64)
			return complain(USAGE, "%s: not a number from 1 to 64", value);
		return OK;
	}
	usage(stderr);
	return USAGE;
}

int cmd_record(int argc, char **argv)
{
	static const struct option options[] = {
		{ "source", 1, NULL, 's' }, { "period", 1, NULL, 'p' }, { "types", 1, NULL, 't' },
		{ "history", 1, NULL, 'H' }, { "user", 0, NULL, OPT_USER },
		{ "sample-every", 1, NULL, OPT_EVERY }, { "offsets", 1, NULL, OPT_OFFSETS },
		{ "length", 1, NULL, OPT_LENGTH }, { "objects", 1, NULL, OPT_OBJECTS },
		{ "budget", 1, NULL, OPT_BUDGET }, { "max", 1, NULL, OPT_MAX },
		{ "max-ms", 1, NULL, OPT_MAX_MS }, { "first", 1, NULL, OPT_FIRST },
		{ "top", 1, NULL, OPT_TOP }, { "top-offsets", 1, NULL, OPT_TOP_OFFSETS },
		{ "output", 1, NULL, 'o' }, { "help", 0, NULL, 'h' }, { }
	};
	struct plan p = { .output = "trace.dat", .first_seconds = 2, .nr_types = 2, .nr_offsets = 6 };
	int c, ret;

	while ((c = getopt_long(argc, argv, "+s:p:t:H:o:h", options, NULL)) != -1) {
		if (c == 'h') {
			usage(stdout);
			return OK;
		}
		if (c == 'o') {
			p.output = optarg;
			continue;
		}
		ret = parse(&p, c, optarg);
		if (ret)
			return ret;
	}
	p.command = argv + optind;
	if (geteuid())
		return complain(FAILED, "record needs root");
	if (knobs_exist())
		return FAILED;
	return record(&p);
}
