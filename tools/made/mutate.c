// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Inputs damaged at random, for readers. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include "mutate.h"

#define SECONDS		20
#define WAIT_SECONDS	600
#define MAX_KIB		(512 << 10)
#ifdef __SANITIZE_ADDRESS__
#define TIMES		1000
#define MAX_CUT		512
#else
#define TIMES		10000
#define MAX_CUT		4096
#endif
/* How a process ends that has lost memory. */
#define LEAKS		77

static char now[160];
/* Another process reads again what this one does not survive. */
static bool is_expendable;

static void __attribute__((noreturn)) die(const char *why)
{
	char text[240];
	int n = snprintf(text, sizeof(text), "%s: %s\n", now, why);

	if (is_expendable)
		_exit(2);
	if (write(STDERR_FILENO, text, n) != n)
		_exit(3);
	_exit(2);
}

static void on_alarm(int sig)
{
	die(sig == SIGPROF ? "takes more than 20 s" : "waits for more than 600 s");
}

/* Of the processor: how busy the machine is does not count.  @seconds: 0: no limit. */
static void limit(unsigned int seconds)
{
	setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = seconds }, NULL);
	alarm(seconds ? WAIT_SECONDS : 0);
}

static void on_crash(int sig)
{
	(void)sig;
	die("crashed");
}

/** mutate_random() - xorshift64 */
uint64_t mutate_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	return *seed ^= *seed << 17;
}

/* Sizes, counts and signs that are on the edge of something. */
static uint64_t edge(uint64_t *seed)
{
	static const uint64_t edges[] = {
		0, 1, 2, 7, 8, 16, 255, 256, 4095, 4096, 65535, 65536, 0x7fffffff, 0x80000000, 0xffffffff,
		0x100000, 0x1000000, 0x10000000, 0x100000000, INT64_MAX, UINT64_MAX, UINT64_MAX - 7,
	};

	return edges[mutate_random(seed) % (sizeof(edges) / sizeof(edges[0]))];
}

/* A place outside of what stays. */
static size_t place(const struct mutation *m, size_t size, uint64_t *seed)
{
	size_t at = size ? mutate_random(seed) % size : 0;

	if (at >= m->keep_from && at < m->keep_to)
		at = m->keep_to < size ? m->keep_to + mutate_random(seed) % (size - m->keep_to) : m->keep_from - !!m->keep_from;
	return at;
}

/* Of text: a number on the edge of something instead of the digits at @at.  Return: the size. */
static size_t write_number(char *data, size_t size, size_t at, uint64_t value)
{
	size_t n = 0, length;
	char text[24];

	length = sprintf(text, "%lu", (unsigned long)value);
	while (at + n < size && isdigit((unsigned char)data[at + n]))
		n++;
	if (!n || size - n + length > MUTATE_BYTES)
		return size;
	memmove(data + at + length, data + at + n, size - at - n);
	memcpy(data + at, text, length);
	return size - n + length;
}

static size_t damage(const struct mutation *m, char *data, size_t size, uint64_t *seed)
{
	const size_t at = place(m, size, seed), left = size - at;
	const size_t until_kept = at < m->keep_from ? m->keep_from - at : left;
	uint64_t value = edge(seed), n = 1ULL << mutate_random(seed) % 4;
	size_t from;

	if (!size)
		return 0;
	switch (mutate_random(seed) % 9) {
	case 0:
		data[at] ^= 1 << mutate_random(seed) % 8;
		break;
	case 1:
		data[at] = mutate_random(seed);
		break;
	case 2:
	case 3:
		if (n <= until_kept)
			memcpy(data + at, &value, n);
		break;
	case 4:		/* a piece of it again */
		from = mutate_random(seed) % size;
		n = mutate_random(seed) % 64;
		if (n <= until_kept && from + n <= size)
			memmove(data + at, data + from, n);
		break;
	case 5:		/* a piece is missing */
		n = mutate_random(seed) % 64;
		if (at >= m->keep_to && n <= left) {
			memmove(data + at, data + at + n, left - n);
			size -= n;
		}
		break;
	case 6:		/* or there twice */
		n = mutate_random(seed) % 64;
		if (at >= m->keep_to && n <= left && size + n <= MUTATE_BYTES) {
			memmove(data + at + n, data + at, left);
			size += n;
		}
		break;
	case 7:
		if (mutate_random(seed) % 8 == 0 && at >= m->keep_to)
			size = at;
		break;
	case 8:
		if (at >= m->keep_to)
			size = write_number(data, size, at, value);
		break;
	}
	return size;
}

static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

/* Inputs that are cut. */
static uint64_t nr_cut(const struct mutation *m)
{
	return m->size <= MAX_CUT ? m->size : MAX_CUT + 1;
}

