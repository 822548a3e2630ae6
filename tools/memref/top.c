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

#include "lib/options.h"
#include "lib/record/guard.h"
#include "memref/read/decode.h"
#include "knobs.h"
#include "memref.h"
#include "memref/live/live.h"
#include "memref/live/terminal.h"

#define INSTANCE "memref-top-"

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	interrupted = sig;
}

/* The state that the callbacks share. */
struct session {
	struct top top;
	struct decoder decoder;
	struct tep_handle *tep;
	struct tracefs_instance *instance;
	unsigned long left;		/* intervals to show; 0: no end */
	int batch, done, status;
	char error[128];		/* for when the terminal is as before */
};

static const struct verb_usage usage = {
	.command = "memref top", .operands = "[options]",
	.about = "Show how much memory is referenced, interval by interval, until q or Ctrl-C.",
	.end = "Settings that are not given keep their values (see memref(5)).",
};

/* A memref top that was killed leaves its instance behind, with the sampler enabled. */
static void remove_stale(void)
{
	char **names = tracefs_instances(INSTANCE "[0-9]*$"), **name;
	struct tracefs_instance *instance;
	int pid;

	for (name = names; name && *name; name++) {
		if (sscanf(*name, INSTANCE "%d", &pid) != 1 || !kill(pid, 0) || errno != ESRCH)
			continue;
		instance = tracefs_instance_create(*name);
		if (!instance)
			continue;
		tracefs_event_disable(instance, "memref", NULL);
		tracefs_instance_destroy(instance);
		tracefs_instance_free(instance);
	}
	tracefs_list_free(names);
}

static int nr_nodes(void)
{
	glob_t g;
	int n = 0;

	if (!glob("/sys/devices/system/node/node[0-9]*", 0, NULL, &g))
		n = g.gl_pathc;
	globfree(&g);
	return n;
}

static int enable(struct session *s, enum event event)
{
	if (s->decoder.event[event].id < 0)
		return 0;
	return tracefs_event_enable(s->instance, "memref", event_names[event]);
}

/* Skips events that this kernel does not have. */
static int enable_events(struct session *s)
{
	int failed;

	/* Ages are for the screen; lines have none. */
	failed = enable(s, EVENT_TASK) || enable(s, EVENT_NODE) || (!s->batch && enable(s, EVENT_AGE));
	/* Pages per node need the physical address of each group. */
	if (!failed && s->decoder.event[EVENT_NODE].id >= 0 && nr_nodes() > 1)
		failed = enable(s, EVENT_GROUP) || enable(s, EVENT_BATCH);
	failed = failed || enable(s, EVENT_SCAN);
	return failed ? complain(FAILED, "events of memref cannot be enabled: %s",
				 strerror(errno)) : OK;
}

static int start(struct session *s)
{
	static const char * const systems[] = { "memref", NULL };
	char name[32];

	tep_set_loglevel(TEP_LOG_NONE);
	s->tep = tracefs_local_events_system(NULL, systems);
	if (!s->tep || decoder_init(&s->decoder, s->tep))
		return complain(FAILED, "this kernel's memref events: unsupported format");
	remove_stale();
	snprintf(name, sizeof(name), INSTANCE "%d", getpid());
	s->instance = tracefs_instance_create(name);
	if (!s->instance)
		return complain(FAILED, "tracing instance %s: %s", name, strerror(errno));
	return enable_events(s);
}

static void stop(struct session *s)
{
	if (s->instance) {
		tracefs_event_disable(s->instance, "memref", NULL);
		if (tracefs_instance_destroy(s->instance))
			complain(FAILED, "tracing instance %s: cannot be removed: %s",
				 tracefs_instance_get_name(s->instance), strerror(errno));
		tracefs_instance_free(s->instance);
	}
	if (s->tep)
		tep_free(s->tep);
}

static int end(struct session *s, int status)
{
	s->done = 1;
	s->status = status;
	return 1;
}

static int handle_row(void *ctx, const struct row *row)
{
	struct session *s = ctx;
	int ret = top_add(&s->top, row);

	if (ret < 0) {
		snprintf(s->error, sizeof(s->error), "no memory left");
		return end(s, FAILED);
	}
	if (!ret)
		return 0;
	if (s->batch) {
		top_print_line(&s->top, stdout);
		/* EPIPE: the reader has closed the pipe, which is no error. */
		if (fflush(stdout)) {
			if (errno == EPIPE)
				return end(s, OK);
			snprintf(s->error, sizeof(s->error), "standard output: %s", strerror(errno));
			return end(s, FAILED);
		}
	}
	return s->left && !--s->left ? end(s, OK) : 0;
}

static int handle_record(struct tep_event *event, struct tep_record *record, int cpu, void *ctx)
{
	struct session *s = ctx;

	(void)event;
	(void)cpu;
	if (record->missed_events)
		top_lose(&s->top, record->missed_events > 0 ? record->missed_events : 1);
	/* Count damaged events as lost. */
	if (decode(&s->decoder, record->ts, record->data, record->size, handle_row, s) < 0)
		top_lose(&s->top, 1);
	return s->done;
}

/* Read what has come.  Return 1 to end. */
static int read_events(void *ctx)
{
	struct session *s = ctx;

	/* Fails if there are no events yet: not an error. */
	if (!interrupted && !s->done)
		tracefs_iterate_raw_events(s->tep, s->instance, NULL, 0, handle_record, s);
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
	if (!tracefs_instance_file_read_number(NULL, "memref/interval_ms", &ms))
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
	sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int top(struct session *s)
{
	int ret;

	catch_signals();
	if (guard_begin("memref-top", false))
		return FAILED;
	top_init(&s->top);
	ret = knobs_apply();
	if (!ret) {
		knobs_try(TASKS, "1");
		ret = start(s);
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
	stop(s);
	if (guard_undo())
		ret = FAILED;
	top_free(&s->top);
	return ret;
}

int cmd_top(int argc, char **argv)
{
	struct session session = { .batch = !terminal_usable() };
	bool once = false;
	const struct opt options[] = {
		KNOB_INTERVAL_OPTION, KNOB_PID_OPTION,
		OPT_NUMBER(0, "intervals", "N", &session.left, 1, OPT_NUMBER_MAX, "end after N intervals"),
		OPT_FLAG(0, "batch", &session.batch, "print one line per interval; the default without a terminal, or if $TERM is dumb"),
		OPT_FLAG(0, "once", &once, "as --batch --intervals 1"),
		KNOB_OPTION("ages", NULL, AGES, "keep idle ages, which key a shows"),
		OPT_CHANGED('n', "count", "--intervals"), { }
	};

	options_parse(&usage, options, argc, argv);
	if (once)
		session.batch = session.left = 1;
	if (geteuid())
		return complain(FAILED, "top needs root");
	if (knobs_exist())
		return FAILED;
	return top(&session);
}
