// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The loop of memref top on a terminal: read, draw, take keys. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "draw.h"
#include "live.h"
#include "terminal.h"

#define CTRL_L 12

/* What a frame depends on; the rest changes by keys. */
struct stamp {
	uint64_t intervals, lost_events, seconds;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static struct stamp make_stamp(const struct top *t, uint64_t now)
{
	const uint64_t since = t->last.m.intervals ? t->last.m.intervals->scan.end_ns : t->start_ns;

	return (struct stamp){ t->intervals, t->lost_events, (now - since) / 1000000000 };
}

static int show(const struct top *t, struct controls *c, const struct shape *shape, uint64_t now)
{
	char *frame = NULL;
	size_t size;
	FILE *f = open_memstream(&frame, &size);
	int ret;

	if (!f)
		return -1;
	ret = top_draw(t, c, shape, now, f);
	if (fclose(f))
		ret = -1;
	if (!ret)
		terminal_put(frame);
	free(frame);
	return ret;
}

/* Take all keys that were pressed.  Return 1 to quit. */
static int take_keys(struct controls *c, struct top *t, bool *pressed)
{
	uint32_t key;

	while (terminal_key(&key)) {
		*pressed = true;
		if (key == CTRL_L)
			terminal_redraw();
		else if (controls_key(c, t, key))
			return 1;
	}
	return 0;
}

/**
 * live_run() - show rows as they come, on the terminal that terminal_open() took
 * @l: where they come from
 *
 * Return: 0 if the user quit, the terminal is gone, or @l->read ended it; -1 if out of
 * memory.
 */
int live_run(struct live *l)
{
	struct shape shape = { .utf8 = terminal_utf8(), .keys = terminal_keys() };
	struct stamp shown = { 0 }, stamp;
	struct controls controls;
	bool dirty = true;
	uint64_t now;

	controls_init(&controls);
	while (!l->read(l->ctx)) {
		dirty |= terminal_resumed();
		dirty |= terminal_resize(&shape.width, &shape.height);
		now = now_ns();
		stamp = make_stamp(l->top, now);
		if (dirty || memcmp(&stamp, &shown, sizeof(stamp))) {
			if (show(l->top, &controls, &shape, now))
				return -1;
			shown = stamp;
			dirty = false;
		}
		if (!terminal_wait(LIVE_POLL_MS) || (shape.keys && take_keys(&controls, l->top, &dirty)))
			return 0;
	}
	return 0;
}
