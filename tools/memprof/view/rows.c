// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* The views for programs: rows and columns as the library's interface has them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memprof/lib/internal.h"
#include "view.h"

#define public __attribute__((visibility("default")))

struct memprof_view {
	struct table table;
	struct memprof_column *columns;
};

/* All views, those of the diagnosis last; NULL: there are fewer. */
static const struct view *view_number(size_t number)
{
	const struct view *v;

	for (v = views; v->name; v++)
		if (!number--)
			return v;
	for (v = diagnosis_views; v->name; v++)
		if (!number--)
			return v;
	return NULL;
}

static const struct view *view_named(const char *name)
{
	const struct view *v;
	size_t i;

	for (i = 0; (v = view_number(i)); i++)
		if (!strcmp(v->name, name))
			return v;
	return NULL;
}

/**
 * memprof_view_name() - the names of all views
 * @number: from 0 on
 * @about: gets what the view shows, in words; may be NULL
 *
 * Return: the name; NULL if there are fewer views.
 */
public const char *memprof_view_name(size_t number, const char **about)
{
	const struct view *v = view_number(number);

	if (v && about)
		*about = v->about;
	return v ? v->name : NULL;
}

/* Whether a view can be made of it: 0 or an errno. */
static int check(const struct memprof *m, const struct view *v, const struct memprof_view_options *o)
{
	if (!v)
		return ENOENT;
	/* Accesses were given to a function, and not kept. */
	if (m->options.each || (o && o->size < sizeof(*o)))
		return EINVAL;
	if (o && o->object != MEMPROF_NO_OBJECT && o->object >= memprof_nr_objects(m))
		return ERANGE;
	if (o && o->thread != MEMPROF_NO_THREAD && o->thread >= memprof_nr_threads(m))
		return ERANGE;
	return 0;
}

static const enum memprof_cell_type type_of[] = {
	[CELL_NONE] = MEMPROF_CELL_UNKNOWN, [CELL_INT] = MEMPROF_CELL_INTEGER,
	[CELL_REAL] = MEMPROF_CELL_REAL, [CELL_TEXT] = MEMPROF_CELL_TEXT,
};

static struct memprof_column *copy_columns(const struct columns *columns)
{
	struct memprof_column *copy = calloc(columns->nr, sizeof(*copy));
	int i;

	for (i = 0; copy && i < columns->nr; i++) {
		const struct column *c = &columns->all[i];

		copy[i] = (struct memprof_column){
			.name = c->name, .unit = c->unit, .meaning = c->meaning, .unknown = c->unknown,
			.type = type_of[c->type], .digits = c->digits,
		};
	}
	return copy;
}

/**
 * memprof_view() - a view of a recording, as memprof-report(1) and memprof-diagnose(1) print it
 * @m: the recording, with its flows
 * @name: as memprof_view_name() has it
 * @options: what of it; NULL: as reports without options
 *
 * Return: its rows, to be freed with memprof_view_free(); NULL with errno set: ENOENT no such
 * view, ERANGE no such object or thread, EINVAL no flows or options of another size, ENOMEM.
 */
public struct memprof_view *memprof_view(struct memprof *m, const char *name,
					 const struct memprof_view_options *options)
{
	const struct view *view = view_named(name);
	struct view_options o = { .object = NO_NUMBER, .thread = NO_NUMBER };
	struct memprof_view *v;
	int wrong = check(m, view, options);

	if (wrong) {
		errno = wrong;
		return NULL;
	}
	if (options)
		o = (struct view_options){
			.object = options->object, .thread = options->thread, .site = options->site,
			.top = options->top, .instances = options->instances, .all = options->all,
		};
	v = calloc(1, sizeof(*v));
	if (v)
		v->columns = copy_columns(view->columns);
	if (v && v->columns && !view->make(m, &o, &v->table))
		return v;
	memprof_view_free(v);
	errno = ENOMEM;
	return NULL;
}

/** memprof_view_rows() - how many rows a view has */
public size_t memprof_view_rows(const struct memprof_view *v)
{
	return v->table.nr_cells / v->table.nr_columns;
}

/** memprof_view_columns() - how many columns a view has */
public size_t memprof_view_columns(const struct memprof_view *v)
{
	return v->table.nr_columns;
}

/** memprof_view_column() - what a column holds, by its number from 0 on; NULL: no such column */
public const struct memprof_column *memprof_view_column(const struct memprof_view *v, size_t column)
{
	return column < memprof_view_columns(v) ? &v->columns[column] : NULL;
}

/** memprof_view_find() - the number of a column by its name; -1: no such column */
public int memprof_view_find(const struct memprof_view *v, const char *name)
{
	int i;

	for (i = 0; i < v->table.nr_columns; i++)
		if (!strcmp(v->columns[i].name, name))
			return i;
	return -1;
}

/**
 * memprof_view_cell() - a value
 * @v: the view
 * @row: from 0 on, in the order of reports
 * @column: from 0 on
 *
 * Return: the value, whose text lives as long as the view; an unknown one if there is no such
 * row or column.
 */
public struct memprof_cell memprof_view_cell(const struct memprof_view *v, size_t row, size_t column)
{
	struct memprof_cell cell = { .type = MEMPROF_CELL_UNKNOWN, .real = NAN };
	const struct cell *c;

	if (row >= memprof_view_rows(v) || column >= memprof_view_columns(v))
		return cell;
	c = &v->table.cells[row * v->table.nr_columns + column];
	cell.type = type_of[c->type];
	switch (c->type) {
	case CELL_INT:
		cell.integer = c->integer;
		cell.real = c->integer;
		break;
	case CELL_REAL:
		cell.real = c->real;
		break;
	case CELL_TEXT:
		cell.text = c->text;
		break;
	case CELL_NONE:
		break;
	}
	return cell;
}

/** memprof_view_free() - forget a view; NULL is none */
public void memprof_view_free(struct memprof_view *v)
{
	if (!v)
		return;
	table_free(&v->table);
	free(v->columns);
	free(v);
}