/* What a reader may take is limited. */
static void read_one(void (*read)(void *ctx, char *data, size_t size), void *ctx, char *data, size_t size)
{
	struct rusage usage;

	data[size] = '\0';
	limit(SECONDS);
	read(ctx, data, size);
	limit(0);
#ifndef __SANITIZE_ADDRESS__
	if (!getrusage(RUSAGE_SELF, &usage) && usage.ru_maxrss > MAX_KIB)
		die("takes more than 512 MiB");
	if (!getrusage(RUSAGE_CHILDREN, &usage) && usage.ru_maxrss > MAX_KIB)
		die("takes more than 512 MiB in a child process");
#else
	(void)usage;
#endif
}

/* Inputs of a mutation: those that end at each byte of its header and of what is behind it, then damaged ones. */
static uint64_t nr_inputs(const struct mutation *m)
{
	return nr_cut(m) + number("MEMSCOPE_MUTATIONS", TIMES);
}

/* Input @n in @data.  Return: its size. */
static size_t make(const struct mutation *m, uint64_t n, char *data)
{
	const uint64_t first = number("MEMSCOPE_SEED", 1), nr = first + n - nr_cut(m);
	uint64_t seed = nr * 0x9e3779b97f4a7c15ULL | 1, k;
	size_t size = n < nr_cut(m) ? n : m->size;

	memcpy(data, m->data, size);
	if (n < nr_cut(m)) {
		snprintf(now, sizeof(now), "%s of %zu bytes", m->name, size);
		return size;
	}
	snprintf(now, sizeof(now), "mutated %s: MEMSCOPE_SEED=%lu MEMSCOPE_MUTATIONS=1", m->name, (unsigned long)nr);
	for (k = 1 + mutate_random(&seed) % 6; k; k--)
		size = damage(m, data, size, &seed);
	return size;
}

/* Read inputs from @at on, which says where it is. */
static void read_from(const struct mutation *m, char *data, uint64_t *at)
{
	const uint64_t end = nr_inputs(m);

	for (; *at < end; ++*at)
		read_one(m->read, m->ctx, data, make(m, *at, data));
}

#ifdef __SANITIZE_ADDRESS__
const char *__lsan_default_suppressions(void);
const char *__lsan_default_options(void);
/* libtraceevent loses what it has read of a damaged file before the damage. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent.so\n";
}

const char *__lsan_default_options(void)
{
	return "print_suppressions=0";
}
#endif

/* A process that another one reads after: what its libraries make the sanitizers report is not told. */
static void __attribute__((noreturn)) read_expendable(const struct mutation *m, char *data, uint64_t *at)
{
	const int err = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);
	bool leaks = false;

	is_expendable = true;
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	if (err < 0 || null < 0 || dup2(null, STDERR_FILENO) < 0)
		abort();
	read_from(m, data, at);
	dup2(err, STDERR_FILENO);
#ifdef __SANITIZE_ADDRESS__
	leaks = __lsan_do_recoverable_leak_check();
#endif
	_exit(leaks ? LEAKS : 0);
}

/* Read them in processes, each of which reads until it crashes; what it did not survive is read again. */
static void read_in_processes(const struct mutation *m, char *data)
{
	uint64_t *at = mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const uint64_t end = nr_inputs(m);
	uint64_t again = 0;
	int status = 0;
	pid_t pid;

	if (at == MAP_FAILED)
		abort();
	while (*at < end) {
		fflush(NULL);
		pid = fork();
		if (pid < 0)
			abort();
		if (!pid)
			read_expendable(m, data, at);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if (WIFEXITED(status) && WEXITSTATUS(status) == LEAKS) {
			snprintf(now, sizeof(now), "%s", m->name);
			die("leaks");
		}
		if (*at == end)
			break;
		read_one(m->survive, m->ctx, data, make(m, *at, data));
		again++;
		++*at;
	}
	printf("# %s: %lu of %lu inputs were read again\n", m->name, (unsigned long)again, (unsigned long)end);
	if (again * 20 > end)
		die("more than one input in 20 is not survived");
	munmap(at, sizeof(*at));
}

/** mutate() - give a reader inputs that are cut and damaged; ends the program if one breaks it */
void mutate(const struct mutation *m)
{
	char *data = malloc(MUTATE_BYTES + 1);

	if (!data || m->size > MUTATE_BYTES)
		abort();
	signal(SIGALRM, on_alarm);
	signal(SIGPROF, on_alarm);
#ifndef __SANITIZE_ADDRESS__
	signal(SIGSEGV, on_crash);
	signal(SIGBUS, on_crash);
	signal(SIGFPE, on_crash);
	signal(SIGABRT, on_crash);
#else
	(void)on_crash;
#endif
	if (m->survive)
		read_in_processes(m, data);
	else
		read_from(m, data, &(uint64_t){ 0 });
	free(data);
}

/** mutate_file() - a file with these bytes, in memory.  Return: its path, the same each time */
const char *mutate_file(const void *data, size_t size)
{
	static char path[64];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("mutated", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size) {
		perror("mutate_file");
		exit(1);
	}
	return path;
}
