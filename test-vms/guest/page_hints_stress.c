// SPDX-License-Identifier: GPL-2.0
/*
 * Runs in the guest, as root: page hints under load.  Prints TAP.
 *
 *	page_hints_stress ranges NUMBER DIR	many ranges: time and memory
 *	page_hints_stress races SECONDS SEED DIR	against fork, exec, exit, faults
 *	page_hints_stress modules COUNT DIR	load and unload under traffic
 *	page_hints_stress fuzz COUNT SEED DIR	calls without sense
 *
 * DIR holds page_strategy_*.ko.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "hints.h"

static char *self_path;	/* of this program, to be executed anew */

/* ---- many ranges ---- */

static long slab_kib(void)
{
	char line[128];
	long slab = 0, percpu = 0;
	FILE *f = fopen("/proc/meminfo", "r");

	while (fgets(line, sizeof(line), f)) {
		sscanf(line, "Slab: %ld", &slab);
		sscanf(line, "Percpu: %ld", &percpu);
	}
	fclose(f);
	return slab + percpu;
}

/*
 * Nanoseconds of a fault: the least of many short turns, as the host may have
 * more to do than to run us.
 */
static double fault_ns(char *mem)
{
	enum { PAGES = 128, TURNS = 400 };
	double best = 1e9;

	for (int i = 0; i < TURNS; i++) {
		char *part = mem + i % 64 * PAGES * PAGE;
		double start;

		madvise(part, PAGES * PAGE, MADV_DONTNEED);
		start = now();
		for (size_t j = 0; j < PAGES; j++)
			part[j * PAGE] = 1;
		start = (now() - start) / PAGES * 1e9;
		if (start < best)
			best = start;
	}
	return best;
}

static void ranges(unsigned long nr)
{
	enum { PAGES = 8192 };
	int fd = hints_open(getpid(), O_RDWR), status;
	uint64_t base = 0x100000000000;
	double none, few, many, start, t;
	long slab, slab_many;
	char *mem;
	pid_t pid;

	load_all();
	mem = mmap((void *)(base + nr * PAGE), PAGES * PAGE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (mem == MAP_FAILED)
		die("mmap");
	madvise(mem, PAGES * PAGE, MADV_NOHUGEPAGE);
	none = fault_ns(mem);
	set(fd, (uintptr_t)mem, (uintptr_t)mem + PAGES * PAGE, "coloring");
	few = fault_ns(mem);

	slab = slab_kib();
	start = now();
	for (unsigned long i = 0; i < nr; i++)
		if (set(fd, base + 2 * i * PAGE, base + (2 * i + 1) * PAGE, "coloring")) {
			ok(false, "SET number %lu: %s", i, strerror(errno));
			return;
		}
	t = now() - start;
	slab_many = slab_kib();
	ok(true, "%lu ranges: %.2f us a SET", nr, t / nr * 1e6);
	ok((slab_many - slab) * 1024 / nr < 512, "%ld bytes a range",
	   (slab_many - slab) * 1024 / (long)nr);
	many = fault_ns(mem);
	printf("# ns a fault: %.0f without hint, %.0f with 1 range, %.0f with %lu\n", none, few,
	       many, nr);
	ok(many < few * 1.25, "faults are as fast among %lu ranges as with one: %.2f", nr,
	   many / few);

	start = now();
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(0);
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && !WEXITSTATUS(status), "fork and exit with them: %.1f ms",
	   (now() - start) * 1e3);

	start = now();
	clear(fd, 0, 0);
	t = now() - start;
	ok(unused("coloring"), "CLEAR of all: %.1f ms, freed after %.1f ms", t * 1e3,
	   (now() - start) * 1e3);
	ok(slab_kib() - slab < (slab_many - slab) / 4 + 1024, "memory comes back: %ld of %ld KiB stay",
	   slab_kib() - slab, slab_many - slab);
}

/* ---- races ---- */

static volatile bool stop;

static void *toucher(void *arg)
{
	char *mem = arg;

	while (!stop) {
		for (int i = 0; i < 64; i++)
			mem[i * PAGE] = 1;
		madvise(mem, 64 * PAGE, MADV_DONTNEED);
	}
	return NULL;
}

/* A process that forks, execs and exits while others hint it. */
static void busy_target(char *mem)
{
	pthread_t thread;

	pthread_create(&thread, NULL, toucher, mem);
	while (!stop) {
		pid_t pid = fork();

		if (!pid) {
			mem[0] = 1;
			if (rnd() & 1)
				execl(self_path, self_path, "exit", NULL);
			_exit(0);
		}
		rnd();
		waitpid(pid, NULL, 0);
	}
}

