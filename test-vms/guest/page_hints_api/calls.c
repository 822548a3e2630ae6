// SPDX-License-Identifier: GPL-2.0
/* Good and bad input of each call; ranges that split and join. */
#include "page_hints_api.h"

void test_structures(int fd)
{
	struct {
		struct page_hints_info info;
		uint64_t more;
	} big;
	struct page_hints_info info = { .size = sizeof(info) };
	struct page_hints_query count;
	struct page_hints_range range;
	struct page_hints_get hint;
	uint64_t size;

	gives(ioctl(fd, PAGE_HINTS_INFO, &info), 0, "INFO");
	ok(info.api_version == PAGE_HINTS_API_VERSION && info.size == sizeof(info),
	   "INFO: version and size");
	ok(info.colors == 1U << info.color_bits && info.color_bits <= 12 && info.color_bits,
	   "INFO: %u colors", info.colors);
	ok(info.inherit == PAGE_HINTS_INHERIT_ALL, "INFO: all may be inherited");

	memset(&big, 0xff, sizeof(big));
	size = big.info.size = sizeof(size);
	gives(ioctl(fd, PAGE_HINTS_INFO, &big), 0, "INFO: of its size only");
	ok(big.info.api_version == ~0U, "INFO: nothing written behind it");
	memset(&big, 0xff, sizeof(big));
	big.info.size = offsetof(struct page_hints_info, colors);
	gives(ioctl(fd, PAGE_HINTS_INFO, &big), 0, "INFO: half of it");
	ok(big.info.api_version == 1 && big.info.colors == ~0U, "INFO: half is written");
	size = 7;
	gives(ioctl(fd, PAGE_HINTS_INFO, &size), EINVAL, "INFO: size 7");
	size = PAGE + 1;
	gives(ioctl(fd, PAGE_HINTS_INFO, &size), E2BIG, "INFO: size of more than a page");
	memset(&big, 0, sizeof(big));
	big.info.size = sizeof(big);
	gives(ioctl(fd, PAGE_HINTS_INFO, &big), 0, "INFO: bigger, but 0");
	ok(big.info.size == sizeof(info), "INFO: the kernel's size comes back");
	big.info.size = sizeof(big);
	big.more = 1;
	gives(ioctl(fd, PAGE_HINTS_INFO, &big), E2BIG, "INFO: bigger, not 0");
	gives(ioctl(fd, PAGE_HINTS_INFO, NULL), EFAULT, "INFO: at 0");
	gives(ioctl(fd, PAGE_HINTS_INFO, -8UL), EFAULT, "INFO: at the end of memory");
	big.info.size = sizeof(big);
	big.more = 0;
	gives(ioctl(fd, _IOWR('f', 0x40, big), &big), 0, "INFO: command of another size");
	gives(ioctl(fd, _IO('f', 0x40), &info), ENOTTY, "command of another direction");
	gives(ioctl(fd, _IOWR('f', 0x60, info), &info), ENOTTY, "unknown command");
	gives(ioctl(fd, _IOWR('g', 0x40, info), &info), ENOTTY, "command of another type");

	range = (struct page_hints_range){ .size = 16 };
	gives(ioctl(fd, PAGE_HINTS_CLEAR, &range), EINVAL, "CLEAR: too small");
	gives(clear(fd, PAGE, 0), EINVAL, "CLEAR: start without end");
	gives(clear(fd, 1, PAGE), EINVAL, "CLEAR: unaligned start");
	gives(clear(fd, 0, PAGE + 1), EINVAL, "CLEAR: unaligned end");
	gives(clear(fd, 2 * PAGE, PAGE), EINVAL, "CLEAR: end before start");
	gives(clear(fd, 0, -PAGE), EINVAL, "CLEAR: beyond user memory");
	gives(clear(fd, 0, 0), 0, "CLEAR: everything, when there is nothing");

	gives(get(fd, 0, &hint), ENOENT, "GET: no range");
	gives(get(fd, ~0UL, &hint), ENOENT, "GET: no default");
	gives(get(fd, 5, &hint), EINVAL, "GET: unaligned");
	gives(get(fd, -PAGE, &hint), ENOENT, "GET: beyond user memory");
	gives(inherit(fd, 8), EINVAL, "INHERIT: unknown flag");
	gives(verify(fd, PAGE, PAGE, &count), EINVAL, "VERIFY: nothing");
	gives(verify(fd, 0, TASK_END + PAGE, &count), EINVAL, "VERIFY: beyond user memory");
	gives(verify(fd, 0, TASK_END, &count), 0, "VERIFY: all memory");
	ok(count.present && !count.hinted && !count.hits, "VERIFY: pages, and no hints");
	count = (struct page_hints_query){ .size = sizeof(count), .end = PAGE, .pages = 8 };
	gives(ioctl(fd, PAGE_HINTS_VERIFY, &count), EINVAL, "VERIFY: takes no array");
	gives(query(fd, 0, TASK_END, NULL, NULL, 1, &count), EFAULT, "QUERY: array at 0");
	gives(query(fd, 0, TASK_END, NULL, NULL, 0, &count), 0, "QUERY: no entries");
	ok(count.start == 0 && count.nr_pages == 0, "QUERY: and none looked at");
}

