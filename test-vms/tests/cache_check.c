// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * cache-check TRACE CACHE...: counts misses of the accesses in the oracle's trace=
 * file by other means than the oracle's model, and prints PHASE,NAME,CPU,ACCESSES,
 * MISSES.  A cache is
 *	NAME KINDS COPIES SETS WAYS LINE POLICY [MASK...]
 * in one argument: kinds d, f or df; copies private or shared; masks as many as
 * bits in the number of sets.  All are empty when a phase begins.
 *
 * No cache is simulated for lru and fifo; what is asked of each access is:
 * lru   how many other lines of the set were used since the last use of this one
 *       (Mattson, Gecsei, Slutz, Traiger, "Evaluation techniques for storage
 *       hierarchies", 1970)?  It hits if there were fewer than ways.
 * fifo  how many lines came into the set since this one came?  The same.
 * plru  walks the tree, node by node.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../oracle/plugin_model.h"

#define MAX_CACHES 8
#define MAX_CPUS 16

struct line {
	uint64_t number;
	uint64_t time;		/* lru: of the last use; fifo: number of its arrival */
	bool here;		/* plru */
};

/* All lines of a set that were ever seen, whether in the cache or not. */
struct set {
	struct line *lines;
	unsigned int nr, capacity;
	uint64_t arrivals;
	struct node *root;
};

/* plru: a leaf has a line, another two halves. */
struct node {
	struct node *half[2];
	int old;		/* the half not used last */
	struct line line;
	struct node *up;
};

struct cache {
	char name[32], kinds[8], copies[16], policy[16];
	unsigned int sets, ways, line;
	uint64_t mask[32];
	unsigned int nr_masks;
	struct set *set;	/* [copy * sets + index] */
	uint64_t accesses[MAX_CPUS], misses[MAX_CPUS];
};

static struct cache caches[MAX_CACHES];
static unsigned int nr_caches;

static void parse(struct cache *c, const char *text)
{
	int used, n;

	if (sscanf(text, "%31s %7s %15s %u %u %u %15s%n", c->name, c->kinds, c->copies, &c->sets,
		   &c->ways, &c->line, c->policy, &used) != 7) {
		fprintf(stderr, "cache-check: %s\n", text);
		exit(2);
	}
	for (text += used; sscanf(text, " %li%n", (long *)&c->mask[c->nr_masks], &n) == 1; text += n)
		c->nr_masks++;
	c->set = calloc(MAX_CPUS * c->sets, sizeof(*c->set));
}

static struct node *make_tree(unsigned int ways, struct node *up)
{
	struct node *n = calloc(1, sizeof(*n));

	n->up = up;
	for (int i = 0; i < 2 && ways > 1; i++)
		n->half[i] = make_tree(ways / 2, n);
	return n;
}

static void free_tree(struct node *n)
{
	if (!n)
		return;
	free_tree(n->half[0]);
	free_tree(n->half[1]);
	free(n);
}

static struct node *find_leaf(struct node *n, uint64_t number, bool here)
{
	struct node *found;

	if (!n->half[0])
		return n->line.here == here && (!here || n->line.number == number) ? n : NULL;
	found = find_leaf(n->half[0], number, here);
	return found ? found : find_leaf(n->half[1], number, here);
}

static bool plru_hits(struct set *s, unsigned int ways, uint64_t number)
{
	struct node *leaf;
	bool hit;

	if (!s->root)
		s->root = make_tree(ways, NULL);
	leaf = find_leaf(s->root, number, true);
	hit = leaf;
	if (!leaf)
		leaf = find_leaf(s->root, 0, false);
	if (!leaf) {
		for (leaf = s->root; leaf->half[0];)
			leaf = leaf->half[leaf->old];
	}
	leaf->line = (struct line){ number, 0, true };
	for (; leaf->up; leaf = leaf->up)
		leaf->up->old = leaf == leaf->up->half[0];
	return hit;
}

static struct line *find_line(struct set *s, uint64_t number)
{
	for (unsigned int i = 0; i < s->nr; i++) {
		if (s->lines[i].number == number)
			return &s->lines[i];
	}
	return NULL;
}

static struct line *add_line(struct set *s, uint64_t number)
{
	if (s->nr == s->capacity) {
		s->capacity = s->capacity ? 2 * s->capacity : 16;
		s->lines = realloc(s->lines, s->capacity * sizeof(*s->lines));
	}
	s->lines[s->nr] = (struct line){ .number = number };
	return &s->lines[s->nr++];
}

static bool lru_hits(struct set *s, unsigned int ways, uint64_t number, uint64_t now)
{
	struct line *l = find_line(s, number);
	unsigned int distance = 0;

	if (!l) {
		add_line(s, number)->time = now;
		return false;
	}
	for (unsigned int i = 0; i < s->nr; i++)
		distance += s->lines[i].time > l->time;
	l->time = now;
	return distance < ways;
}

static bool fifo_hits(struct set *s, unsigned int ways, uint64_t number)
{
	struct line *l = find_line(s, number);

	if (l && s->arrivals - l->time < ways)
		return true;
	if (!l)
		l = add_line(s, number);
	l->time = ++s->arrivals;
	return false;
}

static unsigned int index_of(const struct cache *c, uint64_t address)
{
	unsigned int index = 0;

	if (!c->nr_masks)
		return address / c->line % c->sets;
	for (unsigned int m = 0; m < c->nr_masks; m++) {
		unsigned int bit = 0;

		for (uint64_t rest = address & c->mask[m]; rest; rest >>= 1)
			bit ^= rest & 1;
		index += bit << m;
	}
	return index;
}

static void access_line(const struct model_trace *t, uint64_t address, uint64_t now)
{
	char kind = t->kind == 'f' ? 'f' : 'd';

	for (unsigned int i = 0; i < nr_caches; i++) {
		struct cache *c = &caches[i];
		unsigned int copy = !strcmp(c->copies, "private") ? t->cpu : 0;
		struct set *s = &c->set[copy * c->sets + index_of(c, address)];
		uint64_t number = address / c->line;
		bool hit;

		if (!strchr(c->kinds, kind))
			continue;
		if (!strcmp(c->policy, "lru"))
			hit = lru_hits(s, c->ways, number, now);
		else if (!strcmp(c->policy, "fifo"))
			hit = fifo_hits(s, c->ways, number);
		else
			hit = plru_hits(s, c->ways, number);
		c->accesses[t->cpu]++;
		if (hit)
			return;
		c->misses[t->cpu]++;
	}
}

static unsigned int first_line(char kind)
{
	for (unsigned int i = 0; i < nr_caches; i++) {
		if (strchr(caches[i].kinds, kind))
			return caches[i].line;
	}
	return 4096;
}

static void end_phase(unsigned int phase)
{
	for (unsigned int i = 0; i < nr_caches; i++) {
		struct cache *c = &caches[i];

		for (int cpu = 0; cpu < MAX_CPUS; cpu++) {
			if (c->accesses[cpu])
				printf("%u,%s,%d,%llu,%llu\n", phase, c->name, cpu,
				       (unsigned long long)c->accesses[cpu],
				       (unsigned long long)c->misses[cpu]);
		}
		for (unsigned int n = 0; n < MAX_CPUS * c->sets; n++) {
			free(c->set[n].lines);
			free_tree(c->set[n].root);
		}
		memset(c->set, 0, MAX_CPUS * c->sets * sizeof(*c->set));
		memset(c->accesses, 0, sizeof(c->accesses));
		memset(c->misses, 0, sizeof(c->misses));
	}
}

int main(int argc, char **argv)
{
	unsigned int phase = 0, line[2];
	struct model_trace t;
	uint64_t now = 0;
	bool any = false;
	FILE *f;

	if (argc < 3 || argc - 2 > MAX_CACHES)
		return 2;
	f = fopen(argv[1], "rb");
	if (!f) {
		perror(argv[1]);
		return 1;
	}
	for (int i = 2; i < argc; i++)
		parse(&caches[nr_caches++], argv[i]);
	line[0] = first_line('d');
	line[1] = first_line('f');
	while (fread(&t, sizeof(t), 1, f) == 1) {
		uint64_t size = line[t.kind == 'f'], address = t.address / size * size;

		if (any && t.phase != phase)
			end_phase(phase);
		phase = t.phase;
		any = true;
		for (; address < t.address + t.size; address += size)
			access_line(&t, address, ++now);
	}
	if (any)
		end_phase(phase);
	return 0;
}
