// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Mappings of processes, from records of mmap(), fork(), exec() and exit. */
#include <stdlib.h>
#include <string.h>

#include "maps.h"

/**
 * maps_name() - a name of mappings
 * @m: the maps
 * @name: a path, or as [heap]
 *
 * Return: the name, the same for the same text, or NULL without memory.
 */
struct map_name *maps_name(struct maps *m, const char *name)
{
	struct map_name *n;

	HASH_FIND_STR(m->names, name, n);
	if (n)
		return n;
	n = calloc(1, sizeof(*n));
	if (!n || !(n->name = strdup(name))) {
		free(n);
		return NULL;
	}
	HASH_ADD_KEYPTR(hh, m->names, n->name, strlen(n->name), n);
	return n;
}

static void put_table(struct map_table *t)
{
	if (!t || --t->users)
		return;
	free(t->map);
	free(t);
}

/**
 * maps_process() - a process
 * @m: the maps
 * @pid: its number
 *
 * Return: the process, new if it has to be, or NULL without memory.
 */
struct process *maps_process(struct maps *m, uint32_t pid)
{
	struct process *p;

	HASH_FIND(hh, m->processes, &pid, sizeof(pid), p);
	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->pid = pid;
	p->space = ++m->spaces;
	HASH_ADD(hh, m->processes, pid, sizeof(p->pid), p);
	return p;
}

/* Give a process a table of its own, with room for @more.  Return 0, or -1 without memory. */
static int own_table(struct process *p, uint32_t more)
{
	struct map_table *t = p->table;
	struct map *map;

	if (!t || t->users > 1) {
		struct map_table *own = calloc(1, sizeof(*own));

		if (!own)
			return -1;
		own->users = 1;
		own->capacity = (t ? t->nr : 0) + more + 16;
		own->map = malloc(own->capacity * sizeof(*own->map));
		if (!own->map) {
			free(own);
			return -1;
		}
		if (t) {
			memcpy(own->map, t->map, t->nr * sizeof(*t->map));
			own->nr = t->nr;
			t->users--;
		}
		p->table = own;
		return 0;
	}
	if (t->nr + more <= t->capacity)
		return 0;
	map = realloc(t->map, 2 * (t->nr + more) * sizeof(*map));
	if (!map)
		return -1;
	t->map = map;
	t->capacity = 2 * (t->nr + more);
	return 0;
}

/* Index of the first mapping that ends behind an address. */
static uint32_t first_behind(const struct map_table *t, uint64_t addr)
{
	uint32_t low = 0, high = t->nr;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (t->map[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/**
 * maps_add() - add a mapping; what it covers of others is gone
 * @m: the maps
 * @pid: of the process
 * @map: the mapping; empty ones and those that wrap around are left out
 *
 * Return: 0, or -1 without memory.
 */
int maps_add(struct maps *m, uint32_t pid, const struct map *map)
{
	struct process *p = maps_process(m, pid);
	struct map pieces[3];
	struct map_table *t;
	uint32_t from, to, n = 0;

	if (!p || own_table(p, 2))
		return -1;
	if (map->end <= map->start)
		return 0;
	t = p->table;
	from = first_behind(t, map->start);
	for (to = from; to < t->nr && t->map[to].start < map->end; to++)
		;
	if (from < to && t->map[from].start < map->start) {
		pieces[n] = t->map[from];
		pieces[n++].end = map->start;
	}
	pieces[n++] = *map;
	if (from < to && t->map[to - 1].end > map->end) {
		pieces[n] = t->map[to - 1];
		pieces[n].offset += map->end - pieces[n].start;
		pieces[n++].start = map->end;
	}
	memmove(t->map + from + n, t->map + to, (t->nr - to) * sizeof(*t->map));
	memcpy(t->map + from, pieces, n * sizeof(*pieces));
	t->nr += n - (to - from);
	return 0;
}

/**
 * maps_fork() - a process begins with the mappings of another
 * @m: the maps
 * @pid: of the new process
 * @parent: of the other; if they are the same, it is a thread that begins
 *
 * Return: 0, or -1 without memory.
 */
int maps_fork(struct maps *m, uint32_t pid, uint32_t parent)
{
	struct process *p, *from;

	if (pid == parent)
		return 0;
	p = maps_process(m, pid);
	from = maps_process(m, parent);
	if (!p || !from)
		return -1;
	put_table(p->table);
	p->table = from->table;
	if (p->table)
		p->table->users++;
	memcpy(p->comm, from->comm, sizeof(p->comm));
	p->space = ++m->spaces;
	return 0;
}

/**
 * maps_exec() - a process begins another program, without mappings
 * @m: the maps
 * @pid: of the process
 *
 * Return: 0, or -1 without memory.
 */
int maps_exec(struct maps *m, uint32_t pid)
{
	struct process *p = maps_process(m, pid);

	if (!p)
		return -1;
	put_table(p->table);
	p->table = NULL;
	p->space = ++m->spaces;
	return 0;
}

/**
 * maps_exit() - a process ends; its number may be used again
 * @m: the maps
 * @pid: of the process
 */
void maps_exit(struct maps *m, uint32_t pid)
{
	struct process *p;

	HASH_FIND(hh, m->processes, &pid, sizeof(pid), p);
	if (!p)
		return;
	HASH_DEL(m->processes, p);
	put_table(p->table);
	free(p);
}

/**
 * maps_find() - the mapping of an address
 * @p: the process
 * @addr: the address
 *
 * Return: the mapping, or NULL.
 */
const struct map *maps_find(const struct process *p, uint64_t addr)
{
	uint32_t i = p->table ? first_behind(p->table, addr) : 0;

	return p->table && i < p->table->nr && p->table->map[i].start <= addr ? &p->table->map[i] : NULL;
}

/** maps_free() - free all but the files of names */
void maps_free(struct maps *m)
{
	struct process *p, *next;
	struct map_name *n, *next_name;

	HASH_ITER(hh, m->processes, p, next) {
		HASH_DEL(m->processes, p);
		put_table(p->table);
		free(p);
	}
	HASH_ITER(hh, m->names, n, next_name) {
		HASH_DEL(m->names, n);
		free(n->name);
		free(n);
	}
}
