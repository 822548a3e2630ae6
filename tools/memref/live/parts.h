/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Parts of memref top's screen: amounts of memory, bars, the history, lists. */
#ifndef MEMREF_PARTS_H
#define MEMREF_PARTS_H

#include "controls.h"
#include "frame.h"

/* All amounts are as wide: "  123.4 MiB". */
#define UNIT_WIDTH	11
#define UNIT_SIZE	32

void format_pages(char to[UNIT_SIZE], uint64_t pages, enum unit unit, uint64_t memory);
const char *skip_blanks(const char *text);
void draw_percent(struct frame *s, uint64_t pages, uint64_t memory);
void draw_bar(struct frame *s, enum style style, double share, int width);
void draw_level(struct frame *s, uint64_t pages, uint64_t high);
uint64_t history_most(const struct top *t);
void draw_class(struct frame *s, const struct top *t, const char *name, int line, uint64_t pages,
		uint64_t full, enum unit unit);
int draw_idle(struct frame *s, const struct top *t, struct controls *c);
int draw_tasks(struct frame *s, const struct top *t, struct controls *c);

#endif
