// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* liboracle: a QEMU TCG plugin that records which physical pages the guest
 * reads, writes and fetches from, between marks the guest makes.
 *
 * Nothing is instrumented but the marks until ORACLE_CODE_START; then the
 * translated code is thrown away and comes back with a callback on every block
 * and every access.  All vCPUs set bits in one shared group of bitmaps, which
 * costs an atomic operation only for a page's first access in an interval.
 * No cache stands between an access and QEMU's TLB: a remembered translation
 * would be wrong after the guest changed its mappings.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "file.h"
#include "lib/mark.h"
#include "plugin.h"
#include "plugin_model.h"
#include "plugin_ram.h"
#include "qemu-api.h"

#define MAX_VCPUS CACHE_MAX_CPUS

/* One interval's sets, indexed by page of the RAM block, not by PFN. */
struct sets {
	uint64_t *set[ORACLE_NR_SETS];
};

struct vcpu {
	int busy;		/* in a callback that may hold on to `current' */
	uint64_t insns[2];	/* user, kernel; only ever grow */
	uint64_t accesses;
	uint64_t other;
} __attribute__((aligned(128)));

/* What a mark's callback needs; kept for good, marks are few. */
struct mark {
	uint16_t code;
	bool kernel;
	unsigned int insns_after;	/* in the same block, counted at its start */
	uint64_t page;
};

struct totals {
	uint64_t insns[2], accesses, other;
};

PLUGIN_EXPORT int qemu_plugin_version = 1;

static struct vcpu vcpus[MAX_VCPUS];
static int nr_vcpus;

static struct sets banks[2];
static struct sets *current;	/* NULL: not recording */
static bool instrument;
static bool exact_insns;
static bool have_model;		/* of caches: plugin_model.c */

static pthread_mutex_t cut_lock = PTHREAD_MUTEX_INITIALIZER;
static struct oracle_writer out;
static uint32_t seq, begin_code;
static uint64_t begin_ns;
static struct totals begin_totals;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static inline void set_page(struct sets *s, enum oracle_set which, uint64_t page)
{
	uint64_t *word = &s->set[which][page / 64], bit = 1ull << (page % 64);

	if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit))
		__atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
}

/*
 * enter() and leave() bracket every use of `current'.  cut() exchanges it and
 * then waits for those inside; its membarrier() stands in for the fence that
 * enter() would otherwise need on every access.
 */
