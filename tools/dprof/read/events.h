/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * The events of the trace system dprof (Documentation/trace/dprof.rst): as structs,
 * their fields in trace.dat files, and their text form (dprof(1)).
 */
#ifndef DPROF_EVENTS_H
#define DPROF_EVENTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The kind of memory that a type lives in. */
enum memory_class {
	CLASS_UNKNOWN, CLASS_SLAB, CLASS_KMALLOC, CLASS_PAGE, CLASS_PAGE_CACHE, CLASS_ANON,
	CLASS_PAGE_TABLE, CLASS_STATIC, CLASS_PERCPU, CLASS_STACK, CLASS_STRUCT_PAGE,
	CLASS_VMALLOC, CLASS_MODULE, CLASS_USER, CLASS_FIXMAP, CLASS_BOOT,
	NR_MEMORY_CLASSES
};

extern const char * const class_name[NR_MEMORY_CLASSES];

enum { OP_LOAD = 1, OP_STORE = 2 };		/* may be both */
/* SOURCE_PERF: of a perf.data file, whatever perf sampled. */
enum { SOURCE_IBS = 1, SOURCE_PEBS, SOURCE_SWMEM, SOURCE_PERF, NR_SOURCES };
enum { HISTORY_FREED, HISTORY_SESSION_ENDED, HISTORY_GIVEN_UP };

#define SAMPLE_USER	1	/* in flags */
#define MAX_WATCHED	4	/* debug registers of a CPU */

struct type_event {
	uint32_t id, size, line;
	uint8_t class;
	char cache[64], func[64], file[128], module[64];
};

/**
 * struct sample_event - an access
 * @cgroup: id of the task's control group, see struct cgroup_event; 0: not known
 *
 * Of perf.data files only:
 * @space: the address space of @addr: of a process, or of what processes share; 0: the kernel's
 * @at: in what processes share, where they have it; 0: at @addr.  @base counts as @at does
 * @home, @cpu_home: NUMA node of the memory, and of the CPU, plus one; 0: not known
 */
struct sample_event {
	uint64_t ip, addr, phys, base, data_src, at, cgroup;
	uint32_t type, offset, latency, space;
	uint8_t op, width, source, flags, home, cpu_home;
};

/*
 * The kernel's call chain at the last event of the CPU: return addresses, the innermost first, as
 * the kernel's tracer records them; 0 after the last one.
 */
#define CHAIN_FRAMES	40

struct chain_event {
	uint64_t frames[CHAIN_FRAMES];
};

/* The control group of an id: its path below the root of the hierarchy, of long ones the end. */
struct cgroup_event {
	uint64_t id;
	char path[248];
};

struct alloc_event {
	uint64_t base, ip;
	uint32_t type, size;
};

struct free_event {
	uint64_t base, ip;
	uint32_t type;
};

struct history_event {
	uint64_t id, base, ip;
	uint32_t type, size;
	int32_t offset[MAX_WATCHED];	/* negative or >= size: in a neighboring object */
	uint8_t len[MAX_WATCHED], slots;
};

struct access_event {
	uint64_t id, ip, since;
	uint32_t seq;			/* in its history, from 1, over all CPUs; 0: not recorded */
	uint32_t type;			/* of the data at the offset */
	int32_t offset;
	uint8_t len, op;
};

struct history_end_event {
	uint64_t id, ip, lifetime, blind;
	uint32_t accesses, lost;
	uint8_t how;
};

enum event_kind {
	EVENT_TYPE, EVENT_SAMPLE, EVENT_ALLOC, EVENT_FREE, EVENT_HISTORY, EVENT_ACCESS,
	EVENT_HISTORY_END, EVENT_CGROUP, EVENT_CHAIN, NR_EVENTS
};

/**
 * struct event - one event
 * @kind: selects the member of the union
 * @cpu: the CPU that recorded the event; -1 if the file does not record it
 * @pid: of the task that ran on @cpu
 * @ts: ns, in the clock of the recording
 */
struct event {
	enum event_kind kind;
	int32_t cpu, pid;
	uint64_t ts;
	union {
		struct type_event type;
		struct sample_event sample;
		struct alloc_event alloc;
		struct free_event free;
		struct history_event history;
		struct access_event access;
		struct history_end_event history_end;
		struct cgroup_event cgroup;
		struct chain_event chain;
	};
};

/**
 * struct event_field - a field, in a trace and in text
 * @name: of the field, in both
 * @offset: in struct event
 * @size: bytes of one number, or of a string with its terminating 0
 * @count: number of array elements; 0: the field is a string
 * @is_signed: the numbers may be negative
 * @optional: a recording may lack the field
 * @rare: left out of the text form where it is 0; of an array, the zeros at its end are
 */
struct event_field {
	const char *name;
	uint16_t offset;
	uint8_t size, count, is_signed, optional, rare;
};

#define MAX_FIELDS 18

struct event_format {
	const char *name;
	size_t size;			/* of its member of the union */
	struct event_field field[MAX_FIELDS];
};

extern const struct event_format event_format[NR_EVENTS];

uint64_t event_get(const struct event *e, const struct event_field *f, int i);
void event_put(struct event *e, const struct event_field *f, int i, uint64_t value);
int event_parse(struct event *e, char *line, const char **wrong);
void event_print(const struct event *e, FILE *out);

#endif
