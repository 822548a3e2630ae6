// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memref size: estimate the memory limit that control groups need. */
#include <inttypes.h>
#include <limits.h>
#include <sys/stat.h>

#include "lib/outfile.h"
#include "lib/output.h"
#include "lib/record/cgroup.h"
#include "memref.h"
#include "memref/model/window.h"
#include "memref/view/size.h"
#include "memref/view/view.h"
#include "tries.h"

static const struct verb_usage usage = {
	.command = "memref size", .operands = "[FILE] [options]",
	.about = "Estimate the memory limit that control groups need, from a recording with --ages (" DEFAULT_INPUT ").",
	.end = "Without --refaults or --slowdown, the slowdown is at most 2 %.",
	.max = 1,
};

/* @selected: whether what is said is of intervals with the flag, or of those without. */
static void note_flag(const struct model *m, const struct window *window, uint32_t flag, bool selected, const char *what)
{
	size_t nr = 0, of = 0, i;

	for (i = 0; i < m->nr_intervals; i++) {
		if (!interval_in_window(m, window, &m->intervals[i].scan))
			continue;
		nr += !!(m->intervals[i].scan.flags & flag) == selected;
		of++;
	}
	if (nr)
		complain(OK, "in %zu of %zu intervals %s", nr, of, what);
}

/* What makes limits wrong. */
static void note_doubts(const struct model *m, const struct window *window)
{
	note_flag(m, window, SCAN_SELECTED, true, "only selected processes were sampled: memory of others seems idle");
	note_flag(m, window, SCAN_RECLAIM, true, "reclaim ran: what it evicted is not counted");
	note_flag(m, window, SCAN_FAULT_AROUND, false, "pages mapped around a page fault did not count, which reclaim"
		  " keeps: limits of programs that map large files are too small (record with --fault-around)");
	if (m->lost_events)
		complain(OK, "%" PRIu64 " events were lost: ages of some intervals may be missing", m->lost_events);
}

/*
 * Run the command with limits; the estimate and its interval are tried first.  Return: OK, or FAILED with a
 * message printed.  *@tried is set if a limit was enough; what was found before the tries broke off counts, too.
 */
static int try_limits(const struct model *m, const struct size_question *q, const struct tries *tries, double precision,
		      struct size_tried *tried)
{
	struct search s = { .precision = precision / 100 };
	struct tried result;
	struct size size;
	char error[512];
	uint64_t peak;
	int failed = size_of_group(m, q, &size, &peak, error, sizeof(error));

	if (failed)
		return complain(FAILED, "%s", failed > 0 ? error : "no memory left");
	s.peak = peak * 4096 + q->extra;
	s.guesses[0] = size.high * 4096 + q->extra;
	s.guesses[1] = size.estimate * 4096 + q->extra;
	s.guesses[2] = size.low * 4096 + q->extra;
	failed = tries_run(tries, &s, &result);
	*tried = (struct size_tried){ result.nr, s.enough, s.too_small, result.slowdown };
	return failed;
}

/* The intervals that could be read of a damaged recording count, too. */
static int print(const struct model *m, struct size_question *q, const struct tries *tries, double precision,
		 const struct output *output)
{
	struct size_tried tried = { 0 };
	int failed, broken = OK;
	struct outfile out;
	char error[512];
	struct table t;
	struct stat st;

	if (lacks_ages(m, error, sizeof(error)))
		return complain(FAILED, "%s", error);
	/* Intervals are in the order of time. */
	if (!interval_in_window(m, &q->window, &m->intervals[m->nr_intervals - 1].scan))
		return complain(FAILED, "no interval from %g s on: the recording lasts %.3f s", q->window.from, model_seconds(m));
	note_doubts(m, &q->window);
	if (tries->command) {
		/* Before what may take hours.  Who reads a pipe would take this for its end. */
		if (output->path && (stat(output->path, &st) || S_ISREG(st.st_mode))) {
			if (outfile_open(&out, output->path))
				return FAILED;
			outfile_drop(&out);
		}
		broken = try_limits(m, q, tries, precision, &tried);
		if (!tried.limit)
			return FAILED;
		q->tried = &tried;
	}
	failed = size_table(m, q, &t, error, sizeof(error));
	if (failed > 0) {
		table_free(&t);
		return complain(FAILED, "%s", error);
	}
	return output_table(output, &t, failed) || broken ? FAILED : OK;
}

