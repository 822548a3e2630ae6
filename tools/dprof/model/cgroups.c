// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The paths of control groups, by the ids that samples have. */
#include <stdlib.h>
#include <string.h>

#include "model.h"

struct cgroup {
	uint64_t id;
	UT_hash_handle hh;
	char path[];
};

/** model_name_cgroup() - the path of a control group.  Return: 0, or -1 without memory */
int model_name_cgroup(struct model *m, const struct cgroup_event *e)
{
	const size_t size = strlen(e->path) + 1;
	struct cgroup *g;

	HASH_FIND(hh, m->cgroups, &e->id, sizeof(e->id), g);
	if (g)
		return 0;
	g = malloc(sizeof(*g) + size);
	if (!g)
		return -1;
	g->id = e->id;
	memcpy(g->path, e->path, size);
	HASH_ADD(hh, m->cgroups, id, sizeof(g->id), g);
	return 0;
}

/** model_cgroup() - the path of a control group, or NULL if the recording has none */
const char *model_cgroup(const struct model *m, uint64_t id)
{
	struct cgroup *g;

	HASH_FIND(hh, m->cgroups, &id, sizeof(id), g);
	return g ? g->path : NULL;
}

/** model_free_cgroups() - forget them */
void model_free_cgroups(struct model *m)
{
	struct cgroup *g, *next;

	HASH_ITER(hh, m->cgroups, g, next) {
		HASH_DEL(m->cgroups, g);
		free(g);
	}
}
