// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* What a statement assigns to: text of C or C++, without its grammar. */
#include <ctype.h>
#include <string.h>

#include "names.h"

#define MAX_DEPTH	32
#define MAX_NAME	60

/* "if (", "while (", "for (" and "switch (" are no part of a name. */
static bool is_control(const char *begin, const char *paren)
{
	static const char * const words[] = { "if", "for", "while", "switch" };
	size_t i, n;

	while (paren > begin && isspace((unsigned char)paren[-1]))
		paren--;
	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		n = strlen(words[i]);
		if ((size_t)(paren - begin) >= n && !memcmp(paren - n, words[i], n) &&
		    (paren - n == begin || !(isalnum((unsigned char)paren[-n - 1]) || paren[-n - 1] == '_')))
			return true;
	}
	return false;
}

static bool is_assignment(const char *text, const char *p)
{
	return *p == '=' && p[1] != '=' && p > text && !strchr("=!<>+-*/%&|^", p[-1]);
}

/* Behind words that a statement may begin with. */
static char *skip_words(char *begin, const char *end)
{
	static const char * const words[] = { "else", "do", "return", "const", "static", "constexpr" };
	size_t i, n;

again:
	while (begin < end && isspace((unsigned char)*begin))
		begin++;
	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		n = strlen(words[i]);
		if ((size_t)(end - begin) > n && !strncmp(begin, words[i], n) && isspace((unsigned char)begin[n])) {
			begin += n;
			goto again;
		}
	}
	return begin;
}

/* Strings, characters and comments are blanks. */
static void blank_literals(char *text)
{
	char *p, *end;

	for (p = text; *p; p++) {
		if (*p == '/' && p[1] == '/')
			end = p + strcspn(p, "\n") - 1;
		else if (*p == '/' && p[1] == '*')
			end = (end = strstr(p + 2, "*/")) ? end + 1 : p + strlen(p) - 1;
		else if (*p != '"' && *p != '\'')
			continue;
		else
			for (end = p + 1; *end && *end != *p; end++)
				end += *end == '\\' && end[1];
		for (; p <= end && *p; p++)
			*p = *p == '\n' ? '\n' : ' ';
		p--;
	}
}

/**
 * left_of_assignment() - "	s->basis = makeMatrix(n);" gives "s->basis"
 * @text: statements, of which the last that assigns counts; overwritten
 *
 * Return: a part of the text, or NULL if nothing is assigned.
 */
char *left_of_assignment(char *text)
{
	char *opened[MAX_DEPTH], *begin = text, *end = NULL, *found = NULL, *found_end = NULL, *p;
	int depth = 0;

	blank_literals(text);
	for (p = text; *p; p++) {
		if (strchr(";{}", *p)) {
			begin = p + 1;
			end = NULL;
			depth = *p == ';' ? depth : 0;
		} else if (!end && !depth && *p == ':' && p[1] != ':' && p > text && p[-1] != ':') {
			begin = p + 1;		/* a label */
		} else if (end) {
			continue;
		} else if (*p == '(') {
			if (depth < MAX_DEPTH)
				opened[depth] = is_control(begin, p) ? NULL : begin;
			depth++;
			begin = p + 1;
		} else if (*p == ')') {
			/* What is behind a cast or a call goes on with what was before it. */
			depth -= depth > 0;
			begin = depth < MAX_DEPTH && opened[depth] && begin > opened[depth] && !memchr(begin, ';', p - begin) ?
				opened[depth] : p + 1;
		} else if (is_assignment(text, p)) {
			found = begin;
			found_end = end = p;
		}
	}
	if (!found)
		return NULL;
	found = skip_words(found, found_end);
	for (end = found_end; end > found && isspace((unsigned char)end[-1]); end--)
		;
	*end = '\0';
	/* A line's end is as good as a blank. */
	for (p = found; *p; p++)
		if (isspace((unsigned char)*p))
			*p = ' ';
	return end > found && end - found < MAX_NAME ? found : NULL;
}

/** ends_statement() - whether the next line begins another one */
bool ends_statement(const char *line)
{
	const char *end = line + strlen(line), *comment = strstr(line, "//");

	if (comment)
		end = comment;
	while (end > line && isspace((unsigned char)end[-1]))
		end--;
	return end == line || strchr(";{}:", end[-1]) || line[strspn(line, " \t")] == '#' ||
	       (end - line > 1 && end[-1] == '/' && end[-2] == '*');
}
