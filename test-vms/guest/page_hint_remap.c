// SPDX-License-Identifier: GPL-2.0
/*
 * Runs in the guest, as root: moves pages to where hints say, while threads
 * write to them, and proves that they are there and that no byte was lost.
 *
 *	page_hint_remap [REMAPS [SEED]]
 *
 * REMAPS is how many pages are moved under writers (default 20000).  Prints
 * TAP; with two NUMA nodes, compares the speed with move_pages().
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include "hints.h"
#include "pagemap.h"

#define MIB	(1UL << 20)

static int hints;
static struct page_hints_info info = { .size = sizeof(info) };

/* Memory with small pages, each filled with what check() foretells. */
static char *fill(size_t pages, uint64_t salt)
{
	char *p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	madvise(p, pages * PAGE, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages * PAGE / 8; i++)
		((uint64_t *)p)[i] = salt + i * 0x9e3779b97f4a7c15ull;
	return p;
}

static int check(const char *p, size_t pages, uint64_t salt)
{
	for (size_t i = 0; i < pages * PAGE / 8; i++)
		if (((const uint64_t *)p)[i] != salt + i * 0x9e3779b97f4a7c15ull)
			return 0;
	return 1;
}

static int set_hint(void *start, size_t pages, const char *strategy, const void *arg, size_t size,
		    uint32_t flags)
{
	struct page_hints_set set = {
		.size = sizeof(set), .start = (uintptr_t)start,
		.end = (uintptr_t)start + pages * PAGE, .flags = flags,
		.arg = (uintptr_t)arg, .arg_size = size,
	};

	strncpy(set.strategy, strategy, sizeof(set.strategy) - 1);
	return ioctl(hints, PAGE_HINTS_SET, &set);
}

static void set_coloring(void *start, size_t pages, uint64_t offset, uint32_t flags)
{
	struct page_hints_arg_coloring arg = { .offset = offset };

	if (set_hint(start, pages, "coloring", &arg, sizeof(arg), flags))
		die("set coloring");
}

static struct page_hints_remap remap(void *start, size_t pages, uint32_t flags, int32_t *status)
{
	struct page_hints_remap r = {
		.size = sizeof(r), .start = (uintptr_t)start,
		.end = (uintptr_t)start + pages * PAGE, .flags = flags,
		.status = (uintptr_t)status,
	};

	if (ioctl(hints, PAGE_HINTS_REMAP, &r))
		die("remap");
	return r;
}

static size_t hits(const char *p, size_t pages, uint64_t offset)
{
	size_t n = 0;

	for (size_t i = 0; i < pages; i++)
		n += page_color(&info, pfn_of(p + i * PAGE)) ==
		     page_color(&info, (uintptr_t)p / PAGE + i + offset);
	return n;
}

static void test_coloring(void)
{
	const size_t pages = 8192;
	char *p = fill(pages, 1);
	int32_t *status = malloc(pages * sizeof(*status));
	struct page_hints_query verify = { .size = sizeof(verify), .start = (uintptr_t)p,
					   .end = (uintptr_t)p + pages * PAGE };
	struct page_hints_remap r;
	size_t moved = 0, there = 0;

	set_coloring(p, pages, 7, PAGE_HINT_ORDER0);
	r = remap(p, pages, 0, status);
	for (size_t i = 0; i < pages; i++) {
		moved += status[i] == 1;
		there += status[i] == 0;
	}
	ok(r.moved == moved && r.there == there && moved + there == pages && moved,
	   "each page moved or there: %zu moved, %zu there, %llu failed", moved, there,
	   (unsigned long long)r.failed);
	ok(hits(p, pages, 7) == pages, "pagemap agrees: %zu of %zu", hits(p, pages, 7), pages);
	if (ioctl(hints, PAGE_HINTS_VERIFY, &verify))
		die("verify");
	ok(verify.hits == pages && verify.placed == pages && verify.present == pages,
	   "VERIFY agrees: %llu hits", (unsigned long long)verify.hits);
	ok(check(p, pages, 1), "no byte lost");
	r = remap(p, pages, 0, NULL);
	ok(!r.moved && r.there == pages, "a second time nothing moves");
	munmap(p, pages * PAGE);
	r = remap(p, pages, 0, status);
	ok(!r.moved && !r.there && !r.failed && status[0] == -ENOENT, "pages not present");
	free(status);
}

