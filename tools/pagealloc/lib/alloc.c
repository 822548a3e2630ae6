// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* Memory with a hint. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static size_t whole_pages(size_t length)
{
	size_t page = sysconf(_SC_PAGESIZE);

	return length > SIZE_MAX - page ? 0 : (length + page - 1) / page * page;
}

/**
 * pagealloc_alloc() - memory whose pages land where a hint says
 * @handle: of the caller: pagealloc_open(0, 0, ...)
 * @length: bytes; rounded up to whole pages
 * @hint: strategy and argument; NULL: the default hint counts, if there is one
 * @flags: PAGEALLOC_POPULATE: all pages now; PAGEALLOC_LOCK: they stay
 * @memory: zeroed memory, to be freed with pagealloc_free()
 *
 * A page that cannot have its place is put elsewhere, as always:
 * pagealloc_verify() tells.
 *
 * Return: 0; -EINVAL: no length, unknown flags, or a handle of another process;
 * -ENOMEM; what pagealloc_set() returns; with PAGEALLOC_LOCK, what mlock(2)
 * gives.  After an error, no memory is held.
 */
API int pagealloc_alloc(struct pagealloc *handle, size_t length, const struct pagealloc_hint *hint,
			unsigned int flags, void **memory)
{
	size_t size = whole_pages(length);
	uint64_t start;
	void *mem;
	int ret = 0;

	if (!size || flags & ~(PAGEALLOC_POPULATE | PAGEALLOC_LOCK) || handle->pid != getpid())
		return -EINVAL;
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem == MAP_FAILED)
		return -errno;
	start = (uintptr_t)mem;
	if (hint)
		ret = pagealloc_set(handle, start, start + size, hint);
	if (!ret && flags & PAGEALLOC_POPULATE && madvise(mem, size, MADV_POPULATE_WRITE))
		ret = -errno;
	if (!ret && flags & PAGEALLOC_LOCK && mlock(mem, size))
		ret = -errno;
	if (ret) {
		pagealloc_free(handle, mem, size);
		return ret;
	}
	*memory = mem;
	return 0;
}

/**
 * pagealloc_free() - give memory back, with its hint
 * @handle: as for pagealloc_alloc()
 * @memory: from pagealloc_alloc()
 * @length: as it was given there
 *
 * The hint is removed first: it would else wait there for another mapping.
 *
 * Return: 0, or a negative errno.
 */
API int pagealloc_free(struct pagealloc *handle, void *memory, size_t length)
{
	size_t size = whole_pages(length);
	uint64_t start = (uintptr_t)memory;
	int ret;

	if (!size || handle->pid != getpid())
		return -EINVAL;
	ret = pagealloc_clear(handle, start, start + size);
	if (munmap(memory, size))
		return -errno;
	return ret == -ENOENT ? 0 : ret;
}
