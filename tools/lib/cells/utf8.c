// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * Sanitizes text of unknown origin to valid UTF-8.
 *
 * Names and arguments of processes may be any bytes.  JSON can hold valid UTF-8 only,
 * and a terminal interprets control characters.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistr.h>
#include <uniwidth.h>

#include "utf8.h"

#define REPLACEMENT	0xfffd

/*
 * Decode the character at @text.  Return its length in bytes.
 *
 * What is not UTF-8 is replaced as Unicode recommends (chapter 3.9, "Substitution of
 * Maximal Subparts"): the longest part that begins a character becomes one U+FFFD, as does
 * each byte that cannot begin one.  u8_mbtouc() does that only since libunistring 1.3; what
 * u8_mbtoucr() returns for a beginning is the same in all versions.
 */
static int next_char(const char *text, size_t left, ucs4_t *c)
{
	const uint8_t *bytes = (const uint8_t *)text;
	int n = u8_mbtoucr(c, bytes, left);

	if (n < 0) {
		*c = REPLACEMENT;
		for (n = 1; (size_t)n < left && u8_mbtoucr(&(ucs4_t){ 0 }, bytes, n + 1) == -2; n++)
			;
	}
	/* Keep newlines and tabs; replace other control characters. */
	if ((*c < 0x20 && *c != '\n' && *c != '\t') || (*c >= 0x7f && *c < 0xa0))
		*c = REPLACEMENT;
	return n;
}

/**
 * utf8_copy() - copy text as valid UTF-8
 * @to: the copy; terminated with a zero byte if @size is not 0
 * @size: size of @to, in bytes
 * @from: the text
 *
 * Invalid bytes, and control characters other than newlines and tabs, become U+FFFD.
 * Text that does not fit is cut between characters.
 *
 * Return: the length of @to in bytes, without the zero.
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
 * Return: a copy as by utf8_copy(), to be freed; NULL if out of memory.
 */
char *utf8_clean(const char *text)
{
	/* A byte becomes at most three: U+FFFD. */
	size_t size = 3 * strlen(text) + 1;
	char *copy = malloc(size), *shorter;

	if (!copy)
		return NULL;
	shorter = realloc(copy, utf8_copy(copy, size, text) + 1);
	return shorter ? shorter : copy;
}

/**
 * utf8_fit() - the part of a text that fits into columns of a terminal
 * @text: valid UTF-8 without newlines
 * @width: number of columns
 * @columns: set to the columns that the part occupies
 *
 * Return: length of the part in bytes; characters are not cut.
 */
size_t utf8_fit(const char *text, int width, int *columns)
{
	size_t left = strlen(text), fits = 0;
	ucs4_t c;
	int w, n;

	*columns = 0;
	for (; left; text += n, left -= n) {
		n = next_char(text, left, &c);
		w = uc_width(c, "UTF-8");
		if (*columns + (w < 0 ? 1 : w) > width)
			break;
		*columns += w < 0 ? 1 : w;
		fits += n;
	}
	return fits;
}

/**
 * utf8_width() - columns that text occupies on a terminal
 * @text: valid UTF-8 without newlines
 *
 * Return: number of columns; a newline or tab counts as one.
 */
int utf8_width(const char *text)
{
	int columns;

	utf8_fit(text, INT_MAX, &columns);
	return columns;
}
