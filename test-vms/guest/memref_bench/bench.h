/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* memref_bench: what its parts share. */
#ifndef MEMREF_BENCH_H
#define MEMREF_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define TRACEFS "/sys/kernel/tracing/"
#define PAGE 4096ul
#define MAX_PAGES 65536ul
#define FILE_PAGES 8192ul
#define HUGE_PAGE (2ul << 20)
/* A measurement is the median of so many. */
#define ROUNDS 7

/* util.c */
void die(const char *what) __attribute__((noreturn));
void result(double value, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
uint64_t now(void);
void put(const char *path, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
uint64_t number_in(const char *path, const char *key);
void *map(size_t size, bool populate);
double median(double *values, int n);

/* target.c */
/* The target's memory is charged to it. */
#define TARGET_CGROUP "memref_bench"

struct target {
	pid_t pid;
	int to, from;
	unsigned char *memory;
	int file;			/* shared memory of as many pages */
	bool threads;			/* a second one, which does nothing */
	const uint64_t *pfn;		/* of what is looked at: one of these */
	uint64_t memory_pfn[MAX_PAGES], file_pfn[MAX_PAGES];
};

/*
 * How the pages are used: those of the memory, as they are, or with fork() or
 * mprotect() afterwards; those of the file, mapped anew and left mapped, or unmapped
 * afterwards, or mapped by a child, which exits.
 */
enum how { PLAIN, FORK, MPROTECT, MAPPED, UNMAP, EXIT };

/* A request: to use every stride-th page of the first so many. */
struct work {
	unsigned long nr_pages, stride, passes;
	bool write;
	bool flush;		/* of the TLB, before the first pass */
	enum how how;
};

void pin(int cpu);
void use(unsigned char *memory, const struct work *w);
void look_at(struct target *t, enum how how);
void start_target(struct target *t);
void run(struct target *t, const struct work *w);
pid_t start_neighbor(void);
void stop(pid_t pid);
void stop_target(struct target *t);

/* What was found: per page of the target, or a number of pages only. */
struct found {
	unsigned char page[MAX_PAGES];
	bool has_pages;
	double pages;
};

/* samplers.c */
void memref_on(pid_t pid);
void memref_off(void);
void memref_end(struct target *t, struct found *f);
uint64_t last_scan(const char *field);
double scan_insns(void);
void idle_begin(struct target *t);
void idle_end(struct target *t, struct found *f);
void refs_begin(struct target *t);
void refs_end(struct target *t, struct found *f);

/* peers.c */
void mglru_on(void);
void mglru_off(void);
void mglru_begin(void);
void mglru_end(struct found *f);
void numab_on(void);
void numab_off(void);
void numab_begin(void);
void numab_end(struct target *t, struct found *f);

/* damon.c */
pid_t kdamond(void);
/* Regions: as by default, or one for each page. */
struct damon {
	const char *name;
	bool physical, exact;
};
void damon_on(struct target *t, const struct damon *d, unsigned int sample_us,
	      unsigned int aggr_us);
void damon_off(void);
bool damon_found(struct target *t, const struct damon *d, struct found *f);

/* cold.c */
void map_cold(size_t size);

/* The parts, a file each. */
void cost(void);
void cold(void);
void accuracy(void);
void hinting(void);
void slowdown(void);
void reclaim(void);
void bytes(void);
void locks(void);
void zap(void);
void workers(void);
void stop_part(void);
void parts(void);

#endif
