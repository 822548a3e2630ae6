// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Decoding of perf_mem_data_src.
 *
 * The same thing has several spellings: mem_lvl is the old one, mem_lvl_num with
 * mem_remote, mem_hops and mem_snoopx the new one, and drivers use both, sometimes
 * with different meanings.  tests/test_data_src.c has all that those of Linux 6.12
 * for x86 report, and all that perf makes of Arm SPE.
 */
#include <linux/perf_event.h>

#include "data_src.h"

/* Newer than the headers of Debian 12. */
enum { SNOOPX_PEER = 0x02 };
enum { LVLNUM_L2_MHB = 0x05, LVLNUM_MSC = 0x06, LVLNUM_UNC = 0x08, LVLNUM_CXL = 0x09 };

#define REMOTE_RAM	(PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2)
#define REMOTE_CACHE	(PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2)
/* mem_hops: another core of the node. */
#define HOPS_SAME_NODE	1

const char * const data_level_name[NR_DATA_LEVELS] = {
	"unknown", "L1", "fill buffer", "L2", "L2 miss buffer", "L3", "L4", "memory-side cache",
	"L3 or peer cache", "peer cache", "remote cache", "beyond L3",
	"memory", "remote memory", "PMEM", "CXL", "I/O", "uncached",
};

/* Data that another node's cache gave are not that node's memory's, whatever the level. */
static enum data_level ram(union perf_mem_data_src d, bool from_cache)
{
	if (from_cache && d.mem_remote)
		return DATA_REMOTE_CACHE;
	return d.mem_remote ? DATA_REMOTE_RAM : DATA_RAM;
}

static enum data_level cache(union perf_mem_data_src d)
{
	if (d.mem_hops == HOPS_SAME_NODE)
		return d.mem_remote ? DATA_PEER_CACHE : DATA_LOCAL_CACHE;
	return d.mem_remote ? DATA_REMOTE_CACHE : DATA_LOCAL_CACHE;
}

static enum data_level l3(union perf_mem_data_src d, bool from_cache)
{
	/* Intel's "L3 miss, shared" of another node has the number of the L3. */
	if (d.mem_lvl & REMOTE_RAM)
		return DATA_REMOTE_RAM;
	if (d.mem_lvl & PERF_MEM_LVL_MISS)
		return from_cache ? DATA_REMOTE_CACHE : DATA_BEYOND_L3;
	return d.mem_remote ? DATA_REMOTE_CACHE : DATA_L3;
}

/*
 * Without a number: Intel's stores before load and store latency, AMD before Linux 6.6, and
 * what perf makes of Arm SPE where it does not know the CPU.
 */
static enum data_level by_lvl(union perf_mem_data_src d)
{
	const unsigned int lvl = d.mem_lvl;

	if (lvl & PERF_MEM_LVL_NA)
		return DATA_UNKNOWN;
	if (lvl & PERF_MEM_LVL_MISS)
		return lvl & PERF_MEM_LVL_L3 ? DATA_BEYOND_L3 : DATA_UNKNOWN;
	if (lvl & PERF_MEM_LVL_L1)
		return DATA_L1;
	if (lvl & PERF_MEM_LVL_LFB)
		return DATA_LFB;
	if (lvl & PERF_MEM_LVL_L2)
		return DATA_L2;
	if (lvl & PERF_MEM_LVL_L3)
		return d.mem_remote ? DATA_REMOTE_CACHE : lvl & REMOTE_CACHE ? DATA_LOCAL_CACHE : DATA_L3;
	if (lvl & REMOTE_CACHE)
		return DATA_REMOTE_CACHE;
	if (lvl & REMOTE_RAM)
		return DATA_REMOTE_RAM;
	if (lvl & PERF_MEM_LVL_LOC_RAM)
		return DATA_RAM;
	if (lvl & PERF_MEM_LVL_IO)
		return DATA_IO;
	return lvl & PERF_MEM_LVL_UNC ? DATA_UNCACHED : DATA_UNKNOWN;
}

/* Of Arm SPE: another core's cache, whatever its level; of the other socket, no level is named. */
static enum data_level peer(union perf_mem_data_src d)
{
	return d.mem_remote ? DATA_REMOTE_CACHE : DATA_PEER_CACHE;
}

static enum data_level level_of(union perf_mem_data_src d, bool from_cache)
{
	if (d.mem_snoopx & SNOOPX_PEER)
		return peer(d);
	switch (d.mem_lvl_num) {
	case PERF_MEM_LVLNUM_L1: return d.mem_lvl & PERF_MEM_LVL_MISS ? DATA_UNKNOWN : DATA_L1;
	case PERF_MEM_LVLNUM_LFB: return DATA_LFB;
	case PERF_MEM_LVLNUM_L2: return d.mem_lvl & PERF_MEM_LVL_MISS ? DATA_UNKNOWN : DATA_L2;
	case LVLNUM_L2_MHB: return DATA_L2_MHB;
	case PERF_MEM_LVLNUM_L3: return l3(d, from_cache);
	case PERF_MEM_LVLNUM_L4: return DATA_L4;
	case LVLNUM_MSC: return DATA_MSC;
	case PERF_MEM_LVLNUM_ANY_CACHE: return cache(d);
	case PERF_MEM_LVLNUM_RAM: return ram(d, from_cache);
	case PERF_MEM_LVLNUM_PMEM: return DATA_PMEM;
	case LVLNUM_CXL: return DATA_CXL;
	case PERF_MEM_LVLNUM_IO: return DATA_IO;
	case LVLNUM_UNC: return DATA_UNCACHED;
	default: return by_lvl(d);
	}
}

