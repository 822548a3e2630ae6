// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Runs in the guest: stresses the sampler and memory management for a while, and
 * verifies that no byte of memory was lost.
 *
 *	stress SECONDS SEED EXT4-DEVICE [write|dirty]
 *
 * With "write" the sampler runs all the time, every 50 ms, and takes the dirty
 * bits of every page; without, all knobs are turned.  With "dirty" it does so
 * every 10 ms, beside threads that write memory which others swap out, write
 * protect (mprotect, userfaultfd, fork, NUMA balancing) and write back: where a
 * dirty bit is taken and a TLB still trusted, a store is lost.  It goes on until
 * enough was swapped and balanced between nodes, at most ten times as long.
 *
 * Workers are processes.  Each keeps data that a checksum of its position
 * foretells, and exits with 1 and a message at the first wrong byte.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

#define TRACING	"/sys/kernel/tracing/"
#define PAGE	4096UL
#define MIB	(1UL << 20)

static __thread uint64_t seed;
static time_t begun_at;
/* The main process tells the workers, with which it shares this. */
static volatile bool *is_over;

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static bool over(void)
{
	return *is_over;
}

static time_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static void fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "stress: after %ld s: ", (long)(seconds() - begun_at));
	vfprintf(stderr, fmt, ap);
	fprintf(stderr, "\n");
	va_end(ap);
	_exit(1);
}

/* Return 0 or the errno. */
static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC), err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		err = errno;
	close(fd);
	return err;
}

static int get(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n < 0)
		return -1;
	buf[n] = '\0';
	return n;
}

/* The expected word at an offset of a page in generation gen. */
static uint64_t word(uint64_t page, uint64_t gen, unsigned int i)
{
	uint64_t x = page * 0x9e3779b97f4a7c15ULL + gen * 0xbf58476d1ce4e5b9ULL + i;

	x ^= x >> 31;
	return x * 0x94d049bb133111ebULL;
}

static void fill(char *mem, uint64_t page, uint64_t gen)
{
	uint64_t *p = (uint64_t *)(mem + page * PAGE);
	unsigned int i;

	for (i = 0; i < PAGE / 8; i += 16)
		p[i] = word(page, gen, i);
}

static void check(const char *what, const char *mem, uint64_t page, uint64_t gen)
{
	const uint64_t *p = (const uint64_t *)(mem + page * PAGE);
	unsigned int i;

	for (i = 0; i < PAGE / 8; i += 16)
		if (p[i] != word(page, gen, i))
			fail("%s: page %lu word %u is %lx, not %lx (generation %lu)",
			     what, page, i, p[i], word(page, gen, i), gen);
}

/* Rewrite and verify random pages of a mapping until the time is over. */
static void pages(const char *what, char *mem, uint64_t nr, uint8_t *gen,
		  void (*disturb)(char *mem, uint64_t nr, uint8_t *gen))
{
	uint64_t i;

	for (i = 0; i < nr; i++)
		fill(mem, i, gen[i]);
	while (!over()) {
		for (i = 0; i < 256; i++) {
			uint64_t page = rnd() % nr;

			check(what, mem, page, gen[page]);
			if (rnd() & 1)
				fill(mem, page, ++gen[page]);
		}
		if (disturb)
			disturb(mem, nr, gen);
	}
	for (i = 0; i < nr; i++)
		check(what, mem, i, gen[i]);
}

static char *map(size_t size, int flags, int fd)
{
	char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (mem == MAP_FAILED)
		fail("mmap of %zu bytes: %s", size, strerror(errno));
	return mem;
}

/* Anonymous memory, more than the guest has, so that it is swapped. */
static void worker_anon(void)
{
	uint64_t nr = 160 * MIB / PAGE;

	pages("anon", map(nr * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1), nr,
	      calloc(nr, 1), NULL);
}

