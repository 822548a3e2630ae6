// SPDX-License-Identifier: GPL-2.0
/* The calls of 32-bit programs. */
#include "page_hints_api.h"

/* ioctl() as a 32-bit program makes it; all that @arg points at is below 4 GiB. */
static int ioctl32(int fd, unsigned int command, void *arg)
{
	int ret;

	__asm__ __volatile__("int $0x80"
		: "=a" (ret)
		: "a" (54), "b" ((long)fd), "c" ((long)command), "d" (arg)
		: "memory", "r8", "r9", "r10", "r11");
	if (ret >= 0)
		return ret;
	errno = -ret;
	return -1;
}

/* Every command gives what it gives a 64-bit program. */
void test_compat(int fd)
{
	static uint64_t offset = 3, addresses[8];
	static struct page_hints_page pages[8];
	static struct page_hints_info info = { .size = sizeof(info) };
	static struct page_hints_set s = {
		.size = sizeof(s), .strategy = "coloring", .arg_size = sizeof(offset),
	};
	static struct page_hints_get hint = { .size = sizeof(hint) };
	static struct page_hints_inherit i = { .size = sizeof(i), .flags = PAGE_HINTS_FORK_RANGES };
	static struct page_hints_query q = { .size = sizeof(q), .nr_pages = 8 };
	static struct page_hints_remap move = { .size = sizeof(move) };
	static struct page_hints_range range = { .size = sizeof(range) };
	struct page_hints_info info64 = { .size = sizeof(info64) };
	struct page_hints_get hint64;
	struct page_hints_query q64;
	struct page_hints_page pages64[8];
	uint64_t addresses64[8];
	int status;
	char *memory;

	if (!fork())
		_exit(ioctl32(fd, PAGE_HINTS_INFO, &info) != 0);
	wait(&status);
	if (WIFSIGNALED(status)) {
		printf("ok %d # SKIP the kernel runs no 32-bit programs\n", ++nr_tests);
		return;
	}
	memory = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	gives(ioctl32(fd, PAGE_HINTS_INFO, &info), 0, "32 bits: INFO");
	ioctl(fd, PAGE_HINTS_INFO, &info64);
	ok(!memcmp(&info, &info64, sizeof(info)), "32 bits: INFO says the same");
	range.start = s.start = q.start = move.start = hint.start = (uintptr_t)memory;
	range.end = s.end = q.end = move.end = (uintptr_t)memory + 8 * PAGE;
	s.arg = (uintptr_t)&offset;
	gives(ioctl32(fd, PAGE_HINTS_SET, &s), 0, "32 bits: SET, of memory above 4 GiB");
	gives(ioctl32(fd, PAGE_HINTS_GET, &hint), 0, "32 bits: GET");
	get(fd, (uintptr_t)memory, &hint64);
	ok(!memcmp(&hint, &hint64, sizeof(hint)) && !strcmp(hint.text, "offset 3"),
	   "32 bits: GET says the same");
	gives(ioctl32(fd, PAGE_HINTS_INHERIT, &i), 0, "32 bits: INHERIT");
	get(fd, (uintptr_t)memory, &hint64);
	ok(hint64.inherit == PAGE_HINTS_FORK_RANGES, "32 bits: INHERIT is set");
	inherit(fd, PAGE_HINTS_INHERIT_ALL);
	memset(memory, 1, 8 * PAGE);
	q.pages = (uintptr_t)pages;
	q.addresses = (uintptr_t)addresses;
	gives(ioctl32(fd, PAGE_HINTS_QUERY, &q), 0, "32 bits: QUERY");
	query(fd, (uintptr_t)memory, (uintptr_t)memory + 8 * PAGE, pages64, addresses64, 8, &q64);
	ok(q.nr_pages == 8 && q64.nr_pages == 8 && q.hits == q64.hits && q.hits &&
	   !memcmp(pages, pages64, sizeof(pages)) &&
	   !memcmp(addresses, addresses64, sizeof(addresses)), "32 bits: QUERY says the same");
	gives(ioctl32(fd, PAGE_HINTS_REMAP, &move), 0, "32 bits: REMAP");
	ok(move.there + move.moved + move.failed == 8, "32 bits: REMAP: of all pages");
	q = (struct page_hints_query){ .size = sizeof(q), .start = range.start, .end = range.end };
	gives(ioctl32(fd, PAGE_HINTS_VERIFY, &q), 0, "32 bits: VERIFY");
	ok(q.present == 8 && q.hinted == 8, "32 bits: VERIFY: all pages");
	gives(ioctl32(fd, PAGE_HINTS_CLEAR, &range), 0, "32 bits: CLEAR");
	gives(get(fd, (uintptr_t)memory, &hint64), ENOENT, "32 bits: CLEAR: nothing left");
	gives(ioctl32(fd, PAGE_HINTS_INFO, NULL), EFAULT, "32 bits: INFO: at 0");
	munmap(memory, 8 * PAGE);
}
