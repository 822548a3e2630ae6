// SPDX-License-Identifier: GPL-2.0
/* The options of verbs that print a table: in which format, and where to. */
#include "complain.h"
#include "outfile.h"
#include "output.h"

const char output_usage[] =
	"  -F, --format text|csv|json  (default text)\n"
	"  -o, --output FILE           (default standard output)\n";

/**
 * output_option() - an option of output_usage
 * @o: gets its value
 * @c: from getopt_long()
 * @arg: its argument
 *
 * Return: OK, or USAGE after saying why.
 */
int output_option(struct output *o, int c, const char *arg)
{
	if (c == 'o')
		o->path = arg;
	else if (table_format_parse(arg, &o->format))
		return complain(USAGE, "--format %s: not text, csv or json", arg);
	return OK;
}

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
