// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* Setting, clearing, querying and inheriting hints. */
#include <errno.h>
#include <string.h>

#include "internal.h"

/**
 * pagealloc_set() - set the hint of a range, for any strategy
 * @handle: the process, not read-only
 * @start: first address; with @end 0: the default hint
 * @end: first address after the range
 * @hint: strategy and argument; copied by the kernel
 *
 * The hint applies to later page faults; pagealloc_remap() moves present pages.
 *
 * Return: 0; -EINVAL: a range that is not of whole pages, or an invalid argument;
 * -ENOENT: no such strategy; -ERANGE: no such color or frame; -EPERM: not permitted;
 * -EBADF: the handle is read-only; -E2BIG: the argument is
 * too large; -EOPNOTSUPP: the system has no color function; -ENOSPC: too many
 * ranges; -ESRCH: the process has exited; -ENOMEM.
 */
API int pagealloc_set(struct pagealloc *handle, uint64_t start, uint64_t end,
		      const struct pagealloc_hint *hint)
{
	struct page_hints_set set = {
		.size = sizeof(set), .start = start, .end = end, .flags = hint->flags,
		.arg = (uintptr_t)hint->arg, .arg_size = hint->arg_size,
	};
	size_t length = strlen(hint->strategy);

	if (!length || length >= sizeof(set.strategy))
		return -EINVAL;
	memcpy(set.strategy, hint->strategy, length);
	return handle_ioctl(handle, PAGE_HINTS_SET, &set);
}

static int set(struct pagealloc *handle, uint64_t start, uint64_t end, unsigned int flags,
	       const char *strategy, const void *arg, size_t arg_size)
{
	struct pagealloc_hint hint = {
		.strategy = strategy, .arg = arg, .arg_size = arg_size, .flags = flags,
	};

	return pagealloc_set(handle, start, end, &hint);
}

/**
 * pagealloc_set_coloring() - adjacent pages get consecutive colors
 * @handle: as for pagealloc_set()
 * @start: first address; with @end 0: the default hint
 * @end: first address after the range
 * @flags: PAGE_HINT_*
 * @offset_pages: added to the virtual page number that the color derives from
 *
 * Return: as pagealloc_set().
 */
API int pagealloc_set_coloring(struct pagealloc *handle, uint64_t start, uint64_t end,
			       unsigned int flags, uint64_t offset_pages)
{
	struct page_hints_arg_coloring arg = { .offset = offset_pages };

	return set(handle, start, end, flags, "coloring", &arg, sizeof(arg));
}

/**
 * pagealloc_set_binhop() - pages get consecutive colors in the order of their
 *	first touch
 * @handle: as for pagealloc_set()
 * @start: first address; with @end 0: the default hint
 * @end: first address after the range
 * @flags: PAGE_HINT_*
 * @first: the first color
 * @step: difference between consecutive colors; 0 stands for 1
 *
 * Return: as pagealloc_set().
 */
API int pagealloc_set_binhop(struct pagealloc *handle, uint64_t start, uint64_t end,
			     unsigned int flags, uint32_t first, uint32_t step)
{
	struct page_hints_arg_binhop arg = { .first = first, .step = step };

	return set(handle, start, end, flags, "binhop", &arg, sizeof(arg));
}

/**
 * pagealloc_set_modulo() - pages get the colors of a table
 * @handle: as for pagealloc_set()
 * @start: first address; with @end 0: the default hint
 * @end: first address after the range
 * @flags: PAGE_HINT_*
 * @colors: color of each page of the range; a shorter table repeats
 * @nr_colors: number of @colors
 *
 * Return: as pagealloc_set().
 */
API int pagealloc_set_modulo(struct pagealloc *handle, uint64_t start, uint64_t end,
			     unsigned int flags, const uint32_t *colors, size_t nr_colors)
{
	return set(handle, start, end, flags, "modulo", colors, nr_colors * sizeof(*colors));
}

