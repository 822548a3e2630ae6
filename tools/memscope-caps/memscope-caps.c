// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memscope-caps: which source of memory-access samples this machine has. */
#include <stdio.h>
#include <string.h>

#include "lib/complain.h"
#include "lib/perf/source.h"
#include "lib/output.h"

static const struct verb_usage usage = {
	.command = "memscope-caps", .operands = "[options]",
	.about = "Show which sources of memory-access samples this machine has, the best first.",
	.end = "Exit status: 0 if there is a source that this user may use, 1 if not.",
};

static const struct columns caps_columns = COLUMNS(
	{ "source", CELL_TEXT, 0, "",
	  "source of samples of memory accesses: ibs (AMD), pebs (Intel), swmem (software)" },
	{ "available", CELL_TEXT, 0, "", "yes: this user may use it here" },
	{ "perf_event", CELL_TEXT, 0, "",
	  "event for perf record that takes the same samples", "the machine lacks the source" },
	{ "period_unit", CELL_TEXT, 0, "", "what a sampling period counts" },
	{ "latency", CELL_TEXT, 0, "", "accesses that have a latency" },
	{ "data_source", CELL_TEXT, 0, "", "accesses whose level is reported" },
	{ "user_or_kernel_only", CELL_TEXT, 0, "",
	  "who leaves out the mode that is not asked for" },
	{ "reason", CELL_TEXT, 0, "", "why the source is not available", "it is" },
);

static int show(const struct output *output)
{
	struct memsource sources[MEMSOURCE_COUNT];
	char perf[MEMSOURCE_COUNT][128];
	struct table table;
	int i, any = 0;

	memsource_probe(sources, "");
	table_init_columns(&table, &caps_columns);
	for (i = 0; i < MEMSOURCE_COUNT; i++) {
		const struct memsource *s = &sources[i];

		any |= s->available;
		memsource_perf_event(s, perf[i], sizeof(perf[i]));
		if (table_add(&table, (struct cell[]){
			TEXT_CELL(s->name), TEXT_CELL(s->available ? "yes" : "no"),
			*perf[i] ? TEXT_CELL(perf[i]) : NONE_CELL,
			TEXT_CELL(s->period_unit), TEXT_CELL(s->latency ? "loads" : "no"),
			TEXT_CELL(s->store_source ? "loads and stores" : s->latency ? "loads" : "no"),
			TEXT_CELL(s->filters_mode ? "by the kernel" : "by the reader"),
			*s->reason ? TEXT_CELL(s->reason) : NONE_CELL })) {
			table_free(&table);
			return complain(FAILED, "no memory left");
		}
	}
	return output_table(output, &table, 0) || !any ? FAILED : OK;
}

int main(int argc, char **argv)
{
	struct output output = { };
	const struct opt options[] = { OUTPUT_OPTIONS(&output), OPT_RENAMED('V', NULL, "version"), { } };

	options_parse(&usage, options, argc, argv);
	if (output.explain)
		return output_explain(&output, &caps_columns);
	return show(&output);
}
