// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Reading recordings for the verbs, with progress and error messages. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "memref.h"
#include "memref/view/view.h"

/* Finer than a plot can show; takes about 20 MB. */
#define MAX_HEAT_CELLS (128 * 1024)

/* Called on a terminal only; prints once reading takes longer than a second. */
static void show_progress(double share)
{
	static time_t begin;

	if (!begin)
		begin = time(NULL);
	else if (time(NULL) - begin > 1)
		fprintf(stderr, "\rmemref: %3.0f %% read\r", 100 * share);
}

/**
 * load_recording() - read a recording into a model, and print errors
 * @path: the file
 * @window: the part to read
 * @needs: VIEW_*: what to collect beside the intervals
 * @m: the model; of a damaged file, the intervals that could be read
 *
 * Return: OK, or FAILED with a message printed.
 */
int load_recording(const char *path, const struct window *window, int needs, struct model *m)
{
	char error[512];

	model_init(m);
	m->window = *window;
	if (needs & VIEW_HEAT)
		m->heat.max_cells = MAX_HEAT_CELLS;
	if (needs & VIEW_VIRT)
		m->virt.max_cells = MAX_HEAT_CELLS;
	m->ages.by = window->by;
	m->thp.collect = needs & VIEW_THP;
	m->mappings.collect = needs & VIEW_MAPPINGS;
	if (reader_read(path, m, !quiet && isatty(STDERR_FILENO) ? show_progress : NULL, error, sizeof(error)))
		return complain(FAILED, "%s", error);
	return OK;
}

/**
 * warn_lost_ages() - print that lost events may make a view of idle ages incomplete
 * @m: the model
 * @view: the view
 */
void warn_lost_ages(const struct model *m, const struct view *view)
{
	if (m->lost_events && view->needs & VIEW_AGES)
		complain(OK, "%" PRIu64 " events were lost: ages of some intervals may be missing", m->lost_events);
}

/**
 * read_rows() - read a recording row by row, and print errors
 * @path: the file
 * @r: its row() is called for each row; of a damaged file, for those that can be read
 *
 * Return: OK, FAILED with a message printed, or what @r->row returned.
 */
int read_rows(const char *path, struct reader *r)
{
	char error[512];
	int ret;

	r->progress = !quiet && isatty(STDERR_FILENO) ? show_progress : NULL;
	ret = reader_each(path, r, error, sizeof(error));
	return *error ? complain(FAILED, "%s", error) : ret;
}
