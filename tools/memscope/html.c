// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memscope html: one self-contained page of several recordings. */
#include "lib/outfile.h"
#include "memscope/page/page.h"
#include "memscope.h"

static const struct verb_usage usage = {
	.command = "memscope html", .operands = "[FILE...] -o PAGE [options]", .max = -1,
	.about = "Make one self-contained page of recordings: the findings of all, as memscope diagnose "
		 "reports them, then each recording.  A directory stands for the recordings in it.",
	.end = "Without FILE: the recordings in the working directory that have a usual name.",
};

int cmd_html(int argc, char **argv)
{
	const char *path = NULL, *title = "memscope";
	const struct opt options[] = {
		OPT_TEXT('o', "output", "PAGE", &path, "the page, a .html file"),
		OPT_TEXT(0, "title", "TITLE", &title, "title of the page (default memscope)"), { }
	};
	const int first = options_parse(&usage, options, argc, argv);
	struct recordings r;
	struct findings l;
	struct outfile out;
	int ret = FAILED;

	if (!path)
		return options_wrong(&usage, "-o PAGE is missing");
	if (recordings_find(&r, argv + first, argc - first))
		return FAILED;
	if (!findings_read(&l, &r)) {
		if (!outfile_open(&out, path)) {
			ret = page_write(out.f, title, &r, &l);
			/* The message has been printed. */
			if (ret)
				outfile_drop(&out);
			else
				ret = outfile_close(&out, ferror(out.f));
		}
		findings_free(&l);
	}
	recordings_free(&r);
	return ret;
}