/* Each thread counts in its own word of each page, and knows what it counted. */
struct writer {
	pthread_t thread;
	unsigned int nr;
	volatile char *p;
	size_t pages;
	uint64_t *counts;
	atomic_int *stop;
};

static void *write_pages(void *arg)
{
	struct writer *w = arg;
	uint64_t n = w->nr * 7919;

	while (!atomic_load(w->stop)) {
		size_t i = n++ * 2654435761u % w->pages;
		volatile uint64_t *word = (volatile uint64_t *)(w->p + i * PAGE) + w->nr;

		*word += 1;
		w->counts[i]++;
	}
	return NULL;
}

static void test_writers(unsigned long remaps)
{
	enum { WRITERS = 3 };
	const size_t pages = 1024;
	char *p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	struct writer writers[WRITERS];
	atomic_int stop = 0;
	unsigned long moved = 0, failed = 0, calls = 0;
	int lost = 0;

	madvise(p, pages * PAGE, MADV_NOHUGEPAGE);
	for (unsigned int i = 0; i < WRITERS; i++) {
		writers[i] = (struct writer){ .nr = i, .p = p, .pages = pages, .stop = &stop,
					      .counts = calloc(pages, sizeof(uint64_t)) };
		pthread_create(&writers[i].thread, NULL, write_pages, &writers[i]);
	}
	while (moved < remaps && calls < 10 + 20 * remaps / pages) {
		struct page_hints_remap r;

		set_coloring(p, pages, rnd(), PAGE_HINT_ORDER0);
		r = remap(p, pages, 0, NULL);
		moved += r.moved;
		failed += r.failed;
		calls++;
		sched_yield();
	}
	atomic_store(&stop, 1);
	for (unsigned int i = 0; i < WRITERS; i++) {
		pthread_join(writers[i].thread, NULL);
		for (size_t page = 0; page < pages; page++)
			lost += ((uint64_t *)(p + page * PAGE))[i] != writers[i].counts[page];
		free(writers[i].counts);
	}
	ok(moved >= remaps, "%lu pages moved under writers in %lu calls, %lu failed", moved, calls,
	   failed);
	ok(!lost, "no write lost: %d", lost);
	munmap(p, pages * PAGE);
}

static void test_permutation(void)
{
	const size_t pages = 2048;
	char *p = fill(pages, 2);
	uint64_t *frames = malloc(pages * sizeof(*frames));
	int32_t *status = malloc(pages * sizeof(*status));
	struct page_hints_remap r;
	size_t there = 0;

	mlock(p, pages * PAGE);
	for (size_t i = 0; i < pages; i++)
		frames[i] = pfn_of(p + i * PAGE);
	for (size_t i = pages - 1; i; i--) {
		size_t j = rnd() % (i + 1);
		uint64_t frame = frames[i];

		frames[i] = frames[j];
		frames[j] = frame;
	}
	if (set_hint(p, pages, "exact", frames, pages * sizeof(*frames), 0))
		die("set exact");
	r = remap(p, pages, 0, status);
	ok(!r.moved && r.there + r.failed == pages && status[0] <= 0,
	   "without eviction, pages stay: %llu there", (unsigned long long)r.there);
	r = remap(p, pages, PAGE_HINTS_REMAP_EVICT, status);
	for (size_t i = 0; i < pages; i++)
		there += pfn_of(p + i * PAGE) == frames[i];
	ok(there == pages, "a permutation of its own frames: %zu of %zu, %llu failed", there, pages,
	   (unsigned long long)r.failed);
	ok(check(p, pages, 2), "no byte lost");
	munmap(p, pages * PAGE);
	free(frames);
	free(status);
}