/**
 * data_src_decode() - decode a perf_mem_data_src
 * @val: as perf has it; 0: none
 *
 * Return: what it means.
 */
struct data_src data_src_decode(uint64_t val)
{
	const union perf_mem_data_src d = { .val = val };
	struct data_src s = {
		.load = d.mem_op & PERF_MEM_OP_LOAD,
		.store = d.mem_op & PERF_MEM_OP_STORE,
		.locked = d.mem_lock & PERF_MEM_LOCK_LOCKED,
		.modified = d.mem_snoop & PERF_MEM_SNOOP_HITM,
		.forwarded = d.mem_snoopx,
		.tlb_miss = d.mem_dtlb & PERF_MEM_TLB_MISS,
	};

	s.level = level_of(d, s.modified || s.forwarded);
	s.remote = s.level == DATA_REMOTE_CACHE || s.level == DATA_REMOTE_RAM ||
		   (d.mem_remote && s.level != DATA_PEER_CACHE);
	return s;
}

/* How each level is written: in the old form, as far as it has one, and in the new one. */
static const struct { uint16_t lvl; uint8_t num, remote, hops; } written[NR_DATA_LEVELS] = {
	[DATA_UNKNOWN] = { PERF_MEM_LVL_NA, PERF_MEM_LVLNUM_NA },
	[DATA_L1] = { PERF_MEM_LVL_HIT | PERF_MEM_LVL_L1, PERF_MEM_LVLNUM_L1 },
	[DATA_LFB] = { PERF_MEM_LVL_HIT | PERF_MEM_LVL_LFB, PERF_MEM_LVLNUM_LFB },
	[DATA_L2] = { PERF_MEM_LVL_HIT | PERF_MEM_LVL_L2, PERF_MEM_LVLNUM_L2 },
	[DATA_L2_MHB] = { PERF_MEM_LVL_NA, LVLNUM_L2_MHB },
	[DATA_L3] = { PERF_MEM_LVL_HIT | PERF_MEM_LVL_L3, PERF_MEM_LVLNUM_L3 },
	[DATA_L4] = { PERF_MEM_LVL_NA, PERF_MEM_LVLNUM_L4 },
	[DATA_MSC] = { PERF_MEM_LVL_NA, LVLNUM_MSC },
	[DATA_LOCAL_CACHE] = { PERF_MEM_LVL_HIT | PERF_MEM_LVL_L3 | PERF_MEM_LVL_REM_CCE1,
			       PERF_MEM_LVLNUM_ANY_CACHE },
	[DATA_PEER_CACHE] = { PERF_MEM_LVL_HIT | PERF_MEM_LVL_REM_CCE1, PERF_MEM_LVLNUM_ANY_CACHE, 1,
			      HOPS_SAME_NODE },
	[DATA_REMOTE_CACHE] = { PERF_MEM_LVL_HIT | PERF_MEM_LVL_REM_CCE1, PERF_MEM_LVLNUM_ANY_CACHE, 1 },
	[DATA_BEYOND_L3] = { PERF_MEM_LVL_MISS | PERF_MEM_LVL_L3, PERF_MEM_LVLNUM_NA },
	[DATA_RAM] = { PERF_MEM_LVL_HIT | PERF_MEM_LVL_LOC_RAM, PERF_MEM_LVLNUM_RAM },
	/* Not PERF_MEM_LVLNUM_RAM, which with HITM means the remote cache. */
	[DATA_REMOTE_RAM] = { PERF_MEM_LVL_HIT | PERF_MEM_LVL_REM_RAM1, PERF_MEM_LVLNUM_NA, 1 },
	[DATA_PMEM] = { PERF_MEM_LVL_NA, PERF_MEM_LVLNUM_PMEM },
	[DATA_CXL] = { PERF_MEM_LVL_NA, LVLNUM_CXL },
	[DATA_IO] = { PERF_MEM_LVL_HIT | PERF_MEM_LVL_IO, PERF_MEM_LVLNUM_NA },
	[DATA_UNCACHED] = { PERF_MEM_LVL_HIT | PERF_MEM_LVL_UNC, PERF_MEM_LVLNUM_NA },
};

/**
 * data_src_encode() - a perf_mem_data_src for what a sample was kept as
 * @s: what it means
 *
 * Return: what data_src_decode() makes the same of, and perf's own decoders, too.
 */
uint64_t data_src_encode(const struct data_src *s)
{
	const union perf_mem_data_src d = {
		.mem_op = !s->load && !s->store ? PERF_MEM_OP_NA :
			  (s->load ? PERF_MEM_OP_LOAD : 0) | (s->store ? PERF_MEM_OP_STORE : 0),
		.mem_lvl = written[s->level].lvl, .mem_lvl_num = written[s->level].num,
		.mem_remote = written[s->level].remote || s->remote, .mem_hops = written[s->level].hops,
		.mem_snoop = s->modified ? PERF_MEM_SNOOP_HITM : PERF_MEM_SNOOP_NA,
		.mem_snoopx = s->forwarded ? PERF_MEM_SNOOPX_FWD : 0,
		.mem_lock = s->locked ? PERF_MEM_LOCK_LOCKED : PERF_MEM_LOCK_NA,
		.mem_dtlb = s->tlb_miss ? PERF_MEM_TLB_MISS : PERF_MEM_TLB_NA,
	};

	return d.val;
}
