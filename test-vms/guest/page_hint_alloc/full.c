// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Hints when memory is full of page cache: the disk is /dev/vda, of 1.25 times the memory. */
#include "alloc.h"

#define DISK		"/dev/vda"
#define BOOST		"/proc/sys/vm/watermark_boost_factor"
#define CHUNK		(1UL << 20)
#define TOUCHED		32768UL		/* pages: 128 MiB */
#define MARKED		64UL		/* MiB of the disk that are written and compared */

static uint64_t file_pages(void)
{
	put_file("/proc/sys/vm/stat_refresh", "1");
	return number_in("/proc/vmstat", "nr_file_pages");
}

static uint64_t mark(uint64_t word)
{
	return (word + 1) * 0x9e3779b97f4a7c15;
}

/* Dirty page cache, that says something. */
static void write_marks(int disk, uint64_t *buf)
{
	uint64_t i, j, words = CHUNK / sizeof(*buf);

	for (i = 0; i < MARKED; i++) {
		for (j = 0; j < words; j++)
			buf[j] = mark(i * words + j);
		if (pwrite(disk, buf, CHUNK, i * CHUNK) != CHUNK)
			die(DISK);
	}
}

static uint64_t bad_marks(int disk, uint64_t *buf)
{
	uint64_t i, j, words = CHUNK / sizeof(*buf), bad = 0;

	for (i = 0; i < MARKED; i++) {
		if (pread(disk, buf, CHUNK, i * CHUNK) != CHUNK)
			die(DISK);
		for (j = 0; j < words; j++)
			bad += buf[j] != mark(i * words + j);
	}
	return bad;
}

/* Read the disk until memory is full. */
static void fill_cache(int disk, void *buf)
{
	uint64_t at = MARKED * CHUNK;

	while (pread(disk, buf, CHUNK, at) == CHUNK)
		at += CHUNK;
}

static uint64_t stat_of(const char *name)
{
	return number_in(DEBUG "stats", name);
}

/*
 * Pages the page cache loses for a page touched.  Where a movable page has to be
 * taken from a block of unmovable ones, the kernel raises the watermark, and kswapd
 * evicts a whole high watermark beyond what is used, with hints or without them:
 * vm.watermark_boost_factor.  What hints evict is judged without that.  Up to a high
 * watermark beyond the mark is left: kswapd evicts in rounds of that size.
 */
static double lost_per_page(char *p)
{
	uint64_t before = file_pages(), i;

	for (i = 0; i < TOUCHED; i++)
		p[i * PAGE] = 1;
	return ((double)before - file_pages()) / TOUCHED;
}

static char *touched_later(int disk, void *buf, const char *what)
{
	write_marks(disk, buf);
	fill_cache(disk, buf);
	printf("# %s: %llu pages free, %llu low, %llu of the page cache\n", what,
	       (unsigned long long)free_pages(), (unsigned long long)low_pages(),
	       (unsigned long long)file_pages());
	return reserve(TOUCHED);
}

/* The kernel without hints, to compare with. */
static void unhinted_case(int disk, void *buf, const char *name)
{
	char *p = touched_later(disk, buf, "no hint");

	printf("%s %.3f\n", name, lost_per_page(p));
	munmap(p, TOUCHED * PAGE);
}

static void full_case(int disk, void *buf, const char *strategy, const void *arg, size_t size,
		      double expected)
{
	char *p = touched_later(disk, buf, strategy);
	uint64_t supplied, evicted;
	struct page_hints_query q;
	double rate, per_page, lost;

	hint(p, TOUCHED, strategy, arg, size);
	supplied = stat_of("supplied");
	evicted = stat_of("supply_evicted");
	lost = lost_per_page(p);
	show_stats();
	supplied = stat_of("supplied") - supplied;
	evicted = stat_of("supply_evicted") - evicted;
	if (verify(hints_fd, (uintptr_t)p, (uintptr_t)p + TOUCHED * PAGE, &q))
		die("VERIFY");
	rate = (double)q.hits / TOUCHED;
	per_page = supplied ? (double)evicted / supplied : 0;
	printf("hit_%s_full_page_cache %.4f\n", strategy, rate);
	printf("evicted_%s_per_page_supplied %.3f\n", strategy, per_page);
	printf("evicted_%s_per_page_touched %.3f\n", strategy, lost);
	ok(rate >= expected, "%s, page cache full, 128 MiB at full speed: %.2f %% there", strategy,
	   100 * rate);
	ok(per_page <= 1.5, "%s: %.3f pages evicted for a page supplied", strategy, per_page);
	ok(lost <= 1.5, "%s: the page cache lost %.3f pages a page touched", strategy, lost);
	unhint(p, TOUCHED);
	munmap(p, TOUCHED * PAGE);
	ok(!bad_marks(disk, buf), "%s: the disk's data are what was written", strategy);
}