void test_set(int fd)
{
	struct page_hints_arg_partition colors = { { 0x0f } };
	struct page_hints_info info = { .size = sizeof(info) };
	struct page_hints_set s;
	struct page_hints_get hint;
	struct page_hints_arg_random random = { 42 };
	struct page_hints_arg_binhop bins = { 3, 2 };
	uint64_t a = 0x10000000, offset = 5;
	uint64_t pfns[4] = { ~0UL, ~0UL, ~0UL, ~0UL };
	uint32_t table[5] = { 0, 1, 2, 3, 4 };

	ioctl(fd, PAGE_HINTS_INFO, &info);

	gives(set(fd, 0, 0, "coloring"), 0, "SET: default");
	gives(get(fd, ~0UL, &hint), 0, "GET: default");
	ok(!strcmp(hint.strategy, "coloring") && !strcmp(hint.text, "offset 0") &&
	   !hint.start && !hint.end && hint.inherit == 7, "GET: of coloring");
	gives(get(fd, 0, &hint), ENOENT, "GET: but no range");
	gives(set_arg(fd, a, a + 4 * PAGE, "coloring", &offset, 8), 0, "SET: range");
	gives(get(fd, 0, &hint), 0, "GET: the next range");
	ok(hint.start == a && hint.end == a + 4 * PAGE && !strcmp(hint.text, "offset 5"),
	   "GET: where it is");
	gives(get(fd, a + 3 * PAGE, &hint), 0, "GET: in the range");
	gives(get(fd, a + 4 * PAGE, &hint), ENOENT, "GET: after it");

	gives(set(fd, a + 1, a + PAGE, "coloring"), EINVAL, "SET: unaligned start");
	gives(set(fd, a, a + 100, "coloring"), EINVAL, "SET: unaligned end");
	gives(set(fd, a, a, "coloring"), EINVAL, "SET: empty");
	gives(set(fd, a, 0, "coloring"), EINVAL, "SET: no end");
	gives(set(fd, a, a - PAGE, "coloring"), EINVAL, "SET: end before start");
	gives(set(fd, 0, TASK_END + PAGE, "coloring"), EINVAL, "SET: beyond user memory");
	gives(set(fd, -2 * PAGE, -PAGE, "coloring"), EINVAL, "SET: kernel memory");
	gives(set(fd, 0, TASK_END, "coloring"), 0, "SET: all memory");
	gives(clear(fd, 0, TASK_END), 0, "CLEAR: all memory");
	gives(set(fd, a, a + PAGE, ""), EINVAL, "SET: no name");
	gives(set(fd, a, a + PAGE, "../../x"), EINVAL, "SET: strange name");
	gives(set(fd, a, a + PAGE, "0123456789abcdef"), EINVAL, "SET: name without an end");
	gives(set(fd, a, a + PAGE, "nosuch"), ENOENT, "SET: unknown strategy");

	s = (struct page_hints_set){ .size = sizeof(s), .strategy = "coloring", .flags = 4 };
	gives(ioctl(fd, PAGE_HINTS_SET, &s), EINVAL, "SET: unknown flag");
	s.flags = 0;
	s.reserved = 1;
	gives(ioctl(fd, PAGE_HINTS_SET, &s), EINVAL, "SET: reserved");
	s.reserved = 0;
	s.size -= 8;
	gives(ioctl(fd, PAGE_HINTS_SET, &s), EINVAL, "SET: too small");
	s.size += 8;
	s.flags = PAGE_HINT_ORDER0;
	gives(ioctl(fd, PAGE_HINTS_SET, &s), 0, "SET: order 0");
	get(fd, ~0UL, &hint);
	ok(hint.flags == PAGE_HINT_ORDER0, "GET: order 0");

	gives(set_arg(fd, a, a + PAGE, "coloring", &offset, 4), EINVAL, "coloring: short argument");
	gives(set_arg(fd, a, a + PAGE, "coloring", NULL, 8), EFAULT, "coloring: argument at 0");
	gives(set_arg(fd, a, a + PAGE, "coloring", &offset, PAGE + 1), E2BIG,
	      "coloring: more than a page of it");
	gives(set_arg(fd, 0, 0, "coloring", &offset, 1UL << 60), E2BIG, "coloring: 2^60 of it");
	gives(set_arg(fd, 0, 0, "coloring", &offset, ~0UL), E2BIG, "coloring: 2^64 of it");

	gives(set(fd, a, a + PAGE, "binhop"), 0, "binhop");
	gives(set_arg(fd, a, a + PAGE, "binhop", &bins, 8), 0, "binhop: first and step");
	get(fd, a, &hint);
	ok(!strcmp(hint.text, "first 3 step 2"), "binhop: described");
	bins.first = info.colors;
	gives(set_arg(fd, a, a + PAGE, "binhop", &bins, 8), ERANGE, "binhop: no such bin");
	gives(set_arg(fd, a, a + PAGE, "binhop", &bins, 4), EINVAL, "binhop: short argument");

	gives(set(fd, a, a + 4 * PAGE, "modulo"), EINVAL, "modulo: no table");
	gives(set_arg(fd, a, a + 4 * PAGE, "modulo", table, 16), 0, "modulo: table");
	gives(set_arg(fd, a, a + 4 * PAGE, "modulo", table, 8), 0, "modulo: short table");
	gives(set_arg(fd, a, a + 4 * PAGE, "modulo", table, 20), EINVAL, "modulo: long table");
	gives(set_arg(fd, a, a + 4 * PAGE, "modulo", table, 7), EINVAL, "modulo: odd size");
	gives(set_arg(fd, 0, 0, "modulo", table, 20), 0, "modulo: default");
	table[2] = info.colors;
	gives(set_arg(fd, a, a + 4 * PAGE, "modulo", table, 16), ERANGE, "modulo: no such color");
	get(fd, a, &hint);
	ok(!strcmp(hint.text, "table of 2"), "a SET that fails leaves the old hint");

	gives(set_arg(fd, a, a + 4 * PAGE, "exact", pfns, 32), 0, "exact: anywhere");
	gives(set_arg(fd, a, a + 4 * PAGE, "exact", pfns, 24), EINVAL, "exact: short table");
	gives(set_arg(fd, a, a + 3 * PAGE, "exact", pfns, 32), EINVAL, "exact: long table");
	gives(set_arg(fd, 0, 0, "exact", pfns, 32), EINVAL, "exact: default");
	pfns[1] = 1UL << 40;
	gives(set_arg(fd, a, a + 4 * PAGE, "exact", pfns, 32), ERANGE, "exact: no such frame");
	pfns[1] = ~1UL;
	gives(set_arg(fd, a, a + 4 * PAGE, "exact", pfns, 32), ERANGE, "exact: frame 2^64 - 2");

	gives(set_arg(fd, a, a + PAGE, "partition", &colors, 8), 0, "partition: a word");
	get(fd, a, &hint);
	ok(!strncmp(hint.text, "4 of ", 5) && strstr(hint.text, "0-3"), "partition: described");
	gives(set_arg(fd, a, a + PAGE, "partition", &colors, sizeof(colors)), 0, "partition: all");
	gives(set_arg(fd, a, a + PAGE, "partition", &colors, 7), EINVAL, "partition: odd size");
	gives(set(fd, a, a + PAGE, "partition"), EINVAL, "partition: no argument");
	if (info.colors < PAGE_HINTS_MAX_COLORS) {
		colors.colors[63] = 1UL << 63;
		gives(set_arg(fd, a, a + PAGE, "partition", &colors, sizeof(colors)), ERANGE,
		      "partition: no such color");
	}
	memset(&colors, 0, sizeof(colors));
	gives(set_arg(fd, a, a + PAGE, "partition", &colors, 8), EINVAL, "partition: empty");

	gives(set_arg(fd, a, a + PAGE, "random", &random, 8), 0, "random: seed");
	gives(set(fd, a, a + PAGE, "random"), EINVAL, "random: no seed");

	gives(clear(fd, 0, 0), 0, "CLEAR: everything");
	gives(get(fd, 0, &hint), ENOENT, "GET: then no range");
	gives(get(fd, ~0UL, &hint), ENOENT, "GET: then no default");
	for (unsigned int i = 0; i < NR_STRATEGIES; i++)
		ok(unused(strategies[i]), "%s: no references left", strategies[i]);
}

