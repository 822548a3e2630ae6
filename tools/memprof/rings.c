// SPDX-License-Identifier: GPL-2.0
/*
 * memprof record: reads the rings that preloaded threads write.  Each is a file in
 * the session's directory (preload/ring.c); its records go to the recording as they
 * are.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uthash.h>

#include "record.h"

/* A quiet thread's records are fetched as often. */
#define QUIET_NS	200000000
/* Less is not worth a chunk, unless they have been waiting. */
#define ENOUGH		2048
/* Of a chunk: who reads has one of each thread in memory. */
#define MAX_RECORDS	2730

struct source_ring {
	char name[64];
	struct ring *ring;
	size_t bytes;
	uint64_t room, tail, base_ns, read_ns, lost;
	uint32_t stream;
	UT_hash_handle hh;
};

struct rings {
	struct recording *r;
	struct source_ring *table;
	char path[64];
	uint32_t streams;
};

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

	if (!rings) {
		snprintf(error, size, "no memory left");
		return NULL;
	}
	rings->r = r;
	/* In memory, where there is such a file system. */
	strcpy(rings->path, "/dev/shm/memprof.XXXXXX");
	if (!mkdtemp(rings->path)) {
		strcpy(rings->path, "/tmp/memprof.XXXXXX");
		if (!mkdtemp(rings->path)) {
			snprintf(error, size, "%s: %s", rings->path, strerror(errno));
			free(rings);
			return NULL;
		}
	}
	return rings;
}

/** rings_directory() - what MEMPROF_SESSION is to be */
const char *rings_directory(const struct rings *rings)
{
	return rings->path;
}

