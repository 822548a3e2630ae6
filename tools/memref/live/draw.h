/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The screen of memref top. */
#ifndef MEMREF_DRAW_H
#define MEMREF_DRAW_H

#include "controls.h"

/**
 * struct shape - what is drawn on
 * @width: its columns
 * @height: its rows
 * @utf8: it can show UTF-8
 * @keys: there is a keyboard
 */
struct shape {
	int width, height;
	bool utf8, keys;
};

int top_draw(const struct top *t, struct controls *c, const struct shape *shape, uint64_t now_ns, FILE *f);

#endif
