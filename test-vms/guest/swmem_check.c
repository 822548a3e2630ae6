// SPDX-License-Identifier: GPL-2.0
/*
 * Checks the PMU swmem: samples taken of loops over known buffers.
 *
 *	swmem_check events		what events can ask for; prints TAP
 *	swmem_check loops FILE [option...]
 *		runs the loops between the oracle's marks, writes to FILE
 *			object NAME FIRST LAST
 *			range NAME FIRST-IP LAST-IP OBJECT OP WIDTH
 *			sample CPU IP ADDRESS OP WIDTH kernel|user
 *			lost NUMBER
 *		options: irq period=NS rounds=N user kernel
 *			samples=N	after the rounds, more until there are N
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mark.h"

#define SYSFS "/sys/bus/event_source/devices/swmem/"
#define BUFFER (64 << 10)
#define RING_PAGES 1024
#define PAGE 4096

#define OP_LOAD 1
#define OP_STORE 2
#define CONFIG_IRQ 1
#define CONFIG_PROBE 2
#define CONFIG_LOADS 4
#define CONFIG_STORES 8

static char buf[7][BUFFER] __attribute__((aligned(PAGE)));
static const char *const buf_name[] = { "loads", "stores", "rmw", "atomic", "from", "to", "vector" };
static __thread uint64_t tls_word;

struct range {
	const char *name;
	uint64_t first, last;
	int object, op, width;
};

#define RANGE(label, object, op, width) \
	{ #label, (uint64_t)label##_first, (uint64_t)label##_last, object, op, width }
#define LABELS(label) extern char label##_first[], label##_last[]
LABELS(loads);
LABELS(stores);
LABELS(rmw);
LABELS(atomic);
LABELS(copy);
LABELS(vector);
LABELS(tls);

/* The labels enclose the one instruction that touches memory. */
#define LOOP(label, insn, step) \
	static __attribute__((noinline)) void label##_loop(char *p) \
	{ \
		char *end = p + BUFFER; \
		__asm__ __volatile__( \
			"1:\n\t" \
			#label "_first:\n\t" \
			insn "\n" \
			#label "_last:\n\t" \
			"add %[s], %[p]\n\t" \
			"xor %%edx, %%edx\n\t" \
			"cmp %[e], %[p]\n\t" \
			"jb 1b" \
			: [p] "+r" (p) : [e] "r" (end), [s] "i" (step) \
			: "rax", "rdx", "xmm0", "memory", "cc"); \
	}

LOOP(loads, "movq (%[p]), %%rax", 8)
LOOP(stores, "movl %%edx, 4(%[p])", 8)
LOOP(rmw, "addq $1, (%[p])", 8)
LOOP(atomic, "lock incl (%[p])", 8)
LOOP(vector, "movdqu (%[p]), %%xmm0", 16)

static __attribute__((noinline)) void copy_loop(char *to, char *from)
{
	unsigned long n = BUFFER / 8;

	__asm__ __volatile__(
		"copy_first:\n\t"
		"rep movsq\n"
		"copy_last:"
		: "+D" (to), "+S" (from), "+c" (n) : : "memory");
}

static __attribute__((noinline)) void tls_loop(void)
{
	unsigned long n = 4000;

	__asm__ __volatile__(
		"1:\n\t"
		"tls_first:\n\t"
		"movq %%fs:tls_word@tpoff, %%rax\n"
		"tls_last:\n\t"
		"dec %0\n\t"
		"jnz 1b"
		: "+r" (n) : : "rax", "cc");
}

static struct range ranges[] = {
	RANGE(loads, 0, OP_LOAD, 8), RANGE(stores, 1, OP_STORE, 4), RANGE(rmw, 2, 3, 8),
	RANGE(atomic, 3, 3, 4), RANGE(copy, -1, 0, 8), RANGE(vector, 6, OP_LOAD, 16),
	RANGE(tls, -2, OP_LOAD, 8),
};
#define NR_RANGES (sizeof(ranges) / sizeof(ranges[0]))

/* Objects get different shares. */
static void one_round(void)
{
	for (int i = 0; i < 4; i++)
		loads_loop(buf[0]);
	for (int i = 0; i < 3; i++)
		stores_loop(buf[1]);
	rmw_loop(buf[2]);
	atomic_loop(buf[3]);
	copy_loop(buf[5], buf[4]);
	vector_loop(buf[6]);
	tls_loop();
}

/* And what a kernel does for a program. */
static void some_syscalls(void)
{
	static char data[8192];
	int fd[2];

	if (pipe(fd))
		return;
	for (int i = 0; i < 20; i++) {
		struct stat st;

		if (write(fd[1], data, sizeof(data)) < 0 || read(fd[0], data, sizeof(data)) < 0)
			break;
		stat("/proc/self/status", &st);
	}
	close(fd[0]);
	close(fd[1]);
}

