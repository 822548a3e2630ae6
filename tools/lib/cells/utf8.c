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
 * Decode the character at @text, of which @left bytes are there.  Return its length in bytes.
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
 * utf8_next() - take a character of text as valid UTF-8
 * @to: the character, terminated with a zero byte
 * @text: the text; not empty
 *
 * Invalid bytes, and control characters other than newlines and tabs, become U+FFFD.
 *
 * Return: the number of bytes of @text that are the character.
 */
size_t utf8_next(char to[UTF8_SIZE], const char *text)
{
	ucs4_t c;
	const size_t n = next_char(text, strnlen(text, UTF8_SIZE - 1), &c);

	to[u8_uctomb((uint8_t *)to, c, UTF8_SIZE - 1)] = '\0';
	return n;
}

/**
 * utf8_next_in_line() - take a character of text that is to stay on one line
 * @to: as of utf8_next(), but newlines and tabs become blanks
 * @text: the text; not empty
 *
 * Return: the number of bytes of @text that are the character.
 */
size_t utf8_next_in_line(char to[UTF8_SIZE], const char *text)
{
	const size_t n = utf8_next(to, text);

	if (*to == '\n' || *to == '\t')
		*to = ' ';
	return n;
}

/**
 * utf8_copy() - copy text as valid UTF-8
 * @to: the copy; terminated with a zero byte if @size is not 0
 * @size: size of @to, in bytes
 * @from: the text
 *
 * Characters become what utf8_next() makes of them.  Text that does not fit is cut between them.
 *
 * Return: the length of @to in bytes, without the zero.
 */
size_t utf8_copy(char *to, size_t size, const char *from)
{
	char c[UTF8_SIZE];
	size_t used = 0, n;

	if (!size)
		return 0;
	for (; *from; used += n) {
		from += utf8_next(c, from);
		n = strlen(c);
		if (used + n >= size)
			break;
		memcpy(to + used, c, n);
	}
	to[used] = 0;
	return used;
}

/**
 * utf8_print() - write text on one line, as valid UTF-8
 * @out: output
 * @text: the text
 *
 * Characters become what utf8_next_in_line() makes of them.
 */
void utf8_print(FILE *out, const char *text)
{
	char c[UTF8_SIZE];

	while (*text) {
		text += utf8_next_in_line(c, text);
		fputs(c, out);
	}
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
