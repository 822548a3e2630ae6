// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The list of the views. */
#include <stdio.h>
#include <string.h>

#include "view.h"
#include "memref/model/window.h"

const struct view views[] = {
	{ "summary", "settings and figures of the recording", &summary_columns, view_summary },
	{ "temporal", "groups (LMBs) and pages referenced over time", &temporal_columns, view_temporal,
	  .plot = PLOT_ALL },
	{ "spatial", "how often each group of physical memory was referenced", &spatial_columns, view_spatial,
	  lacks_groups, .plot = PLOT_ALL },
	{ "wss", "working set size over time", &wss_columns, view_wss, .plot = PLOT_ALL },
	{ "heatmap", "pages referenced over time and physical memory", &heatmap_columns, view_heatmap, lacks_groups,
	  PLOT_ONE, VIEW_HEAT },
	{ "virtual", "pages referenced over time and virtual memory of a process", &virtual_columns, view_virtual,
	  lacks_virt, PLOT_NO_CLASS, VIEW_VIRT },
	{ "numa", "pages referenced over time on each node", &numa_columns, view_numa, lacks_nodes, PLOT_ONE },
	{ "tasks", "what each process referenced", &tasks_columns, view_tasks, lacks_tasks, PLOT_NONE, VIEW_TASKS },
	{ "thp", "whether huge pages would pay off", &thp_columns, view_thp, lacks_thp, PLOT_NO_CLASS,
	  VIEW_THP },
	{ "ages", "memory over time by the intervals since its last reference",
	  &ages_columns, view_ages, lacks_ages,
	  PLOT_NO_CLASS, VIEW_AGES, view_age_panels, age_panels_legend },
	{ "curve", "memory that could be reclaimed at each age, and how soon it is referenced again",
	  &curve_columns, view_curve, lacks_ages, PLOT_NO_CLASS, VIEW_AGES | VIEW_AGAIN, view_curve_ranks, curve_legend },
	{ "mappings", "what was referenced of each mapping, and whether huge pages would pay off for it",
	  &mappings_columns, view_mappings, lacks_mappings, PLOT_NONE, VIEW_MAPPINGS },
	{ "mapping-times", "memory referenced over time of the mappings referenced most",
	  &mapping_times_columns, view_mapping_times, lacks_mappings, PLOT_NO_CLASS, VIEW_MAPPINGS,
	  .legend = mapping_times_legend },
	{ }
};

/**
 * view_find() - look up a view by name
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

static bool has_mappings(const struct view *v, const struct window *w)
{
	return v->needs & (VIEW_VIRT | VIEW_THP | VIEW_MAPPINGS) || (v->needs & VIEW_AGES && ages_of_mappings(w->by));
}

static bool has_processes(const struct view *v, const struct window *w)
{
	return v->needs & VIEW_TASKS || has_mappings(v, w);
}

/* What a message about --pid or --mapping adds for a view that has them only with --by. */
static const char *without_by(const struct view *v)
{
	return (v->needs & (VIEW_AGES | VIEW_AGAIN)) == VIEW_AGES ?
	       ", except with --by process, mapping or file" : "";
}

/**
 * view_window() - check that a view supports a window
 * @v: the view
 * @w: the window
 * @error: set to the reason if it does not
 * @size: size of @error
 *
 * Return: 0, or -1 with @error set.
 */
int view_window(const struct view *v, const struct window *w, char *error, size_t size)
{
	char pids[128];

	if (w->addr_end && v->needs & (VIEW_TASKS | VIEW_AGES)) {
		snprintf(error, size, "--addr: the view %s does not distinguish addresses", v->name);
		return -1;
	}
	if (v->needs & VIEW_AGAIN && ages_of_mappings(w->by)) {
		snprintf(error, size, "--by %s: the view %s needs how much was referenced again, which is not recorded "
			 "of processes, mappings and files", age_by_names[w->by], v->name);
		return -1;
	}
	if (w->pids.nr && !has_processes(v, w)) {
		snprintf(error, size, "--pid %s: the view %s does not distinguish processes%s",
			 pids_text(&w->pids, pids, sizeof(pids)), v->name, without_by(v));
		return -1;
	}
	if (w->mapping && !has_mappings(v, w)) {
		snprintf(error, size, "--mapping %s: the view %s does not distinguish mappings%s", w->mapping, v->name,
			 without_by(v));
		return -1;
	}
	if (w->mapping && v->needs & VIEW_THP && !w->pids.nr) {
		snprintf(error, size, "--mapping %s: the view %s distinguishes mappings with --pid", w->mapping, v->name);
		return -1;
	}
	return 0;
}

/**
 * view_by() - what a view adds idle ages up by
 * @v: the view
 * @w: its window, whose @by is set
 * @by: the argument of --by, or -1
 * @otherwise: without --by
 * @error: set to the reason if the view has no ages
 * @size: size of @error
 *
 * Return: 0, or -1 with @error set.
 */
int view_by(const struct view *v, struct window *w, int by, enum age_by otherwise, char *error, size_t size)
{
	w->by = by < 0 ? otherwise : (enum age_by)by;
	if (by < 0 || v->needs & VIEW_AGES)
		return 0;
	snprintf(error, size, "--by %s: the view %s has no idle ages", age_by_names[by], v->name);
	return -1;
}

static int make(const struct view *v, int (*fill)(struct model *m, struct table *t), struct model *m,
		struct table *t, char *error, size_t size)
{
	memset(t, 0, sizeof(*t));
	if (v->lacks && v->lacks(m, error, size))
		return 1;
	if (!fill(m, t))
		return 0;
	snprintf(error, size, "no memory left");
	return -1;
}

/**
 * view_make() - make the table of a view
 * @v: the view
 * @m: a model with at least one interval
 * @t: the table; free it with table_free()
 * @error: set to the reason if there is no table
 * @size: size of @error
 *
 * Return: 0; with @error set, 1 if the recording lacks the view's data, or -1 if out
 * of memory.
 */
int view_make(const struct view *v, struct model *m, struct table *t, char *error, size_t size)
{
	return make(v, v->make, m, t, error, size);
}

/**
 * view_make_plot() - make the table that the plot of a view draws
 * @v: the view
 * @m: a model with at least one interval
 * @t: the table; free it with table_free()
 * @error: set to the reason if there is no table
 * @size: size of @error
 *
 * Return: as view_make().
 */
int view_make_plot(const struct view *v, struct model *m, struct table *t, char *error, size_t size)
{
	return make(v, v->make_plot ? v->make_plot : v->make, m, t, error, size);
}

/* struct view's @lacks, for views of groups. */
int lacks_groups(const struct model *m, char *error, size_t size)
{
	char window[160];

	if (m->groups)
		return 0;
	window_describe(&m->window, window, sizeof(window));
	snprintf(error, size, "no memory was referenced%s%s", *window ? " " : "", window);
	return -1;
}
