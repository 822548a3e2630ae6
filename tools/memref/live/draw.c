// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * The screen of memref top: a frame made from what it shows, what the keys have chosen, and
 * the time; nothing else, so that tests need no terminal.
 */
#include <inttypes.h>
#include <string.h>

#include "lib/cells/utf8.h"
#include "memref/model/flags.h"
#include "draw.h"
#include "frame.h"
#include "parts.h"

/* A smaller screen has fewer parts. */
#define LOW_ROWS	10
#define ROOMY_ROWS	20

#define NS_PER_S 1000000000ULL

static void format_age(char *to, size_t size, uint64_t s)
{
	if (s < 60)
		snprintf(to, size, "%" PRIu64 " s", s);
	else if (s < 3600)
		snprintf(to, size, "%" PRIu64 " min %02" PRIu64 " s", s / 60, s % 60);
	else
		snprintf(to, size, "%" PRIu64 " h %02" PRIu64 " min", s / 3600, s / 60 % 60);
}

static uint64_t seconds_since(uint64_t now_ns, uint64_t then_ns)
{
	return now_ns > then_ns ? (now_ns - then_ns) / NS_PER_S : 0;
}

static void draw_title(struct frame *s, const struct top *t, const struct shape *shape, uint64_t now_ns)
{
	const char *hint = shape->keys ? " h: help" : " Ctrl-C ends";
	const char *name = s->width >= 60 ? "memref top: " : "";
	const struct interval *i = t->last.m.intervals;
	char age[32];

	format_age(age, sizeof(age), seconds_since(now_ns, i ? i->scan.end_ns : t->start_ns));
	if (i)
		frame_put(s, STYLE_TITLE, "%sinterval %u took %.3f s, ended %s ago", name, i->scan.seq,
			  interval_seconds(i), age);
	else if (t->interval_ms)
		frame_put(s, STYLE_TITLE, "%swaiting for the first interval: %s of %g s", name, age,
			  t->interval_ms / 1e3);
	else
		frame_put(s, STYLE_TITLE, "%swaiting for the first interval: %s", name, age);
	if (s->width - s->column >= (int)strlen(hint)) {
		frame_fill(s, STYLE_TITLE, " ", s->width - s->column - (int)strlen(hint));
		frame_put(s, STYLE_TITLE, "%s", hint);
	}
	frame_fill(s, STYLE_TITLE, " ", s->width - s->column);
	frame_end(s);
}

/* An interval that should have ended.  A second: for its harvest, and for reading it. */
static void draw_late(struct frame *s, const struct top *t, uint64_t now_ns)
{
	const struct scan_row *r = t->last.m.intervals ? &t->last.m.intervals->scan : NULL;
	uint64_t due = (r ? r->end_ns : t->start_ns) +
		       (r ? (uint64_t)r->interval_ms * (r->parts ? r->parts : 1) : t->interval_ms) *
			       (NS_PER_S / 1000);
	char age[32];

	if (t->paused || !(r ? r->interval_ms : t->interval_ms) || now_ns < due + NS_PER_S)
		return;
	format_age(age, sizeof(age), seconds_since(now_ns, due));
	frame_put(s, STYLE_WARN, "! late: the interval should have ended %s ago%s", age,
		  r && r->flags & SCAN_STRETCHED ? "; the CPU budget makes it longer" : "");
	frame_end(s);
}

static void draw_pause(struct frame *s, const struct top *t)
{
	if (!t->paused && !t->missed)
		return;
	frame_put(s, STYLE_WARN, "%s%" PRIu64 " interval%s", t->paused ? "PAUSED: " : "", t->missed,
		  t->missed == 1 ? "" : "s");
	if (t->missed_events)
		frame_put(s, STYLE_WARN, " and %" PRIu64 " lost events", t->missed_events);
	frame_put(s, STYLE_WARN, "%s", t->paused ? " since; p: go on" : " passed while paused");
	frame_end(s);
}

static void draw_cost(struct frame *s, const struct top *t)
{
	const struct interval *i = &t->last.m.intervals[0];
	const struct scan_row *r = &i->scan;
	double scan = r->harvest_ns * 1e-9;

	frame_put(s, STYLE_PLAIN, "harvest %.1f ms, %.1f %% of a CPU: %" PRIu64 " entries read, %" PRIu64
		  " young, %u processes%s", scan * 1e3,
		  100 * scan / (scan + interval_seconds(i) > 0 ? scan + interval_seconds(i) : 1),
		  r->ptes, r->young, r->mms, r->pids ? " (selected)" : "");
	frame_end(s);
	frame_put(s, STYLE_PLAIN, "groups of %u KiB", r->group_kb);
	if (r->tables)
		frame_put(s, STYLE_PLAIN, "; page tables %" PRIu64 " read, %" PRIu64 " cold and skipped",
			  r->tables, r->tables_cold);
	frame_end(s);
	frame_end(s);
}

static void draw_nodes(struct frame *s, const struct top *t, enum unit unit)
{
	const struct interval *i = &t->last.m.intervals[0];
	const uint32_t rows = s->height / 4 > 2 ? s->height / 4 : 2;
	char text[NR_CLASSES + 1][UNIT_SIZE];
	uint32_t n;
	int c;

	for (n = 0; i->groups && n < i->nr_nodes; n++) {
		if (n + 1 == rows && n + 1 < i->nr_nodes) {
			frame_put(s, STYLE_NOTE, "%u more nodes", i->nr_nodes - n);
			frame_end(s);
			break;
		}
		for (c = 0; c < NR_CLASSES; c++)
			format_pages(text[c], i->nodes[n].pages[c], unit, t->memory);
		format_pages(text[NR_CLASSES], node_pages_sum(&i->nodes[n]), unit, t->memory);
		frame_put(s, STYLE_PLAIN, "node %-5u %s: kernel %s, user %s, page cache %s", n, text[NR_CLASSES],
			  skip_blanks(text[KERNEL]), skip_blanks(text[USER]), skip_blanks(text[PAGE_CACHE]));
		frame_end(s);
	}
}

