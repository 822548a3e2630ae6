// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref top: read memref's events live, from a private tracing instance, and
 * show the last interval.
 */
#include <errno.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tracefs.h>
#include <unistd.h>

#include "lib/export/mmv.h"
#include "lib/options.h"
#include "lib/record/guard.h"
#include "knobs.h"
#include "memref.h"
#include "memref/live/live.h"
#include "memref/live/terminal.h"
#include "memref/read/follow.h"
#include "memref/view/metrics.h"

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	interrupted = sig;
}

/* The state that the callbacks share. */
struct session {
	struct top top;
	struct follow follow;
	struct mmv *mmv;		/* NULL: nothing is published */
	struct metrics_counts counts;
	uint32_t seq;			/* of the last interval; 0: none yet */
	uint64_t lost;			/* events, as @top has them */
	unsigned long left;		/* intervals to show; 0: no end */
	int batch, done, status;
	char error[128];		/* for when the terminal is as before */
};

static const struct verb_usage usage = {
	.command = "memref top", .operands = "[options]",
	.about = "Show how much memory is referenced, interval by interval, until q or Ctrl-C.",
	.end = "Settings that are not given keep their values (see memref(5)).",
};

static int nr_nodes(void)
{
	glob_t g;
	int n = 0;

	if (!glob("/sys/devices/system/node/node[0-9]*", 0, NULL, &g))
		n = g.gl_pathc;
	globfree(&g);
	return n;
}

static int end(struct session *s, int status)
{
	s->done = 1;
	s->status = status;
	return 1;
}

static void see_lost(struct session *s)
{
	if (s->follow.lost_events != s->lost)
		top_lose(&s->top, s->follow.lost_events - s->lost);
	s->lost = s->follow.lost_events;
}

/* The last interval, whether it is shown or not.  Return OK, or FAILED with a message printed. */
static int publish(struct session *s)
{
	struct shown *last = s->top.paused ? &s->top.newest : &s->top.last;
	struct metrics metrics = { .list = memref_metrics };
	struct model m = last->m;
	const struct interval *i = m.intervals;

	s->counts.intervals++;
	if (s->seq && i->scan.seq > s->seq)
		s->counts.missing += i->scan.seq - s->seq - 1;
	s->seq = i->scan.seq;
	s->counts.incomplete += i->groups < i->scan.groups;
	s->counts.lost_events = s->follow.lost_events;
	/* A copy that is not freed: the screen has the ages apart. */
	m.ages = last->classes;
	metrics_of_interval(&metrics, &m, 0);
	metrics_of_processes(&metrics, &m);
	metrics_of_cgroups(&metrics, &last->cgroups);
	metrics_of_counts(&metrics, &s->counts);
	return mmv_publish(s->mmv, &metrics);
}

static int handle_row(void *ctx, const struct row *row)
{
	struct session *s = ctx;
	int ret;

	see_lost(s);
	ret = top_add(&s->top, row);
	if (ret < 0) {
		snprintf(s->error, sizeof(s->error), "no memory left");
		return end(s, FAILED);
	}
	if (!ret)
		return 0;
	if (s->mmv && publish(s)) {
		snprintf(s->error, sizeof(s->error), "not published");
		return end(s, FAILED);
	}
	if (s->batch) {
		top_print_line(&s->top, stdout);
		/* EPIPE: the reader has closed the pipe, which is no error. */
		if (fflush(stdout) || ferror(stdout)) {
			if (errno == EPIPE)
				return end(s, OK);
			snprintf(s->error, sizeof(s->error), "standard output: %s", strerror(errno));
			return end(s, FAILED);
		}
	}
	return s->left && !--s->left ? end(s, OK) : 0;
}

/* Read what has come.  Return 1 to end. */
static int read_events(void *ctx)
{
	struct session *s = ctx;

	if (!interrupted && !s->done) {
		follow_read(&s->follow);
		see_lost(s);
	}
	return interrupted || s->done;
}

static void print_lines(struct session *s)
{
	top_print_header(stdout);
	fflush(stdout);
	while (!read_events(s))
		poll(NULL, 0, LIVE_POLL_MS);
}

static void show_screen(struct session *s)
{
	struct live live = { .top = &s->top, .read = read_events, .ctx = s };
	struct timespec now;
	long long ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	s->top.start_ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
	if (!knobs_interval_ms(&ms))
		s->top.interval_ms = ms;
	s->top.memory = sysconf(_SC_PHYS_PAGES);
	if (live_run(&live)) {
		snprintf(s->error, sizeof(s->error), "no memory left");
		end(s, FAILED);
	}
	terminal_close();
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* nohup(1) ignores it. */
	if (signal(SIGHUP, SIG_IGN) != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int top(struct session *s, bool mmv)
{
	int ret = OK;

	catch_signals();
	if (guard_begin("memref-top", false))
		return FAILED;
	top_init(&s->top);
	if (mmv) {
		/* A file of its own: that of memref watch stays when top ends. */
		s->mmv = mmv_begin("memref-top", memref_metrics);
		ret = s->mmv ? OK : FAILED;
	}
	if (!ret)
		ret = knobs_apply();
	if (!ret) {
		knobs_try(TASKS, "1");
		/* Pages per node need the physical address of each group; ages are for the screen. */
		s->follow.groups = mmv || nr_nodes() > 1;
		s->follow.ages = !s->batch || mmv;
		ret = follow_begin(&s->follow, "memref-top");
	}
	if (!ret) {
		if (!s->batch && terminal_open()) {
			complain(OK, "TERM=%s: unknown terminal: one line per interval, as by --batch",
				 getenv("TERM"));
			s->batch = 1;
		}
		if (s->batch)
			print_lines(s);
		else
			show_screen(s);
		ret = s->status;
		if (*s->error)
			complain(ret, "%s", s->error);
	}
	follow_end(&s->follow);
	mmv_end(s->mmv);
	if (guard_undo())
		ret = FAILED;
	top_free(&s->top);
	return ret;
}

int cmd_top(int argc, char **argv)
{
	struct session session = { .follow = { .row = handle_row, .ctx = &session } };
	bool once = false, mmv = false;
	struct pids pids = { };
	const struct opt options[] = {
		KNOB_INTERVAL_OPTION, KNOB_PID_OPTION(&pids),
		OPT_NUMBER(0, "intervals", "N", &session.left, 1, OPT_NUMBER_MAX, "end after N intervals"),
		OPT_FLAG(0, "batch", &session.batch, "print one line per interval; the default without a terminal, or if $TERM is dumb"),
		OPT_FLAG(0, "mmv", &mmv, "publish values to Performance Co-Pilot, as mmv.memref.*"),
		OPT_FLAG(0, "once", &once, "the same as --batch --intervals 1"),
		KNOB_OPTION("ages", NULL, AGES, "keep idle ages; the key a shows them"),
		OPT_CHANGED('n', "count", "--intervals"), { }
	};

	options_parse(&usage, options, argc, argv);
	knobs_request_pids(&pids);
	if (once && session.left)
		return options_wrong(&usage, "--once: not with --intervals");
	if (once)
		session.batch = session.left = 1;
	/* Lines have no ages. */
	if (session.batch && !mmv && knobs_requested(AGES))
		return options_wrong(&usage, "--ages: for the screen or --mmv, not for lines");
	session.batch |= !terminal_usable();
	if (geteuid())
		return complain(FAILED, "top needs root");
	if (knobs_exist())
		return FAILED;
	return top(&session, mmv);
}
