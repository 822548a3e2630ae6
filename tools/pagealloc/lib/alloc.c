// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* Allocation of memory with a hint. */
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
 * pagealloc_alloc() - allocate memory whose pages are placed by a hint
 * @handle: handle of the calling process: pagealloc_open(0, 0, ...)
 * @length: size in bytes, rounded up to whole pages
 * @hint: strategy and argument; NULL: the default hint applies, if there is one
 * @flags: PAGEALLOC_POPULATE: allocate all pages now; PAGEALLOC_LOCK: lock them
 * @memory: set to zeroed memory; free it with pagealloc_free()
 *
 * Hints are best effort: a page whose color or frame is not available is placed
 * elsewhere.  pagealloc_verify() counts the pages that match.
 *
 * Return: 0; -EINVAL: length 0, unknown flags, or a handle of another process;
 * -ENOMEM; an error of pagealloc_set(); with PAGEALLOC_LOCK, an error of mlock(2).
 * After an error nothing stays allocated.
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
 * pagealloc_free() - free memory and its hint
 * @handle: as for pagealloc_alloc()
 * @memory: from pagealloc_alloc()
 * @length: the length passed to pagealloc_alloc()
 *
 * The hint is removed first: hints belong to addresses, so it would apply to the next
 * mapping there.
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
