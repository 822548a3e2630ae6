/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/*
 * libmemprof: the memory accesses of a recording of memprof record, by thread and by
 * object.
 *
 * After "MemProf: A Memory Profiler for NUMA Multicore Systems" (Lachaize, Lepers,
 * Quema, 2012), section 3: a thread event flow (TEF) is a thread's accesses, an object
 * event flow (OEF) an object's, both in order of time, with the fields of its Figure 2.
 *
 *	struct memprof *m = memprof_open("memprof.data", NULL, error, sizeof(error));
 *	struct memprof_access a;
 *
 *	for (size_t i = 0; i < memprof_nr_objects(m); i++)
 *		memprof_foreach_access(m, memprof_object_flow(m, i), &a)
 *			...
 *	memprof_close(m);
 *
 * What a handle gives out lives as long as the handle.  A handle may be used by
 * several threads at once.  Nothing is printed.
 */
#ifndef MEMPROF_H
#define MEMPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MEMPROF_API_VERSION	1

struct memprof;
struct memprof_access;
struct memprof_diagnosis;
struct memprof_view;

/* The paper's five types of objects, and what is none of them. */
enum memprof_type {
	MEMPROF_STATIC,		/* a variable of a program or library */
	MEMPROF_DYNAMIC,	/* malloc() and its like, anonymous mmap() */
	MEMPROF_FILE,		/* a mapped file */
	MEMPROF_CODE,		/* an executable section */
	MEMPROF_STACK,		/* the stacks of a process */
	MEMPROF_KERNEL,		/* the kernel's memory */
	MEMPROF_UNKNOWN,	/* accesses that are no object's, by reason */
	MEMPROF_TYPES
};

enum memprof_level {
	MEMPROF_LEVEL_UNKNOWN,	/* the source does not say; IBS: stores that missed the L1 */
	MEMPROF_L1, MEMPROF_L2, MEMPROF_L3,
	MEMPROF_FILL_BUFFER, MEMPROF_RAM, MEMPROF_REMOTE_RAM, MEMPROF_REMOTE_CACHE,
	MEMPROF_L2_BUFFER,	/* on its way to the L2 */
	MEMPROF_L3_OR_PEER,	/* of the node; AMD before Zen 4 does not report which */
	MEMPROF_PEER_CACHE,	/* of the node, behind another L3 */
	MEMPROF_MEMORY_SIDE,	/* a cache of the memory side: L4, MSC */
	MEMPROF_PMEM, MEMPROF_CXL,
	MEMPROF_BEYOND_L3,	/* the L3 missed, and no more is known */
	MEMPROF_UNCACHED,	/* or I/O */
	MEMPROF_LEVELS
};

#define MEMPROF_NO_NODE		(-1)
#define MEMPROF_NO_THREAD	UINT32_MAX
#define MEMPROF_NO_OBJECT	UINT32_MAX

/**
 * struct memprof_options - what of a recording
 * @size: sizeof(struct memprof_options)
 * @from_ns: accesses since then, after the recording's begin
 * @to_ns: and before then; 0: to the end
 * @pid: of this process only; 0: all
 * @tid: of this thread only; 0: all
 * @symbols: directory that the recorded machine's files are below; NULL: none
 * @each: takes each access in order of time; NULL: flows are kept instead
 * @arg: for @each
 * @memory: bytes that what grows with the recording may take; the rest is kept in a file
 *	in $TMPDIR or /var/tmp.  0: a quarter of the machine's memory
 * @wrappers: functions that allocate for others, beside those that are known, up to a NULL: the
 *	site of an object is what calls them.  "*" stands for any text; a name with ".so" in it is
 *	that of a library.  NULL: none
 * @physical: keep page frame and TLB of each access, too: 8 bytes more an access.  Where @each
 *	takes accesses, they have both
 * @count_objects: objects of the heap are counted in memprof_totals, and not kept: an access has
 *	the number of one that stands for all of them, and its offset is the address.  Memory then
 *	grows with what is live at a time, not with the recording.  Of no effect without @each
 * @pids: of these processes only, beside @pid; not read after memprof_open()
 * @nr_pids: how many; 0: no choice by @pids
 * @tids: of these threads only, beside @tid; not read after memprof_open()
 * @nr_tids: how many; 0: no choice by @tids
 */
struct memprof_options {
	size_t size;
	uint64_t from_ns, to_ns;
	uint32_t pid, tid;
	const char *symbols;
	void (*each)(const struct memprof_access *access, void *arg);
	void *arg;
	uint64_t memory;
	const char *const *wrappers;
	bool physical, count_objects;
	const int32_t *pids;
	size_t nr_pids;
	const int32_t *tids;
	size_t nr_tids;
};

/**
 * struct memprof_access - "object access" and "thread access" of the paper
 * @time_ns: since the recording began
 * @thread: number of the thread that accesses
 * @object: number of the object
 * @chain: number of the call chain, for memprof_chain()
 * @latency: cycles, 0 not known
 * @offset: in the object
 * @node: that the access is from
 * @home: node of the memory, MEMPROF_NO_NODE if not known
 * @cpu: that the access is from
 * @level: where the data was found
 * @read: it is a load
 * @write: it is a store; both: one instruction that does both
 * @hitm: found modified in another CPU's cache
 * @kernel: by the kernel
 * @tlb_miss: the translation was in no TLB; only with options.physical or options.each
 * @physical: address, 0 if it is not known; only with options.physical or options.each
 * @address: virtual
 */
