// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * A recording's chunks, by stream.  Only headers are read when it is opened, so that a
 * large one opens fast; a chunk's records are read, and checked, when their time comes.
 * Of a file that was cut off, or damaged, what is before the damage is there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "memprof/names/hash.h"
#include "file.h"

struct stream_table {
	uint64_t key;		/* type << 32 | number */
	uint32_t stream;
	UT_hash_handle hh;
};

/** file_damaged() - remember the first thing wrong with a file */
void file_damaged(struct file *f, uint64_t at, const char *what)
{
	if (!*f->damage)
		snprintf(f->damage, sizeof(f->damage), "%s at %#lx (of %#lx)", what,
			 (unsigned long)at, (unsigned long)f->bytes);
}

static struct file_stream *find_stream(struct file *f, uint16_t type, uint32_t number)
{
	uint64_t key = (uint64_t)type << 32 | number;
	struct stream_table *t;

	/* Types whose order among each other is the file's are one stream. */
	if (type != CHUNK_SAMPLES && type != CHUNK_EVENTS && type != CHUNK_TASKS)
		key = (uint64_t)type << 32;
	HASH_FIND(hh, f->table, &key, sizeof(key), t);
	if (t)
		return &f->streams[t->stream];
	if (f->nr_streams == f->capacity_streams) {
		uint32_t capacity = f->capacity_streams ? 2 * f->capacity_streams : 64;
		struct file_stream *s = realloc(f->streams, capacity * sizeof(*s));

		if (!s)
			return NULL;
		f->streams = s;
		f->capacity_streams = capacity;
	}
	t = malloc(sizeof(*t));
	if (!t)
		return NULL;
	t->key = key;
	t->stream = f->nr_streams;
	HASH_ADD(hh, f->table, key, sizeof(key), t);
	if (!t->hh.tbl) {
		free(t);
		return NULL;
	}
	f->streams[f->nr_streams] = (struct file_stream){ .type = type, .number = number };
	return &f->streams[f->nr_streams++];
}

static int add_chunk(struct file *f, uint64_t at, const struct chunk_header *h)
{
	struct file_stream *s = find_stream(f, h->type, h->stream);
	struct file_chunk *c;

	if (!s)
		return -1;
	if (f->nr_chunks == f->capacity_chunks) {
		uint32_t capacity = f->capacity_chunks ? 2 * f->capacity_chunks : 1024;

		c = realloc(f->chunks, capacity * sizeof(*c));
		if (!c)
			return -1;
		f->chunks = c;
		f->capacity_chunks = capacity;
	}
	/* Place 0 is no chunk. */
	if (!f->nr_chunks)
		f->nr_chunks = 1;
	f->chunks[f->nr_chunks] = (struct file_chunk){
		.at = at, .base_ns = h->base_ns, .last_ns = h->last_ns, .bytes = h->bytes,
		.records = h->records, .check = h->check,
	};
	if (s->last)
		f->chunks[s->last].next = f->nr_chunks;
	else
		s->first = f->nr_chunks;
	s->last = f->nr_chunks++;
	s->records += h->records;
	return 0;
}

static size_t record_bytes(unsigned int type)
{
	switch (type) {
	case CHUNK_SAMPLES: return sizeof(struct sample_record);
	case CHUNK_EVENTS: return sizeof(struct event_record);
	case CHUNK_STREAM: return sizeof(struct stream_record);
	case CHUNK_THREADS: return sizeof(struct thread_record);
	case CHUNK_LOST: return sizeof(struct lost_record);
	}
	return 0;
}

/**
 * file_open() - open a recording and find its chunks
 * @f: filled in
 * @path: the file
 * @error: says what is wrong
 * @size: of @error
 *
 * Return: 0, or -1 with @error set.  Damage behind the header is no error.
 */
