// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * The data flow graph.
 *
 * Path traces become sequences of functions, from allocation to free.  Sequences with common
 * prefixes share nodes, which gives a tree.  Then nodes of the same function and CPU with the
 * same successors are merged, beginning at the leaves, so that common suffixes are shared,
 * too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow.h"
#include "lib/cells/utf8.h"

/* Maximum number of traces in a graph, the most frequent first. */
#define MAX_PATHS 64

static int add_node(struct flow *f, const char *name, uint16_t cpu)
{
	struct flow_node *n;

	if (f->nr_nodes == f->nodes_capacity) {
		uint32_t capacity = f->nodes_capacity * 2 + 64;

		n = realloc(f->node, capacity * sizeof(*n));
		if (!n)
			return -1;
		f->node = n;
		f->nodes_capacity = capacity;
	}
	n = &f->node[f->nr_nodes];
	memset(n, 0, sizeof(*n));
	snprintf(n->name, sizeof(n->name), "%s", name);
	n->cpu = cpu;
	return f->nr_nodes++;
}

static int add_edge(struct flow *f, uint32_t from, uint32_t to, double count)
{
	struct flow_edge *e;
	uint32_t i;

	for (i = 0; i < f->nr_edges; i++) {
		if (f->edge[i].from == from && f->edge[i].to == to) {
			f->edge[i].count += count;
			return 0;
		}
	}
	if (f->nr_edges == f->edges_capacity) {
		uint32_t capacity = f->edges_capacity * 2 + 64;

		e = realloc(f->edge, capacity * sizeof(*e));
		if (!e)
			return -1;
		f->edge = e;
		f->edges_capacity = capacity;
	}
	f->edge[f->nr_edges++] = (struct flow_edge){
		from, to, count, f->node[from].cpu != f->node[to].cpu,
	};
	return 0;
}

static bool is_like(const struct flow_node *n, const char *name, uint16_t cpu)
{
	return n->cpu == cpu && !strncmp(n->name, name, sizeof(n->name) - 1);
}

/* Get the successor of @from for a function and CPU; create it if needed. */
static int step(struct flow *f, uint32_t from, const char *name, uint16_t cpu, double count,
		double since)
{
	struct flow_node *n;
	uint32_t i;
	int to = -1;

	for (i = 0; i < f->nr_edges && to < 0; i++)
		if (f->edge[i].from == from && is_like(&f->node[f->edge[i].to], name, cpu))
			to = f->edge[i].to;
	if (to < 0)
		to = add_node(f, name, cpu);
	if (to < 0 || add_edge(f, from, to, count))
		return -1;
	n = &f->node[to];
	n->since = (n->since * n->count + since * count) / (n->count + count);
	n->count += count;
	return to;
}

static int add_trace(struct flow *f, struct analysis *a, const struct trace *t)
{
	char last[72], name[72], buf[32];
	double count = 100 * t->frequency;
	int at = 0, next;
	uint32_t i;

	/* Node 0 is the common root; its successors are the allocations. */
	snprintf(last, sizeof(last), "%s", symbols_name(&a->m.symbols, t->alloc_ip, buf, sizeof(buf)));
	at = step(f, at, last, 0, count, 0);
	for (i = 0; i < t->nr && at >= 0; i++) {
		const struct element *e = &t->element[i];
		struct tally sum;

		snprintf(name, sizeof(name), "%s",
			 symbols_name(&a->m.symbols, e->ip, buf, sizeof(buf)));
		if (!i || !is_like(&f->node[at], name, e->cpu)) {
			next = step(f, at, name, e->cpu, count, e->since);
			if (next < 0)
				return -1;
			at = next;
		}
		site_tally(&a->m, t->type, e, &sum);
		tally_add(&f->node[at].sum, &sum);
	}
	if (at < 0)
		return -1;
	if (t->how == HISTORY_FREED)
		snprintf(name, sizeof(name), "%s",
			 symbols_name(&a->m.symbols, t->free_ip, buf, sizeof(buf)));
	else
		snprintf(name, sizeof(name), "(not freed)");
	at = step(f, at, name, t->how == HISTORY_FREED ? t->free_cpu : f->node[at].cpu, count, t->end);
	return at < 0 ? -1 : 0;
}

/* Return whether two nodes have the same successors. */
static bool same_behind(const struct flow *f, uint32_t a, uint32_t b)
{
	uint32_t i, j, na = 0, nb = 0;

	for (i = 0; i < f->nr_edges; i++)
		nb += f->edge[i].from == b;
	for (i = 0; i < f->nr_edges; i++) {
		if (f->edge[i].from != a)
			continue;
		na++;
		for (j = 0; j < f->nr_edges; j++)
			if (f->edge[j].from == b && f->edge[j].to == f->edge[i].to)
				break;
		if (j == f->nr_edges)
			return false;
	}
	return na == nb;
}

