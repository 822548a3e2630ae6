/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Writes the chunks of a recording. */
#ifndef MEMPROF_WRITER_H
#define MEMPROF_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "memprof/format.h"

struct writer {
	const char *path;
	char *target;		/* the file that gets replaced; NULL: path is written in place */
	char *tmp;		/* name until it is that file; NULL: none, or none any more */
	bool at_end;		/* it becomes that file when it is closed, not with its first samples */
	int fd;
	int error;		/* errno of the first write that failed; EFBIG: or of a chunk */
	uint64_t bytes, counts[CHUNK_TYPES];
};

int writer_open(struct writer *w, const char *path, uint64_t start_ns);
void writer_chunk(struct writer *w, enum chunk_type type, uint32_t stream, uint64_t base_ns,
		  uint64_t last_ns, uint32_t records, const struct iovec *data, int nr);
const char *writer_error(const struct writer *w);
int writer_close(struct writer *w);
void writer_drop(struct writer *w);

#endif
