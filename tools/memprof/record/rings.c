// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof record: reads the rings that preloaded threads write.  Each is a file in
 * the session's directory (preload/ring.c); its records go to the recording, dated by
 * CLOCK_MONOTONIC.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/complain.h"
#include "lib/hash.h"
#include "lib/record/guard.h"
#include "lib/record/tree.h"
#include "clock.h"
#include "record.h"
#include "shrinkable.h"

/* A quiet thread's records are fetched as often. */
#define QUIET_NS	200000000
/* Whether the process of quiet threads is there is asked as often. */
#define GONE_NS		1000000000
/* Less is not worth a chunk, unless they have been waiting. */
#define ENOUGH		2048
/* The library makes no larger ones. */
#define MAX_BYTES	(RING_HEADER + (INT64_C(1) << 30) + 4096)
/* Of a chunk: a reader has one of each thread in memory. */
#define MAX_RECORDS	2730

/* The same number in two PID namespaces is two processes; a file of another user says nothing of one. */
struct process_key {
	uint64_t pid_ns;
	uint32_t pid;
	uint32_t owner;
};

/**
 * struct source_process - a process that has rings
 * @key: which one
 * @image: the latest that they are of, which each execve(2) begins
 * @rings: their number
 */
struct source_process {
	struct process_key key;
	uint64_t image;
	uint64_t rings;
	UT_hash_handle hh;
};

struct source_ring {
	char name[64];
	struct ring *ring;
	size_t bytes;
	uint64_t capacity, head, tail, base, read_ns, asked_ns, lost, no_space;
	uint64_t lost_here;		/* of lost, those with a record where they are missing */
	uint64_t last_ns;		/* of its last record */
	uint64_t pair;			/* of the clock, where its last record was */
	uint32_t stream;
	bool tsc, announced, done, cut;
	uint64_t image;			/* of its process, as in the ring */
	struct source_process *process;	/* NULL: its PID namespace is not known */
	bool other_ns;			/* its process's number is of another PID namespace */
	bool gone;			/* its process is: what it wrote last is read in the next round */
	UT_hash_handle hh;
};

struct rings {
	struct recording *r;
	struct source_ring *table;
	struct source_process *processes;
	char path[64], parent[32];	/* parent: "" without one */
	int notify;			/* of new rings; -1: they are looked for each time */
	uint64_t pid_ns;		/* number of this process's PID namespace; 0: not known */
	bool reported_pid_ns;
	bool missed;			/* one was named and could not be mapped: look again */
	pid_t asked;			/* whether this process is gone, in this round */
	bool gone;
	bool tsc;
	struct clock clock;
	struct event_record chunk[MAX_RECORDS];
};

/*
 * Processes that give up root have events, too.  Their directory is one that everybody may write
 * to, below one that only root may list: its name is known to those who have it in their
 * environment.
 */
static int make_secret(struct rings *rings)
{
	uint64_t name[2];

	if (getrandom(name, sizeof(name), 0) != sizeof(name))
		return -1;
	strcpy(rings->parent, rings->path);
	if (chmod(rings->parent, 0711))
		return -1;
	snprintf(rings->path, sizeof(rings->path), "%s/%016lx%016lx", rings->parent, name[0], name[1]);
	/* Whatever the umask: sticky, so that nobody removes another's. */
	return guard_note(UNDO_DIR, rings->path, NULL) || mkdir(rings->path, 0700) || chmod(rings->path, 01733) ? -1 : 0;
}

/* Returns 0, or -1 with nothing left. */
static int make_directory(struct rings *rings, char *error, size_t size)
{
	/* In memory, where there is such a file system. */
	strcpy(rings->path, "/dev/shm/memprof.XXXXXX");
	if (!mkdtemp(rings->path)) {
		strcpy(rings->path, "/tmp/memprof.XXXXXX");
		if (!mkdtemp(rings->path)) {
			snprintf(error, size, "%s: %s", rings->path, strerror(errno));
			return -1;
		}
	}
	if (!guard_note(UNDO_DIR, rings->path, NULL) && (geteuid() || !make_secret(rings)))
		return 0;
	snprintf(error, size, "%s: %s", rings->path, strerror(errno));
	rmdir(rings->path);
	if (*rings->parent)
		rmdir(rings->parent);
	return -1;
}

