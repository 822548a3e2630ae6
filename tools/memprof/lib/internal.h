/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/* What the files of libmemprof share. */
#ifndef MEMPROF_INTERNAL_H
#define MEMPROF_INTERNAL_H

#include <jansson.h>
#include <pthread.h>

#include "memprof/memprof.h"
#include "memprof/names/names.h"
#include "big.h"
#include "file.h"
#include "space.h"

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

/* Why an access is no object's. */
enum { REASON_FREED, REASON_NOT_MAPPED, REASON_NO_EVENTS, REASON_LOST, REASON_RACE,
       REASON_LIBRARY, REASON_NO_SYMBOL, REASONS };

/* An access as it is kept: 32 bytes. */
struct kept_access {
	uint64_t time;
	uint32_t thread, object, chain, offset;
	uint16_t cpu, latency;
	uint8_t home;
	uint8_t level : 4, op : 2, hitm : 1, kernel : 1;
	uint16_t offset_high;
};

/* In a word of memprof.physical; the rest is the physical address, 0 if it is not known. */
#define TLB_MISSED	(UINT64_C(1) << 63)

/* Strings, each once, by number; 0 is "". */
struct strings {
	struct string *table;
	const char **text;
	uint32_t used, capacity;
	bool failed;			/* no memory for one */
};

struct chain {
	uint32_t depth, space_pid;
	uint64_t at;			/* in frames */
	uint64_t first_ns;		/* when it was first seen */
	uint64_t allocations, bytes;
	const char *text;		/* of the first frame, once it was asked for */
	struct memprof_site *site;	/* of its objects, the same */
};

struct chains {
	struct chain *all;
	uint32_t used, capacity;
	uint64_t *frames, frames_used, frames_capacity;
};

/* A thread's control group from a time on, and its path's number. */
struct moved {
	uint32_t thread, path;
	uint64_t since_ns;
};

struct memprof {
	struct memprof_options options;
	char *path;
	char damage[256];
	char *meta, *end_text;
	struct memprof_totals totals;
	struct bigs bigs;		/* objects, accesses, physical, by_* and *_at, sites */
	int nr_nodes;
	bool by_mapping;		/* no events of objects: mappings are objects */
	bool preloaded;			/* libmemprof-preload.so was preloaded */
	unsigned char *cpu_node;	/* NODE_UNKNOWN: not known */
	unsigned int nr_cpus;
	uint64_t start_ns;
	struct strings strings;
	struct chains chains;
	struct memprof_thread *threads;
	size_t nr_threads, capacity_threads;
	struct memprof_object *objects;
	size_t nr_objects, capacity_objects;
	struct kept_access *accesses;
	size_t nr_accesses, capacity_accesses;
	uint64_t *physical;		/* of each access, with TLB_MISSED; NULL: not kept */
	size_t capacity_physical;
	uint32_t *by_object, *by_thread, *object_at, *thread_at;
	struct memprof_site *sites;	/* of objects, found when asked for */
	struct moved *moved;		/* by thread and time */
	size_t nr_moved, capacity_moved;
	struct code_map *code_map;	/* in order of time */
	size_t nr_code_map, capacity_code_map;
	struct names *names;
	struct jit *jit;
	struct wrappers wrappers;
	pthread_mutex_t lock;		/* names are found when asked for */
};

/* A code mapping of a process, from a time on. */
struct code_map {
	uint32_t pid, path;
	uint64_t start, end, offset, from_ns;
};

hidden uint32_t string_number(struct strings *s, const char *text);
hidden const char *string_keep(struct strings *s, const char *text);
hidden void strings_free(struct strings *s);

hidden int build(struct memprof *m, struct file *f, char *error, size_t size);

hidden const struct code_map *find_code(const struct memprof *m, uint32_t pid, uint64_t addr,
					uint64_t time);

#endif
