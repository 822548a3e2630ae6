// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lost.h"

/** perf_lost_format() - for perf_event_attr.read_format; 0 where the kernel does not count (before 6.0) */
uint64_t perf_lost_format(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.read_format = PERF_FORMAT_LOST, .disabled = 1, .exclude_kernel = 1,
	};
	static int fd = -1, known;

	if (!known) {
		known = 1;
		fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
		if (fd >= 0)
			close(fd);
	}
	return fd < 0 ? 0 : PERF_FORMAT_LOST;
}

/** perf_lost() - records of an event that was opened with perf_lost_format(), and its children */
uint64_t perf_lost(int fd)
{
	struct { uint64_t value, lost; } counts = { 0 };

	return read(fd, &counts, sizeof(counts)) == sizeof(counts) ? counts.lost : 0;
}
