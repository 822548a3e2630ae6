// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memscope record: all recorders around one command, into one directory, with one clock
 * (CLOCK_MONOTONIC).  One trace-cmd records the events of memref and dprof, memprof runs
 * the command.  The directory has a temporary name until it is complete; a guard removes
 * it if this process is killed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/record/command.h"
#include "lib/record/guard.h"
#include "memscope/doctor/judge.h"
#include "memscope/record/run.h"
#include "memscope.h"

static const struct verb_usage usage = {
	.command = "memscope record", .operands = "[options] [--] COMMAND [ARGUMENT...]", .min = 1, .max = -1,
	.command_follows = true,
	.about = "Record what memory COMMAND uses (refs), which kernel types miss the cache meanwhile (types), and "
		 "which objects it accesses from where (objects), into one directory.",
	.end = "The exit status is COMMAND's.",
};

static const struct {
	const char *name;
	int tool;
	unsigned int bit;
} parts[] = {
	{ "refs", TOOL_MEMREF, RECORD_REFS }, { "types", TOOL_DPROF, RECORD_TYPES },
	{ "objects", TOOL_MEMPROF, RECORD_OBJECTS },
};

#define PARTS (sizeof(parts) / sizeof(parts[0]))

static int take_what(const struct opt *o, const char *value)
{
	unsigned int *what = o->to;
	char list[64], *rest, *word;
	size_t i;

	if (snprintf(list, sizeof(list), "%s", value) >= (int)sizeof(list))
		return wrong_usage("--what %s: not a list of refs, objects and types", value);
	for (word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		for (i = 0; i < PARTS && strcmp(parts[i].name, word); i++)
			;
		if (i == PARTS)
			return wrong_usage("--what %s: %s is not refs, objects or types", value, word);
		*what |= parts[i].bit;
	}
	return *what ? OK : wrong_usage("--what %s: nothing to record", value);
}

/* Requested parts must work here; without a request, those that work are recorded. */
static int choose_parts(struct run *r, const struct tool_state tools[NR_TOOLS])
{
	const bool all = !r->what;
	size_t i;

	for (i = 0; i < PARTS; i++) {
		const struct tool_state *t = &tools[parts[i].tool];

		if (t->state != BAD) {
			r->what |= all ? parts[i].bit : 0;
			continue;
		}
		if (all)
			complain(OK, "%s are not recorded: %s", parts[i].name, t->why);
		else if (r->what & parts[i].bit)
			return complain(FAILED, "--what %s: %s: %s", parts[i].name, t->why, t->fix);
	}
	return r->what ? OK : complain(FAILED, "nothing can be recorded here: see memscope doctor");
}

