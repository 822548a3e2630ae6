/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * What memref_accuracy (guest) leaves for memref-score (host): this header
 * once, then for each harvest, in order, a record and its bitmaps.
 */
#ifndef MEMSCOPE_ACCURACY_H
#define MEMSCOPE_ACCURACY_H

#include <stdint.h>

/* Marks.  A harvest lies between SCAN_BEGIN and SCAN_END, then the guest
 * copies the bitmaps, then from RUN_BEGIN to the next SCAN_BEGIN it works.
 */
#define MARK_SCAN_BEGIN 0x10
#define MARK_SCAN_END 0x11
#define MARK_RUN_BEGIN 0x12

#define ACCURACY_MAGIC 0x59434152u	/* "RACY" */

enum accuracy_bitmap { ACCURACY_USER, ACCURACY_KERNEL, ACCURACY_PAGE_CACHE, ACCURACY_WRITTEN,
		       ACCURACY_NR_BITMAPS };

struct accuracy_header {
	uint32_t magic;
	uint32_t nr_words;	/* of each bitmap, of 64 pages */
};

struct accuracy_scan {
	char cell[56];		/* of the working set that ran before this harvest */
	uint32_t scored;	/* 0: warming up */
	uint32_t flush;		/* memref/flush */
	uint32_t writes;	/* with memref/write anon: writes are scored */
	uint32_t reserved;
};

#endif
