// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * dprof record: set dprof's files in tracefs, run trace-cmd record, restore the files.  A
 * first, short recording of samples may choose the types to watch.  The output is created
 * before anything is enabled, so that its errors change nothing.  A guard process restores
 * the files even if this process is killed.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tracefs.h>
#include <unistd.h>

#include "lib/numbers.h"
#include "lib/options.h"
#include "lib/record/cgroup.h"
#include "lib/record/command.h"
#include "lib/record/guard.h"
#include "dprof/judge/load.h"
#include "dprof/model/choose.h"
#include "dprof.h"
#include "knobs.h"
#include "rules.h"
#include "watchpoint.h"

/* Of a type whose histories are recorded, so many objects must be allocated in the first pass. */
#define MIN_ALLOCS	10

/* The options other than knobs. */
struct plan {
	const char *output;
	char **command;
	bool choose_types, choose_history;
	struct pids pids;
	double first_seconds;
	int nr_types, nr_offsets;
};

static const struct verb_usage usage = {
	.command = "dprof record", .operands = "[options] [-- COMMAND [ARGUMENT...]]",
	.about = "Record memory accesses by data type while COMMAND runs, or until Ctrl-C.",
	.end = "Settings without an option stay as they are.  The exit status is COMMAND's.",
	.max = -1, .command_follows = true,
};

/* trace-cmd enables events first, then tracing_on. */
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

/* Warn of what the kernel cannot record; its counters are valid while it records only. */
static void warn(void)
{
	char name[32] = "";
	long error = knobs_stat("sampling_error", NULL, 0);

	knobs_stat("sampling", name, sizeof(name));
	if (!strcmp(name, "off") && error == -EOPNOTSUPP && knobs_queued(KNOB_LDLAT))
		complain(FAILED, "no samples: --ldlat needs IBS of Zen 5 or later");
	else if (!strcmp(name, "off") && error == -EOPNOTSUPP && knobs_queued(KNOB_L3_MISS_ONLY))
		complain(FAILED, "no samples: --l3-miss-only needs IBS of Zen 4 or later");
	else if (!strcmp(name, "off") && error < 0)
		complain(FAILED, "no samples: %s", strerror(-error));
	if (knobs_stat("sites", NULL, 0) == 0)
		complain(FAILED, "no allocation sites: set sysctl vm.mem_profiling=1, or boot with "
			 "sysctl.vm.mem_profiling=1");
	if (knobs_queued(KNOB_HISTORY) && *knobs_queued(KNOB_HISTORY) &&
	    knobs_stat("history_slots", NULL, 0) == 0)
		complain(FAILED, "no histories: no debug register is free");
}

/* Leave out the samples of the recorder: the processes of its group. */
static int leave_out(struct filter *f, pid_t group)
{
	DIR *proc = opendir("/proc");
	const struct dirent *d;
	int ret = 0;

	f->without = true;
	while (proc && !ret && (d = readdir(proc))) {
		const int pid = atoi(d->d_name);

		if (pid > 0 && getpgid(pid) == group)
			ret = pids_add(&f->tasks, pid);
	}
	if (proc)
		closedir(proc);
	return ret ? complain(FAILED, "the recorder has more than %d processes", MAX_PIDS) : OK;
}

static int choose_from(const char *path, const struct plan *p, const struct filter *f)
{
	const char *length = knobs_queued(KNOB_LENGTH);
	struct choice c;
	struct model m;
	char error[512];
	int n = -1;

	model_init(&m);
	m.filter = *f;
	if (model_load(&m, path, error, sizeof(error)) && !m.events)
		complain(FAILED, "%s", error);
	else
		n = choose(&m, p->nr_types, p->nr_offsets, length ? atoi(length) : 8,
			   p->choose_history ? MIN_ALLOCS : 0, &c);
	model_free(&m);
	if (n < 0)
		return FAILED;
	if (!n)
		return complain(FAILED, "the first pass has no samples of slab or page objects to choose "
				"from: use a longer --first, or name types");
	inform("chosen: %s", c.types);
	if (*c.rare)
		complain(OK, "fewer than %d objects allocated in the first pass, too few for histories: %s",
			 MIN_ALLOCS, c.rare);
	if (p->choose_types && knobs_queue(KNOB_TYPES, c.types))
		return FAILED;
	if (!p->choose_history)
		return OK;
	if (!knobs_queued(KNOB_OFFSETS) && knobs_queue(KNOB_OFFSETS, c.offsets))
		return FAILED;
	return knobs_queue(KNOB_HISTORY, c.types);
}

