/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * Where perf says that the data of an access were: union perf_mem_data_src of
 * linux/perf_event.h, as the drivers of AMD's IBS and Intel's PEBS fill it in.
 */
#ifndef DATA_SRC_H
#define DATA_SRC_H

#include <stdbool.h>
#include <stdint.h>

/**
 * enum data_level - the level that answered
 * @DATA_UNKNOWN: not reported, or that an L1 or L2 missed, and no more
 * @DATA_LFB, @DATA_L2_MHB: on its way to the L1, or to the L2: a miss handling buffer
 * @DATA_L4, @DATA_MSC: caches of the memory side
 * @DATA_LOCAL_CACHE: the L3 or another CPU's cache in the node, which of them is not
 *	reported: AMD before Zen 4
 * @DATA_PEER_CACHE: another CPU's cache behind another L3 of the node
 * @DATA_REMOTE_CACHE: a cache of another node
 * @DATA_BEYOND_L3: the L3 missed, and no more is known
 * @DATA_RAM: the node's; @DATA_REMOTE_RAM: another's
 * @DATA_PMEM, @DATA_CXL: of any node, see data_src.remote
 */
enum data_level {
	DATA_UNKNOWN, DATA_L1, DATA_LFB, DATA_L2, DATA_L2_MHB, DATA_L3, DATA_L4, DATA_MSC,
	DATA_LOCAL_CACHE, DATA_PEER_CACHE, DATA_REMOTE_CACHE, DATA_BEYOND_L3,
	DATA_RAM, DATA_REMOTE_RAM, DATA_PMEM, DATA_CXL, DATA_IO, DATA_UNCACHED,
	NR_DATA_LEVELS
};

/**
 * struct data_src - a decoded perf_mem_data_src
 * @load, @store: a read-modify-write is both
 * @locked: it has a LOCK prefix, or locks without one
 * @modified: found modified in another CPU's cache (HITM)
 * @forwarded: another CPU's cache gave it (FWD, PEER)
 * @remote: of another node
 * @tlb_miss: the translation was in no TLB
 */
struct data_src {
	enum data_level level;
	bool load, store, locked, modified, forwarded, remote, tlb_miss;
};

extern const char * const data_level_name[NR_DATA_LEVELS];

struct data_src data_src_decode(uint64_t val);
uint64_t data_src_encode(const struct data_src *s);

#endif
