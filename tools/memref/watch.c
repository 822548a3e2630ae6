// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref watch: for weeks, keep the figures of each interval: as tables in files, or as values
 * for Performance Co-Pilot.  One interval is in memory at a time.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tracefs.h>
#include <unistd.h>

#include "lib/export/mmv.h"
#include "lib/options.h"
#include "lib/record/cgroup.h"
#include "lib/record/guard.h"
#include "memref/read/follow.h"
#include "memref/view/metrics.h"
#include "knobs.h"
#include "logs.h"
#include "memref.h"

#define NAME	"memref-watch"
/* Events are read so often; the kernel's buffers hold them meanwhile. */
#define READ_MS	1000
/* Without an interval for so long and ten times its length, something is wrong: a CPU limit makes them longer. */
#define SILENT_S	60

static volatile sig_atomic_t ended, new_files;

static void on_signal(int sig)
{
	if (sig == SIGHUP)
		new_files = 1;
	else
		ended = 1;
}

struct watch {
	struct follow follow;
	struct logs logs;
	struct mmv *mmv;
	bool published;			/* with it, once */
	struct model now;		/* the interval whose rows come, its ages by class */
	struct ages by_cgroup;		/* and its ages by control group */
	uint32_t seq;			/* and its number; 0: none yet */
	uint32_t last;			/* number of the last one that came; 0: none yet */
	struct metrics_counts counts;	/* since the begin */
	uint64_t left;			/* intervals to keep; 0: no end */
	bool done;
	double heard;			/* when one came last: s, monotonic */
	bool silent;			/* and it was said that none comes */
};

static const struct verb_usage usage = {
	.command = "memref watch", .operands = "{-o DIRECTORY | --mmv} [options]",
	.about = "Keep how much memory is referenced, interval by interval, until SIGTERM or Ctrl-C.",
	.end = "Settings that are not given keep their values (see memref(5)).  SIGHUP begins new files.",
};

static void begin_interval(struct watch *w)
{
	model_init(&w->now);
	w->now.ages.by = AGES_CLASS;
	w->by_cgroup = (struct ages){ .by = AGES_CGROUP };
	w->seq = 0;
}

