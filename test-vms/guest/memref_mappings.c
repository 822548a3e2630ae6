// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_mappings FILE: references the same pages of memory without a name, of its heap, of FILE and of a
 * memfd for each line of standard input, then prints a line.  The numbers of pages are those
 * that memref_files.sh expects.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096ul
#define MAPPED (4ul << 20)

static void touch(volatile unsigned char *memory, unsigned long pages, int write)
{
	unsigned long i;

	for (i = 0; i < pages; i++) {
		if (write)
			memory[i * PAGE] = 1;
		else
			(void)memory[i * PAGE];
	}
}

static unsigned char *map(int fd)
{
	unsigned char *p = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE,
				fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return NULL;
	madvise(p, MAPPED, MADV_NOHUGEPAGE);
	/* One by one: no page is mapped around another later. */
	touch(p, MAPPED / PAGE, 1);
	return p;
}

int main(int argc, char **argv)
{
	int file = argc == 2 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1, memory = memfd_create("cache", 0);
	unsigned char *heap, *none, *of_file, *of_memory;
	char line;

	if (file < 0 || memory < 0 || ftruncate(file, MAPPED) || ftruncate(memory, MAPPED)) {
		perror("memref_mappings FILE");
		return 1;
	}
	heap = sbrk(MAPPED);
	none = map(-1);
	of_file = map(file);
	of_memory = map(memory);
	if (heap == (void *)-1 || !none || !of_file || !of_memory) {
		perror("memref_mappings");
		return 1;
	}
	madvise(heap, MAPPED, MADV_NOHUGEPAGE);
	touch(heap, MAPPED / PAGE, 1);
	while (read(0, &line, 1) == 1) {
		touch(none, 1000, 0);
		touch(of_file, 300, 0);
		touch(of_memory, 200, 1);
		touch(heap, 700, 1);
		if (write(1, "\n", 1) != 1)
			return 1;
	}
	return 0;
}
