// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* Records the layout of a process. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layout.h"

#define BATCH 4096

static void *grow(void *array, size_t nr, size_t *capacity, size_t size)
{
	size_t more = *capacity ? *capacity * 2 : 64;
	void *grown;

	if (nr < *capacity)
		return array;
	grown = realloc(array, more * size);
	if (grown)
		*capacity = more;
	return grown;
}

struct layout_map *layout_add_map(struct pagealloc_layout *l)
{
	void *maps = grow(l->maps, l->nr_maps, &l->maps_capacity, sizeof(*l->maps));

	if (!maps)
		return NULL;
	l->maps = maps;
	l->maps[l->nr_maps] = (struct layout_map){ .first = l->nr_pages };
	return &l->maps[l->nr_maps++];
}

struct layout_page *layout_add_page(struct pagealloc_layout *l)
{
	void *pages = grow(l->pages, l->nr_pages, &l->pages_capacity, sizeof(*l->pages));

	if (!pages)
		return NULL;
	l->pages = pages;
	l->pages[l->nr_pages] = (struct layout_page){ };
	l->maps[l->nr_maps - 1].nr++;
	return &l->pages[l->nr_pages++];
}

/* [vdso], [vvar], [vsyscall]: the kernel's pages, shared by all processes. */
static int skipped(const char *name)
{
	return !strncmp(name, "[v", 2);
}

static int record_mapping(struct pagealloc *handle, struct pagealloc_layout *l,
			  const struct space *space, size_t map, unsigned int flags,
			  struct page_hints_page *pages, uint64_t *addresses)
{
	const struct pagealloc_mapping *at = &space->maps[map];
	struct layout_map *m = NULL;
	uint64_t start = at->start;
	ssize_t nr, i;

	while (start < at->end) {
		uint64_t before = start;

		nr = pagealloc_query(handle, &start, at->end, pages, addresses, BATCH);
		if (nr < 0)
			return nr;
		for (i = 0; i < nr; i++) {
			struct layout_page *page;

			if (!(pages[i].flags & PAGE_HINTS_PRESENT) ||
			    pages[i].flags & PAGE_HINTS_ZERO)
				continue;
			/* User pages never have frame 0: the kernel hides frames from us. */
			if (!pages[i].pfn)
				return -EPERM;
			if (!m) {
				m = layout_add_map(l);
				if (!m)
					return -ENOMEM;
				m->at = *at;
				m->anchor = space_anchor(space, map);
				m->order = *at->name ? space_order(space, map) : 0;
				m->at.name = strdup(at->name);
				if (!m->at.name)
					return -ENOMEM;
			}
			page = layout_add_page(l);
			if (!page)
				return -ENOMEM;
			page->index = (addresses[i] - at->start) / l->page_size;
			page->color = pages[i].color;
			page->file = !!(pages[i].flags & PAGE_HINTS_FILE);
			page->pfn = flags & PAGEALLOC_NO_FRAMES ? 0 : pages[i].pfn;
		}
		if (!nr && start == before)
			break;
	}
	return 0;
}

/**
 * pagealloc_layout_record() - record the placement of a process's pages
 * @handle: the process, opened with CAP_SYS_ADMIN; stop the process to get a
 *	consistent layout
 * @flags: 0 or PAGEALLOC_NO_FRAMES
 * @layout: set to the layout; free it with pagealloc_layout_free()
 *
 * Return: 0; -EPERM: the kernel hides frames and colors; -EDOM: there is no color
 * function; -ESRCH: the process has exited; or another negative errno.
 */
API int pagealloc_layout_record(struct pagealloc *handle, unsigned int flags,
				struct pagealloc_layout **layout)
{
	struct pagealloc_layout *l = calloc(1, sizeof(*l));
	struct page_hints_page *pages = calloc(BATCH, sizeof(*pages));
	uint64_t *addresses = calloc(BATCH, sizeof(*addresses));
	struct space space = { };
	size_t i;
	int ret = l && pages && addresses ? 0 : -ENOMEM;

	if (!ret && flags & ~PAGEALLOC_NO_FRAMES)
		ret = -EINVAL;
	if (!ret)
		ret = pagealloc_info(handle, &l->info);
	if (!ret && !l->info.color_bits)
		ret = -EDOM;
	if (!ret)
		ret = space_read(handle, &space);
	if (!ret) {
		l->page_size = sysconf(_SC_PAGESIZE);
		l->frames = !(flags & PAGEALLOC_NO_FRAMES);
		memcpy(l->anchors, space.anchors, sizeof(l->anchors));
		for (i = 0; i < space.nr_maps && !ret; i++)
			if (!skipped(space.maps[i].name))
				ret = record_mapping(handle, l, &space, i, flags, pages, addresses);
		space_free(&space);
	}
	free(pages);
	free(addresses);
	if (ret)
		pagealloc_layout_free(l);
	else
		*layout = l;
	return ret;
}

/**
 * pagealloc_layout_free() - free a layout
 * @layout: the layout, or NULL
 */
API void pagealloc_layout_free(struct pagealloc_layout *layout)
{
	size_t i;

	if (!layout)
		return;
	for (i = 0; i < layout->nr_maps; i++)
		free(layout->maps[i].at.name);
	free(layout->maps);
	free(layout->pages);
	free(layout);
}

/**
 * pagealloc_layout_info() - properties of a layout
 * @layout: the layout
 * @info: its @colors, @color_bits and @masks are set to the color function; or NULL
 * @pages: set to the number of pages; or NULL
 * @frames: set to whether frames are recorded; or NULL
 */
API void pagealloc_layout_info(const struct pagealloc_layout *layout, struct page_hints_info *info,
			       uint64_t *pages, int *frames)
{
	if (info)
		*info = layout->info;
	if (pages)
		*pages = layout->nr_pages;
	if (frames)
		*frames = layout->frames;
}
