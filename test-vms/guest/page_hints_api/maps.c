// SPDX-License-Identifier: GPL-2.0
/* Where pages are: QUERY, page_map and pagemap agree. */
#include "page_hints_api.h"

struct reference {
	int fd;
	unsigned long compared, present, wrong;
};

static uint64_t pagemap_entry(int fd, uint64_t addr)
{
	uint64_t entry = 0;

	if (pread(fd, &entry, 8, addr / PAGE * 8) != 8)
		return 0;
	return entry;
}

static void compare_page(struct reference *r, uint64_t addr, uint64_t pfn, unsigned int flags)
{
	uint64_t entry = pagemap_entry(r->fd, addr);
	bool present = entry >> 63;

	r->compared++;
	r->present += present;
	if (present != !!(flags & PAGE_HINTS_PRESENT) ||
	    (present && pfn != (entry & ((1UL << 55) - 1))) ||
	    (present && !!(entry & (1UL << 61)) != !!(flags & PAGE_HINTS_FILE) &&
	     !(flags & PAGE_HINTS_ZERO))) {
		if (r->wrong++ < 5)
			printf("# %#lx: pagemap %#lx, we %#lx flags %#x\n", addr, entry, pfn, flags);
	}
}

/* All of a process that stands still: QUERY, page_map and pagemap agree. */
static void agree(pid_t pid, const char *what)
{
	enum { NR = 1000 };
	static struct page_hints_page pages[NR];
	static uint64_t addresses[NR];
	struct page_hints_query count, part;
	struct reference r = { 0 }, text = { 0 };
	uint64_t hits = 0, placed = 0, hinted = 0, last = 0;
	char path[64], line[256];
	int fd = hints_open(pid, O_RDONLY), turns = 0;
	bool order = true;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", pid);
	r.fd = text.fd = open(path, O_RDONLY);

	part.start = 0;
	do {
		if (query(fd, part.start, TASK_END, pages, addresses, NR, &part)) {
			printf("# QUERY: %s\n", strerror(errno));
			r.wrong++;
			break;
		}
		for (uint64_t i = 0; i < part.nr_pages; i++) {
			order &= addresses[i] >= last;
			last = addresses[i] + PAGE;
			compare_page(&r, addresses[i], pages[i].pfn, pages[i].flags);
			if (!(pages[i].flags & PAGE_HINTS_PRESENT))
				continue;
			hinted += !!(pages[i].flags & PAGE_HINTS_HINTED);
			placed += !!(pages[i].flags & PAGE_HINTS_PLACED);
			hits += !!(pages[i].flags & PAGE_HINTS_HIT);
		}
		turns++;
	} while (part.start < TASK_END && turns < 1000000);
	ok(!r.wrong && order && r.present, "%s: QUERY is pagemap: %lu pages, %lu present", what,
	   r.compared, r.present);

	gives(verify(fd, 0, TASK_END, &count), 0, "VERIFY");
	ok(count.present == r.present && count.hinted == hinted && count.placed == placed &&
	   count.hits == hits, "%s: VERIFY counts as QUERY: %llu present, %llu hinted, %llu placed, %llu hits",
	   what, count.present, count.hinted, count.placed, count.hits);
	if (count.present != r.present)
		printf("# QUERY: %lu %lu %lu %lu\n", r.present, hinted, placed, hits);

	snprintf(path, sizeof(path), "/proc/%d/page_map", pid);
	f = fopen(path, "r");
	ok(f && fgets(line, sizeof(line), f) &&
	   !strcmp(line, "address pfn color want flags\n"), "page_map: heading");
	last = 0;
	while (f && fgets(line, sizeof(line), f)) {
		unsigned long addr = 0, pfn = 0;

		sscanf(line, "%lx %lu", &addr, &pfn);
		compare_page(&text, addr, pfn, PAGE_HINTS_PRESENT |
			     (strstr(line, "file") ? PAGE_HINTS_FILE : 0) |
			     (strstr(line, "zero") ? PAGE_HINTS_ZERO : 0));
		text.wrong += addr < last;
		last = addr + PAGE;
	}
	fclose(f);
	ok(!text.wrong && text.present == r.present, "%s: page_map is pagemap: %lu pages", what,
	   text.present);
	close(r.fd);
	close(fd);
}

void test_maps(void)
{
	size_t huge = 2UL << 20;
	int status, sync[2], fd, file;
	volatile char sum = 0;
	char c;
	pid_t pid;

	if (pipe(sync))
		die("pipe");
	fflush(stdout);
	pid = fork();
	if (!pid) {
		char *a = map(64 * PAGE), *thp, *big, *hole;

		file = open(self_path, O_RDONLY);
		memset(a, 1, 32 * PAGE);
		/* the zero page */
		for (int i = 40; i < 50; i++)
			sum += a[i * PAGE];
		/* a file: shared with the page cache, and copied */
		a = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
		for (int i = 0; i < 16; i += 2)
			sum += a[i * PAGE];
		for (int i = 0; i < 16; i += 4)
			a[i * PAGE] = 1;
		/* huge pages, one split by an mprotect(), and the huge zero page */
		thp = mmap(NULL, 4 * huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		thp = (char *)(((uintptr_t)thp + huge - 1) & ~(huge - 1));
		madvise(thp, 3 * huge, MADV_HUGEPAGE);
		thp[0] = 1;
		thp[huge] = 1;
		sum += thp[2 * huge];
		mprotect(thp + huge + 4 * PAGE, 4 * PAGE, PROT_READ);
		/* hugetlb */
		big = mmap(NULL, huge, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
		if (big != MAP_FAILED)
			big[0] = 1;
		/* nothing, much of it, with a page at its end */
		hole = mmap(NULL, 1UL << 36, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (hole != MAP_FAILED)
			munmap(hole + (1UL << 27), (1UL << 36) - (1UL << 27) - 4 * PAGE),
			hole[(1UL << 36) - PAGE] = 1;
		/* shared memory, swapped out if there is swap */
		a = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		memset(a, 1, 8 * PAGE);
		a = map(16 * PAGE);
		memset(a, 2, 16 * PAGE);
		madvise(a, 8 * PAGE, MADV_PAGEOUT);
		if (write(sync[1], "x", 1) == 1)
			pause();
		_exit(0);
	}
	if (read(sync[0], &c, 1) != 1)
		die("child");
	usleep(100000);
	agree(pid, "no hints");
	fd = hints_open(pid, O_RDWR);
	gives(set(fd, 0, 0, "coloring"), 0, "a hint for it");
	agree(pid, "a default hint");
	close(fd);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	close(sync[0]);
	close(sync[1]);
}