/**
 * pagealloc_set_exact() - pages get the frames of a table, if these are free
 * @handle: as for pagealloc_set(); opened with CAP_SYS_ADMIN
 * @start: first address
 * @end: first address after the range
 * @flags: PAGE_HINT_*
 * @frames: frame of each page of the range; PAGEALLOC_ANY_FRAME: no preference
 * @nr_frames: number of @frames; must be the number of pages of the range
 *
 * Return: as pagealloc_set().
 */
API int pagealloc_set_exact(struct pagealloc *handle, uint64_t start, uint64_t end,
			    unsigned int flags, const uint64_t *frames, size_t nr_frames)
{
	return set(handle, start, end, flags, "exact", frames, nr_frames * sizeof(*frames));
}

/**
 * pagealloc_set_partition() - pages get colors from a set
 * @handle: as for pagealloc_set()
 * @start: first address; with @end 0: the default hint
 * @end: first address after the range
 * @flags: PAGE_HINT_*
 * @colors: the set
 * @nr_colors: number of @colors
 *
 * Return: as pagealloc_set(); -ERANGE: a color is not below PAGE_HINTS_MAX_COLORS.
 */
API int pagealloc_set_partition(struct pagealloc *handle, uint64_t start, uint64_t end,
				unsigned int flags, const uint32_t *colors, size_t nr_colors)
{
	struct page_hints_arg_partition arg = { };
	size_t i, words = 0;

	for (i = 0; i < nr_colors; i++) {
		if (colors[i] >= PAGE_HINTS_MAX_COLORS)
			return -ERANGE;
		arg.colors[colors[i] / 64] |= UINT64_C(1) << colors[i] % 64;
		if (colors[i] / 64 >= words)
			words = colors[i] / 64 + 1;
	}
	return set(handle, start, end, flags, "partition", &arg, words * sizeof(arg.colors[0]));
}

/**
 * pagealloc_set_random() - pages get pseudo-random colors
 * @handle: as for pagealloc_set()
 * @start: first address; with @end 0: the default hint
 * @end: first address after the range
 * @flags: PAGE_HINT_*
 * @seed: seed and address determine the color
 *
 * Return: as pagealloc_set().
 */
API int pagealloc_set_random(struct pagealloc *handle, uint64_t start, uint64_t end,
			     unsigned int flags, uint64_t seed)
{
	struct page_hints_arg_random arg = { .seed = seed };

	return set(handle, start, end, flags, "random", &arg, sizeof(arg));
}

/**
 * pagealloc_clear() - remove the hints of a range
 * @handle: the process, not read-only
 * @start: first address; with @end 0: all hints, including the default
 * @end: first address after the range
 *
 * Return: 0, or a negative errno as pagealloc_set().
 */
API int pagealloc_clear(struct pagealloc *handle, uint64_t start, uint64_t end)
{
	struct page_hints_range range = { .size = sizeof(range), .start = start, .end = end };

	return handle_ioctl(handle, PAGE_HINTS_CLEAR, &range);
}

/**
 * pagealloc_get() - the hint at an address, or the next one after it
 * @handle: the process
 * @address: the address; PAGEALLOC_DEFAULT: the default hint
 * @hint: set to the hint with its range; pass @hint->end to get the next one
 *
 * Return: 0; -ENOENT: no hint at or after @address; or another negative errno.
 */
API int pagealloc_get(struct pagealloc *handle, uint64_t address, struct page_hints_get *hint)
{
	*hint = (struct page_hints_get){ .size = sizeof(*hint), .start = address };
	return handle_ioctl(handle, PAGE_HINTS_GET, hint);
}

/**
 * pagealloc_inherit() - set which hints children and new programs inherit
 * @handle: the process, not read-only
 * @flags: PAGE_HINTS_FORK_DEFAULT, PAGE_HINTS_FORK_RANGES, PAGE_HINTS_EXEC_DEFAULT
 *
 * Return: 0; -EPERM: not permitted, or @flags exceed what the system allows: @inherit
 * of struct page_hints_info; or another negative errno.
 */
API int pagealloc_inherit(struct pagealloc *handle, unsigned int flags)
{
	struct page_hints_inherit inherit = { .size = sizeof(inherit), .flags = flags };

	return handle_ioctl(handle, PAGE_HINTS_INHERIT, &inherit);
}
