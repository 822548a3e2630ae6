// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* pagealloc colors: show the color function, or the free pages of each color. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define PAGE_HINT "/sys/kernel/mm/page_hint/"
#define FREE "/sys/kernel/debug/page_hint/colors"

static const struct verb_usage usage = {
	.command = "pagealloc colors", .operands = "[options]",
	.about = "Show the color function and its source.",
};

static int unreadable(int err, const char *path)
{
	if (err == -ENOENT)
		return complain(FAILED, "%s%s: no such file: the kernel has no page hints",
				system_root(), path);
	return complain(FAILED, "%s%s: %s", system_root(), path, strerror(-err));
}

static const struct columns function_columns = COLUMNS(
	{ "item", CELL_TEXT, 0, "", "property of the color function" },
	{ "value", CELL_TEXT, 0, "",
	  "its value; masks: bit i of a color is the parity of the frame number and mask i" },
);

static int add(struct table *t, const char *item, const char *value)
{
	if (table_add(t, (struct cell[]){ TEXT_CELL(item), TEXT_CELL(value) }))
		return complain(FAILED, "no memory left");
	return OK;
}

/* Add the masks, if this user may open a handle; they are the same for all processes. */
static int add_masks(struct table *t)
{
	struct page_hints_info info;
	struct pagealloc *handle;
	char text[512] = "";
	size_t i, n = 0;
	int ret;

	if (*system_root() || pagealloc_open(0, PAGEALLOC_READ_ONLY, &handle))
		return OK;
	ret = pagealloc_info(handle, &info);
	pagealloc_close(handle);
	if (ret || !info.color_bits)
		return OK;
	for (i = 0; i < info.color_bits; i++)
		n += snprintf(text + n, sizeof(text) - n, "%s0x%llx", i ? "," : "",
			      (unsigned long long)info.masks[i]);
	ret = add(t, "masks", text);
	inherit_print(text, sizeof(text), info.inherit);
	return ret ? ret : add(t, "inherit", text);
}

static int show_function(struct table *t)
{
	char text[4096], function[1024], *line, *rest, *space;
	int ret = system_read(PAGE_HINT "color_info", text, sizeof(text));

	if (ret)
		return unreadable(ret, PAGE_HINT "color_info");
	if (!system_read(PAGE_HINT "color_function", function, sizeof(function)))
		ret = add(t, "function", function);
	for (line = strtok_r(text, "\n", &rest); line && !ret; line = strtok_r(NULL, "\n", &rest)) {
		space = strchr(line, ' ');
		if (space)
			*space++ = '\0';
		ret = add(t, line, space ? space : "");
	}
	return ret ? ret : add_masks(t);
}

static int show_free(struct table *t)
{
	size_t size = 1 << 20;
	char *text = malloc(size), *line, *rest;
	unsigned long long color, pages;
	int ret;

	if (!text)
		return complain(FAILED, "no memory left");
	ret = system_read(FREE, text, size);
	if (ret)
		ret = unreadable(ret, FREE);
	for (line = strtok_r(text, "\n", &rest); line && !ret; line = strtok_r(NULL, "\n", &rest))
		if (sscanf(line, "%llu %llu", &color, &pages) == 2 &&
		    table_add(t, (struct cell[]){ INT_CELL(color), INT_CELL(pages) }))
			ret = complain(FAILED, "no memory left");
	free(text);
	return ret;
}

static const struct columns free_columns = COLUMNS(
	{ "color", CELL_INT, 0, "", "color of a page" },
	{ "free_pages", CELL_INT, 0, "pages", "free pages of this color" },
);

int cmd_colors(int argc, char **argv)
{
	struct output out = { };
	struct table table;
	bool free_pages = false;
	const struct opt options[] = {
		OPT_FLAG(0, "free-pages", &free_pages, "show the free pages of each color instead (root)"),
		OPT_RENAMED(0, "free", "free-pages"), OUTPUT_OPTIONS(&out), { }
	};
	int ret;

	options_parse(&usage, options, argc, argv);
	if (out.explain)
		return output_explain(&out, free_pages ? &free_columns : &function_columns);
	table_init_columns(&table, free_pages ? &free_columns : &function_columns);
	ret = free_pages ? show_free(&table) : show_function(&table);
	if (!ret)
		return output_table(&out, &table, 0);
	table_free(&table);
	return ret;
}
