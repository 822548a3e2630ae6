// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Path traces: merges paths of some offsets of an object into one of all watched offsets
 * (sections 4.3 and 4.4 of the paper).
 *
 * A path covers the offsets that were watched together, its group.  Paths of two groups are
 * compatible if they have the same instructions at their common offsets, and the same
 * allocation and free.  The accesses of compatible paths are sorted topologically: the order
 * of each path is kept; accesses that no path orders are ordered by their mean times.
 */
#include <stdlib.h>
#include <string.h>

#include "paths.h"

/* Maximum number of traces of a type; the rarest paths are left out. */
#define MAX_TRACES	512
/* Paths of a group, the most frequent first, that are tested for compatibility with a trace. */
#define MAX_TRIED	64

struct group {
	size_t first, nr;		/* in the paths, sorted by group and count */
	uint64_t count;
};

/* An access of the trace being built. */
struct node {
	struct element e;
	double since, weight;
	uint32_t before;		/* chains with a predecessor that is not yet output */
	bool out;
};

struct merge {
	struct path **paths;		/* of the type */
	size_t nr_paths;
	bool *used;
	struct group *groups;
	size_t nr_groups;

	/* The trace being built. */
	size_t *chosen, nr_chosen;	/* its paths, one of each group */
	uint32_t **chain;		/* the nodes of each path's elements, in order */
	int32_t offset[256];
	uint32_t nr_offsets;
	struct node *nodes;
	uint32_t nr_nodes, capacity;
	uint16_t nr_cpus;
};

