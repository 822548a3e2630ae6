/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* What the keys of memref top have chosen. */
#ifndef MEMREF_CONTROLS_H
#define MEMREF_CONTROLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "top.h"

/* The lists, one of which is shown, and the columns that they can be sorted by. */
enum list { LIST_TASKS, LIST_IDLE, NR_LISTS };
enum task_sort { SORT_PID, SORT_COMMAND, SORT_USED, SORT_WRITTEN, SORT_RSS, NR_SORTS };
enum idle_sort { IDLE_NAME, IDLE_ALL, IDLE_USED, IDLE_8, IDLE_128, NR_IDLE_SORTS };

/* Of the machine's memory: UNIT_PERCENT. */
enum unit { UNIT_AUTO, UNIT_KIB, UNIT_MIB, UNIT_GIB, UNIT_PERCENT, NR_UNITS };

/* Keys that are no character; characters are their code points. */
enum key {
	CHAR_MAX_CODE = 0x10ffff,
	PRESS_UP, PRESS_DOWN, PRESS_LEFT, PRESS_RIGHT, PRESS_PAGE_UP, PRESS_PAGE_DOWN,
	PRESS_HOME, PRESS_END, PRESS_BACKSPACE, PRESS_ENTER, PRESS_ESCAPE, PRESS_OTHER
};

#define FILTER_SIZE 64

/**
 * struct controls - what the keys have chosen
 * @list: the list that is shown
 * @sort: the column that each list is sorted by
 * @reverse: the other way round
 * @unit: unit of memory
 * @first: index of the first row of the list that is shown; top_draw() limits it
 * @rows: rows of the list that top_draw() showed
 * @help: the list of keys is shown
 * @editing: @filter is being typed
 * @filter: show only rows with this text in their name or pid; empty: all
 * @before: the filter before it was edited
 */
struct controls {
	enum list list;
	int sort[NR_LISTS];
	bool reverse;
	enum unit unit;
	size_t first, rows;
	bool help, editing;
	char filter[FILTER_SIZE], before[FILTER_SIZE];
};

/* Rows of the list of keys. */
struct key_help {
	const char *keys, *about;
};

extern const struct key_help key_helps[];

void controls_init(struct controls *c);
bool controls_key(struct controls *c, struct top *t, uint32_t key);

#endif