static void merge_nodes(struct flow *f, uint32_t to, uint32_t gone)
{
	struct flow_node *n = &f->node[to], *g = &f->node[gone];
	uint32_t i, j;

	n->since = (n->since * n->count + g->since * g->count) / (n->count + g->count);
	n->count += g->count;
	tally_add(&n->sum, &g->sum);
	g->count = 0;
	for (i = 0; i < f->nr_edges; i++) {
		if (f->edge[i].from == gone)
			f->edge[i].from = to;
		if (f->edge[i].to == gone)
			f->edge[i].to = to;
	}
	/* Merge edges between the same two nodes. */
	for (i = 0; i < f->nr_edges; i++) {
		for (j = i + 1; j < f->nr_edges; j++) {
			if (f->edge[i].from != f->edge[j].from || f->edge[i].to != f->edge[j].to)
				continue;
			f->edge[i].count += f->edge[j].count;
			f->edge[j--] = f->edge[--f->nr_edges];
		}
	}
}

/* Merge nodes until nothing changes.  The graph is small, so the cost does not matter. */
static void merge_ends(struct flow *f)
{
	bool again = true;
	uint32_t a, b;

	while (again) {
		again = false;
		for (a = 1; a < f->nr_nodes; a++) {
			for (b = a + 1; f->node[a].count && b < f->nr_nodes; b++) {
				if (!f->node[b].count ||
				    !is_like(&f->node[a], f->node[b].name, f->node[b].cpu) ||
				    !same_behind(f, a, b))
					continue;
				merge_nodes(f, a, b);
				again = true;
			}
		}
	}
}

static int by_time(const void *a, const void *b)
{
	const struct flow_edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->count > y->count ? -1 : x->count < y->count;
}

/**
 * flow_make() - build the data flow graph of a type
 * @f: the graph; the caller calls flow_free() even after an error
 * @a: the analysis, with traces
 * @type: index of the type
 *
 * Node 0 is the root and is not shown.  A node with a count of 0 was merged into another.
 *
 * Return: 0, or -1 without memory.
 */
int flow_make(struct flow *f, struct analysis *a, uint32_t type)
{
	uint32_t i, n = 0, nr = 0;
	size_t k;

	memset(f, 0, sizeof(*f));
	if (add_node(f, "", 0) < 0)
		return -1;
	for (k = 0; k < a->t.nr && n < MAX_PATHS; k++) {
		if (a->t.trace[k].type != type)
			continue;
		if (add_trace(f, a, &a->t.trace[k]))
			return -1;
		n++;
	}
	merge_ends(f);
	/* Drop the edges from the root. */
	for (i = 0; i < f->nr_edges; i++)
		if (f->edge[i].from)
			f->edge[nr++] = f->edge[i];
	f->nr_edges = nr;
	if (nr)
		qsort(f->edge, nr, sizeof(*f->edge), by_time);
	return 0;
}

/* Text between the quotes of a string in DOT, on one line. */
static void put_text(FILE *out, const char *text)
{
	char c[UTF8_SIZE];

	while (*text) {
		text += utf8_next_in_line(c, text);
		if (*c == '"' || *c == '\\')
			fputc('\\', out);
		fputs(c, out);
	}
}

/**
 * flow_dot() - write a graph in Graphviz's DOT language
 * @f: the graph
 * @title: of the picture
 * @out: the output
 *
 * As in Figure 2 of the paper: thick edges are changes of CPU, darker nodes have a higher
 * mean latency.
 */
void flow_dot(const struct flow *f, const char *title, FILE *out)
{
	double max = 0;
	uint32_t i;

	for (i = 1; i < f->nr_nodes; i++)
		if (f->node[i].count && tally_latency(&f->node[i].sum) > max)
			max = tally_latency(&f->node[i].sum);
	fputs("digraph dataflow {\n\tlabel=\"", out);
	put_text(out, title);
	fputs("\"; labelloc=t;\n\tnode [shape=box, style=filled, fontname=\"DejaVu Sans\", fontsize=10];\n"
	      "\tedge [fontname=\"DejaVu Sans\", fontsize=9];\n", out);
	for (i = 1; i < f->nr_nodes; i++) {
		const struct flow_node *n = &f->node[i];
		double latency = tally_latency(&n->sum);
		int gray = latency > 0 && max > 0 ? 100 - 60 * latency / max : 100;

		if (!n->count)
			continue;
		fprintf(out, "\tn%u [fillcolor=gray%d, fontcolor=%s, label=\"", i, gray,
			gray < 55 ? "white" : "black");
		put_text(out, n->name);
		fprintf(out, "\\n%.0f ns", n->since);
		if (latency > 0)
			fprintf(out, ", %.0f cycles", latency);
		fputs("\"];\n", out);
	}
	for (i = 0; i < f->nr_edges; i++) {
		const struct flow_edge *e = &f->edge[i];

		fprintf(out, "\tn%u -> n%u [label=\"%.0f%%\"%s];\n", e->from, e->to, e->count,
			e->cpu_change ? ", penwidth=5" : "");
	}
	fputs("}\n", out);
}

/**
 * flow_free() - free a graph
 * @f: the graph
 */
void flow_free(struct flow *f)
{
	free(f->node);
	free(f->edge);
	memset(f, 0, sizeof(*f));
}
