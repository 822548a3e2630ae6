/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * The model of a recording: types of data; sums of samples by type, offset and instruction,
 * and by cache line; the address set; paths.  Its size depends on the number of different
 * types, lines, objects and paths, not on the length of the recording.
 */
#ifndef DPROF_MODEL_H
#define DPROF_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/hash.h"
#include "lib/perf/plausible.h"
#include "filter.h"
#include "dprof/read/events.h"
#include "dprof/read/symbols.h"

#define LINE		64	/* bytes of a cache line */
#define MAX_CPUS	1024

/*
 * The level that served an access, the nearest first.  LEVEL_LFB and LEVEL_L2_MHB: a fill of
 * the line was in progress; LEVEL_L3_OR_PEER: the sample does not distinguish the two (AMD
 * before Zen 4); LEVEL_PEER: another CPU's cache, or modified data of another CPU's cache
 * that this CPU's L3 served.
 */
enum level {
	LEVEL_UNKNOWN, LEVEL_L1, LEVEL_LFB, LEVEL_L2, LEVEL_L2_MHB, LEVEL_L3_OR_PEER, LEVEL_L3,
	LEVEL_L4, LEVEL_MSC, LEVEL_PEER, LEVEL_BEYOND_L3, LEVEL_DRAM, LEVEL_PMEM, LEVEL_CXL,
	NR_LEVELS
};

extern const char * const level_name[NR_LEVELS];

/**
 * struct tally - sums of samples
 * @n: number of samples
 * @loads, @stores: an instruction may count in both
 * @level: samples by level; LEVEL_UNKNOWN: samples without a level
 * @modified: samples of data found modified in another cache
 * @claims: read-modify-writes that hit unmodified data in the L3: other CPUs may have held
 *	copies, see claims.c
 * @latency, @with_latency: sum of the latencies in cycles, and the samples that have one
 * @l2_stores: stores alone that found their line in the L2, or on its way: what else stores miss is
 *	not reported by processors
 */
struct tally {
	uint64_t n, loads, stores, level[NR_LEVELS], modified, claims, latency, with_latency;
	uint64_t l2_stores;
};

/* Latencies of at most 8, 16, 32, ... cycles, and in the last one, all above. */
#define NR_BUCKETS	9

/*
 * Samples of an instruction at an offset of a type (section 4.4 of the paper).
 * @bucket: those with a latency, by latency
 */
struct site {
	struct { uint32_t type, offset; uint64_t ip; } key;
	struct tally sum;
	double claimed;			/* part of sum.claims that invalidated other CPUs' copies */
	uint32_t width, bucket[NR_BUCKETS];
	UT_hash_handle hh;
};

/*
 * Samples of an instruction at the same bytes of a cache line: @width bytes from @first on.
 * @known of them have a level, @turns are hand-overs, see turns.c; @hitm found data modified
 * in another cache, @far_hitm of them on another node.
 * @latency: sums of @hitm that are not far, of @far_hitm, and of other loads
 */
struct unit {
	uint64_t ip, latency[3];
	uint32_t n, loads, stores, claims, known, turns, hitm, far_hitm;
	uint8_t first, width;
};

/* The last sample of an actor (a CPU; on a stack, a task); @time counts samples, 0: none. */
struct turn {
	uint64_t time;
	int64_t actor;
	int32_t cpu;
};

/*
 * A line of memory in the order of time: the last samples of two actors, and those of stores.
 * @changes: samples of another CPU than the one before
 */
struct turns {
	struct { uint64_t line; uint32_t space, padding; } key;
	struct turn access[2], store[2];
	uint64_t changes;
	UT_hash_handle hh;
};

/* When an actor last used a line. */
struct visit {
	struct { const struct turns *turns; int64_t actor; } key;
	uint64_t time;
	UT_hash_handle hh;
};

/*
 * Samples of a CPU in a cache line of an object.  The line is of an address space: 0 is that of
 * the kernel; lines of user memory are distinguished if the recording has the others.
 */
