// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* What the lists of memref top share: names of columns, the filter, rows that do not fit. */
#include <stdio.h>
#include <string.h>

#include "lib/cells/utf8.h"
#include "list.h"

/**
 * list_filter() - the filter as it is on the screen
 * @s: the frame
 * @c: what the keys have chosen
 * @filter: set to the text: what cannot be shown is alike in names and in the filter
 */
void list_filter(const struct frame *s, const struct controls *c, char filter[3 * FILTER_SIZE])
{
	frame_name(s, filter, 3 * FILTER_SIZE, c->filter);
}

/**
 * list_begin() - begin a list in the rows that are left: its filter, and what fits
 * @s: the frame
 * @c: what the keys have chosen; @c->first and @c->rows are brought up to date
 * @nr: number of things that match the filter
 * @all: number of all of them
 * @what: what they are
 *
 * Return: how many fit, beside a row for the names of columns, and one for the number of
 * those that do not fit.
 */
size_t list_begin(struct frame *s, struct controls *c, size_t nr, size_t all, const char *what)
{
	char filter[3 * FILTER_SIZE];
	size_t rows;

	list_filter(s, c, filter);
	if (*filter) {
		frame_put(s, STYLE_MARK, "filter \"%s\": %zu of %zu %s", filter, nr, all, what);
		frame_end(s);
	}
	rows = frame_left(s) > 1 ? frame_left(s) - 1 : 0;
	if (nr > rows && rows)
		rows--;
	c->rows = rows;
	if (c->first > nr - (rows < nr ? rows : nr))
		c->first = nr - (rows < nr ? rows : nr);
	return rows;
}

/**
 * list_name() - draw a column's name; that sorted by is marked, also where there are no colors
 * @s: the frame
 * @c: what the keys have chosen
 * @columns: the columns of the list
 * @column: index of the column
 * @width: its width
 */
void list_name(struct frame *s, const struct controls *c, const struct list_column *columns, int column, int width)
{
	const struct list_column *l = &columns[column];
	const bool sorted = c->sort[c->list] == column, rises = l->rises != c->reverse;
	const char *mark = s->utf8 ? (rises ? "▲" : "▼") : rises ? "^" : "v";
	char text[32];
	int blanks;

	snprintf(text, sizeof(text), "%s%s", l->name, sorted ? mark : "");
	blanks = width - utf8_width(text);
	if (!l->left)
		frame_fill(s, STYLE_HEAD, " ", blanks);
	frame_put(s, sorted ? STYLE_MARK : STYLE_HEAD, "%s", text);
	if (l->left)
		frame_fill(s, STYLE_HEAD, " ", blanks);
}

/**
 * list_end() - end a list: what is not shown, and an order that no column shows
 * @s: the frame
 * @c: what the keys have chosen
 * @nr: number of things that match the filter
 * @rows: as of list_begin()
 * @hidden: name of the column sorted by if it is not shown, else NULL
 */
void list_end(struct frame *s, const struct controls *c, size_t nr, size_t rows, const char *hidden)
{
	const size_t below = nr > rows + c->first ? nr - rows - c->first : 0;

	if (nr <= rows)
		return;
	if (c->first)
		frame_put(s, STYLE_NOTE, "%zu above, %zu below", c->first, below);
	else
		frame_put(s, STYLE_NOTE, "%zu more", below);
	if (hidden)
		frame_put(s, STYLE_NOTE, ", by %s", hidden);
	frame_end(s);
}
