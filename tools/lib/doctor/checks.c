// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Checks of a machine: the rows, and how they are printed. */
#include <string.h>

#include "lib/complain.h"
#include "lib/outfile.h"
#include "checks.h"

static const char * const state_names[] = { "ok", "note", "warn", "bad" };

#define CHECK_COLUMNS \
	{ "check", CELL_TEXT, 0, "", "what was checked" }, \
	{ "state", CELL_TEXT, 0, "", "ok, note, warn or bad" }, \
	{ "value", CELL_TEXT, 0, "", "value found" }, \
	{ "why", CELL_TEXT, 0, "", "why it matters", "nothing is to be said about it" }, \
	{ "fix", CELL_TEXT, 0, "", "how to change it", "nothing is to be done, or can be" },

const struct columns checks_columns = COLUMNS(CHECK_COLUMNS);

const struct columns topic_columns = COLUMNS(
	{ "topic", CELL_TEXT, 0, "", "tools, self-test, kernel, samples, permissions, machine or colors" },
	CHECK_COLUMNS
);

/**
 * checks_init() - begin a list of checks
 * @c: the list
 * @topic: topic of the first rows; NULL: no row has one
 */
void checks_init(struct checks *c, const char *topic)
{
	memset(c, 0, sizeof(*c));
	c->topic = topic;
	table_init_columns(&c->table, topic ? &topic_columns : &checks_columns);
}

/**
 * checks_add() - add a row
 * @c: the list
 * @check: name of the check
 * @state: result
 * @value: what was found
 * @why: what it means
 * @fix: what to do, if @state is not GOOD; may be empty
 */
void checks_add(struct checks *c, const char *check, enum check_state state, const char *value,
		const char *why, const char *fix)
{
	const struct cell row[] = {
		TEXT_CELL(c->topic), TEXT_CELL(check), TEXT_CELL(state_names[state]), TEXT_CELL(value),
		*why ? TEXT_CELL(why) : NONE_CELL, state != GOOD && *fix ? TEXT_CELL(fix) : NONE_CELL,
	};

	c->nr[state]++;
	c->failed |= table_add(&c->table, row + (c->topic ? 0 : 1));
}

/* Print row by row: the texts are too long for columns. */
static int print_text(const struct checks *c, const char *verdict, FILE *f)
{
	const int n = c->table.nr_columns;
	const struct cell *row = c->table.cells;
	const char *topic = NULL;
	size_t i;

	for (i = 0; i < c->table.nr_cells; i += n, row += n) {
		const struct cell *cell = row + (c->topic ? 1 : 0);

		if (c->topic && (!topic || strcmp(topic, row->text))) {
			fprintf(f, "%s%s\n", topic ? "\n" : "", row->text);
			topic = row->text;
		}
		fprintf(f, "%-4s  %s: %s\n", cell[1].text, cell[0].text, cell[2].text);
		/* What works needs no reason. */
		if (!strcmp(cell[1].text, state_names[GOOD]))
			continue;
		if (cell[3].type != CELL_NONE && (c->topic || cell[4].type != CELL_NONE))
			fprintf(f, "      %s\n", cell[3].text);
		if (cell[4].type != CELL_NONE)
			fprintf(f, "      do: %s\n", cell[4].text);
	}
	fprintf(f, "\n%s\n", verdict);
	return fflush(f) || ferror(f);
}

/**
 * checks_print() - print all rows
 * @c: the list
 * @o: where and how
 * @verdict: last line of the text
 *
 * Return: OK, or FAILED with a message printed.
 */
int checks_print(struct checks *c, const struct output *o, const char *verdict)
{
	struct outfile out;
	int failed;

	if (c->failed)
		return complain(FAILED, "no memory left");
	if (outfile_open(&out, o->path))
		return FAILED;
	failed = o->format == TABLE_TEXT ? print_text(c, verdict, out.f) :
					   table_print(&c->table, o->format, out.f);
	return outfile_close(&out, failed);
}

void checks_free(struct checks *c)
{
	table_free(&c->table);
}
