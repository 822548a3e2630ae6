/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Hints for the page allocator: ioctls of /proc/<pid>/page_hints.
 *
 * Every structure begins with its size, set by the caller.  A kernel with a
 * larger structure reads missing fields as 0; a kernel with a smaller one fails
 * with E2BIG if unknown fields are not 0.  A structure that is returned has the
 * smaller of both sizes, and its size field says so.  Addresses are in bytes and
 * are not rounded: a start or an end that is no multiple of the page size is
 * EINVAL.
 */
#ifndef _UAPI_LINUX_PAGE_HINTS_H
#define _UAPI_LINUX_PAGE_HINTS_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define PAGE_HINTS_API_VERSION	1
#define PAGE_HINTS_NAME_LEN	16	/* of a strategy, with the closing 0 */
#define PAGE_HINTS_TEXT_LEN	64	/* of a description, with the closing 0 */
#define PAGE_HINTS_MAX_COLORS	4096
#define PAGE_HINTS_MAX_COLOR_BITS 12

/* flags of a hint */
#define PAGE_HINT_ORDER0	(1U << 0)	/* no large folio in the range */
#define PAGE_HINT_LOCKED	(1U << 1)	/* only CAP_SYS_NICE removes it */

/* flags of inheritance */
#define PAGE_HINTS_FORK_DEFAULT	(1U << 0)	/* a child gets the default hint */
#define PAGE_HINTS_FORK_RANGES	(1U << 1)	/* and the hints of ranges */
#define PAGE_HINTS_EXEC_DEFAULT	(1U << 2)	/* a new program keeps the default */
#define PAGE_HINTS_INHERIT_ALL	((1U << 3) - 1)

/**
 * struct page_hints_info - what the kernel offers; no privilege needed
 * @size: of this structure
 * @api_version: PAGE_HINTS_API_VERSION of the kernel
 * @color_bits: number of rows of the color function; 0 when there is none
 * @colors: number of colors, 1 << @color_bits
 * @cache_level: level of the cache the function was derived from; 0 if the
 *	administrator set it
 * @full_rank_order: the lowest order for which each aligned block holds every
 *	color; ~0 if there is none
 * @inherit: flags of inheritance that the system allows
 * @masks: the rows: bit i of a page's color is the parity of (PFN & masks[i])
 */
struct page_hints_info {
	__u64 size;
	__u32 api_version;
	__u32 color_bits;
	__u32 colors;
	__u32 cache_level;
	__u32 full_rank_order;
	__u32 inherit;
	__u64 masks[PAGE_HINTS_MAX_COLOR_BITS];
};

/**
 * struct page_hints_set - set a hint; for the default, @start and @end are 0
 * @size: of this structure
 * @start: first address
 * @end: first address after the range
 * @flags: PAGE_HINT_*
 * @reserved: 0
 * @strategy: its name; a module is loaded if need be
 * @arg: address of the strategy's argument, see struct page_hints_arg_*
 * @arg_size: bytes of it; at most 8 a page of the range (or 4096 if that is
 *	more) and 64 MiB
 *
 * With PAGE_HINT_LOCKED, CAP_SYS_NICE is required to clear the hint, to set
 * another one over it or, if it is the default, for a range, and to change what
 * is inherited, also for the process itself and regardless of
 * vm.page_hints_unprivileged.  A program that gains privileges by execve(2)
 * keeps a locked default.  Children and new programs get it, until
 * PAGE_HINTS_INHERIT says otherwise; and with a locked default the ranges are
 * forgotten that are not locked.
 *
 * EPERM without CAP_SYS_NICE, or for frames without CAP_SYS_ADMIN, or if a
 * locked hint would be replaced without CAP_SYS_NICE; ENOENT if there is no such
 * strategy; ERANGE if the argument names a color or a frame that does not exist;
 * E2BIG if it is too large, EINVAL if it is invalid; EOPNOTSUPP if the system
 * has no color function; ENOSPC if there are a million ranges.
 */
