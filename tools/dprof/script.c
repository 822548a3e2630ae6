// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* dprof script: print the events of a recording, in the text form that dprof reads. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cells/utf8.h"
#include "lib/options.h"
#include "dprof.h"
#include "dprof/read/reader.h"

/**
 * struct script - the output of a script
 * @output: its path; NULL for standard output
 * @out: valid if @begun
 * @terminal: it is one, which would obey control characters in names
 */
struct script {
	const char *output;
	struct outfile out;
	bool begun, terminal;
};

/* Open the output at the first event, so that an unreadable recording creates no file. */
static int begin(struct script *s)
{
	if (s->begun)
		return OK;
	if (outfile_open(&s->out, s->output))
		return FAILED;
	s->begun = true;
	s->terminal = isatty(fileno(s->out.f));
	fputs("# dprof events 1\n", s->out.f);
	return OK;
}

/* Write lines of text: as they are, or as a terminal should see them. */
static int write_lines(const struct script *s, const char *text, size_t size)
{
	char c[UTF8_SIZE];

	if (!s->terminal) {
		fwrite(text, 1, size, s->out.f);
	} else {
		while (*text) {
			text += utf8_next(c, text);
			fputs(c, s->out.f);
		}
	}
	return ferror(s->out.f) ? 1 : 0;
}

static int print_event(void *script, const struct event *e)
{
	struct script *s = script;
	char *text = NULL;
	size_t size;
	FILE *f;
	int ret;

	if (begin(s))
		return 1;
	if (!s->terminal) {
		event_print(e, s->out.f);
		return ferror(s->out.f) ? 1 : 0;
	}
	f = open_memstream(&text, &size);
	if (!f)
		return complain(1, "out of memory");
	event_print(e, f);
	ret = fclose(f) ? complain(1, "out of memory") : write_lines(s, text, size);
	free(text);
	return ret;
}

static int print_symbols(void *script, const char *text, size_t size)
{
	const char *end = text + size;
	struct script *s = script;
	char *line;
	size_t n;
	int ret = 0, length;

	if (begin(s))
		return 1;
	for (; text < end && !ret; text += n + 1) {
		for (n = 0; text + n < end && text[n] != '\n'; n++)
			;
		length = asprintf(&line, "symbol %.*s\n", (int)n, text);
		if (length < 0)
			return complain(1, "out of memory");
		ret = write_lines(s, line, length);
		free(line);
	}
	return ret;
}

static int print_host(const struct script *s, const char *host)
{
	char line[300];
	int n;

	if (!*host || !strcmp(host, UNKNOWN_HOST))
		return 0;
	n = snprintf(line, sizeof(line), "host %s\n", host);
	return write_lines(s, line, n);
}

/* What is known of the recording once it is read. */
static int print_rest(const struct script *s, const char *path, const struct reader *r)
{
	if (r->lost_events)
		fprintf(stderr, "dprof: %s: %" PRIu64 " events were lost while recording\n", path, r->lost_events);
	return print_host(s, r->host);
}

static const struct verb_usage usage = {
	.command = "dprof script", .operands = "[FILE] [options]", .max = 1,
	.about = "Print the events of a recording (" DEFAULT_INPUT ") as text that dprof can read.",
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
	const char *path;
	char error[512];
	int failed;

	argv += options_parse(&usage, options, argc, argv);
	r.symbols = symbols ? print_symbols : NULL;
	r.ctx = &script;
	path = recording_path(argv[0]);
	if (!path)
		return FAILED;
	failed = reader_read(path, &r, error, sizeof(error));
	if (failed < 0)
		complain(FAILED, "%s", error);
	if (!failed)
		failed = begin(&script);
	if (!script.begun)
		return FAILED;
	if (failed <= 0 && print_rest(&script, path, &r))
		failed = 1;
	return outfile_close(&script.out, failed > 0) || failed ? FAILED : OK;
}