/**
 * rings_new() - begin a session
 * @r: where records go
 * @error: says what is wrong
 * @size: of @error
 *
 * Return: the session, or NULL with @error set.
 */
struct rings *rings_new(struct recording *r, char *error, size_t size)
{
	struct rings *rings = calloc(1, sizeof(*rings));
	struct stat st;

	if (!rings) {
		snprintf(error, size, "no memory left");
		return NULL;
	}
	rings->r = r;
	if (!stat("/proc/self/ns/pid", &st))
		rings->pid_ns = st.st_ino;
	rings->tsc = clock_trusts_tsc("");
	/* No event is before it. */
	if (rings->tsc)
		clock_read(&rings->clock);
	if (make_directory(rings, error, size)) {
		free(rings);
		return NULL;
	}
	rings->notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (rings->notify >= 0 && inotify_add_watch(rings->notify, rings->path, IN_CREATE) < 0) {
		close(rings->notify);
		rings->notify = -1;
	}
	return rings;
}

/** rings_fd() - readable when there is a new ring; -1: it is not known */
int rings_fd(const struct rings *rings)
{
	return rings->notify;
}

/** rings_directory() - what MEMPROF_SESSION is to be */
const char *rings_directory(const struct rings *rings)
{
	return rings->path;
}

/** rings_clock() - what MEMPROF_CLOCK is to be: "tsc" or "monotonic" */
const char *rings_clock(const struct rings *rings)
{
	return rings->tsc ? "tsc" : "monotonic";
}

/**
 * rings_clock_error() - how far times of events may be off
 *
 * Return: ns, 0 if events are dated by the clock that samples are dated by.
 */
uint64_t rings_clock_error(const struct rings *rings)
{
	return rings->clock.error_ns;
}

/* PID.TID.NUMBER: others may have put there what they like, and its name is printed. */
static bool is_ring_name(const char *name)
{
	int parts;

	for (parts = 0; parts < 3; parts++) {
		const size_t n = strspn(name, "0123456789");

		if (!n || name[n] != (parts < 2 ? '.' : '\0'))
			return false;
		name += n + 1;
	}
	return true;
}

static void write_stream(struct rings *rings, const struct stream_record *stream, uint64_t time)
{
	writer_chunk(&rings->r->writer, CHUNK_STREAM, stream->stream, time, time, 1,
		     &(struct iovec){ (void *)stream, sizeof(*stream) }, 1);
}

/* Events that are missing after a time, if none of the ring's records says so. */
static void write_lost(struct rings *rings, uint32_t stream, uint64_t time, uint64_t count)
{
	const struct event_record e = { .type = EVENT_LOST, .size = count };

	writer_chunk(&rings->r->writer, CHUNK_EVENTS, stream, time, time, 1,
		     &(struct iovec){ (void *)&e, sizeof(e) }, 1);
}

/* A thread that had no memory for a ring: how many events it has is not known, at least one. */
static void add_empty(struct rings *rings, const char *name)
{
	struct stream_record stream = { .stream = ++rings->r->streams };
	const uint64_t time = now_ns();

	rings->r->without_ring++;
	sscanf(name, "%u.%u.", &stream.pid, &stream.tid);
	write_stream(rings, &stream, time);
	write_lost(rings, stream.stream, time, 1);
	record_lost(rings->r, LOST_EVENTS, stream.stream, time, 1);
}

/* The process of a ring; it has one more. */
static struct source_process *process_of(struct rings *rings, struct process_key key, uint64_t image)
{
	struct source_process *p;

	HASH_FIND(hh, rings->processes, &key, sizeof(key), p);
	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p)
			return NULL;
		p->key = key;
		HASH_ADD(hh, rings->processes, key, sizeof(key), p);
	}
	p->rings++;
	if (image > p->image)
		p->image = image;
	return p;
}

static void put_process(struct rings *rings, struct source_process *p)
{
	if (!p || --p->rings)
		return;
	HASH_DEL(rings->processes, p);
	free(p);
}

