/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* stress: what its parts share. */
#ifndef STRESS_H
#define STRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <time.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

#define PAGE	4096UL
#define MIB	(1UL << 20)

/* A process, which ends when the run is over. */
struct stress_worker {
	const char *name;
	void (*run)(void);
};

struct stress_run {
	const struct stress_worker *workers;
	unsigned int nr;
	bool dirty;
	bool balanced;		/* between nodes, by the kernel */
};

/* util.c */
/* The run begins: before there are workers. */
void stress_begin(void);
time_t stress_elapsed(void);
/* Tells all workers. */
void stress_end(void);
bool stress_over(void);
/* Of the calling thread. */
void stress_seed(uint64_t value);
uint64_t stress_rnd(void);
/* Ends the process. */
void stress_fail(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* Returns 0 or the errno. */
int stress_put(const char *path, const char *text);
char *stress_map(size_t size, int flags, int fd);

/* pages.c */
void stress_fill(char *mem, uint64_t page, uint64_t gen);
void stress_check(const char *what, const char *mem, uint64_t page, uint64_t gen);
/* @disturb: called every 256 pages, or NULL */
void stress_pages(const char *what, char *mem, uint64_t nr, uint8_t *gen,
		  void (*disturb)(char *mem, uint64_t nr, uint8_t *gen));

/* memory.c */
void stress_worker_anon(void);
void stress_worker_thp(void);
void stress_worker_shmem(void);
void stress_worker_threads(void);
void stress_worker_hugetlb(void);

/* files.c */
void stress_worker_file(void);
void stress_worker_rw(void);

/* churn.c */
void stress_worker_fork(void);
void stress_worker_hotplug(void);

/* dirty.c */
void stress_worker_dirty(void);

/* control.c */
void stress_control(void);
void stress_control_write(void);
void stress_control_dirty(void);

/* judge.c */
/* At least so many seconds, and until it covers what it is for. */
void stress_wait_until_over(const struct stress_run *run, time_t least);
/* Waits for the workers, prints the results.  Returns the exit status. */
int stress_judge(const struct stress_run *run, const pid_t *pids);

#endif
