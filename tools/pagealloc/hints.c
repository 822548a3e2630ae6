// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* pagealloc set, clear, get: change and show the hints of a running process. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cli.h"

static const struct verb_usage set_usage = {
	.command = "pagealloc set", .operands = "PID [RANGE...] --strategy STRATEGY [options]",
	.about = "Set the hint of ranges of a process, or its default.  Present pages stay where they are until "
		 "pagealloc repair moves them." RANGE_HELP,
	.min = 1, .max = -1,
};

static int set_hints(struct target *t, const struct hint_request *request, char **words, int nr)
{
	char what[128];
	size_t i;
	int ret;

	ret = target_ranges(t, words, nr, 0);
	if (ret)
		return ret;
	for (i = 0; request->hint && i < (nr ? t->nr_ranges : 1); i++) {
		const struct range *r = nr ? &t->ranges[i] : &(struct range){ };

		ret = pagealloc_set(t->handle, r->start, r->end, request->hint);
		if (ret < 0) {
			snprintf(what, sizeof(what), "%d: %s", (int)t->pid, request->hint->strategy);
			return complain_about(ret, what);
		}
	}
	if (request->inherit) {
		ret = pagealloc_inherit(t->handle, request->inherit_flags);
		if (ret < 0) {
			snprintf(what, sizeof(what), "%d: --inherit %s", (int)t->pid,
				 request->inherit);
			return complain_about(ret, what);
		}
	}
	return OK;
}

int cmd_set(int argc, char **argv)
{
	struct hint_request request = { };
	const struct opt options[] = { HINT_OPTIONS(&request), { } };
	struct target t = { };
	int ret, skip;

	skip = options_parse(&set_usage, options, argc, argv);
	argc -= skip;
	argv += skip;
	if (!request.strategy && !request.inherit)
		return options_wrong(&set_usage, "--strategy or --inherit is missing");
	if (!request.strategy && argc > 1)
		return options_wrong(&set_usage, "%s: --inherit is for the whole process; a range needs --strategy", argv[1]);
	ret = hint_request_parse(&request);
	if (!ret)
		ret = target_open(&t, argv[0], 0);
	if (!ret)
		ret = set_hints(&t, &request, argv + 1, argc - 1);
	pagealloc_hint_free(request.hint);
	target_close(&t);
	return ret;
}

static const struct verb_usage clear_usage = {
	.command = "pagealloc clear", .operands = "PID [RANGE...]",
	.about = "Remove the hints of ranges of a process; without a range, all hints, including the "
		 "default." RANGE_HELP,
	.min = 1, .max = -1,
};

int cmd_clear(int argc, char **argv)
{
	const struct opt options[] = { { } };
	struct target t;
	int ret, skip;
	size_t i;

	skip = options_parse(&clear_usage, options, argc, argv);
	argc -= skip;
	argv += skip;
	ret = target_open(&t, argv[0], 0);
	if (!ret)
		ret = target_ranges(&t, argv + 1, argc - 1, 0);
	if (!ret && argc == 1) {
		ret = pagealloc_clear(t.handle, 0, 0);
	} else {
		for (i = 0; i < t.nr_ranges && !ret; i++)
			ret = pagealloc_clear(t.handle, t.ranges[i].start, t.ranges[i].end);
	}
	if (ret < 0)
		ret = complain_about(ret, argv[0]);
	target_close(&t);
	return ret;
}

static const struct columns hint_columns = COLUMNS(
	{ "start", CELL_TEXT, 0, "",
	  "first address of the range; default: the hint of all other memory" },
	{ "end", CELL_TEXT, 0, "", "address behind the range", "of the default" },
	{ "strategy", CELL_TEXT, 0, "", "name of the strategy" },
	{ "order0", CELL_INT, 0, "", "1: no large folios" },
	{ "locked", CELL_INT, 0, "", "1: only CAP_SYS_NICE can change the hint" },
	{ "requests", CELL_INT, 0, "pages",
	  "allocated pages for which the hint names a color or frame" },
	{ "hits", CELL_INT, 0, "pages", "of these, pages that got the requested color or frame" },
	{ "inherit", CELL_TEXT, 0, "", "who inherits it: fork, exec, ranges" },
	{ "mapping", CELL_TEXT, 0, "",
	  "file or name of the mapping at start", "none, or the default" },
	{ "argument", CELL_TEXT, 0, "", "argument of the strategy", "it has none" },
);