/* Huge pages, split by every operation that splits them. */
static void split(char *mem, uint64_t nr, uint8_t *gen)
{
	uint64_t huge = rnd() % (nr / 512) * 512, page = huge + rnd() % 512, i;
	int status;
	pid_t pid;

	switch (rnd() % 6) {
	case 0:	/* a hole */
		madvise(mem + page * PAGE, PAGE, MADV_DONTNEED);
		fill(mem, page, gen[page]);
		break;
	case 1:	/* protection of a part */
		mprotect(mem + page * PAGE, PAGE, PROT_READ);
		check("thp", mem, page, gen[page]);
		mprotect(mem + huge * PAGE, 512 * PAGE, PROT_READ | PROT_WRITE);
		break;
	case 2:	/* copy on write in a child, which sees the old data */
		pid = fork();
		if (!pid) {
			for (i = 0; i < 512; i += 7) {
				check("thp in a child", mem, huge + i, gen[huge + i]);
				fill(mem, huge + i, gen[huge + i] + 1);
			}
			_exit(0);
		}
		if (pid > 0 && waitpid(pid, &status, 0) == pid && status)
			fail("thp: the child failed");
		break;
	case 3:	/* to the swap */
		madvise(mem + huge * PAGE, 512 * PAGE, MADV_PAGEOUT);
		break;
	case 4:	/* free lazily, then take back by writing */
		for (i = 0; i < 512; i++) {
			madvise(mem + (huge + i) * PAGE, PAGE, MADV_FREE);
			fill(mem, huge + i, gen[huge + i]);
		}
		break;
	case 5:
		madvise(mem + huge * PAGE, 512 * PAGE, MADV_COLLAPSE);
		break;
	}
}

static void worker_thp(void)
{
	uint64_t nr = 32 * MIB / PAGE;
	char *mem = map(nr * PAGE + 2 * MIB, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	mem = (char *)(((uintptr_t)mem + 2 * MIB - 1) & ~(2 * MIB - 1));
	madvise(mem, nr * PAGE, MADV_HUGEPAGE);
	pages("thp", mem, nr, calloc(nr, 1), split);
}

static void worker_shmem(void)
{
	uint64_t nr = 64 * MIB / PAGE;

	pages("shmem", map(nr * PAGE, MAP_SHARED | MAP_ANONYMOUS, -1), nr,
	      calloc(nr, 1), NULL);
}

/* Two threads write some pages while others are verified, so that two CPUs' TLBs are in use. */
struct shared {
	char *mem;
	uint8_t *gen;
	uint64_t nr;
	unsigned int half;
};

static void *writer(void *arg)
{
	struct shared *s = arg;
	uint64_t from = s->half * s->nr / 2, i;

	for (i = 0; i < s->nr / 2; i++)
		fill(s->mem, from + i, s->gen[from + i]);
	while (!over()) {
		for (i = from; i < from + s->nr / 2; i++) {
			check("threads", s->mem, i, s->gen[i]);
			fill(s->mem, i, ++s->gen[i]);
		}
		if (s->half)
			madvise(s->mem + from * PAGE, s->nr / 2 * PAGE, MADV_PAGEOUT);
	}
	return NULL;
}

static void worker_threads(void)
{
	uint64_t nr = 8 * MIB / PAGE;
	struct shared s[2];
	pthread_t thread;

	s[0].mem = map(nr * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	s[0].gen = calloc(nr, 1);
	s[0].nr = nr;
	s[0].half = 0;
	s[1] = s[0];
	s[1].half = 1;
	if (pthread_create(&thread, NULL, writer, &s[1]))
		fail("no thread");
	writer(&s[0]);
	pthread_join(thread, NULL);
}

/*
 * Threads repeatedly write pages of their own in memory of all kinds, while another thread
 * write-protects these pages in every way.
 */
#define WRITERS 3
/* Pages written at a time: few, so that their translations stay in the TLB. */
#define HOT 96

static struct dirty_area {
	const char *what;
	char *mem;
	uint64_t nr;
	uint8_t *gen;
	volatile uint64_t hot;	/* the first of the pages written now */
} areas[3];

#define AREAS (sizeof(areas) / sizeof(areas[0]))

/* SIGSEGV because mprotect() has just forbidden the write: retry. */
static void dirty_again(int sig, siginfo_t *info, void *context)
{
	sched_yield();
}

static void *dirty_writer(void *arg)
{
	unsigned int id = (uintptr_t)arg % WRITERS, i;
	cpu_set_t cpus;

	seed = ((uintptr_t)arg + 1) * 0x9e3779b97f4a7c15ULL;
	while (!over()) {
		struct dirty_area *a = &areas[rnd() % AREAS];
		uint64_t from = a->hot;

		/* Where NUMA balancing moves its pages. */
		CPU_ZERO(&cpus);
		CPU_SET(rnd() % 4, &cpus);
		if (rnd() % 1024 == 0)
			sched_setaffinity(0, sizeof(cpus), &cpus);
		for (i = 0; i < 256; i++) {
			uint64_t page = from + rnd() % HOT;

			if (page % WRITERS != id)
				continue;
			check(a->what, a->mem, page, a->gen[page]);
			fill(a->mem, page, ++a->gen[page]);
		}
	}
	return NULL;
}

/* Lift the write protection that threads wait for. */
static void *dirty_uffd_handler(void *arg)
{
	int fd = (uintptr_t)arg;
	struct uffd_msg msg;

	while (read(fd, &msg, sizeof(msg)) == (ssize_t)sizeof(msg)) {
		struct uffdio_writeprotect wp = {
			.range = { msg.arg.pagefault.address & ~(PAGE - 1), PAGE },
		};

		/* EAGAIN: it is being forked; the writer asks again. */
		while (ioctl(fd, UFFDIO_WRITEPROTECT, &wp) && errno == EAGAIN)
			sched_yield();
	}
	return NULL;
}

static int dirty_uffd(void)
{
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP };
	struct uffdio_register r = {
		.range = { (uintptr_t)areas[0].mem, areas[0].nr * PAGE },
		.mode = UFFDIO_REGISTER_MODE_WP,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	pthread_t thread;

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &r))
		fail("userfaultfd: %s", strerror(errno));
	if (pthread_create(&thread, NULL, dirty_uffd_handler, (void *)(uintptr_t)fd))
		fail("no thread");
	return fd;
}