void part_full(void)
{
	const uint64_t set[PAGE_HINTS_MAX_COLORS / 64] = { 0xff };
	int disk = open(DISK, O_RDWR | O_CLOEXEC), try;
	void *buf = aligned_alloc(PAGE, CHUNK);
	uint64_t supplied;
	char *p;

	if (disk < 0 || !buf)
		die(DISK);
	put_file(BOOST, "0");
	unhinted_case(disk, buf, "evicted_default_per_page_touched");
	full_case(disk, buf, "partition", set, sizeof(set[0]), 0.95);
	full_case(disk, buf, "coloring", NULL, 0, 0.98);

	/* And with it, as kernels come; measured, but not judged. */
	put_file(BOOST, "15000");
	unhinted_case(disk, buf, "evicted_default_boosted");
	p = touched_later(disk, buf, "coloring, boosted");
	hint(p, TOUCHED, "coloring", NULL, 0);
	printf("evicted_coloring_boosted %.3f\n", lost_per_page(p));
	unhint(p, TOUCHED);
	munmap(p, TOUCHED * PAGE);

	/* Without further requests, pages supplied in advance are freed. */
	for (try = 0; try < 100 && stat_of("cached"); try++)
		usleep(100000);
	ok(!stat_of("cached"), "the worker has ended, nothing is cached");
	supplied = stat_of("supplied");
	fill_cache(disk, buf);
	sleep(1);
	ok(stat_of("supplied") == supplied, "and nothing is supplied to nobody");
	ok(free_pages_match(), "all free pages are accounted for");
	close(disk);
}

/* ---- swap ---- */

#define SWAPPED		2048UL		/* pages */

static uint64_t hits_of(char *p, uint64_t pages, uint64_t *present)
{
	struct page_hints_query q;

	if (verify(hints_fd, (uintptr_t)p, (uintptr_t)p + pages * PAGE, &q))
		die("VERIFY");
	*present = q.present;
	return q.hits;
}

/* Pages of one color go to the disk, their frames to others; then they come back. */
void part_swapin(void)
{
	const uint32_t color = 3;
	uint64_t present, hits, read, used = total_pages() * 11 / 10, i;
	char *p = reserve(SWAPPED), *others;
	int rounds = 3;

	if (system("mkswap " DISK " >/dev/null && swapon " DISK))
		die("swapon " DISK);
	hint(p, SWAPPED, "modulo", &color, sizeof(color));
	for (i = 0; i < SWAPPED; i++)
		p[i * PAGE] = i % 251;
	hits = hits_of(p, SWAPPED, &present);
	printf("# first touch: %llu of %llu\n", (unsigned long long)hits,
	       (unsigned long long)present);
	/*
	 * The swap cache has them until their memory is used; and the CPU that
	 * touched the last ones keeps those back for a while.
	 */
	do {
		if (madvise(p, SWAPPED * PAGE, MADV_PAGEOUT))
			die("MADV_PAGEOUT");
		others = reserve(used);
		for (i = 0; i < used; i++)
			others[i * PAGE] = 1;
		munmap(others, used * PAGE);
		hits_of(p, SWAPPED, &present);
	} while (present && --rounds);
	ok(!present, "all pages are on the disk");
	read = number_in("/proc/vmstat", "pswpin");
	hits = 0;
	for (i = 0; i < SWAPPED; i++)
		hits += p[i * PAGE] == (char)(i % 251);
	ok(hits == SWAPPED, "and come back as they were");
	read = number_in("/proc/vmstat", "pswpin") - read;
	ok(read >= SWAPPED / 2, "%llu of them from there", (unsigned long long)read);
	hits = hits_of(p, SWAPPED, &present);
	/* The others had their frame still. */
	printf("swapin_disk_steered %.4f\n", read ? 1 - (double)(SWAPPED - hits) / read : 0);
	ok(SWAPPED - hits <= read / 100, "swapped in: %llu of %llu have the color",
	   (unsigned long long)hits, (unsigned long long)present);
	unhint(p, SWAPPED);
	munmap(p, SWAPPED * PAGE);
	if (system("swapoff " DISK))
		die("swapoff " DISK);
}
