// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Writes the chunks of a recording. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY	/* its state on the stack */
#include <xxhash.h>

#include "lib/complain.h"
#include "lib/leftover.h"
#include "writer.h"

static void put(struct writer *w, const void *data, size_t bytes)
{
	const char *p = data;
	ssize_t n;

	while (bytes && !w->error) {
		n = write(w->fd, p, bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			w->error = errno;
			return;
		}
		p += n;
		bytes -= n;
		w->bytes += n;
	}
}

/* Else it is a device or a pipe, which stays. */
static bool is_regular(const struct writer *w)
{
	struct stat st;

	return !fstat(w->fd, &st) && S_ISREG(st.st_mode);
}

/**
 * writer_open() - begin a recording
 * @w: to be closed with writer_close()
 * @path: the file, kept, not copied; what was there is gone
 * @start_ns: CLOCK_MONOTONIC
 *
 * Return: OK, or FAILED after saying why.
 */
int writer_open(struct writer *w, const char *path, uint64_t start_ns)
{
	struct file_header h = { .version = MEMPROF_VERSION, .bytes = sizeof(h), .start_ns = start_ns };
	struct timespec t;

	memset(w, 0, sizeof(*w));
	w->path = path;
	w->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (w->fd < 0)
		return complain(FAILED, "%s: %s", path, strerror(errno));
	/* If there is no memory left for a table, the program ends. */
	if (is_regular(w))
		leftover_add(path);
	memcpy(h.magic, MEMPROF_MAGIC, sizeof(h.magic));
	clock_gettime(CLOCK_REALTIME, &t);
	h.start_real_ns = t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
	put(w, &h, sizeof(h));
	return OK;
}

/**
 * writer_chunk() - write a chunk
 * @w: the recording
 * @type: CHUNK_*
 * @stream: which of the type
 * @base_ns: what the records' times count from
 * @last_ns: time of the last
 * @records: how many
 * @data: the records, in pieces
 * @nr: pieces
 *
 * Errors are kept for writer_close().
 */
void writer_chunk(struct writer *w, enum chunk_type type, uint32_t stream, uint64_t base_ns,
		  uint64_t last_ns, uint32_t records, const struct iovec *data, int nr)
{
	struct chunk_header h = {
		.magic = MEMPROF_CHUNK_MAGIC, .type = type, .records = records,
		.base_ns = base_ns, .last_ns = last_ns, .stream = stream,
	};
	XXH3_state_t state;
	int i;

	for (i = 0; i < nr; i++)
		h.bytes += data[i].iov_len;
	/* Else the reset takes what is on the stack for the secret of this seed. */
	XXH3_INITSTATE(&state);
	XXH3_64bits_reset_withSeed(&state, XXH3_64bits(&h, offsetof(struct chunk_header, check)));
	for (i = 0; i < nr; i++)
		XXH3_64bits_update(&state, data[i].iov_base, data[i].iov_len);
	h.check = XXH3_64bits_digest(&state);
	put(w, &h, sizeof(h));
	for (i = 0; i < nr; i++)
		put(w, data[i].iov_base, data[i].iov_len);
	w->counts[type] += records;
}

/**
 * writer_close() - end a recording
 * @w: the recording
 *
 * Return: OK, or FAILED after saying why, with no file.
 */
int writer_close(struct writer *w)
{
	const bool regular = is_regular(w);

	if (close(w->fd) && !w->error)
		w->error = errno;
	/* A part of a recording looks like a short one. */
	if (regular && w->error)
		unlink(w->path);
	if (regular)
		leftover_done(w->path);
	return !w->error ? OK : complain(FAILED, "%s: %s", w->path, strerror(w->error));
}