static void hint_at_random(int fd, uint64_t a)
{
	uint64_t first = rnd() % 64, last = first + rnd() % (64 - first), offset = rnd() % 32;
	struct page_hints_query count;
	struct page_hints_get hint;

	switch (rnd() % 8) {
	case 0:
		set(fd, 0, 0, rnd() & 1 ? "coloring" : "binhop");
		break;
	case 1:
		clear(fd, 0, 0);
		break;
	case 2:
		clear(fd, a + first * PAGE, a + (last + 1) * PAGE);
		break;
	case 3:
		inherit(fd, rnd() & 7);
		break;
	case 4:
		verify(fd, a, a + 64 * PAGE, &count);
		get(fd, a + first * PAGE, &hint);
		break;
	default:
		if (rnd() & 1)
			set_arg(fd, a + first * PAGE, a + (last + 1) * PAGE, "coloring", &offset, 8);
		else
			set(fd, a + first * PAGE, a + (last + 1) * PAGE, "binhop");
	}
}

static void races(double seconds)
{
	char *mem = map(64 * PAGE);
	double end = now() + seconds;
	unsigned long rounds = 0, calls = 0;

	load_all();
	while (now() < end) {
		pid_t target = fork(), other;

		if (!target) {
			seed += rounds;
			busy_target(mem);
			_exit(0);
		}
		other = fork();
		if (!other) {
			int fd = hints_open(target, O_RDWR);

			seed += rounds + 1000;
			for (;;)
				hint_at_random(fd, (uintptr_t)mem);
		}

		int fd = hints_open(target, O_RDWR);
		double until = now() + 0.5;

		while (now() < until) {
			hint_at_random(fd, (uintptr_t)mem);
			calls++;
		}
		kill(target, SIGKILL);
		for (int i = 0; i < 100; i++)
			hint_at_random(fd, (uintptr_t)mem);
		kill(other, SIGKILL);
		waitpid(target, NULL, 0);
		waitpid(other, NULL, 0);
		close(fd);
		rounds++;
	}
	ok(rounds > 0, "%lu targets hinted %lu times by one of two while they fork, exec and fault",
	   rounds, calls);
	for (unsigned int i = 0; i < NR_STRATEGIES; i++)
		ok(unused(strategies[i]), "%s: no references left", strategies[i]);
}

/* ---- modules ---- */

static void modules(unsigned long count)
{
	struct page_hints_arg_partition colors = { { 3 } };
	struct page_hints_arg_random random = { 1 };
	uint64_t pfns[64];
	uint32_t table[2] = { 0, 1 };
	unsigned long busy = 0, done = 0, hinted = 0, early = 0;
	char *mem = map(64 * PAGE);
	pid_t traffic[2];

	memset(pfns, 0xff, sizeof(pfns));

	int self = hints_open(getpid(), O_RDWR);

	gives(set_arg(self, (uintptr_t)mem, (uintptr_t)mem + PAGE, "coloring", NULL, 0), 0,
	      "a strategy is loaded when it is asked for");
	clear(self, 0, 0);
	ok(unused("coloring"), "coloring: unused again");
	gives(unload("coloring"), 0, "rmmod then");
	close(self);
	/* From here on it is not. */
	put_file("/proc/sys/kernel/modprobe", "\n");

	load_all();
	for (unsigned int i = 0; i < NR_STRATEGIES; i++) {
		int fd = hints_open(getpid(), O_RDWR);
		uint64_t a = (uintptr_t)mem, end = a + 64 * PAGE;
		const void *args[] = { NULL, NULL, table, pfns, &colors, &random };
		size_t sizes[] = { 0, 0, 8, sizeof(pfns), 8, 8 };

		gives(set_arg(fd, a, end, strategies[i], args[i], sizes[i]), 0, strategies[i]);
		memset(mem, 1, 64 * PAGE);
		gives(unload(strategies[i]), EAGAIN, "rmmod while a hint lives");
		clear(fd, 0, 0);
		ok(unused(strategies[i]), "%s: unused again", strategies[i]);
		gives(unload(strategies[i]), 0, "rmmod then");
		gives(set_arg(fd, a, end, strategies[i], args[i], sizes[i]), ENOENT, "SET then");
		gives(load(strategies[i]), 0, "insmod again");
		gives(load(strategies[i]), EEXIST, "and once more");
		close(fd);
	}

	/* Two that set, fault and clear all the time. */
	for (int t = 0; t < 2; t++) {
		fflush(stdout);
		traffic[t] = fork();
		if (!traffic[t]) {
			int fd = hints_open(getpid(), O_RDWR);
			uint64_t a = (uintptr_t)mem, end = a + 64 * PAGE;

			seed += t;
			/* Some rounds with each, so that the others are unused. */
			for (unsigned int n = 0, s = 0;; n++) {
				const void *args[] = { NULL, NULL, table, pfns, &colors, &random };
				size_t sizes[] = { 0, 0, 8, sizeof(pfns), 8, 8 };

				if (n % 16 == 0)
					s = rnd() % NR_STRATEGIES;
				set_arg(fd, a, end, strategies[s], args[s], sizes[s]);
				memset(mem, 1, 64 * PAGE);
				madvise(mem, 64 * PAGE, MADV_DONTNEED);
				clear(fd, 0, 0);
			}
		}
	}
	double start = now();

	while (done < count) {
		const char *s = strategies[rnd() % NR_STRATEGIES];

		if (unload(s)) {
			if (errno == EAGAIN)
				busy++;
			else
				early++;
			usleep(500);
			continue;
		}
		if (load(s) && errno != EEXIST) {
			ok(false, "insmod %s: %s", s, strerror(errno));
			break;
		}
		done++;
		hinted++;
	}
	for (int t = 0; t < 2; t++) {
		kill(traffic[t], SIGKILL);
		waitpid(traffic[t], NULL, 0);
	}
	ok(done == count && !early, "%lu times unloaded and loaded under traffic, %lu times busy, %.0f s",
	   done, busy, now() - start);
	for (unsigned int i = 0; i < NR_STRATEGIES; i++)
		ok(unused(strategies[i]), "%s: no references left", strategies[i]);
}