static inline struct sets *enter(struct vcpu *v)
{
	__atomic_store_n(&v->busy, 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(&current, __ATOMIC_ACQUIRE);
}

static inline void leave(struct vcpu *v)
{
	__atomic_store_n(&v->busy, 0, __ATOMIC_RELEASE);
}

static void record_access(struct vcpu *v, struct sets *s, qemu_plugin_meminfo_t info,
			  uint64_t vaddr, bool kernel_mode)
{
	struct qemu_plugin_hwaddr *hw = qemu_plugin_get_hwaddr(info, vaddr);
	/*
	 * The interface says only whether an access stores.  An atomic
	 * read-modify-write does both, and QEMU keeps that in these bits.
	 */
	unsigned int rw = info >> 16 & QEMU_PLUGIN_MEM_RW;
	enum oracle_set first;
	uint64_t page;

	if (!hw || qemu_plugin_hwaddr_is_io(hw) || in_entry_area(vaddr)) {
		v->other++;
		return;
	}
	page = page_of(host_of(hw));
	if (!(v->accesses & 0xffff))
		ram_check_layout(hw, page);
	if (page == NO_PAGE) {
		v->other++;
		return;
	}
	v->accesses++;
	if (vaddr >> 63)
		first = ORACLE_KERNEL_READ;
	else
		first = kernel_mode ? ORACLE_COPY_READ : ORACLE_USER_READ;
	if (rw & QEMU_PLUGIN_MEM_R)
		set_page(s, first, page);
	if (rw & QEMU_PLUGIN_MEM_W)
		set_page(s, first + 1, page);
}

static void on_access(unsigned int index, qemu_plugin_meminfo_t info, uint64_t vaddr, void *kernel)
{
	uint64_t size = 1ull << qemu_plugin_mem_size_shift(info);
	struct vcpu *v = &vcpus[index];
	struct sets *s = enter(v);

	if (s) {
		record_access(v, s, info, vaddr, kernel);
		if ((vaddr & (PAGE_SIZE - 1)) + size > PAGE_SIZE)
			record_access(v, s, info, (vaddr | (PAGE_SIZE - 1)) + 1, kernel);
	}
	leave(v);
}

/* A block's callback data: 26 bits page, 26 bits second page, 10 bits number
 * of instructions, 1 bit kernel.  The 63 bits spare an allocation a block.
 */
static void *pack_block(uint64_t page, uint64_t page2, uint64_t insns, bool kernel)
{
	return (void *)(page | page2 << 26 | insns << 52 | (uint64_t)kernel << 62);
}

static void on_block(unsigned int index, void *udata)
{
	uint64_t data = (uint64_t)udata, page = data & NO_PAGE, page2 = data >> 26 & NO_PAGE;
	bool kernel = data >> 62 & 1;
	enum oracle_set which = kernel ? ORACLE_KERNEL_FETCH : ORACLE_USER_FETCH;
	struct vcpu *v = &vcpus[index];
	struct sets *s = enter(v);

	if (s) {
		v->insns[kernel] += data >> 52 & 0x3ff;
		if (page != NO_PAGE)
			set_page(s, which, page);
		if (page2 != NO_PAGE)
			set_page(s, which, page2);
	}
	leave(v);
}

static void on_insn(unsigned int index, void *kernel)
{
	struct vcpu *v = &vcpus[index];

	v->insns[!!kernel]++;
}

static struct totals sum(void)
{
	struct totals t = {};

	for (int i = 0; i < nr_vcpus; i++) {
		t.insns[0] += __atomic_load_n(&vcpus[i].insns[0], __ATOMIC_RELAXED);
		t.insns[1] += __atomic_load_n(&vcpus[i].insns[1], __ATOMIC_RELAXED);
		t.accesses += __atomic_load_n(&vcpus[i].accesses, __ATOMIC_RELAXED);
		t.other += __atomic_load_n(&vcpus[i].other, __ATOMIC_RELAXED);
	}
	return t;
}

/*
 * Ends the interval; the next one begins if @go_on.  Bits set by vCPUs between
 * the exchange and their leave() belong to the ended interval: those accesses
 * and the mark are concurrent.
 */
static void cut(uint32_t code, unsigned int index, bool go_on)
{
	struct sets *old = current, *next = old == &banks[0] ? &banks[1] : &banks[0];
	struct totals end;
	uint64_t now = now_ns();
	struct oracle_interval i;

	__atomic_store_n(&current, go_on ? next : NULL, __ATOMIC_RELEASE);
	syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	for (int n = 0; n < nr_vcpus; n++) {
		while (__atomic_load_n(&vcpus[n].busy, __ATOMIC_ACQUIRE))
			;
	}
	end = sum();
	if (old) {
		i = (struct oracle_interval){
			.magic = ORACLE_INTERVAL_MAGIC,
			.seq = seq++,
			.begin_code = begin_code,
			.end_code = code,
			.end_vcpu = index,
			.begin_ns = begin_ns,
			.end_ns = now,
			.insns_user = end.insns[0] - begin_totals.insns[0],
			.insns_kernel = end.insns[1] - begin_totals.insns[1],
			.accesses = end.accesses - begin_totals.accesses,
			.other = end.other - begin_totals.other,
		};
		oracle_write_interval(&out, &i, old->set);
	}
	begin_code = code;
	begin_ns = now;
	begin_totals = end;
}

static void set_instrument(bool on)
{
	if (instrument == on)
		return;
	instrument = on;
	oracle_flush();
}

/* A mark that cuts: the interval ends, and the next begins unless it is STOP. */
static void end_interval(unsigned int index, const struct mark *m)
{
	struct vcpu *v = &vcpus[index];

	/* What follows the mark in its block was counted too early. */
	if (!exact_insns)
		v->insns[m->kernel] -= m->insns_after;
	cut(m->code, index, m->code != ORACLE_CODE_STOP);
	if (!exact_insns && current)
		v->insns[m->kernel] += m->insns_after;
	if (m->page != NO_PAGE && current)
		set_page(current, m->kernel ? ORACLE_KERNEL_FETCH : ORACLE_USER_FETCH, m->page);
}

static void on_mark(unsigned int index, void *udata)
{
	const struct mark *m = udata;

	pthread_mutex_lock(&cut_lock);
	if (m->code == ORACLE_CODE_START || (m->code == ORACLE_CODE_PHASE_BEGIN && have_model)) {
		set_instrument(true);
		ram_find();
		if (m->code == ORACLE_CODE_START && out.f && !current)
			cut(m->code, index, true);
	} else if (current && (m->code == ORACLE_CODE_STOP || m->code >= ORACLE_CODE_FIRST)) {
		end_interval(index, m);
	}
	if (have_model)
		model_mark(index, m->code, m->kernel, m->insns_after);
	if (m->code == ORACLE_CODE_STOP)
		set_instrument(false);
	pthread_mutex_unlock(&cut_lock);
}

static void instrument_block(struct qemu_plugin_tb *tb, size_t n)
{
	struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(tb, 0);
	struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, n - 1);
	void *kernel = (void *)(qemu_plugin_insn_vaddr(first) >> 63);
	uint64_t page = page_of(qemu_plugin_insn_haddr(first));
	uint64_t page2 = page_of(qemu_plugin_insn_haddr(last));

	if (page2 == page || page2 == NO_PAGE)
		page2 = ram_tail_page(last);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS,
					     pack_block(page, page2, exact_insns ? 0 : n, kernel));
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (exact_insns)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_insn,
							       QEMU_PLUGIN_CB_NO_REGS, kernel);
		/* One callback for both kinds: 7.2 stops at the first that
		 * does not match an access made by a helper function.
		 */
		qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, kernel);
	}
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	unsigned int code;

	if (instrument && n) {
		ram_find();
		if (out.f)
			instrument_block(tb, n);
		if (have_model)
			model_instrument(tb, n);
	}
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		struct mark *m;

		if (!oracle_is_mark(insn, &code))
			continue;
		m = malloc(sizeof(*m));
		if (!m)
			oracle_die("out of memory");
		m->code = code;
		m->kernel = qemu_plugin_insn_vaddr(insn) >> 63;
		m->insns_after = instrument ? n - 1 - i : 0;
		m->page = ram.base ? page_of(qemu_plugin_insn_haddr(insn)) : NO_PAGE;
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, QEMU_PLUGIN_CB_NO_REGS, m);
	}
}