/* Random ranges against a model of them: offset of each page, 0 for none. */
void test_splits(int fd)
{
	enum { PAGES = 64, ROUNDS = 3000 };
	uint64_t base = 0x20000000, model[PAGES] = { 0 };
	struct page_hints_get hint;
	int wrong = 0;

	for (int round = 1; round <= ROUNDS; round++) {
		uint64_t first = rnd() % PAGES, last = first + rnd() % (PAGES - first);
		uint64_t offset = rnd() % 3 ? (uint64_t)round : 0;
		int ret;

		if (offset)
			ret = set_arg(fd, base + first * PAGE, base + (last + 1) * PAGE, "coloring",
				      &offset, 8);
		else
			ret = clear(fd, base + first * PAGE, base + (last + 1) * PAGE);
		wrong += !!ret;
		for (uint64_t i = first; i <= last; i++)
			model[i] = offset;

		uint64_t at = 0, seen[PAGES] = { 0 };

		while (!get(fd, at, &hint)) {
			if (hint.start < base || hint.end > base + PAGES * PAGE ||
			    hint.start >= hint.end || hint.start < at) {
				wrong++;
				break;
			}
			for (at = hint.start; at < hint.end; at += PAGE)
				seen[(at - base) / PAGE] = strtoul(hint.text + 7, NULL, 10);
		}
		wrong += !!memcmp(seen, model, sizeof(model));
	}
	ok(!wrong, "%d random SETs and CLEARs give the ranges of a model", ROUNDS);
	clear(fd, 0, 0);
	ok(unused("coloring"), "and leave no references");
}
