// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "big.h"
#include "build.h"

#define PAGE		UINT64_C(4096)

static int cannot(struct bigs *b, const char *directory, int error)
{
	snprintf(b->error, sizeof(b->error), "%s: %s (TMPDIR is another place; more memory: --memory)",
		 directory, strerror(error));
	return -1;
}

/* A file without a name.  Its blocks are there from the start: none are missing later. */
static int make_file(struct bigs *b, size_t bytes)
{
	const char *directory = getenv("TMPDIR");
	char path[4096];
	int fd, error;

	if (!directory || !*directory)
		directory = "/var/tmp";
	fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR) &&
	    snprintf(path, sizeof(path), "%s/memprof.XXXXXX", directory) < (int)sizeof(path)) {
		fd = mkostemp(path, O_CLOEXEC);
		if (fd >= 0)
			unlink(path);
	}
	if (fd < 0)
		return cannot(b, directory, errno);
	error = posix_fallocate(fd, 0, bytes);
	if (!error)
		return fd;
	close(fd);
	return cannot(b, directory, error);
}

static void *map_file(struct bigs *b, int fd, size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p != MAP_FAILED)
		return p;
	close(fd);
	b->error[0] = '\0';
	return NULL;
}

static void *grow_in_memory(struct bigs *b, int i, size_t bytes)
{
	void *p = realloc(b->all[i].array, bytes);

	if (!p)
		return NULL;
	advise_huge(p, bytes);
	b->used += bytes - b->all[i].bytes;
	return p;
}

static void *move_to_file(struct bigs *b, int i, size_t bytes)
{
	int fd = make_file(b, bytes);
	void *p = fd < 0 ? NULL : map_file(b, fd, bytes);

	if (!p)
		return NULL;
	if (b->all[i].array)
		memcpy(p, b->all[i].array, b->all[i].bytes);
	free(b->all[i].array);
	b->used -= b->all[i].bytes;
	b->all[i].fd = fd;
	b->all[i].in_file = true;
	return p;
}

static void *grow_in_file(struct bigs *b, int i, size_t bytes)
{
	int error = posix_fallocate(b->all[i].fd, 0, bytes);
	void *p;

	if (error) {
		cannot(b, "TMPDIR or /var/tmp", error);
		return NULL;
	}
	p = mremap(b->all[i].array, b->all[i].bytes, bytes, MREMAP_MAYMOVE);
	return p == MAP_FAILED ? NULL : p;
}

/** big_fits() - would so many bytes more be kept in memory? */
bool big_fits(const struct bigs *b, size_t more)
{
	const uint64_t limit = b->limit ? b->limit :
			       (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 4;

	return b->used + more <= limit;
}

static void *resize(struct bigs *b, void *array, size_t bytes)
{
	void *p;
	int i;

	for (i = 0; i < BIG_ARRAYS && b->all[i].array != array; i++)
		;
	if (i == BIG_ARRAYS)
		return NULL;
	if (b->all[i].in_file)
		p = grow_in_file(b, i, bytes);
	else if (big_fits(b, bytes - b->all[i].bytes))
		p = grow_in_memory(b, i, bytes);
	else
		p = move_to_file(b, i, bytes);
	if (!p)
		return NULL;
	b->all[i].array = p;
	b->all[i].bytes = bytes;
	return p;
}

/** big_grow_now() - slow path of big_grow(): @need exceeds the capacity */
void *big_grow_now(struct bigs *b, void *array, size_t *capacity, size_t need, size_t bytes, bool *failed)
{
	/* A file's blocks are taken whether they are used or not. */
	size_t n = *capacity < 64 ? 64 : *capacity + (*capacity < 1 << 20 ? *capacity : *capacity / 4);
	void *p;

	n = n > need ? n : need;
	p = resize(b, array, n * bytes);
	if (!p) {
		*failed = true;
		return array;
	}
	*capacity = n;
	return p;
}

/** big_new() - an array of zeros.  Return: NULL without room, with @failed set */
void *big_new(struct bigs *b, size_t bytes, bool *failed)
{
	void *p = resize(b, NULL, bytes);

	*failed |= !p;
	/* A file's are. */
	for (int i = 0; i < BIG_ARRAYS && p; i++)
		if (b->all[i].array == p && !b->all[i].in_file)
			memset(p, 0, bytes);
	return p;
}

/** big_free() - all of them */
void big_free(struct bigs *b)
{
	for (int i = 0; i < BIG_ARRAYS; i++) {
		if (b->all[i].in_file) {
			munmap(b->all[i].array, b->all[i].bytes);
			close(b->all[i].fd);
		} else {
			free(b->all[i].array);
		}
	}
	memset(b->all, 0, sizeof(b->all));
	b->used = 0;
}

/**
 * advise_huge() - have the pages of a large array be huge
 * @array: it, which nothing has been written to yet, or some
 * @bytes: of it
 *
 * A fault for each 4 KiB would cost more than filling them.
 */
void advise_huge(void *array, size_t bytes)
{
	const uintptr_t start = (uintptr_t)array & -PAGE;

	/* All of its pages: mremap(), by which realloc() grows it, refuses what is advised in part. */
	if (bytes >= HUGE_ARRAY)
		madvise((void *)start, ((uintptr_t)array + bytes - start + PAGE - 1) & -PAGE, MADV_HUGEPAGE);
}