static int by_group(const void *a, const void *b)
{
	const struct path *x = *(struct path * const *)a, *y = *(struct path * const *)b;
	int order = memcmp(x->offset, y->offset, sizeof(x->offset));

	if (x->slots != y->slots)
		return x->slots < y->slots ? 1 : -1;
	if (order)
		return order;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static bool same_group(const struct path *a, const struct path *b)
{
	return a->slots == b->slots && !memcmp(a->offset, b->offset, sizeof(a->offset));
}

static bool covered(const struct merge *g, int32_t offset)
{
	uint32_t i;

	for (i = 0; i < g->nr_offsets; i++)
		if (g->offset[i] == offset)
			return true;
	return false;
}

static struct node *find_node(struct merge *g, int32_t offset, uint32_t k)
{
	uint32_t i;

	for (i = 0; i < g->nr_nodes; i++)
		if (g->nodes[i].e.offset == offset && g->nodes[i].e.rank == k)
			return &g->nodes[i];
	return NULL;
}

/* The trace's labels of a path's CPUs; -1: not known yet. */
struct cpu_map {
	int to[64];
};

static bool map_cpu(struct cpu_map *map, uint16_t from, uint16_t to)
{
	int i;

	if (map->to[from] >= 0)
		return map->to[from] == to;
	for (i = 0; i < 64; i++)
		if (map->to[i] == to)
			return false;
	map->to[from] = to;
	return true;
}

/*
 * Return whether a path is compatible with the trace.  @shared: set to the number of common
 * offsets; @map: set to the trace's labels of the path's CPUs.
 */
static bool compatible(struct merge *g, const struct path *p, struct cpu_map *map,
		       uint32_t *shared)
{
	const struct path *seed = g->paths[g->chosen[0]];
	uint32_t i, s, total = 0;

	memset(map, 0xff, sizeof(*map));
	map->to[0] = 0;
	*shared = 0;
	if (p->how != seed->how || p->alloc_ip != seed->alloc_ip || p->free_ip != seed->free_ip ||
	    !p->free_cpu != !seed->free_cpu)
		return false;
	for (s = 0; s < p->slots; s++)
		*shared += covered(g, p->offset[s]);
	for (i = 0; i < p->nr; i++) {
		const struct element *e = &p->element[i];
		const struct node *n;

		if (!covered(g, e->offset))
			continue;
		n = find_node(g, e->offset, e->rank);
		if (!n || n->e.ip != e->ip || !map_cpu(map, e->cpu, n->e.cpu))
			return false;
		total++;
	}
	/* The trace must not have more accesses at the common offsets than the path. */
	for (i = 0; i < g->nr_nodes; i++)
		for (s = 0; s < p->slots; s++)
			if (g->nodes[i].e.offset == p->offset[s])
				total--;
	return !total;
}

static int add_node(struct merge *g, const struct path *p, uint32_t i, uint16_t cpu)
{
	struct node *n;

	if (g->nr_nodes == g->capacity) {
		uint32_t capacity = g->capacity * 2 + 64;

		n = realloc(g->nodes, capacity * sizeof(*n));
		if (!n)
			return -1;
		g->nodes = n;
		g->capacity = capacity;
	}
	n = &g->nodes[g->nr_nodes++];
	memset(n, 0, sizeof(*n));
	n->e = p->element[i];
	n->e.cpu = cpu;
	/* Loops of two groups cannot be merged: keep one iteration of each. */
	n->e.repeats = 0;
	n->e.turns = 0;
	n->e.loop = 0;
	return 0;
}

static int choose(struct merge *g, size_t index, struct cpu_map *map)
{
	const struct path *p = g->paths[index];
	uint32_t i, s;
	uint16_t cpu;
	uint32_t *chain = malloc((p->nr + 1) * sizeof(*chain));

	if (!chain)
		return -1;
	g->chain[g->nr_chosen] = chain;
	g->chosen[g->nr_chosen++] = index;
	g->used[index] = true;
	for (i = 0; i < p->nr; i++) {
		const struct element *e = &p->element[i];
		struct node *n = find_node(g, e->offset, e->rank);

		if (map->to[e->cpu] < 0) {
			for (cpu = 0; cpu < 63 && !map_cpu(map, e->cpu, cpu); cpu++)
				;
		}
		cpu = map->to[e->cpu] < 0 ? 0 : map->to[e->cpu];
		if (!n) {
			if (add_node(g, p, i, cpu))
				return -1;
			n = &g->nodes[g->nr_nodes - 1];
		}
		chain[i] = n - g->nodes;
		n->since += e->since;
		n->weight += p->count;
		n->e.repeats += e->repeats;
		n->e.turns += e->turns;
	}
	for (s = 0; s < p->slots; s++)
		if (!covered(g, p->offset[s]) && g->nr_offsets < 256)
			g->offset[g->nr_offsets++] = p->offset[s];
	return 0;
}

static bool group_chosen(const struct merge *g, const struct group *group)
{
	size_t i;

	for (i = 0; i < g->nr_chosen; i++)
		if (g->chosen[i] >= group->first && g->chosen[i] < group->first + group->nr)
			return true;
	return false;
}

/*
 * Find the compatible path with the most common offsets, if possible one that is in no other
 * trace yet, and in its group the most frequent such.  Return its index or -1.
 */
static ssize_t best_path(struct merge *g, struct cpu_map *best_map)
{
	uint32_t shared, best_shared = 0;
	ssize_t best = -1;
	struct cpu_map map;
	size_t i, j;

	for (i = 0; i < g->nr_groups; i++) {
		const struct group *group = &g->groups[i];

		if (group_chosen(g, group))
			continue;
		for (j = group->first; j < group->first + group->nr &&
		     j < group->first + MAX_TRIED; j++) {
			if (!compatible(g, g->paths[j], &map, &shared))
				continue;
			if (best < 0 || shared > best_shared ||
			    (shared == best_shared && g->used[best] && !g->used[j])) {
				best = j;
				best_shared = shared;
				*best_map = map;
			}
			if (!g->used[j])
				break;
		}
	}
	return best;
}

/* Return whether each pair of the trace's offsets was watched together. */
static bool all_pairs(const struct merge *g)
{
	uint32_t a, b, s, t;
	size_t i;

	for (a = 0; a < g->nr_offsets; a++) {
		for (b = a + 1; b < g->nr_offsets; b++) {
			bool found = false;

			for (i = 0; i < g->nr_chosen && !found; i++) {
				const struct path *p = g->paths[g->chosen[i]];

				for (s = 0, t = 0; s < p->slots; s++)
					t += p->offset[s] == g->offset[a] ||
					     p->offset[s] == g->offset[b];
				found = t == 2;
			}
			if (!found)
				return false;
		}
	}
	return true;
}

/*
 * The earliest node without a predecessor in any chain.  If the chains contradict each other,
 * there may be none: then the earliest node.
 */
static struct node *next_node(struct merge *g)
{
	struct node *first = NULL, *n;

	for (n = g->nodes; n < g->nodes + g->nr_nodes; n++) {
		if (n->out)
			continue;
		if (!first || (!n->before && first->before) ||
		    (!n->before == !first->before && n->since < first->since))
			first = n;
	}
	return first;
}

static void set_order(struct merge *g, struct element *to)
{
	uint32_t i, nr;
	size_t c;

	for (i = 0; i < g->nr_nodes; i++)
		if (g->nodes[i].weight)
			g->nodes[i].since /= g->nodes[i].weight;
	for (c = 0; c < g->nr_chosen; c++) {
		const struct path *p = g->paths[g->chosen[c]];

		for (i = 1; i < p->nr; i++)
			g->nodes[g->chain[c][i]].before++;
	}
	for (nr = 0; nr < g->nr_nodes; nr++) {
		struct node *n = next_node(g);

		n->out = true;
		n->e.since = n->since + 0.5;
		to[nr] = n->e;
		for (c = 0; c < g->nr_chosen; c++) {
			const struct path *p = g->paths[g->chosen[c]];

			for (i = 0; i + 1 < p->nr; i++)
				if (g->chain[c][i] == n - g->nodes)
					g->nodes[g->chain[c][i + 1]].before--;
		}
	}
}

/* Set the mean repeats and turns.  Keep the loops only if the trace has a single path. */
static void keep_loops(struct merge *g, struct trace *t)
{
	const struct path *p = g->paths[g->chosen[0]];
	uint32_t i;

	for (i = 0; i < t->nr; i++) {
		struct element *e = &t->element[i];
		uint64_t count = 0;
		size_t c;

		for (c = 0; c < g->nr_chosen; c++) {
			const struct path *q = g->paths[g->chosen[c]];
			uint32_t s;

			for (s = 0; s < q->slots; s++)
				if (q->offset[s] == e->offset)
					count += q->count;
		}
		if (count) {
			e->repeats = (e->repeats + count / 2) / count;
			e->turns = (e->turns + count / 2) / count;
		}
		if (g->nr_chosen == 1)
			e->loop = p->element[i].loop;
	}
}

static void forget(struct merge *g)
{
	while (g->nr_chosen)
		free(g->chain[--g->nr_chosen]);
	g->nr_offsets = g->nr_nodes = 0;
}

static int make_trace(struct merge *g, size_t seed, const struct group *group, struct trace *t)
{
	const struct path *p = g->paths[seed];
	struct cpu_map map;
	ssize_t next;

	forget(g);
	memset(&map, 0xff, sizeof(map));
	map.to[0] = 0;
	if (choose(g, seed, &map))
		return -1;
	while (g->nr_chosen < g->nr_groups && (next = best_path(g, &map)) >= 0)
		if (choose(g, next, &map))
			return -1;
	memset(t, 0, sizeof(*t));
	t->element = calloc(g->nr_nodes + 1, sizeof(*t->element));
	if (!t->element)
		return -1;
	t->nr = g->nr_nodes;
	t->type = p->type;
	t->how = p->how;
	t->alloc_ip = p->alloc_ip;
	t->free_ip = p->free_ip;
	t->free_cpu = p->free_cpu;
	t->count = p->count;
	t->frequency = (double)p->count / group->count;
	t->end = (double)p->lifetime / p->count;
	t->size = (double)p->size / p->count;
	t->accesses = (double)p->accesses / p->count;
	t->by_pairs = all_pairs(g);
	set_order(g, t->element);
	/* The other groups were recorded of other objects, which may have lived longer. */
	if (t->nr && t->end < t->element[t->nr - 1].since)
		t->end = t->element[t->nr - 1].since;
	keep_loops(g, t);
	return 0;
}

static int find_groups(struct merge *g)
{
	size_t i;

	qsort(g->paths, g->nr_paths, sizeof(*g->paths), by_group);
	g->groups = calloc(g->nr_paths, sizeof(*g->groups));
	g->chosen = calloc(g->nr_paths, sizeof(*g->chosen));
	g->chain = calloc(g->nr_paths, sizeof(*g->chain));
	g->used = calloc(g->nr_paths, sizeof(*g->used));
	if (!g->groups || !g->chain || !g->chosen || !g->used)
		return -1;
	for (i = 0; i < g->nr_paths; i++) {
		if (!i || !same_group(g->paths[i - 1], g->paths[i]))
			g->groups[g->nr_groups++].first = i;
		g->groups[g->nr_groups - 1].nr++;
		g->groups[g->nr_groups - 1].count += g->paths[i]->count;
	}
	return 0;
}

/* The path with the largest share of its group that is in no trace yet. */
static ssize_t next_seed(const struct merge *g, size_t *group)
{
	double share = 0;
	ssize_t best = -1;
	size_t i, j;

	for (i = 0; i < g->nr_groups; i++) {
		for (j = g->groups[i].first; j < g->groups[i].first + g->groups[i].nr; j++) {
			double s = (double)g->paths[j]->count / g->groups[i].count;

			if (g->used[j])
				continue;
			if (s > share) {
				share = s;
				best = j;
				*group = i;
			}
			break;
		}
	}
	return best;
}

static int by_frequency(const void *a, const void *b)
{
	const struct trace *x = a, *y = b;

	return x->frequency > y->frequency ? -1 : x->frequency < y->frequency;
}

/* Build the traces of a type from its paths. */
static int merge_type(struct merge *g, struct traces *t)
{
	size_t group, first = t->nr;
	double sum = 0;
	ssize_t seed;

	if (find_groups(g))
		return -1;
	while (t->nr - first < MAX_TRACES && (seed = next_seed(g, &group)) >= 0) {
		struct trace *more = realloc(t->trace, (t->nr + 1) * sizeof(*more));

		if (!more)
			return -1;
		t->trace = more;
		if (make_trace(g, seed, &g->groups[group], &t->trace[t->nr]))
			return -1;
		sum += t->trace[t->nr++].frequency;
	}
	for (group = first; group < t->nr; group++)
		t->trace[group].frequency /= sum;
	qsort(t->trace + first, t->nr - first, sizeof(*t->trace), by_frequency);
	return 0;
}

static int by_type(const void *a, const void *b)
{
	const struct path *x = *(struct path * const *)a, *y = *(struct path * const *)b;

	return x->type < y->type ? -1 : x->type > y->type;
}

/**
 * traces_make() - build path traces from the paths of a model
 * @m: the model, after model_end()
 * @t: set to the traces, sorted by type and frequency; free with traces_free()
 *
 * Return: 0, or -1 without memory.
 */
int traces_make(struct model *m, struct traces *t)
{
	size_t nr = 0, n = 0, from, to;
	struct path **all, *p, *q;
	int ret = 0;

	memset(t, 0, sizeof(*t));
	for (p = m->paths; p; p = p->hh.next)
		for (q = p; q; q = q->next_same)
			nr++;
	all = malloc((nr + 1) * sizeof(*all));
	if (!all)
		return -1;
	for (p = m->paths; p; p = p->hh.next)
		for (q = p; q; q = q->next_same)
			all[n++] = q;
	qsort(all, nr, sizeof(*all), by_type);
	for (from = 0; from < nr && !ret; from = to) {
		struct merge g = { .paths = all + from };

		for (to = from; to < nr && all[to]->type == all[from]->type; to++)
			;
		g.nr_paths = to - from;
		ret = merge_type(&g, t);
		forget(&g);
		free(g.groups);
		free(g.chain);
		free(g.chosen);
		free(g.used);
		free(g.nodes);
	}
	free(all);
	return ret;
}

/**
 * traces_free() - free traces
 * @t: the traces
 */
void traces_free(struct traces *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		free(t->trace[i].element);
	free(t->trace);
	memset(t, 0, sizeof(*t));
}

/**
 * trace_bounces() - test whether several CPUs use the object
 * @t: a trace
 *
 * Return: true if an access or the free is on another CPU than the allocation (the paper's
 * "bounce").
 */
bool trace_bounces(const struct trace *t)
{
	uint32_t i;

	for (i = 0; i < t->nr; i++)
		if (t->element[i].cpu)
			return true;
	return t->how == HISTORY_FREED && t->free_cpu;
}

/**
 * site_tally() - sum the samples of an access of a trace: same type, instruction and bytes
 * @m: the model, after model_end()
 * @type: index of the trace's type; accesses to neighboring objects of other types have no
 *	samples
 * @e: the access
 * @sum: set to the sums of the samples
 */
void site_tally(struct model *m, uint32_t type, const struct element *e, struct tally *sum)
{
	size_t i;

	memset(sum, 0, sizeof(*sum));
	if (type != e->type)
		return;
	for (i = model_sites(m, type, e->ip); i < m->nr_sites; i++) {
		const struct site *s = m->by_site[i];

		if (s->key.type != type || s->key.ip != e->ip)
			break;
		/* The sampled access overlaps the watched bytes. */
		if ((int64_t)s->key.offset < e->offset + (e->len ? e->len : 1) &&
		    (int64_t)s->key.offset + (s->width ? s->width : 1) > e->offset)
			tally_add(sum, &s->sum);
	}
}
