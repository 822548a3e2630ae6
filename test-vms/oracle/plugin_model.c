// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * liboracle: feeds the cache model with the guest's accesses, by physical
 * address, and cuts what it counts into phases.
 *
 * Whose accesses: a kernel module in the guest (test-vms/oracle/module) makes a
 * mark whenever a CPU goes from one task to another, so that a CPU is `fed' while
 * it runs a process of interest.  From mark to mark no other task can run on that
 * CPU, so what is user mode's there is that process' own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mark.h"
#include "plugin.h"
#include "plugin_model.h"
#include "plugin_ram.h"

#define FETCH_KERNEL (1ull << 63)

struct model_cpu {
	bool fed;		/* accesses go to the model now */
	uint64_t accesses;
} __attribute__((aligned(64)));

static struct {
	char *spec;		/* caches, separated by commas */
	const char *trace;
	uint64_t seed;
	bool data, fetch;
	bool user_only, traced_only;
	bool empty;		/* the caches, when a phase begins */
	const char *who, *what;
} opt = { .seed = 1, .data = true, .who = "all", .what = "data" };

static struct cache_model *model;
static struct model_counts counts;
static struct model_cpu cpus[CACHE_MAX_CPUS];
static uint64_t insns[CACHE_MAX_CPUS];
static unsigned int nr_cpus;
static bool exact;
static FILE *trace;
static uint32_t phase;		/* the current, or the next */
static bool in_phase, fed_in_phase;

static void take_who(const char *value)
{
	static const struct {
		const char *name;
		bool user_only, traced_only;
	} whos[] = {
		{ "all", false, false },	{ "user", true, false },
		{ "traced", true, true },	{ "traced+kernel", false, true },
	};

	for (size_t i = 0; i < sizeof(whos) / sizeof(whos[0]); i++) {
		if (strcmp(value, whos[i].name))
			continue;
		opt.who = whos[i].name;
		opt.user_only = whos[i].user_only;
		opt.traced_only = whos[i].traced_only;
		return;
	}
	oracle_die("who=%s: all, user, traced or traced+kernel", value);
}

static void take_what(const char *value)
{
	opt.data = !strcmp(value, "data") || !strcmp(value, "all");
	opt.fetch = !strcmp(value, "fetch") || !strcmp(value, "all");
	if (!opt.data && !opt.fetch)
		oracle_die("what=%s: data, fetch or all", value);
	opt.what = strdup(value);
}

static void take_cache(const char *value)
{
	char *old = opt.spec;

	if (asprintf(&opt.spec, "%s%s%s", old ? old : "", old ? "," : "", value) < 0)
		oracle_die("out of memory");
	free(old);
}

bool model_option(const char *option)
{
	const char *value = strchr(option, '=');
	size_t len = value ? (size_t)(value - option) : 0;
	char *end;

	if (!value)
		return false;
	value++;
	if (len == 5 && !strncmp(option, "cache", 5)) {
		take_cache(value);
	} else if (len == 6 && !strncmp(option, "counts", 6)) {
		counts.path = strdup(value);
	} else if (len == 3 && !strncmp(option, "who", 3)) {
		take_who(value);
	} else if (len == 4 && !strncmp(option, "what", 4)) {
		take_what(value);
	} else if (len == 5 && !strncmp(option, "trace", 5)) {
		opt.trace = strdup(value);
	} else if (len == 4 && !strncmp(option, "seed", 4)) {
		opt.seed = strtoull(value, &end, 0);
		if (*end || end == value)
			oracle_die("%s: not a number", option);
	} else if (len == 5 && !strncmp(option, "begin", 5)) {
		opt.empty = !strcmp(value, "empty");
		if (!opt.empty && strcmp(value, "keep"))
			oracle_die("%s: keep or empty", option);
	} else {
		return false;
	}
	return true;
}

/* A cache that would see nothing is a mistake in the description. */
static void check_kinds(void)
{
	unsigned int kinds = opt.data << CACHE_DATA | opt.fetch << CACHE_FETCH;

	for (unsigned int i = 0; i < cache_model_nr(model); i++) {
		const struct cache_shape *s = cache_model_shape(model, i);

		if (!(s->kinds & kinds))
			oracle_die("cache=%s: takes none of what=%s", s->name, opt.what);
	}
	if (opt.data && !cache_model_line(model, CACHE_DATA))
		oracle_die("what=%s: no cache takes data accesses", opt.what);
	if (opt.fetch && !cache_model_line(model, CACHE_FETCH))
		oracle_die("what=%s: no cache takes fetches", opt.what);
}

bool model_begin(unsigned int nr, bool exact_insns)
{
	char error[CACHE_ERROR_LEN];

	if (!opt.spec && !counts.path && !opt.trace)
		return false;
	if (!opt.spec || !counts.path)
		oracle_die("cache=SPEC and counts=FILE go together");
	model = cache_model_new(opt.spec, nr, opt.seed, error);
	if (!model)
		oracle_die("cache=%s", error);
	check_kinds();
	nr_cpus = nr;
	exact = exact_insns;
	for (unsigned int i = 0; i < nr; i++)
		cpus[i].fed = !opt.traced_only;
	counts_open(&counts, model, nr);
	counts_comment(&counts, "who: %s", opt.who);
	counts_comment(&counts, "what: %s", opt.what);
	counts_comment(&counts, "begin: %s", opt.empty ? "empty" : "keep");
	counts_comment(&counts, "seed: %llu", (unsigned long long)opt.seed);
	counts_head(&counts);
	if (opt.trace) {
		trace = fopen(opt.trace, "wb");
		if (!trace)
			oracle_die("%s: %s", opt.trace, strerror(errno));
	}
	return true;
}

/* The order of accesses is what is modeled: one CPU runs at a time. */
static void check_thread(void)
{
	static pthread_t only;
	static bool known;

	if (!known) {
		only = pthread_self();
		known = true;
	} else if (!pthread_equal(only, pthread_self())) {
		oracle_die("the cache model needs -accel tcg,thread=single");
	}
}

static void put_trace(unsigned int index, uint64_t address, unsigned int size, char kind,
		      bool kernel)
{
	struct model_trace t = {
		.address = address,
		.phase = phase,
		.cpu = index,
		.size = size,
		.kind = kind,
		.kernel = kernel,
	};

	if (in_phase && fwrite(&t, sizeof(t), 1, trace) != 1)
		oracle_die("%s: %s", opt.trace, strerror(errno));
}

/*
 * Whether an access is made in user mode: its low bits have the index of the TLB
 * it goes through, one for each mode.  Of which block it is does not tell: QEMU
 * 7.2 calls a user block's callbacks also for accesses in functions of its own
 * on behalf of the next, uninstrumented block, such as iretq's.
 *
 * Indices differ from one 7.2 to another: the first access that is user mode's
 * for sure shows which they are.
 */
static bool user_mode(qemu_plugin_meminfo_t info, uint64_t vaddr, bool kernel_block)
{
	static unsigned int user_modes;
	unsigned int index = info & 15;

	if (!user_modes && !kernel_block && !(vaddr >> 63)) {
		if (index != 1 && index != 2 && index != 3)
			oracle_die("this QEMU's modes are not understood: user mode is %u", index);
		/* Either one for user mode, or one each for 64 and 32 bits. */
		user_modes = index == 1 ? 1 << 1 : 1 << 2 | 1 << 3;
	}
	return user_modes >> index & 1;
}

static void feed(unsigned int index, qemu_plugin_meminfo_t info, uint64_t vaddr, unsigned int size,
		 bool kernel)
{
	static const char kinds[] = { 'r', 'r', 'w', 'a' };
	struct qemu_plugin_hwaddr *hw = qemu_plugin_get_hwaddr(info, vaddr);
	struct model_cpu *c = &cpus[index];
	uint64_t page, address;

	if (!hw || qemu_plugin_hwaddr_is_io(hw) || in_entry_area(vaddr))
		return;
	page = page_of(host_of(hw));
	if (!(c->accesses++ & 0xffff)) {
		check_thread();
		ram_check_layout(hw, page);
	}
	if (page == NO_PAGE)
		return;
	address = page_address(page) | (vaddr & (PAGE_SIZE - 1));
	cache_model_access(model, index, CACHE_DATA, address, size);
	if (trace)
		put_trace(index, address, size, kinds[info >> 16 & QEMU_PLUGIN_MEM_RW], kernel);
}

static void on_access(unsigned int index, qemu_plugin_meminfo_t info, uint64_t vaddr,
		      void *kernel_block)
{
	unsigned int size, left;
	bool kernel;

	if (!cpus[index].fed)
		return;
	kernel = !user_mode(info, vaddr, kernel_block);
	if (kernel && opt.user_only)
		return;
	size = 1u << qemu_plugin_mem_size_shift(info);
	left = PAGE_SIZE - (vaddr & (PAGE_SIZE - 1));
	if (size <= left) {
		feed(index, info, vaddr, size, kernel);
	} else {
		feed(index, info, vaddr, left, kernel);
		feed(index, info, vaddr + left, size - left, kernel);
	}
}

static void on_fetch(unsigned int index, void *udata)
{
	uint64_t address = (uint64_t)udata & ~FETCH_KERNEL;

	if (!cpus[index].fed)
		return;
	cache_model_access(model, index, CACHE_FETCH, address, 1);
	if (trace)
		put_trace(index, address, 1, 'f', (uint64_t)udata >> 63);
}

static void on_block(unsigned int index, void *n)
{
	if (cpus[index].fed)
		insns[index] += (uintptr_t)n;
}

/* Has a fetch of the line that byte @vaddr, on @page, is in, when @insn executes. */
static void watch_line(struct qemu_plugin_insn *insn, uint64_t vaddr, uint64_t page)
{
	uint64_t address = page_address(page) | (vaddr & (PAGE_SIZE - 1));
	uint64_t kernel = vaddr >> 63 ? FETCH_KERNEL : 0;

	address &= ~(cache_model_line(model, CACHE_FETCH) - 1ull);
	if (page != NO_PAGE)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_fetch, QEMU_PLUGIN_CB_NO_REGS,
						       (void *)(address | kernel));
}

/*
 * One fetch for each line an instruction is the first in its block to reach: the
 * fetches between would find the line where it was just found.
 */
static void watch_fetches(struct qemu_plugin_tb *tb, size_t n)
{
	uint64_t mask = ~(cache_model_line(model, CACHE_FETCH) - 1ull), known = 1;

	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t first = qemu_plugin_insn_vaddr(insn);
		uint64_t last = first + qemu_plugin_insn_size(insn) - 1;
		uint64_t page = page_of(qemu_plugin_insn_haddr(insn));

		if ((first & mask) != known)
			watch_line(insn, first, page);
		if ((last & mask) != (first & mask)) {
			if ((first ^ last) >= PAGE_SIZE)
				page = ram_tail_page(insn);
			watch_line(insn, last, page);
		}
		known = last & mask;
	}
}

void model_instrument(struct qemu_plugin_tb *tb, size_t n)
{
	void *kernel = (void *)(qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0)) >> 63);

	if (kernel && opt.user_only)
		return;
	if (!exact)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS,
						     (void *)n);
	if (opt.fetch)
		watch_fetches(tb, n);
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (exact)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_block,
							       QEMU_PLUGIN_CB_NO_REGS, (void *)1);
		/* For both kinds, as in plugin.c. */
		if (opt.data)
			qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
							 QEMU_PLUGIN_MEM_RW, kernel);
	}
}

static void end_phase(void)
{
	if (!in_phase)
		return;
	if (!fed_in_phase)
		counts_comment(&counts, "phase %u: no traced process ran", phase);
	counts_write(&counts, phase, insns);
	in_phase = false;
	phase++;
}

static void begin_phase(void)
{
	end_phase();
	if (opt.empty)
		cache_model_empty(model);
	counts_begin(&counts, insns);
	in_phase = true;
	fed_in_phase = false;
	for (unsigned int i = 0; i < nr_cpus; i++)
		fed_in_phase |= cpus[i].fed;
}

void model_mark(unsigned int index, uint16_t code, bool kernel, unsigned int insns_after)
{
	struct model_cpu *c = &cpus[index];
	/* Counted already, though they come after the mark. */
	uint64_t after = exact || !c->fed || (kernel && opt.user_only) ? 0 : insns_after;

	switch (code) {
	case ORACLE_CODE_PHASE_BEGIN:
		insns[index] -= after;
		begin_phase();
		insns[index] += after;
		break;
	case ORACLE_CODE_EMPTY:
		cache_model_empty(model);
		break;
	case ORACLE_CODE_PHASE_END:
	case ORACLE_CODE_STOP:
		insns[index] -= after;
		end_phase();
		insns[index] += after;
		break;
	case ORACLE_CODE_TRACED:
	case ORACLE_CODE_UNTRACED:
		/* Only the kernel knows. */
		if (!kernel || !opt.traced_only || c->fed == (code == ORACLE_CODE_TRACED))
			break;
		c->fed = code == ORACLE_CODE_TRACED;
		fed_in_phase |= c->fed;
		if (c->fed && !exact && !opt.user_only)
			insns[index] += insns_after;
		else
			insns[index] -= after;
		break;
	}
}

void model_end(void)
{
	if (in_phase)
		counts_comment(&counts, "phase %u: the guest ended in it", phase);
	end_phase();
	counts_close(&counts);
	if (trace && fclose(trace))
		oracle_die("%s: %s", opt.trace, strerror(errno));
}
