// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Writes the chunks of a recording. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY	/* its state on the stack */
#include <xxhash.h>

#include "lib/complain.h"
#include "lib/tmpfiles.h"
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

/*
 * A file is written under a name beside its own, so that what was there stays; a device, a pipe or
 * a file without a name is written in place.  Return: its descriptor, or -1
 */
static int open_file(struct writer *w)
{
	char target[PATH_MAX];
	struct stat st;
	mode_t mask;
	int fd;

	/* A symbolic link stays one: what it leads to is replaced. */
	snprintf(target, sizeof(target), "%s", w->path);
	if (!stat(w->path, &st) && (!S_ISREG(st.st_mode) || !realpath(w->path, target)))
		return open(w->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (lstat(target, &st)) {
		mask = umask(0);
		umask(mask);
		st.st_mode = 0644 & ~mask;
	} else if (S_ISLNK(st.st_mode)) {
		return open(w->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	} else if (access(target, W_OK)) {
		return -1;
	}
	w->target = strdup(target);
	if (!w->target || asprintf(&w->tmp, "%s.XXXXXX", target) < 0) {
		w->tmp = NULL;
		errno = ENOMEM;
		return -1;
	}
	fd = mkostemp(w->tmp, O_CLOEXEC);
	if (fd < 0)
		return -1;
	/* If there is no memory left for a table, the program ends. */
	if (tmpfile_add(w->tmp)) {
		const int error = errno;

		close(fd);
		unlink(w->tmp);
		errno = error;
		return -1;
	}
	if (fchmod(fd, st.st_mode & 07777))
		w->error = errno;
	return fd;
}

static void free_names(struct writer *w)
{
	free(w->tmp);
	free(w->target);
	w->tmp = w->target = NULL;
}

/* Give the file its name. */
static void name_file(struct writer *w)
{
	if (rename(w->tmp, w->target)) {
		w->error = errno;
		return;
	}
	tmpfile_done(w->tmp);
	free(w->tmp);
	w->tmp = NULL;
	/* There is a place for it: that of the temporary name. */
	if (tmpfile_add(w->target))
		w->error = errno;
}

/**
 * writer_open() - begin a recording
 * @w: to be closed with writer_close()
 * @path: the file, kept, not copied; what was there stays until there are samples or events
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
	w->fd = open_file(w);
	if (w->fd < 0) {
		complain(FAILED, "%s: %s", path, strerror(errno));
		free_names(w);
		return FAILED;
	}
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
 * Errors are kept for writer_close(), as is that of more than MEMPROF_MAX_CHUNK bytes.
 */
void writer_chunk(struct writer *w, enum chunk_type type, uint32_t stream, uint64_t base_ns,
		  uint64_t last_ns, uint32_t records, const struct iovec *data, int nr)
{
	struct chunk_header h = {
		.magic = MEMPROF_CHUNK_MAGIC, .type = type, .records = records,
		.base_ns = base_ns, .last_ns = last_ns, .stream = stream,
	};
	XXH3_state_t state;
	size_t bytes = 0;
	int i;

	for (i = 0; i < nr; i++)
		bytes += data[i].iov_len;
	if (bytes > MEMPROF_MAX_CHUNK) {
		w->error = w->error ? w->error : EFBIG;
		return;
	}
	h.bytes = bytes;
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
	/* From here on it is kept, whatever ends the program. */
	if (w->tmp && !w->at_end && !w->error && (type == CHUNK_SAMPLES || type == CHUNK_EVENTS))
		name_file(w);
}

/* A part of a recording looks like a short one. */
static void end_names(struct writer *w, bool remove)
{
	const char *name = w->tmp ? w->tmp : w->target;

	if (name && remove)
		unlink(name);
	if (name)
		tmpfile_done(name);
	free_names(w);
}

/** writer_error() - why it cannot be written, in words */
const char *writer_error(const struct writer *w)
{
	return w->error == EFBIG ? "larger than a file, or a chunk of it, may be" : strerror(w->error);
}

/**
 * writer_close() - end a recording
 * @w: the recording
 *
 * Return: OK, or FAILED after saying why, with no file of it.
 */
int writer_close(struct writer *w)
{
	if (close(w->fd) && !w->error)
		w->error = errno;
	if (w->tmp && !w->error)
		name_file(w);
	if (w->error)
		complain(FAILED, "%s: %s", w->path, writer_error(w));
	end_names(w, w->error);
	return w->error ? FAILED : OK;
}

/**
 * writer_drop() - end a recording that is not to be kept, without a message
 * @w: the recording; what was there before it stays, if it was not named yet
 */
void writer_drop(struct writer *w)
{
	/* One without a name is left empty; a pipe cannot be. */
	if (!w->target && ftruncate(w->fd, 0))
		errno = 0;
	close(w->fd);
	end_names(w, true);
}
