/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/*
 * libpagealloc: choose the physical placement of a program's pages, query it, and
 * record and replay it.
 *
 * Functions return 0 or more, or a negative errno (errno itself is undefined
 * afterwards), and print nothing.  Addresses are in bytes.  A range includes start and
 * excludes end; both are multiples of the page size.  All functions are thread-safe,
 * also with a shared handle; results belong to the calling thread.  The kernel's
 * structures are in <linux/page_hints.h>, a copy of which is installed beside this
 * file; the library fills in their size fields.
 */
#ifndef PAGEALLOC_H
#define PAGEALLOC_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <linux/page_hints.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PAGEALLOC_API_VERSION	1

/* ---- handles: pagealloc_open(3) ---- */

struct pagealloc;

#define PAGEALLOC_READ_ONLY	(1U << 0)	/* query only */

int pagealloc_open(pid_t pid, unsigned int flags, struct pagealloc **handle);
void pagealloc_close(struct pagealloc *handle);
int pagealloc_info(struct pagealloc *handle, struct page_hints_info *info);
unsigned int pagealloc_color(const struct page_hints_info *info, uint64_t pfn);

/* ---- hints: pagealloc_set(3) ---- */

/**
 * struct pagealloc_hint - a strategy with its argument
 * @strategy: its name, shorter than PAGE_HINTS_NAME_LEN
 * @arg: its argument, or NULL
 * @arg_size: size of @arg in bytes
 * @flags: PAGE_HINT_*
 */
struct pagealloc_hint {
	const char *strategy;
	const void *arg;
	size_t arg_size;
	unsigned int flags;
};

#define PAGEALLOC_DEFAULT	(~UINT64_C(0))	/* for pagealloc_get(): the default hint */
#define PAGEALLOC_ANY_FRAME	(~UINT64_C(0))	/* for exact: any frame for this page */

int pagealloc_set(struct pagealloc *handle, uint64_t start, uint64_t end,
		  const struct pagealloc_hint *hint);
int pagealloc_set_coloring(struct pagealloc *handle, uint64_t start, uint64_t end,
			   unsigned int flags, uint64_t offset_pages);
int pagealloc_set_binhop(struct pagealloc *handle, uint64_t start, uint64_t end,
			 unsigned int flags, uint32_t first, uint32_t step);
int pagealloc_set_modulo(struct pagealloc *handle, uint64_t start, uint64_t end,
			 unsigned int flags, const uint32_t *colors, size_t nr_colors);
int pagealloc_set_exact(struct pagealloc *handle, uint64_t start, uint64_t end,
			unsigned int flags, const uint64_t *frames, size_t nr_frames);
int pagealloc_set_partition(struct pagealloc *handle, uint64_t start, uint64_t end,
			    unsigned int flags, const uint32_t *colors, size_t nr_colors);
int pagealloc_set_random(struct pagealloc *handle, uint64_t start, uint64_t end,
			 unsigned int flags, uint64_t seed);
int pagealloc_clear(struct pagealloc *handle, uint64_t start, uint64_t end);
int pagealloc_get(struct pagealloc *handle, uint64_t address, struct page_hints_get *hint);
int pagealloc_inherit(struct pagealloc *handle, unsigned int flags);

int pagealloc_hint_parse(const char *text, unsigned int flags, struct pagealloc_hint **hint,
			 char *error, size_t error_size);
void pagealloc_hint_free(struct pagealloc_hint *hint);

/* ---- memory with a hint: pagealloc_alloc(3) ---- */

#define PAGEALLOC_POPULATE	(1U << 0)	/* allocate all pages now */
#define PAGEALLOC_LOCK		(1U << 1)	/* lock the pages: mlock(2) */

int pagealloc_alloc(struct pagealloc *handle, size_t length, const struct pagealloc_hint *hint,
		    unsigned int flags, void **memory);
int pagealloc_free(struct pagealloc *handle, void *memory, size_t length);

/* ---- where pages are: pagealloc_query(3) ---- */

/**
 * struct pagealloc_counts - numbers of pages
 * @present: present pages
 * @hinted: of @present, those covered by a hint
 * @placed: of @hinted, those whose hint names a color or frame
 * @hits: of @placed, those that have it; 0 without permission to set hints
 */
struct pagealloc_counts {
	uint64_t present, hinted, placed, hits;
};

/**
 * struct pagealloc_moved - result of a remap, in pages
 * @moved: migrated to their color or frame
 * @there: had it already
 * @failed: still elsewhere
 */