static void dirty_disturb(int uffd)
{
	struct dirty_area *a = &areas[rnd() % AREAS];
	uint64_t n = 1 + rnd() % HOT;
	char *mem = a->mem + a->hot * PAGE;
	struct uffdio_writeprotect wp = {
		.range = { (uintptr_t)mem, n * PAGE },
		.mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};
	pid_t pid;

	/* Mostly the pages that are being written. */
	switch (rnd() % 16) {
	case 0:
		mprotect(mem, n * PAGE, PROT_READ);
		mprotect(mem, n * PAGE, PROT_READ | PROT_WRITE);
		break;
	case 1:
		if (a == &areas[0] && ioctl(uffd, UFFDIO_WRITEPROTECT, &wp) && errno != EAGAIN)
			fail("write protection: %s", strerror(errno));
		break;
	case 2:
		msync(mem, n * PAGE, MS_SYNC);
		break;
	case 3:
		pid = fork();
		if (!pid)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
		break;
	case 4:
		/* Move them. */
		put("/proc/sys/vm/compact_memory", "1");
		break;
	case 5:
		a->hot = rnd() % (a->nr - HOT);
		break;
	case 6:
		/* Let the threads write and the sampler clear the bits undisturbed for a moment. */
		usleep(rnd() % 30000);
		break;
	default:
		madvise(mem, n * PAGE, MADV_PAGEOUT);
	}
}