static void free_interval(struct watch *w)
{
	model_free(&w->now);
	ages_free(&w->by_cgroup);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

/* All of the interval has come, or the next one has begun. */
static int publish(struct watch *w)
{
	struct metrics metrics = { .list = memref_metrics };
	const bool whole = w->now.nr_intervals;
	int ret = OK;

	if (whole) {
		/* Of one that was lost nothing need have come.  The sampler's count begins anew with it. */
		if (w->last && w->seq > w->last)
			w->counts.missing += w->seq - w->last - 1;
		w->last = w->seq;
		w->heard = now();
		if (w->silent)
			complain(OK, "intervals come again");
		w->silent = false;
		w->counts.intervals++;
		w->counts.incomplete += w->now.intervals[0].groups < w->now.intervals[0].scan.groups;
		w->counts.lost_events = w->follow.lost_events;
		w->done |= w->left && !--w->left;
	}
	if (whole && w->mmv) {
		metrics_of_interval(&metrics, &w->now, 0);
		metrics_of_processes(&metrics, &w->now);
		metrics_of_cgroups(&metrics, &w->by_cgroup);
		metrics_of_counts(&metrics, &w->counts);
		ret = mmv_publish(w->mmv, &metrics);
		/* As errors of the tables' files: it is tried again.  If it never worked, it is set up wrongly. */
		if (ret && w->published)
			ret = OK;
		else
			w->published = !ret;
	}
	free_interval(w);
	begin_interval(w);
	return ret;
}

static bool complete(const struct watch *w)
{
	return w->now.nr_intervals && w->now.intervals[0].groups >= w->now.intervals[0].scan.groups;
}

static int take_row(void *ctx, const struct row *row)
{
	struct watch *w = ctx;
	const uint32_t seq = row_seq(row);

	if (w->done)
		return 1;
	if (w->logs.directory && logs_add(&w->logs, row))
		return FAILED;
	if (w->seq && seq != w->seq && publish(w))
		return FAILED;
	w->seq = seq;
	if (row->type == ROW_AGE && w->mmv && ages_add(&w->by_cgroup, 0, &row->age))
		return complain(FAILED, "no memory left");
	return model_add(&w->now, row) ? complain(FAILED, "no memory left") : OK;
}

/*
 * The buffers of CPUs are read one after the other: of an interval that is complete, there may be rows in one that
 * was read before they came.  So it is finished after the next read.  Return OK, or FAILED with a message printed.
 */
static int read_events(struct watch *w)
{
	const uint32_t held = complete(w) ? w->seq : 0;
	const int ret = follow_read(&w->follow);

	if (ret && !w->done)
		return FAILED;
	if (!held || w->done || w->seq != held)
		return OK;
	if (w->logs.directory && logs_flush(&w->logs, false))
		return FAILED;
	return publish(w);
}

/* Say if no events come any more.  Return OK, or FAILED with a message printed if none ever will. */
static int note_silence(struct watch *w)
{
	const double silent = now() - w->heard;
	long long ms;

	if (follow_is_gone(&w->follow))
		return complain(FAILED, "tracing instance %s: somebody has removed it",
				tracefs_instance_get_name(w->follow.instance));
	if (w->silent || silent < SILENT_S || knobs_interval_ms(&ms) ||
	    !ms || silent < SILENT_S + 10 * ms / 1e3)
		return OK;
	complain(OK, "no interval for %.0f s: are the events of tracing instance %s still on?", silent,
		 tracefs_instance_get_name(w->follow.instance));
	w->silent = true;
	return OK;
}

static int watch(struct watch *w)
{
	int ret = OK;

	w->heard = now();
	while (!ret && !w->done && !ended) {
		poll(NULL, 0, READ_MS);
		ret = read_events(w);
		if (!ret && !w->done)
			ret = note_silence(w);
		if (new_files)
			logs_new_files(&w->logs);
		new_files = 0;
	}
	/* What came since. */
	if (!ret && !w->done)
		ret = read_events(w);
	if (!ret && complete(w))
		ret = publish(w);
	if (!ret && w->logs.directory)
		ret = logs_flush(&w->logs, true);
	return ret;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int run(struct watch *w, bool mmv)
{
	int ret = OK;

	catch_signals();
	if (guard_begin(NAME, true))
		return FAILED;
	begin_interval(w);
	if (w->logs.directory)
		ret = logs_begin(&w->logs);
	if (!ret && mmv) {
		w->mmv = mmv_begin("memref", memref_metrics);
		ret = w->mmv ? OK : FAILED;
	}
	if (!ret)
		ret = knobs_apply();
	if (!ret) {
		if (!knobs_has_parts())
			knobs_try(TASKS, "1");
		knobs_try(ENCODING, "batch");
		w->follow.ages = knobs_requested(AGES);
		ret = follow_begin(&w->follow, NAME);
	}
	if (!ret) {
		inform("watching; Ctrl-C ends it");
		ret = watch(w);
	}
	follow_end(&w->follow);
	if (w->logs.directory)
		logs_end(&w->logs);
	mmv_end(w->mmv);
	free_interval(w);
	inform("%" PRIu64 " intervals, %" PRIu64 " missing, %" PRIu64 " incomplete, %" PRIu64
	       " events lost, %" PRIu64 " intervals not written", w->counts.intervals, w->counts.missing,
	       w->counts.incomplete, w->counts.lost_events, w->logs.unwritten);
	return guard_undo() ? FAILED : ret;
}

int cmd_watch(int argc, char **argv)
{
	struct watch w = { .follow = { .row = take_row, .ctx = &w, .groups = true } };
	struct pids pids = { };
	bool mmv = false;
	const struct opt options[] = {
		OPT_TEXT('o', "output", "DIRECTORY", &w.logs.directory,
			 "directory to write tables of intervals, services and ages to, in the format of memref "
			 "export --to columns"),
		OPT_FLAG(0, "mmv", &mmv, "publish values to Performance Co-Pilot, as mmv.memref.*"),
		KNOB_INTERVAL_OPTION,
		KNOB_GROUP_SIZE_OPTION,
		KNOB_PID_OPTION(&pids),
		OPT_CALL('G', "cgroup", "NAME", knob_cgroup, NULL,
			 "only processes in this control group and those below it: " CGROUP_HELP),
		KNOB_OPTION("write", "off|anon|all", WRITE,
			    "where to detect writes: nowhere (off), in anonymous and shared memory (anon), or in "
			    "files, too (all)"),
		KNOB_CPU_MAX_OPTION,
		KNOB_PARTS_OPTION,
		KNOB_OPTION("ages", NULL, AGES,
			    "also write, by class and control group, in how many intervals memory was not "
			    "referenced"),
		OPT_SIZE(0, "file-size", "SIZE", &w.logs.file_size, 4096, 0x1p40,
			 "begin a new file when one has reached this size (default 16M)"),
		OPT_SIZE(0, "keep", "SIZE", &w.logs.keep, 4096, 0x1p50,
			 "remove the oldest files in DIRECTORY, so that the size of all is at most this "
			 "(default 512M)"),
		OPT_NUMBER(0, "intervals", "N", &w.left, 1, OPT_NUMBER_MAX, "end after N intervals"),
		QUIET_OPTION, { }
	};

	options_parse(&usage, options, argc, argv);
	knobs_request_pids(&pids);
	if (!w.logs.directory && !mmv)
		return options_wrong(&usage, "neither -o DIRECTORY nor --mmv is given");
	if (!w.logs.directory && (w.logs.file_size || w.logs.keep))
		return options_wrong(&usage, "--%s: only with -o DIRECTORY", w.logs.keep ? "keep" : "file-size");
	w.logs.file_size = w.logs.file_size ? w.logs.file_size : 16 << 20;
	w.logs.keep = w.logs.keep ? w.logs.keep : 512 << 20;
	if (w.logs.keep < 4 * w.logs.file_size)
		return options_wrong(&usage, "--keep: less than four files of --file-size");
	if (knobs_has_parts() && knobs_requested(AGES))
		return options_wrong(&usage, "--parts: not with --ages");
	if (geteuid())
		return complain(FAILED, "watch needs root");
	if (knobs_exist())
		return FAILED;
	return run(&w, mmv);
}
