// SPDX-License-Identifier: GPL-2.0
/*
 * memref_cases: whose references memref reports in an interval, and at what
 * cost to others.  Prints TAP, and metrics as "# metric NAME VALUE".  Two CPUs, 1 GiB.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRACEFS "/sys/kernel/tracing/"
#define CGROUPS "/tmp/cgroups"
#define PAGE 4096ul
#define MIB (1ul << 20)

static int nr_tests;

static void die(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(1);
}

static void ok(bool is_ok, const char *name)
{
	printf("%sok %d - %s\n", is_ok ? "" : "not ", ++nr_tests, name);
	fflush(stdout);
}

static void metric(const char *name, double value)
{
	printf("# metric %s %g\n", name, value);
	fflush(stdout);
}

static int try_put(const char *path, const char *value, int flags)
{
	int fd = open(path, O_WRONLY | flags);
	int ret;

	if (fd < 0)
		die(path);
	ret = write(fd, value, strlen(value)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

static void put(const char *path, const char *value)
{
	if (try_put(path, value, O_TRUNC))
		die(path);
}

static void put_pid(const char *path, pid_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	put(path, text);
}

static void harvest(void)
{
	put(TRACEFS "memref/scan", "1");
}

static void memref_on(void)
{
	put(TRACEFS "memref/interval_ms", "0");
	put(TRACEFS "memref/kernel", "off");
	put(TRACEFS "trace", "\n");
	put(TRACEFS "events/memref/memref_scan/enable", "1");
	put(TRACEFS "events/memref/memref_task/enable", "1");
	harvest();
}

static void memref_off(void)
{
	put(TRACEFS "events/memref/enable", "0");
	put(TRACEFS "memref_pid", "\n");
	put(TRACEFS "memref/cgroup", "\n");
}

/* The last line of the trace with all of the text in it, or NULL. */
static char *last_line(const char *event, const char *with)
{
	static char found[1024];
	char line[1024];
	FILE *f = fopen(TRACEFS "trace", "r");

	if (!f)
		die("trace");
	found[0] = '\0';
	while (fgets(line, sizeof(line), f)) {
		if (strstr(line, event) && strstr(line, with))
			strcpy(found, line);
	}
	fclose(f);
	return found[0] ? found : NULL;
}

static long field(const char *line, const char *name)
{
	char key[32];
	const char *p;

	snprintf(key, sizeof(key), " %s=", name);
	p = line ? strstr(line, key) : NULL;
	return p ? strtol(p + strlen(key), NULL, 0) : -1;
}

static long scan_field(const char *name)
{
	return field(last_line("memref_scan:", ""), name);
}

static long task_pages(pid_t pid)
{
	char with[64];

	snprintf(with, sizeof(with), "seq=%ld pid=%d ", scan_field("seq"), pid);
	return field(last_line("memref_task:", with), "pages");
}

static char *map(size_t size)
{
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	if (madvise(p, size, MADV_NOHUGEPAGE) && errno != EINVAL)
		die("madvise");
	return p;
}

static void touch(char *p, size_t size, size_t step)
{
	for (size_t i = 0; i < size; i += step)
		p[i]++;
}

/* A child that touches its memory once, says so, and again for each signal. */
static void on_signal(int sig)
{
	(void)sig;
}