static void worker_dirty(void)
{
	struct sigaction action = { .sa_sigaction = dirty_again, .sa_flags = SA_SIGINFO };
	pthread_t threads[WRITERS];
	char path[64], *direct = aligned_alloc(PAGE, PAGE);
	unsigned int i;
	uint64_t page;
	int fd, uffd;

	snprintf(path, sizeof(path), "/mnt/dirty.%d", getpid());
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || ftruncate(fd, 4 * MIB))
		fail("%s: %s", path, strerror(errno));
	areas[0] = (struct dirty_area){ "dirty anon", map(8 * MIB, MAP_PRIVATE | MAP_ANONYMOUS, -1),
					8 * MIB / PAGE, NULL, 0 };
	areas[1] = (struct dirty_area){ "dirty shmem", map(4 * MIB, MAP_SHARED | MAP_ANONYMOUS, -1),
					4 * MIB / PAGE, NULL, 0 };
	areas[2] = (struct dirty_area){ "dirty file", map(4 * MIB, MAP_SHARED, fd),
					4 * MIB / PAGE, NULL, 0 };
	sigaction(SIGSEGV, &action, NULL);
	uffd = dirty_uffd();
	for (i = 0; i < AREAS; i++) {
		areas[i].gen = calloc(areas[i].nr, 1);
		for (page = 0; page < areas[i].nr; page++)
			fill(areas[i].mem, page, 0);
	}
	for (i = 0; i < WRITERS; i++)
		if (pthread_create(&threads[i], NULL, dirty_writer,
				   (void *)(uintptr_t)(rnd() % 1000000 * WRITERS + i)))
			fail("no thread");
	while (!over())
		dirty_disturb(uffd);
	for (i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < AREAS; i++)
		for (page = 0; page < areas[i].nr; page++)
			check(areas[i].what, areas[i].mem, page, areas[i].gen[page]);
	/* And on the disk. */
	if (msync(areas[2].mem, 4 * MIB, MS_SYNC))
		fail("msync: %s", strerror(errno));
	fd = open(path, O_RDONLY | O_DIRECT);
	for (page = 0; page < areas[2].nr; page++) {
		if (pread(fd, direct, PAGE, page * PAGE) != (ssize_t)PAGE)
			fail("read %s: %s", path, strerror(errno));
		check("dirty file on the disk", direct - page * PAGE, page, areas[2].gen[page]);
	}
}

/* A shared mapping of a file: the disk must have the written data at the end. */
static void sync_file(char *mem, uint64_t nr, uint8_t *gen)
{
	char buf[PAGE];
	uint64_t page;
	int fd, i;

	if (rnd() % 64)
		return;
	if (msync(mem, nr * PAGE, MS_SYNC))
		fail("msync: %s", strerror(errno));
	fd = open("/mnt/mapped", O_RDONLY | O_DIRECT);
	if (fd < 0)
		return;
	for (i = 0; i < 16; i++) {
		char *direct = aligned_alloc(PAGE, PAGE);

		page = rnd() % nr;
		if (pread(fd, direct, PAGE, page * PAGE) == (ssize_t)PAGE) {
			memcpy(buf, direct, PAGE);
			check("file on the disk", buf - page * PAGE, page, gen[page]);
		}
		free(direct);
	}
	close(fd);
}

static void worker_file(void)
{
	uint64_t nr = 24 * MIB / PAGE;
	int fd = open("/mnt/mapped", O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || ftruncate(fd, nr * PAGE))
		fail("/mnt/mapped: %s", strerror(errno));
	pages("file", map(nr * PAGE, MAP_SHARED, fd), nr, calloc(nr, 1), sync_file);
}

/* read() and write(), which the hooks see. */
static void worker_rw(void)
{
	const char *path = "/mnt/rw";
	uint64_t nr = 16 * MIB / PAGE, gen = 0, i;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	char buf[PAGE];

	memset(buf, 0, sizeof(buf));
	if (fd < 0)
		fail("%s: %s", path, strerror(errno));
	for (gen = 0; !over(); gen++) {
		for (i = 0; i < nr; i++) {
			fill(buf - i * PAGE, i, gen);
			if (pwrite(fd, buf, PAGE, i * PAGE) != (ssize_t)PAGE)
				fail("write %s: %s", path, strerror(errno));
		}
		put("/proc/sys/vm/drop_caches", "1");
		for (i = 0; i < nr; i++) {
			if (pread(fd, buf, PAGE, i * PAGE) != (ssize_t)PAGE)
				fail("read %s: %s", path, strerror(errno));
			check("read()", buf - i * PAGE, i, gen);
		}
	}
}

static void worker_hugetlb(void)
{
	uint64_t nr = 4 * MIB / PAGE;
	char *mem = mmap(NULL, nr * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);

	if (mem == MAP_FAILED)
		fail("hugetlb: %s", strerror(errno));
	pages("hugetlb", mem, nr, calloc(nr, 1), NULL);
}

static void *idle_thread(void *arg)
{
	usleep(rnd() % 2000);
	return NULL;
}