static int pmu_type(void)
{
	FILE *f = fopen(SYSFS "type", "r");
	int type;

	if (!f || fscanf(f, "%d", &type) != 1) {
		fprintf(stderr, "swmem_check: " SYSFS "type: no such PMU\n");
		exit(1);
	}
	fclose(f);
	return type;
}

static unsigned long stat_of(const char *name)
{
	char path[256];
	unsigned long n = 0;
	FILE *f;

	snprintf(path, sizeof(path), SYSFS "stats/%s", name);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%lu", &n) != 1)
		fprintf(stderr, "swmem_check: %s: cannot read\n", path);
	if (f)
		fclose(f);
	return n;
}

struct sample {
	uint64_t ip, addr, time, period, data_src, phys;
	uint32_t pid, tid, cpu, cycles;
	uint16_t width;
	uint8_t op, probe;
	int kernel, exact;
};

/* As the events' sample_type has it. */
struct body {
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time, addr;
	uint32_t cpu, res;
	uint64_t period;
	uint32_t raw_size;
	uint16_t width;
	uint8_t op, probe;
	uint32_t cycles, rest;
	uint64_t data_src, phys;
} __attribute__((packed));

struct ring {
	int fd;
	struct perf_event_mmap_page *page;
	uint64_t at, lost;
};

static const uint64_t sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
	PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW |
	PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR;

static struct perf_event_attr attr_of(uint64_t config, uint64_t period)
{
	return (struct perf_event_attr){
		.type = pmu_type(), .size = sizeof(struct perf_event_attr), .config = config,
		.sample_period = period, .sample_type = sample_type, .disabled = 1,
	};
}

static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	return syscall(SYS_perf_event_open, attr, pid, cpu, -1, 0);
}

static int ring_open(struct ring *r, struct perf_event_attr *attr, pid_t pid, int cpu)
{
	r->at = r->lost = 0;
	r->fd = open_event(attr, pid, cpu);
	if (r->fd < 0)
		return -1;
	r->page = mmap(NULL, (RING_PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	if (r->page == MAP_FAILED) {
		perror("swmem_check: mmap of the ring buffer");
		exit(1);
	}
	return 0;
}

static void ring_close(struct ring *r)
{
	munmap(r->page, (RING_PAGES + 1) * PAGE);
	close(r->fd);
}

/* About how many samples were written: some records may be others. */
static int samples_in(struct ring *r)
{
	return __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE) /
		(sizeof(struct perf_event_header) + sizeof(struct body));
}

static void copy_out(struct ring *r, void *to, uint64_t at, size_t n)
{
	char *data = (char *)r->page + PAGE;

	for (size_t i = 0; i < n; i++)
		((char *)to)[i] = data[(at + i) % (RING_PAGES * PAGE)];
}

/* The next sample; 0 if there is none. */
static int ring_next(struct ring *r, struct sample *s)
{
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	struct perf_event_header h;
	struct body body;
	uint64_t lost[2];

	while (r->at < head) {
		copy_out(r, &h, r->at, sizeof(h));
		if (h.type == PERF_RECORD_LOST) {
			copy_out(r, lost, r->at + sizeof(h), sizeof(lost));
			r->lost += lost[1];
		}
		r->at += h.size;
		if (h.type != PERF_RECORD_SAMPLE)
			continue;
		if (h.size != sizeof(h) + sizeof(body)) {
			fprintf(stderr, "swmem_check: a sample of %u bytes, not %zu\n", h.size,
				sizeof(h) + sizeof(body));
			exit(1);
		}
		copy_out(r, &body, r->at - h.size + sizeof(h), sizeof(body));
		*s = (struct sample){
			.ip = body.ip, .addr = body.addr, .time = body.time, .period = body.period,
			.data_src = body.data_src, .phys = body.phys, .pid = body.pid,
			.tid = body.tid, .cpu = body.cpu, .width = body.width, .op = body.op,
			.probe = body.probe, .cycles = body.cycles,
			.kernel = (h.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL,
			.exact = !!(h.misc & PERF_RECORD_MISC_EXACT_IP),
		};
		return 1;
	}
	return 0;
}

static void enable(struct ring *r) { ioctl(r->fd, PERF_EVENT_IOC_ENABLE, 0); }
static void disable(struct ring *r) { ioctl(r->fd, PERF_EVENT_IOC_DISABLE, 0); }

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("swmem_check: sched_setaffinity");
		exit(1);
	}
}