struct memprof_access {
	uint64_t time_ns;
	uint32_t thread, object, chain, latency;
	uint64_t offset;
	int node, home;
	uint16_t cpu;
	enum memprof_level level;
	bool read, write, hitm, kernel, tlb_miss;
	uint64_t physical, address;
};

/**
 * struct memprof_thread - metadata of a thread event flow
 * @pid: process
 * @tid: thread
 * @name: its name
 * @program: the process's binary, "" if not known
 * @born_ns: since the recording began, 0 if before
 * @died_ns: UINT64_MAX if it did not
 * @accesses: length of its flow
 */
struct memprof_thread {
	uint32_t pid, tid;
	const char *name, *program;
	uint64_t born_ns, died_ns;
	size_t accesses;
};

/**
 * struct memprof_object - metadata of an object event flow
 * @type: one of the paper's types
 * @pid: of the process
 * @address: first byte, @size: bytes
 * @born_ns: since the recording began, 0 if before
 * @died_ns: UINT64_MAX if it did not
 * @chain: call chain of the allocation, 0 none
 * @thread: that allocated it, MEMPROF_NO_THREAD if not known
 * @cpu: that it was allocated on, -1 if not known
 * @node: of @cpu, MEMPROF_NO_NODE if not known
 * @path: of files, code and static objects, "" for others
 * @symbol: of static objects; why, for MEMPROF_UNKNOWN; "" for others
 * @inherited: a parent allocated it before fork()
 * @accesses: length of its flow
 */
struct memprof_object {
	enum memprof_type type;
	uint32_t pid;
	uint64_t address, size, born_ns, died_ns;
	uint32_t chain, thread;
	int cpu, node;
	const char *path, *symbol;
	bool inherited;
	size_t accesses;
};

/**
 * struct memprof_site - where objects are allocated, or what they are
 * @name: what is assigned there, as the source says it, or the function
 * @function: that allocates
 * @file: source file, "" if not known; else the binary's
 * @line: 0 if not known
 */
struct memprof_site {
	const char *name, *function, *file;
	unsigned int line;
};

/**
 * struct memprof_totals - what a recording has
 * @unknown: accesses that are no object's, by reason; see memprof_reason()
 * @start_ns: CLOCK_MONOTONIC when the recording began; its times count from there
 * @own: samples of the profiler's own buffers, left out
 * @dropped: accesses that the source saw and could not report, of the whole recording and of all
 *	processes; 0 if it does not count them
 * @objects: that were accessed, those that are not kept among them
 * @recorded: samples of the whole recording, of whatever part @samples are
 * @recorded_ns: the length of the whole recording
 */
#define MEMPROF_REASONS	8
struct memprof_totals {
	uint64_t samples, accesses, events, allocations, frees, own, unmatched_frees;
	uint64_t lost_samples, lost_events, lost_tasks, throttled, discarded;
	uint64_t unknown[MEMPROF_REASONS];
	uint64_t start_ns, duration_ns, bytes;
	uint32_t max_live_objects;
	uint64_t dropped, objects, recorded, recorded_ns;
};

/**
 * struct memprof_code - code that a process has mapped
 * @path: of the file
 * @start: first address, @end: behind the last
 * @offset: of @start in the file
 */
struct memprof_code {
	const char *path;
	uint64_t start, end, offset;
};

/**
 * struct memprof_finding - what the accesses of a site show, and what to do about it
 * @pattern: in a word, as memprof-diagnose(1) has them: "concurrent-read", "local"
 * @about: the pattern, in a sentence
 * @fix: in a word; "none" if nothing is advised
 * @advice: what to do, in a sentence
 * @object: the site's object with the most accesses; MEMPROF_NO_OBJECT for a process
 * @pid: of the process, 0 of several
 * @objects: of the site
 * @node: to allocate on, or that is saturated; MEMPROF_NO_NODE none
 * @accesses: of main memory, with both nodes known
 * @remote: of these
 * @predicted: remote ones that are left with the fix
 * @confidence: share of the accesses that the pattern explains, 0 to 1
 * @joint: the fix is one of those that are made together
 */
struct memprof_finding {
	const char *pattern, *about, *fix, *advice;
	uint32_t object, pid, objects;
	int node;
	uint64_t accesses, remote;
	double predicted, confidence;
	bool joint;
};

enum memprof_cell_type {
	MEMPROF_CELL_UNKNOWN, MEMPROF_CELL_INTEGER, MEMPROF_CELL_REAL, MEMPROF_CELL_TEXT,
};

/**
 * struct memprof_column - what a column of a view holds
 * @name: as in CSV; it ends with the unit of percents and times: "remote_pct", "born_s"
 * @unit: "samples", "bytes", "%"; "" for what has none
 * @meaning: what its values mean, in words
 * @unknown: when a value is unknown, in words; NULL: never
 * @type: of its values, but unknown ones; those of the summary's column "value" differ
 * @digits: behind the point, that reports print of real numbers; below 0: so many significant ones
 */