static void add_ring(struct rings *rings, const char *name)
{
	struct stream_record stream;
	struct source_ring *s;
	struct stat st;
	struct ring *ring;
	char path[256];
	int fd;

	if (strlen(name) >= sizeof(s->name))
		return;
	snprintf(path, sizeof(path), "%s/%s", rings->path, name);
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return;
	if (fstat(fd, &st) || st.st_size <= RING_HEADER) {
		close(fd);
		return;
	}
	ring = mmap(NULL, st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (ring == MAP_FAILED)
		return;
	s = calloc(1, sizeof(*s));
	if (!s || ring->magic != RING_MAGIC ||
	    ring->room > (st.st_size - RING_HEADER) / sizeof(struct event_record) || !ring->room) {
		munmap(ring, st.st_size);
		free(s);
		return;
	}
	strcpy(s->name, name);
	s->ring = ring;
	s->bytes = st.st_size;
	s->room = ring->room;
	s->base_ns = ring->base_ns;
	s->stream = ++rings->streams;
	HASH_ADD_STR(rings->table, name, s);
	stream = (struct stream_record){ s->stream, ring->pid, ring->tid, 0, ring->image };
	writer_chunk(&rings->r->writer, CHUNK_STREAM, s->stream, ring->base_ns, ring->base_ns, 1,
		     &(struct iovec){ &stream, sizeof(stream) }, 1);
}

static void look_for_rings(struct rings *rings)
{
	struct source_ring *s;
	struct dirent *d;
	DIR *dir = opendir(rings->path);

	while (dir && (d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		HASH_FIND_STR(rings->table, d->d_name, s);
		if (!s)
			add_ring(rings, d->d_name);
	}
	if (dir)
		closedir(dir);
}

/*
 * Writes records from tail to end as a chunk.  A chunk has one base: it ends before a
 * record that sets another.  Returns how many it took.
 */
static uint64_t write_chunk(struct rings *rings, struct source_ring *s, uint64_t end)
{
	const struct event_record *records = (void *)((char *)s->ring + RING_HEADER);
	uint64_t i, first = s->tail % s->room, n, last = 0, words[3], chain = 0;
	uint32_t skip = 0;
	struct iovec data[2];

	if (end - s->tail > MAX_RECORDS)
		end = s->tail + MAX_RECORDS;
	for (i = 0; i < end - s->tail; i++) {
		const struct event_record *e = &records[(first + i) % s->room];

		if (skip) {
			skip--;
		} else if (e->type == EVENT_CHAIN) {
			skip = (e->wait + 2) / 3;
			chain = i;
			last = e->delta;
		} else if (e->type == EVENT_BASE && i) {
			break;
		} else if (e->type == EVENT_BASE) {
			memcpy(words, e, sizeof(words));
			s->base_ns = words[2];
		} else {
			last = e->delta;
		}
	}
	/* A chain, written as one, is read as one. */
	n = skip ? chain : i;
	data[0].iov_base = (void *)&records[first];
	data[0].iov_len = (n < s->room - first ? n : s->room - first) * sizeof(*records);
	data[1].iov_base = (void *)records;
	data[1].iov_len = n * sizeof(*records) - data[0].iov_len;
	if (n)
		writer_chunk(&rings->r->writer, CHUNK_EVENTS, s->stream, s->base_ns, s->base_ns + last,
			     n, data, data[1].iov_len ? 2 : 1);
	return n;
}

static bool is_gone(const struct ring *ring)
{
	return kill(ring->pid, 0) && errno == ESRCH;
}

/* Returns whether there was much. */
static bool drain_ring(struct rings *rings, struct source_ring *s, uint64_t now, bool all)
{
	bool done = __atomic_load_n(&s->ring->done, __ATOMIC_ACQUIRE), much;
	uint64_t head = __atomic_load_n(&s->ring->head, __ATOMIC_ACQUIRE), lost;

	if (!all && !done && now - s->read_ns < QUIET_NS && head - s->tail < ENOUGH &&
	    head - s->tail < s->room / 4)
		return false;
	/* Nobody else writes there, but it is another's memory. */
	if (head - s->tail > s->room)
		return false;
	much = head - s->tail > s->room / 4;
	if (!done && now - s->read_ns >= QUIET_NS && head == s->tail)
		done = is_gone(s->ring);
	while (head != s->tail) {
		uint64_t n = write_chunk(rings, s, head);

		/* A chain that ends nowhere: not what the library writes. */
		s->tail = n ? s->tail + n : head;
	}
	s->read_ns = now;
	__atomic_store_n(&s->ring->tail, s->tail, __ATOMIC_RELEASE);
	lost = __atomic_load_n(&s->ring->lost, __ATOMIC_RELAXED);
	if (lost != s->lost)
		record_lost(rings->r, LOST_EVENTS, s->stream, now, lost - s->lost);
	s->lost = lost;
	if (done || all) {
		char path[256];

		rings->r->waits += s->ring->waits;
		snprintf(path, sizeof(path), "%s/%s", rings->path, s->name);
		unlink(path);
		munmap(s->ring, s->bytes);
		HASH_DEL(rings->table, s);
		free(s);
	}
	return much;
}

/**
 * rings_drain() - read what there is
 * @rings: the session
 * @all: everything, for the last time
 *
 * Return: whether to come again soon.
 */
bool rings_drain(struct rings *rings, bool all)
{
	struct source_ring *s, *next;
	uint64_t now = now_ns();
	bool much = false;

	look_for_rings(rings);
	HASH_ITER(hh, rings->table, s, next)
		much |= drain_ring(rings, s, now, all);
	return much;
}

/** rings_close() - end the session: what is still written is not read */
void rings_close(struct rings *rings)
{
	struct source_ring *s, *next;
	struct dirent *d;
	DIR *dir;

	HASH_ITER(hh, rings->table, s, next) {
		munmap(s->ring, s->bytes);
		HASH_DEL(rings->table, s);
		free(s);
	}
	/* Processes that the command left behind may still make some. */
	dir = opendir(rings->path);
	while (dir && (d = readdir(dir)))
		if (d->d_name[0] != '.')
			unlinkat(dirfd(dir), d->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(rings->path);
	free(rings);
}
