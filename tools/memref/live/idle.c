// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Idle ages on memref top's screen: memory of classes and control groups by age. */
#include <stdlib.h>
#include <string.h>

#include "lib/cells/utf8.h"
#include "list.h"
#include "parts.h"

#define NAME_SIZE	(3 * AGE_PATH + 32)
#define NAME_MIN	8
#define NAME_WIDEST	64

/* Where the columns end, but for the name before them: all, used, 8 and 128 intervals, ages. */
enum {
	WIDTH_ALL = 1 + UNIT_WIDTH, WIDTH_USED = WIDTH_ALL + 1 + UNIT_WIDTH,
	WIDTH_IDLE = WIDTH_USED + 1 + UNIT_WIDTH, WIDTH_COLD = WIDTH_IDLE + 1 + UNIT_WIDTH,
	WIDTH_AGES = WIDTH_COLD + 2 + AGE_BUCKETS
};

static const struct list_column columns[NR_IDLE_SORTS] = {
	[IDLE_NAME] = { "of", .rises = true, .left = true }, [IDLE_ALL] = { "all" },
	[IDLE_USED] = { "used" }, [IDLE_8] = { "idle 8+" }, [IDLE_128] = { "idle 128+" },
};

/* A class or a control group. */
struct idle {
	char name[NAME_SIZE];
	const struct age_sum *sum;
	uint64_t value[NR_IDLE_SORTS];
};

static uint64_t pages_from(const struct age_sum *s, uint32_t age)
{
	uint64_t pages = 0;
	int b;

	for (b = 0; b < AGE_BUCKETS; b++)
		if (age_from(b) >= age)
			pages += s->pages[b];
	return pages;
}

static int compare(const void *one, const void *other, void *controls)
{
	const struct idle *a = one, *b = other;
	const struct controls *c = controls;
	const int sort = c->sort[LIST_IDLE];
	int ret = 0;

	if (sort != IDLE_NAME)
		ret = a->value[sort] < b->value[sort] ? 1 : -(a->value[sort] > b->value[sort]);
	if (!ret)
		ret = strcmp(a->name, b->name);
	return c->reverse ? -ret : ret;
}

static size_t add_sums(const struct frame *s, const struct ages *a, const char *kind, const char *filter,
		       struct idle *list, size_t nr)
{
	char key[AGE_PATH + 32], name[AGE_PATH + 64];
	size_t i;

	for (i = 0; i < a->nr_sums; i++) {
		struct idle *e = &list[nr];

		age_key_name(a, a->sums[i].key, key, sizeof(key));
		snprintf(name, sizeof(name), "%s%s", kind, key);
		frame_name(s, e->name, sizeof(e->name), name);
		if (!strcasestr(e->name, filter))
			continue;
		e->sum = &a->sums[i];
		e->value[IDLE_ALL] = pages_from(e->sum, 0);
		e->value[IDLE_USED] = e->sum->pages[0];
		e->value[IDLE_8] = pages_from(e->sum, 8);
		e->value[IDLE_128] = pages_from(e->sum, 128);
		nr++;
	}
	return nr;
}

/* The width that each column needs, beside the name. */
static const int widths[] = {
	[IDLE_ALL] = WIDTH_ALL, [IDLE_USED] = WIDTH_USED, [IDLE_8] = WIDTH_IDLE, [IDLE_128] = WIDTH_COLD,
};

static bool shows(const struct frame *s, int column)
{
	return column == IDLE_ALL || s->width >= widths[column] + NAME_MIN;
}

/* By the screen and not by the names, or the columns would jump. */
static int name_width(const struct frame *s)
{
	int left = 0, column;

	for (column = IDLE_ALL; column < NR_IDLE_SORTS; column++)
		if (shows(s, column))
			left = s->width - widths[column];
	if (s->width >= WIDTH_AGES + NAME_MIN)
		left = s->width - WIDTH_AGES;
	return left < NAME_WIDEST ? left : NAME_WIDEST;
}

static void draw_names(struct frame *s, const struct controls *c, int width)
{
	int column;

	list_name(s, c, columns, IDLE_NAME, width);
	for (column = IDLE_ALL; column < NR_IDLE_SORTS; column++)
		if (shows(s, column))
			list_name(s, c, columns, column, UNIT_WIDTH + 1);
	if (s->width >= WIDTH_AGES + NAME_MIN)
		frame_put(s, STYLE_HEAD, "  0 .. 128+");
	frame_end(s);
}

static void draw_row(struct frame *s, const struct top *t, const struct idle *e, int width, enum unit unit)
{
	char name[NAME_SIZE], amount[UNIT_SIZE];
	uint64_t most = 0;
	int column, columns_used, b;

	strcpy(name, e->name);
	name[utf8_fit(name, width, &columns_used)] = '\0';
	frame_put(s, STYLE_PLAIN, "%s%*s", name, width - columns_used, "");
	for (column = IDLE_ALL; column < NR_IDLE_SORTS; column++) {
		if (!shows(s, column))
			continue;
		format_pages(amount, e->value[column], unit, t->memory);
		frame_put(s, STYLE_PLAIN, " %s", amount);
	}
	if (s->width >= WIDTH_AGES + NAME_MIN) {
		for (b = 0; b < AGE_BUCKETS; b++)
			if (e->sum->pages[b] > most)
				most = e->sum->pages[b];
		frame_put(s, STYLE_PLAIN, "  ");
		for (b = 0; b < AGE_BUCKETS; b++)
			draw_level(s, e->sum->pages[b], most);
	}
	frame_end(s);
}

/**
 * draw_idle() - draw memory by idle age in the rows that are left
 * @s: the frame
 * @t: what is shown; has an interval
 * @c: what the keys have chosen; @c->first and @c->rows are brought up to date
 *
 * Return: 0, or -1 if out of memory.
 */
int draw_idle(struct frame *s, const struct top *t, struct controls *c)
{
	const size_t all = t->last.classes.nr_sums + t->last.cgroups.nr_sums;
	const int sort = c->sort[LIST_IDLE];
	char filter[3 * FILTER_SIZE];
	struct idle *list;
	size_t nr, rows, i;
	int width;

	if (!all) {
		frame_put(s, STYLE_NOTE, "no idle ages: memref top --ages has the kernel keep them; a: processes");
		frame_end(s);
		return 0;
	}
	list = malloc(all * sizeof(*list));
	if (!list)
		return -1;
	list_filter(s, c, filter);
	nr = add_sums(s, &t->last.classes, "class ", filter, list, 0);
	nr = add_sums(s, &t->last.cgroups, "cgroup ", filter, list, nr);
	qsort_r(list, nr, sizeof(*list), compare, c);
	rows = list_begin(s, c, nr, all, "classes and control groups");
	width = name_width(s);
	if (rows)
		draw_names(s, c, width);
	for (i = c->first; i < nr && i - c->first < rows; i++)
		draw_row(s, t, &list[i], width, c->unit);
	list_end(s, c, nr, rows, sort == IDLE_NAME || shows(s, sort) ? NULL : columns[sort].name);
	free(list);
	return 0;
}
