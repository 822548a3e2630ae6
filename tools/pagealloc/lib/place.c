// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* Querying the placement of pages, and moving pages. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/**
 * pagealloc_query() - query the placement of the pages of a range
 * @handle: the process
 * @start: in: first address; out: first address not queried yet
 * @end: first address after the range
 * @pages: set to an entry for each page of the mappings in the range
 * @addresses: set to their addresses; or NULL
 * @nr_pages: capacity of @pages and @addresses
 *
 * Call it until *@start is @end.  Without CAP_SYS_ADMIN, frames are 0.  Colors are
 * valid for pages with PAGE_HINTS_COLOR.
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
 * pagealloc_verify() - count the pages of a range that match their hints
 * @handle: the process
 * @start: first address
 * @end: first address after the range
 * @counts: set to the numbers of pages
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
 * pagealloc_remap() - migrate the pages of a range that do not match their hints
 * @handle: the process, not read-only
 * @start: first address
 * @end: first address after the range
 * @flags: PAGE_HINTS_REMAP_SHARED, PAGE_HINTS_REMAP_EVICT
 * @status: set to one value per page of the range, see struct page_hints_remap; or NULL
 * @moved: set to the numbers of pages; or NULL
 *
 * Return: 0, even if pages could not be moved; or a negative errno.
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
 * pagealloc_mappings() - list the mappings of a process
 * @handle: the process
 * @mappings: set to the mappings; free them with pagealloc_mappings_free()
 *
 * Return: the number of mappings; -ESRCH: the process has exited; or another negative errno.
 */
API ssize_t pagealloc_mappings(struct pagealloc *handle, struct pagealloc_mapping **mappings)
{
	struct pagealloc_mapping *all = NULL;
	size_t nr = 0, capacity = 0, size = 0;
	char path[64], *line = NULL;
	int ret = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)handle->pid);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT ? -ESRCH : -errno;
	errno = 0;
	while (!ret && getline(&line, &size, f) > 0) {
		if (nr == capacity) {
			size_t more = capacity ? capacity * 2 : 64;
			struct pagealloc_mapping *grown = realloc(all, more * sizeof(*all));

			if (!grown) {
				ret = -ENOMEM;
				break;
			}
			all = grown;
			capacity = more;
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
 * pagealloc_mappings_free() - free the result of pagealloc_mappings()
 * @mappings: the mappings
 * @nr_mappings: their number
 */
API void pagealloc_mappings_free(struct pagealloc_mapping *mappings, size_t nr_mappings)
{
	size_t i;

	for (i = 0; i < nr_mappings; i++)
		free(mappings[i].name);
	free(mappings);
}
