// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Options that select a part of a recording. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/complain.h"
#include "lib/numbers.h"
#include "window.h"

/** window_addr() - parse the argument of --addr.  Return: OK, or USAGE with a message printed. */
int window_addr(const struct opt *o, const char *value)
{
	struct window *w = o->to;

	if (parse_addresses(value, &w->addr, &w->addr_end))
		return wrong_usage("--addr %s: not START-END, such as 1G-2G or 0x40000000-0x80000000", value);
	return OK;
}

/**
 * window_check() - check that --from is before --until
 * @w: the window
 *
 * Return: OK, or USAGE with a message printed.
 */
int window_check(const struct window *w)
{
	if (w->to > 0 && w->from >= w->to)
		return wrong_usage("--from %g --until %g: no time is between them", w->from, w->to);
	return OK;
}

/**
 * window_describe() - describe a window for titles and messages
 * @w: the window
 * @text: set to "from 5 s to 7 s", or to "" for the whole recording
 * @size: of @text
 */
void window_describe(const struct window *w, char *text, size_t size)
{
	char from[48] = "", to[48] = "", addr[64] = "", list[64], pid[96] = "", mapping[128] = "";

	if (w->from > 0)
		snprintf(from, sizeof(from), " from %g s", w->from);
	if (w->to > 0)
		snprintf(to, sizeof(to), " to %g s", w->to);
	if (w->addr || w->addr_end)
		snprintf(addr, sizeof(addr), " at 0x%" PRIx64 "-0x%" PRIx64, w->addr, w->addr_end);
	if (w->pids.nr)
		snprintf(pid, sizeof(pid), " of process%s %s", w->pids.nr > 1 ? "es" : "",
			 pids_text(&w->pids, list, sizeof(list)));
	if (w->mapping)
		snprintf(mapping, sizeof(mapping), " of mappings named *%.64s*", w->mapping);
	snprintf(text, size, "%s%s%s%s%s", from, to, addr, pid, mapping);
	if (*text)
		memmove(text, text + 1, strlen(text));
}
