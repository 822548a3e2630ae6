// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* What memref top shows: the last interval, and the last minutes; an interval as a line. */
#include <inttypes.h>
#include <string.h>

#include "lib/cells/utf8.h"
#include "memref/model/flags.h"
#include "top.h"

/* How long what was missed is shown, at least. */
#define NOTE_NS 5000000000ULL

static void shown_init(struct shown *s)
{
	memset(s, 0, sizeof(*s));
	model_init(&s->m);
	s->classes.by = AGES_CLASS;
	s->cgroups.by = AGES_CGROUP;
}

static void free_ages(struct shown *s)
{
	ages_free(&s->classes);
	ages_free(&s->cgroups);
	s->classes = (struct ages){ .by = AGES_CLASS };
	s->cgroups = (struct ages){ .by = AGES_CGROUP };
}

static void shown_free(struct shown *s)
{
	model_free(&s->m);
	free_ages(s);
}

/**
 * top_init() - initialize the state
 * @t: the state; free it with top_free()
 */
void top_init(struct top *t)
{
	memset(t, 0, sizeof(*t));
	shown_init(&t->last);
	shown_init(&t->now);
	shown_init(&t->newest);
}

/**
 * top_free() - free the state
 * @t: the state
 */
void top_free(struct top *t)
{
	shown_free(&t->last);
	shown_free(&t->now);
	shown_free(&t->newest);
}

/* Add an interval to the history, in each half second that it overlaps. */
static void remember(struct top *t, const struct interval *i)
{
	uint64_t n, last = i->scan.scan_ns / BUCKET_NS;
	int c;

	n = i->scan.begin_ns / BUCKET_NS;
	if (n > last || last - n >= NR_BUCKETS)
		n = last;
	for (; n <= last; n++) {
		struct bucket *b = &t->buckets[n % NR_BUCKETS];

		if (b->number != n)
			*b = (struct bucket){ .number = n };
		for (c = 0; c < NR_LINES; c++) {
			uint64_t pages = c == TOTAL ? interval_pages(i) : i->pages[c];

			if (pages > b->pages[c])
				b->pages[c] = pages;
		}
	}
}

/* An interval whose memref_scan was lost has its ages here until those of the next. */
static int add_ages(struct shown *s, const struct age_row *row)
{
	if (row->seq != s->ages_seq)
		free_ages(s);
	s->ages_seq = row->seq;
	return ages_add(&s->classes, 0, row) || ages_add(&s->cgroups, 0, row) ? -1 : 0;
}

static int add_to_now(struct shown *s, const struct row *row)
{
	return row->type == ROW_AGE ? add_ages(s, &row->age) : model_add(&s->m, row);
}

/**
 * top_add() - add a row
 * @t: the state
 * @row: the row; a memref_scan completes an interval
 *
 * Return: 1 if it completed an interval, 0 if not, -1 if out of memory.
 */
int top_add(struct top *t, const struct row *row)
{
	struct interval *i;

	if (add_to_now(&t->now, row))
		return -1;
	if (row->type != ROW_SCAN)
		return 0;
	if (t->now.ages_seq != row->scan.seq)
		free_ages(&t->now);
	i = &t->now.m.intervals[0];
	/* memref_scan has the sums, whether group events are enabled or not. */
	memcpy(i->pages, i->scan.pages, sizeof(i->pages));
	if (!t->begin_ns)
		t->begin_ns = i->scan.begin_ns;
	remember(t, i);
	if (t->paused) {
		shown_free(&t->newest);
		t->newest = t->now;
		t->missed++;
	} else {
		shown_free(&t->last);
		t->last = t->now;
		/* Short intervals would not leave the time to read it. */
		if (i->scan.end_ns > t->resumed_ns + NOTE_NS)
			t->missed = t->missed_events = 0;
	}
	shown_init(&t->now);
	t->intervals++;
	return 1;
}

/**
 * top_lose() - count lost events
 * @t: the state
 * @events: their number
 */
void top_lose(struct top *t, uint64_t events)
{
	t->lost_events += events;
	if (t->paused)
		t->missed_events += events;
}

/**
 * top_pause() - keep the interval and the history that are shown, or go on to the last ones
 * @t: the state
 * @pause: which of these
 */
void top_pause(struct top *t, bool pause)
{
	if (pause == t->paused)
		return;
	t->paused = pause;
	if (pause) {
		t->missed = t->missed_events = 0;
		memcpy(t->frozen, t->buckets, sizeof(t->frozen));
	} else if (t->missed) {
		shown_free(&t->last);
		t->last = t->newest;
		t->resumed_ns = t->last.m.intervals[0].scan.end_ns;
		shown_init(&t->newest);
	}
}

static int by_pages(const struct task *a, const struct task *b)
{
	return a->pages < b->pages ? 1 : -(a->pages > b->pages);
}

/* A process may set any bytes as its name; blanks separate the fields of a line. */
static void print_comm(FILE *f, const struct task *task)
{
	char comm[sizeof(task->key.comm) + 1] = "", c[UTF8_SIZE];
	const char *from = comm;

	/* May be full, without a zero. */
	memcpy(comm, task->key.comm, sizeof(task->key.comm));
	while (*from) {
		from += utf8_next_in_line(c, from);
		fputs(*c == ' ' ? "_" : c, f);
	}
}

/**
 * top_print_header() - print the column names of top_print_line()
 * @f: output
 */
void top_print_header(FILE *f)
{
	fputs("seq time_s interval_s wss_kernel_mib wss_user_mib wss_page_cache_mib "
	      "wss_total_mib rss_mib scan_ms flags nodes_mib top_mib\n", f);
}

/**
 * top_print_line() - print the last interval as one line
 * @t: the state
 * @f: output
 */
void top_print_line(struct top *t, FILE *f)
{
	const struct interval *i = &t->last.m.intervals[0];
	const struct scan_row *s = &i->scan;
	const char *between = "";
	struct task *task;
	uint32_t n;
	int shown = 0;

	fprintf(f, "%u %.3f %.3f %.3f %.3f %.3f %.3f ", s->seq,
		(s->scan_ns - t->begin_ns) * 1e-9, interval_seconds(i),
		i->pages[KERNEL] * PAGES_TO_MIB, i->pages[USER] * PAGES_TO_MIB, i->pages[PAGE_CACHE] * PAGES_TO_MIB,
		interval_pages(i) * PAGES_TO_MIB);
	if (s->rss)
		fprintf(f, "%.3f ", s->rss * PAGES_TO_MIB);
	else
		fputs("- ", f);
	fprintf(f, "%.3f ", s->harvest_ns * 1e-6);
	flags_print(f, s->flags, ",");
	fputc(' ', f);
	for (n = 0; i->groups && n < i->nr_nodes; n++) {
		fprintf(f, "%s%u:%.3f", between, n, node_pages_sum(&i->nodes[n]) * PAGES_TO_MIB);
		between = ",";
	}
	fputs(*between ? " " : "- ", f);
	HASH_SORT(t->last.m.tasks, by_pages);
	for (task = t->last.m.tasks; task && task->pages && shown < 3; task = task->hh.next) {
		fputs(shown++ ? "," : "", f);
		print_comm(f, task);
		fprintf(f, "[%u]:%.3f", task->key.pid, task->pages * PAGES_TO_MIB);
	}
	fputs(shown ? "\n" : "-\n", f);
}
