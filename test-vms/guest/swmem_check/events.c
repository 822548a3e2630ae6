// SPDX-License-Identifier: GPL-2.0
/*
 * swmem_check: what events can ask for.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "swmem_check.h"

static int nr_tests, nr_failed;

static void __attribute__((format(printf, 2, 3))) ok(int good, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", good ? "" : "not ", ++nr_tests);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	nr_failed += !good;
}

static uint64_t pagemap(void *p)
{
	uint64_t entry = 0;
	FILE *f = fopen("/proc/self/pagemap", "r");

	if (f && (fseek(f, (uintptr_t)p / PAGE * 8, SEEK_SET) || fread(&entry, 8, 1, f) != 1))
		entry = 0;
	if (f)
		fclose(f);
	return (entry & ((1ull << 55) - 1)) * PAGE + (uintptr_t)p % PAGE;
}

struct tally {
	int samples, right, wrong, user, kernel, inexact, other_cpu, other_pid, loads, stores;
	int phys_right, phys_wrong, bad_source, timed, refused, bad_probe;
};

static struct tally tally(struct ring *r, unsigned int cpu)
{
	struct tally t = {};
	struct sample s;

	while (ring_next(r, &s)) {
		union perf_mem_data_src src = { .val = s.data_src };
		int verdict = judge(&s), op = s.op & 3;

		t.samples++;
		t.right += verdict > 0;
		t.wrong += verdict < 0;
		t.kernel += s.kernel;
		t.user += !s.kernel;
		t.inexact += !s.exact;
		t.other_cpu += s.cpu != cpu;
		t.other_pid += s.pid != (uint32_t)getpid();
		t.loads += !!(s.op & OP_LOAD);
		t.stores += !!(s.op & OP_STORE);
		/* The level is only known from a probe. */
		t.timed += s.probe >= 2;
		t.refused += s.probe == 1;
		t.bad_probe += (s.probe >= 2) != (s.cycles > 0);
		t.bad_source += (src.mem_lvl_num != PERF_MEM_LVLNUM_NA) != (s.probe == 3) ||
			!!(src.mem_op & PERF_MEM_OP_LOAD) != (op & 1) ||
			!!(src.mem_op & PERF_MEM_OP_STORE) != op >> 1;
		if (verdict > 0) {
			t.phys_right += s.phys && s.phys == pagemap((void *)s.addr);
			t.phys_wrong += s.phys && s.phys != pagemap((void *)s.addr);
		}
	}
	return t;
}

static void work(void)
{
	for (int i = 0; i < 30; i++) {
		one_round();
		some_syscalls();
	}
}

static struct tally record(struct perf_event_attr attr, pid_t pid, int cpu, int my_cpu)
{
	struct tally t = {};
	struct ring r;

	if (ring_open(&r, &attr, pid, cpu)) {
		ok(0, "perf_event_open: %s", strerror(errno));
		return t;
	}
	enable(&r);
	work();
	disable(&r);
	t = tally(&r, my_cpu);
	ring_close(&r);
	return t;
}

/* Creates and leaves a cgroup; runs the work in it. */
static int cgroup_fd(const char *path)
{
	char procs[256], pid[16];
	FILE *f;

	/* The implicit controllers, perf's too, are enabled with the first explicit one. */
	f = fopen("/sys/fs/cgroup/cgroup.subtree_control", "w");
	if (!f)
		return -1;
	fputs("+memory", f);
	if (fclose(f))
		return -1;
	mkdir(path, 0755);
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", path);
	f = fopen(procs, "w");
	if (!f)
		return -1;
	snprintf(pid, sizeof(pid), "%d", getpid());
	fputs(pid, f);
	if (fclose(f))
		return -1;
	return open(path, 0);
}

static void refuse(struct perf_event_attr attr, const char *what, int err)
{
	int fd = open_event(&attr, 0, -1);

	ok(fd < 0 && errno == err, "%s is refused: %s", what, fd < 0 ? strerror(errno) : "no");
	if (fd >= 0)
		close(fd);
}

