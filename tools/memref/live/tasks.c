// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The processes on memref top's screen: filtered, sorted, and as many as fit. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cells/utf8.h"
#include "list.h"
#include "parts.h"

#define PID_WIDTH	8
#define COMMAND_WIDTH	16
#define COMMAND_SIZE	64
/* The narrowest bar that is of use, and the widest. */
#define BAR_MIN		8
#define BAR_MAX		40

/* Where the columns end, one blank between them. */
enum {
	END_COMMAND = PID_WIDTH + 1 + COMMAND_WIDTH, END_USED = END_COMMAND + 1 + UNIT_WIDTH,
	END_WRITTEN = END_USED + 1 + UNIT_WIDTH, END_RSS = END_WRITTEN + 1 + UNIT_WIDTH,
	END_PERCENT = END_RSS + 7
};

static const struct list_column columns[NR_SORTS] = {
	[SORT_PID] = { "pid", .rises = true }, [SORT_COMMAND] = { "command", .rises = true, .left = true },
	[SORT_USED] = { "used" }, [SORT_WRITTEN] = { "written" }, [SORT_RSS] = { "RSS" },
};

static int by_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* The largest first, but pids and names in their order. */
static int by_column(const struct task *a, const struct task *b, int sort)
{
	switch (sort) {
	case SORT_PID: return by_number(a->key.pid, b->key.pid);
	case SORT_COMMAND: return strncmp(a->key.comm, b->key.comm, sizeof(a->key.comm));
	case SORT_WRITTEN: return by_number(b->written, a->written);
	case SORT_RSS: return by_number(b->rss_max, a->rss_max);
	default: return by_number(b->pages, a->pages);
	}
}

static int compare(const void *one, const void *other, void *controls)
{
	const struct task *a = *(const struct task **)one, *b = *(const struct task **)other;
	const struct controls *c = controls;
	int ret = by_column(a, b, c->sort[LIST_TASKS]);

	if (c->reverse)
		ret = -ret;
	/* A fixed order of those alike, or rows would jump. */
	return ret ? ret : by_number(a->key.pid, b->key.pid);
}

static void command_name(const struct frame *s, const struct task *task, char name[COMMAND_SIZE])
{
	char comm[sizeof(task->key.comm) + 1] = "";

	/* May be full, without a zero. */
	memcpy(comm, task->key.comm, sizeof(task->key.comm));
	frame_name(s, name, COMMAND_SIZE, comm);
}

static bool matches(const struct frame *s, const struct task *task, const char *filter)
{
	char name[COMMAND_SIZE], pid[16];

	command_name(s, task, name);
	snprintf(pid, sizeof(pid), "%u", task->key.pid);
	return strcasestr(name, filter) || strstr(pid, filter);
}

/* The processes that match the filter, sorted; NULL if out of memory. */
static const struct task **select_tasks(const struct frame *s, const struct top *t, struct controls *c,
					size_t *nr, size_t *all)
{
	const struct task **list, *task;
	char filter[3 * FILTER_SIZE];

	*nr = 0;
	*all = HASH_COUNT(t->last.m.tasks);
	list = malloc((*all + 1) * sizeof(*list));
	if (!list)
		return NULL;
	list_filter(s, c, filter);
	for (task = t->last.m.tasks; task; task = task->hh.next)
		if (!*filter || matches(s, task, filter))
			list[(*nr)++] = task;
	qsort_r(list, *nr, sizeof(*list), compare, c);
	return list;
}

static int command_width(const struct frame *s)
{
	int left = s->width - UNIT_WIDTH - 1;

	return s->width >= END_USED ? COMMAND_WIDTH : left < COMMAND_WIDTH ? left : COMMAND_WIDTH;
}

static int bar_width(const struct frame *s)
{
	int left = s->width - END_PERCENT - 1;

	return left < BAR_MIN ? 0 : left < BAR_MAX ? left : BAR_MAX;
}

