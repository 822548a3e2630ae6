/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/*
 * The format of recordings, memprof.data(5), and of what the preloaded library
 * hands to the recorder.  Little endian, as the processors this runs on.
 *
 * A file header, then chunks.  A chunk belongs to a stream: one CPU's samples, one
 * thread's life events.  Records of a stream are in order of time, and so are its
 * chunks; streams among each other are not.  Times are CLOCK_MONOTONIC.
 */
#ifndef MEMPROF_FORMAT_H
#define MEMPROF_FORMAT_H

#include <stdint.h>

#define MEMPROF_MAGIC		"MEMPROF\n"
#define MEMPROF_VERSION		1
#define MEMPROF_CHUNK_MAGIC	0x4b484350U	/* "PCHK" */
/* More is damage. */
#define MEMPROF_MAX_CHUNK	(16U << 20)
#define MEMPROF_MAX_DEPTH	32

struct file_header {
	char magic[8];
	uint32_t version, bytes;	/* of this header */
	uint64_t start_ns;		/* CLOCK_MONOTONIC */
	uint64_t start_real_ns;		/* CLOCK_REALTIME at the same time */
};

enum chunk_type {
	CHUNK_META = 1,		/* JSON: the machine, the settings */
	CHUNK_SAMPLES,		/* struct sample_record; stream: CPU */
	CHUNK_EVENTS,		/* struct event_record; stream: of CHUNK_STREAM */
	CHUNK_TASKS,		/* struct task_record; stream: CPU */
	CHUNK_STREAM,		/* struct stream_record: whose events a stream has */
	CHUNK_THREADS,		/* struct thread_record: numbers of threads in samples */
	CHUNK_CHAINS,		/* struct chain_record: call chains of samples */
	CHUNK_LOST,		/* struct lost_record */
	CHUNK_END,		/* the recorder ended the file: it is whole */
	CHUNK_TYPES
};

/**
 * struct chunk_header - before the records of a chunk
 * @bytes: of the records
 * @records: how many
 * @base_ns: that deltas of the records are added to
 * @last_ns: time of the last record
 * @check: low half of XXH3 of the records, seeded with that of the header's bytes before
 */
struct chunk_header {
	uint32_t magic;
	uint16_t type, reserved;
	uint32_t bytes, records;
	uint64_t base_ns, last_ns;
	uint32_t stream, check;
};

/* Deltas of time fit 40 bits, 18 minutes: a chunk ends before. */
#define MEMPROF_DELTA_BITS	40
#define MEMPROF_MAX_DELTA	((UINT64_C(1) << MEMPROF_DELTA_BITS) - 1)

/*
 * Where the data was found, enum memprof_level; NA: not reported.  Recordings of version 1
 * that were made before those from L2_BUFFER on existed have lower ones only.
 */
enum { LEVEL_NA, LEVEL_L1, LEVEL_L2, LEVEL_L3, LEVEL_BUFFER, LEVEL_RAM, LEVEL_REMOTE_RAM,
       LEVEL_REMOTE_CACHE, LEVEL_L2_BUFFER, LEVEL_L3_OR_PEER, LEVEL_PEER_CACHE, LEVEL_MEMORY_SIDE,
       LEVEL_PMEM, LEVEL_CXL, LEVEL_BEYOND_L3, LEVEL_UNCACHED, LEVELS };

#define NODE_UNKNOWN	0xff
#define THREAD_NONE	0xffffffU
#define PFN_UNKNOWN	0

/**
 * struct sample_record - one memory access, 32 bytes
 * @delta: of time
 * @op: bit 0 load, bit 1 store
 * @hitm: found modified in another cache
 * @tlb_miss: the translation was in no TLB
 * @kernel: in kernel mode
 * @addr: sign-extended from 48 bits
 * @latency: cycles, 0 not known, 65535 that or more
 * @chain: of CHUNK_CHAINS; its first frame is the instruction
 * @thread: of CHUNK_THREADS
 * @node: of the memory
 * @pfn: frame number, 0 not known
 */
struct sample_record {
	uint64_t delta : 40, cpu : 12, level : 4, op : 2, hitm : 1, tlb_miss : 1, kernel : 1,
		 reserved : 3;
	uint64_t addr : 48, latency : 16;
	uint32_t chain;
	uint32_t thread : 24, node : 8;
	uint64_t pfn : 40, reserved2 : 24;
};

enum event_type {
	EVENT_NONE,
	EVENT_ALLOC,	/* an object is at addr, size bytes, since delta + wait */
	EVENT_FREE,	/* it is gone; size 0: whatever its size */
	EVENT_MAP,	/* mmap(), and what mremap() and sbrk() add */
	EVENT_UNMAP,	/* munmap(), and what mremap() and sbrk() take away */
	EVENT_STACK,	/* the thread's stack */
	EVENT_CHAIN,	/* chain `chain' has `wait' frames, 3 in each of the next records */
	EVENT_LOST,	/* size events are missing here */
	EVENT_BASE,	/* deltas count from the time in the third word now */
	EVENT_TYPES
};