/* Reasons why the figures may be wrong first: there may not be space for all. */
static void draw_flags(struct frame *s, const struct top *t)
{
	const uint32_t set = t->last.m.intervals[0].scan.flags;
	int rows = s->height / 4 > 1 ? s->height / 4 : 1, doubt;
	const struct flag *flag;

	if (t->lost_events && rows--) {
		frame_put(s, STYLE_WARN, "! %" PRIu64 " events were lost", t->lost_events);
		frame_end(s);
	}
	for (doubt = 1; doubt >= 0; doubt--) {
		for (flag = flags; flag->name; flag++) {
			if (!(set & flag->bit) || flag->doubt != doubt || rows-- <= 0)
				continue;
			frame_put(s, doubt ? STYLE_WARN : STYLE_NOTE, "%s %s", doubt ? "!" : "-", flag->about);
			frame_end(s);
		}
	}
}

static void draw_classes(struct frame *s, const struct top *t, enum unit unit)
{
	const struct interval *i = &t->last.m.intervals[0];
	uint64_t full = history_most(t);
	char text[UNIT_SIZE];
	int c;

	if (i->scan.rss > full)
		full = i->scan.rss;
	for (c = 0; s->height >= LOW_ROWS && c < NR_CLASSES; c++)
		draw_class(s, t, class_names[c], c, i->pages[c], full, unit);
	draw_class(s, t, "total", TOTAL, interval_pages(i), full, unit);
	if (i->scan.rss && s->height >= LOW_ROWS) {
		format_pages(text, i->scan.rss, unit, t->memory);
		frame_put(s, STYLE_PLAIN, "%-10s %s", "RSS", text);
		draw_percent(s, i->scan.rss, t->memory);
		frame_end(s);
	}
}

static void draw_help(struct frame *s)
{
	const struct key_help *k;

	for (k = key_helps; k->keys; k++) {
		frame_put(s, STYLE_HEAD, "%-9s", k->keys);
		frame_put(s, STYLE_PLAIN, "%s", k->about);
		frame_end(s);
	}
	frame_end(s);
	frame_put(s, STYLE_PLAIN, "used: referenced in the interval; written: of that, also written;");
	frame_end(s);
	frame_put(s, STYLE_PLAIN, "RSS: resident; %% mem: used, of the machine's memory;");
	frame_end(s);
	frame_put(s, STYLE_PLAIN, "of RSS: the share that was ");
	frame_put(s, STYLE_WRITTEN, "%s", s->utf8 ? "██" : "##");
	frame_put(s, STYLE_PLAIN, " written, ");
	frame_put(s, STYLE_USED, "%s", s->utf8 ? "▒▒" : "==");
	frame_put(s, STYLE_PLAIN, " only read.");
	frame_end(s);
	frame_put(s, STYLE_PLAIN, "idle 8+: not referenced for 8 intervals or more.");
	frame_end(s);
	frame_put(s, STYLE_PLAIN, "A line marked with ! is a reason why figures may be too low.");
	frame_end(s);
}

/* The filter that is being typed, its end visible. */
static void draw_prompt(struct frame *s, const struct controls *c)
{
	static const char prompt[] = "filter: ";
	const int columns = s->width - (int)strlen(prompt) - 1;
	char text[3 * FILTER_SIZE];
	const char *from = text;

	frame_name(s, text, sizeof(text), c->filter);
	while (*from && utf8_width(from) > columns)
		for (from++; (*from & 0xc0) == 0x80; from++)
			;
	frame_put(s, STYLE_HEAD, "%s", prompt);
	frame_put(s, STYLE_PLAIN, "%s", from);
	frame_put(s, STYLE_MARK, " ");
	frame_end(s);
}

static int draw_interval(struct frame *s, const struct top *t, struct controls *c)
{
	const bool roomy = s->height >= ROOMY_ROWS;

	if (roomy)
		draw_cost(s, t);
	draw_classes(s, t, c->unit);
	if (roomy)
		draw_nodes(s, t, c->unit);
	draw_flags(s, t);
	if (roomy)
		frame_end(s);
	return c->list == LIST_IDLE ? draw_idle(s, t, c) : draw_tasks(s, t, c);
}

/**
 * top_draw() - draw what memref top shows
 * @t: what it shows
 * @c: what the keys have chosen; @c->first and @c->rows are brought up to date
 * @shape: the screen
 * @now_ns: the time, of CLOCK_MONOTONIC
 * @f: the frame, see frame.h; no more rows than the screen has, none wider
 *
 * Return: 0, or -1 if out of memory.
 */
int top_draw(const struct top *t, struct controls *c, const struct shape *shape, uint64_t now_ns, FILE *f)
{
	struct frame s = { .f = f, .width = shape->width, .height = shape->height, .utf8 = shape->utf8 };
	int ret = 0;

	if (c->editing)
		s.height--;
	draw_title(&s, t, shape, now_ns);
	if (c->help) {
		draw_help(&s);
		return 0;
	}
	draw_late(&s, t, now_ns);
	draw_pause(&s, t);
	if (t->last.m.intervals)
		ret = draw_interval(&s, t, c);
	if (c->editing) {
		while (frame_left(&s))
			frame_end(&s);
		s.height = shape->height;
		draw_prompt(&s, c);
	}
	return ret;
}