struct page_hints_set {
	__u64 size;
	__u64 start;
	__u64 end;
	__u32 flags;
	__u32 reserved;
	char strategy[PAGE_HINTS_NAME_LEN];
	__u64 arg;
	__u64 arg_size;
};

/* coloring: none, or: the color of a page is that of (VPN + offset). */
struct page_hints_arg_coloring {
	__u64 offset;		/* pages */
};

/* binhop: none, or the first bin, and the step from bin to bin (0 is 1). */
struct page_hints_arg_binhop {
	__u32 first;
	__u32 step;
};

/*
 * modulo: a __u32 color for each page of the range; a shorter table is
 * repeated.  exact: a __u64 frame number for each page of the range, all ones
 * for a page that may be anywhere; exactly as many as the range has pages.
 */

/* partition: a set of colors, bit 0 of word 0 is color 0; arg_size bytes of it. */
struct page_hints_arg_partition {
	__u64 colors[PAGE_HINTS_MAX_COLORS / 64];
};

/* random: the color of a page is a hash of the seed and its VPN. */
struct page_hints_arg_random {
	__u64 seed;
};

/**
 * struct page_hints_range - name a range: CLEAR
 * @size: of this structure
 * @start: first address; with @end 0: everything, the default too
 * @end: first address after the range
 *
 * EPERM when there is a locked hint, without CAP_SYS_NICE.
 */
struct page_hints_range {
	__u64 size;
	__u64 start;
	__u64 end;
};

/**
 * struct page_hints_get - the hint at an address, or the next one after it
 * @size: of this structure
 * @start: in: an address; out: the first address of the hint; ~0 asks for the
 *	default
 * @end: out: first address after it; 0 for the default
 * @flags: out: PAGE_HINT_*
 * @inherit: out: PAGE_HINTS_* of the address space
 * @strategy: out
 * @text: out: the argument in readable form
 * @requests: out: pages allocated under this hint; 0 for callers that may not
 *	see colors
 * @hits: out: those placed as the hint requests; likewise
 *
 * ENOENT when there is none at or after @start.
 */
struct page_hints_get {
	__u64 size;
	__u64 start;
	__u64 end;
	__u32 flags;
	__u32 inherit;
	char strategy[PAGE_HINTS_NAME_LEN];
	char text[PAGE_HINTS_TEXT_LEN];
	__u64 requests;
	__u64 hits;
};

/**
 * struct page_hints_inherit - which hints children and new programs get
 * @size: of this structure
 * @flags: PAGE_HINTS_FORK_*, PAGE_HINTS_EXEC_*; EPERM for one that the system
 *	does not allow, and when there are locked hints, without CAP_SYS_NICE
 * @reserved: 0
 */
struct page_hints_inherit {
	__u64 size;
	__u32 flags;
	__u32 reserved;
};

/* struct page_hints_page.flags */
#define PAGE_HINTS_PRESENT	(1U << 0)	/* a frame is mapped */
#define PAGE_HINTS_HINTED	(1U << 1)	/* a hint covers the page; not set for
						 * a frame of FILE or ZERO: hints do
						 * not place those
						 */
#define PAGE_HINTS_PLACED	(1U << 2)	/* the hint names a place: goal_* hold */
#define PAGE_HINTS_HIT		(1U << 3)	/* and the frame is there */
#define PAGE_HINTS_LARGE	(1U << 4)	/* part of a large folio */
#define PAGE_HINTS_SHARED	(1U << 5)	/* mapped by another process too */
#define PAGE_HINTS_FILE		(1U << 6)	/* of a file or of shared memory */
#define PAGE_HINTS_SWAP		(1U << 7)	/* swapped out or under migration */
#define PAGE_HINTS_ZERO		(1U << 8)	/* the zero page */
#define PAGE_HINTS_COLOR	(1U << 9)	/* color and HIT hold: the caller may
						 * see colors
						 */