struct use {
	struct { uint64_t line, base; uint32_t type, space; int32_t cpu, padding; } key;
	uint64_t addr, phys;		/* of the line: the first that was sampled; 0: not known */
	uint64_t read, written;		/* bytes of the line, a bit each */
	uint64_t n, loads, stores, modified, far_modified;
	uint64_t latency, with_latency;	/* as of struct tally */
	uint64_t misses[LEVEL_L3 + 1];	/* misses[l]: not found in level l */
	uint64_t l2_stores;		/* as of struct tally */
	uint64_t known, peer;		/* samples with a level; found in another CPU's cache */
	uint64_t claims, claimed;	/* see struct site */
	struct unit *unit;
	uint32_t nr_units;
	bool on_stack;
	struct turns *turns;		/* of the line; NULL: the CPU is not known */
	struct visit *visit;		/* of the CPU; NULL on stacks */
	UT_hash_handle hh;
};

/* Samples that found their data in a level. */
struct level_sum {
	uint64_t n, loads, stores, latency, with_latency;
};

/* Samples of a CPU of the memory of a node; nodes are -1 if they are not known. */
struct spot {
	struct { int32_t cpu; int16_t cpu_node, node; } key;
	struct tally sum;
	UT_hash_handle hh;
};

/* An object of the address set, by its address. */
struct object {
	struct { uint64_t base; uint32_t type; } key;
	uint64_t allocs, since;		/* since: time of allocation; 0: not live */
	int32_t cpu;
	uint32_t size;
	UT_hash_handle hh;
};

#define NR_SLICES	1024

/* Data without a C struct: contents of packets, files and pipes; stacks. */
#define NO_STRUCT	"(bytes)"
#define STACK_STRUCT	"(stack)"

/* A type of data: the objects of one cache and one allocation site, or one variable. */
struct dtype {
	struct { uint32_t id; uint64_t symbol; } key;
	struct type_event event;	/* class, cache, site; empty if not recorded */
	char name[96];			/* displayed, unique */
	char struct_name[64];		/* or NO_STRUCT, STACK_STRUCT; "": not known */
	const char *struct_from;	/* the source of struct_name */
	uint32_t index, size;		/* size in bytes; 0: not known */
	struct tally sum;
	uint64_t first_sample, last_sample;	/* times */
	uint32_t slice[NR_SLICES];	/* samples in each slice of time */
	bool seen_alloc;
	uint64_t allocs, frees, remote_frees, live, peak, lifetimes, lifetime;
	uint64_t live_since;
	double live_time;		/* objects x ns */
	uint64_t histories, unfinished, lost, bounced;
	UT_hash_handle hh;
};

/**
 * struct type_site - a cache and allocation site
 * @key: the fields of dprof_type events that identify them
 * @id: the smallest type id with this cache and site
 */
struct type_site {
	struct {
		uint32_t line, class;
		char cache[64], func[64], file[128], module[64];
	} key;
	uint32_t id;
	UT_hash_handle hh;
};

/* The dprof_type event of a type; @site is NULL for the classes themselves. */
struct known_type {
	struct type_event event;
	struct type_site *site;
	UT_hash_handle hh;
};

/*
 * Events of a call chain: accesses of a function to an offset of a type, or allocations or frees
 * of a type in a function.  @frame: its callers, by the addresses of their functions, the
 * innermost first, 0 after the last.  @kind: enum event_kind.
 */
#define CHAIN_DEPTH	12

struct chain {
	struct {
		uint64_t frame[CHAIN_DEPTH], function;
		uint32_t type, offset, kind, padding;
	} key;
	struct tally sum;
	UT_hash_handle hh;
};

/* The last sample of a CPU, or its last other event, if a call chain may follow it. */
struct chain_of {
	bool is_valid;
	uint32_t kind, type, offset;
	int32_t pid;
	uint64_t ip;
	struct tally one;
};

struct history;

