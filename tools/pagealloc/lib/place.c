// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* Where pages are, and moving them. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/**
 * pagealloc_query() - where the pages of a range are
 * @handle: of the process
 * @start: in: first address; out: first address not looked at
 * @end: first address after the range
 * @pages: an entry for each page of the mappings in the range
 * @addresses: their addresses, or NULL
 * @nr_pages: how many entries there is room for
 *
 * To be called until *@start is @end.  Without CAP_SYS_ADMIN, frames are 0; colors
 * are those of pages with PAGE_HINTS_COLOR.
 *
 * Return: number of entries, or a negative errno.
 */
API ssize_t pagealloc_query(struct pagealloc *handle, uint64_t *start, uint64_t end,
			    struct page_hints_page *pages, uint64_t *addresses, size_t nr_pages)
{
	struct page_hints_query query = {
		.size = sizeof(query), .start = *start, .end = end,
		.pages = (uintptr_t)pages, .nr_pages = nr_pages,
		.addresses = (uintptr_t)addresses,
	};
	int ret = handle_ioctl(handle, PAGE_HINTS_QUERY, &query);

	if (ret < 0)
		return ret;
	*start = query.start;
	return query.nr_pages;
}

/**
 * pagealloc_verify() - how many pages of a range are where their hints say
 * @handle: of the process
 * @start: first address
 * @end: first address after the range
 * @counts: pages
 *
 * Return: 0, or a negative errno.
 */
API int pagealloc_verify(struct pagealloc *handle, uint64_t start, uint64_t end,
			 struct pagealloc_counts *counts)
{
	struct page_hints_query query = { .size = sizeof(query), .start = start, .end = end };
	int ret = handle_ioctl(handle, PAGE_HINTS_VERIFY, &query);

	if (ret < 0)
		return ret;
	*counts = (struct pagealloc_counts){
		.present = query.present, .hinted = query.hinted,
		.placed = query.placed, .hits = query.hits,
	};
	return 0;
}

/**
 * pagealloc_remap() - move the pages of a range to where their hints say
 * @handle: of the process, not read-only
 * @start: first address
 * @end: first address after the range
 * @flags: PAGE_HINTS_REMAP_SHARED, PAGE_HINTS_REMAP_EVICT
 * @status: NULL, or room for one value for each page of the range: see
 *	struct page_hints_remap
 * @moved: pages, or NULL
 *
 * Return: 0, also when pages could not be moved; or a negative errno.
 */
API int pagealloc_remap(struct pagealloc *handle, uint64_t start, uint64_t end, unsigned int flags,
			int32_t *status, struct pagealloc_moved *moved)
{
	struct page_hints_remap remap = {
		.size = sizeof(remap), .start = start, .end = end, .flags = flags,
		.status = (uintptr_t)status,
	};
	int ret = handle_ioctl(handle, PAGE_HINTS_REMAP, &remap);

	if (ret < 0)
		return ret;
	if (moved)
		*moved = (struct pagealloc_moved){
			.moved = remap.moved, .there = remap.there, .failed = remap.failed,
		};
	return 0;
}

static int parse_mapping(char *line, struct pagealloc_mapping *m)
{
	int name = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s%n", &m->start, &m->end,
		   m->perms, &m->offset, &name) != 4 || !name)
		return -EPROTO;
	while (isspace((unsigned char)line[name]))
		name++;
	m->name = strdup(line + name);
	return m->name ? 0 : -ENOMEM;
}

/**
 * pagealloc_mappings() - the mappings of a process
 * @handle: of the process
 * @mappings: to be freed with pagealloc_mappings_free()
 *
 * Return: how many; -ESRCH: the process has exited; or another negative errno.
 */
API ssize_t pagealloc_mappings(struct pagealloc *handle, struct pagealloc_mapping **mappings)
{
	struct pagealloc_mapping *all = NULL;
	size_t nr = 0, room = 0, size = 0;
	char path[64], *line = NULL;
	int ret = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)handle->pid);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT ? -ESRCH : -errno;
	errno = 0;
	while (!ret && getline(&line, &size, f) > 0) {
		if (nr == room) {
			size_t more = room ? room * 2 : 64;
			struct pagealloc_mapping *grown = realloc(all, more * sizeof(*all));

			if (!grown) {
				ret = -ENOMEM;
				break;
			}
			all = grown;
			room = more;
		}
		ret = parse_mapping(line, &all[nr]);
		nr += !ret;
	}
	if (!ret && ferror(f))
		ret = errno ? -errno : -EIO;
	free(line);
	fclose(f);
	if (ret) {
		pagealloc_mappings_free(all, nr);
		return ret;
	}
	*mappings = all;
	return nr;
}

/**
 * pagealloc_mappings_free() - free what pagealloc_mappings() gave
 * @mappings: the mappings
 * @nr_mappings: how many
 */
API void pagealloc_mappings_free(struct pagealloc_mapping *mappings, size_t nr_mappings)
{
	size_t i;

	for (i = 0; i < nr_mappings; i++)
		free(mappings[i].name);
	free(mappings);
}
