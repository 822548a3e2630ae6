// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Rules of types, as the kernel's files types and history_types have them. */
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

/* Copy the value of a field of a line of known_types. */
static void field(const char *line, const char *name, char *buf, size_t size)
{
	const char *at = strstr(line, name);
	size_t n;

	*buf = '\0';
	if (!at)
		return;
	at += strlen(name);
	n = strcspn(at, " \n");
	snprintf(buf, size, "%.*s", (int)n, at);
}

/* Does a rule, cache, cache:function or :function, match a type? */
static bool matches(const char *rule, const char *line)
{
	const char *colon = strchr(rule, ':');
	char cache[64], func[64], pattern[128];

	field(line, " cache=", cache, sizeof(cache));
	field(line, " func=", func, sizeof(func));
	snprintf(pattern, sizeof(pattern), "%.*s", colon ? (int)(colon - rule) : (int)strlen(rule), rule);
	if (*pattern && fnmatch(pattern, cache, 0))
		return false;
	return !colon || !colon[1] || !fnmatch(colon + 1, func, 0);
}

static bool matches_any(const char *rule, const char *known)
{
	const char *line, *next;
	char text[512];

	if (!strcmp(rule, "all"))
		return true;
	for (line = known; *line; line = next) {
		const size_t n = strcspn(line, "\n");

		next = line + n + (line[n] == '\n');
		snprintf(text, sizeof(text), "%.*s", (int)n, line);
		/* Classes of memory come first, and have no objects. */
		if ((strstr(text, " class=1 ") || strstr(text, " class=2 ")) && matches(rule, text))
			return true;
	}
	return false;
}

/**
 * rules_unmatched() - find the rules that match no type
 * @rules: the rules, separated by white space
 * @known: the kernel's file known_types
 * @buf: set to the rules without a match, separated by blanks
 * @size: of @buf
 *
 * Return: their number, or -1 without memory.
 */
int rules_unmatched(const char *rules, const char *known, char *buf, size_t size)
{
	char *copy = strdup(rules), *rule, *save = NULL;
	size_t used = 0;
	int nr = 0;

	if (!copy)
		return -1;
	*buf = '\0';
	for (rule = strtok_r(copy, " \t\n", &save); rule; rule = strtok_r(NULL, " \t\n", &save)) {
		if (matches_any(rule, known))
			continue;
		nr++;
		if (used + strlen(rule) + 2 <= size)
			used += snprintf(buf + used, size - used, "%s%s", used ? " " : "", rule);
	}
	free(copy);
	return nr;
}