/* Frames that another process has, and the kernel. */
static void test_eviction(void)
{
	const size_t pages = 1024;
	char *p = fill(pages, 3);
	uint64_t *frames = mmap(NULL, pages * 8, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
				-1, 0);
	int32_t *status = malloc(pages * sizeof(*status));
	struct page_hints_remap r;
	int ready[2], done[2], result;
	size_t there = 0;
	pid_t pid;
	char c;

	if (pipe(ready) || pipe(done))
		die("pipe");
	pid = fork();
	if (!pid) {
		char *q = fill(pages, 4);

		for (size_t i = 0; i < pages; i++)
			frames[i] = pfn_of(q + i * PAGE);
		if (write(ready[1], "r", 1) != 1 || read(done[0], &c, 1) != 1)
			_exit(2);
		_exit(!check(q, pages, 4));
	}
	if (read(ready[0], &c, 1) != 1)
		die("child");
	/* The child has a copy of these, so nobody's data is shared. */
	for (size_t i = 0; i < pages; i++)
		((volatile char *)p)[i * PAGE] = p[i * PAGE];
	if (set_hint(p, pages, "exact", frames, pages * sizeof(*frames), 0))
		die("set exact");
	r = remap(p, pages, PAGE_HINTS_REMAP_EVICT, status);
	for (size_t i = 0; i < pages; i++)
		there += pfn_of(p + i * PAGE) == frames[i];
	ok(there >= pages * 99 / 100 && r.moved + r.there == there,
	   "frames of another process: %zu of %zu", there, pages);
	if (write(done[1], "d", 1) != 1)
		die("child");
	waitpid(pid, &result, 0);
	ok(!result && check(p, pages, 3), "neither lost a byte");

	frames[0] = 0x1000000 / PAGE;	/* kernel text */
	if (set_hint(p, 1, "exact", frames, sizeof(*frames), 0))
		die("set exact");
	r = remap(p, 1, PAGE_HINTS_REMAP_EVICT, status);
	ok(!r.moved && r.failed == 1 && status[0] == -EBUSY, "a frame of the kernel: %d", status[0]);
	munmap(p, pages * PAGE);
	munmap(frames, pages * 8);
	free(status);
}

static void test_pinned(void)
{
	const size_t pages = 8;
	char *p = fill(pages, 5);
	struct iovec iov = { p, 4 * PAGE };
	int32_t status[8], fds[2];
	int bad = 0;

	if (pipe(fds) || vmsplice(fds[1], &iov, 1, 0) != (ssize_t)(4 * PAGE))
		die("vmsplice");
	/* None is where it should be. */
	for (unsigned int i = 0; i < 8; i++) {
		uint32_t color = (page_color(&info, pfn_of(p + i * PAGE)) + 1) % info.colors;

		if (set_hint(p + i * PAGE, 1, "modulo", &color, sizeof(color), 0))
			die("set modulo");
	}
	remap(p, pages, 0, status);
	for (unsigned int i = 0; i < 8; i++)
		bad += status[i] != (i < 4 ? -EBUSY : 1);
	ok(!bad, "pages in use by I/O are busy: %d, others move: %d", status[0], status[7]);
	ok(check(p, pages, 5), "no byte lost");
	close(fds[0]);
	close(fds[1]);
	munmap(p, pages * PAGE);
}

