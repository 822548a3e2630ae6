// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The processes, or tasks, that --pid chooses. */
#include <string.h>

#include "lib/complain.h"
#include "lib/numbers.h"
#include "pids.h"

/* The place of an ID, or where it belongs. */
static size_t find(const struct pids *p, int32_t id)
{
	size_t low = 0, high = p->nr;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (p->id[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/**
 * pids_has() - test whether an ID is among some
 * @p: the IDs
 * @id: the ID
 *
 * Return: true if it is.
 */
bool pids_has(const struct pids *p, int32_t id)
{
	const size_t at = find(p, id);

	return at < p->nr && p->id[at] == id;
}

/**
 * pids_choose() - test whether a process is among those chosen
 * @p: the IDs that are chosen; none: all
 * @id: the process
 *
 * Return: true if it is.
 */
bool pids_choose(const struct pids *p, int32_t id)
{
	return !p->nr || pids_has(p, id);
}

/**
 * pids_add() - add an ID
 * @p: the IDs
 * @id: the ID
 *
 * Return: 0, or -1 if there are MAX_PIDS.
 */
int pids_add(struct pids *p, int32_t id)
{
	const size_t at = find(p, id);

	if (at < p->nr && p->id[at] == id)
		return 0;
	if (p->nr == MAX_PIDS)
		return -1;
	memmove(p->id + at + 1, p->id + at, (p->nr++ - at) * sizeof(*p->id));
	p->id[at] = id;
	return 0;
}

/* Ranges of IDs are refused: they choose nothing that belongs together. */
enum { IS_RANGE = 1, TOO_MANY };

static int take(void *ctx, uint64_t first, uint64_t last)
{
	return first != last ? IS_RANGE : pids_add(ctx, first) ? TOO_MANY : 0;
}

static int take_list(const struct opt *o, const char *value, uint64_t most)
{
	switch (parse_list(value, o->min, most, take, o->to)) {
	case 0: return OK;
	case TOO_MANY: return wrong_usage("--%s %s: more than %d IDs", o->name, value, MAX_PIDS);
	default: return wrong_usage("--%s %s: not a list of IDs, such as 12,345", o->name, value);
	}
}

/** pids_option() - the argument of PIDS_OPTION().  Return: OK, or USAGE with a message printed. */
int pids_option(const struct opt *o, const char *value)
{
	return take_list(o, value, MAX_PID);
}

/** tids_option() - the argument of TIDS_OPTION(); as pids_option() */
int tids_option(const struct opt *o, const char *value)
{
	return take_list(o, value, INT32_MAX);
}

/**
 * pids_print() - print IDs as the argument of --pid or --tid
 * @p: the IDs
 * @f: the output
 */
void pids_print(const struct pids *p, FILE *f)
{
	size_t i;

	for (i = 0; i < p->nr; i++)
		fprintf(f, "%s%d", i ? "," : "", p->id[i]);
}

/**
 * pids_text() - write IDs for messages
 * @p: the IDs
 * @text: set to 3,9,12, cut where @size ends
 * @size: of @text
 *
 * Return: @text.
 */
const char *pids_text(const struct pids *p, char *text, size_t size)
{
	size_t i, n = 0;

	*text = '\0';
	for (i = 0; i < p->nr && n < size; i++)
		n += snprintf(text + n, size - n, "%s%d", i ? "," : "", p->id[i]);
	return text;
}
