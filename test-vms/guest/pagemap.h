/* SPDX-License-Identifier: GPL-2.0 */
/* Physical frame numbers of a program's own pages; needs CAP_SYS_ADMIN. */
#ifndef MEMSCOPE_GUEST_PAGEMAP_H
#define MEMSCOPE_GUEST_PAGEMAP_H

#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

/* 0 when the page is not present or its frame not shown. */
static inline uint64_t pfn_of(const void *address)
{
	static int fd = -1;
	static pid_t owner;
	uint64_t entry = 0;

	/* A child's own, not what it inherited. */
	if (fd < 0 || owner != getpid()) {
		fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
		owner = getpid();
	}
	if (pread(fd, &entry, sizeof(entry), (uintptr_t)address / 4096 * 8) != sizeof(entry))
		return 0;
	return entry >> 63 ? entry & ((1ull << 55) - 1) : 0;
}

#endif