int check_events(void)
{
	int last = sysconf(_SC_NPROCESSORS_ONLN) - 1;
	struct perf_event_attr attr = attr_of(0, 50000), a;
	struct tally t;
	pid_t child;

	memset(buf, 1, sizeof(buf));
	for (int irq = 0; irq < 2; irq++) {
		const char *how = irq ? "timer interrupt" : "NMI";

		pin(last);
		a = attr;
		a.config = irq ? CONFIG_IRQ : 0;
		t = record(a, 0, -1, last);
		ok(t.right > 20 && !t.wrong, "%s: %d of %d samples in the loops, %d right, %d wrong",
		   how, t.right + t.wrong, t.samples, t.right, t.wrong);
		ok(t.user && t.kernel, "%s: %d user, %d kernel", how, t.user, t.kernel);
		ok(!t.inexact && !t.bad_source, "%s: exact ip, data source says what raw data say", how);
		ok(!t.other_cpu && !t.other_pid, "%s: only this task", how);
		ok(t.phys_right && !t.phys_wrong, "%s: physical addresses: %d right, %d wrong", how,
		   t.phys_right, t.phys_wrong);
		a.exclude_kernel = 1;
		t = record(a, 0, -1, last);
		ok(t.user && !t.kernel, "%s: exclude_kernel: %d user, %d kernel", how, t.user, t.kernel);
		a.exclude_kernel = 0;
		a.exclude_user = 1;
		t = record(a, 0, -1, last);
		ok(!t.user && t.kernel, "%s: exclude_user: %d user, %d kernel", how, t.user, t.kernel);
	}

	a = attr;
	t = record(a, 0, -1, last);
	ok(!t.timed && !t.refused && !t.bad_probe, "no probe unless asked for");
	a.config = CONFIG_PROBE;
	t = record(a, 0, -1, last);
	ok(t.timed && !t.bad_probe && !t.bad_source && !t.wrong,
	   "probe: %d timed, %d refused, %d wrong", t.timed, t.refused, t.bad_probe + t.bad_source);

	a = attr;
	a.config = CONFIG_LOADS;
	t = record(a, 0, -1, last);
	ok(t.samples && t.loads == t.samples && !t.wrong, "loads only: %d of %d", t.loads, t.samples);
	a.config = CONFIG_STORES;
	t = record(a, 0, -1, last);
	ok(t.samples && t.stores == t.samples && !t.wrong, "stores only: %d of %d", t.stores, t.samples);

	a = attr;
	t = record(a, -1, last, last);
	ok(t.right && !t.wrong && !t.other_cpu, "one CPU: %d samples, %d elsewhere", t.samples,
	   t.other_cpu);
	if (last > 0) {
		t = record(a, -1, 0, 0);
		ok(!t.right && !t.other_cpu, "another CPU: %d samples of ours in %d", t.right,
		   t.samples);
	}

	a = attr;
	a.freq = 1;
	a.sample_freq = 10000;
	t = record(a, 0, -1, last);
	ok(t.right && !t.wrong, "by frequency: %d samples", t.samples);

	/* Two at once, one half as often. */
	{
		struct ring r[2];
		struct tally u;

		a = attr;
		a.exclude_kernel = 1;
		ring_open(&r[0], &a, 0, -1);
		a.sample_period *= 2;
		ring_open(&r[1], &a, 0, -1);
		enable(&r[0]);
		enable(&r[1]);
		work();
		disable(&r[0]);
		disable(&r[1]);
		t = tally(&r[0], last);
		u = tally(&r[1], last);
		ok(u.samples > t.samples / 4 && u.samples < t.samples * 3 / 4 && !t.wrong && !u.wrong,
		   "two events, one with twice the period: %d and %d samples", t.samples, u.samples);
		ring_close(&r[0]);
		ring_close(&r[1]);
	}

	/* The event follows a child. */
	{
		struct ring r;

		a = attr;
		a.inherit = 1;
		/* An inherited event has a ring buffer for each CPU. */
		ring_open(&r, &a, 0, last);
		enable(&r);
		child = fork();
		if (!child) {
			work();
			_exit(0);
		}
		waitpid(child, NULL, 0);
		disable(&r);
		t = tally(&r, last);
		ok(t.other_pid > 20 && !t.wrong, "inherited: %d of %d samples of the child", t.other_pid,
		   t.samples);
		ring_close(&r);
	}

	/* A cgroup; and nothing of others in it. */
	child = fork();
	if (!child) {
		int fd = cgroup_fd("/sys/fs/cgroup/swmem"), e;
		struct ring r;

		if (fd < 0)
			_exit(2);
		a = attr;
		e = syscall(SYS_perf_event_open, &a, fd, last, -1, PERF_FLAG_PID_CGROUP);
		if (e < 0) {
			printf("# perf_event_open: %s\n", strerror(errno));
			fflush(stdout);
			_exit(3);
		}
		r = (struct ring){ .fd = e };
		r.page = mmap(NULL, (RING_PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, e, 0);
		enable(&r);
		work();
		disable(&r);
		t = tally(&r, last);
		_exit(t.right > 20 && !t.wrong && !t.other_pid ? 0 : 4);
	}
	{
		int status;

		waitpid(child, &status, 0);
		ok(WIFEXITED(status) && !WEXITSTATUS(status), "a cgroup: %d",
		   WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	}

	a = attr;
	a.config = 1 << 8;
	refuse(a, "an unknown bit of config", EINVAL);
	a = attr;
	a.config = CONFIG_LOADS | CONFIG_STORES;
	refuse(a, "op 3", EINVAL);
	a = attr;
	a.sample_period = 1000;
	refuse(a, "a period of 1 us", EINVAL);
	a = attr;
	a.sample_period = 0;
	refuse(a, "counting", EINVAL);
	a = attr;
	a.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	a.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	refuse(a, "a branch stack", EOPNOTSUPP);

	ok(stat_of("ticks") && stat_of("samples") && stat_of("no_access"),
	   "statistics: %lu ticks, %lu samples, %lu no access, %lu excluded, %lu halted, %lu unreadable, %lu unknown, %lu invalid, %lu merged, %lu missed",
	   stat_of("ticks"), stat_of("samples"), stat_of("no_access"), stat_of("excluded"),
	   stat_of("halted"), stat_of("unreadable"), stat_of("unknown"), stat_of("invalid"),
	   stat_of("merged"), stat_of("missed"));
	printf("1..%d\n", nr_tests);
	return nr_failed != 0;
}
