// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * pagealloc doctor: check whether page colors work on this machine, and which settings
 * move pages away from their color.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/doctor/checks.h"
#include "cli.h"

/* Number of colors that a hint uses; 0: all. */
static unsigned int colors_of(const struct pagealloc_hint *hint)
{
	static uint64_t set[PAGE_HINTS_MAX_COLORS / 64];
	const uint32_t *table = hint->arg;
	unsigned int nr = 0;
	size_t i;

	if (!strcmp(hint->strategy, "partition")) {
		memcpy(set, hint->arg, hint->arg_size);
	} else if (!strcmp(hint->strategy, "modulo")) {
		for (i = 0; i < hint->arg_size / sizeof(*table); i++)
			set[table[i] / 64] |= UINT64_C(1) << table[i] % 64;
	}
	for (i = 0; i < sizeof(set) / sizeof(set[0]); i++)
		nr += __builtin_popcountll(set[i]);
	return nr;
}

/*
 * A hint uses @used of every @colors consecutive frames, so its memory spreads over
 * @size * colors / used bytes.  In that area no free block is larger than the gap
 * between two frames of the set.
 */
static void check_set(struct checks *c, const struct pagealloc_hint *hint, uint64_t size,
		      unsigned long colors)
{
	unsigned int used = colors_of(hint);
	char value[128];
	uint64_t span;

	if (!used || used > colors || colors < 2) {
		checks_add(c, "large_blocks", GOOD, "all colors are used",
		    "the strategy breaks up no more memory than it uses", "");
		return;
	}
	span = size / 1024 * colors / used;
	snprintf(value, sizeof(value), "%" PRIu64 " KiB in %u of %lu colors: of %" PRIu64
		 " KiB, %" PRIu64 " blocks of 2 MiB", size / 1024, used, colors, span,
		 (span + 2047) / 2048);
	checks_add(c, "large_blocks", used < colors ? WARN : GOOD, value,
	    "memory in U of C colors spreads over C/U times its size and leaves no large block there:"
	    " that area is lost to huge pages, hugetlbfs and compaction",
	    "use more colors, or less memory; reserve huge pages first");
}

static const struct verb_usage usage = {
	.command = "pagealloc doctor", .operands = "[options]",
	.about = "Report whether page colors work on this machine, which settings move pages away from their color, "
		 "and how to change these.  The exit status is 1 if page colors do not work.",
};

int cmd_doctor(int argc, char **argv)
{
	struct pagealloc_hint *hint = NULL;
	const char *strategy = NULL;
	uint64_t size = 0;
	struct output out = { };
	char error[512], verdict[128];
	unsigned long colors;
	struct checks c;
	const struct opt options[] = {
		OPT_TEXT(0, "strategy", "NAME[:ARG]", &strategy, "also report how many large blocks this strategy breaks up"),
		OPT_SIZE(0, "size", "SIZE", &size, 1, OPT_NUMBER_MAX, "--strategy: for this amount of memory (default 64M)"),
		OPT_CHANGED('s', NULL, "--strategy"), OUTPUT_OPTIONS(&out), { }
	};
	int ret;

	options_parse(&usage, options, argc, argv);
	if (size && !strategy)
		return options_wrong(&usage, "--size: only with --strategy");
	if (out.explain)
		return output_explain(&out, &checks_columns);
	if (strategy && pagealloc_hint_parse(strategy, 0, &hint, error, sizeof(error)))
		return wrong_usage("--strategy %s", error);
	checks_init(&c, NULL);
	check_page_hints(&c);
	colors = check_colors(&c);
	if (hint)
		check_set(&c, hint, size ? size : 64 << 20, colors);
	pagealloc_hint_free(hint);
	if (c.nr[BAD])
		snprintf(verdict, sizeof(verdict), "Page colors do not work on this machine.");
	else if (c.nr[WARN])
		snprintf(verdict, sizeof(verdict), "Page colors work, with %d warning%s.", c.nr[WARN],
			 c.nr[WARN] > 1 ? "s" : "");
	else
		snprintf(verdict, sizeof(verdict), "Page colors work.");
	ret = checks_print(&c, &out, verdict);
	checks_free(&c);
	return ret ? ret : c.nr[BAD] ? FAILED : OK;
}
