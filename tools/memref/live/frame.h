/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * A frame: the rows of a screen as text.
 *
 * A row ends with a newline.  A byte of enum style sets the style of the text after it, up
 * to the next such byte or the end of the row; names are cleaned and cannot contain one.
 */
#ifndef MEMREF_FRAME_H
#define MEMREF_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum style {
	STYLE_PLAIN = 1, STYLE_TITLE, STYLE_HEAD, STYLE_MARK, STYLE_USED, STYLE_WRITTEN,
	STYLE_WARN, STYLE_NOTE, NR_STYLES
};

/**
 * struct frame - a frame that is written row by row
 * @f: the text
 * @width: columns of the screen
 * @height: rows of the screen
 * @utf8: the screen can show UTF-8
 * @row: index of the current row
 * @column: columns of the current row that are taken
 */
struct frame {
	FILE *f;
	int width, height;
	bool utf8;
	int row, column;
};

void frame_put(struct frame *s, enum style style, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void frame_fill(struct frame *s, enum style style, const char *text, int n);
void frame_end(struct frame *s);
int frame_left(const struct frame *s);
int frame_name(const struct frame *s, char *to, size_t size, const char *name);

#endif
