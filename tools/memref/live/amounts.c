// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Amounts of memory on memref top's screen: as numbers, bars, and over the last minutes. */
#include <stdio.h>

#include "parts.h"

/* The narrowest bar and history that are of use, together. */
#define BARS_MIN 12

/**
 * format_pages() - an amount of memory, UNIT_WIDTH columns wide
 * @to: set to the text
 * @pages: the amount, in pages of 4 KiB
 * @unit: unit; a larger one if the number is too wide
 * @memory: pages of the machine, for UNIT_PERCENT; 0: unknown
 */
void format_pages(char to[UNIT_SIZE], uint64_t pages, enum unit unit, uint64_t memory)
{
	static const char * const names[] = { "KiB", "MiB", "GiB", "TiB" };
	const double limit = unit == UNIT_AUTO ? 999.95 : 9999999;
	double value = pages * 4.0;
	unsigned int n;

	if (unit == UNIT_PERCENT) {
		if (memory)
			snprintf(to, UNIT_SIZE, "%9.1f %%", 100.0 * pages / memory);
		else
			snprintf(to, UNIT_SIZE, "%*s", UNIT_WIDTH, "-");
		return;
	}
	for (n = 0; n < 3 && (value >= limit || (unit != UNIT_AUTO && n < unit - UNIT_KIB)); n++)
		value /= 1024;
	snprintf(to, UNIT_SIZE, "%7.*f %s", n && value < 99999.95 ? 1 : 0, value, names[n]);
}

/**
 * skip_blanks() - an amount within a sentence
 * @text: of format_pages()
 *
 * Return: @text without the blanks before it.
 */
const char *skip_blanks(const char *text)
{
	while (*text == ' ')
		text++;
	return text;
}

/**
 * draw_percent() - draw an amount as a share of memory, 7 columns wide
 * @s: the frame
 * @pages: the amount
 * @memory: pages of the machine; 0: unknown
 */
void draw_percent(struct frame *s, uint64_t pages, uint64_t memory)
{
	if (memory)
		frame_put(s, STYLE_PLAIN, " %5.1f%%", 100.0 * pages / memory);
	else
		frame_put(s, STYLE_PLAIN, "      -");
}

/**
 * draw_bar() - draw a share as a bar
 * @s: the frame
 * @style: style of the bar
 * @share: 0 to 1
 * @width: columns of 1
 */
void draw_bar(struct frame *s, enum style style, double share, int width)
{
	static const char * const parts[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	int eighths, n;

	eighths = (share < 1 ? share : 1) * width * 8 + 0.5;
	n = eighths / 8;
	frame_fill(s, style, s->utf8 ? "█" : "#", n);
	if (n < width && eighths % 8 && s->utf8) {
		frame_put(s, style, "%s", parts[eighths % 8]);
		n++;
	}
	frame_fill(s, STYLE_PLAIN, " ", width - n);
}

static uint64_t now_bucket(const struct top *t)
{
	return t->last.m.intervals[0].scan.scan_ns / BUCKET_NS;
}

static uint64_t most(const struct top *t, int line, uint64_t from, uint64_t to)
{
	const uint64_t now = now_bucket(t);
	uint64_t pages = 0;
	int i;

	for (i = 0; i < NR_BUCKETS; i++) {
		const struct bucket *b = t->paused ? &t->frozen[i] : &t->buckets[i];

		if (b->number + NR_BUCKETS > now && b->number >= from && b->number <= to &&
		    b->pages[line] > pages)
			pages = b->pages[line];
	}
	return pages;
}

/**
 * history_most() - the largest total of the history
 * @t: what is shown; has an interval
 *
 * Return: its pages.
 */
uint64_t history_most(const struct top *t)
{
	return most(t, TOTAL, 0, now_bucket(t));
}

/**
 * draw_level() - draw an amount in one column, by the height of a block
 * @s: the frame
 * @pages: the amount; of any but 0, something is seen
 * @high: amount of a full block
 */
void draw_level(struct frame *s, uint64_t pages, uint64_t high)
{
	static const char * const levels[][8] = {
		{ "_", ".", ":", "-", "=", "+", "*", "#" },
		{ "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" },
	};
	const int level = high ? (pages * 8 + high - 1) / high : 0;

	if (level)
		frame_put(s, STYLE_USED, "%s", levels[s->utf8][level - 1]);
	else
		frame_put(s, STYLE_PLAIN, " ");
}

/* The history as a sparkline, the present at the right. */
static void draw_spark(struct frame *s, const struct top *t, int line, int width)
{
	uint64_t now = now_bucket(t), pages, per = (NR_BUCKETS + width - 1) / width;
	uint64_t high = most(t, line, 0, now);
	int n;

	for (n = width - 1; n >= 0; n--) {
		/* Align columns to fixed times, or the line would flicker. */
		uint64_t last = (now / per - n) * per + per - 1;

		if (now / per < (uint64_t)n)
			last = 0;
		pages = last ? most(t, line, last - per + 1, last) : 0;
		draw_level(s, pages, high);
	}
}

/**
 * draw_class() - draw a row for a class: "user        512.3 MiB  12.5%  bar  history"
 * @s: the frame
 * @t: what is shown; has an interval
 * @name: name of the class
 * @line: its history, an index of struct bucket's pages
 * @pages: its amount
 * @full: amount of a full bar
 * @unit: unit
 */
void draw_class(struct frame *s, const struct top *t, const char *name, int line, uint64_t pages,
		uint64_t full, enum unit unit)
{
	char amount[UNIT_SIZE];
	int left, bar, spark;

	format_pages(amount, pages, unit, t->memory);
	frame_put(s, STYLE_PLAIN, "%-*s %s", s->width < 22 ? 8 : 10, name, amount);
	draw_percent(s, pages, t->memory);
	left = s->width - s->column - 2;
	bar = left / 3;
	spark = left - bar;
	if (left >= BARS_MIN) {
		frame_put(s, STYLE_PLAIN, " ");
		draw_bar(s, STYLE_USED, full ? (double)pages / full : 0, bar);
		frame_put(s, STYLE_PLAIN, " ");
		draw_spark(s, t, line, spark < NR_BUCKETS ? spark : NR_BUCKETS);
	}
	frame_end(s);
}
