// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memref diff: compare two recordings, side by side. */
#include <stdbool.h>
#include <string.h>

#include "lib/numbers.h"
#include "lib/output.h"
#include "memref/view/compare.h"
#include "memref.h"
#include "memref/view/view.h"
#include "memref/model/window.h"

static const struct verb_usage usage = {
	.command = "memref diff", .operands = "A B [options]",
	.about = "Compare two recordings: the figures of the summary, or groups of memory.",
	.min = 2, .max = 2,
};

#define DEFAULT_TOP	20

/* @top groups are compared if --groups is given; 0: all, NO_TOP: the default. */
struct choice {
	bool groups;
	size_t top;
};

#define NO_TOP	SIZE_MAX

/* --groups=N is deprecated: in all tools --top sets the number of rows. */
static int parse_groups(const struct opt *o, const char *value)
{
	struct choice *c = o->to;
	uint64_t n;

	c->groups = true;
	if (!value)
		return OK;
	if (parse_number(value, 1, SIZE_MAX, &n))
		return wrong_usage("--groups=%s: not a number of groups", value);
	complain(OK, "--groups=%s: goes away with the next release, use --groups --top %s", value, value);
	c->top = n;
	return OK;
}

static int compare(struct model m[2], char * const names[2], const struct choice *c,
		   const struct output *output)
{
	const uint32_t kb[2] = { m[0].intervals[0].scan.group_kb, m[1].intervals[0].scan.group_kb };
	const char * const files[2] = { names[0], names[1] };
	struct table t;
	int failed;

	if (c->groups && kb[0] != kb[1])
		return complain(FAILED, "groups of %u KiB and of %u KiB cannot be compared",
				kb[0], kb[1]);
	failed = c->groups ? compare_groups(m, c->top ? c->top : SIZE_MAX, &t) : compare_summaries(m, files, &t);
	return output_table(output, &t, failed);
}

int cmd_diff(int argc, char **argv)
{
	struct choice choice = { .top = NO_TOP };
	struct output output = { };
	struct window window = { };
	const struct opt options[] = {
		OPT_CALL(0, "groups", "[=N]", parse_groups, &choice,
			 "compare groups instead, and print those that changed most"),
		OPT_NUMBER('n', "top", "N", &choice.top, 0, UINT32_MAX,
			   "with --groups: number of groups (default 20; 0: all)"),
		OPT_CHANGED('g', NULL, "--groups --top N"),
		OUTPUT_OPTIONS(&output), WINDOW_OPTIONS(&window), { }
	};
	struct model m[2];
	char error[512];
	int failed;

	argv += options_parse(&usage, options, argc, argv);
	if (!choice.groups && choice.top != NO_TOP)
		return options_wrong(&usage, "--top: only with --groups");
	if (choice.top == NO_TOP)
		choice.top = DEFAULT_TOP;
	if (output.explain)
		return output_explain(&output, choice.groups ? &compare_groups_columns : &compare_summaries_columns);
	if (window_check(&window))
		return USAGE;
	if (view_window(view_find("summary"), &window, error, sizeof(error)))
		return wrong_usage("%s", error);

	failed = load_recording(argv[0], &window, 0, &m[0]);
	failed |= load_recording(argv[1], &window, 0, &m[1]);
	/* Compare the intervals that could be read of damaged files, too. */
	if (m[0].nr_intervals && m[1].nr_intervals)
		failed |= compare(m, argv, &choice, &output);
	model_free(&m[0]);
	model_free(&m[1]);
	return failed ? FAILED : OK;
}