int file_open(struct file *f, const char *path, char *error, size_t size)
{
	struct chunk_header h;
	struct stat st;
	uint64_t at;

	memset(f, 0, sizeof(*f));
	f->path = path;
	f->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (f->fd < 0 || fstat(f->fd, &st)) {
		snprintf(error, size, "%s: %s", path, strerror(errno));
		goto bad;
	}
	if (!S_ISREG(st.st_mode) || !st.st_size) {
		snprintf(error, size, "%s: %s", path, S_ISDIR(st.st_mode) ? strerror(EISDIR) :
			 S_ISREG(st.st_mode) ? "empty file" : "not a file");
		goto bad;
	}
	f->bytes = st.st_size;
	if (pread(f->fd, &f->header, sizeof(f->header), 0) != sizeof(f->header) ||
	    memcmp(f->header.magic, MEMPROF_MAGIC, sizeof(f->header.magic)) ||
	    f->header.bytes < sizeof(f->header)) {
		snprintf(error, size, "%s: not a recording of memprof", path);
		goto bad;
	}
	if (f->header.version != MEMPROF_VERSION) {
		snprintf(error, size, "%s: version %u of the format, this program reads %u", path,
			 f->header.version, MEMPROF_VERSION);
		goto bad;
	}
	for (at = f->header.bytes; at < f->bytes; at += sizeof(h) + h.bytes) {
		if (pread(f->fd, &h, sizeof(h), at) != sizeof(h)) {
			file_damaged(f, at, "truncated");
			break;
		}
		if (h.magic != MEMPROF_CHUNK_MAGIC || !h.type || h.type >= CHUNK_TYPES ||
		    h.bytes > MEMPROF_MAX_CHUNK ||
		    (record_bytes(h.type) && h.bytes / record_bytes(h.type) != h.records)) {
			file_damaged(f, at, "damaged");
			break;
		}
		if (h.bytes > f->bytes - at - sizeof(h)) {
			file_damaged(f, at, "truncated");
			break;
		}
		f->ended |= h.type == CHUNK_END;
		if (add_chunk(f, at, &h)) {
			snprintf(error, size, "%s: no memory left", path);
			goto bad;
		}
	}
	if (!f->ended)
		file_damaged(f, at, "the recording was not ended");
	return 0;
bad:
	file_close(f);
	return -1;
}

/** file_close() - close a recording */
void file_close(struct file *f)
{
	struct stream_table *t, *next;

	HASH_ITER(hh, f->table, t, next) {
		HASH_DEL(f->table, t);
		free(t);
	}
	if (f->fd >= 0)
		close(f->fd);
	free(f->chunks);
	free(f->streams);
	memset(f, 0, sizeof(*f));
	f->fd = -1;
}

/**
 * file_read_chunk() - read and check the records of a chunk
 * @f: the recording
 * @chunk: its place in f->chunks
 * @buffer: is made large enough
 * @capacity: of @buffer
 *
 * Return: bytes read; -1 if the chunk is damaged, or if there is no memory, either of which
 * the file remembers.
 */
ssize_t file_read_chunk(struct file *f, uint32_t chunk, void **buffer, size_t *capacity)
{
	const struct file_chunk *c = &f->chunks[chunk];
	const size_t bytes = sizeof(struct chunk_header) + c->bytes;
	struct chunk_header h;
	void *data;

	if (*capacity < bytes) {
		data = realloc(*buffer, bytes);
		if (!data) {
			f->no_memory = true;
			return -1;
		}
		*buffer = data;
		*capacity = bytes;
	}
	/* The header again, for the check covers it. */
	if (pread(f->fd, *buffer, bytes, c->at) != (ssize_t)bytes) {
		file_damaged(f, c->at, "truncated");
		return -1;
	}
	memcpy(&h, *buffer, sizeof(h));
	data = (char *)*buffer + sizeof(h);
	if ((uint32_t)XXH3_64bits_withSeed(data, c->bytes,
			XXH3_64bits(&h, offsetof(struct chunk_header, check))) != c->check) {
		file_damaged(f, c->at, "damaged");
		return -1;
	}
	return c->bytes;
}
