// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* Applies a layout to another process, and compares the process with it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layout.h"

#define BATCH 4096

static int same_function(const struct page_hints_info *a, const struct page_hints_info *b)
{
	return a->color_bits == b->color_bits &&
	       !memcmp(a->masks, b->masks, a->color_bits * sizeof(a->masks[0]));
}

/* The start of the mapping with the same file, offset and order; 0: none. */
static uint64_t find_by_name(const struct space *space, const struct layout_map *m)
{
	unsigned int order = 0;
	size_t i;

	if (*m->at.name != '/')
		return 0;
	for (i = 0; i < space->nr_maps; i++) {
		if (space->maps[i].offset != m->at.offset ||
		    strcmp(space->maps[i].name, m->at.name))
			continue;
		if (order++ == m->order)
			return space->maps[i].start;
	}
	return 0;
}

/* The start of a layout's mapping in another process, mapped already or not yet; 0: unknown. */
static uint64_t find(const struct pagealloc_layout *l, const struct space *space,
		     const struct layout_map *m)
{
	uint64_t was = l->anchors[m->anchor], is = space->anchors[m->anchor];
	uint64_t start = find_by_name(space, m);

	if (start)
		return start;
	if (m->anchor == ANCHOR_FIXED)
		return m->at.start;
	if (was && is)
		return m->at.start + (is - was);
	/* Equal anchors: no randomization, addresses are unchanged. */
	if (l->anchors[ANCHOR_STACK] == space->anchors[ANCHOR_STACK] &&
	    l->anchors[ANCHOR_BRK] == space->anchors[ANCHOR_BRK])
		return m->at.start;
	return 0;
}

static int check(const struct pagealloc_layout *l, struct pagealloc *handle, unsigned int flags)
{
	struct page_hints_info info;
	int ret = pagealloc_info(handle, &info);

	if (ret)
		return ret;
	if (!same_function(&info, &l->info) || l->page_size != (uint64_t)sysconf(_SC_PAGESIZE))
		return -EDOM;
	return flags & PAGEALLOC_EXACT && !l->frames ? -ENODATA : 0;
}

/* Set one hint for the adjacent pages from @first to before @end. */
static int hint_run(const struct pagealloc_layout *l, struct pagealloc *handle, uint64_t map_start,
		    size_t first, size_t end, unsigned int flags, void *table)
{
	uint64_t start = map_start + l->pages[first].index * l->page_size;
	size_t nr = end - first, i;
	uint32_t *colors = table;
	uint64_t *frames = table;

	if (flags & PAGEALLOC_EXACT) {
		for (i = 0; i < nr; i++)
			frames[i] = l->pages[first + i].pfn;
		return pagealloc_set_exact(handle, start, start + nr * l->page_size, 0, frames, nr);
	}
	for (i = 0; i < nr; i++)
		colors[i] = l->pages[first + i].color;
	return pagealloc_set_modulo(handle, start, start + nr * l->page_size, 0, colors, nr);
}

static int apply_map(const struct pagealloc_layout *l, struct pagealloc *handle,
		     const struct layout_map *m, uint64_t start, unsigned int flags, void *table,
		     struct pagealloc_replay *replay)
{
	size_t i, next, last = m->first + m->nr;
	int ret;

	for (i = m->first; i < last; i = next) {
		next = i + 1;
		if (l->pages[i].file) {
			replay->files++;
			continue;
		}
		while (next < last && !l->pages[next].file &&
		       l->pages[next].index == l->pages[next - 1].index + 1)
			next++;
		ret = hint_run(l, handle, start, i, next, flags, table);
		if (ret < 0)
			return ret;
		replay->hinted += next - i;
	}
	return 0;
}

/* Move pages that are present already, such as the arguments on the stack. */
static int remap_present(struct pagealloc *handle, const struct space *space)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < space->nr_maps && ret >= 0; i++) {
		const struct pagealloc_mapping *m = &space->maps[i];
		struct pagealloc_counts counts;

		if (!strncmp(m->name, "[v", 2))
			continue;
		ret = pagealloc_verify(handle, m->start, m->end, &counts);
		if (!ret && counts.placed > counts.hits)
			ret = pagealloc_remap(handle, m->start, m->end, 0, NULL, NULL);
	}
	return ret;
}

/*
 * The kernel aligns large mappings to 2 MiB, malloc() its arenas to 64 MiB: distances
 * between mappings repeat only if the mmap() area moves by a multiple of 64 MiB.
 */