/*
 * After execve(2) nothing writes to the rings of the earlier image.  Without this, each image of a process
 * that executes one program after another would keep its memory until the process ends.
 */
static bool is_of_earlier_image(const struct source_ring *s)
{
	return s->process && s->image < s->process->image;
}

static void add_ring(struct rings *rings, const char *name)
{
	struct process_key key = { 0 };
	struct source_ring *s;
	struct stat st;
	struct ring *ring;
	char path[256];
	bool good;
	int fd;

	if (strlen(name) >= sizeof(s->name) || !is_ring_name(name))
		return;
	HASH_FIND_STR(rings->table, name, s);
	if (s)
		return;
	snprintf(path, sizeof(path), "%s/%s", rings->path, name);
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0) {
		rings->missed |= errno != ENOENT;
		return;
	}
	/* Others may write there: a file that another name has is not a ring. */
	good = !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_nlink == 1;
	if (good && !st.st_size && !unlink(path))
		add_empty(rings, name);
	if (!good || st.st_size <= RING_HEADER || st.st_size > MAX_BYTES) {
		close(fd);
		return;
	}
	ring = mmap(NULL, st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (ring == MAP_FAILED) {
		rings->missed = true;
		return;
	}
	s = calloc(1, sizeof(*s));
	rings->missed |= !s;
	good = s;
	if (s) {
		shrinkable_begin(ring, st.st_size);
		s->capacity = ring->capacity;
		s->base = ring->base;
		s->tsc = ring->clock == RING_TSC;
		key = (struct process_key){ .pid_ns = ring->pid_ns, .pid = ring->pid, .owner = st.st_uid };
		s->image = ring->image;
		s->other_ns = key.pid_ns && rings->pid_ns && key.pid_ns != rings->pid_ns;
		good = ring->magic == RING_MAGIC && s->capacity &&
		       s->capacity <= (st.st_size - RING_HEADER) / sizeof(struct event_record);
		good &= shrinkable_end();
	}
	if (!good) {
		munmap(ring, st.st_size);
		free(s);
		return;
	}
	strcpy(s->name, name);
	if (s->other_ns && !rings->reported_pid_ns) {
		rings->reported_pid_ns = true;
		complain(OK, "a process is in another PID namespace: its accesses are sampled under another number, and "
			 "so no objects are found for them");
	}
	s->ring = ring;
	s->bytes = st.st_size;
	s->stream = ++rings->r->streams;
	s->process = key.pid_ns ? process_of(rings, key, s->image) : NULL;
	HASH_ADD_STR(rings->table, name, s);
}

/* A time of a ring, by CLOCK_MONOTONIC. */
static uint64_t ring_ns(const struct rings *rings, struct source_ring *s, uint64_t time)
{
	return s->tsc ? clock_ns(&rings->clock, time, &s->pair) : time;
}

/* Whose events the stream has. */
static void announce_stream(struct rings *rings, struct source_ring *s)
{
	const struct stream_record stream = { s->stream, s->ring->pid, s->ring->tid, 0, s->ring->image };

	if (!shrinkable_whole())
		return;
	s->last_ns = ring_ns(rings, s, s->base);
	write_stream(rings, &stream, s->last_ns);
	s->announced = true;
}

static void take_notices(struct rings *rings)
{
	char buffer[16384] __attribute__((aligned(__alignof__(struct inotify_event))));
	const struct inotify_event *e;
	ssize_t n, at;

	while ((n = read(rings->notify, buffer, sizeof(buffer))) > 0)
		for (at = 0; at < n; at += sizeof(*e) + e->len) {
			e = (void *)(buffer + at);
			if (e->mask & IN_Q_OVERFLOW)
				rings->missed = true;
			else if (e->len && e->name[0] != '.')
				add_ring(rings, e->name);
		}
}

/* All that the directory has. */
static void scan(struct rings *rings)
{
	struct dirent *d;
	DIR *dir = opendir(rings->path);

	rings->missed |= !dir;
	while (dir && (d = readdir(dir)))
		if (d->d_name[0] != '.')
			add_ring(rings, d->d_name);
	if (dir)
		closedir(dir);
}

