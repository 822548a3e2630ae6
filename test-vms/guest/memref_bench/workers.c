// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_bench workers: time of a harvest by one and by two workers, of one large address space and
 * of several, of memory that is used in each interval, and that is not.  Not with -icount, where one
 * CPU runs at a time.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bench.h"

#define PROCESSES 8

/* Processes, which have so many page tables together, each with so many pages at its begin. */
struct memory {
	const char *name;
	int processes;
	unsigned long tables, pages;
	bool used;
};

struct user {
	pid_t pid;
	int to, from;
};

static void use_all(unsigned char *p, const struct memory *m)
{
	for (unsigned long t = 0; t < m->tables / m->processes; t++)
		for (unsigned long i = 0; i < m->pages; i++)
			*(volatile unsigned char *)(p + t * HUGE_PAGE + i * PAGE) = 1;
}

static void use_again(const struct user *u)
{
	char c = 0;

	if (write(u->to, &c, 1) != 1 || read(u->from, &c, 1) != 1)
		die("child");
}

/* A child that uses its memory once, and again when it is asked to. */
static struct user start(const struct memory *m)
{
	int to[2], from[2];
	struct user u;
	char c;

	if (pipe(to) || pipe(from))
		die("pipe");
	u = (struct user){ .pid = fork(), .to = to[1], .from = from[0] };
	if (u.pid < 0)
		die("fork");
	if (!u.pid) {
		unsigned char *p = map(m->tables / m->processes * HUGE_PAGE, false);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(to[1]);
		while (read(to[0], &c, 1) == 1) {
			use_all(p, m);
			if (write(from[1], &c, 1) != 1)
				break;
		}
		_exit(1);
	}
	close(to[0]);
	close(from[1]);
	use_again(&u);
	return u;
}

static double harvest_ms(const struct memory *m, const struct user *users, int workers)
{
	for (int i = 0; m->used && i < m->processes; i++)
		use_again(&users[i]);
	put(TRACEFS "memref/workers", "%d", workers);
	put(TRACEFS "memref/scan", "1");
	return (last_scan("end") - last_scan("scan")) / 1e6;
}

static void measure(const struct memory *m)
{
	double one[ROUNDS], two[ROUNDS];
	struct user users[PROCESSES];
	char list[16 * PROCESSES];
	int n = 0;

	for (int i = 0; i < m->processes; i++) {
		users[i] = start(m);
		n += snprintf(list + n, sizeof(list) - n, "%d ", users[i].pid);
	}
	/* Without a flush nothing is known of upper tables: all page tables are read. */
	put(TRACEFS "memref/flush", "%d", m->used);
	put(TRACEFS "memref/write", "off");
	put(TRACEFS "memref/interval_ms", "0");
	put(TRACEFS "memref_pid", "%s", list);
	put(TRACEFS "events/memref/memref_scan/enable", "1");
	for (int i = 0; i < 2; i++)
		harvest_ms(m, users, 1 + i);
	for (int i = 0; i < ROUNDS; i++) {
		one[i] = harvest_ms(m, users, 1);
		two[i] = harvest_ms(m, users, 2);
	}
	result(median(one, ROUNDS), "workers_1_%s_ms", m->name);
	result(median(two, ROUNDS), "workers_2_%s_ms", m->name);
	result(last_scan("tables"), "workers_%s_tables", m->name);
	result(last_scan("young"), "workers_%s_young", m->name);
	put(TRACEFS "memref/workers", "1");
	memref_off();
	for (int i = 0; i < m->processes; i++) {
		close(users[i].to);
		close(users[i].from);
		stop(users[i].pid);
	}
}

void workers(void)
{
	static const struct memory memories[] = {
		{ "one", 1, 32768, 1, false }, { "many", PROCESSES, 32768, 1, false },
		{ "one_used", 1, 4096, 48, true }, { "many_used", PROCESSES, 4096, 48, true },
	};

	for (size_t i = 0; i < sizeof(memories) / sizeof(memories[0]); i++)
		measure(&memories[i]);
}
