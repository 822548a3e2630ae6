/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * The oracle's file: one header, then one record an interval, little-endian.
 *
 * A record is struct oracle_interval, then for each of the header's nr_sets
 * sets a uint32_t number of runs and the runs: struct oracle_run and its
 * nr_words words.  A word is the bitmap of 64 pages; word w, bit b is the page
 * with frame number 64 * w + b.  Words in no run are zero.
 */
#ifndef MEMSCOPE_ORACLE_FILE_H
#define MEMSCOPE_ORACLE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define ORACLE_FILE_MAGIC 0x454c4341524f534dull	/* "MSORACLE" */
#define ORACLE_FILE_VERSION 1u
#define ORACLE_INTERVAL_MAGIC 0x56544e49u	/* "INTV" */

/* By whom (user or kernel mode), on which half of the address space, how. */
enum oracle_set {
	ORACLE_USER_READ,	/* user mode; always on user addresses */
	ORACLE_USER_WRITE,
	ORACLE_USER_FETCH,
	ORACLE_COPY_READ,	/* kernel mode on user addresses: copy_from_user() and the like */
	ORACLE_COPY_WRITE,
	ORACLE_KERNEL_READ,	/* kernel mode on kernel addresses */
	ORACLE_KERNEL_WRITE,
	ORACLE_KERNEL_FETCH,
	ORACLE_NR_SETS
};

#define ORACLE_SETS_READ ((1 << ORACLE_USER_READ) | (1 << ORACLE_COPY_READ) | \
			  (1 << ORACLE_KERNEL_READ))
#define ORACLE_SETS_WRITE ((1 << ORACLE_USER_WRITE) | (1 << ORACLE_COPY_WRITE) | \
			   (1 << ORACLE_KERNEL_WRITE))
#define ORACLE_SETS_FETCH ((1 << ORACLE_USER_FETCH) | (1 << ORACLE_KERNEL_FETCH))
/* Accessed through user page tables' entries, or the kernel's. */
#define ORACLE_SETS_USER_VA ((1 << ORACLE_USER_READ) | (1 << ORACLE_USER_WRITE) | \
			     (1 << ORACLE_USER_FETCH) | (1 << ORACLE_COPY_READ) | \
			     (1 << ORACLE_COPY_WRITE))
#define ORACLE_SETS_KERNEL_VA ((1 << ORACLE_KERNEL_READ) | (1 << ORACLE_KERNEL_WRITE) | \
			       (1 << ORACLE_KERNEL_FETCH))

struct oracle_header {
	uint64_t magic;
	uint32_t version;
	uint32_t nr_sets;
	uint64_t max_pfn;	/* one past the highest page of RAM */
	uint64_t hole_pfn;	/* RAM below 4 GiB ends here; the rest starts at 4 GiB */
	uint32_t nr_vcpus;
	uint32_t exact_insns;	/* 1: instructions counted one by one */
};

struct oracle_interval {
	uint32_t magic;
	uint32_t seq;		/* from 0 */
	uint64_t size;		/* of the record, this header included */
	uint32_t begin_code;	/* of the mark that began the interval, ... */
	uint32_t end_code;	/* ... that ended it; UINT32_MAX: the VM's end */
	uint32_t end_vcpu;
	uint32_t reserved;
	uint64_t begin_ns;	/* host's monotonic clock */
	uint64_t end_ns;
	uint64_t insns_user;
	uint64_t insns_kernel;
	uint64_t accesses;	/* data accesses to RAM */
	uint64_t other;		/* elsewhere: devices, ROM, cpu_entry_area; in no set */
};

struct oracle_run {
	uint32_t first_word;
	uint32_t nr_words;
};

/* Reading.  One interval is held at a time. */
struct oracle_reader {
	FILE *f;
	const char *path;
	struct oracle_header header;
	size_t nr_words;	/* of each bitmap */
	struct oracle_interval interval;
	uint64_t *set[ORACLE_NR_SETS];
};

/* Both say on stderr what is wrong with the file. */
bool oracle_open(struct oracle_reader *r, const char *path);
/* 1: an interval was read; 0: end of the file; -1: the file is cut off or wrong */
int oracle_next(struct oracle_reader *r);
void oracle_close(struct oracle_reader *r);

/* Ors the sets of @mask (bits 1 << enum oracle_set) into @bitmap. */
void oracle_union(const struct oracle_reader *r, unsigned int mask, uint64_t *bitmap);

extern const char *const oracle_set_names[ORACLE_NR_SETS];

#endif