static void look_for_rings(struct rings *rings)
{
	const bool again = rings->missed;

	rings->missed = false;
	if (rings->notify >= 0)
		take_notices(rings);
	if (rings->notify < 0 || again || rings->missed)
		scan(rings);
}

/* How many records from tail on are a chunk: it has one base, and chains as a whole. */
static uint64_t chunk_records(const struct source_ring *s, const struct event_record *records)
{
	uint64_t i, first = s->tail % s->capacity, n = s->head - s->tail, chain = 0;
	uint32_t skip = 0;

	if (n > MAX_RECORDS)
		n = MAX_RECORDS;
	for (i = 0; i < n; i++) {
		const struct event_record *e = &records[(first + i) % s->capacity];

		if (skip) {
			skip--;
		} else if (e->type == EVENT_CHAIN) {
			skip = (e->wait + 2) / 3;
			chain = i;
		} else if (e->type == EVENT_BASE && i) {
			break;
		}
	}
	return skip ? chain : i;
}

/* The unit of the TSC's ring to the file's, rounded up. */
static unsigned int wait_ns(const struct rings *rings, struct source_ring *s, uint64_t time,
			    unsigned int wait)
{
	const uint64_t ns = ring_ns(rings, s, time + (uint64_t)wait * RING_WAIT_TICKS) -
			    ring_ns(rings, s, time);
	const uint64_t w = (ns + EVENT_WAIT_NS - 1) / EVENT_WAIT_NS;

	return w > UINT16_MAX ? UINT16_MAX : w;
}

/* Writes records from tail to head as a chunk.  Returns how many it took; 0: no more can be read. */
static uint64_t write_chunk(struct rings *rings, struct source_ring *s)
{
	const struct event_record *records = (void *)((char *)s->ring + RING_HEADER);
	const uint64_t n = chunk_records(s, records), first = s->tail % s->capacity;
	const uint64_t before = n < s->capacity - first ? n : s->capacity - first;
	uint64_t base_ns, last_ns, time, words[3], i;
	struct event_record *e = rings->chunk;

	if (!n)
		return 0;
	memcpy(e, &records[first], before * sizeof(*e));
	memcpy(e + before, records, (n - before) * sizeof(*e));
	if (!shrinkable_whole())
		return 0;
	if (e->type == EVENT_BASE) {
		memcpy(words, e, sizeof(words));
		s->base = words[2];
		words[2] = ring_ns(rings, s, s->base);
		memcpy(e, words, sizeof(words));
	}
	base_ns = last_ns = ring_ns(rings, s, s->base);
	for (i = 0; i < n; i++) {
		if (e[i].type == EVENT_BASE)
			continue;
		time = s->base + e[i].delta;
		if (s->tsc && e[i].wait && e[i].type != EVENT_CHAIN)
			e[i].wait = wait_ns(rings, s, time, e[i].wait);
		rings->r->events += e[i].type != EVENT_CHAIN;
		if (e[i].type == EVENT_LOST)
			s->lost_here += e[i].size;
		last_ns = ring_ns(rings, s, time);
		e[i].delta = last_ns - base_ns;
		if (e[i].type == EVENT_CHAIN)
			i += (e[i].wait + 2) / 3;
	}
	writer_chunk(&rings->r->writer, CHUNK_EVENTS, s->stream, base_ns, last_ns, n,
		     &(struct iovec){ e, n * sizeof(*e) }, 1);
	s->last_ns = last_ns;
	return n;
}

/* Threads of a process follow one another: it is asked about once. */
static bool is_gone(struct rings *rings, const struct ring *ring)
{
	if (rings->asked != (pid_t)ring->pid) {
		rings->asked = ring->pid;
		rings->gone = kill(ring->pid, 0) && errno == ESRCH;
	}
	return rings->gone;
}

/* How far to read: later records have times that cannot be converted yet. */
static void look_at_ring(struct source_ring *s)
{
	shrinkable_begin(s->ring, s->bytes);
	s->done = s->gone || is_of_earlier_image(s) || __atomic_load_n(&s->ring->done, __ATOMIC_ACQUIRE);
	s->head = __atomic_load_n(&s->ring->head, __ATOMIC_ACQUIRE);
	s->cut = !shrinkable_end();
}

