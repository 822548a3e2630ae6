// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * A ring of events for each thread, in a file that the recorder maps, too: what a
 * thread wrote is there even if the process is killed.  When the recorder does not
 * keep up, the thread waits a little, and then counts what it could not write.
 */
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/rseq.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload.h"

#define WAIT_NS		50000
#define MAX_TRIES	1000
#define PAGE		4096UL
#define MAX_WAIT_NS	100000000
/* Before a thread sleeps to wait for another one, that may run so many times. */
#define YIELDS		8
#define SLEEP_NS	50000
/* A thread that may run at all is not kept from it for so long. */
#define MAX_PATIENCE_NS	500000000
/* Records that memory is asked for at once: as many as there are, within these. */
#define MIN_PIECE	((ptrdiff_t)(PAGE / sizeof(struct event_record)))
#define MAX_PIECE	(16 * MIN_PIECE)
/* Where there is none, it is asked for again after so many losses. */
#define AGAIN		256

static struct process_state no_process = { .generation = GENERATION_NONE };

hidden struct process_state *process = &no_process;
hidden __thread struct thread_state self __attribute__((tls_model("initial-exec"))) = {
	.generation = GENERATION_FRESH,
};
hidden bool clock_is_tsc;
hidden unsigned int chain_depth = 8;

/* A copy: programs write over their environment to change what ps shows. */
static char directory[160];
static uint64_t ring_capacity = (1U << 20) / sizeof(struct event_record);

