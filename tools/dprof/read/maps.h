/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Which file, or other memory, processes have mapped where, while records are read in order of time. */
#ifndef DPROF_MAPS_H
#define DPROF_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/hash.h"

/**
 * struct map_name - a name that mappings have: a path, or as [heap]
 * @space: of what is shared by its name: see struct sample_event; 0: not needed yet
 * @file: opened to find symbols; NULL: not yet, or it has none
 */
struct map_name {
	char *name;
	uint32_t space;
	struct file *file;
	bool looked;
	uint8_t build_id[20], build_id_size;
	UT_hash_handle hh;
};

struct map {
	uint64_t start, end, offset;
	struct map_name *name;
	bool shared;
};

/* The mappings of a process, sorted; of several processes, as long as they are the same. */
struct map_table {
	unsigned int users;
	uint32_t nr, capacity;
	struct map *map;
};

/**
 * struct process - a process
 * @space: its address space, as of struct sample_event; another one after exec
 */
struct process {
	uint32_t pid, space;
	char comm[32];
	struct map_table *table;
	UT_hash_handle hh;
};

struct maps {
	struct process *processes;
	struct map_name *names;
	uint32_t spaces;		/* given away so far */
};

struct map_name *maps_name(struct maps *m, const char *name);
struct process *maps_process(struct maps *m, uint32_t pid);
int maps_add(struct maps *m, uint32_t pid, const struct map *map);
int maps_fork(struct maps *m, uint32_t pid, uint32_t parent);
int maps_exec(struct maps *m, uint32_t pid);
void maps_exit(struct maps *m, uint32_t pid);
const struct map *maps_find(const struct process *p, uint64_t addr);
void maps_free(struct maps *m);

#endif