struct model {
	const char *kallsyms;		/* as of struct reader */
	struct filter filter;		/* samples that count; the caller frees it */
	char host[256];
	struct symbols symbols;
	struct dtype *types;		/* hash; types[i] by index in by_index */
	struct dtype **by_index;
	uint32_t nr_types, types_capacity;
	struct known_type *known;	/* hash: dprof_type by id */
	struct type_site *type_sites;	/* hash: their caches and sites */
	struct site *sites;
	struct site **by_site;		/* sorted by type, ip, offset */
	size_t nr_sites;
	struct use *uses;
	struct turns *turns;		/* hash: the order of samples in lines */
	struct visit *visits;
	struct spot *spots;
	struct level_sum by_level[NR_LEVELS];
	struct object *objects;
	struct history *open;		/* histories that have not ended */
	struct path *paths;
	struct cgroup *cgroups;		/* hash: their paths by id */
	struct chain *chains;		/* hash: call chains */
	struct chain_of *chain_of;	/* by CPU, of calls and of samples, once there is an event */
	/* Samples, with those that the filter leaves out; of them, those with a level, and hits. */
	uint64_t recorded, recorded_levels, recorded_hits;
	uint64_t samples, user_samples, by_source[NR_SOURCES];
	struct plausible plausible;	/* of all samples */
	uint64_t first_ts, last_ts, events, lost_events;
	uint64_t stray;			/* accesses and ends without a begin of the history */
	uint64_t dropped;		/* lines and objects beyond MAX_KEPT */
	int nr_cpus, slice_shift;	/* a slice of time is 1 << slice_shift ns, since first_ts */
	bool no_memory;
};

/* Maximum number of lines, and of objects; model.dropped counts the rest. */
#define MAX_KEPT	(4U << 20)

void model_init(struct model *m);
int model_add(void *m, const struct event *e);
int model_add_symbols(void *m, const char *text, size_t size);
int model_end(struct model *m);
int model_join_types(struct model *m);
void model_free(struct model *m);

enum level sample_level(const struct sample_event *s, bool *modified);
struct dtype *model_sample_type(struct model *m, const struct sample_event *s, uint32_t *offset,
				uint64_t *symbol);
bool sample_is_claim(const struct sample_event *s, enum level level);
uint64_t tally_misses(const struct tally *t, enum level level);
uint64_t tally_judged_misses(const struct tally *t, enum level level);
uint64_t tally_known(const struct tally *t);
double tally_latency(const struct tally *t);
void tally_add(struct tally *to, const struct tally *t);
int model_name_cgroup(struct model *m, const struct cgroup_event *e);
const char *model_cgroup(const struct model *m, uint64_t id);
void model_free_cgroups(struct model *m);
const struct type_event *model_known_type(const struct model *m, uint32_t id);
enum memory_class model_class_of(const struct model *m, uint32_t id);
int model_add_type(struct model *m, const struct type_event *e);
uint32_t model_same_type(const struct model *m, uint32_t id);
struct dtype *model_type(struct model *m, uint32_t id, uint64_t symbol);
struct dtype *model_find_type(struct model *m, const char *name);
int uses_add(struct model *m, const struct event *e, const struct dtype *t, uint64_t base,
	     enum level level);
bool model_has_types(const struct model *m);
struct use **uses_by_line(const struct model *m, size_t *nr);
bool uses_same_line(const struct use *a, const struct use *b);
bool uses_at_once(const struct model *m, const struct use *a, const struct use *b);
uint64_t use_coherent(const struct use *u, enum level level);
struct unit *use_unit(struct use *u, unsigned int first, unsigned int width, uint64_t ip);
uint64_t unit_bytes(const struct unit *unit);
int turns_add(struct model *m, struct use *u, int32_t pid, bool writes);
void turns_free(struct model *m);
int claims_find(struct model *m);
int chains_expect(struct model *m, const struct event *e, uint32_t type, uint32_t offset,
		  const struct tally *one);
void chains_forget(struct model *m, const struct event *e);
int chains_add(struct model *m, const struct event *e);
void chains_join(struct model *m, const uint32_t *to);
void chains_free(struct model *m);
size_t model_sites(const struct model *m, uint32_t type, uint64_t ip);
double model_seconds(const struct model *m);

#endif