/* Not mmap(): that is interposed. */
static void *map(size_t bytes, int prot, int flags, int fd)
{
	void *p = (void *)syscall(SYS_mmap, NULL, bytes, prot, flags, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Zeroed memory that is no event, or NULL. */
void *raw_map(size_t bytes)
{
	void *p = map(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		      -1);

	return p;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

/* The C library keeps the kernel telling the thread which CPU it is on. */
static unsigned int this_cpu(void)
{
	const struct rseq *rseq = (const struct rseq *)((char *)__builtin_thread_pointer() +
							__rseq_offset);
	int cpu;

	if (likely(__rseq_size)) {
		cpu = *(volatile int *)&rseq->cpu_id;
		if (likely(cpu >= 0))
			return cpu;
	}
	return sched_getcpu();
}

/** ring_monotonic() - ring_now() where the TSC is not to be trusted */
uint64_t ring_monotonic(unsigned int *cpu)
{
	*cpu = this_cpu() & 0xfff;
	return now_ns();
}

/* The recorder says so, and the CPU has the instruction. */
static bool may_use_tsc(void)
{
	const char *clock = getenv("MEMPROF_CLOCK");
	unsigned int a, b, c, d;

	return clock && !strcmp(clock, "tsc") && __get_cpuid(0x80000001, &a, &b, &c, &d) &&
	       d & 1U << 27;
}

/**
 * ring_wait() - wait a little for another thread of the process, which may never come
 * @p: how long it took until now; zeros at first
 *
 * By the clock: beside a busy program, each sched_yield() takes milliseconds.  With sleep: a thread
 * whose priority is lower, on the same CPU, runs meanwhile.
 *
 * Return: false once it took too long.
 */
bool ring_wait(struct patience *p)
{
	const struct timespec t = { 0, SLEEP_NS };
	const int had_errno = errno;
	uint64_t now;

	if (p->tries++ < YIELDS) {
		sched_yield();
		return true;
	}
	now = now_ns();
	if (!p->since)
		p->since = now;
	else if (now - p->since > MAX_PATIENCE_NS)
		return false;
	/* Not nanosleep(), at which a thread can be cancelled. */
	syscall(SYS_nanosleep, &t, NULL);
	errno = had_errno;
	return true;
}

static void set_up_library(void)
{
	const char *text = getenv("MEMPROF_RING_BYTES"), *session = getenv("MEMPROF_SESSION");
	uint64_t bytes = text ? strtoull(text, NULL, 10) : 0;
	struct process_state *p;

	if (session && strlen(session) < sizeof(directory))
		strcpy(directory, session);
	if (bytes >= 4096 && bytes <= 1U << 30)
		ring_capacity = bytes / sizeof(struct event_record);
	text = getenv("MEMPROF_DEPTH");
	if (text && atoi(text) > 0 && atoi(text) <= MEMPROF_MAX_DEPTH)
		chain_depth = atoi(text);
	clock_is_tsc = may_use_tsc();
	p = raw_map(sizeof(*p));
	/* A child finds zeros, however it was forked, and begins anew. */
	if (p && !madvise(p, sizeof(*p), MADV_WIPEONFORK))
		process = p;
}

static void set_up_generation(void)
{
	process->pid = syscall(SYS_getpid);
	__atomic_store_n(&process->generation, now_ns(), __ATOMIC_RELEASE);
}

/*
 * An empty file tells the recorder of a process that is not recorded, as of a thread without a ring.  Of
 * what was being set up, nothing is used.
 */
static void note_abandoned(void)
{
	const char *session = getenv("MEMPROF_SESSION");
	char path[sizeof(directory) + 64];

	if (!session || strlen(session) >= sizeof(directory))
		return;
	snprintf(path, sizeof(path), "%s/%u.%u.%lu", session, (unsigned int)syscall(SYS_getpid),
		 (unsigned int)syscall(SYS_gettid), (unsigned long)now_ns());
	mknod(path, S_IFREG | 0600, 0);
}

enum { SET_UP_NOT, SET_UP_BEGUN, SET_UP_DONE, SET_UP_ABANDONED };

/*
 * Set up what is set up once.  The thread that began may have been left by siglongjmp() in a signal
 * handler, or not be in this process, a child of fork(): without it nothing is recorded.  If it
 * ends later, all is as if it had been in time.
 */
static bool set_up_once(int *state, void (*set_up)(void))
{
	struct patience patience = { 0 };
	int is = SET_UP_NOT;

	if (__atomic_load_n(state, __ATOMIC_ACQUIRE) == SET_UP_DONE)
		return true;
	if (__atomic_compare_exchange_n(state, &is, SET_UP_BEGUN, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		set_up();
		__atomic_store_n(state, SET_UP_DONE, __ATOMIC_RELEASE);
		return true;
	}
	while (is == SET_UP_BEGUN && ring_wait(&patience))
		is = __atomic_load_n(state, __ATOMIC_ACQUIRE);
	if (is == SET_UP_BEGUN && __atomic_compare_exchange_n(state, &is, SET_UP_ABANDONED, false,
							      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		note_abandoned();
	return is == SET_UP_DONE;
}

/* The process state is there, and is this process's. */
static bool set_up_process(void)
{
	static int library;

	if (!set_up_once(&library, set_up_library) || process == &no_process || !*directory)
		return false;
	return set_up_once(&process->set_up, set_up_generation);
}

/*
 * Whether memory of the ring can be written: in a file system that is full, who touches what has no
 * page yet is sent SIGBUS.  A kernel before 5.14 cannot say it, and is taken at its word.
 */
static bool make_present(void *from, void *to)
{
	const uintptr_t begin = (uintptr_t)from & -PAGE, end = ((uintptr_t)to + PAGE - 1) & -PAGE;

	return !madvise((void *)begin, end - begin, MADV_POPULATE_WRITE) || errno == EINVAL;
}

/* With a smaller limit (ulimit -f) ftruncate() would send SIGXFSZ. */
static bool may_be_as_large(size_t bytes)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur >= bytes;
}

/* Names the file of a ring; without one, an empty file tells the recorder.  Returns whether it is there. */
static bool name_ring(int fd, uint32_t tid)
{
	char path[sizeof(directory) + 64], link[64];
	unsigned int tries = 0;
	uint64_t number;
	int failed;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	do {
		number = __atomic_add_fetch(&process->rings, 1, __ATOMIC_RELAXED);
		/* After exec the numbers begin again, and the recorder may not have come yet. */
		if (tries)
			number += process->generation;
		snprintf(path, sizeof(path), "%s/%u.%u.%lu", directory, process->pid, tid, (unsigned long)number);
		failed = fd < 0 ? mknod(path, S_IFREG | 0600, 0) :
				  linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
	} while (failed && errno == EEXIST && ++tries < MAX_TRIES);
	return !failed;
}

/**
 * ring_begin() - give this thread a ring
 *
 * To be called when the thread's generation is not the process's: a new thread, or
 * the only one of a child after fork(), in which the parent's ring is not mapped.
 *
 * Return: whether it has one.
 */
bool ring_begin(void)
{
	struct ring *ring;
	struct stat pid_ns;
	unsigned int cpu;
	size_t bytes;
	uint32_t tid;
	int fd;

	if (!set_up_process())
		return false;
	if (self.finished == process->generation)
		return false;
	memset(&self, 0, sizeof(self));
	self.busy = 1;
	self.generation = GENERATION_FRESH;
	self.finished = process->generation;
	tid = syscall(SYS_gettid);
	bytes = RING_HEADER + ring_capacity * sizeof(struct event_record);
	/* It has its name when it is ready to be read. */
	fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	ring = fd < 0 || !may_be_as_large(bytes) || ftruncate(fd, bytes) ? NULL :
	       map(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	if (ring && !make_present(ring, (char *)ring + RING_HEADER)) {
		syscall(SYS_munmap, ring, bytes);
		ring = NULL;
	}
	if (!ring) {
		name_ring(-1, tid);
		goto out;
	}
	madvise(ring, bytes, MADV_DONTFORK);
	ring->pid = process->pid;
	ring->pid_ns = stat("/proc/self/ns/pid", &pid_ns) ? 0 : pid_ns.st_ino;
	ring->tid = tid;
	ring->image = process->generation;
	ring->capacity = ring_capacity;
	ring->clock = clock_is_tsc ? RING_TSC : RING_MONOTONIC;
	ring->base = self.base = ring_now(&cpu);
	ring->magic = RING_MAGIC;
	self.first = self.next = self.present = (struct event_record *)((char *)ring + RING_HEADER);
	self.end = self.first + ring_capacity;
	/* Of none is it known yet whether there is memory for it. */
	self.stop = self.first;
	self.ring = ring;
	if (!name_ring(fd, tid)) {
		syscall(SYS_munmap, ring, bytes);
		self.ring = NULL;
		/* Without /proc there is no name for a file that is open. */
		name_ring(-1, tid);
	} else {
		self.generation = process->generation;
		self.finished = 0;
	}
out:
	if (fd >= 0)
		close(fd);
	self.busy = 0;
	return self.ring;
}

static struct event_record *behind(ptrdiff_t n)
{
	return self.end - self.next < n ? self.end : self.next + n;
}

/*
 * Memory for n records: in pieces, as a thread of few events needs little.  Returns false, and counts
 * it, where there is none.
 */
static bool have_memory(unsigned int n)
{
	struct event_record *to = behind(n), *more;
	ptrdiff_t piece = self.present - self.first;

	if (piece > MAX_PIECE)
		piece = MAX_PIECE;
	more = behind(piece < MIN_PIECE ? MIN_PIECE : piece);
	if (more < to)
		more = to;
	if (!(self.lost % AGAIN)) {
		if (make_present(self.present, more))
			self.present = more;
		else if (make_present(self.present, to))
			self.present = to;
	}
	if (self.stop > self.present)
		self.stop = self.present;
	if (to <= self.present)
		return true;
	self.ring->no_space++;
	return false;
}

/* Room for n records, or false when the recorder does not come, or there is no memory. */
static bool reserve(unsigned int n, bool wait)
{
	const int had_errno = errno;
	const uint64_t head = self.ring->head;
	struct timespec t = { 0, WAIT_NS };
	uint64_t capacity, until = 0;
	bool ok = true;

	if (self.next == self.end)
		self.next = self.first;
	for (;;) {
		capacity = __atomic_load_n(&self.ring->tail, __ATOMIC_ACQUIRE) + ring_capacity - head;
		if (n <= capacity)
			break;
		if (!wait)
			return false;
		/* By the clock: where timers are coarse, a sleep takes milliseconds. */
		if (!until)
			until = now_ns() + MAX_WAIT_NS;
		else if (now_ns() > until)
			return false;
		self.ring->waits++;
		syscall(SYS_nanosleep, &t, NULL);
		errno = had_errno;
	}
	self.stop = capacity < (uint64_t)(self.end - self.next) ? self.next + capacity : self.end;
	if (self.stop > self.present)
		ok = have_memory(n);
	errno = had_errno;
	return ok;
}

/* A record that there is room for. */
static void put(const void *record)
{
	if (self.next == self.end)
		self.next = self.first;
	memcpy(self.next++, record, sizeof(*self.next));
}

static void publish(unsigned int n)
{
	__atomic_store_n(&self.ring->head, self.ring->head + n, __ATOMIC_RELEASE);
}

/**
 * ring_prepare() - make room, and write what comes before an event now and then: a loss,
 * a new base
 * @n: records that there is to be room for
 * @time: of the event, of ring_now()
 *
 * Return: whether there is room.
 */
bool ring_prepare(unsigned int n, uint64_t time)
{
	uint64_t words[3] = { 0 };
	struct event_record e;

	/* Once some were lost, do not wait for each: the recorder may be gone. */
	if (!reserve(n + 2, !self.lost)) {
		self.lost++;
		self.ring->lost++;
		self.stop = self.first;
		return false;
	}
	if (time - self.base > RING_MAX_DELTA) {
		e = (struct event_record){ .type = EVENT_BASE };
		memcpy(words, &e, 8);
		words[2] = self.base = time;
		put(words);
		publish(1);
	}
	if (self.lost) {
		e = (struct event_record){ .delta = time - self.base, .type = EVENT_LOST,
					   .size = self.lost };
		put(&e);
		publish(1);
		self.lost = 0;
	}
	/* Those may have been the last of the ring. */
	return reserve(n, false);
}

/**
 * ring_event() - write an event to this thread's ring
 *
 * As ring_write(), whatever it takes: too large sizes are said to be EVENT_MAX_SIZE.
 */
void ring_event(enum event_type type, const void *addr, uint64_t size, unsigned int flags,
		uint32_t chain, uint64_t time, unsigned int cpu, unsigned int wait)
{
	addr = (const void *)((uintptr_t)addr & ((UINT64_C(1) << 48) - 1));
	if (size > EVENT_MAX_SIZE)
		size = EVENT_MAX_SIZE;
	if (unlikely(!ring_write(type, addr, size, flags, chain, time, cpu, wait)) &&
	    ring_prepare(1, time))
		ring_write(type, addr, size, flags, chain, time, cpu, wait);
}

/**
 * ring_write_chain() - write which frames a chain has
 * @id: its number
 * @depth: how many
 * @frames: return addresses, the innermost first
 *
 * Return: whether there was room.
 */
bool ring_write_chain(uint32_t id, unsigned int depth, const uintptr_t *frames)
{
	const unsigned int n = CHAIN_RECORDS(depth);
	unsigned int i, k, cpu;
	uint64_t time = ring_now(&cpu), words[3];
	struct event_record e;

	if (!ring_prepare(n, time))
		return false;
	e = (struct event_record){ .delta = time - self.base, .type = EVENT_CHAIN,
				   .wait = depth, .chain = id };
	put(&e);
	for (i = 0; i < depth; i += 3) {
		for (k = 0; k < 3; k++)
			words[k] = i + k < depth ? frames[i + k] : 0;
		put(words);
	}
	publish(n);
	/* They may have gone around the end. */
	reserve(0, false);
	return true;
}

/* The thread ends: the recorder may forget the ring when it has read it. */
void ring_thread_exit(void)
{
	/* In a child of fork() that had no event yet, the ring is the parent's, and not mapped. */
	if (self.ring && self.generation == process->generation) {
		__atomic_store_n(&self.ring->done, 1, __ATOMIC_RELEASE);
		syscall(SYS_munmap, self.ring,
			RING_HEADER + ring_capacity * sizeof(struct event_record));
	}
	if (self.chains)
		syscall(SYS_munmap, self.chains, CHAIN_SLOTS * sizeof(*self.chains));
	self.ring = NULL;
	self.chains = NULL;
	self.generation = GENERATION_FRESH;
	self.finished = process->generation;
}