static pid_t start_idle(size_t size)
{
	int done[2];
	pid_t pid;
	char c = 0;

	if (pipe(done))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		char *p = map(size);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGUSR1, on_signal);
		for (;;) {
			touch(p, size, PAGE);
			if (write(done[1], &c, 1) != 1)
				_exit(1);
			pause();
		}
	}
	if (read(done[0], &c, 1) != 1)
		die("child");
	close(done[1]);
	close(done[0]);
	return pid;
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A process that slept all the time comes into the cgroup selected. */
static void moved_asleep(void)
{
	pid_t pid;
	long most = 0;

	mkdir(CGROUPS, 0755);
	if (mount("none", CGROUPS, "cgroup2", 0, NULL) && errno != EBUSY)
		die("cgroup2");
	if (mkdir(CGROUPS "/a", 0755) && errno != EEXIST)
		die(CGROUPS "/a");
	pid = start_idle(64 * MIB);
	put(TRACEFS "memref/cgroup", "/a");
	put(TRACEFS "memref/tasks", "1");
	memref_on();
	harvest();
	harvest();
	put_pid(CGROUPS "/a/cgroup.procs", pid);
	for (int i = 0; i < 3; i++) {
		long pages;

		harvest();
		pages = task_pages(pid);
		if (pages > most)
			most = pages;
		if (!i)
			ok(pages >= 0, "a process moved into the cgroup is sampled");
	}
	ok(!most && !scan_field("user"), "asleep before and after, it references nothing");
	printf("# %ld pages\n", most);
	metric("moved_asleep_pages", most);
	/* The child touches its memory and then fails to write, as nobody reads. */
	kill(pid, SIGUSR1);
	waitpid(pid, NULL, WUNTRACED | WNOHANG);
	sleep(1);
	memref_off();
	put(TRACEFS "memref/tasks", "0");
	stop(pid);
}

/* A process that came into the cgroup counts from then on; one born there at once. */
static void moved_awake(void)
{
	pid_t pid;
	char *p;

	put(TRACEFS "memref/cgroup", "/a");
	put(TRACEFS "memref/tasks", "1");
	memref_on();
	harvest();
	pid = fork();
	if (!pid) {
		put_pid(CGROUPS "/a/cgroup.procs", getpid());
		p = map(8 * MIB);
		touch(p, 8 * MIB, PAGE);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	sleep(1);
	harvest();
	printf("# %ld pages\n", task_pages(pid));
	ok(task_pages(pid) >= 2048, "a process made in the interval counts from its first");
	memref_off();
	put(TRACEFS "memref/tasks", "0");
	stop(pid);
}

static int select_pid(pid_t pid, int flags)
{
	char text[16];

	snprintf(text, sizeof(text), "%d\n", pid);
	return try_put(TRACEFS "memref_pid", text, flags);
}

static pid_t fork_as(pid_t pid)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&pid, .set_tid_size = 1,
	};
	pid_t new = syscall(SYS_clone3, &args, sizeof(args));

	if (!new)
		for (;;)
			pause();
	return new;
}

/* Numbers of processes that are dead select nobody, also when they come again. */
static void dead_pids(void)
{
	pid_t zombie = fork(), pid, keep;
	int ret;

	if (!zombie)
		_exit(0);
	sleep(1);
	ret = select_pid(zombie, O_TRUNC);
	ok(ret == -ESRCH, "a zombie cannot be selected");
	waitpid(zombie, NULL, 0);

	keep = start_idle(PAGE);
	if (select_pid(keep, O_TRUNC))
		die("memref_pid");
	memref_on();
	for (int i = 0; i < 300; i++) {
		pid = fork();
		if (!pid) {
			for (volatile int k = 0; k < i * 100; k++)
				;
			_exit(0);
		}
		ret = select_pid(pid, O_APPEND);
		if (ret && ret != -ESRCH)
			die("memref_pid");
		waitpid(pid, NULL, 0);
	}
	harvest();
	harvest();
	printf("# %ld selected\n", scan_field("pids"));
	ok(scan_field("pids") == 1, "processes that exit while they are selected are not");

	/* The number of the last one, used again. */
	pid = fork();
	if (!pid)
		pause();
	if (select_pid(pid, O_APPEND))
		die("memref_pid");
	harvest();
	ok(scan_field("pids") == 2, "one that lives is");
	stop(pid);
	harvest();
	ok(scan_field("flags") & 8, "its exit is flagged");
	ret = fork_as(pid);
	harvest();
	ok(ret == pid && scan_field("pids") == 1, "its number, used again, is not selected");
	memref_off();
	if (ret > 0)
		stop(ret);
	stop(keep);
}

