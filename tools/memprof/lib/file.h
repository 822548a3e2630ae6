/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/* A recording's chunks, by stream. */
#ifndef MEMPROF_FILE_H
#define MEMPROF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "memprof/format.h"

struct file_chunk {
	uint64_t at, base_ns, last_ns;	/* at: of the header */
	uint32_t bytes, records, next;	/* next: of the stream, 0 is the last */
	uint32_t check;
};

/**
 * struct file_stream - the chunks of a type and a number
 * @first: place in file.chunks
 * @owner: of CHUNK_EVENTS: see struct stream_record
 */
struct file_stream {
	uint16_t type;
	uint32_t number, first, last;
	uint64_t records;
};

struct file {
	const char *path;
	int fd;
	uint64_t bytes;
	struct file_header header;
	struct file_chunk *chunks;
	uint32_t nr_chunks, capacity_chunks;
	struct file_stream *streams;
	uint32_t nr_streams, capacity_streams;
	struct stream_table *table;
	bool ended, no_memory;	/* no_memory: to read a chunk of it */
	char damage[256];	/* "" if there is none */
};

int file_open(struct file *f, const char *path, char *error, size_t size);
void file_close(struct file *f);
ssize_t file_read_chunk(struct file *f, uint32_t chunk, void **buffer, size_t *capacity);
void file_damaged(struct file *f, uint64_t at, const char *what);

#endif
