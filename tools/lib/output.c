// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Options of verbs that print a table: its format and its destination. */
#include "complain.h"
#include "outfile.h"
#include "output.h"

/**
 * output_table() - print a table and free it
 * @o: format and destination
 * @t: the table
 * @failed: the table is incomplete, out of memory: print an error instead
 *
 * Return: OK, or FAILED with a message printed.
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
