/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * What memref_ages (guest) leaves for ages-score (host): this header once, then
 * for each harvest, in order, a record and its pages.
 */
#ifndef MEMSCOPE_AGES_H
#define MEMSCOPE_AGES_H

#include <stdint.h>

/* As in accuracy.h. */
#define MARK_SCAN_BEGIN 0x10
#define MARK_SCAN_END 0x11

#define AGES_MAGIC 0x53454741u	/* "AGES" */
#define AGES_NONE 255		/* memref/page_ages: no age */
#define AGES_OLD 128		/* this age, or more */

struct ages_scan {
	uint32_t magic;
	char work[24];		/* the workload that ran before this harvest */
	uint32_t first;		/* the workload begins: what was before does not count */
	uint32_t kernel_reads;	/* reads through the kernel's map count, too */
	uint32_t kernel_writes;	/* and so do writes */
	uint32_t nr_pages;
};

struct ages_page {
	uint32_t pfn;
	uint32_t age;
};

#endif
