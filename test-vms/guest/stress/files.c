// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * stress: workers on files of the disk, mapped, and by read() and write().
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stress.h"

/* A shared mapping of a file: the disk must have the written data at the end. */
static void sync_file(char *mem, uint64_t nr, uint8_t *gen)
{
	char buf[PAGE];
	uint64_t page;
	int fd, i;

	if (stress_rnd() % 64)
		return;
	if (msync(mem, nr * PAGE, MS_SYNC))
		stress_fail("msync: %s", strerror(errno));
	fd = open("/mnt/mapped", O_RDONLY | O_DIRECT);
	if (fd < 0)
		return;
	for (i = 0; i < 16; i++) {
		char *direct = aligned_alloc(PAGE, PAGE);

		page = stress_rnd() % nr;
		if (pread(fd, direct, PAGE, page * PAGE) == (ssize_t)PAGE) {
			memcpy(buf, direct, PAGE);
			stress_check("file on the disk", buf - page * PAGE, page, gen[page]);
		}
		free(direct);
	}
	close(fd);
}

void stress_worker_file(void)
{
	uint64_t nr = 24 * MIB / PAGE;
	int fd = open("/mnt/mapped", O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || ftruncate(fd, nr * PAGE))
		stress_fail("/mnt/mapped: %s", strerror(errno));
	stress_pages("file", stress_map(nr * PAGE, MAP_SHARED, fd), nr, calloc(nr, 1), sync_file);
}

/* read() and write(), which the hooks see. */
void stress_worker_rw(void)
{
	const char *path = "/mnt/rw";
	uint64_t nr = 16 * MIB / PAGE, gen = 0, i;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	char buf[PAGE];

	memset(buf, 0, sizeof(buf));
	if (fd < 0)
		stress_fail("%s: %s", path, strerror(errno));
	for (gen = 0; !stress_over(); gen++) {
		for (i = 0; i < nr; i++) {
			stress_fill(buf - i * PAGE, i, gen);
			if (pwrite(fd, buf, PAGE, i * PAGE) != (ssize_t)PAGE)
				stress_fail("write %s: %s", path, strerror(errno));
		}
		stress_put("/proc/sys/vm/drop_caches", "1");
		for (i = 0; i < nr; i++) {
			if (pread(fd, buf, PAGE, i * PAGE) != (ssize_t)PAGE)
				stress_fail("read %s: %s", path, strerror(errno));
			stress_check("read()", buf - i * PAGE, i, gen);
		}
	}
}
