// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* Anchors: the parts of an address space that randomization moves as a whole. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <elf.h>

#include "layout.h"

const char * const anchor_names[NR_ANCHORS] = { "exe", "brk", "mmap", "stack", "fixed" };

/* Start of the heap (start_brk): field 47 of /proc/PID/stat. */
static uint64_t read_start_brk(pid_t pid)
{
	char path[64], buf[2048], *s;
	uint64_t brk = 0;
	size_t n;
	FILE *f;
	int i;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	n = fread(buf, 1, sizeof(buf) - 1, f);
	fclose(f);
	buf[n] = '\0';
	/* The name may contain any character: search for the last ')'. */
	s = strrchr(buf, ')');
	for (i = 2; s && i < 47; i++)
		s = strchr(s + 1, ' ');
	if (s)
		sscanf(s, "%" SCNu64, &brk);
	return brk;
}

/* Base address of the dynamic loader; 0 for a static program. */
static uint64_t read_interpreter(pid_t pid)
{
	Elf64_auxv_t entry;
	uint64_t base = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (fread(&entry, sizeof(entry), 1, f) == 1 && entry.a_type != AT_NULL)
		if (entry.a_type == AT_BASE)
			base = entry.a_un.a_val;
	fclose(f);
	return base;
}

/* mmap() chooses addresses above; static position-independent programs are there, too. */
#define MMAP_LOWEST UINT64_C(0x700000000000)

/*
 * The top of the mmap() area: below the dynamic loader, the kernel's mappings beside it,
 * and the gap reserved to keep distances (see pagealloc_layout_gap()).
 */
static uint64_t skip_first(const struct space *space, uint64_t anchor)
{
	size_t i;

	for (i = space->nr_maps; anchor && i--;) {
		const struct pagealloc_mapping *m = &space->maps[i];

		if (m->end == anchor && (!strncmp(m->name, "[v", 2) ||
					 (!strcmp(m->perms, "---p") && !*m->name)))
			anchor = m->start;
	}
	return anchor;
}

/**
 * space_read() - read the mappings and anchors of a process
 * @handle: the process
 * @space: set to the address space; free it with space_free()
 *
 * Return: 0, or a negative errno.
 */
int space_read(struct pagealloc *handle, struct space *space)
{
	ssize_t nr = pagealloc_mappings(handle, &space->maps);
	char path[64];
	ssize_t n;
	size_t i;

	if (nr < 0)
		return nr;
	space->nr_maps = nr;
	memset(space->anchors, 0, sizeof(space->anchors));
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)handle->pid);
	n = readlink(path, space->exe, sizeof(space->exe) - 1);
	space->exe[n < 0 ? 0 : n] = '\0';
	for (i = 0; i < space->nr_maps; i++) {
		const struct pagealloc_mapping *m = &space->maps[i];

		if (*space->exe && !strcmp(m->name, space->exe) && !space->anchors[ANCHOR_EXE])
			space->anchors[ANCHOR_EXE] = m->start;
		if (!strcmp(m->name, "[stack]"))
			space->anchors[ANCHOR_STACK] = m->end;
	}
	/* start_brk need not be page-aligned, but randomization moves whole pages. */
	space->anchors[ANCHOR_BRK] = read_start_brk(handle->pid) & -sysconf(_SC_PAGESIZE);
	space->anchors[ANCHOR_MMAP] = read_interpreter(handle->pid);
	if (!space->anchors[ANCHOR_MMAP] && space->anchors[ANCHOR_EXE] >= MMAP_LOWEST)
		space->anchors[ANCHOR_MMAP] = space->anchors[ANCHOR_EXE];
	space->anchors[ANCHOR_MMAP] = skip_first(space, space->anchors[ANCHOR_MMAP]);
	return 0;
}

/**
 * space_free() - free the result of space_read()
 * @space: the address space
 */
void space_free(struct space *space)
{
	pagealloc_mappings_free(space->maps, space->nr_maps);
}

/**
 * space_anchor() - the anchor that a mapping moves with
 * @space: the address space
 * @map: index of the mapping
 */
enum anchor space_anchor(const struct space *space, size_t map)
{
	const struct pagealloc_mapping *m = &space->maps[map];

	if (!strcmp(m->name, "[stack]"))
		return ANCHOR_STACK;
	if (!strcmp(m->name, "[heap]"))
		return ANCHOR_BRK;
	if (*space->exe && !strcmp(m->name, space->exe))
		return ANCHOR_EXE;
	/* The program's .bss is an anonymous mapping behind its file mappings. */
	if (!*m->name && map && space->maps[map - 1].end == m->start &&
	    !strcmp(space->maps[map - 1].name, space->exe))
		return ANCHOR_EXE;
	return m->start < MMAP_LOWEST ? ANCHOR_FIXED : ANCHOR_MMAP;
}

/**
 * space_order() - number of earlier mappings of the same file and offset
 * @space: the address space
 * @map: index of the mapping
 */
unsigned int space_order(const struct space *space, size_t map)
{
	const struct pagealloc_mapping *m = &space->maps[map];
	unsigned int order = 0;
	size_t i;

	for (i = 0; i < map; i++)
		order += space->maps[i].offset == m->offset &&
			 !strcmp(space->maps[i].name, m->name);
	return order;
}