static enum rings_found read_ring(struct rings *rings, struct source_ring *s, uint64_t now, bool all)
{
	const uint64_t head = s->head;
	enum rings_found found = RINGS_QUIET;
	uint64_t lost;

	if (!s->announced)
		announce_stream(rings, s);
	/* Nobody else writes there, but it is another's memory. */
	if (head - s->tail > s->capacity || !s->announced)
		return RINGS_QUIET;
	if (head != s->tail)
		found = head - s->tail > s->capacity / 4 ? RINGS_FULL : RINGS_BUSY;
	if (!all && !s->done && now - s->read_ns < QUIET_NS && head - s->tail < ENOUGH && found != RINGS_FULL)
		return found;
	if (!s->done && !s->other_ns && found == RINGS_QUIET && now - s->asked_ns >= GONE_NS) {
		s->gone = is_gone(rings, s->ring);
		s->asked_ns = now;
	}
	while (head != s->tail) {
		uint64_t n = write_chunk(rings, s);

		/* A chain that ends nowhere: not what the library writes. */
		s->tail = n ? s->tail + n : head;
	}
	s->read_ns = now;
	__atomic_store_n(&s->ring->tail, s->tail, __ATOMIC_RELEASE);
	lost = __atomic_load_n(&s->ring->lost, __ATOMIC_RELAXED);
	s->no_space = s->ring->no_space;
	if (!shrinkable_whole())
		return found;
	if (lost != s->lost)
		record_lost(rings->r, LOST_EVENTS, s->stream, now, lost - s->lost);
	s->lost = lost;
	if (s->done || all)
		rings->r->waits += s->ring->waits;
	return found;
}

/* Nothing more comes of it. */
static void forget_ring(struct rings *rings, struct source_ring *s, uint64_t now)
{
	char path[256];

	if (s->cut) {
		complain(OK, "%s/%s: another process cut the buffer of a thread's events short: the rest is lost",
			 rings->path, s->name);
		record_lost(rings->r, LOST_EVENTS, s->stream, now, 1);
		s->lost = s->lost_here + 1;
	}
	if (s->announced && s->lost > s->lost_here)
		write_lost(rings, s->stream, s->last_ns, s->lost - s->lost_here);
	rings->r->no_space += s->no_space;
	snprintf(path, sizeof(path), "%s/%s", rings->path, s->name);
	unlink(path);
	munmap(s->ring, s->bytes);
	put_process(rings, s->process);
	HASH_DEL(rings->table, s);
	free(s);
}

static enum rings_found drain_ring(struct rings *rings, struct source_ring *s, uint64_t now, bool all)
{
	enum rings_found found = RINGS_QUIET;

	if (!s->cut) {
		shrinkable_begin(s->ring, s->bytes);
		found = read_ring(rings, s, now, all);
		s->cut = !shrinkable_end();
	}
	if (s->done || all || s->cut)
		forget_ring(rings, s, now);
	return found;
}

/**
 * rings_drain() - read what there is
 * @rings: the session
 * @all: everything, for the last time
 *
 * Return: what there was of the busiest.
 */
enum rings_found rings_drain(struct rings *rings, bool all)
{
	enum rings_found found, most = RINGS_QUIET;
	struct source_ring *s, *next;
	uint64_t now = now_ns();

	rings->asked = 0;
	look_for_rings(rings);
	HASH_ITER(hh, rings->table, s, next)
		look_at_ring(s);
	if (rings->tsc)
		clock_read(&rings->clock);
	HASH_ITER(hh, rings->table, s, next) {
		found = drain_ring(rings, s, now, all);
		if (found > most)
			most = found;
	}
	return most;
}

/** rings_close() - end the session; later records are discarded */
void rings_close(struct rings *rings)
{
	struct source_ring *s, *next;

	HASH_ITER(hh, rings->table, s, next) {
		munmap(s->ring, s->bytes);
		put_process(rings, s->process);
		HASH_DEL(rings->table, s);
		free(s);
	}
	/* Processes that the command left behind may still make some: the guard looks again. */
	tree_remove(rings->path);
	if (*rings->parent)
		rmdir(rings->parent);
	if (rings->notify >= 0)
		close(rings->notify);
	free(rings);
}
