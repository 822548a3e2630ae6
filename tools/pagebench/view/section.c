// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* A table of `pagealloc bench report`, column by column. */
#include <stdarg.h>
#include <stdio.h>

#include "views.h"

/**
 * section_begin() - begin a table
 * @s: columns are added with section_column(), then section_ready()
 * @name: one word
 * @title: what it is about
 * @meaning: of its numbers
 */
void section_begin(struct section *s, const char *name, const char *title, const char *meaning)
{
	s->name = name;
	s->title = title;
	s->meaning = meaning;
	s->nr_columns = 0;
}

/**
 * section_column() - add a column
 * @s: from section_begin()
 * @type: of its cells
 * @digits: as in struct column
 * @fmt: its name, with the unit
 */
void section_column(struct section *s, enum cell_type type, int digits, const char *fmt, ...)
{
	char *name = s->names[s->nr_columns];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name, sizeof(s->names[0]), fmt, ap);
	va_end(ap);
	s->columns[s->nr_columns++] = (struct column){ name, type, digits };
}

/**
 * section_ready() - rows may be added to the table
 * @s: with all its columns
 */
void section_ready(struct section *s)
{
	table_init(&s->table, s->columns, s->nr_columns);
}