/* fork, vfork, exec, threads, exit. */
static void worker_fork(void)
{
	char *mem = map(MIB, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	pthread_t threads[4];
	unsigned int i;
	pid_t pid;

	memset(mem, 1, MIB);
	while (!over()) {
		switch (rnd() % 4) {
		case 0:
			pid = vfork();
			if (!pid) {
				execl("/bin/true", "true", NULL);
				_exit(127);
			}
			break;
		case 1:
			pid = fork();
			if (!pid) {
				memset(mem, 2, MIB / 2);
				execl("/bin/true", "true", NULL);
				_exit(127);
			}
			break;
		case 2:
			pid = fork();
			if (!pid) {
				for (i = 0; i < 4; i++)
					pthread_create(&threads[i], NULL, idle_thread, NULL);
				/* The leader leaves first. */
				pthread_exit(NULL);
			}
			break;
		default:
			pid = fork();
			if (!pid) {
				munmap(mem + MIB / 4, MIB / 4);
				kill(getpid(), SIGKILL);
			}
		}
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
}

static void worker_hotplug(void)
{
	char path[64];

	while (!over()) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online",
			 1 + (int)(rnd() % 3));
		put(path, "0");
		usleep(200000);
		put(path, "1");
		usleep(rnd() % 1000000);
	}
	for (int cpu = 1; cpu < 4; cpu++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
		put(path, "1");
	}
}

/* Of memref, in turns. */
static const char * const workers[] = { "1", "2", "7", "64" };

/* Start, stop and turn every knob. */
static unsigned long starts, changes;

static void control(void)
{
	static const char * const writes[] = { "off", "anon", "all", "all" };
	static const char * const kernels[] = { "auto", "on", "off" };
	static const char * const cgroups[] = { "", "", "/", "/none" };
	char buf[64];
	int err, on = 0;

	/* Do not let the sampler's CPU budget limit it. */
	put(TRACING "memref/cpu_max", "0");
	while (!over()) {
		changes++;
		switch (rnd() % 18) {
		case 0:
		case 10:
		case 11:
			err = put(TRACING "events/memref/enable", on ? "0" : "1");
			if (err)
				fail("enable: %s", strerror(err));
			on = !on;
			starts += on;
			break;
		case 1:
			put(TRACING "memref/write", writes[rnd() % 4]);
			break;
		case 2:
			put(TRACING "memref/kernel", kernels[rnd() % 3]);
			break;
		case 3:
			snprintf(buf, sizeof(buf), "%d", (int)(10 + rnd() % 90));
			put(TRACING "memref/interval_ms", buf);
			break;
		case 4:
			snprintf(buf, sizeof(buf), "%d %d %d", (int)(1 + rnd() % 200),
				 getppid(), getpid());
			put(TRACING "memref_pid", buf);
			break;
		case 5:
			put(TRACING "memref_pid", "\n");
			break;
		case 6:
			put(TRACING "memref/scan", "1");
			break;
		case 7:
			put(TRACING "memref/children", rnd() & 1 ? "1" : "0");
			break;
		case 8:
			snprintf(buf, sizeof(buf), "%d", (int)(rnd() % 3));
			put(TRACING "memref/flush", buf);
			break;
		case 12:
			put(TRACING "memref/encoding", rnd() & 1 ? "batch" : "group");
			break;
		case 13:
			put(TRACING "memref/tasks", rnd() & 1 ? "1" : "0");
			put(TRACING "memref/virt", rnd() & 1 ? "1" : "0");
			put(TRACING "memref/fault_around", rnd() & 1 ? "1" : "0");
			break;
		case 14:
			put(TRACING "memref/cgroup", cgroups[rnd() % 4]);
			break;
		case 15:
			put(TRACING "memref/cpu_max", rnd() % 4 ? "0" : "50");
			put(TRACING "memref/workers", workers[rnd() % 4]);
			break;
		case 16:
		case 17:
			put(TRACING "memref/ages", rnd() % 4 ? "1" : "0");
			put(TRACING "memref/vma_ages", rnd() % 4 ? "1" : "0");
			break;
		case 9:
			snprintf(buf, sizeof(buf), "%d", 64 << (rnd() % 15));
			err = put(TRACING "memref/group_kb", buf);
			if (err != (on ? EBUSY : 0))
				fail("group_kb while %s: %s", on ? "on" : "off",
				     strerror(err));
			break;
		}
		/* Usually long enough for some intervals. */
		usleep(rnd() % (on ? 300000 : 20000));
	}
	put(TRACING "events/memref/enable", "0");
	put(TRACING "memref/ages", "0");
	put(TRACING "memref/vma_ages", "0");
	put(TRACING "memref/workers", "1");
	put(TRACING "memref_pid", "\n");
	printf("# %lu starts of the sampler, %lu changes\n", starts, changes);
	fflush(stdout);
}

