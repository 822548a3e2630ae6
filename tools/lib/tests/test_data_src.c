// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * perf_mem_data_src: every encoding that Linux 6.12 has for x86, written as the tables
 * of arch/x86/events/intel/ds.c (P) and arch/x86/events/amd/ibs.c (A) are; and every one
 * that perf inject makes of Arm SPE (tools/perf/util/arm-spe.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include <linux/perf_event.h>

#include "lib/perf/data_src.h"

/* Headers of Debian 12 are older. */
#undef PERF_MEM_LVLNUM_L2_MHB
#undef PERF_MEM_LVLNUM_MSC
#undef PERF_MEM_LVLNUM_UNC
#undef PERF_MEM_LVLNUM_CXL
#define PERF_MEM_LVLNUM_L2_MHB	0x05
#define PERF_MEM_LVLNUM_MSC	0x06
#define PERF_MEM_LVLNUM_UNC	0x08
#define PERF_MEM_LVLNUM_CXL	0x09
#ifndef PERF_MEM_HOPS_0
#define PERF_MEM_HOPS_0		0x01
#define PERF_MEM_HOPS_1		0x02
#define PERF_MEM_HOPS_SHIFT	43
#endif

#define S(a, b)		((uint64_t)PERF_MEM_##a##_##b << PERF_MEM_##a##_SHIFT)
#define REM		S(REMOTE, REMOTE)
#define HOPS(n)		S(HOPS, n)
#define LEVEL(x)	S(LVLNUM, x)
#define L(x)		(S(LVL, x) | S(LVL, HIT))
#define OP_LH		(S(OP, LOAD) | S(LVL, HIT))
#define PEER		(2ULL << PERF_MEM_SNOOPX_SHIFT)
#define NONE_MISS	(S(SNOOP, NONE) | S(SNOOP, MISS))
/* PERF_MEM_NA, of which precise_datala_hsw() keeps all but mem_op and mem_lvl. */
#define NA_BUT_LVL	(S(SNOOP, NA) | S(LOCK, NA) | S(TLB, NA) | LEVEL(NA))

enum { MODIFIED = 1, FORWARDED = 2, REMOTE = 4, LOCKED = 8, TLB_MISS = 16, STORE = 32, LOAD = 64 };

static const struct encoding {
	const char *name;
	uint64_t val;
	enum data_level level;
	unsigned int flags;
} intel[] = {
	/* pebs_data_source, Sandy Bridge and later */
	{ "0x00 unknown L3 miss", S(OP, LOAD) | S(LVL, MISS) | LEVEL(L3) | S(SNOOP, NA), DATA_BEYOND_L3, 0 },
	{ "0x01 L1", OP_LH | S(LVL, L1) | LEVEL(L1) | S(SNOOP, NONE), DATA_L1, 0 },
	{ "0x02 LFB", OP_LH | S(LVL, LFB) | LEVEL(LFB) | S(SNOOP, NONE), DATA_LFB, 0 },
	{ "0x03 L2", OP_LH | S(LVL, L2) | LEVEL(L2) | S(SNOOP, NONE), DATA_L2, 0 },
	{ "0x04 L3", OP_LH | S(LVL, L3) | LEVEL(L3) | S(SNOOP, NONE), DATA_L3, 0 },
	{ "0x05 L3, snoop miss", OP_LH | S(LVL, L3) | LEVEL(L3) | S(SNOOP, MISS), DATA_L3, 0 },
	{ "0x06 L3, snoop hit", OP_LH | S(LVL, L3) | LEVEL(L3) | S(SNOOP, HIT), DATA_L3, 0 },
	{ "0x07 L3, snoop hitm", OP_LH | S(LVL, L3) | LEVEL(L3) | S(SNOOP, HITM), DATA_L3, MODIFIED },
	{ "0x08 L3 miss, snoop hit", OP_LH | S(LVL, REM_CCE1) | REM | LEVEL(L3) | S(SNOOP, HIT),
	  DATA_REMOTE_CACHE, REMOTE },
	{ "0x09 L3 miss, snoop hitm", OP_LH | S(LVL, REM_CCE1) | REM | LEVEL(L3) | S(SNOOP, HITM),
	  DATA_REMOTE_CACHE, REMOTE | MODIFIED },
	{ "0x0a L3 miss, shared", OP_LH | S(LVL, LOC_RAM) | LEVEL(RAM) | S(SNOOP, HIT), DATA_RAM, 0 },
	{ "0x0b L3 miss, shared, remote", OP_LH | S(LVL, REM_RAM1) | REM | LEVEL(L3) | S(SNOOP, HIT),
	  DATA_REMOTE_RAM, REMOTE },
	{ "0x0c L3 miss, exclusive", OP_LH | S(LVL, LOC_RAM) | LEVEL(RAM) | NONE_MISS, DATA_RAM, 0 },
	{ "0x0d L3 miss, exclusive, remote", OP_LH | S(LVL, REM_RAM1) | LEVEL(RAM) | REM | NONE_MISS,
	  DATA_REMOTE_RAM, REMOTE },
	{ "0x0e I/O", OP_LH | S(LVL, IO) | LEVEL(NA) | S(SNOOP, NONE), DATA_IO, 0 },
	{ "0x0f uncached", OP_LH | S(LVL, UNC) | LEVEL(NA) | S(SNOOP, NONE), DATA_UNCACHED, 0 },
	/* _nhm has 0x05 to 0x07 of these. */
	/* _skl: also the P cores of Alder Lake and Meteor Lake */
	{ "skl 0x08 L4", OP_LH | LEVEL(L4) | S(SNOOP, HIT), DATA_L4, 0 },
	{ "skl 0x09 L4, remote", OP_LH | LEVEL(L4) | REM | S(SNOOP, HIT), DATA_L4, REMOTE },
	{ "skl 0x08 PMEM", OP_LH | LEVEL(PMEM) | S(SNOOP, HIT), DATA_PMEM, 0 },
	{ "skl 0x09 PMEM, remote", OP_LH | LEVEL(PMEM) | REM | S(SNOOP, HIT), DATA_PMEM, REMOTE },
	{ "skl 0x0b RAM, remote", OP_LH | LEVEL(RAM) | REM | S(SNOOP, NONE), DATA_REMOTE_RAM, REMOTE },
	{ "skl 0x0c forwarded, remote", OP_LH | LEVEL(ANY_CACHE) | REM | S(SNOOPX, FWD),
	  DATA_REMOTE_CACHE, REMOTE | FORWARDED },
	{ "skl 0x0d hitm, remote", OP_LH | LEVEL(ANY_CACHE) | REM | S(SNOOP, HITM),
	  DATA_REMOTE_CACHE, REMOTE | MODIFIED },
	/* _grt: the E cores of Alder Lake; 0x05 and 0x06 are among those above. */
	{ "grt 0x08 L3, forwarded", OP_LH | S(LVL, L3) | LEVEL(L3) | S(SNOOPX, FWD), DATA_L3, FORWARDED },
	/* _cmt: the E cores of Meteor, Lunar and Arrow Lake; 0x07 and 0x08 are among those above. */
	{ "cmt 0x0a RAM", OP_LH | S(LVL, LOC_RAM) | LEVEL(RAM) | S(SNOOP, NONE), DATA_RAM, 0 },
	{ "cmt 0x0b RAM, remote", OP_LH | LEVEL(RAM) | REM | S(SNOOP, NONE), DATA_REMOTE_RAM, REMOTE },
	{ "cmt 0x0c RAM, remote, forwarded", OP_LH | LEVEL(RAM) | REM | S(SNOOPX, FWD),
	  DATA_REMOTE_CACHE, REMOTE | FORWARDED },
	{ "cmt 0x0d RAM, remote, hitm", OP_LH | LEVEL(RAM) | REM | S(SNOOP, HITM),
	  DATA_REMOTE_CACHE, REMOTE | MODIFIED },
	/* lnc_pebs_data_source: the P cores of Lunar and Arrow Lake */
	{ "lnc 0x03 L1 miss handling buffer", OP_LH | S(LVL, LFB) | LEVEL(LFB) | S(SNOOP, NONE), DATA_LFB, 0 },
	{ "lnc 0x05 L2", OP_LH | S(LVL, L2) | LEVEL(L2) | S(SNOOP, NONE), DATA_L2, 0 },
	{ "lnc 0x06 L2_MHB", OP_LH | LEVEL(L2_MHB) | S(SNOOP, NONE), DATA_L2_MHB, 0 },
	{ "lnc 0x08 L3", OP_LH | S(LVL, L3) | LEVEL(L3) | S(SNOOP, NONE), DATA_L3, 0 },
	{ "lnc 0x0c L3, forwarded", OP_LH | S(LVL, L3) | LEVEL(L3) | S(SNOOPX, FWD), DATA_L3, FORWARDED },
	{ "lnc 0x0d L3, hitm", OP_LH | S(LVL, L3) | LEVEL(L3) | S(SNOOP, HITM), DATA_L3, MODIFIED },
	{ "lnc 0x0f L3 miss, hitm", S(OP, LOAD) | S(LVL, MISS) | S(LVL, L3) | LEVEL(L3) | S(SNOOP, HITM),
	  DATA_REMOTE_CACHE, REMOTE | MODIFIED },
	{ "lnc 0x10 MSC", OP_LH | LEVEL(MSC) | S(SNOOP, NONE), DATA_MSC, 0 },
	{ "lnc 0x11 RAM", OP_LH | S(LVL, LOC_RAM) | LEVEL(RAM) | S(SNOOP, NONE), DATA_RAM, 0 },
	{ "lnc reserved", S(OP, LOAD) | LEVEL(NA) | S(SNOOP, NA), DATA_UNKNOWN, 0 },
};

static const struct encoding intel_stores[] = {
	/* precise_store_data() */
	{ "precise store, L1 hit", S(OP, STORE) | S(SNOOP, NA) | S(LVL, L1) | S(LVL, HIT) | S(TLB, L2) | S(TLB, HIT),
	  DATA_L1, STORE },
	{ "precise store, L1 miss, locked", S(OP, STORE) | S(SNOOP, NA) | S(LVL, L1) | S(LVL, MISS) |
	  S(TLB, L2) | S(TLB, MISS) | S(LOCK, LOCKED), DATA_UNKNOWN, STORE | LOCKED | TLB_MISS },
	/* precise_datala_hsw() */
	{ "hsw store, L1 hit", S(OP, STORE) | NA_BUT_LVL | S(LVL, L1) | S(LVL, HIT), DATA_L1, STORE },
	{ "hsw store, L1 miss", S(OP, STORE) | NA_BUT_LVL | S(LVL, L1) | S(LVL, MISS), DATA_UNKNOWN, STORE },
	{ "hsw load", S(OP, LOAD) | NA_BUT_LVL | S(LVL, NA), DATA_UNKNOWN, LOAD },
	{ "hsw neither", S(OP, NA) | NA_BUT_LVL | S(LVL, NA), DATA_UNKNOWN, 0 },
	{ "none", 0, DATA_UNKNOWN, 0 },
};

static const struct encoding amd[] = {
	/* perf_ibs_get_mem_lvl() */
	{ "L1", L(L1) | LEVEL(L1), DATA_L1, 0 },
	{ "L2", L(L2) | LEVEL(L2), DATA_L2, 0 },
	{ "MAB", L(LFB) | LEVEL(LFB), DATA_LFB, 0 },
	{ "uncached", L(UNC) | LEVEL(UNC), DATA_UNCACHED, 0 },
	{ "not valid", S(LVL, NA) | LEVEL(NA), DATA_UNKNOWN, 0 },
	/* g_data_src: before Zen 4 */
	{ "LOC_CACHE", L(L3) | L(REM_CCE1) | LEVEL(ANY_CACHE) | HOPS(0), DATA_LOCAL_CACHE, 0 },
	{ "LOC_CACHE, hitm", L(L3) | L(REM_CCE1) | LEVEL(ANY_CACHE) | HOPS(0) | S(SNOOP, HITM),
	  DATA_LOCAL_CACHE, MODIFIED },
	{ "DRAM", L(LOC_RAM) | LEVEL(RAM), DATA_RAM, 0 },
	{ "DRAM, remote", L(REM_RAM1) | LEVEL(RAM) | REM | HOPS(1), DATA_REMOTE_RAM, REMOTE },
	{ "REM_CACHE", L(REM_CCE2) | LEVEL(ANY_CACHE) | REM | HOPS(1), DATA_REMOTE_CACHE, REMOTE },
	{ "IO", L(IO) | LEVEL(IO), DATA_IO, 0 },
	/* g_zen4_data_src: Zen 4 and 5 */
	{ "EXT_LOC_CACHE", L(L3) | LEVEL(L3), DATA_L3, 0 },
	{ "EXT_LOC_CACHE, hitm", L(L3) | LEVEL(L3) | S(SNOOP, HITM), DATA_L3, MODIFIED },
	{ "EXT_NEAR_CCX_CACHE", L(REM_CCE1) | LEVEL(ANY_CACHE) | REM | HOPS(0), DATA_PEER_CACHE, 0 },
	{ "EXT_NEAR_CCX_CACHE, hitm", L(REM_CCE1) | LEVEL(ANY_CACHE) | REM | HOPS(0) | S(SNOOP, HITM),
	  DATA_PEER_CACHE, MODIFIED },
	{ "EXT_FAR_CCX_CACHE", L(REM_CCE2) | LEVEL(ANY_CACHE) | REM | HOPS(1), DATA_REMOTE_CACHE, REMOTE },
	{ "EXT_FAR_CCX_CACHE, hitm", L(REM_CCE2) | LEVEL(ANY_CACHE) | REM | HOPS(1) | S(SNOOP, HITM),
	  DATA_REMOTE_CACHE, REMOTE | MODIFIED },
	{ "EXT_PMEM", LEVEL(PMEM), DATA_PMEM, 0 },
	{ "EXT_PMEM, remote", LEVEL(PMEM) | REM | HOPS(1), DATA_PMEM, REMOTE },
	{ "EXT_EXT_MEM", LEVEL(CXL), DATA_CXL, 0 },
	{ "EXT_EXT_MEM, remote", LEVEL(CXL) | REM | HOPS(1), DATA_CXL, REMOTE },
};

/* arm_spe__synth_data_source_common(): the Neoverse cores and those that are like them */
static const struct encoding spe[] = {
	{ "L1D", L(L1) | LEVEL(L1) | S(SNOOP, NONE), DATA_L1, 0 },
	{ "L2", L(L2) | LEVEL(L2) | S(SNOOP, NONE), DATA_L2, 0 },
	{ "PEER_CORE", L(L2) | LEVEL(L2) | PEER, DATA_PEER_CACHE, FORWARDED },
	{ "LOCAL_CLUSTER, PEER_CLUSTER", L(L3) | LEVEL(L3) | PEER, DATA_PEER_CACHE, FORWARDED },
	{ "SYS_CACHE", L(L3) | LEVEL(L3) | S(SNOOP, HIT), DATA_L3, 0 },
	{ "REMOTE", S(LVL, NA) | LEVEL(NA) | REM | PEER, DATA_REMOTE_CACHE, FORWARDED | REMOTE },
	{ "REMOTE, of 6.1", S(LVL, REM_CCE1) | LEVEL(ANY_CACHE) | REM | PEER, DATA_REMOTE_CACHE, FORWARDED | REMOTE },
	{ "DRAM", L(LOC_RAM) | LEVEL(RAM) | S(SNOOP, NONE), DATA_RAM, 0 },
	{ "a source without a name", 0, DATA_UNKNOWN, 0 },
	/* arm_spe__synth_data_source_generic(), of the events in the record */
	{ "L1 hit", L(L1), DATA_L1, 0 },
	{ "L1 miss", S(LVL, L1) | S(LVL, MISS), DATA_UNKNOWN, 0 },
	{ "LLC hit", L(L3), DATA_L3, 0 },
	{ "LLC miss", S(LVL, L3) | S(LVL, MISS), DATA_BEYOND_L3, 0 },
	{ "LLC miss, remote access", S(LVL, L3) | S(LVL, MISS) | REM, DATA_BEYOND_L3, REMOTE },
	{ "LLC hit, remote access", L(L3) | REM, DATA_REMOTE_CACHE, REMOTE },
	{ "remote access", REM, DATA_UNKNOWN, REMOTE },
};

#define NR(a)	(sizeof(a) / sizeof((a)[0]))

static void check(const struct encoding *e, uint64_t more, unsigned int flags)
{
	struct data_src s = data_src_decode(e->val | more);
	unsigned int got = (s.modified ? MODIFIED : 0) | (s.forwarded ? FORWARDED : 0) |
		(s.remote ? REMOTE : 0) | (s.locked ? LOCKED : 0) | (s.tlb_miss ? TLB_MISS : 0) |
		(s.store ? STORE : 0) | (s.load ? LOAD : 0);

	if (s.level != e->level || got != (e->flags | flags))
		print_error("%s: level %s, flags %#x\n", e->name, data_level_name[s.level], got);
	assert_int_equal(s.level, e->level);
	assert_int_equal(got, e->flags | flags);
}

/* Loads, and with the op replaced, as store_latency_data() and the E cores do, stores. */
static void of_intel(void **state)
{
	struct encoding store;
	size_t i;

	(void)state;
	for (i = 0; i < NR(intel); i++) {
		check(&intel[i], 0, LOAD);
		check(&intel[i], S(TLB, MISS) | S(TLB, L2) | S(LOCK, LOCKED), LOAD | TLB_MISS | LOCKED);
		store = intel[i];
		store.val ^= S(OP, LOAD) | S(OP, STORE);
		check(&store, S(TLB, HIT) | S(TLB, L1) | S(TLB, L2), STORE);
	}
	for (i = 0; i < NR(intel_stores); i++)
		check(&intel_stores[i], 0, 0);
}

/* A load, a read-modify-write, and a locked one. */
static void of_amd(void **state)
{
	const uint64_t load = S(OP, LOAD) | S(TLB, L1) | S(TLB, HIT), rmw = load | S(OP, STORE);
	size_t i;

	(void)state;
	for (i = 0; i < NR(amd); i++) {
		check(&amd[i], load | S(LOCK, NA), LOAD);
		check(&amd[i], rmw | S(LOCK, NA), LOAD | STORE);
		check(&amd[i], rmw | S(LOCK, LOCKED), LOAD | STORE | LOCKED);
	}
}

/* Loads, with and without a translation in the TLB; stores have no source. */
static void of_arm(void **state)
{
	const uint64_t walker = (uint64_t)PERF_MEM_TLB_WK << PERF_MEM_TLB_SHIFT;
	const struct encoding store = { "store", S(LVL, NA) | LEVEL(NA) | S(SNOOP, NA), DATA_UNKNOWN, 0 };
	size_t i;

	(void)state;
	for (i = 0; i < NR(spe); i++) {
		check(&spe[i], S(OP, LOAD), LOAD);
		check(&spe[i], S(OP, LOAD) | walker | S(TLB, HIT), LOAD);
		check(&spe[i], S(OP, LOAD) | walker | S(TLB, MISS), LOAD | TLB_MISS);
	}
	check(&store, S(OP, STORE) | walker | S(TLB, MISS), STORE | TLB_MISS);
}

static void names(void **state)
{
	int i, k;

	(void)state;
	for (i = 0; i < NR_DATA_LEVELS; i++) {
		assert_non_null(data_level_name[i]);
		for (k = 0; k < i; k++)
			assert_string_not_equal(data_level_name[i], data_level_name[k]);
	}
}

/* What is written is read as what it was, but for what a decoder cannot know. */
static void encoded(void **state)
{
	unsigned int level, flags;

	(void)state;
	for (level = 0; level < NR_DATA_LEVELS; level++) {
		for (flags = 0; flags < 64; flags++) {
			const struct data_src s = {
				.level = level, .load = flags & 1, .store = flags & 2, .locked = flags & 4,
				.tlb_miss = flags & 8, .modified = flags & 16, .forwarded = flags & 32,
				.remote = level == DATA_REMOTE_CACHE || level == DATA_REMOTE_RAM,
			};
			const struct data_src back = data_src_decode(data_src_encode(&s));

			assert_int_equal(back.level, s.level);
			assert_int_equal(back.load, s.load);
			assert_int_equal(back.store, s.store);
			assert_int_equal(back.locked, s.locked);
			assert_int_equal(back.modified, s.modified);
			assert_int_equal(back.forwarded, s.forwarded);
			assert_int_equal(back.remote, s.remote);
			assert_int_equal(back.tlb_miss, s.tlb_miss);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_intel), cmocka_unit_test(of_amd), cmocka_unit_test(of_arm),
		cmocka_unit_test(names), cmocka_unit_test(encoded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