static void *protect(void *arg)
{
	char *p = arg;

	for (;;) {
		mprotect(p, 8 * MIB, PROT_READ);
		mprotect(p, 8 * MIB, PROT_READ | PROT_WRITE);
	}
	return NULL;
}

static pid_t start_busy(void)
{
	pid_t pid = fork();

	if (!pid) {
		pthread_t thread;
		char *p = map(8 * MIB);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		touch(p, 8 * MIB, PAGE);
		for (int i = 0; i < 2; i++)
			pthread_create(&thread, NULL, protect, p);
		protect(p);
	}
	return pid;
}

/* One address space cannot be read: that of an idle neighbor is still left alone. */
static void busy_neighbor(void)
{
	pid_t idle = start_idle(512 * MIB), busy;
	long tables = -1, skipped = 0;

	memref_on();
	harvest();
	harvest();
	ok(scan_field("tables_cold") >= 256, "the idle memory is not read");
	busy = start_busy();
	/* Not what this program and its parents read meanwhile. */
	if (select_pid(idle, O_TRUNC) || select_pid(busy, O_APPEND))
		die("memref_pid");
	sleep(1);
	harvest();
	for (int i = 0; i < 30 && skipped < 5; i++) {
		/* The harvest after one that skipped the busy one. */
		bool after = scan_field("skipped") > 0;

		harvest();
		if (!after)
			continue;
		skipped++;
		if (scan_field("tables") > tables)
			tables = scan_field("tables");
	}
	ok(skipped > 0, "a busy neighbor is skipped");
	printf("# %ld harvests after one that skipped it: %ld tables at most\n", skipped, tables);
	ok(tables >= 0 && tables <= 20, "and the tables of the idle one stay unread");
	metric("tables_read_beside_busy_mm", tables);
	memref_off();
	stop(busy);
	stop(idle);
}

static char *shared;
static volatile bool writers_stop;

static void *writer(void *arg)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((long)arg, &set);
	sched_setaffinity(0, sizeof(set), &set);
	while (!writers_stop)
		touch(shared, 1024 * MIB, 256 << 10);
	return NULL;
}

/* TLB shootdown interrupts of all CPUs. */
static unsigned long shootdowns(void)
{
	char line[512];
	unsigned long sum = 0;
	FILE *f = fopen("/proc/interrupts", "r");

	if (!f)
		die("/proc/interrupts");
	while (fgets(line, sizeof(line), f)) {
		char *p = strstr(line, "TLB:"), *end;

		if (!p)
			continue;
		for (p += 4;; p = end) {
			unsigned long n = strtoul(p, &end, 10);

			if (end == p)
				break;
			sum += n;
		}
	}
	fclose(f);
	return sum;
}

/* Both CPUs write all over 1 GiB; each harvest takes the dirty bits. */
static void writes_cost(void)
{
	const int rounds = 5;
	pthread_t thread[2];
	unsigned long sum = 0;
	double per_gib;

	shared = map(1024 * MIB);
	for (long i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, writer, (void *)i);
	memref_on();
	sleep(1);
	for (int i = 0; i < rounds; i++) {
		unsigned long before;

		usleep(300000);
		before = shootdowns();
		harvest();
		sum += shootdowns() - before;
	}
	ok(scan_field("tables") >= 512 && scan_field("write") == 1,
	   "1 GiB is written, and the writes are reported");
	per_gib = (double)sum / rounds;
	printf("# %lu shootdowns in %d harvests\n", sum, rounds);
	ok(per_gib <= 2, "at most two TLB shootdowns for each GiB written");
	metric("tlb_shootdowns_per_gib_written", per_gib);
	memref_off();
	writers_stop = true;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	munmap(shared, 1024 * MIB);
}

int main(void)
{
	put(TRACEFS "memref/cpu_max", "0");
	moved_asleep();
	moved_awake();
	dead_pids();
	busy_neighbor();
	writes_cost();
	printf("1..%d\n", nr_tests);
	return 0;
}