/* Sample the dirty bits of all pages every 50 ms, without a pause. */
static void control_write(void)
{
	put(TRACING "memref/cpu_max", "0");
	put(TRACING "memref/interval_ms", "50");
	while (!over()) {
		put(TRACING "memref/write", rnd() % 8 ? "all" : "anon");
		put(TRACING "memref/flush", rnd() % 4 ? "1" : "2");
		put(TRACING "memref/workers", workers[rnd() % 4]);
		if (put(TRACING "events/memref/enable", "1"))
			fail("enable: %s", strerror(errno));
		starts++;
		for (int i = 0; i < 60 && !over(); i++)
			sleep(1);
		put(TRACING "events/memref/enable", "0");
	}
	printf("# %lu starts of the sampler, each for a minute\n", starts);
	fflush(stdout);
}

/* The same every 10 ms, each encoding in turn. */
static void control_dirty(void)
{
	put(TRACING "memref/cpu_max", "0");
	put(TRACING "memref/interval_ms", "10");
	put(TRACING "memref/write", "all");
	while (!over()) {
		put(TRACING "memref/encoding", starts % 2 ? "batch" : "group");
		/* Without the TLB flush for accessed bits, only the one for dirty bits remains. */
		put(TRACING "memref/flush", starts % 4 == 3 ? "1" : "0");
		put(TRACING "memref/workers", workers[starts / 2 % 4]);
		if (put(TRACING "events/memref/enable", "1"))
			fail("enable: %s", strerror(errno));
		starts++;
		for (int i = 0; i < 10 && !over(); i++)
			sleep(1);
		put(TRACING "events/memref/enable", "0");
	}
	printf("# %lu starts of the sampler, each for ten seconds\n", starts);
	fflush(stdout);
}

/* Check that no thread and no memory of the sampler is left when it is off. */
static int leftovers(void)
{
	char buf[256];
	FILE *f;
	int n = 0;

	f = popen("ps -o comm | grep -cx memref; grep -c memref /proc/vmallocinfo", "r");
	while (f && fgets(buf, sizeof(buf), f))
		n += atoi(buf);
	if (f)
		pclose(f);
	return n;
}

static const struct worker {
	const char *name;
	void (*run)(void);
} all[] = {
	{ "anon", worker_anon },	{ "thp", worker_thp },
	{ "shmem", worker_shmem },	{ "threads", worker_threads },
	{ "file", worker_file },	{ "rw", worker_rw },
	{ "hugetlb", worker_hugetlb },	{ "fork", worker_fork },
	{ "hotplug", worker_hotplug },	{ "control", control },
};

static const struct worker writing[] = {
	{ "anon", worker_anon },	{ "thp", worker_thp },
	{ "shmem", worker_shmem },	{ "threads", worker_threads },
	{ "file", worker_file },	{ "rw", worker_rw },
	{ "hugetlb", worker_hugetlb },	{ "fork", worker_fork },
	{ "hotplug", worker_hotplug },	{ "control", control_write },
};

static const struct worker dirtying[] = {
	{ "dirty", worker_dirty },	{ "thp", worker_thp },
	{ "file", worker_file },	{ "control", control_dirty },
};

#define WORKERS (sizeof(all) / sizeof(all[0]))
#define DIRTYING (sizeof(dirtying) / sizeof(dirtying[0]))

/* Counters of /proc/vmstat. */
#define SWAPPED	"pswpout "
#define HINTED	"numa_hint_faults "

