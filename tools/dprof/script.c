// SPDX-License-Identifier: GPL-2.0
/* dprof script: print the events of a recording, in the form that dprof reads. */
#include <getopt.h>
#include <stdio.h>

#include "dprof.h"
#include "reader.h"

static int print_event(void *out, const struct event *e)
{
	event_print(e, out);
	return ferror((FILE *)out) ? 1 : 0;
}

static int print_symbols(void *out, const char *text, size_t size)
{
	const char *end = text + size;
	size_t n;

	for (; text < end; text += n + 1) {
		for (n = 0; text + n < end && text[n] != '\n'; n++)
			;
		fprintf(out, "symbol %.*s\n", (int)n, text);
	}
	return ferror((FILE *)out) ? 1 : 0;
}

static void usage(FILE *f)
{
	fputs("usage: dprof script [FILE] [options]\n"
	      "Print the events of a recording (default trace.dat) as text, which dprof reads, too.\n\n"
	      "      --symbols      the kernel's symbols, too\n"
	      "  -o, --output FILE  (default standard output)\n"
	      "      --help\n", f);
}

int cmd_script(int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", 1, NULL, 'o' }, { "symbols", 0, NULL, 's' },
		{ "help", 0, NULL, 'h' }, { }
	};
	struct reader r = { .event = print_event };
	const char *output = NULL, *path;
	struct outfile out;
	char error[512];
	int c, failed;

	while ((c = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
		switch (c) {
		case 'o': output = optarg; break;
		case 's': r.symbols = print_symbols; break;
		case 'h': usage(stdout); return OK;
		default: usage(stderr); return USAGE;
		}
	}
	if (argc - optind > 1) {
		usage(stderr);
		return USAGE;
	}
	path = optind < argc ? argv[optind] : "trace.dat";
	if (outfile_open(&out, output))
		return FAILED;
	fputs("# dprof events 1\n", out.f);
	r.ctx = out.f;
	failed = reader_read(path, &r, error, sizeof(error));
	if (failed < 0)
		complain(FAILED, "%s", error);
	return outfile_close(&out, failed > 0) || failed ? FAILED : OK;
}
