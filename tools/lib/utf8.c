// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Text of unknown origin as valid UTF-8.
 *
 * A process may have any bytes for its name and arguments.  JSON has no way to
 * write those that are not UTF-8, and a terminal obeys control characters.
 */
#include <stdlib.h>
#include <string.h>
#include <unistr.h>
#include <uniwidth.h>

#include "utf8.h"

#define REPLACEMENT	0xfffd

/* The character at @text and how many bytes it has there. */
static int next_char(const char *text, size_t left, ucs4_t *c)
{
	int n = u8_mbtouc(c, (const uint8_t *)text, left);

	/* Line ends and tabs are text; other control characters are not. */
	if ((*c < 0x20 && *c != '\n' && *c != '\t') || (*c >= 0x7f && *c < 0xa0))
		*c = REPLACEMENT;
	return n;
}

/**
 * utf8_copy() - copy text as valid UTF-8
 * @to: where to; ends with a zero byte if @size is not 0
 * @size: of @to, in bytes
 * @from: the text
 *
 * What is not UTF-8, and control characters but line ends and tabs, become U+FFFD.
 * Text that is too long is cut between characters.
 *
 * Return: bytes in @to, without the zero.
 */
size_t utf8_copy(char *to, size_t size, const char *from)
{
	size_t left = strlen(from), used = 0;
	uint8_t bytes[6];
	ucs4_t c;
	int n;

	if (!size)
		return 0;
	while (left) {
		n = next_char(from, left, &c);
		from += n;
		left -= n;
		n = u8_uctomb(bytes, c, sizeof(bytes));
		if (n < 0 || used + n >= size)
			break;
		memcpy(to + used, bytes, n);
		used += n;
	}
	to[used] = 0;
	return used;
}

/**
 * utf8_clean() - a copy of text as valid UTF-8
 * @text: the text
 *
 * Return: the copy as utf8_copy() makes it, to be freed, or NULL without memory.
 */
char *utf8_clean(const char *text)
{
	/* A byte becomes three at most. */
	size_t size = 3 * strlen(text) + 1;
	char *copy = malloc(size), *shorter;

	if (!copy)
		return NULL;
	shorter = realloc(copy, utf8_copy(copy, size, text) + 1);
	return shorter ? shorter : copy;
}

/**
 * utf8_width() - columns that text takes on a terminal
 * @text: valid UTF-8 without line ends
 *
 * Return: columns; a line end or tab counts as one.
 */
int utf8_width(const char *text)
{
	size_t left = strlen(text);
	int width = 0, w, n;
	ucs4_t c;

	for (; left; text += n, left -= n) {
		n = next_char(text, left, &c);
		w = uc_width(c, "UTF-8");
		width += w < 0 ? 1 : w;
	}
	return width;
}
