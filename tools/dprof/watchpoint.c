// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Do this machine's watchpoints report the accesses that are made, and no others?
 *
 * Histories are made with debug registers, which emulators have got wrong: in QEMU 7.2 without
 * KVM, an unaligned store hits every watchpoint below it in its page, and an access that hits
 * two watchpoints is reported for one.  So make such accesses to memory of this process,
 * and count what perf's breakpoints report of them.
 */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "watchpoint.h"

#define PAGE		4096
#define WATCHED		64	/* offset in the page of two watchpoints side by side */

static int watch(const void *addr)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT, .size = sizeof(attr), .bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)addr, .bp_len = HW_BREAKPOINT_LEN_4, .exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

struct unaligned {
	uint64_t word;
} __attribute__((packed));

/* Store 8 bytes.  Return the hits of both watchpoints since the last time, or -1. */
static long long store(const int fd[2], void *to, uint64_t counted[2], unsigned long long *both)
{
	uint64_t n[2];
	int i;

	((volatile struct unaligned *)to)->word = 1;
	for (i = 0; i < 2; i++)
		if (read(fd[i], &n[i], sizeof(n[i])) != sizeof(n[i]))
			return -1;
	*both = n[0] - counted[0] + n[1] - counted[1];
	/* Of an access to both, each is to have one. */
	if (n[0] - counted[0] > 1 || n[1] - counted[1] > 1)
		*both = 9;
	memcpy(counted, n, sizeof(n));
	return *both;
}

/**
 * watchpoint_judge() - judge what two watchpoints reported
 * @hits: hits of both, of an unaligned store above both in their page, of an aligned store to
 *	both, and of a store beside them
 * @what: set to what is wrong
 *
 * Return: WATCHPOINT_RIGHT or WATCHPOINT_WRONG.
 */
enum watchpoint watchpoint_judge(const unsigned long long hits[3], const char **what)
{
	*what = hits[0] || hits[2] ? "accesses that were not made are reported" :
		hits[1] < 2 ? "accesses that were made are not reported" :
		hits[1] > 2 ? "an access is reported twice" : NULL;
	return *what ? WATCHPOINT_WRONG : WATCHPOINT_RIGHT;
}

/**
 * watchpoint_test() - test two watchpoints of this process
 * @what: set to what is wrong, for WATCHPOINT_WRONG
 *
 * Return: WATCHPOINT_UNKNOWN if there are none to be had.
 */
enum watchpoint watchpoint_test(const char **what)
{
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	enum watchpoint ret = WATCHPOINT_UNKNOWN;
	unsigned long long hits[3];
	uint64_t counted[2] = { };
	int fd[2];

	if (page == MAP_FAILED)
		return ret;
	*page = 0;
	fd[0] = watch(page + WATCHED);
	fd[1] = watch(page + WATCHED + 4);
	if (fd[0] >= 0 && fd[1] >= 0 && store(fd, page + 259, counted, &hits[0]) >= 0 &&
	    store(fd, page + WATCHED, counted, &hits[1]) >= 0 && store(fd, page + WATCHED + 8, counted, &hits[2]) >= 0)
		ret = watchpoint_judge(hits, what);
	if (fd[0] >= 0)
		close(fd[0]);
	if (fd[1] >= 0)
		close(fd[1]);
	munmap(page, PAGE);
	return ret;
}
