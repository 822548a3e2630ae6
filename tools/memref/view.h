/* SPDX-License-Identifier: GPL-2.0 */
/* The views: tables made of a model. */
#ifndef MEMREF_VIEW_H
#define MEMREF_VIEW_H

#include "../lib/table.h"
#include "model.h"

/**
 * struct view - a way to look at a recording
 * @name: on the command line
 * @about: what it shows, for --help
 * @make: fills a table; returns 0, or -1 without memory
 * @lacks: NULL, or returns -1 after saying what the model lacks for it
 * @plot: it has a script in plots/
 * @needs: VIEW_* the model must collect for it
 */
struct view {
	const char *name;
	const char *about;
	int (*make)(struct model *m, struct table *t);
	int (*lacks)(const struct model *m, char *error, size_t size);
	int plot;
	int needs;
};

/* The heat maps, by physical and by virtual address. */
enum { VIEW_HEAT = 1, VIEW_VIRT = 2 };

extern const struct view views[];

const struct view *view_find(const char *name);
int view_window(const struct view *v, const struct window *w, char *error, size_t size);
int view_make(const struct view *v, struct model *m, struct table *t, char *error, size_t size);

int view_summary(struct model *m, struct table *t);
int view_temporal(struct model *m, struct table *t);
int view_spatial(struct model *m, struct table *t);
int view_wss(struct model *m, struct table *t);

int lacks_groups(const struct model *m, char *error, size_t size);

#endif
