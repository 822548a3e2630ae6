// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* dprof script: print the events of a recording, in the text form that dprof reads. */
#include <stdbool.h>
#include <stdio.h>

#include "lib/options.h"
#include "dprof.h"
#include "dprof/read/reader.h"

/**
 * struct script - the output of a script
 * @output: its path; NULL for standard output
 * @out: valid if @begun
 */
struct script {
	const char *output;
	struct outfile out;
	bool begun;
};

/* Open the output at the first event, so that an unreadable recording creates no file. */
static int begin(struct script *s)
{
	if (s->begun)
		return OK;
	if (outfile_open(&s->out, s->output))
		return FAILED;
	s->begun = true;
	fputs("# dprof events 1\n", s->out.f);
	return OK;
}

static int print_event(void *script, const struct event *e)
{
	struct script *s = script;

	if (begin(s))
		return 1;
	event_print(e, s->out.f);
	return ferror(s->out.f) ? 1 : 0;
}

static int print_symbols(void *script, const char *text, size_t size)
{
	const char *end = text + size;
	struct script *s = script;
	size_t n;

	if (begin(s))
		return 1;
	for (; text < end; text += n + 1) {
		for (n = 0; text + n < end && text[n] != '\n'; n++)
			;
		fprintf(s->out.f, "symbol %.*s\n", (int)n, text);
	}
	return ferror(s->out.f) ? 1 : 0;
}

static const struct verb_usage usage = {
	.command = "dprof script", .operands = "[FILE] [options]", .max = 1,
	.about = "Print the events of a recording (default trace.dat) as text that dprof can read.",
};

int cmd_script(int argc, char **argv)
{
	struct reader r = { .event = print_event };
	struct script script = { };
	bool symbols = false;
	const struct opt options[] = {
		OPT_FLAG(0, "symbols", &symbols, "print the kernel's symbols, too"),
		OPT_TEXT('o', "output", "FILE", &script.output, "output file (default standard output)"), { }
	};
	char error[512];
	int failed;

	argv += options_parse(&usage, options, argc, argv);
	r.symbols = symbols ? print_symbols : NULL;
	r.ctx = &script;
	failed = reader_read(argv[0] ? argv[0] : "trace.dat", &r, error, sizeof(error));
	if (failed < 0)
		complain(FAILED, "%s", error);
	if (!failed)
		failed = begin(&script);
	if (!script.begun)
		return FAILED;
	return outfile_close(&script.out, failed > 0) || failed ? FAILED : OK;
}