static void test_large(void)
{
	const size_t pages = 1024, huge = 2 * MIB;
	char *map = mmap(NULL, 3 * huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *p = (char *)(((uintptr_t)map + huge - 1) & ~(huge - 1));
	struct page_hints_remap r;

	if (madvise(p, 2 * huge, MADV_HUGEPAGE)) {
		printf("# no large pages: %s\n", strerror(errno));
		return;
	}
	for (size_t i = 0; i < pages * PAGE / 8; i++)
		((uint64_t *)p)[i] = 6 + i * 0x9e3779b97f4a7c15ull;
	set_coloring(p, pages, 3, PAGE_HINT_ORDER0);
	r = remap(p, pages, 0, NULL);
	ok(r.moved + r.there == pages && hits(p, pages, 3) == pages,
	   "large folios are split: %llu moved, %llu failed", (unsigned long long)r.moved,
	   (unsigned long long)r.failed);
	ok(check(p, pages, 6), "no byte lost");
	munmap(map, 3 * huge);
}

static int remap_error(int fd, uint64_t start, uint64_t end, uint32_t flags, uint32_t reserved,
		       uint64_t status, uint64_t size)
{
	struct page_hints_remap r = { .size = size, .start = start, .end = end, .flags = flags,
				      .reserved = reserved, .status = status };

	return ioctl(fd, PAGE_HINTS_REMAP, &r) ? errno : 0;
}

static void test_errors(void)
{
	char *p = fill(16, 8);
	uint64_t start = (uintptr_t)p, end = start + 16 * PAGE;
	const size_t size = sizeof(struct page_hints_remap);
	int reader = open("/proc/self/page_hints", O_RDONLY), err;
	int status;

	set_coloring(p, 16, 1, 0);
	ok(remap_error(hints, start + 1, end, 0, 0, 0, size) == EINVAL, "start between pages");
	ok(remap_error(hints, end, start, 0, 0, 0, size) == EINVAL, "end before start");
	ok(remap_error(hints, start, 1ull << 62, 0, 0, 0, size) == EINVAL, "end in the kernel");
	ok(remap_error(hints, start, end, 1u << 30, 0, 0, size) == EINVAL, "unknown flag");
	ok(remap_error(hints, start, end, 0, 1, 0, size) == EINVAL, "reserved");
	ok(remap_error(hints, start, end, 0, 0, 0, 8) == EINVAL, "too small a structure");
	ok(remap_error(hints, start, end, 0, 0, 8, size) == EFAULT, "a bad address for statuses");
	ok(remap_error(reader, start, end, 0, 0, 0, size) == EBADF, "a file opened for reading");
	ok(remap_error(hints, 0, 1ull << 46, 0, 0, 0, size) == 0, "all of the address space");
	close(reader);
	if (!fork()) {
		int file;

		if (setgid(65534) || setuid(65534))
			_exit(9);
		err = remap_error(hints, start, end, 0, 0, 0, size);
		file = open("/proc/1/page_hints", O_RDWR);
		_exit(err == EPERM && file < 0 ? 0 : 1);
	}
	wait(&status);
	ok(!status, "without a privilege: EPERM");
	ok(check(p, 16, 8), "no byte lost");
	munmap(p, 16 * PAGE);
}

/* Round about, so that what changes meanwhile meets both. */
static void compare_speed(void)
{
	const size_t pages = 8192, rounds = 6;
	char *p = fill(pages, 9);
	void **addresses = malloc(pages * sizeof(*addresses));
	int *nodes = malloc(pages * sizeof(*nodes)), *status = malloc(pages * sizeof(*status));
	double ours = 0, theirs = 0, begin;
	size_t moved = 0, moved_theirs = 0;

	set_coloring(p, pages, 0, PAGE_HINT_ORDER0);
	remap(p, pages, 0, NULL);
	for (size_t round = 0; round < rounds; round++) {
		int node = (round + 1) % 2;

		for (size_t i = 0; i < pages; i++) {
			addresses[i] = p + i * PAGE;
			nodes[i] = node;
		}
		begin = now();
		if (syscall(SYS_move_pages, 0, pages, addresses, nodes, status, 2) < 0) {
			printf("# move_pages: %s: no comparison\n", strerror(errno));
			return;
		}
		theirs += now() - begin;
		for (size_t i = 0; i < pages; i++)
			moved_theirs += status[i] == node;

		set_coloring(p, pages, 1 + round, PAGE_HINT_ORDER0);
		begin = now();
		moved += remap(p, pages, 0, NULL).moved;
		ours += now() - begin;
	}
	ok(check(p, pages, 9), "no byte lost");
	printf("remap_pages_per_s %.0f\n", moved / ours);
	printf("move_pages_per_s %.0f\n", moved_theirs / theirs);
	printf("remap_ratio_move_pages %.3f\n", moved / ours / (moved_theirs / theirs));
	munmap(p, pages * PAGE);
}

int main(int argc, char **argv)
{
	unsigned long remaps = argc > 1 ? strtoul(argv[1], NULL, 0) : 20000;

	seed = (argc > 2 ? strtoull(argv[2], NULL, 0) : 1) * 2 + 1;
	hints = open("/proc/self/page_hints", O_RDWR | O_CLOEXEC);
	if (hints < 0)
		die("/proc/self/page_hints");
	if (ioctl(hints, PAGE_HINTS_INFO, &info))
		die("info");
	printf("# %u colors, seed %s\n", info.colors, argc > 2 ? argv[2] : "1");
	test_coloring();
	test_writers(remaps);
	test_permutation();
	test_eviction();
	test_pinned();
	test_large();
	test_errors();
	compare_speed();
	printf("1..%d\n", nr_tests);
	return !!nr_bad;
}