static void on_exit_qemu(qemu_plugin_id_t id, void *udata)
{
	pthread_mutex_lock(&cut_lock);
	if (current)
		cut(UINT32_MAX, 0, false);
	if (out.f)
		oracle_write_end(&out);
	if (have_model)
		model_end();
	pthread_mutex_unlock(&cut_lock);
}

static uint64_t parse_ram(const char *s)
{
	char *end;
	uint64_t n = strtoull(s, &end, 10);

	switch (*end) {
	case 'G':
		n <<= 10;
		/* fall through */
	case 'M':
		n <<= 20;
		end++;
	}
	if (*end || n % (64 * PAGE_SIZE))
		oracle_die("%s: not a size", s);
	return n;
}

static void parse_option(const char *opt)
{
	const char *value = strchr(opt, '=');
	size_t len = value ? (size_t)(value - opt) : strlen(opt);

	if (value)
		value++;
	if (value && len == 3 && !strncmp(opt, "out", 3)) {
		oracle_write_begin(&out, value);
	} else if (value && len == 3 && !strncmp(opt, "ram", 3)) {
		ram.pages = parse_ram(value) >> PAGE_SHIFT;
	} else if (value && len == 5 && !strncmp(opt, "split", 5)) {
		ram.hole = parse_ram(value) >> PAGE_SHIFT;
	} else if (value && len == 5 && !strncmp(opt, "insns", 5)) {
		if (strcmp(value, "exact") && strcmp(value, "blocks"))
			oracle_die("%s: exact or blocks", opt);
		exact_insns = !strcmp(value, "exact");
	} else if (!model_option(opt)) {
		oracle_die("%s: unknown option", opt);
	}
}

/* The sets of pages, and the head of the file they go to. */
static void begin_sets(void)
{
	struct oracle_header h = {
		.magic = ORACLE_FILE_MAGIC,
		.version = ORACLE_FILE_VERSION,
		.nr_sets = ORACLE_NR_SETS,
		.max_pfn = page_address(ram.pages - 1) / PAGE_SIZE + 1,
		.hole_pfn = ram.hole,
		.nr_vcpus = nr_vcpus,
		.exact_insns = exact_insns,
	};

	out.nr_words = ram.pages / 64;
	out.hole_word = ram.hole / 64;
	for (int b = 0; b < 2; b++) {
		for (int s = 0; s < ORACLE_NR_SETS; s++) {
			banks[b].set[s] = calloc(out.nr_words, 8);
			if (!banks[b].set[s])
				oracle_die("out of memory");
		}
	}
	oracle_write_header(&out, &h);
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
				      char **argv)
{
	const char *lacking;

	for (int i = 0; i < argc; i++)
		parse_option(argv[i]);
	if (!ram.pages || !ram.hole)
		oracle_die("needs ram=SIZE and split=SIZE");
	if (strcmp(info->target_name, "x86_64") || !info->system_emulation)
		oracle_die("made for qemu-system-x86_64");
	if (ram.pages >= NO_PAGE || info->system.max_vcpus > MAX_VCPUS)
		oracle_die("at most %d CPUs and %llu pages", MAX_VCPUS, NO_PAGE - 1);
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0))
		oracle_die("membarrier: %s", strerror(errno));
	nr_vcpus = info->system.max_vcpus;
	if (ram.hole > ram.pages)
		ram.hole = ram.pages;
	have_model = model_begin(nr_vcpus, exact_insns);
	if (!out.f && !have_model)
		oracle_die("needs out=FILE, or cache=SPEC and counts=FILE");
	lacking = oracle_qemu_begin(id, info);
	if (lacking)
		oracle_die("this QEMU does not export %s; Debian's does", lacking);
	if (out.f)
		begin_sets();

	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, on_exit_qemu, NULL);
	return 0;
}
