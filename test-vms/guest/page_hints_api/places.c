// SPDX-License-Identifier: GPL-2.0
/* Each strategy puts pages where it says. */
#include "page_hints_api.h"

static bool meets(const char *what, int fd, char *mem, size_t pages)
{
	struct page_hints_query count;

	madvise(mem, pages * PAGE, MADV_DONTNEED);
	memset(mem, 1, pages * PAGE);
	if (verify(fd, (uintptr_t)mem, (uintptr_t)mem + pages * PAGE, &count))
		return false;
	printf("# %s: %llu of %zu placed, %llu hits\n", what, count.placed, pages, count.hits);
	return count.present == pages && count.placed == pages &&
	       count.hits * 100 >= pages * 99;
}

void test_places(int fd)
{
	enum { PAGES = 2048 };
	struct page_hints_info info = { .size = sizeof(info) };
	struct page_hints_arg_partition colors = { { 0xf0 } };
	struct page_hints_arg_random random = { 7 };
	static struct page_hints_page pages[PAGES];
	static uint32_t table[PAGES];
	static uint64_t pfns[PAGES];
	struct page_hints_query count;
	struct page_hints_get hint;
	char *mem = map(PAGES * PAGE);
	uint64_t a = (uintptr_t)mem, end = a + PAGES * PAGE;
	unsigned int wrong = 0;

	ioctl(fd, PAGE_HINTS_INFO, &info);
	set(fd, a, end, "coloring");
	ok(meets("coloring", fd, mem, PAGES), "coloring: pages are where they should be");
	query(fd, a, end, pages, NULL, PAGES, &count);
	for (int i = 0; i < PAGES; i++) {
		unsigned int color = 0;

		for (unsigned int row = 0; row < info.color_bits; row++)
			color |= __builtin_parityll((a / PAGE + i) & info.masks[row]) << row;
		wrong += pages[i].want_color != color;
	}
	ok(!wrong, "coloring: the color is that of the virtual page");
	get(fd, a, &hint);
	ok(hint.requests >= PAGES && hint.hits <= hint.requests && hint.hits, "GET: counts: %llu of %llu",
	   hint.hits, hint.requests);

	for (int i = 0; i < PAGES; i++)
		table[i] = rnd() % info.colors;
	set_arg(fd, a, end, "modulo", table, sizeof(table));
	ok(meets("modulo", fd, mem, PAGES), "modulo: pages are where they should be");
	query(fd, a, end, pages, NULL, PAGES, &count);
	wrong = 0;
	for (int i = 0; i < PAGES; i++)
		wrong += pages[i].want_color != table[i];
	ok(!wrong, "modulo: colors are those of the table");
	/* A piece of it keeps its place in the table. */
	set(fd, a, a + PAGE, "coloring");
	query(fd, a + PAGE, end, pages, NULL, PAGES, &count);
	for (int i = 1; i < PAGES; i++)
		wrong += pages[i - 1].want_color != table[i];
	ok(!wrong, "modulo: also after a split");

	set_arg(fd, a, end, "partition", &colors, 8);
	ok(meets("partition", fd, mem, PAGES), "partition: pages are where they should be");
	query(fd, a, end, pages, NULL, PAGES, &count);
	wrong = 0;
	for (int i = 0; i < PAGES; i++)
		wrong += !(0xf0 >> pages[i].color & 1);
	ok(wrong * 100 <= PAGES, "partition: %u of %u outside", wrong, PAGES);

	set_arg(fd, a, end, "random", &random, 8);
	ok(meets("random", fd, mem, PAGES), "random: pages are where they should be");

	/* binhop: one after the other as they are touched, here backwards. */
	madvise(mem, PAGES * PAGE, MADV_DONTNEED);
	set(fd, a, end, "binhop");
	for (int i = PAGES - 1; i >= 0; i--)
		mem[i * PAGE] = 1;
	query(fd, a, end, pages, NULL, PAGES, &count);
	wrong = 0;
	for (int i = 0; i < PAGES; i++)
		wrong += pages[PAGES - 1 - i].color != i % info.colors;
	ok(wrong * 100 <= PAGES, "binhop: %u of %u out of turn", wrong, PAGES);
	verify(fd, a, end, &count);
	ok(count.hinted == PAGES && !count.placed, "binhop: tells no place afterwards");

	/* exact: the frames that were just given back. */
	for (int i = 0; i < PAGES; i++)
		pfns[i] = i % 3 ? pages[i].pfn : ~0UL;
	set_arg(fd, a, end, "exact", pfns, sizeof(pfns));
	madvise(mem, PAGES * PAGE, MADV_DONTNEED);
	put_file("/proc/sys/vm/compact_memory", "1");
	memset(mem, 1, PAGES * PAGE);
	verify(fd, a, end, &count);
	ok(count.placed == PAGES - (PAGES + 2) / 3, "exact: %llu named, %llu there", count.placed,
	   count.hits);

	clear(fd, 0, 0);
	munmap(mem, PAGES * PAGE);
}