/* Wait for a time or for the child's end.  Return whether it has ended; do not reap it. */
static bool wait_seconds(double seconds, pid_t child, pid_t tracer)
{
	return command_wait(child, tracer, seconds * 1000) & COMMAND_ENDED;
}

/*
 * A history begins with an allocation, so the first pass records those of all types.  Return
 * what the rules of types were, to be freed, or NULL with a message printed.
 */
static char *begin_all_types(void)
{
	char *types = knobs_queued(KNOB_TYPES) ? strdup(knobs_queued(KNOB_TYPES)) :
						 tracefs_instance_file_read(NULL, "dprof/types", NULL);

	/* An empty file is read as NULL. */
	if (!types)
		types = strdup("");
	if (!types)
		complain(FAILED, "out of memory");
	if (types && knobs_queue(KNOB_TYPES, "all")) {
		free(types);
		types = NULL;
	}
	return types;
}

/* Record samples for a while and choose types by them.  Return OK or FAILED. */
static int first_pass(const struct plan *p, pid_t child, int go)
{
	struct filter recorder = { };
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
		complain(FAILED, "%s: ended before it was started", p->command[0]);
	ended = wait_seconds(p->first_seconds, child, tracer);
	ret = leave_out(&recorder, tracer);
	if (knobs_end_batches())
		ret = FAILED;
	if (trace_cmd_stop(tracer, path, NULL))
		ret = FAILED;
	if (ended)
		ret = complain(FAILED, "%s: ended in the first pass of %g seconds, nothing is left to "
			       "record: use a shorter --first", p->command[0], p->first_seconds);
	else if (command_interrupted)
		ret = FAILED;
	else if (!ret)
		ret = choose_from(path, p, &recorder);
	undo_output(path);
	return ret;
}

static long throttled(void)
{
	const long n = knobs_stat("samples_throttled", NULL, 0);

	return n > 0 ? n : 0;
}

static void report_throttled(long before)
{
	const long n = throttled() - before;

	if (n > 0)
		complain(OK, "perf throttled %ld samples, so busy periods have too few: use a longer "
			 "period (-c), or raise sysctl kernel.perf_event_max_sample_rate and "
			 "kernel.perf_cpu_time_max_percent", n);
}

/* Warn of rules that no allocated type matched: they are valid while the types are known. */
static void warn_of_rules(void)
{
	static const struct { enum knob knob; const char *option; } lists[] = {
		{ KNOB_TYPES, "--types" }, { KNOB_HISTORY, "--history" },
	};
	char *known = tracefs_instance_file_read(NULL, "dprof/known_types", NULL), unmatched[512];
	size_t i;

	for (i = 0; known && i < sizeof(lists) / sizeof(lists[0]); i++) {
		const char *rules = knobs_queued(lists[i].knob);

		if (rules && rules_unmatched(rules, known, unmatched, sizeof(unmatched)) > 0)
			complain(OK, "%s: no object was allocated of a type that matches: %s (known types: "
				 "tracefs dprof/known_types)", lists[i].option, unmatched);
	}
	free(known);
}