/* Soon after boot timers are as coarse as the tick. */
static void wait_for_timers(void)
{
	char line[256];

	for (int i = 0; i < 50; i++) {
		FILE *f = fopen("/proc/timer_list", "r");
		int fine = 0;

		while (f && fgets(line, sizeof(line), f))
			fine |= strstr(line, ".hres_active    : 1") != NULL;
		if (f)
			fclose(f);
		if (fine)
			return;
		usleep(100000);
	}
	fprintf(stderr, "swmem_check: no high-resolution timers\n");
	exit(1);
}

/* --- loops ---------------------------------------------------------------- */

static int run_loops(int argc, char **argv)
{
	struct perf_event_attr attr = attr_of(0, 100000);
	int rounds = 50, least = 0, syscalls = 1;
	struct ring ring;
	struct sample s;
	FILE *f;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "irq")) {
			attr.config |= CONFIG_IRQ;
		} else if (!strncmp(argv[i], "period=", 7)) {
			attr.sample_period = strtoull(argv[i] + 7, NULL, 0);
		} else if (!strncmp(argv[i], "rounds=", 7)) {
			rounds = atoi(argv[i] + 7);
		} else if (!strncmp(argv[i], "samples=", 8)) {
			least = atoi(argv[i] + 8);
		} else if (!strcmp(argv[i], "user")) {
			attr.exclude_kernel = 1;
			syscalls = 0;
		} else if (!strcmp(argv[i], "kernel")) {
			attr.exclude_user = 1;
		} else {
			fprintf(stderr, "swmem_check: %s: unknown option\n", argv[i]);
			return 2;
		}
	}
	f = fopen(argv[0], "w");
	if (!f) {
		perror(argv[0]);
		return 1;
	}
	memset(buf, 1, sizeof(buf));
	pin(sysconf(_SC_NPROCESSORS_ONLN) - 1);
	if (ring_open(&ring, &attr, 0, -1)) {
		perror("swmem_check: perf_event_open");
		return 1;
	}
	one_round();
	oracle_mark(ORACLE_CODE_START);
	sched_yield();
	enable(&ring);
	for (int i = 0; i < rounds || samples_in(&ring) < least; i++) {
		if (attr.exclude_user) {
			some_syscalls();
			continue;
		}
		one_round();
		if (syscalls)
			some_syscalls();
	}
	disable(&ring);
	oracle_mark(ORACLE_CODE_STOP);

	for (int i = 0; i < 7; i++)
		fprintf(f, "object %s %llx %llx\n", buf_name[i], (unsigned long long)buf[i],
			(unsigned long long)buf[i] + BUFFER - 1);
	for (unsigned int i = 0; i < NR_RANGES; i++)
		fprintf(f, "range %s %llx %llx %s %d %d\n", ranges[i].name,
			(unsigned long long)ranges[i].first, (unsigned long long)ranges[i].last,
			ranges[i].object >= 0 ? buf_name[ranges[i].object] : "-",
			ranges[i].op, ranges[i].width);
	while (ring_next(&ring, &s))
		fprintf(f, "sample %u %llx %llx %x %u %s\n", s.cpu, (unsigned long long)s.ip,
			(unsigned long long)s.addr, s.op, s.width, s.kernel ? "kernel" : "user");
	fprintf(f, "lost %llu\n", (unsigned long long)ring.lost);
	return fclose(f) ? 1 : 0;
}

/* --- events ---------------------------------------------------------------- */

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

/* Is what the sample says of an instruction of ours true?  0: not ours. */
static int judge(const struct sample *s)
{
	for (unsigned int i = 0; i < NR_RANGES; i++) {
		const struct range *r = &ranges[i];
		int loads = s->op & OP_LOAD, o = r->object;
		int op = r->op;

		if (s->ip < r->first || s->ip >= r->last)
			continue;
		if (o == -1) {
			o = loads ? 4 : 5;
			op = loads ? OP_LOAD : OP_STORE;
		}
		if ((s->op & 3) != op || s->width != r->width)
			return -1;
		if (o == -2)
			return s->addr == (uintptr_t)&tls_word ? 1 : -1;
		return s->addr >= (uintptr_t)buf[o] && s->addr + s->width <= (uintptr_t)buf[o] + BUFFER
			? 1 : -1;
	}
	return 0;
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

static int check_events(void)
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

int main(int argc, char **argv)
{
	if (argc > 1)
		wait_for_timers();
	if (argc == 2 && !strcmp(argv[1], "events"))
		return check_events();
	if (argc > 2 && !strcmp(argv[1], "loops"))
		return run_loops(argc - 2, argv + 2);
	fprintf(stderr, "usage: swmem_check events | loops FILE [irq] [period=NS] [rounds=N] [user|kernel]\n");
	return 2;
}