/* ---- calls without sense ---- */

static uint64_t odd_number(uint64_t a)
{
	static const uint64_t odd[] = {
		0, 1, 7, 8, 16, 24, 32, 40, 64, 72, 80, 144, 4095, 4096, 4097, ~0UL, ~0UL - 4095,
		1UL << 31, 1UL << 32, 1UL << 47, (1UL << 47) - 4096, 1UL << 63, 65536, 67108864,
	};

	switch (rnd() % 4) {
	case 0:
		return odd[rnd() % (sizeof(odd) / sizeof(odd[0]))];
	case 1:
		return a + rnd() % 80 * PAGE;
	case 2:
		return rnd() % 4096;
	default:
		return rnd() >> rnd() % 64;
	}
}

/*
 * Calls for ourselves, for the process @target, and by a file that may only be read;
 * returns how many were good.
 */
static unsigned long fuzz_calls(unsigned long count, pid_t target, char *mem)
{
	static const unsigned long commands[] = {
		PAGE_HINTS_INFO, PAGE_HINTS_SET, PAGE_HINTS_CLEAR, PAGE_HINTS_GET,
		PAGE_HINTS_INHERIT, PAGE_HINTS_QUERY, PAGE_HINTS_VERIFY, PAGE_HINTS_REMAP,
	};
	static const uint64_t sizes[] = {
		sizeof(struct page_hints_info), sizeof(struct page_hints_set),
		sizeof(struct page_hints_range), sizeof(struct page_hints_get),
		sizeof(struct page_hints_inherit), sizeof(struct page_hints_query),
		sizeof(struct page_hints_query), sizeof(struct page_hints_remap),
	};
	unsigned long good = 0;
	char *args = map(17 * PAGE), *out = map(64 * PAGE);
	uint64_t a = (uintptr_t)mem;
	int fds[3] = {
		hints_open(getpid(), O_RDWR), hints_open(target, O_RDWR),
		hints_open(getpid(), O_RDONLY),
	};

	for (unsigned long n = 0; n < count; n++) {
		unsigned int c = rnd() % 8;
		unsigned long command = commands[c];
		uint64_t u[64] = { 0 };
		void *arg = u;

		for (int i = 0; i < 64; i++)
			if (rnd() % 3 == 0)
				u[i] = odd_number(a);
		u[0] = rnd() % 16 ? sizes[c] : odd_number(a);
		if (rnd() % 4) {	/* more sense in it */
			u[1] = a + rnd() % 80 * PAGE;
			u[2] = u[1] + rnd() % 32 * PAGE;
		}
		if (c == 1 && rnd() % 8) {
			struct page_hints_set *s = (void *)u;

			s->flags = rnd() % 8 ? rnd() & 1 : rnd();
			s->reserved = rnd() % 8 ? 0 : 1;
			if (rnd() % 8 == 0)
				s->start = s->end = 0;
			memset(s->strategy, 0, sizeof(s->strategy));
			strcpy(s->strategy, strategies[rnd() % NR_STRATEGIES]);
			if (rnd() % 32 == 0)
				s->strategy[rnd() % 16] = rnd();
			for (int i = 0; i < 64; i++)
				((uint32_t *)args)[rnd() % 4096] = rnd() % 4 ? rnd() % 40 : rnd();
			s->arg = (uintptr_t)args + (rnd() % 4 ? 0 : rnd() % (17 * PAGE));
			s->arg_size = rnd() % 4 ? (rnd() & 1 ? 8 : (s->end - s->start) / PAGE *
						   (rnd() & 1 ? 4 : 8)) : odd_number(a);
		}
		if (c == 4 && rnd() % 4)
			u[1] = rnd() & 7;
		if ((c == 5 || c == 6) && rnd() % 8) {
			struct page_hints_query *q = (void *)u;

			/* Not all of memory: that takes its time. */
			if (q->end - q->start > 1UL << 36)
				q->end = q->start + (rnd() % 4096) * PAGE;
			q->pages = c == 6 ? 0 : (uintptr_t)out;
			q->nr_pages = c == 6 ? 0 : rnd() % 4096;
			q->addresses = c == 6 ? 0 : rnd() & 1 ? (uintptr_t)out : 0;
		}
		if (c == 7 && rnd() % 8) {
			struct page_hints_remap *r = (void *)u;

			/* A status for each page of a hole takes its time, too. */
			if (r->end - r->start > 4096 * PAGE && rnd() % 64)
				r->end = r->start + rnd() % 4096 * PAGE;
			r->flags = rnd() % 4;
			r->reserved = 0;
			r->status = rnd() & 1 ? (uintptr_t)out : 0;
		}
		if (rnd() % 64 == 0)
			arg = (void *)odd_number(a);
		if (rnd() % 64 == 0)
			command = rnd();
		/* Our own memory is what may be written over. */
		if (arg != u && (uintptr_t)arg < TASK_END &&
		    ((uintptr_t)arg < a || (uintptr_t)arg > a + 79 * PAGE))
			arg = NULL;
		if ((c == 5 || c == 7) && u[3] - (uintptr_t)out > 64 * PAGE && c == 5)
			u[3] = 0;
		if (c == 5 && u[5] - (uintptr_t)out > 64 * PAGE)
			u[5] = 0;
		if (c == 5 && u[4] > 4096)
			u[4] = 4096;
		if (c == 7 && (u[4] - (uintptr_t)out > 64 * PAGE))
			u[4] = 0;
		good += ioctl(fds[rnd() % 3], command, arg) >= 0;
		if (rnd() % 16 == 0)
			mem[rnd() % 80 * PAGE] = 1;
		if (rnd() % 64 == 0)
			madvise(mem + rnd() % 64 * PAGE, 16 * PAGE, MADV_DONTNEED);
		if (rnd() % 4096 == 0) {
			pid_t child = fork();

			if (!child)
				_exit(0);
			waitpid(child, NULL, 0);
		}
	}
	clear(fds[0], 0, 0);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
	return good;
}

