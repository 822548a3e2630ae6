// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* pagealloc map: show the placement of a process's pages. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define BATCH 4096

static const struct verb_usage usage = {
	.command = "pagealloc map", .operands = "PID [RANGE...] [options]",
	.about = "Show the placement of a process's present pages, and what their hints request.  Frames need "
		 "CAP_SYS_ADMIN, colors permission to set hints." RANGE_HELP,
	.min = 1, .max = -1,
};

static const struct columns map_columns = COLUMNS(
	{ "address", CELL_TEXT, 0, "", "virtual address of a present page" },
	{ "pfn", CELL_INT, 0, "",
	  "number of its frame", "the user may not know it (CAP_SYS_ADMIN)" },
	{ "color", CELL_INT, 0, "",
	  "color of the frame", "the user may not know it (CAP_SYS_NICE)" },
	{ "goal_pfn", CELL_INT, 0, "",
	  "frame that the hint requests", "it requests none, or the user may not know it" },
	{ "goal_color", CELL_INT, 0, "", "color that the hint requests", "it requests none" },
	{ "flags", CELL_TEXT, 0, "",
	  "hinted: a hint applies; placed: it names a color or frame; hit: the page has it; "
	  "large: in a large folio; shared: with another process; file: of the page cache; "
	  "zero: the zero page; -: none" },
	{ "mapping", CELL_TEXT, 0, "", "file or name of the mapping", "it has none" },
);

static const struct { unsigned int flag; const char *name; } page_flags[] = {
	{ PAGE_HINTS_HINTED, "hinted" }, { PAGE_HINTS_PLACED, "placed" },
	{ PAGE_HINTS_HIT, "hit" }, { PAGE_HINTS_LARGE, "large" },
	{ PAGE_HINTS_SHARED, "shared" }, { PAGE_HINTS_FILE, "file" },
	{ PAGE_HINTS_ZERO, "zero" },
};

struct printer {
	struct table table;
	enum table_format format;
	struct outfile out;
};

static int add_page(struct table *table, const struct range *r, const struct page_hints_page *page,
		    uint64_t address)
{
	int placed = !!(page->flags & PAGE_HINTS_PLACED), known = !!page->pfn,
	    colored = !!(page->flags & PAGE_HINTS_COLOR);
	char text[24], flags[96] = "-";
	size_t i, n = 0;

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
	for (i = 0; i < sizeof(page_flags) / sizeof(page_flags[0]); i++)
		if (page->flags & page_flags[i].flag)
			n += snprintf(flags + n, sizeof(flags) - n, "%s%s", n ? " " : "",
				      page_flags[i].name);
	return table_add(table, (struct cell[]){
		TEXT_CELL(text),
		known ? INT_CELL(page->pfn) : NONE_CELL,
		colored ? INT_CELL(page->color) : NONE_CELL,
		placed && known && page->goal_pfn != PAGEALLOC_ANY_FRAME ?
			INT_CELL(page->goal_pfn) : NONE_CELL,
		placed ? INT_CELL(page->goal_color) : NONE_CELL,
		TEXT_CELL(flags), *r->name ? TEXT_CELL(r->name) : NONE_CELL });
}

/* Return 0, a negative errno, or 1 if writing failed: outfile_close() prints that error. */
static int map_range(struct target *t, struct printer *p, const struct range *r,
		     struct page_hints_page *pages, uint64_t *addresses)
{
	uint64_t start = r->start;
	ssize_t nr, i;

	while (start < r->end) {
		uint64_t before = start;

		nr = pagealloc_query(t->handle, &start, r->end, pages, addresses, BATCH);
		if (nr < 0)
			return nr;
		for (i = 0; i < nr; i++)
			if (pages[i].flags & PAGE_HINTS_PRESENT &&
			    add_page(&p->table, r, &pages[i], addresses[i]))
				return -ENOMEM;
		if (table_rows(&p->table) >= BATCH && table_print_part(&p->table, p->format, p->out.f, false))
			return 1;
		if (!nr && start == before)
			break;
	}
	return 0;
}

static int map(struct target *t, struct printer *p)
{
	struct page_hints_page *pages = calloc(BATCH, sizeof(*pages));
	uint64_t *addresses = calloc(BATCH, sizeof(*addresses));
	int ret = pages && addresses ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; i < t->nr_ranges && !ret; i++)
		ret = map_range(t, p, &t->ranges[i], pages, addresses);
	free(pages);
	free(addresses);
	if (!ret)
		ret = table_print_part(&p->table, p->format, p->out.f, true) ? 1 : 0;
	return ret;
}

/* Print in parts, so that memory does not grow with the process. */
static int print_map(struct target *t, const struct output *o, const char *pid)
{
	struct printer p = { .format = o->format };
	int ret;

	if (outfile_open(&p.out, o->path))
		return FAILED;
	table_init_columns(&p.table, &map_columns);
	ret = map(t, &p);
	if (ret < 0)
		complain_about(ret, pid);
	table_free(&p.table);
	return ret < 0 ? outfile_end(&p.out, ret) : outfile_close(&p.out, ret);
}

int cmd_map(int argc, char **argv)
{
	struct output out = { };
	const struct opt options[] = { OUTPUT_OPTIONS(&out), { } };
	struct target t;
	int ret, skip;

	skip = options_parse(&usage, options, argc, argv);
	if (out.explain)
		return output_explain(&out, &map_columns);
	argc -= skip;
	argv += skip;
	ret = target_open(&t, argv[0], PAGEALLOC_READ_ONLY);
	if (!ret)
		ret = target_ranges(&t, argv + 1, argc - 1,
				    ALL_MAPPINGS | MAPPINGS_OF_RANGE);
	if (!ret)
		ret = print_map(&t, &out, argv[0]);
	target_close(&t);
	return ret;
}
