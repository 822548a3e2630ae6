// SPDX-License-Identifier: GPL-2.0
/* memref diff: two recordings side by side. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "lib/output.h"
#include "memref/view/compare.h"
#include "memref.h"
#include "memref/view/view.h"
#include "memref/model/window.h"

static void usage(FILE *f)
{
	fputs("usage: memref diff A B [options]\n"
	      "Compare two recordings: the figures of the summary, or groups of memory.\n\n"
	      "  -g, --groups[=N]            the N (20) groups that changed most\n", f);
	fputs(output_usage, f);
	fputs(window_usage, f);
	fputs("      --help\n", f);
}

static int parse_count(const char *text, size_t *count)
{
	unsigned long n;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || *end || !n)
		return -1;
	*count = n;
	return 0;
}

/* @groups: how many of them; 0: the summaries instead */
static int compare(struct model m[2], char * const names[2], size_t groups,
		   const struct output *output)
{
	const uint32_t kb[2] = { m[0].intervals[0].scan.group_kb, m[1].intervals[0].scan.group_kb };
	const char * const files[2] = { names[0], names[1] };
	struct table t;
	int failed;

	if (groups && kb[0] != kb[1])
		return complain(FAILED, "groups of %u KiB and of %u KiB cannot be compared",
				kb[0], kb[1]);
	failed = groups ? compare_groups(m, groups, &t) : compare_summaries(m, files, &t);
	return output_table(output, &t, failed);
}

int cmd_diff(int argc, char **argv)
{
	static const struct option options[] = {
		{ "groups", 2, NULL, 'g' }, OUTPUT_OPTIONS,
		WINDOW_OPTIONS, { "help", 0, NULL, 'h' }, { }
	};
	struct output output = { };
	struct window window = { };
	struct model m[2];
	size_t groups = 0;
	char error[512];
	int c, failed;

	while ((c = getopt_long(argc, argv, "g::" OUTPUT_LETTERS "h", options, NULL)) != -1) {
		switch (c) {
		case 'g':
			groups = 20;
			if (optarg && parse_count(optarg, &groups))
				return complain(USAGE, "--groups %s: not a number of groups", optarg);
			break;
		case 'F':
		case 'o':
			if (output_option(&output, c, optarg))
				return USAGE;
			break;
		case WINDOW_FROM ... WINDOW_PID:
			if (window_option(&window, c, optarg, error, sizeof(error)))
				return complain(USAGE, "%s", error);
			break;
		case 'h':
			usage(stdout);
			return OK;
		default:
			usage(stderr);
			return USAGE;
		}
	}
	if (argc - optind != 2) {
		usage(stderr);
		return USAGE;
	}
	if (view_window(view_find("summary"), &window, error, sizeof(error)))
		return complain(USAGE, "%s", error);

	failed = load_recording(argv[optind], &window, 0, &m[0]);
	failed |= load_recording(argv[optind + 1], &window, 0, &m[1]);
	/* What could be read of damaged files is worth comparing. */
	if (m[0].nr_intervals && m[1].nr_intervals)
		failed |= compare(m, argv + optind, groups, &output);
	model_free(&m[0]);
	model_free(&m[1]);
	return failed ? FAILED : OK;
}
