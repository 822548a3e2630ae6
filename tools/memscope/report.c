// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memscope report: the first view of each recording, by the tool that knows it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/outfile.h"
#include "lib/output.h"
#include "memscope/read/recording.h"
#include "memscope/run/program.h"
#include "memscope.h"

static const struct verb_usage usage = {
	.command = "memscope report", .operands = "[FILE...] [options]", .max = -1,
	.about = "Print a view of each recording, by the tool that made it: a trace of memref or dprof, a recording "
		 "of memprof or perf, results or a layout of pagealloc.  A directory stands for the recordings in it.",
	.end = "Without FILE: the recordings in the working directory that have a usual name.",
};

/* Program, words before the file, and the view that a newcomer wants first. */
static const struct {
	const char *program, *verbs[2], *view;
} views[RECORDING_KINDS] = {
	[RECORDING_MEMREF] = { "memref", { "report" }, "summary" },
	[RECORDING_DPROF] = { "dprof", { "report" }, "profile" },
	[RECORDING_DPROF_TEXT] = { "dprof", { "report" }, "profile" },
	[RECORDING_MEMPROF] = { "memprof", { "report" }, "summary" },
	[RECORDING_PERF] = { "memprof", { "report" }, "summary" },
	[RECORDING_BENCH] = { "pagealloc", { "bench", "report" }, NULL },
};

/* A layout has no view: how many pages of how many mappings it is of. */
static int show_layout(const char *path, const char *view, const struct output *output)
{
	unsigned long mappings = 0, pages = 0;
	char line[4096];
	struct outfile out;
	bool whole = false;
	FILE *f;

	if (view)
		return wrong_usage("--view %s: %s is a layout of pagealloc, which has no views", view, path);
	if (output->format != TABLE_TEXT || output->explain)
		return wrong_usage("--%s: %s is a layout of pagealloc, which has no table",
				   output->explain ? "explain" : "format", path);
	f = fopen(path, "re");
	if (!f)
		return complain(FAILED, "%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), f))
		whole = sscanf(line, "end %lu %lu", &mappings, &pages) == 2;
	fclose(f);
	if (!whole)
		return complain(FAILED, "%s: truncated: no line \"end\"", path);
	if (outfile_open(&out, output->path))
		return FAILED;
	fprintf(out.f, "layout of %lu pages in %lu mappings; pagealloc run --replay %s -- COMMAND places pages like it\n",
		pages, mappings, path);
	return outfile_close(&out, 0);
}

static int show(const char *path, enum recording kind, const char *view, const struct output *output)
{
	static const char * const formats[] = { "text", "csv", "json" };
	const char *argv[16];
	int n = 0, i;

	if (kind == RECORDING_LAYOUT)
		return show_layout(path, view, output);
	argv[n++] = views[kind].program;
	for (i = 0; i < 2 && views[kind].verbs[i]; i++)
		argv[n++] = views[kind].verbs[i];
	if (kind == RECORDING_BENCH && view)
		argv[n++] = "--view";
	if (view || views[kind].view)
		argv[n++] = view ? view : views[kind].view;
	argv[n++] = path;
	argv[n++] = "-f";
	argv[n++] = formats[output->format];
	if (output->path) {
		argv[n++] = "-o";
		argv[n++] = output->path;
	}
	if (output->explain)
		argv[n++] = "--explain";
	argv[n] = NULL;
	return program_run(argv);
}

int cmd_report(int argc, char **argv)
{
	struct output output = { };
	const char *view = NULL;
	const struct opt options[] = {
		OPT_TEXT(0, "view", "VIEW", &view,
			 "view to print (default: summary; of dprof's recordings, profile)"),
		OPT_WORD('f', "format", "text|csv|json", &output.format,
			 "default text; csv and json are for one recording only"),
		OPT_TEXT('o', "output", "FILE", &output.path,
			 "output file of one recording, created when complete (default standard output)"),
		OPT_INSTEAD(0, "explain", &output.explain, "print the meaning of each column instead"), { }
	};
	const int first = options_parse(&usage, options, argc, argv);
	struct recordings r;
	int ret = OK;
	size_t i;

	if (recordings_find(&r, argv + first, argc - first))
		return FAILED;
	if (r.nr > 1 && (output.format != TABLE_TEXT || output.path))
		ret = wrong_usage("--%s: %zu recordings, and each has its own table: name one",
				  output.path ? "output" : "format", r.nr);
	for (i = 0; i < r.nr && !ret; i++) {
		if (r.nr > 1) {
			printf("%s%s: %s\n\n", i ? "\n" : "", r.all[i].path, recording_names[r.all[i].kind]);
			fflush(stdout);
		}
		ret = show(r.all[i].path, r.all[i].kind, view, &output);
	}
	recordings_free(&r);
	return ret;
}
