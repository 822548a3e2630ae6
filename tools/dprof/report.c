// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* dprof report: print a view of a recording. */
#include <string.h>

#include "lib/output.h"
#include "lib/perf/perf_data.h"
#include "dprof.h"
#include "dprof/view/view.h"

#define OF_TYPES	"profile|classify|workingset|assoc-sets|dataflow|paths|sharing|lines|c2c|latency|code|structs|callers"
#define SIMULATED	"classify|workingset|assoc-sets|sharing"

/* All views are of samples, and name what they show by files: --tid, --cpu, --vmlinux and so on. */
static const struct opt_only only[] = {
	{ "level", "profile|" SIMULATED "|code|structs|callers" },
	{ "cache", SIMULATED }, { "per-sample", SIMULATED }, { "seed", SIMULATED },
	{ "type", OF_TYPES }, { "top", OF_TYPES },
	{ "by", "classify|paths|code" },
	{ }
};

static const struct verb_usage usage = {
	.command = "dprof report", .operands = "VIEW [FILE] [options]", .words = view_word, .only = only,
	.about = "Print a view of a recording (" DEFAULT_INPUT ").", .min = 1, .max = 2,
};

/*
 * Of what matches nothing the table is that of no samples, the exit status says so, and no file is
 * replaced.
 */
static int print(struct analysis *a, const struct view *view, const char *path,
		 const struct output *output)
{
	const char *lacks = view->lacks ? view->lacks(a) : NULL;
	const int none = analysis_matches(a);
	struct table table;
	int failed = 0;

	if (lacks && !none)
		return complain(FAILED, "%s: %s", path, lacks);
	if (!none)
		view_note(a, view->shows, path);
	if (lacks)
		table_init_columns(&table, view->columns);
	else
		failed = view->make(a, &table);
	table.warning = a->doubt;
	return none && !failed ? output_nothing(output, &table) : output_table(output, &table, failed);
}

/* An option about misses that is not as it is by default, or NULL. */
static const char *of_misses(const struct analysis *a)
{
	return a->level != LEVEL_L1 ? "level" : a->has_geometry ? "cache" :
	       a->per_sample ? "per-sample" : a->seed != 1 ? "seed" : NULL;
}

int cmd_report(int argc, char **argv)
{
	struct output output = { };
	const char *path;
	const struct view *view;
	struct analysis a;
	int by = -1;	/* in the order of enum group_by */
	const struct opt options[] = {
		OUTPUT_OPTIONS(&output), ANALYSIS_LEVEL_OPTION(&a), ANALYSIS_SIM_OPTIONS(&a),
		ANALYSIS_TYPES_OPTIONS(&a), ANALYSIS_SAMPLES_OPTIONS(&a),
		OPT_WORD(0, "by", "type|field|ip", &by,
			 "a row per type (default), field or instruction (ip); for paths and code, a row per "
			 "function, or with ip, their only value, per instruction"),
		ANALYSIS_FILES_OPTIONS(&a), { }
	};
	bool lines;
	int ret;

	analysis_init(&a);
	argv += options_parse(&usage, options, argc, argv);
	view = view_find(argv[0]);
	if (!view)
		return unknown_word(&usage, "view", argv[0]);
	/* paths and code have rows of a function, unless of an instruction. */
	if ((by == BY_TYPE || by == BY_FIELD) && view->make != view_classify)
		return options_wrong(&usage, "--by %s: not for the view %s, only for classify",
				     by == BY_TYPE ? "type" : "field", view->name);
	a.by = by >= 0 ? by : BY_TYPE;
	/* perf.data has no objects: sharing has rows of lines then, as c2c has, without misses. */
	lines = view->make == view_sharing && (of_misses(&a) || output.explain) && perf_data_is(argv[1] ? argv[1] : DPROF_FILE);
	if (lines && of_misses(&a))
		return options_wrong(&usage, "--%s: not for the view sharing of perf.data", of_misses(&a));
	if (output.explain)
		return output_explain(&output, lines ? &lines_columns : view->columns);
	path = recording_path(argv[1]);
	if (!path)
		return FAILED;
	ret = analysis_load(&a, path, view->need);
	/* Print the events before the damage of a damaged file, too. */
	if (a.m.events && print(&a, view, path, &output))
		ret = FAILED;
	analysis_free(&a);
	return ret;
}
