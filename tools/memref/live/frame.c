// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* A frame: the rows of a screen as text, none wider than the screen. */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "lib/cells/utf8.h"
#include "frame.h"

#define MAX_TEXT 1024

static void put_text(struct frame *s, enum style style, const char *text)
{
	int columns;
	size_t n;

	if (!frame_left(s))
		return;
	n = utf8_fit(text, s->width - s->column, &columns);
	fprintf(s->f, "%c%.*s", style, (int)n, text);
	/* What comes after a character that is too wide would be out of place. */
	s->column = text[n] ? s->width : s->column + columns;
}

/**
 * frame_put() - write text in the current row
 * @s: the frame
 * @style: style of the text
 * @fmt: as of printf(); valid UTF-8 without control characters
 *
 * Text that is too wide for the screen is cut.
 */
void frame_put(struct frame *s, enum style style, const char *fmt, ...)
{
	char text[MAX_TEXT];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	put_text(s, style, text);
}

/**
 * frame_fill() - write a text several times
 * @s: the frame
 * @style: its style
 * @text: the text
 * @n: number of times
 */
void frame_fill(struct frame *s, enum style style, const char *text, int n)
{
	while (n-- > 0)
		put_text(s, style, text);
}

/**
 * frame_end() - end the current row
 * @s: the frame
 */
void frame_end(struct frame *s)
{
	if (!frame_left(s))
		return;
	fputc('\n', s->f);
	s->row++;
	s->column = 0;
}

/**
 * frame_left() - number of rows that are left, the current one included
 * @s: the frame
 *
 * Return: the number; 0: what is written is dropped.
 */
int frame_left(const struct frame *s)
{
	return s->row < s->height ? s->height - s->row : 0;
}

/**
 * frame_name() - make a name of unknown origin fit for the screen
 * @s: the frame
 * @to: the name for frame_put()
 * @size: size of @to
 * @name: any bytes
 *
 * Return: columns of @to.
 */
int frame_name(const struct frame *s, char *to, size_t size, const char *name)
{
	const char *from;
	char *end = to;

	utf8_copy(to, size, name);
	for (from = to; *from; from++) {
		/* A character becomes one mark, not one for each of its bytes. */
		if (!s->utf8 && (*from & 0xc0) == 0x80)
			continue;
		*end++ = iscntrl((unsigned char)*from) || (!s->utf8 && !isascii(*from)) ? '?' : *from;
	}
	*end = '\0';
	return utf8_width(to);
}
