/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * What a thread of memprof_storm does: free the object of STORM_LIVE rounds ago, allocate
 * one of STORM_SIZE + round % STORM_SIZES bytes.  So its events say which of them are
 * missing.  STORM_LIVE objects of STORM_BEGIN bytes come first, one of STORM_END bytes is
 * the last.
 */
#ifndef MEMPROF_STORM_H
#define MEMPROF_STORM_H

#define STORM_LIVE	4
#define STORM_SIZE	16
#define STORM_SIZES	1000
#define STORM_BEGIN	5000
#define STORM_END	5001

#endif
