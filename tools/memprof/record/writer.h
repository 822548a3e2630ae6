/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Writes the chunks of a recording. */
#ifndef MEMPROF_WRITER_H
#define MEMPROF_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "memprof/format.h"

struct writer {
	const char *path;
	int fd;
	int error;		/* errno of the first write that failed */
	uint64_t bytes, counts[CHUNK_TYPES];
};

int writer_open(struct writer *w, const char *path, uint64_t start_ns);
void writer_chunk(struct writer *w, enum chunk_type type, uint32_t stream, uint64_t base_ns,
		  uint64_t last_ns, uint32_t records, const struct iovec *data, int nr);
int writer_close(struct writer *w);

#endif