/**
 * struct page_hints_page - where one page is and where it should be
 * @pfn: frame; 0 without CAP_SYS_ADMIN
 * @goal_pfn: frame that an exact hint names, else ~0; 0 without CAP_SYS_ADMIN
 * @color: color of the frame; 0 without PAGE_HINTS_COLOR
 * @goal_color: color that the hint names; if it names a frame, the color of that
 *	frame, and so 0 for callers that may not see colors
 * @flags: PAGE_HINTS_*
 *
 * Callers that may set hints may see colors: with CAP_SYS_NICE or CAP_SYS_ADMIN,
 * or vm.page_hints_unprivileged.
 */
struct page_hints_page {
	__u64 pfn;
	__u64 goal_pfn;
	__u16 color;
	__u16 goal_color;
	__u32 flags;
};

/**
 * struct page_hints_query - where pages are: QUERY and VERIFY
 * @size: of this structure
 * @start: first address; out, for QUERY: first address not processed
 * @end: first address after the range
 * @pages: QUERY: address of an array of struct page_hints_page; VERIFY: 0
 * @nr_pages: QUERY: its length; out: entries written, one for each page of the
 *	mappings in the range; pages of no mapping have no entry
 * @addresses: QUERY: 0, or the address of an array of __u64: their addresses
 * @present: VERIFY: out: pages that are present
 * @hinted: of these, covered by a hint
 * @placed: of these, with a place named
 * @hits: of these, at their place
 *
 * Pages of files and the zero page count as present only.  QUERY counts the
 * pages that it writes as VERIFY does.
 * Hits reveal colors: they are 0 for callers that may not see colors.
 */
struct page_hints_query {
	__u64 size;
	__u64 start;
	__u64 end;
	__u64 pages;
	__u64 nr_pages;
	__u64 addresses;
	__u64 present;
	__u64 hinted;
	__u64 placed;
	__u64 hits;
};

/* struct page_hints_remap.flags */
#define PAGE_HINTS_REMAP_SHARED	(1U << 0)	/* shared pages too (CAP_SYS_NICE) */
#define PAGE_HINTS_REMAP_EVICT	(1U << 1)	/* exact: migrate frames in use away */

/**
 * struct page_hints_remap - migrate the pages of a range according to its hints
 * @size: of this structure
 * @start: first address
 * @end: first address after the range
 * @flags: PAGE_HINTS_REMAP_*
 * @reserved: 0
 * @status: 0, or the address of an array of __s32, one for each page of the
 *	range: 1 moved, 0 was there already, -ENOENT not present, -ENODATA no
 *	hint or no place named, -EBUSY pinned or in use, -EACCES shared,
 *	-EADDRNOTAVAIL no free frame there, -EOPNOTSUPP not movable (device,
 *	hugetlb)
 * @moved: out: pages moved
 * @there: out: pages that were there already
 * @failed: out: pages that are not there
 */
struct page_hints_remap {
	__u64 size;
	__u64 start;
	__u64 end;
	__u32 flags;
	__u32 reserved;
	__u64 status;
	__u64 moved;
	__u64 there;
	__u64 failed;
};

#define PAGE_HINTS_INFO		_IOWR('f', 0x40, struct page_hints_info)
#define PAGE_HINTS_SET		_IOW('f', 0x41, struct page_hints_set)
#define PAGE_HINTS_CLEAR	_IOW('f', 0x42, struct page_hints_range)
#define PAGE_HINTS_GET		_IOWR('f', 0x43, struct page_hints_get)
#define PAGE_HINTS_INHERIT	_IOW('f', 0x44, struct page_hints_inherit)
#define PAGE_HINTS_QUERY	_IOWR('f', 0x45, struct page_hints_query)
#define PAGE_HINTS_VERIFY	_IOWR('f', 0x46, struct page_hints_query)
#define PAGE_HINTS_REMAP	_IOWR('f', 0x47, struct page_hints_remap)

#endif /* _UAPI_LINUX_PAGE_HINTS_H */
