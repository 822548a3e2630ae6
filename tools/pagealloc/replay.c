// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Loading layouts, and reports of comparing a process with one. */
#include <errno.h>
#include <string.h>

#include "cli.h"

/**
 * layout_load() - read a layout
 * @path: the file
 * @layout: set to the layout; free it with pagealloc_layout_free()
 *
 * Return: OK, or FAILED with a message printed.
 */
int layout_load(const char *path, struct pagealloc_layout **layout)
{
	FILE *f = fopen(path, "re");
	char error[256];
	int ret;

	if (!f)
		return complain(FAILED, "%s: %s", path, strerror(errno));
	ret = pagealloc_layout_read(f, layout, error, sizeof(error));
	fclose(f);
	return ret ? complain(FAILED, "%s: %s", path, error) : OK;
}

static void print_function(char *buf, size_t size, const struct page_hints_info *info)
{
	size_t n, i;

	n = snprintf(buf, size, info->color_bits ? "%u colors, masks" : "no colors", info->colors);
	for (i = 0; i < info->color_bits && n < size; i++)
		n += snprintf(buf + n, size - n, "%c0x%llx", i ? ',' : ' ',
			      (unsigned long long)info->masks[i]);
}

/**
 * layout_complain() - print why a layout could not be applied or compared
 * @err: negative errno
 * @path: file of the layout
 * @layout: the layout
 * @handle: the process
 *
 * Return: FAILED.
 */
int layout_complain(int err, const char *path, const struct pagealloc_layout *layout,
		    struct pagealloc *handle)
{
	struct page_hints_info was, is = { };
	char before[256], now[256];

	if (err == -ENODATA)
		return complain(FAILED, "%s: has no frames: it was recorded with --no-frames",
				path);
	if (err != -EDOM)
		return complain_about(err, path);
	pagealloc_layout_info(layout, &was, NULL, NULL);
	pagealloc_info(handle, &is);
	print_function(before, sizeof(before), &was);
	print_function(now, sizeof(now), &is);
	if (!strcmp(before, now))
		return complain(FAILED, "%s: recorded with another page size", path);
	return complain(FAILED, "%s: recorded with another color function (%s) than the kernel has"
			" now (%s)", path, before, now);
}

const struct columns compare_columns = COLUMNS(
	{ "item", CELL_TEXT, 0, "", "state of pages, compared with the layout" },
	{ "pages", CELL_INT, 0, "pages", "number of such pages" },
	{ "pct", CELL_REAL, 2, "%",
	  "these, of the pages that hints can place",
	  "the pages are of files, or there is none" },
	{ "about", CELL_TEXT, 0, "", "explanation" },
);

static int add(struct table *t, const char *item, uint64_t n, uint64_t all, const char *about)
{
	return table_add(t, (struct cell[]){ TEXT_CELL(item), INT_CELL(n),
		all ? REAL_CELL(100.0 * n / all) : NONE_CELL, TEXT_CELL(about) });
}

static int add_counts(struct table *t, const struct pagealloc_replay *replay)
{
	uint64_t all = replay->pages - replay->files;
	int failed;

	failed = add(t, "recorded", all, all, "pages of the layout that hints can place");
	failed |= add(t, "there", replay->there, all, "are as recorded");
	failed |= add(t, "elsewhere", replay->elsewhere, all, "are not");
	failed |= add(t, "elsewhere_shared", replay->shared, all,
		      "of these, mapped by another process too");
	failed |= add(t, "elsewhere_large", replay->large, all, "of these, part of a large folio");
	failed |= add(t, "absent", replay->absent, all, "are not present");
	failed |= add(t, "swapped", replay->swapped, all, "are swapped out");
	failed |= add(t, "unmapped", replay->unmapped, all, "their mapping was not found again");
	failed |= add(t, "files", replay->files, 0,
		      "pages of the page cache, which no hint places");
	return failed ? -1 : 0;
}

const struct columns list_columns = COLUMNS(
	{ "address", CELL_TEXT, 0, "",
	  "virtual address of the page", "its mapping was not found again" },
	{ "why", CELL_TEXT, 0, "", "absent, swapped, unmapped, shared, large, or taken" },
	{ "pfn", CELL_INT, 0, "", "its frame", "it is not present, or the user may not know it" },
	{ "color", CELL_INT, 0, "", "its color", "as pfn" },
	{ "recorded_pfn", CELL_INT, 0, "",
	  "frame in the layout", "it was recorded without frames" },
	{ "recorded_color", CELL_INT, 0, "", "color in the layout" },
	{ "mapping", CELL_TEXT, 0, "", "file or name of the mapping", "it has none" },
);

struct list {
	struct table *t;
	int failed;
};

static void add_difference(void *ctx, const struct pagealloc_difference *d)
{
	struct list *list = ctx;
	char address[24];

	snprintf(address, sizeof(address), "0x%llx", (unsigned long long)d->address);
	list->failed |= table_add(list->t, (struct cell[]){
		d->address ? TEXT_CELL(address) : NONE_CELL, TEXT_CELL(d->why),
		d->pfn ? INT_CELL(d->pfn) : NONE_CELL, d->pfn ? INT_CELL(d->color) : NONE_CELL,
		d->goal_pfn ? INT_CELL(d->goal_pfn) : NONE_CELL, INT_CELL(d->goal_color),
		*d->mapping ? TEXT_CELL(d->mapping) : NONE_CELL });
}

/**
 * layout_compare() - compare a process with a layout
 * @path: file of the layout
 * @layout: the layout
 * @handle: the process
 * @exact: compare frames instead of colors
 * @list: list each page that differs, instead of counting them
 * @t: set to the result; free it with table_free()
 *
 * Return: OK, or FAILED with a message printed.
 */
int layout_compare(const char *path, const struct pagealloc_layout *layout,
		   struct pagealloc *handle, int exact, int list, struct table *t)
{
	struct list differences = { .t = t };
	struct pagealloc_replay replay;
	int ret;

	if (list)
		table_init_columns(t, &list_columns);
	else
		table_init_columns(t, &compare_columns);
	ret = pagealloc_layout_compare(layout, handle, exact ? PAGEALLOC_EXACT : 0, &replay,
				       list ? add_difference : NULL, &differences);
	if (ret < 0)
		return layout_complain(ret, path, layout, handle);
	if (differences.failed || (!list && add_counts(t, &replay)))
		return complain(FAILED, "no memory left");
	return OK;
}
