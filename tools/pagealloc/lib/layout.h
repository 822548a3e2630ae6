/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/* Layouts: the recorded physical placement of a process's pages. */
#ifndef PAGEALLOC_LAYOUT_H
#define PAGEALLOC_LAYOUT_H

#include "internal.h"

/*
 * Address space randomization moves each of these as a whole: the program, its heap,
 * the area of mmap(), and the stack.  Mappings at addresses that the program chose
 * (fixed) do not move.
 */
enum anchor { ANCHOR_EXE, ANCHOR_BRK, ANCHOR_MMAP, ANCHOR_STACK, ANCHOR_FIXED, NR_ANCHORS };

extern const char * const anchor_names[NR_ANCHORS];

/**
 * struct layout_page - a page that was present
 * @index: index of the page in its mapping
 * @pfn: its frame; 0: not recorded
 * @color: its color
 * @file: whether it belonged to the page cache
 */
struct layout_page {
	uint64_t index;
	uint64_t pfn;
	uint16_t color;
	uint8_t file;
};

/**
 * struct layout_map - a mapping with present pages
 * @at: the mapping when recorded
 * @anchor: the area that it moves with
 * @order: number of earlier mappings of the same file and offset
 * @first: index of its first page in the layout's pages
 * @nr: number of its pages
 */
struct layout_map {
	struct pagealloc_mapping at;
	enum anchor anchor;
	unsigned int order;
	size_t first, nr;
};

/**
 * struct pagealloc_layout - see pagealloc(5)
 * @page_size: in bytes
 * @info: the color function
 * @anchors: address of each anchor; 0: unknown
 * @frames: whether frames are recorded
 */
struct pagealloc_layout {
	uint64_t page_size;
	struct page_hints_info info;
	uint64_t anchors[NR_ANCHORS];
	int frames;
	struct layout_map *maps;
	size_t nr_maps, maps_capacity;
	struct layout_page *pages;
	size_t nr_pages, pages_capacity;
};

struct layout_map *layout_add_map(struct pagealloc_layout *l);
struct layout_page *layout_add_page(struct pagealloc_layout *l);

/**
 * struct space - an address space: its mappings and anchors
 * @exe: path of the program, or empty
 */
struct space {
	struct pagealloc_mapping *maps;
	size_t nr_maps;
	uint64_t anchors[NR_ANCHORS];
	char exe[4096];
};

int space_read(struct pagealloc *handle, struct space *space);
void space_free(struct space *space);
enum anchor space_anchor(const struct space *space, size_t map);
unsigned int space_order(const struct space *space, size_t map);

#endif
