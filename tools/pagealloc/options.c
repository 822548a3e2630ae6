// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Options of several verbs. */
#include <errno.h>
#include <string.h>

#include "cli.h"

static const struct {
	const char *name;
	unsigned int flag;
} inherits[] = {
	{ "fork", PAGE_HINTS_FORK_DEFAULT }, { "exec", PAGE_HINTS_EXEC_DEFAULT },
	{ "ranges", PAGE_HINTS_FORK_RANGES },
};

#define NR_INHERITS (sizeof(inherits) / sizeof(inherits[0]))

/* Set @flags to PAGE_HINTS_* by words with commas between them, or "none". */
static int inherit_parse(const char *text, unsigned int *flags)
{
	const char *s = text;
	size_t i, n;

	*flags = 0;
	if (!strcmp(text, "none"))
		return OK;
	for (;;) {
		n = strcspn(s, ",");
		for (i = 0; i < NR_INHERITS; i++)
			if (strlen(inherits[i].name) == n && !strncmp(s, inherits[i].name, n))
				break;
		if (i == NR_INHERITS)
			return wrong_usage("--inherit %s: not fork, exec, ranges or none", text);
		*flags |= inherits[i].flag;
		if (!s[n])
			return OK;
		s += n + 1;
	}
}

/**
 * inherit_print() - format inheritance flags as --inherit's argument
 * @buf: set to the text
 * @size: size of @buf
 * @flags: PAGE_HINTS_*
 */
void inherit_print(char *buf, size_t size, unsigned int flags)
{
	size_t i, n = 0;

	snprintf(buf, size, "none");
	for (i = 0; i < NR_INHERITS && n < size; i++)
		if (flags & inherits[i].flag)
			n += snprintf(buf + n, size - n, "%s%s", n ? "," : "", inherits[i].name);
}

/** hint_request_flag() - handle --order0 or --locked.  Return: OK */
int hint_request_flag(const struct opt *o, const char *value)
{
	struct hint_request *w = o->to;

	(void)value;
	w->flags |= strcmp(o->name, "order0") ? PAGE_HINT_LOCKED : PAGE_HINT_ORDER0;
	return OK;
}

/** hint_request_inherit() - handle --inherit.  Return: OK, or USAGE with a message printed */
int hint_request_inherit(const struct opt *o, const char *value)
{
	struct hint_request *w = o->to;

	w->inherit = value;
	return inherit_parse(value, &w->inherit_flags);
}

/**
 * hint_request_parse() - parse the requested hint
 * @w: the request; free @w->hint with pagealloc_hint_free()
 *
 * Return: OK, or an exit status with a message printed.
 */
int hint_request_parse(struct hint_request *w)
{
	char error[512];
	int ret;

	if (w->flags && !w->strategy)
		return wrong_usage("%s: only with --strategy", w->flags & PAGE_HINT_ORDER0 ? "--order0" : "--locked");
	ret = w->strategy ? pagealloc_hint_parse(w->strategy, w->flags, &w->hint, error, sizeof(error)) : 0;
	if (ret == -ENOMEM)
		return complain(FAILED, "--strategy %s", error);
	return ret ? wrong_usage("--strategy %s", error) : OK;
}
