// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memref size: estimate the memory limit that control groups need. */
#include <inttypes.h>
#include <limits.h>

#include "lib/output.h"
#include "lib/record/cgroup.h"
#include "memref.h"
#include "memref/model/window.h"
#include "memref/view/size.h"
#include "memref/view/view.h"

static const struct verb_usage usage = {
	.command = "memref size", .operands = "[FILE] [options]",
	.about = "Estimate the memory limit that control groups need, from a recording with --ages (default trace.dat).",
	.end = "Without --refaults or --slowdown, the slowdown is at most 2 %.",
	.max = 1,
};

static void note_flag(const struct model *m, uint32_t flag, const char *what)
{
	size_t nr = 0, i;

	for (i = 0; i < m->nr_intervals; i++)
		nr += !!(m->intervals[i].scan.flags & flag);
	if (nr)
		complain(OK, "in %zu of %zu intervals %s", nr, m->nr_intervals, what);
}

/* What makes limits wrong. */
static void note_doubts(const struct model *m)
{
	note_flag(m, SCAN_SELECTED, "only selected processes were sampled: memory of others seems idle");
	note_flag(m, SCAN_RECLAIM, "reclaim ran: what it evicted is not counted");
	if (m->lost_events)
		complain(OK, "%" PRIu64 " events were lost: ages of some intervals may be missing", m->lost_events);
}

/* The intervals that could be read of a damaged recording count, too. */
static int print(const struct model *m, const struct size_question *q, const struct output *output)
{
	char error[512];
	struct table t;
	int failed;

	if (lacks_ages(m, error, sizeof(error)))
		return complain(FAILED, "%s", error);
	failed = size_table(m, q, &t, error, sizeof(error));
	if (failed > 0) {
		table_free(&t);
		return complain(FAILED, "%s", error);
	}
	note_doubts(m);
	return output_table(output, &t, failed);
}

int cmd_size(int argc, char **argv)
{
	double refaults = -1, slowdown = -1;
	struct size_question q = { .refault_us = 100 };
	struct window window = { .by = AGES_CGROUP };
	struct output output = { };
	const char *cgroup = NULL;
	char path[PATH_MAX];
	const struct opt options[] = {
		OPT_TEXT('G', "cgroup", "NAME", &cgroup, "only this control group, with those below it: " CGROUP_HELP
			 "; without it, each of the recording"),
		OPT_REAL(0, "refaults", "RATE", &refaults, 0, 1e9, "refaults per second with the limit, at most"),
		OPT_REAL(0, "slowdown", "PCT", &slowdown, 0, 1e6,
			 "time that refaults take with the limit, at most, in % of the time without one"),
		OPT_REAL(0, "refault-us", "US", &q.refault_us, 1e-3, 1e9, "time that a refault takes, in us (default 100)"),
		OPT_SIZE(0, "extra", "SIZE", &q.extra, 0, 0x1p62,
			 "memory of the group without ages, to be added to the limit (default 0)"),
		OUTPUT_OPTIONS(&output), WINDOW_TIME_OPTIONS(&window), { }
	};
	struct model m;
	int damaged, failed;

	argv += options_parse(&usage, options, argc, argv);
	if (output.explain)
		return output_explain(&output, &size_columns);
	if (refaults >= 0 && slowdown >= 0)
		return complain(USAGE, "--refaults and --slowdown: give one of them");
	if (window_check(&window))
		return USAGE;
	q.refaults = refaults >= 0 ? refaults : (slowdown >= 0 ? slowdown : 2) * 1e4 / q.refault_us;
	if (cgroup) {
		cgroup_below_root(cgroup, path, sizeof(path));
		q.cgroup = path;
	}
	damaged = load_recording(argv[0], &window, VIEW_AGES, &m);
	failed = m.nr_intervals ? print(&m, &q, &output) : FAILED;
	model_free(&m);
	return damaged || failed ? FAILED : OK;
}
