/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The frame that all HTML pages share: style, plots that react, tables with all rows on demand. */
#ifndef MEMSCOPE_LIB_PAGE_H
#define MEMSCOPE_LIB_PAGE_H

#include <stdint.h>
#include <stdio.h>

#include "lib/table.h"

/**
 * struct page_plot - a plot that page.js draws of a table of the page
 * @spec: how, as JSON: see the head of page.js
 * @about: what it shows, for its caption and for readers that do not see it
 */
struct page_plot {
	const char *spec, *about;
};

/**
 * struct page_table - how a page shows a table
 * @name: of the view; the ids of the table and of its CSV are made of it
 * @about: what it shows
 * @rank: column whose largest values are shown first; NULL: rows in their order
 * @shown: rows shown at first, beside summary rows
 * @max_rows: rows that the page has at most, equally spaced; 0: all
 * @command: prints all rows, where the page does not have them
 */
struct page_table {
	const char *name, *about, *rank, *command;
	size_t shown, max_rows;
};

void page_head(FILE *f, const char *title, uint64_t begin_ns);
void page_foot(FILE *f);
void page_plot_begin(FILE *f, const char *name, const struct page_plot *plot);
void page_plot_end(FILE *f, const struct page_plot *plot);
int page_table(FILE *f, const struct page_table *p, struct table *t);

#endif