struct memprof_column {
	const char *name, *unit, *meaning, *unknown;
	enum memprof_cell_type type;
	int digits;
};

/**
 * struct memprof_cell - a value of a view
 * @type: of this value
 * @text: of text, valid UTF-8; else NULL
 * @integer: of integers, else 0
 * @real: of real numbers and of integers; else not a number
 */
struct memprof_cell {
	enum memprof_cell_type type;
	const char *text;
	uint64_t integer;
	double real;
};

/**
 * struct memprof_view_options - what of a view
 * @size: sizeof(struct memprof_view_options)
 * @object: flow: of this object; MEMPROF_NO_OBJECT: of the one that is diagnosed first
 * @thread: flow: of this thread; MEMPROF_NO_THREAD: of an object
 * @site: objects: of sites with this text in their names; NULL: all
 * @top: so many rows; 0: all
 * @instances: objects: a row per object, not per site
 * @all: count accesses that caches answered, too; lines: those of one thread, too; findings: sites
 *	of which nothing is wrong, too
 */
struct memprof_view_options {
	size_t size;
	uint32_t object, thread;
	const char *site;
	size_t top;
	bool instances, all;
};

/* An initializer: as reports without options. */
#define MEMPROF_VIEW_OPTIONS	{ \
	sizeof(struct memprof_view_options), MEMPROF_NO_OBJECT, MEMPROF_NO_THREAD, NULL, 0, false, false }

/* An iteration over a flow. */
struct memprof_flow {
	const uint32_t *next, *end;
};

struct memprof *memprof_open(const char *path, const struct memprof_options *options,
			     char *error, size_t size);
void memprof_close(struct memprof *m);
const char *memprof_damage(const struct memprof *m);

const struct memprof_totals *memprof_totals(const struct memprof *m);
const char *memprof_reason(int reason);
const char *memprof_meta(const struct memprof *m);
int memprof_nr_nodes(const struct memprof *m);
int memprof_node_of_cpu(const struct memprof *m, unsigned int cpu);

size_t memprof_nr_threads(const struct memprof *m);
const struct memprof_thread *memprof_thread(const struct memprof *m, uint32_t number);
size_t memprof_nr_objects(const struct memprof *m);
const struct memprof_object *memprof_object(const struct memprof *m, uint32_t number);
size_t memprof_nr_accesses(const struct memprof *m);

struct memprof_flow memprof_object_flow(const struct memprof *m, uint32_t object);
struct memprof_flow memprof_thread_flow(const struct memprof *m, uint32_t thread);
bool memprof_next(const struct memprof *m, struct memprof_flow *flow,
		  struct memprof_access *access);
void memprof_access(const struct memprof *m, size_t number, struct memprof_access *access);

const char *memprof_cgroup(const struct memprof *m, uint32_t thread, uint64_t time_ns);

#define memprof_foreach_access(m, flow, access)				\
	for (struct memprof_flow memprof_f = (flow); memprof_next(m, &memprof_f, access); )

unsigned int memprof_chain(const struct memprof *m, uint32_t chain, uint64_t *frames,
			   unsigned int capacity);
const char *memprof_frame(struct memprof *m, uint32_t chain, unsigned int frame);
bool memprof_code(const struct memprof *m, uint32_t chain, unsigned int frame,
		  struct memprof_code *code);
const struct memprof_site *memprof_object_site(struct memprof *m, uint32_t object);
uint64_t memprof_chain_allocations(const struct memprof *m, uint32_t chain, uint64_t *bytes);

size_t memprof_missing_files(struct memprof *m, const char **first);

const char *memprof_type_name(enum memprof_type type);
const char *memprof_level_name(enum memprof_level level);
bool memprof_in_memory(const struct memprof *m, const struct memprof_access *access);
bool memprof_is_remote(const struct memprof_access *access);
int memprof_site_text(const struct memprof_site *site, char *text, size_t size);

struct memprof_diagnosis *memprof_diagnose(struct memprof *m);
size_t memprof_nr_findings(const struct memprof_diagnosis *d);
const struct memprof_finding *memprof_finding(const struct memprof_diagnosis *d, size_t number);
double memprof_remote_with_all_fixes(const struct memprof_diagnosis *d);
void memprof_diagnosis_free(struct memprof_diagnosis *d);

struct memprof_view *memprof_view(struct memprof *m, const char *name,
				  const struct memprof_view_options *options);
const char *memprof_view_name(size_t number, const char **about);
size_t memprof_view_rows(const struct memprof_view *v);
size_t memprof_view_columns(const struct memprof_view *v);
const struct memprof_column *memprof_view_column(const struct memprof_view *v, size_t column);
int memprof_view_find(const struct memprof_view *v, const char *name);
struct memprof_cell memprof_view_cell(const struct memprof_view *v, size_t row, size_t column);
void memprof_view_free(struct memprof_view *v);

#ifdef __cplusplus
}
#endif

#endif