int cmd_size(int argc, char **argv)
{
	struct size_question q = { .refaults = -1, .slowdown = -1, .refault_us = 100, .evict_us = 2 };
	/* What is read: ages of the part that counts are those since the begin. */
	struct window read = { .by = AGES_CGROUP };
	struct tries tries = { 0 };
	struct output output = { };
	const char *cgroup = NULL;
	double precision = 0;
	const char *file;
	char path[PATH_MAX];
	const struct opt options[] = {
		OPT_TEXT('G', "cgroup", "NAME", &cgroup, "only this control group and those below it: " CGROUP_HELP
			 " (default: each control group of the recording)"),
		OPT_REAL(0, "refaults", "RATE", &q.refaults, 0, 1e9,
			 "maximum number of refaults per second with the limit"),
		OPT_REAL(0, "slowdown", "PCT", &q.slowdown, 0, 1e6,
			 "maximum time that refaults and evictions take with the limit, in % of the recording's "
			 "time (default 2)"),
		OPT_REAL(0, "refault-us", "US", &q.refault_us, 1e-3, 1e9, "time that a refault takes, in us (default 100)"),
		OPT_REAL(0, "evict-us", "US", &q.evict_us, 0, 1e9,
			 "time that reclaim takes for each page that it scans, in us (default 2)"),
		OPT_SIZE(0, "extra", "SIZE", &q.extra, 0, 0x1p62,
			 "memory of the group that has no ages, which is added to the limit (default 0)"),
		OPT_TEXT(0, "try", "COMMAND", &tries.command,
			 "run COMMAND in a shell, without a limit and with limits of $MEMREF_LIMIT bytes, and "
			 "print the smallest limit with which it takes at most --slowdown longer; if its last "
			 "line is a number, this is its time in seconds"),
		OPT_NUMBER(0, "tries", "N", &tries.most, 1, 1000, "maximum number of limits to try (default 15)"),
		OPT_NUMBER(0, "repeats", "N", &tries.repeats, 1, 1000,
			   "number of runs with each limit, odd; their median counts (default 1)"),
		OPT_REAL(0, "precision", "PCT", &precision, 0.1, 100,
			 "stop when a smaller limit could save at most this much more, in % of what can be "
			 "saved, or at most a 1024th of the memory (default 10)"),
		QUIET_OPTION, OUTPUT_OPTIONS(&output), WINDOW_TIME_OPTIONS(&q.window), { }
	};
	struct model m;
	int damaged, failed;

	argv += options_parse(&usage, options, argc, argv);
	if (output.explain)
		return output_explain(&output, tries.command ? &size_tried_columns : &size_columns);
	if (q.refaults >= 0 && q.slowdown >= 0)
		return wrong_usage("--refaults and --slowdown: give one of them");
	if (!tries.command && (tries.most || tries.repeats || precision))
		return wrong_usage("--tries, --repeats and --precision: only with --try");
	if (tries.command && q.refaults >= 0)
		return wrong_usage("--refaults: not with --try, which takes --slowdown");
	if (tries.command && !*tries.command)
		return wrong_usage("--try: no command");
	if (tries.repeats && tries.repeats % 2 == 0)
		return wrong_usage("--repeats %" PRIu32 ": not an odd number", tries.repeats);
	if (tries.command && !cgroup)
		return wrong_usage("--try: which control group? (-G)");
	if (window_check(&q.window))
		return USAGE;
	if (q.slowdown < 0)
		q.slowdown = 2;
	tries.slowdown = q.slowdown;
	tries.most = tries.most ? tries.most : 15;
	tries.repeats = tries.repeats ? tries.repeats : 1;
	precision = precision ? precision : 10;
	if (cgroup) {
		cgroup_below_root(cgroup, path, sizeof(path));
		q.cgroup = path;
	}
	read.to = q.window.to;
	file = recording_path(argv[0]);
	if (!file)
		return FAILED;
	damaged = load_recording(file, &read, VIEW_AGES, &m);
	failed = m.nr_intervals ? print(&m, &q, &tries, precision, &output) : FAILED;
	model_free(&m);
	return damaged || failed ? FAILED : OK;
}
