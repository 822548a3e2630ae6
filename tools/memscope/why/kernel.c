// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Which kernel type and field is at an address, and which code fights for its line. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memscope/run/rows.h"
#include "why.h"

#define LINE	64

/* Advice of the line's type: the row of dprof report sharing with most misses. */
static void add_sharing(struct answer *a, json_t *sharing, const char *type)
{
	json_t *row = rows_item(sharing, "type", type);

	if (!row) {
		answer_add(a, "advice", type, "its lines are not shared by several CPUs in this recording");
		return;
	}
	answer_add(a, "type", "field", "%s; %s sharing, %.0f misses", row_text(row, "field"), row_text(row, "sharing"),
		   row_number(row, "misses"));
	if (!strcmp(row_text(row, "sharing"), "false"))
		answer_add(a, "advice", type, "put %s and %s on different cache lines (dprof layout advises an order)",
			   row_text(row, "field"), row_text(row, "writer_field"));
	else
		answer_add(a, "advice", type, "write %s less often in %s, or keep a copy for each CPU", row_text(row, "field"),
			   row_text(row, "writer"));
}

static void add_line(struct answer *a, const json_t *row, uint64_t address)
{
	answer_add(a, "type", "name", "%s", row_text(row, "type"));
	answer_add(a, "type", "offset", "byte %.0f and on of the type begins this line; accesses at %s",
		   row_number(row, "line_offset_bytes"), row_text(row, "offsets"));
	answer_add(a, "page", "line", "0x%" PRIx64 ": %.0f samples, %.0f loads, %.0f stores", address & -(uint64_t)LINE,
		   row_number(row, "samples"), row_number(row, "loads"), row_number(row, "stores"));
	answer_add(a, "threads", "cpus", "%.0f CPUs; %s uses it, %s writes it", row_number(row, "cpus"),
		   *row_text(row, "user") ? row_text(row, "user") : "code not sampled",
		   *row_text(row, "writer") ? row_text(row, "writer") : "code not sampled");
}

/**
 * why_kernel() - what is known about an address of the kernel
 * @a: gets the rows
 * @r: the recordings
 * @address: the address
 *
 * Return: OK, or FAILED with a message printed.
 */
int why_kernel(struct answer *a, const struct recordings *r, uint64_t address)
{
	static const char * const all[] = { "-n", "0", NULL };
	const char *path = recording_of(r, RECORDING_DPROF);
	json_t *lines, *sharing, *row, *found = NULL;
	size_t i;

	if (!path)
		path = recording_of(r, RECORDING_DPROF_TEXT);
	if (!path) {
		answer_add(a, "type", "none", "kernel types were not recorded");
		return 0;
	}
	lines = view_rows("dprof", "lines", path, all);
	sharing = lines ? view_rows("dprof", "sharing", path, all) : NULL;
	json_array_foreach(lines, i, row)
		if (strtoull(row_text(row, "line"), NULL, 16) == (address & -(uint64_t)LINE))
			found = row;
	if (found && sharing) {
		add_line(a, found, address);
		add_sharing(a, sharing, row_text(found, "type"));
	} else if (sharing) {
		answer_add(a, "type", "none", "no sample is of this cache line");
	}
	json_decref(lines);
	json_decref(sharing);
	return sharing ? 0 : 1;
}
