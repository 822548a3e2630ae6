// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* A layout and another process: hints as it says, and how far they are kept. */
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

/* Where a mapping is that the file and the order among its like tell; or 0. */
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

/* Where a mapping of the layout is, or will be, in another process; 0: not known. */
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
	/* No randomization: everything is where it was. */
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

/* A hint for pages @first to before @end, which are neighbors. */
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

/* What is there already, such as the arguments on the stack. */
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
 * The kernel aligns large mappings to large pages, malloc() its arenas to 64 MiB:
 * distances are the same again if the whole moved by a multiple of that.
 */
#define GAP_ALIGN (UINT64_C(64) << 20)

/**
 * pagealloc_layout_gap() - what to reserve, so that mappings get the distances
 *	that they had
 * @layout: the layout
 * @handle: of a process that is stopped where a new program begins
 * @start: first address
 * @end: first address after it
 *
 * With randomized addresses, the distance of a mapping that the kernel aligns is
 * another one each time, unless something without access is mapped there first:
 * mmap(start, end - start, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
 * MAP_FIXED_NOREPLACE, -1, 0), by the process itself.
 *
 * Return: 1; 0: there is nothing to reserve; or a negative errno.
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
 * pagealloc_layout_apply() - set hints for a process as a layout says
 * @layout: the layout
 * @handle: of the process, not read-only, best stopped where a new program
 *	begins; with PAGEALLOC_EXACT, opened with CAP_SYS_ADMIN
 * @flags: PAGEALLOC_EXACT: for frames, else colors; PAGEALLOC_REMAP: move pages
 *	that are there already
 * @replay: what was done
 *
 * Mappings are found by the name, offset and order of their file if they are
 * there already, else by where they will be: as far as when they were recorded
 * from the program, its heap, its dynamic loader, or its stack.  If addresses are
 * randomized, pagealloc_layout_gap() comes first.
 *
 * Return: 0; -EDOM: recorded with another color function or page size; -ENODATA:
 * no frames were recorded; what pagealloc_set() returns; with PAGEALLOC_REMAP,
 * what pagealloc_remap() returns, after the hints were set.
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
 * struct comparison - of the mappings of a layout with what is there now
 * @map_start: where the mapping is now
 * @next: the page of the layout to be looked at next
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

/* The next page is at @now, or nowhere; @why if it is not as recorded. */
static void differs(struct comparison *c, const struct page_hints_page *now, const char *why)
{
	const struct layout_page *p = &c->l->pages[c->next];
	int there = now && now->flags & PAGE_HINTS_PRESENT;
	struct pagealloc_difference difference = {
		.address = c->map_start ? next_address(c) : 0, .mapping = c->m->at.name,
		.why = why, .pfn = there ? now->pfn : 0, .want_pfn = p->pfn,
		.color = there ? now->color : 0, .want_color = p->color,
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

/* Pages of the layout and of the process, both in the order of their addresses. */
static void compare_pages(struct comparison *c, const struct page_hints_page *pages,
			  const uint64_t *addresses, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		/* Nothing is mapped there. */
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
 * pagealloc_layout_compare() - how many pages of a process are as in a layout
 * @layout: the layout
 * @handle: of the process, opened with CAP_SYS_ADMIN
 * @flags: PAGEALLOC_EXACT: frames, not only colors
 * @replay: what was found
 * @each: NULL, or called for each page that is not as recorded
 * @ctx: for it
 *
 * Return: 0; -EDOM: recorded with another color function or page size; -ENODATA:
 * no frames were recorded; -EPERM: frames and colors are hidden; or another
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