/* A CPU has one IBS: types are sampled by swmem then, if objects are recorded, too. */
static int choose_sources(struct run *r, const struct facts *f, bool requested)
{
	const bool ibs = r->objects_source ? !strcmp(r->objects_source, "ibs") : f->source == MEMSOURCE_IBS;

	if (!ibs || !(r->what & RECORD_TYPES) || !(r->what & RECORD_OBJECTS))
		return OK;
	if (f->sources[MEMSOURCE_SWMEM].available) {
		r->types_source = "swmem";
		/* Its unit is another one. */
		r->types_period = NULL;
		return OK;
	}
	if (requested)
		return complain(FAILED, "--what: types and objects both need IBS, which a CPU has once, and this kernel has "
				"no swmem: record them one after the other");
	complain(OK, "types are not recorded: objects have the CPUs' IBS, and this kernel has no swmem");
	r->what &= ~RECORD_TYPES;
	return OK;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

/* Run the command between the start and the end of the trace.  Return its status, or FAILED. */
static int run_traced(struct run *r, struct chain *c, const char *tmp, const char *output)
{
	const struct tracing t = {
		.systems = { r->what & RECORD_REFS ? "memref" : "dprof",
			     (r->what & RECORD_REFS) && (r->what & RECORD_TYPES) ? "dprof" : NULL },
		.clock = "mono",
	};
	const bool traced = r->what & (RECORD_REFS | RECORD_TYPES);
	pid_t tracer = -1;
	int failed = OK;

	if (traced) {
		if (settings_apply(r))
			return FAILED;
		tracer = tracing_start(&t, tmp, settings_work);
		if (tracer < 0)
			return FAILED;
		settings_warn(r);
	}
	r->begin_ns = clock_ns(CLOCK_MONOTONIC);
	r->begin_real_ns = clock_ns(CLOCK_REALTIME);
	/* Collect a signal that arrived so far: the command is not started then. */
	command_wait(-1, -1, 0);
	if (!command_interrupted)
		failed = chain_release(c, r);
	chain_drop(c);
	r->status = trace_cmd_wait(c->child, tracer);
	/* trace-cmd has ended by itself: so does the recording, but not the command. */
	if (r->status < 0)
		trace_cmd_wait(c->child, -1);
	c->child = -1;
	r->end_ns = clock_ns(CLOCK_MONOTONIC);
	if (tracer > 0 && trace_cmd_stop(tracer, tmp, output))
		failed = FAILED;
	return r->status < 0 ? FAILED : failed;
}

/* In the temporary directory, while the guard runs. */
static int record_into(struct run *r)
{
	char tmp[PATH_MAX] = "", output[PATH_MAX], objects[PATH_MAX];
	struct chain c;
	int ret = OK;

	snprintf(output, sizeof(output), "%s/" RUN_TRACE, r->part);
	snprintf(objects, sizeof(objects), "%s/" RUN_OBJECTS, r->part);
	if (r->what & (RECORD_REFS | RECORD_TYPES))
		ret = trace_cmd_output(output, tmp, sizeof(tmp), false);
	if (ret)
		return ret;
	ret = chain_start(&c, r);
	if (!ret)
		ret = run_traced(r, &c, tmp, output);
	chain_drop(&c);
	if (c.child > 0)
		waitpid(c.child, NULL, 0);
	if (!ret && r->what & RECORD_OBJECTS && access(objects, R_OK))
		ret = complain(FAILED, "memprof record left no recording");
	if (!ret)
		ret = manifest_write(r);
	if (!ret && rename(r->part, r->directory))
		ret = complain(FAILED, "%s: %s", r->directory, strerror(errno));
	return ret;
}

static int set_directory(struct run *r, const char *name)
{
	size_t n = strlen(name);

	while (n > 1 && name[n - 1] == '/')
		n--;
	if (n >= sizeof(r->directory))
		return complain(FAILED, "%s: name too long", name);
	snprintf(r->directory, sizeof(r->directory), "%.*s", (int)n, name);
	return OK;
}

static bool is_empty(const char *directory)
{
	struct dirent *d;
	bool empty = true;
	DIR *dir = opendir(directory);

	if (!dir)
		return false;
	while (empty && (d = readdir(dir)))
		empty = !strcmp(d->d_name, ".") || !strcmp(d->d_name, "..");
	closedir(dir);
	return empty;
}

/* rename(2) will replace an empty directory, if it has a name and nothing is mounted there. */
static int check_directory(const char *directory)
{
	const char *slash = strrchr(directory, '/'), *last = slash ? slash + 1 : directory;
	struct statx st;

	if (!*last || !strcmp(last, ".") || !strcmp(last, ".."))
		return complain(FAILED, "-o %s: name a directory, not ., .. or /", directory);
	if (statx(AT_FDCWD, directory, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &st))
		return OK;
	if (!S_ISDIR(st.stx_mode))
		return complain(FAILED, "%s: exists, and is no directory", directory);
	if (st.stx_attributes & STATX_ATTR_MOUNT_ROOT)
		return complain(FAILED, "%s: something is mounted there: name a directory in it", directory);
	return is_empty(directory) ? OK : complain(FAILED, "%s: exists, and is not empty", directory);
}

static int make_directory(struct run *r)
{
	if (check_directory(r->directory))
		return FAILED;
	if (snprintf(r->part, sizeof(r->part), "%s.part.%d", r->directory, (int)getpid()) >= (int)sizeof(r->part))
		return complain(FAILED, "%s: name too long", r->directory);
	if (mkdir(r->part, 0755))
		return complain(FAILED, "%s: %s", r->directory, strerror(errno));
	/* The guard's working directory is the root. */
	if (*r->part != '/') {
		char *whole = realpath(r->part, NULL);

		if (!whole || snprintf(r->part, sizeof(r->part), "%s", whole) >= (int)sizeof(r->part)) {
			free(whole);
			rmdir(r->part);
			return complain(FAILED, "%s: name too long", r->directory);
		}
		free(whole);
	}
	return OK;
}

static int record(struct run *r)
{
	/* That of the recorder whose settings change: both cannot run at once. */
	const char *lock = r->what & RECORD_REFS ? "memref" : r->what & RECORD_TYPES ? "dprof" : "memscope";
	int ret;

	command_catch_signals();
	if (guard_begin(lock, r->what & (RECORD_REFS | RECORD_TYPES)))
		return FAILED;
	ret = settings_free(r);
	if (!ret)
		ret = make_directory(r);
	if (!ret) {
		ret = guard_note(UNDO_DIR, r->part, NULL);
		if (ret)
			rmdir(r->part);
		else
			ret = record_into(r);
	}
	if (guard_undo())
		return FAILED;
	return ret ? ret : r->status;
}

int cmd_record(int argc, char **argv)
{
	const char *directory = RUN_DIRECTORY;
	struct run r = { };
	double interval = 0;
	uint64_t period = 0;
	char period_text[24];
	const char *source = NULL;
	const struct opt options[] = {
		OPT_CALL(0, "what", "LIST", take_what, &r.what,
			 "what to record, separated by commas: refs, objects, types (default: all that work "
			 "here, see memscope doctor)"),
		OPT_TEXT('o', "output", "DIR", &directory, "directory of the recordings, new or empty (default " RUN_DIRECTORY ")"),
		OPT_TIME('i', "interval", "TIME", &interval, "ms", 0.01, 3600, "refs: length of an interval, 10ms to 1h (ms without unit; default 1s)"),
		OPT_TEXT('s', "source", "auto|ibs|pebs|swmem", &source,
			 "source of the samples (default auto: the best available)"),
		OPT_NUMBER('c', "count", "N", &period, 1, UINT32_MAX,
			   "sampling period, in units of the source (see memscope-caps); if the source of "
			   "objects is IBS, types keep their default"), { }
	};
	struct tool_state tools[NR_TOOLS];
	struct facts f;
	bool requested;
	int ret;

	r.command = argv + options_parse(&usage, options, argc, argv);
	if (interval && r.what && !(r.what & RECORD_REFS))
		return options_wrong(&usage, "--interval: only for refs, which --what leaves out");
	if ((source || period) && r.what == RECORD_REFS)
		return options_wrong(&usage, "--%s: not for refs, and --what has nothing else", source ? "source" : "count");
	r.interval_ms = (interval ? interval : 1) * 1000 + 0.5;
	if (source && strcmp(source, "auto"))
		r.types_source = r.objects_source = source;
	if (period) {
		snprintf(period_text, sizeof(period_text), "%" PRIu64, period);
		r.period = r.types_period = period_text;
	}
	ret = command_check(r.command);
	if (!ret)
		ret = set_directory(&r, directory);
	if (ret)
		return ret;
	requested = r.what;
	facts_read(&f);
	judge_tools(&f, tools);
	if (choose_parts(&r, tools) || choose_sources(&r, &f, requested))
		return FAILED;
	return record(&r);
}