/* Record, with one or two passes, while the guard runs.  Return the exit status. */
static int record_passes(struct plan *p, const char *tmp, pid_t child, int go)
{
	bool two_passes = p->choose_types || p->choose_history, started = false;
	const long throttled_before = throttled();
	char *types = p->choose_history ? begin_all_types() : NULL;
	pid_t tracer;
	int ret, failed, status;

	ret = p->choose_history && !types ? FAILED : knobs_apply();
	if (!ret && two_passes) {
		ret = first_pass(p, child, go);
		started = true;
	}
	if (!ret && types && !p->choose_types)
		ret = knobs_queue(KNOB_TYPES, types);
	free(types);
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
	/* Handle a pending signal now: the command is not started after it. */
	command_wait(-1, -1, 0);
	if (child > 0 && !started && !command_interrupted && write(go, "", 1) != 1)
		ret = complain(FAILED, "%s: ended before it was started", p->command[0]);
	close(go);
	if (child < 0)
		inform("recording; Ctrl-C ends it");
	status = trace_cmd_wait(child, tracer);
	if (knobs_end_batches() && !ret)
		ret = FAILED;
	/* Nothing was recorded of a command that did not begin. */
	failed = trace_cmd_stop(tracer, tmp, ret ? NULL : p->output);
	if (ret)
		undo_output(tmp);
	if (status < 0) {
		/* trace-cmd has ended: disable dprof while the command continues. */
		guard_undo();
		failed = FAILED;
		if (child > 0)
			trace_cmd_wait(child, -1);
	}
	if (!ret)
		ret = failed ? failed : status;
	report_throttled(throttled_before);
	warn_of_rules();
	return ret;
}

/* Histories are as good as the machine's watchpoints.  Test them before dprof reserves them. */
static void warn_of_watchpoints(const struct plan *p)
{
	const char *history = knobs_queued(KNOB_HISTORY), *what;

	if (!p->choose_history && (!history || !*history))
		return;
	if (watchpoint_test(&what) == WATCHPOINT_WRONG)
		complain(OK, "histories will be wrong: by a test of this machine's watchpoints, %s, as those of "
			 "QEMU 7.2 are: use hardware, KVM, or the QEMU of make qemu-ibs", what);
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
		ret = complain(FAILED, "dprof events are already enabled, by trace-cmd or in tracefs: "
			       "disable them first");
	else
		ret = trace_cmd_output(p->output, tmp, sizeof(tmp), true);
	if (!ret && *p->command) {
		child = command_start(p->command, NULL, NULL, &go);
		if (child < 0)
			ret = complain(FAILED, "fork: %s", strerror(errno));
	}
	if (!ret) {
		warn_of_watchpoints(p);
		ret = record_passes(p, tmp, child, go);
	}
	return guard_undo() ? FAILED : ret;
}

/* Handler of knobs whose argument the kernel checks, or that have none. */
static int queue_knob(const struct opt *o, const char *value)
{
	return knobs_queue((uintptr_t)o->to, value ? value : "1");
}

/* The tracer writes a chain after each event: a batch has one for all of its samples. */
static int queue_chains(const struct opt *o __attribute__((unused)), const char *value __attribute__((unused)))
{
	return knobs_queue(KNOB_CHAINS, "1");
}

/* Check options against each other, and complete them. */
static int check_options(void)
{
	const char *encoding = knobs_queued(KNOB_ENCODING);

	if (!knobs_queued(KNOB_CHAINS))
		return OK;
	if (!encoding)
		return knobs_queue(KNOB_ENCODING, "sample");
	if (strcmp(encoding, "sample"))
		return wrong_usage("--call-graph with --encoding %s: samples of a batch have no call chains", encoding);
	return OK;
}

/* Groups of offsets with blanks between them, offsets of a group with commas; negative ones count from an object's end. */
static int queue_offsets(const struct opt *o, const char *value)
{
	const char *s = value;
	uint64_t offset;
	char word[16];
	size_t n;

	for (; *s; s += n + !!s[n]) {
		n = strcspn(s, ", ");
		snprintf(word, sizeof(word), "%.*s", (int)n, s);
		if (n >= sizeof(word) || parse_number(word + (*word == '-'), 0, INT32_MAX, &offset))
			return wrong_usage("--%s %s: not groups of offsets, such as 0,8 16,24", o->name, value);
	}
	return knobs_queue(KNOB_OFFSETS, value);
}

