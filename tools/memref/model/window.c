// SPDX-License-Identifier: GPL-2.0
/* The options that choose a part of a recording. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/size.h"
#include "window.h"

/* PID_MAX_LIMIT of the kernel */
#define MAX_PID (4 << 20)

const char window_usage[] =
	"      --from S, --to S        only what was between these seconds\n"
	"      --addr START-END        only this memory: 1G-2G, 0x40000000-0x80000000\n";

const char window_pid_usage[] =
	"      --pid PID               only this process, in views by process\n";

static int parse_seconds(const char *text, double *seconds)
{
	char *end;
	double s;

	/* No signs, hexadecimal digits, exponents, names. */
	if (!isdigit((unsigned char)*text) || text[strspn(text, "0123456789.")])
		return -1;
	s = strtod(text, &end);
	if (*end)
		return -1;
	*seconds = s;
	return 0;
}

static int parse_range(const char *text, uint64_t *start, uint64_t *end)
{
	const char *dash = strchr(text, '-');
	uint64_t first, last;
	char left[32];

	if (!dash || dash - text >= (int)sizeof(left))
		return -1;
	snprintf(left, sizeof(left), "%.*s", (int)(dash - text), text);
	if (parse_address(left, &first) || parse_address(dash + 1, &last) || first >= last)
		return -1;
	*start = first;
	*end = last;
	return 0;
}

static int parse_pid(const char *text, uint32_t *pid)
{
	unsigned long n;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || *end || !n || n > MAX_PID)
		return -1;
	*pid = n;
	return 0;
}

/**
 * window_option() - take one of the options
 * @w: the window it narrows
 * @option: WINDOW_*
 * @arg: its argument
 * @error: says what is wrong with it
 * @size: of @error
 *
 * Return: 0, or -1 with @error set.
 */
int window_option(struct window *w, int option, const char *arg, char *error, size_t size)
{
	switch (option) {
	case WINDOW_FROM:
		if (parse_seconds(arg, &w->from)) {
			snprintf(error, size, "--from %s: not a number of seconds", arg);
			return -1;
		}
		break;
	case WINDOW_TO:
		if (parse_seconds(arg, &w->to) || w->to <= 0) {
			snprintf(error, size, "--to %s: not a number of seconds above 0", arg);
			return -1;
		}
		break;
	case WINDOW_ADDR:
		if (parse_range(arg, &w->addr, &w->addr_end)) {
			snprintf(error, size, "--addr %s: not START-END, such as 1G-2G or 0x40000000-0x80000000",
				 arg);
			return -1;
		}
		break;
	case WINDOW_PID:
		if (parse_pid(arg, &w->pid)) {
			snprintf(error, size, "--pid %s: not a process ID", arg);
			return -1;
		}
		break;
	}
	if (w->to > 0 && w->from >= w->to) {
		snprintf(error, size, "--from %g --to %g: no time is between them", w->from, w->to);
		return -1;
	}
	return 0;
}

/**
 * window_describe() - a window in words
 * @w: the window
 * @text: where to put them: "from 5 s to 7 s", or nothing if it is everything
 * @size: of @text
 */
void window_describe(const struct window *w, char *text, size_t size)
{
	char from[48] = "", to[48] = "", addr[64] = "", pid[32] = "";

	if (w->from > 0)
		snprintf(from, sizeof(from), " from %g s", w->from);
	if (w->to > 0)
		snprintf(to, sizeof(to), " to %g s", w->to);
	if (w->addr || w->addr_end)
		snprintf(addr, sizeof(addr), " at 0x%" PRIx64 "-0x%" PRIx64, w->addr, w->addr_end);
	if (w->pid)
		snprintf(pid, sizeof(pid), " of process %u", w->pid);
	snprintf(text, size, "%s%s%s%s", from, to, addr, pid);
	if (*text)
		memmove(text, text + 1, strlen(text));
}