#define GAP_ALIGN (UINT64_C(64) << 20)

/**
 * pagealloc_layout_gap() - range to reserve so that mappings keep their distances
 * @layout: the layout
 * @handle: a process that is stopped before the first instruction of a new program
 * @start: first address
 * @end: first address after it
 *
 * With randomized addresses, the distances of mappings that the kernel aligns differ in
 * each run.  To keep them, the process itself must map the range first:
 * mmap(start, end - start, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
 * MAP_FIXED_NOREPLACE, -1, 0).
 *
 * Return: 1; 0: nothing to reserve; or a negative errno.
 */
API int pagealloc_layout_gap(const struct pagealloc_layout *layout, struct pagealloc *handle,
			     uint64_t *start, uint64_t *end)
{
	uint64_t was = layout->anchors[ANCHOR_MMAP], is;
	struct space space;
	int ret = space_read(handle, &space);

	if (ret)
		return ret;
	is = space.anchors[ANCHOR_MMAP];
	space_free(&space);
	if (!was || !is || (is - was) % GAP_ALIGN == 0)
		return 0;
	*start = is - (is - was) % GAP_ALIGN;
	*end = is;
	return 1;
}

/**
 * pagealloc_layout_apply() - set a process's hints from a layout
 * @layout: the layout
 * @handle: the process, not read-only; best stopped before the first instruction of a
 *	new program; with PAGEALLOC_EXACT, opened with CAP_SYS_ADMIN
 * @flags: PAGEALLOC_EXACT: hints for frames instead of colors; PAGEALLOC_REMAP: migrate
 *	pages that are present already
 * @replay: set to the numbers of pages
 *
 * An existing mapping is found by its file, offset and order.  The address of a mapping
 * that does not exist yet is predicted from its recorded distance to the program, the
 * heap, the dynamic loader or the stack.  If addresses are randomized, reserve the range
 * of pagealloc_layout_gap() first.
 *
 * Return: 0; -EDOM: recorded with another color function or page size; -ENODATA:
 * no frames were recorded; an error of pagealloc_set(); with PAGEALLOC_REMAP, an error of
 * pagealloc_remap(), after the hints were set.
 */
API int pagealloc_layout_apply(const struct pagealloc_layout *layout, struct pagealloc *handle,
			       unsigned int flags, struct pagealloc_replay *replay)
{
	const struct pagealloc_layout *l = layout;
	struct space space;
	void *table;
	size_t i;
	int ret;

	if (flags & ~(PAGEALLOC_EXACT | PAGEALLOC_REMAP))
		return -EINVAL;
	*replay = (struct pagealloc_replay){ .pages = l->nr_pages };
	ret = check(l, handle, flags);
	if (ret)
		return ret;
	ret = space_read(handle, &space);
	if (ret)
		return ret;
	table = malloc((l->nr_pages + 1) * sizeof(uint64_t));
	if (!table)
		ret = -ENOMEM;
	for (i = 0; i < l->nr_maps && ret >= 0; i++) {
		uint64_t start = find(l, &space, &l->maps[i]);

		if (start)
			ret = apply_map(l, handle, &l->maps[i], start, flags, table, replay);
		else
			replay->unmapped += l->maps[i].nr;
	}
	if (ret >= 0 && flags & PAGEALLOC_REMAP)
		ret = remap_present(handle, &space);
	free(table);
	space_free(&space);
	return ret < 0 ? ret : 0;
}

/**
 * struct comparison - comparison of a layout's mapping with the process
 * @map_start: start of the mapping in the process; 0: not found
 * @next: index of the layout's next page to compare
 */
struct comparison {
	const struct pagealloc_layout *l;
	const struct layout_map *m;
	uint64_t map_start;
	size_t next;
	unsigned int flags;
	struct pagealloc_replay *replay;
	pagealloc_difference_fn *each;
	void *ctx;
};

static uint64_t next_address(const struct comparison *c)
{
	return c->map_start + c->l->pages[c->next].index * c->l->page_size;
}

static int at_end(const struct comparison *c)
{
	return c->next == c->m->first + c->m->nr;
}

/* Report that the next page differs; @now: its placement, or NULL. */
static void differs(struct comparison *c, const struct page_hints_page *now, const char *why)
{
	const struct layout_page *p = &c->l->pages[c->next];
	int there = now && now->flags & PAGE_HINTS_PRESENT;
	struct pagealloc_difference difference = {
		.address = c->map_start ? next_address(c) : 0, .mapping = c->m->at.name,
		.why = why, .pfn = there ? now->pfn : 0, .goal_pfn = p->pfn,
		.color = there ? now->color : 0, .goal_color = p->color,
	};

	if (c->each)
		c->each(c->ctx, &difference);
}

