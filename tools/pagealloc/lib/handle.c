// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* Handles of the page hints of a process. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "internal.h"

int handle_ioctl(struct pagealloc *handle, unsigned long request, void *arg)
{
	int ret;

	do {
		ret = ioctl(handle->fd, request, arg);
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : ret;
}

/**
 * pagealloc_open() - open the page hints of a process
 * @pid: the process; 0: the caller
 * @flags: 0 or PAGEALLOC_READ_ONLY
 * @handle: set to the handle; close it with pagealloc_close()
 *
 * Return: 0; -ESRCH: no such process; -ENOSYS: the kernel has no page hints;
 * -EACCES: permission denied; -EINVAL: unknown flags; -ENOMEM; or another error of
 * open(2).
 */
API int pagealloc_open(pid_t pid, unsigned int flags, struct pagealloc **handle)
{
	struct pagealloc *h;
	char path[64];
	int err;

	if (pid < 0 || flags & ~PAGEALLOC_READ_ONLY)
		return -EINVAL;
	h = malloc(sizeof(*h));
	if (!h)
		return -ENOMEM;
	h->pid = pid ? pid : getpid();
	snprintf(path, sizeof(path), "/proc/%d/page_hints", (int)h->pid);
	h->fd = open(path, (flags & PAGEALLOC_READ_ONLY ? O_RDONLY : O_RDWR) | O_CLOEXEC);
	if (h->fd < 0) {
		err = errno;
		snprintf(path, sizeof(path), "/proc/%d", (int)h->pid);
		if (err == ENOENT)
			err = access(path, F_OK) ? ESRCH : ENOSYS;
		free(h);
		return -err;
	}
	*handle = h;
	return 0;
}

/**
 * pagealloc_close() - close a handle; hints stay in effect
 * @handle: from pagealloc_open(), or NULL
 */
API void pagealloc_close(struct pagealloc *handle)
{
	if (!handle)
		return;
	close(handle->fd);
	free(handle);
}

/**
 * pagealloc_info() - query the kernel's color function and limits
 * @handle: handle of any process
 * @info: set to the color function, and the inheritance that the system allows
 *
 * Return: 0, or a negative errno.
 */
API int pagealloc_info(struct pagealloc *handle, struct page_hints_info *info)
{
	*info = (struct page_hints_info){ .size = sizeof(*info) };
	return handle_ioctl(handle, PAGE_HINTS_INFO, info);
}

/**
 * pagealloc_color() - the color of a frame
 * @info: from pagealloc_info()
 * @pfn: frame number
 *
 * Return: the color; 0 if there is no color function.
 */
API unsigned int pagealloc_color(const struct page_hints_info *info, uint64_t pfn)
{
	unsigned int i, color = 0;

	for (i = 0; i < info->color_bits && i < PAGE_HINTS_MAX_COLOR_BITS; i++)
		color |= (unsigned int)__builtin_parityll(pfn & info->masks[i]) << i;
	return color;
}
