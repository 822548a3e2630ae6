// SPDX-License-Identifier: GPL-2.0
/* pagealloc set, clear, get: the hints of a running process. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cli.h"

static void set_usage(FILE *f)
{
	fputs("usage: pagealloc set PID [RANGE...] [-s STRATEGY] [options]\n"
	      "Set the hint of ranges of a process, or its default. Pages that are there already\n"
	      "stay until pagealloc repair moves them.\n\n"
	      "  RANGE                       0xSTART-0xEND, or the name of a mapping: [heap],\n"
	      "                              libfoo.so (default: the default hint)\n", f);
	fputs(wish_usage, f);
	fputs("      --help\n", f);
}

static int set_hints(struct target *t, const struct wish *wish, char **words, int nr)
{
	char what[128];
	size_t i;
	int ret;

	ret = target_ranges(t, words, nr, 0);
	if (ret)
		return ret;
	for (i = 0; wish->hint && i < (nr ? t->nr_ranges : 1); i++) {
		const struct range *r = nr ? &t->ranges[i] : &(struct range){ };

		ret = pagealloc_set(t->handle, r->start, r->end, wish->hint);
		if (ret < 0) {
			snprintf(what, sizeof(what), "%d: %s", (int)t->pid, wish->hint->strategy);
			return complain_about(ret, what);
		}
	}
	if (wish->inherit) {
		ret = pagealloc_inherit(t->handle, wish->inherit_flags);
		if (ret < 0) {
			snprintf(what, sizeof(what), "%d: --inherit %s", (int)t->pid,
				 wish->inherit);
			return complain_about(ret, what);
		}
	}
	return OK;
}

int cmd_set(int argc, char **argv)
{
	static const struct option options[] = {
		WISH_OPTIONS, { "help", 0, NULL, 'h' }, { }
	};
	struct wish wish = { };
	struct target t = { };
	int c, ret;

	while ((c = getopt_long(argc, argv, "s:h", options, NULL)) != -1) {
		if (wish_option(&wish, c, optarg))
			continue;
		set_usage(c == 'h' ? stdout : stderr);
		return c == 'h' ? OK : USAGE;
	}
	if (optind == argc || (!wish.strategy && !wish.inherit)) {
		set_usage(stderr);
		return USAGE;
	}
	ret = wish_parse(&wish);
	if (!ret)
		ret = target_open(&t, argv[optind], 0);
	if (!ret)
		ret = set_hints(&t, &wish, argv + optind + 1, argc - optind - 1);
	pagealloc_hint_free(wish.hint);
	target_close(&t);
	return ret;
}

static void clear_usage(FILE *f)
{
	fputs("usage: pagealloc clear PID [RANGE...]\n"
	      "Remove the hints of ranges of a process; without a range, all, and the default.\n\n"
	      "  RANGE                       0xSTART-0xEND, or the name of a mapping\n"
	      "      --help\n", f);
}

int cmd_clear(int argc, char **argv)
{
	static const struct option options[] = { { "help", 0, NULL, 'h' }, { } };
	struct target t;
	int c, ret;
	size_t i;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		clear_usage(c == 'h' ? stdout : stderr);
		return c == 'h' ? OK : USAGE;
	}
	if (optind == argc) {
		clear_usage(stderr);
		return USAGE;
	}
	ret = target_open(&t, argv[optind], 0);
	if (!ret)
		ret = target_ranges(&t, argv + optind + 1, argc - optind - 1, 0);
	if (!ret && optind + 1 == argc) {
		ret = pagealloc_clear(t.handle, 0, 0);
	} else {
		for (i = 0; i < t.nr_ranges && !ret; i++)
			ret = pagealloc_clear(t.handle, t.ranges[i].start, t.ranges[i].end);
	}
	if (ret < 0)
		ret = complain_about(ret, argv[optind]);
	target_close(&t);
	return ret;
}

static const struct column hint_columns[] = {
	{ "start", CELL_TEXT }, { "end", CELL_TEXT }, { "strategy", CELL_TEXT },
	{ "order0", CELL_INT }, { "locked", CELL_INT }, { "requests", CELL_INT },
	{ "hits", CELL_INT },
	{ "inherit", CELL_TEXT }, { "mapping", CELL_TEXT }, { "argument", CELL_TEXT },
};

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

static void get_usage(FILE *f)
{
	fputs("usage: pagealloc get PID [RANGE...] [options]\n"
	      "Show the hints of a process: its default, and those of ranges.\n\n"
	      "  RANGE                       0xSTART-0xEND, or the name of a mapping\n", f);
	fputs(output_usage, f);
	fputs("      --help\n", f);
}

int cmd_get(int argc, char **argv)
{
	static const struct option options[] = { OUTPUT_OPTIONS, { "help", 0, NULL, 'h' }, { } };
	struct output out = { };
	struct target t;
	struct table table;
	int c, ret;

	while ((c = getopt_long(argc, argv, OUTPUT_LETTERS "h", options, NULL)) != -1) {
		if (c == 'h' || c == '?') {
			get_usage(c == 'h' ? stdout : stderr);
			return c == 'h' ? OK : USAGE;
		}
		if (output_option(&out, c, optarg))
			return USAGE;
	}
	if (optind == argc) {
		get_usage(stderr);
		return USAGE;
	}
	table_init(&table, hint_columns, sizeof(hint_columns) / sizeof(hint_columns[0]));
	ret = target_open(&t, argv[optind], PAGEALLOC_READ_ONLY);
	if (!ret) {
		ret = get_hints(&t, &table, argv + optind + 1, argc - optind - 1);
		if (ret < 0)
			ret = complain_about(ret, argv[optind]);
	}
	if (ret)
		table_free(&table);
	else
		ret = output_table(&out, &table, 0);
	target_close(&t);
	return ret;
}