struct pagealloc_moved {
	uint64_t moved, there, failed;
};

/**
 * struct pagealloc_mapping - a mapping of a process, as in /proc/PID/maps
 * @start: first address
 * @end: first address after it
 * @offset: offset in the file, in bytes
 * @perms: rwxp or rwxs, with - for permissions not granted
 * @name: name of the file, [heap], [stack], ..., or empty
 */
struct pagealloc_mapping {
	uint64_t start, end, offset;
	char perms[8];
	char *name;
};

ssize_t pagealloc_query(struct pagealloc *handle, uint64_t *start, uint64_t end,
			struct page_hints_page *pages, uint64_t *addresses, size_t nr_pages);
int pagealloc_verify(struct pagealloc *handle, uint64_t start, uint64_t end,
		     struct pagealloc_counts *counts);
int pagealloc_remap(struct pagealloc *handle, uint64_t start, uint64_t end, unsigned int flags,
		    int32_t *status, struct pagealloc_moved *moved);
ssize_t pagealloc_mappings(struct pagealloc *handle, struct pagealloc_mapping **mappings);
void pagealloc_mappings_free(struct pagealloc_mapping *mappings, size_t nr_mappings);

/* ---- layouts: pagealloc_layout(3) ---- */

struct pagealloc_layout;

#define PAGEALLOC_NO_FRAMES	(1U << 0)	/* record colors only */
#define PAGEALLOC_EXACT		(1U << 1)	/* frames instead of colors */
#define PAGEALLOC_REMAP		(1U << 2)	/* migrate pages that are present already */

/**
 * struct pagealloc_replay - result of applying or comparing a layout, in pages
 * @pages: recorded pages
 * @files: of @pages, those of the page cache, which hints cannot place
 * @unmapped: of @pages, those whose mapping was not found
 * @hinted: after applying: of the other pages, those that now have a hint
 * @there: after comparing: of the other pages, those with the recorded color; with
 *	PAGEALLOC_EXACT, the recorded frame
 * @elsewhere: present with another color; with PAGEALLOC_EXACT, another frame
 * @absent: not present
 * @swapped: swapped out or under migration
 * @shared: of @elsewhere, those mapped by another process too
 * @large: of @elsewhere, those that are part of a large folio
 */
struct pagealloc_replay {
	uint64_t pages, files, unmapped, hinted;
	uint64_t there, elsewhere, absent, swapped, shared, large;
};

/**
 * struct pagealloc_difference - a page that differs from the layout
 * @address: its expected address; 0 if its mapping was not found
 * @mapping: name of the recorded mapping, or empty
 * @why: absent, swapped, unmapped, shared, large (part of a large folio), or taken:
 *	any other reason: no matching frame was free when the page was touched, the
 *	page was touched before the hint was set, or it was migrated since
 * @pfn: its frame; 0: not present
 * @goal_pfn: the recorded frame; 0: not recorded
 * @color: its color
 * @goal_color: the recorded color
 */
struct pagealloc_difference {
	uint64_t address;
	const char *mapping;
	const char *why;
	uint64_t pfn, goal_pfn;
	unsigned int color, goal_color;
};

typedef void pagealloc_difference_fn(void *ctx, const struct pagealloc_difference *difference);

int pagealloc_layout_record(struct pagealloc *handle, unsigned int flags,
			    struct pagealloc_layout **layout);
int pagealloc_layout_write(const struct pagealloc_layout *layout, FILE *file);
int pagealloc_layout_read(FILE *file, struct pagealloc_layout **layout, char *error,
			  size_t error_size);
void pagealloc_layout_free(struct pagealloc_layout *layout);
void pagealloc_layout_info(const struct pagealloc_layout *layout, struct page_hints_info *info,
			   uint64_t *pages, int *frames);
int pagealloc_layout_gap(const struct pagealloc_layout *layout, struct pagealloc *handle,
			 uint64_t *start, uint64_t *end);
int pagealloc_layout_apply(const struct pagealloc_layout *layout, struct pagealloc *handle,
			   unsigned int flags, struct pagealloc_replay *replay);
int pagealloc_layout_compare(const struct pagealloc_layout *layout, struct pagealloc *handle,
			     unsigned int flags, struct pagealloc_replay *replay,
			     pagealloc_difference_fn *each, void *ctx);

#ifdef __cplusplus
}
#endif

#endif /* PAGEALLOC_H */
