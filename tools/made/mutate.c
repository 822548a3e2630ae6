// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Inputs damaged at random, for readers. */
#include <ctype.h>
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
#include <unistd.h>

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

static char now[160];

static void __attribute__((noreturn)) die(const char *why)
{
	char text[240];
	int n = snprintf(text, sizeof(text), "%s: %s\n", now, why);

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

/* What a reader may take is limited. */
static void read_one(const struct mutation *m, char *data, size_t size)
{
	struct rusage usage;

	data[size] = '\0';
	limit(SECONDS);
	m->read(m->ctx, data, size);
	limit(0);
#ifndef __SANITIZE_ADDRESS__
	if (!getrusage(RUSAGE_SELF, &usage) && usage.ru_maxrss > MAX_KIB)
		die("takes more than 512 MiB");
#else
	(void)usage;
#endif
}

/* Whether an input that forms share is of this one. */
static bool has(const struct mutation *m, uint64_t number)
{
	return !m->nr_forms || number % m->nr_forms == m->form;
}

/* Its header, and what is behind it, ends at each byte. */
static void cut_everywhere(const struct mutation *m, char *data)
{
	size_t size;

	for (size = 0; size < m->size && size <= MAX_CUT; size++) {
		if (!has(m, size))
			continue;
		snprintf(now, sizeof(now), "%s of %zu bytes", m->name, size);
		memcpy(data, m->data, size);
		read_one(m, data, size);
	}
}

/** mutate() - give a reader inputs that are cut and damaged; ends the program if one breaks it */
void mutate(const struct mutation *m)
{
	const uint64_t times = number("MEMSCOPE_MUTATIONS", TIMES), first = number("MEMSCOPE_SEED", 1);
	char *data = malloc(MUTATE_BYTES + 1);
	uint64_t i, seed, k;
	size_t size;

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
	cut_everywhere(m, data);
	for (i = 0; i < times; i++) {
		if (!has(m, first + i))
			continue;
		seed = (first + i) * 0x9e3779b97f4a7c15ULL | 1;
		snprintf(now, sizeof(now), "mutated %s: MEMSCOPE_SEED=%lu MEMSCOPE_MUTATIONS=1", m->name,
			 (unsigned long)(first + i));
		memcpy(data, m->data, m->size);
		size = m->size;
		for (k = 1 + mutate_random(&seed) % 6; k; k--)
			size = damage(m, data, size, &seed);
		read_one(m, data, size);
	}
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