/* Two processes call, one for each CPU, while a third faults, forks and executes. */
static void fuzz(unsigned long count)
{
	char *mem = map(80 * PAGE);
	unsigned long good, other_good = 0;
	pid_t target = fork(), other;
	int status, count_of_other[2];

	if (!target)
		busy_target(mem);
	load_all();
	printf("# seed %lu\n", seed);
	fflush(stdout);
	/* The target is there to race with, not to take the time. */
	setpriority(PRIO_PROCESS, 0, -10);
	/* Not by memory: the calls may write over what lies beside theirs. */
	if (pipe(count_of_other))
		die("pipe");
	other = fork();
	if (!other) {
		seed = ~seed;
		good = fuzz_calls(count / 2, target, mem);
		_exit(write(count_of_other[1], &good, sizeof(good)) != sizeof(good));
	}
	close(count_of_other[1]);
	good = fuzz_calls(count - count / 2, target, mem);
	waitpid(other, &status, 0);
	kill(target, SIGKILL);
	waitpid(target, NULL, 0);
	if (read(count_of_other[0], &other_good, sizeof(other_good)) != sizeof(other_good))
		status = -1;
	good += other_good;
	ok(!status && good > count / 10, "%lu calls, %lu of them good", count, good);
	for (unsigned int i = 0; i < NR_STRATEGIES; i++)
		ok(unused(strategies[i]), "%s: no references left", strategies[i]);
}

int main(int argc, char **argv)
{
	self_path = realpath("/proc/self/exe", NULL);
	if (argc == 2 && !strcmp(argv[1], "exit"))
		return 0;
	if (argc < 4)
		return 2;
	module_dir = argv[argc - 1];
	if (argc == 5)
		seed = strtoul(argv[3], NULL, 0) | 1;
	if (!strcmp(argv[1], "ranges") && argc == 4)
		ranges(strtoul(argv[2], NULL, 0));
	else if (!strcmp(argv[1], "races") && argc == 5)
		races(atof(argv[2]));
	else if (!strcmp(argv[1], "modules") && argc == 4)
		modules(strtoul(argv[2], NULL, 0));
	else if (!strcmp(argv[1], "fuzz") && argc == 5)
		fuzz(strtoul(argv[2], NULL, 0));
	else
		return 2;
	printf("1..%d\n", nr_tests);
	return nr_bad != 0;
}