static void draw_names(struct frame *s, const struct controls *c)
{
	if (s->width >= END_USED) {
		list_name(s, c, columns, SORT_PID, PID_WIDTH);
		frame_put(s, STYLE_HEAD, " ");
	}
	list_name(s, c, columns, SORT_COMMAND, command_width(s));
	list_name(s, c, columns, SORT_USED, UNIT_WIDTH + 1);
	if (s->width >= END_WRITTEN)
		list_name(s, c, columns, SORT_WRITTEN, UNIT_WIDTH + 1);
	if (s->width >= END_RSS)
		list_name(s, c, columns, SORT_RSS, UNIT_WIDTH + 1);
	if (s->width >= END_PERCENT)
		frame_put(s, STYLE_HEAD, "%7s", "% mem");
	if (bar_width(s))
		frame_put(s, STYLE_HEAD, " of RSS");
	frame_end(s);
}

/* The share of a process's RSS that it used: written, then only read. */
static void draw_shares(struct frame *s, const struct task *task, int width)
{
	const uint64_t full = task->rss_max > task->pages ? task->rss_max : task->pages;
	int used, written;

	if (!task->rss_max)
		return;
	used = (double)task->pages / full * width + 0.5;
	written = task->written < task->pages ? (double)task->written / full * width + 0.5 : used;
	frame_put(s, STYLE_PLAIN, " ");
	frame_fill(s, STYLE_WRITTEN, s->utf8 ? "█" : "#", written);
	frame_fill(s, STYLE_USED, s->utf8 ? "▒" : "=", used - written);
}

static void draw_amount(struct frame *s, const struct top *t, uint64_t pages, enum unit unit)
{
	char amount[UNIT_SIZE];

	format_pages(amount, pages, unit, t->memory);
	frame_put(s, STYLE_PLAIN, " %s", amount);
}

static void draw_task(struct frame *s, const struct top *t, const struct task *task, enum unit unit)
{
	const int width = command_width(s);
	char name[COMMAND_SIZE];
	int columns;

	command_name(s, task, name);
	name[utf8_fit(name, width, &columns)] = '\0';
	if (s->width >= END_USED)
		frame_put(s, STYLE_PLAIN, "%*u ", PID_WIDTH, task->key.pid);
	frame_put(s, STYLE_PLAIN, "%s%*s", name, width - columns, "");
	draw_amount(s, t, task->pages, unit);
	if (s->width >= END_WRITTEN)
		draw_amount(s, t, task->written, unit);
	if (s->width >= END_RSS)
		draw_amount(s, t, task->rss_max, unit);
	if (s->width >= END_PERCENT)
		draw_percent(s, task->pages, t->memory);
	if (bar_width(s))
		draw_shares(s, task, bar_width(s));
	frame_end(s);
}

/* The column sorted by, if the screen is too narrow for it. */
static const char *hidden(const struct frame *s, const struct controls *c)
{
	static const int ends[NR_SORTS] = {
		[SORT_PID] = END_USED, [SORT_WRITTEN] = END_WRITTEN, [SORT_RSS] = END_RSS,
	};
	const int sort = c->sort[LIST_TASKS];

	return s->width < ends[sort] ? columns[sort].name : NULL;
}

/**
 * draw_tasks() - draw the processes of the interval in the rows that are left
 * @s: the frame
 * @t: what is shown; has an interval
 * @c: what the keys have chosen; @c->first and @c->rows are brought up to date
 *
 * Return: 0, or -1 if out of memory.
 */
int draw_tasks(struct frame *s, const struct top *t, struct controls *c)
{
	const struct task **list;
	size_t nr, all, rows, i;

	if (!t->last.m.tasks)
		return 0;
	list = select_tasks(s, t, c, &nr, &all);
	if (!list)
		return -1;
	rows = list_begin(s, c, nr, all, "processes");
	if (rows)
		draw_names(s, c);
	for (i = c->first; i < nr && i - c->first < rows; i++)
		draw_task(s, t, list[i], c->unit);
	list_end(s, c, nr, rows, hidden(s, c));
	free(list);
	return 0;
}
