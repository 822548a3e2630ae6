// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref top: read memref's events live, from a private tracing instance, and
 * show the last interval.
 */
#include <errno.h>
#include <glob.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <tracefs.h>
#include <unistd.h>

#include "lib/options.h"
#include "lib/record/guard.h"
#include "memref/read/decode.h"
#include "knobs.h"
#include "memref.h"
#include "memref/view/top.h"

#define INSTANCE "memref-top-"
#define POLL_MS 100

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
	int batch, done, fresh, status;
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

/* Whether the terminal can redraw a frame in place. */
static bool has_screen(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb");
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

	failed = enable(s, EVENT_TASK) || enable(s, EVENT_NODE);
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

	if (ret < 0)
		return end(s, complain(FAILED, "no memory left"));
	if (!ret)
		return 0;
	s->fresh = 1;
	if (s->batch) {
		top_print_line(&s->top, stdout);
		/* EPIPE: the reader has closed the pipe, which is no error. */
		if (fflush(stdout))
			return end(s, errno == EPIPE ? OK :
				   complain(FAILED, "standard output: %s", strerror(errno)));
	}
	return s->left && !--s->left ? end(s, OK) : 0;
}

static int handle_record(struct tep_event *event, struct tep_record *record, int cpu, void *ctx)
{
	struct session *s = ctx;

	(void)event;
	(void)cpu;
	if (record->missed_events > 0)
		s->top.lost_events += record->missed_events;
	else if (record->missed_events)
		s->top.lost_events++;
	/* Count damaged events as lost. */
	if (decode(&s->decoder, record->ts, record->data, record->size, handle_row, s) < 0)
		s->top.lost_events++;
	return s->done;
}

static void draw(struct session *s, int width, int height, int utf8)
{
	size_t size;
	char *frame = NULL;
	FILE *f = open_memstream(&frame, &size);

	if (!f)
		return;
	top_draw(&s->top, f, width, height, utf8);
	if (!fclose(f)) {
		/* One write per frame avoids flicker. */
		fwrite(frame, size, 1, stdout);
		if (fflush(stdout))
			end(s, FAILED);
	}
	free(frame);
}

/* Return 1 if q was typed, or standard input is closed. */
static int wait_for_key(int tty)
{
	struct pollfd p = { .fd = tty ? STDIN_FILENO : -1, .events = POLLIN };
	char key;

	if (poll(&p, 1, POLL_MS) <= 0)
		return 0;
	return read(STDIN_FILENO, &key, 1) != 1 || key == 'q';
}

static void watch(struct session *s, int utf8)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 }, before = { 0 };
	int tty = !s->batch && isatty(STDIN_FILENO);

	while (!interrupted && !s->done) {
		/* Fails if there are no events yet: not an error. */
		tracefs_iterate_raw_events(s->tep, s->instance, NULL, 0, handle_record, s);
		if (!s->batch) {
			ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
			if (s->fresh || size.ws_row != before.ws_row ||
			    size.ws_col != before.ws_col)
				draw(s, size.ws_col, size.ws_row, utf8);
			before = size;
			s->fresh = 0;
		}
		if (!s->done && wait_for_key(tty))
			break;
	}
}

/* Alternate screen without cursor; input unbuffered, without echo. */
static void screen(int on)
{
	static struct termios before;
	static int changed;
	struct termios now;

	if (on && !tcgetattr(STDIN_FILENO, &before)) {
		now = before;
		now.c_lflag &= ~(ICANON | ECHO);
		changed = !tcsetattr(STDIN_FILENO, TCSAFLUSH, &now);
	}
	if (!on && changed)
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
	fputs(on ? "\033[?1049h\033[?25l" : "\033[?25h\033[?1049l", stdout);
	fflush(stdout);
}

static int top(struct session *s)
{
	struct sigaction action = { .sa_handler = on_signal };
	int utf8 = setlocale(LC_CTYPE, "") && !strcmp(nl_langinfo(CODESET), "UTF-8");
	int ret;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (guard_begin("memref-top", false))
		return FAILED;
	top_init(&s->top);
	ret = knobs_apply();
	if (!ret) {
		knobs_try(TASKS, "1");
		ret = start(s);
	}
	if (!ret) {
		if (s->batch) {
			top_print_header(stdout);
			fflush(stdout);
		} else {
			/* A stopped process cannot restore the terminal: ignore Ctrl-Z. */
			signal(SIGTSTP, SIG_IGN);
			screen(1);
		}
		watch(s, utf8);
		if (!s->batch)
			screen(0);
		ret = s->status;
	}
	stop(s);
	if (guard_undo())
		ret = FAILED;
	top_free(&s->top);
	return ret;
}

int cmd_top(int argc, char **argv)
{
	struct session session = { .batch = !has_screen() };
	bool once = false;
	const struct opt options[] = {
		KNOB_INTERVAL_OPTION, KNOB_PID_OPTION,
		OPT_NUMBER(0, "intervals", "N", &session.left, 1, OPT_NUMBER_MAX, "end after N intervals"),
		OPT_FLAG(0, "batch", &session.batch, "print one line per interval; the default without a terminal, or if $TERM is dumb"),
		OPT_FLAG(0, "once", &once, "as --batch --intervals 1"),
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