/* A list of CPUs, as the kernel reads it. */
static int queue_cpus(const struct opt *o, const char *value)
{
	struct filter f = { };

	if (filter_add_cpus(&f, value))
		return wrong_usage("--%s %s: not a list of CPUs, such as 0,4-7", o->name, value);
	return knobs_queue(KNOB_CPUS, value);
}

/* DPROF_MAX_PIDS of the kernel. */
enum { MAX_PROCESSES = 64 };

static int queue_pids(const struct pids *pids)
{
	char *text = NULL;
	size_t size;
	FILE *f;
	int ret;

	if (!pids->nr)
		return OK;
	if (pids->nr > MAX_PROCESSES)
		return wrong_usage("--pid: more than %d processes, the most that the kernel takes", MAX_PROCESSES);
	f = open_memstream(&text, &size);
	if (!f)
		return complain(FAILED, "out of memory");
	pids_print(pids, f);
	ret = fclose(f) ? complain(FAILED, "out of memory") : knobs_queue(KNOB_PIDS, text);
	free(text);
	return ret;
}

/* The kernel has paths below the root of the hierarchy. */
static int queue_cgroup(const struct opt *o __attribute__((unused)), const char *value)
{
	char path[PATH_MAX];

	cgroup_below_root(value, path, sizeof(path));
	return knobs_queue(KNOB_CGROUP, path);
}

/* Handler of rules; "none" writes an empty file. */
static int queue_rules(enum knob knob, const char *value, bool *automatic)
{
	*automatic = !strcmp(value, "auto");
	return *automatic ? OK : knobs_queue(knob, strcmp(value, "none") ? value : "");
}

static int queue_types(const struct opt *o, const char *value)
{
	return queue_rules(KNOB_TYPES, value, o->to);
}

static int queue_history(const struct opt *o, const char *value)
{
	return queue_rules(KNOB_HISTORY, value, o->to);
}

/* Cycles; IBS compares with multiples of LDLAT_UNIT. */
#define LDLAT_UNIT	128
#define LDLAT_MAX	2048

static int queue_ldlat(const struct opt *o, const char *value)
{
	if (strtoul(value, NULL, 0) % LDLAT_UNIT)
		return wrong_usage("--%s %s: not a multiple of %d, as the processor has them", o->name, value, LDLAT_UNIT);
	return queue_knob(o, value);
}

/* What a first pass is for.  Return: OK, or USAGE after saying what is without effect. */
static int plan_check(struct plan *p)
{
	if (!p->choose_types && !p->choose_history && (p->first_seconds || p->nr_types))
		return wrong_usage("--%s: only with --types auto or --history auto", p->nr_types ? "auto-types" : "first");
	if (!p->choose_history && p->nr_offsets)
		return wrong_usage("--auto-offsets: only with --history auto");
	p->first_seconds = p->first_seconds ? p->first_seconds : 2;
	p->nr_types = p->nr_types ? p->nr_types : 2;
	p->nr_offsets = p->nr_offsets ? p->nr_offsets : 6;
	return OK;
}

#define QUEUE(letter, name, arg, knob, help)	OPT_CALL(letter, name, arg, queue_knob, (uintptr_t)(knob), help)
#define QUEUE_NUMBER(letter, name, arg, knob, min, max, help) \
	OPT_CALL_NUMBER(letter, name, arg, queue_knob, (uintptr_t)(knob), min, max, help)

