// SPDX-License-Identifier: GPL-2.0
/* The list of the views. */
#include <string.h>

#include "view.h"

const struct view views[] = {
	{ "summary", "the recording in numbers", view_summary, 0, 0 },
	{ "temporal", "groups (LMBs) and pages referenced over time", view_temporal, 1, 0 },
	{ "spatial", "how often each group of physical memory was referenced", view_spatial, 1, 0 },
	{ "wss", "working set size over time", view_wss, 1, 0 },
	{ NULL, NULL, NULL, 0, 0 }
};

/**
 * view_find() - a view by its name
 * @name: the name
 *
 * Return: the view, or NULL.
 */
const struct view *view_find(const char *name)
{
	const struct view *v;

	for (v = views; v->name; v++)
		if (!strcmp(v->name, name))
			return v;
	return NULL;
}