static void compare_page(struct comparison *c, const struct page_hints_page *now)
{
	const struct layout_page *p = &c->l->pages[c->next];
	struct pagealloc_replay *replay = c->replay;

	if (p->file) {
		replay->files++;
	} else if (!c->map_start) {
		replay->unmapped++;
		differs(c, now, "unmapped");
	} else if (now && now->flags & PAGE_HINTS_SWAP) {
		replay->swapped++;
		differs(c, now, "swapped");
	} else if (!now || !(now->flags & PAGE_HINTS_PRESENT) || now->flags & PAGE_HINTS_ZERO) {
		replay->absent++;
		differs(c, NULL, "absent");
	} else if (c->flags & PAGEALLOC_EXACT ? now->pfn == p->pfn : now->color == p->color) {
		replay->there++;
	} else {
		int shared = !!(now->flags & PAGE_HINTS_SHARED);
		int large = !!(now->flags & PAGE_HINTS_LARGE);

		replay->elsewhere++;
		replay->shared += shared;
		replay->large += large;
		differs(c, now, shared ? "shared" : large ? "large" : "taken");
	}
	c->next++;
}

/* Merge the layout's pages with the process's; both are in the order of addresses. */
static void compare_pages(struct comparison *c, const struct page_hints_page *pages,
			  const uint64_t *addresses, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		/* Recorded pages where nothing is mapped now. */
		while (!at_end(c) && next_address(c) < addresses[i])
			compare_page(c, NULL);
		if (!at_end(c) && next_address(c) == addresses[i])
			compare_page(c, &pages[i]);
	}
}

static int compare_map(struct comparison *c, struct pagealloc *handle,
		       struct page_hints_page *pages, uint64_t *addresses)
{
	uint64_t start = c->map_start, end = start + (c->m->at.end - c->m->at.start), before;
	ssize_t nr, i;

	while (c->map_start && start < end && !at_end(c)) {
		before = start;
		nr = pagealloc_query(handle, &start, end, pages, addresses, BATCH);
		if (nr < 0)
			return nr;
		for (i = 0; i < nr; i++)
			if (pages[i].flags & PAGE_HINTS_PRESENT && !pages[i].pfn)
				return -EPERM;
		compare_pages(c, pages, addresses, nr);
		if (!nr && start == before)
			break;
	}
	while (!at_end(c))
		compare_page(c, NULL);
	return 0;
}

/**
 * pagealloc_layout_compare() - compare the pages of a process with a layout
 * @layout: the layout
 * @handle: the process, opened with CAP_SYS_ADMIN
 * @flags: PAGEALLOC_EXACT: compare frames instead of colors
 * @replay: set to the numbers of pages
 * @each: called for each page that differs; may be NULL
 * @ctx: passed to @each
 *
 * Return: 0; -EDOM: recorded with another color function or page size; -ENODATA:
 * no frames were recorded; -EPERM: the kernel hides frames and colors; or another
 * negative errno.
 */
API int pagealloc_layout_compare(const struct pagealloc_layout *layout, struct pagealloc *handle,
				 unsigned int flags, struct pagealloc_replay *replay,
				 pagealloc_difference_fn *each, void *ctx)
{
	struct page_hints_page *pages = calloc(BATCH, sizeof(*pages));
	uint64_t *addresses = calloc(BATCH, sizeof(*addresses));
	struct comparison c = {
		.l = layout, .flags = flags, .replay = replay, .each = each, .ctx = ctx,
	};
	struct space space = { };
	size_t i;
	int ret = pages && addresses ? 0 : -ENOMEM;

	*replay = (struct pagealloc_replay){ .pages = layout->nr_pages };
	if (!ret && flags & ~PAGEALLOC_EXACT)
		ret = -EINVAL;
	if (!ret)
		ret = check(layout, handle, flags);
	if (!ret)
		ret = space_read(handle, &space);
	for (i = 0; i < layout->nr_maps && !ret; i++) {
		c.m = &layout->maps[i];
		c.next = c.m->first;
		c.map_start = find(layout, &space, c.m);
		ret = compare_map(&c, handle, pages, addresses);
	}
	space_free(&space);
	free(pages);
	free(addresses);
	return ret;
}