/* Flags of events. */
#define EVENT_REALLOC	1	/* ALLOC and FREE: by the same realloc() or mremap() */
#define EVENT_ZEROED	2	/* ALLOC: the allocator wrote it: calloc() */
#define EVENT_FILE	4	/* MAP: of a file */
#define EVENT_DECLARED	8	/* ALLOC and FREE: by a declared hook, not by malloc() */

/**
 * struct event_record - an event of an object's life, 24 bytes
 * @delta: of time: before the call for FREE and UNMAP, and for what realloc() and
 *	calloc() do; after it for the others
 * @wait: how long the call took, in units of 1,024 ns, rounded up: 0 for what is
 *	dated after the call
 * @chain: call chain, numbered within the process image of the stream; 0 none
 */
struct event_record {
	uint64_t delta : 40, type : 4, cpu : 12, flags : 8;
	uint64_t addr : 48, wait : 16;
	uint64_t size : 40, chain : 24;
};

#define EVENT_WAIT_NS	1024
#define EVENT_MAX_CHAIN	((1U << 24) - 1)
#define EVENT_MAX_SIZE	((UINT64_C(1) << 40) - 1)

/* The streams of events.  image: a process from one exec to the next. */
struct stream_record {
	uint32_t stream, pid, tid, reserved;
	uint64_t image;
};

struct thread_record {
	uint32_t thread, pid, tid;
};

/* Followed by depth addresses. */
struct chain_record {
	uint32_t chain, depth;
};

enum { LOST_SAMPLES, LOST_TASKS, LOST_EVENTS, LOST_THROTTLED, LOST_KINDS };

struct lost_record {
	uint64_t time_ns, count;
	uint32_t kind, stream;
};

enum task_type { TASK_FORK = 1, TASK_EXIT, TASK_COMM, TASK_EXEC, TASK_MMAP, TASK_CGROUP, TASK_TYPES };

/*
 * CGROUP records are of samples: their streams are those of CPUs, with the first bit.  What was
 * there when the recording began is a stream of its own.
 */
#define MEMPROF_OF_SAMPLES	(UINT32_C(1) << 31)
#define MEMPROF_WAS_THERE	(UINT32_C(1) << 30)

/* Name of a MMAP record that is an object of another program's samples: its name follows. */
#define MEMPROF_NAMED	"//object:"

/* task_record flags */
#define TASK_EXECUTABLE	1
#define TASK_WRITABLE	2
#define TASK_SHARED	4
#define TASK_FOUND	8	/* it was there when the recording began */
#define TASK_PRIVILEGED	16	/* MMAP: of a program with a set-ID bit or capabilities */

/**
 * struct task_record - processes, threads, and what they map
 * @delta: of time, in ns
 * @bytes: with the name
 * @other: FORK: the parent's pid
 * @start: MMAP: first address
 * @length: MMAP
 * @offset: MMAP: in the file
 * @name: COMM, EXEC: the task's, MMAP: the file's, CGROUP: path of the control group that the
 *	thread is in from here on, none if it is not known; ends with 0, to a multiple of 8
 */
struct task_record {
	uint64_t delta;
	uint16_t type, bytes;
	uint32_t flags;
	uint32_t pid, tid;
	uint32_t other, reserved;
	uint64_t start, length, offset;
	char name[];
};

/* ---- between the preloaded library and the recorder ---- */

#define RING_MAGIC	UINT64_C(0x32474e49524d454d)	/* "MEMRING2" */
#define RING_HEADER	4096
/* In units of the ring's clock; a faster one than of 1 GHz is later in ns. */
#define RING_MAX_DELTA	(MEMPROF_MAX_DELTA / 2)
/* Unit of event_record.wait where the clock is the TSC. */
#define RING_WAIT_TICKS	4096

enum ring_clock { RING_MONOTONIC, RING_TSC };

/**
 * struct ring - begins a file PID.TID.NUMBER in the session's directory; one of a thread that has no
 *	memory for it is empty
 * @capacity: records of struct event_record behind RING_HEADER bytes
 * @head: records written ever; the thread's
 * @tail: records read ever; the recorder's
 * @base: of the first record's delta
 * @lost: events that found no room, or no memory
 * @no_space: those that found no memory
 * @pid_ns: number of the PID namespace that @pid and @tid are of; 0: not known
 * @waits: how often the thread waited for room
 * @done: the thread writes no more
 * @clock: of enum ring_clock: what @base, EVENT_BASE and deltas are times of
 */
struct ring {
	uint64_t magic;
	uint32_t pid, tid;
	uint64_t image, base, capacity;
	uint64_t lost, waits;
	uint32_t done, clock;
	uint64_t head __attribute__((aligned(64)));
	uint64_t no_space, pid_ns;
	uint64_t tail __attribute__((aligned(64)));
};

#endif
