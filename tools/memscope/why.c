// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memscope why: what a run's recordings know about an address, a process or a control group. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/numbers.h"
#include "lib/outfile.h"
#include "memscope/record/run.h"
#include "memscope/why/why.h"
#include "memscope.h"

/* Addresses of the kernel, on x86-64, are in the upper half. */
#define KERNEL_BEGIN	(UINT64_C(1) << 63)

static const struct verb_usage usage = {
	.command = "memscope why", .operands = "ADDRESS|PID|CGROUP [DIR] [options]", .min = 1, .max = 2,
	.about = "Report what a run of memscope record knows about an address of the program or the kernel (0x...), a "
		 "process, or the control group of the command: pages, mapping, object, type and field, threads, nodes, "
		 "and what to do.",
	.end = "DIR is the directory of memscope record (default " RUN_DIRECTORY "), or any with recordings.",
};

static int print_text(const struct table *t, FILE *out)
{
	const char *topic = "";
	size_t i;

	for (i = 0; i + 2 < t->nr_cells; i += 3) {
		const struct cell *row = t->cells + i;

		fprintf(out, "%-8s  %s: %s\n", strcmp(topic, row[0].text) ? row[0].text : "", row[1].text, row[2].text);
		topic = row[0].text;
	}
	return fflush(out) || ferror(out);
}

static int print(struct answer *a, const struct output *o)
{
	struct outfile out;
	int failed;

	if (a->failed)
		return complain(FAILED, "no memory left");
	if (outfile_open(&out, o->path))
		return FAILED;
	failed = o->format == TABLE_TEXT ? print_text(&a->table, out.f) : table_print(&a->table, o->format, out.f);
	return outfile_close(&out, failed);
}

static int answer(struct answer *a, const struct recordings *r, const char *directory, const char *target)
{
	uint64_t n;

	if (!strncmp(target, "0x", 2)) {
		if (parse_address(target, &n))
			return wrong_usage("%s: not an address", target);
		return n >= KERNEL_BEGIN ? why_kernel(a, r, n) : why_address(a, r, n);
	}
	if (target[strspn(target, "0123456789")])
		return why_cgroup(a, r, directory, target);
	if (parse_number(target, 1, INT_MAX, &n))
		return wrong_usage("%s: not a pid; an address begins with 0x", target);
	return why_process(a, r, n);
}

int cmd_why(int argc, char **argv)
{
	struct output output = { };
	const struct opt options[] = { OUTPUT_OPTIONS(&output), { } };
	const int first = options_parse(&usage, options, argc, argv);
	char *directory = argc - first > 1 ? argv[first + 1] : (char []){ RUN_DIRECTORY };
	struct recordings r;
	struct answer a;
	int ret;

	if (output.explain)
		return output_explain(&output, &answer_columns);
	if (recordings_find(&r, &directory, 1))
		return FAILED;
	answer_init(&a);
	ret = answer(&a, &r, directory, argv[first]);
	if (!ret)
		ret = print(&a, &output);
	table_free(&a.table);
	recordings_free(&r);
	return ret;
}
