/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of /proc/<pid>/page_hints share: TAP, modules, the calls. */
#ifndef HINTS_H
#define HINTS_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/page_hints.h>

#define PAGE		4096UL
#define TASK_END	0x7ffffffff000UL

static const char *const strategies[] = {
	"coloring", "binhop", "modulo", "exact", "partition", "random",
};
#define NR_STRATEGIES (sizeof(strategies) / sizeof(strategies[0]))

/* Weak: one of each in a program of several files. */
__attribute__((weak)) int nr_tests, nr_bad;
__attribute__((weak)) uint64_t seed = 1;
__attribute__((weak)) const char *module_dir;

static inline void ok(bool good, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", good ? "" : "not ", ++nr_tests);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	nr_bad += !good;
}

/* @got: what a call returned; @want: 0 or an errno. */
static inline void gives(int got, int want, const char *what)
{
	int err = got < 0 ? errno : 0;

	ok(err == want, "%s: %s", what, want ? strerrorname_np(want) : "works");
	if (err != want)
		printf("# got %s\n", err ? strerrorname_np(err) : "success");
}

static inline void die(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(1);
}

static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static inline uint64_t rnd(void)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15;	/* SplitMix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static inline void put_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(path);
	close(fd);
}

static inline long get_number(const char *path)
{
	char text[64] = "";
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		return -1;
	close(fd);
	return strtol(text, NULL, 0);
}

/* ---- modules ---- */

/* From memory: the directory may be far away, on the host. */
static inline int load(const char *strategy)
{
	static void *images[NR_STRATEGIES];
	static size_t sizes[NR_STRATEGIES];
	unsigned int i = 0;
	char path[256];

	while (strcmp(strategies[i], strategy))
		i++;
	if (!images[i]) {
		struct stat st;
		int fd;

		snprintf(path, sizeof(path), "%s/page_strategy_%s.ko", module_dir, strategy);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || fstat(fd, &st))
			die(path);
		images[i] = malloc(st.st_size);
		sizes[i] = read(fd, images[i], st.st_size);
		close(fd);
	}
	return syscall(SYS_init_module, images[i], sizes[i], "");
}

static inline int unload(const char *strategy)
{
	char name[64];

	snprintf(name, sizeof(name), "page_strategy_%s", strategy);
	return syscall(SYS_delete_module, name, O_NONBLOCK);
}

static inline long users(const char *strategy)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/page_strategy_%s/refcnt", strategy);
	return get_number(path);
}

/* Hints are freed a little after they are cleared. */
static inline bool unused(const char *strategy)
{
	for (int i = 0; i < 1000; i++) {
		if (!users(strategy))
			return true;
		usleep(10000);
	}
	return false;
}

static inline void load_all(void)
{
	for (unsigned int i = 0; i < NR_STRATEGIES; i++)
		if (load(strategies[i]) && errno != EEXIST)
			die(strategies[i]);
}

/* ---- calls ---- */

static inline int hints_open(pid_t pid, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/page_hints", pid);
	return open(path, flags | O_CLOEXEC);
}

static inline int set_arg(int fd, uint64_t start, uint64_t end, const char *strategy,
		   const void *arg, size_t size)
{
	struct page_hints_set set = {
		.size = sizeof(set), .start = start, .end = end,
		.arg = (uintptr_t)arg, .arg_size = size,
	};

	for (size_t i = 0; i < sizeof(set.strategy) && strategy[i]; i++)
		set.strategy[i] = strategy[i];
	return ioctl(fd, PAGE_HINTS_SET, &set);
}

static inline int set(int fd, uint64_t start, uint64_t end, const char *strategy)
{
	return set_arg(fd, start, end, strategy, NULL, 0);
}

static inline int clear(int fd, uint64_t start, uint64_t end)
{
	struct page_hints_range range = { .size = sizeof(range), .start = start, .end = end };

	return ioctl(fd, PAGE_HINTS_CLEAR, &range);
}

static inline int get(int fd, uint64_t start, struct page_hints_get *hint)
{
	*hint = (struct page_hints_get){ .size = sizeof(*hint), .start = start };
	return ioctl(fd, PAGE_HINTS_GET, hint);
}

static inline int inherit(int fd, unsigned int flags)
{
	struct page_hints_inherit i = { .size = sizeof(i), .flags = flags };

	return ioctl(fd, PAGE_HINTS_INHERIT, &i);
}

static inline int verify(int fd, uint64_t start, uint64_t end, struct page_hints_query *query)
{
	*query = (struct page_hints_query){ .size = sizeof(*query), .start = start, .end = end };
	return ioctl(fd, PAGE_HINTS_VERIFY, query);
}

static inline int query(int fd, uint64_t start, uint64_t end, struct page_hints_page *pages,
		 uint64_t *addresses, uint64_t nr, struct page_hints_query *query)
{
	*query = (struct page_hints_query){
		.size = sizeof(*query), .start = start, .end = end,
		.pages = (uintptr_t)pages, .addresses = (uintptr_t)addresses, .nr_pages = nr,
	};
	return ioctl(fd, PAGE_HINTS_QUERY, query);
}

/* The color of a frame, by the color function in @info. */
static inline unsigned int page_color(const struct page_hints_info *info, uint64_t pfn)
{
	unsigned int color = 0;

	for (unsigned int i = 0; i < info->color_bits; i++)
		color |= (unsigned int)(__builtin_popcountll(pfn & info->masks[i]) & 1) << i;
	return color;
}

static inline char *map(size_t size)
{
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	madvise(p, size, MADV_NOHUGEPAGE);
	return p;
}

#endif
