// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The options of verbs that print a table: in which format, and where to. */
#include "complain.h"
#include "outfile.h"
#include "output.h"

/**
 * output_table() - print a table where it is wanted
 * @o: where, and how
 * @t: freed
 * @failed: it could not be made for want of memory
 *
 * Return: OK, or FAILED after saying why.
 */
int output_table(const struct output *o, struct table *t, int failed)
{
	struct outfile out;

	if (failed)
		complain(FAILED, "no memory left");
	else if (outfile_open(&out, o->path))
		failed = 1;
	else
		failed = outfile_close(&out, table_print(t, o->format, out.f));
	table_free(t);
	return failed ? FAILED : OK;
}