int cmd_record(int argc, char **argv)
{
	struct plan p = { .output = DPROF_FILE };
	const struct opt options[] = {
		QUEUE('s', "source", "auto|ibs|pebs|swmem", KNOB_SOURCE, "source of the samples"),
		QUEUE(0, "encoding", "sample|batch", KNOB_ENCODING,
		     "one event per sample, or many samples packed in one event, which costs less"),
		QUEUE_NUMBER('c', "count", "N", KNOB_PERIOD, 0, 1000000000,
			    "sampling period, in units of the source (see memscope-caps); 0: its default"),
		OPT_CALL('g', "call-graph", NULL, queue_chains, NULL,
			 "record the kernel's call chain of each sample, allocation and free"),
		QUEUE(0, "user", NULL, KNOB_USER, "sample user mode, too"),
		QUEUE(0, "l3-miss-only", NULL, KNOB_L3_MISS_ONLY,
		     "have the processor sample only loads that missed the L3 (IBS of Zen 4 and later)"),
		OPT_CALL_NUMBER(0, "ldlat", "N", queue_ldlat, (uintptr_t)KNOB_LDLAT, LDLAT_UNIT, LDLAT_MAX,
				"have the processor sample only loads that missed the L3 and took more than N "
				"cycles, a multiple of 128 up to 2048 (IBS of Zen 5 and later)"),
		PIDS_OPTION(0, &p.pids, 1, "samples of these processes only, and of what they fork"),
		OPT_CALL('G', "cgroup", "NAME", queue_cgroup, NULL,
			 "samples of this control group only, and of those below it: " CGROUP_HELP),
		OPT_CALL(0, "cpu", "LIST", queue_cpus, NULL, "samples of these CPUs only: 0,4-7"),
		OPT_CALL(0, "types", "RULES", queue_types, &p.choose_types,
			 "types of the address set: cache, cache:function or :function, with * ? [], "
			 "separated by blanks; all; none; or auto"),
		QUEUE_NUMBER(0, "sample-every", "N", KNOB_EVERY, 1, 1 << 20, "keep one object in N in the address set"),
		OPT_CALL('H', "history", "RULES", queue_history, &p.choose_history,
			 "types to record histories of; none; or auto: those whose misses cost most in a first "
			 "pass, at their most accessed offsets"),
		OPT_CALL(0, "offsets", "GROUPS", queue_offsets, NULL,
			 "groups of offsets to watch together: 0,8 16,24 (default: all offsets in turn)"),
		QUEUE(0, "length", "1|2|4|8", KNOB_LENGTH, "bytes to watch at an offset"),
		QUEUE_NUMBER(0, "objects", "N", KNOB_OBJECTS, 1, 4, "objects to watch at a time, up to 4"),
		QUEUE_NUMBER(0, "budget", "N", KNOB_BUDGET, 0, 1000000,
			    "maximum number of histories a second; 0: no limit, the default"),
		QUEUE_NUMBER(0, "cpu-share", "N", KNOB_CPU_SHARE, 0, 1000,
			    "time that histories may take, in thousandths of one CPU (default 10); 0: no limit"),
		QUEUE_NUMBER(0, "max", "N", KNOB_MAX, 1, 100000000, "maximum number of accesses in a history"),
		QUEUE_NUMBER(0, "max-ms", "N", KNOB_MAX_MS, 0, 86400000, "maximum duration of a history; 0: no limit"),
		OPT_TIME(0, "first", "TIME", &p.first_seconds, "s", 0.001, 3600,
			 "duration of the first pass (default 2s; seconds without unit)"),
		OPT_NUMBER(0, "auto-types", "N", &p.nr_types, 1, 64,
			   "number of types that auto chooses (default 2)"),
		OPT_NUMBER(0, "auto-offsets", "N", &p.nr_offsets, 1, 64,
			   "number of offsets of each type that auto chooses (default 6)"),
		OPT_TEXT('o', "output", "FILE", &p.output, "recording to write (default " DPROF_FILE ")"),
		QUIET_OPTION,
		OPT_CHANGED('p', NULL, "-c, --count (or --pid)"), OPT_RENAMED(0, "period", "count"),
		OPT_CHANGED('t', NULL, "--types"), OPT_RENAMED(0, "top", "auto-types"),
		OPT_RENAMED(0, "top-offsets", "auto-offsets"), { }
	};

	int ret;

	p.command = argv + options_parse(&usage, options, argc, argv);
	if (check_options() || plan_check(&p))
		return USAGE;
	ret = queue_pids(&p.pids);
	if (!ret)
		ret = command_check(p.command);
	if (ret)
		return ret;
	if (geteuid())
		return complain(FAILED, "record needs root");
	if (knobs_exist())
		return FAILED;
	return record(&p);
}