static int add_hint(struct table *table, const struct target *t, const struct page_hints_get *h)
{
	char start[24] = "default", end[24], inherit[32];
	char strategy[PAGE_HINTS_NAME_LEN + 1], text[PAGE_HINTS_TEXT_LEN + 1];
	const char *name = "";

	if (h->end) {
		snprintf(start, sizeof(start), "0x%llx", (unsigned long long)h->start);
		snprintf(end, sizeof(end), "0x%llx", (unsigned long long)h->end);
		name = target_name(t, h->start);
	}
	inherit_print(inherit, sizeof(inherit), h->inherit);
	snprintf(strategy, sizeof(strategy), "%.*s", PAGE_HINTS_NAME_LEN, h->strategy);
	snprintf(text, sizeof(text), "%.*s", PAGE_HINTS_TEXT_LEN, h->text);
	return table_add(table, (struct cell[]){
		TEXT_CELL(start), h->end ? TEXT_CELL(end) : NONE_CELL, TEXT_CELL(strategy),
		INT_CELL(!!(h->flags & PAGE_HINT_ORDER0)),
		INT_CELL(!!(h->flags & PAGE_HINT_LOCKED)),
		INT_CELL(h->requests), INT_CELL(h->hits), TEXT_CELL(inherit),
		*name ? TEXT_CELL(name) : NONE_CELL, *text ? TEXT_CELL(text) : NONE_CELL });
}

static int get_range(struct target *t, struct table *table, uint64_t start, uint64_t end)
{
	struct page_hints_get h;
	int ret = OK;

	while (start < end) {
		ret = pagealloc_get(t->handle, start, &h);
		if (ret == -ENOENT || (!ret && h.start >= end))
			return OK;
		if (ret < 0)
			return ret;
		if (add_hint(table, t, &h))
			return -ENOMEM;
		if (h.end <= start)
			break;
		start = h.end;
	}
	return OK;
}

static int get_hints(struct target *t, struct table *table, char **words, int nr)
{
	struct page_hints_get h;
	size_t i;
	int ret;

	if (!nr) {
		ret = pagealloc_get(t->handle, PAGEALLOC_DEFAULT, &h);
		if (!ret && add_hint(table, t, &h))
			return -ENOMEM;
		if (ret && ret != -ENOENT)
			return ret;
		return get_range(t, table, 0, PAGEALLOC_DEFAULT);
	}
	ret = target_ranges(t, words, nr, 0);
	for (i = 0; i < t->nr_ranges && !ret; i++)
		ret = get_range(t, table, t->ranges[i].start, t->ranges[i].end);
	return ret;
}

static const struct verb_usage get_usage = {
	.command = "pagealloc get", .operands = "PID [RANGE...] [options]",
	.about = "Show the hints of a process: its default, and those of ranges." RANGE_HELP,
	.min = 1, .max = -1,
};

int cmd_get(int argc, char **argv)
{
	struct output out = { };
	const struct opt options[] = { OUTPUT_OPTIONS(&out), { } };
	struct target t;
	struct table table;
	int ret, skip;

	skip = options_parse(&get_usage, options, argc, argv);
	if (out.explain)
		return output_explain(&out, &hint_columns);
	argc -= skip;
	argv += skip;
	table_init_columns(&table, &hint_columns);
	ret = target_open(&t, argv[0], PAGEALLOC_READ_ONLY);
	if (!ret) {
		ret = get_hints(&t, &table, argv + 1, argc - 1);
		if (ret < 0)
			ret = complain_about(ret, argv[0]);
	}
	if (ret)
		table_free(&table);
	else
		ret = output_table(&out, &table, 0);
	target_close(&t);
	return ret;
}
