// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The keys of memref top: each changes what is shown, and nothing that is measured. */
#include <string.h>
#include <unistr.h>

#include "controls.h"

#define CTRL(c) ((c) & 0x1f)

const struct key_help key_helps[] = {
	{ "h ?", "this list; any key leaves it" },
	{ "q", "quit" },
	{ "p space", "pause the display, or go on; sampling goes on" },
	{ "< >", "sort by the column to the left, to the right" },
	{ "r", "reverse the order" },
	{ "a", "processes, or memory by idle age (memref top --ages)" },
	{ "/ f", "show only rows with a text in name or pid" },
	{ "", "(Enter keeps it, Esc cancels; empty: all)" },
	{ "u", "units: automatic, KiB, MiB, GiB, % of memory" },
	{ "arrows", "scroll (PgUp, PgDn, Home, End); sort (left, right)" },
	{ "Ctrl-L", "draw the screen again" },
	{ NULL, NULL }
};

/**
 * controls_init() - what is shown before a key is pressed
 * @c: set to that
 */
void controls_init(struct controls *c)
{
	*c = (struct controls){ .sort = { [LIST_TASKS] = SORT_USED, [LIST_IDLE] = IDLE_8 } };
}

/* Append a character; drop it if there is no space, or if it controls a terminal. */
static void append(char *text, size_t size, uint32_t key)
{
	const size_t n = strlen(text);
	int bytes;

	if (key < 0x20 || (key >= 0x7f && key < 0xa0))
		return;
	bytes = u8_uctomb((uint8_t *)text + n, key, size - 1 - n);
	text[n + (bytes > 0 ? bytes : 0)] = '\0';
}

static void remove_last(char *text)
{
	const uint8_t *end = (const uint8_t *)text + strlen(text);
	const uint8_t *last = u8_prev(&(ucs4_t){ 0 }, end, (const uint8_t *)text);

	text[last ? last - (const uint8_t *)text : 0] = '\0';
}

static void edit(struct controls *c, uint32_t key)
{
	switch (key) {
	case PRESS_ENTER:
		c->editing = false;
		break;
	case PRESS_ESCAPE:
		c->editing = false;
		strcpy(c->filter, c->before);
		break;
	case PRESS_BACKSPACE:
		remove_last(c->filter);
		break;
	case CTRL('U'):
		c->filter[0] = '\0';
		break;
	default:
		append(c->filter, sizeof(c->filter), key);
	}
	c->first = 0;
}

/* Return whether the key scrolls. */
static bool scroll(struct controls *c, uint32_t key)
{
	const size_t page = c->rows ? c->rows : 1;

	switch (key) {
	case PRESS_UP: c->first -= c->first > 0; break;
	case PRESS_DOWN: c->first++; break;
	case PRESS_PAGE_UP: c->first -= c->first < page ? c->first : page; break;
	case PRESS_PAGE_DOWN: c->first += page; break;
	case PRESS_HOME: c->first = 0; break;
	case PRESS_END: c->first = SIZE_MAX / 2; break;
	default: return false;
	}
	return true;
}

/**
 * controls_key() - do what a key stands for
 * @c: what the keys have chosen
 * @t: what is shown; only paused, or no longer
 * @key: a code point, or one of enum key; unknown ones do nothing
 *
 * Return: whether to quit.
 */
bool controls_key(struct controls *c, struct top *t, uint32_t key)
{
	static const int sorts[NR_LISTS] = { [LIST_TASKS] = NR_SORTS, [LIST_IDLE] = NR_IDLE_SORTS };
	int *sort = &c->sort[c->list];

	if (c->editing) {
		edit(c, key);
		return false;
	}
	if (c->help) {
		c->help = false;
		return false;
	}
	if (scroll(c, key))
		return false;
	switch (key) {
	case 'q':
		return true;
	case 'h':
	case '?':
		c->help = true;
		break;
	case 'p':
	case ' ':
		top_pause(t, !t->paused);
		break;
	case '<':
	case PRESS_LEFT:
		*sort -= *sort > 0;
		c->first = 0;
		break;
	case '>':
	case PRESS_RIGHT:
		*sort += *sort < sorts[c->list] - 1;
		c->first = 0;
		break;
	case 'r':
		c->reverse = !c->reverse;
		c->first = 0;
		break;
	case 'a':
		c->list = (c->list + 1) % NR_LISTS;
		c->first = 0;
		break;
	case 'u':
		c->unit = (c->unit + 1) % NR_UNITS;
		break;
	case '/':
	case 'f':
		c->editing = true;
		strcpy(c->before, c->filter);
		break;
	}
	return false;
}