static unsigned long vmstat(const char *name)
{
	char buf[16384], *p;

	if (get("/proc/vmstat", buf, sizeof(buf)) < 0)
		return 0;
	p = strstr(buf, name);
	return p ? strtoul(p + strlen(name), NULL, 10) : 0;
}

/* Whether the run covers the races that it is for. */
static bool is_covered(const char *counter)
{
	return vmstat(counter) > 1000;
}

/* Whether a worker has ended before it was told to. */
static bool one_failed(void)
{
	siginfo_t info = { 0 };

	return !waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid;
}

/* @counters: that must count for long enough, up to NULL */
static void wait_until_over(time_t least, const char *const counters[])
{
	while (seconds() - begun_at < least)
		usleep(100000);
	for (; *counters; counters++)
		while (!is_covered(*counters) && !one_failed() && seconds() - begun_at < 10 * least)
			usleep(100000);
	*is_over = true;
}

static void swap_on(void)
{
	if (put("/sys/block/zram0/disksize", "512M"))
		fail("no zram");
	if (system("mkswap /dev/zram0 >/dev/null") || swapon("/dev/zram0", 0))
		fail("no swap: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	const char *mode = argc > 4 ? argv[4] : "";
	const struct worker *workers = all;
	unsigned int nr = WORKERS, i, n, bad = 0;
	const char *counters[3] = { NULL };
	uint64_t first;
	pid_t pids[WORKERS];
	struct utsname kernel;
	bool balanced;
	int status;

	if (argc < 4) {
		fprintf(stderr, "usage: stress SECONDS SEED EXT4-DEVICE [write|dirty]\n");
		return 2;
	}
	if (!strcmp(mode, "write")) {
		workers = writing;
	} else if (!strcmp(mode, "dirty")) {
		workers = dirtying;
		nr = DIRTYING;
	}
	first = strtoull(argv[2], NULL, 0) * 2 + 1;
	is_over = (volatile bool *)map(sizeof(*is_over), MAP_SHARED | MAP_ANONYMOUS, -1);
	begun_at = seconds();
	swap_on();
	put("/proc/sys/vm/nr_hugepages", "2");
	put("/proc/sys/vm/overcommit_memory", "1");
	/* PREEMPT_RT excludes it. */
	uname(&kernel);
	balanced = workers == dirtying && !strstr(kernel.version, "PREEMPT_RT");
	if (balanced && put("/proc/sys/kernel/numa_balancing", "1"))
		fail("no NUMA balancing");
	mkdir("/mnt", 0755);
	if (mount(argv[3], "/mnt", "ext4", 0, NULL))
		fail("mount %s: %s", argv[3], strerror(errno));

	for (i = 0; i < nr; i++) {
		seed = first * (i + 1) * 0x9e3779b97f4a7c15ULL;
		pids[i] = fork();
		if (!pids[i]) {
			workers[i].run();
			_exit(0);
		}
	}
	if (workers == dirtying)
		counters[0] = SWAPPED;
	if (balanced)
		counters[1] = HINTED;
	wait_until_over(atoi(argv[1]), counters);
	for (i = 0; i < nr; i++) {
		waitpid(pids[i], &status, 0);
		bad += !!status;
		printf("%sok %u - %s: %s\n", status ? "not " : "", i + 1, workers[i].name,
		       status ? "failed" : "data intact");
		fflush(stdout);
	}
	n = nr;
	status = leftovers();
	bad += !!status;
	printf("%sok %u - no thread or memory of the sampler left\n", status ? "not " : "", ++n);
	/* Without these events, the run did not cover the races that it is for. */
	bad += !is_covered(SWAPPED);
	printf("%sok %u - memory was swapped: %lu pages\n", is_covered(SWAPPED) ? "" : "not ", ++n, vmstat(SWAPPED));
	if (workers == dirtying && !balanced)
		printf("ok %u - NUMA balancing # SKIP PREEMPT_RT has none\n", ++n);
	if (balanced) {
		bad += !is_covered(HINTED);
		printf("%sok %u - NUMA balancing: %lu hinting faults, %lu pages migrated\n",
		       is_covered(HINTED) ? "" : "not ", ++n, vmstat(HINTED), vmstat("numa_pages_migrated "));
	}
	return !!bad;
}
