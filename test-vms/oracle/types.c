// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * An oracle for data types: counts the accesses to each type of the kernel, and the classes
 * of their misses in a CPU's cache.
 *
 *	-plugin libtypes.so,out=FILE[,cache=BYTES:WAYS][,nmi=ADDRESS][,count=ops][,misses=loads]
 *
 * The module oracle_objects says what lies where (struct oracle_object).  From
 * ORACLE_CODE_START on every access of every CPU goes through a simulation; phases
 * (ORACLE_CODE_PHASE_BEGIN and _END) are counted.  At ORACLE_CODE_STOP,
 *
 *	type ID READS WRITES COLD TRUE FALSE CONFLICT CAPACITY
 *	region NAME READS WRITES COLD TRUE FALSE CONFLICT CAPACITY
 *
 * of accesses by the kernel and by programs; regions are what is of no type.  What
 * handlers of NMIs access (their entry is at ADDRESS: asm_exc_nmi) is not counted.
 *
 * Simulated is a private cache of each CPU (default 512 KiB, 8 ways, lines of 64
 * bytes, LRU, by physical address), kept coherent: a store takes the line from all
 * others.  A miss is (M. Hill, "Aspects of Cache Memory", 1987, for the last two)
 *	cold		the CPU never had the line
 *	true, false	another CPU's stores took it, and changed the words now
 *			accessed, or only others
 *	conflict	evicted, but a fully associative cache of the size would have it
 *	capacity	evicted by that one, too
 * With misses=loads, classes are those of loads alone, as sampling hardware has them: and of
 * read-modify-writes whose load hits a line that other CPUs have, too.  Their copies have to
 * go, which is sharing: true, if another CPU used the words since it had the line.
 *
 * With count=ops, a last number of each line is what sampling of instructions can tell of
 * its reads and writes: see ops.h.
 *
 * For CPUs that take turns (--accel tcg or icount).
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mark.h"
#include "module/objects.h"
#include "ops.h"
#include "qemu.h"
#include "regions.h"

PLUGIN_EXPORT int qemu_plugin_version = 1;

#define MAX_CPUS 8
#define LINE_SHIFT 6
#define PAGE_SHIFT 12
#define MAX_TYPES 65536
#define NONE UINT32_MAX

enum { READS, WRITES, COLD, TRUE_SHARING, FALSE_SHARING, CONFLICT, CAPACITY, OPS, NR_COUNTS };
enum { NEVER, HELD, EVICTED, TAKEN };

/* What each CPU knows of a line. */
struct line {
	uint64_t number;	/* 0: the slot is free */
	uint8_t state[MAX_CPUS];
	uint8_t changed[MAX_CPUS];	/* words stored to by others since it was TAKEN */
	uint8_t used[MAX_CPUS];		/* words accessed since it was HELD */
	uint32_t node[MAX_CPUS];	/* in the fully associative cache, or NONE */
};

/* A fully associative cache: a list, the most recent first. */
struct node {
	uint64_t line;
	uint32_t prev, next;
};

struct cpu {
	uint64_t *way;		/* sets x ways, each set the most recent first; 0: empty */
	struct node *nodes;	/* number lines + 1: the last is the list's head */
	uint32_t used;
	int in_nmi;
	struct ops ops;
	uint64_t mailbox, last_store;	/* virtual addresses */
	struct { uint64_t insn, addr; bool hit; } load;	/* the last */
};

/* Types of the 8-byte words of a page of the kernel's addresses. */
struct page {
	uint64_t number;	/* 0: the slot is free */
	uint16_t type[512];
};

static struct cpu cpus[MAX_CPUS];
static int nr_cpus;
static unsigned int nr_sets, nr_ways = 8;
static uint64_t cache_bytes = 512 << 10;
static struct line *lines;
static size_t nr_lines, line_slots = 1 << 16;
static struct page **pages;
static size_t nr_pages, page_slots = 1 << 12;
static uint64_t type_count[MAX_TYPES][NR_COUNTS], region_count[NR_REGIONS][NR_COUNTS];
static int recording, counting;
static uint64_t nmi_entry;
static int count_ops;
static uint64_t insns;		/* number of the instruction that runs, if these count */
static int loads_alone;
static FILE *out;

static void *must(void *p)
{
	if (!p) {
		fprintf(stderr, "types: no memory\n");
		exit(1);
	}
	return p;
}

static size_t hash(uint64_t n)
{
	return n * 0x9e3779b97f4a7c15ull >> 24;
}

/* --- what lies where ------------------------------------------------------ */

static struct page **page_slot(uint64_t number)
{
	size_t i = hash(number) & (page_slots - 1);

	while (pages[i] && pages[i]->number != number)
		i = (i + 1) & (page_slots - 1);
	return &pages[i];
}

static struct page *page_of(uint64_t number)
{
	struct page **slot = page_slot(number);

	if (*slot)
		return *slot;
	if (2 * nr_pages >= page_slots) {
		struct page **old = pages;

		page_slots *= 2;
		pages = must(calloc(page_slots, sizeof(*pages)));
		for (size_t i = 0; i < page_slots / 2; i++)
			if (old[i])
				*page_slot(old[i]->number) = old[i];
		free(old);
		slot = page_slot(number);
	}
	*slot = must(calloc(1, sizeof(**slot)));
	(*slot)->number = number;
	nr_pages++;
	return *slot;
}

static void place(const struct oracle_object *o)
{
	uint64_t end = o->base + o->size;

	for (uint64_t at = o->base & ~7ull; at < end;) {
		struct page *page = o->type ? page_of(at >> PAGE_SHIFT) : *page_slot(at >> PAGE_SHIFT);

		/* Of no type, and it never was of one. */
		if (!page) {
			at = (at | 4095) + 1;
			continue;
		}
		do {
			page->type[at >> 3 & 511] = o->type;
			at += 8;
		} while (at < end && at & 4095);
	}
}

static uint64_t *count_of(uint64_t vaddr)
{
	struct page *page;

	if (vaddr >> 63) {
		page = *page_slot(vaddr >> PAGE_SHIFT);
		if (page && page->type[vaddr >> 3 & 511])
			return type_count[page->type[vaddr >> 3 & 511]];
	}
	return region_count[region_of(vaddr)];
}

/* --- the caches ------------------------------------------------------------ */

static struct line *line_slot(uint64_t number)
{
	size_t i = hash(number) & (line_slots - 1);

	while (lines[i].number && lines[i].number != number)
		i = (i + 1) & (line_slots - 1);
	return &lines[i];
}

static struct line *line_of(uint64_t number)
{
	struct line *line = line_slot(number);

	if (line->number)
		return line;
	if (2 * nr_lines >= line_slots) {
		struct line *old = lines;

		line_slots *= 2;
		lines = must(calloc(line_slots, sizeof(*lines)));
		for (size_t i = 0; i < line_slots / 2; i++)
			if (old[i].number)
				*line_slot(old[i].number) = old[i];
		free(old);
		line = line_slot(number);
	}
	line->number = number;
	memset(line->node, 0xff, sizeof(line->node));
	nr_lines++;
	return line;
}

static void unlink_node(struct cpu *c, uint32_t n)
{
	c->nodes[c->nodes[n].prev].next = c->nodes[n].next;
	c->nodes[c->nodes[n].next].prev = c->nodes[n].prev;
}

static void link_node(struct cpu *c, uint32_t n, uint32_t after)
{
	c->nodes[n].prev = after;
	c->nodes[n].next = c->nodes[after].next;
	c->nodes[c->nodes[n].next].prev = n;
	c->nodes[after].next = n;
}

/* The fully associative cache accesses the line.  True if it had it. */
static int touch_full(struct cpu *c, int cpu, struct line *line)
{
	uint32_t head = nr_sets * nr_ways, n = line->node[cpu];
	int was_cached = n != NONE;

	if (was_cached) {
		unlink_node(c, n);
	} else {
		if (c->used < head) {
			n = c->used++;
		} else {
			/* Empty ones, of lines that were taken, are last. */
			n = c->nodes[head].prev;
			unlink_node(c, n);
			if (c->nodes[n].line)
				line_of(c->nodes[n].line)->node[cpu] = NONE;
		}
		c->nodes[n].line = line->number;
		line->node[cpu] = n;
	}
	link_node(c, n, head);
	return was_cached;
}

static void take(int cpu, struct line *line)
{
	struct cpu *c = &cpus[cpu];
	uint64_t *set = &c->way[line->number % nr_sets * nr_ways];
	uint32_t head = nr_sets * nr_ways, n = line->node[cpu];
	unsigned int i;

	for (i = 0; i < nr_ways && set[i] != line->number; i++)
		;
	if (i < nr_ways) {
		memmove(&set[i], &set[i + 1], (nr_ways - 1 - i) * sizeof(*set));
		set[nr_ways - 1] = 0;
	}
	if (n != NONE) {
		unlink_node(c, n);
		link_node(c, n, c->nodes[head].prev);
		c->nodes[n].line = 0;
		line->node[cpu] = NONE;
	}
}

/* The most recent of its set.  What falls out is EVICTED. */
static void hold(int cpu, struct line *line)
{
	uint64_t *set = &cpus[cpu].way[line->number % nr_sets * nr_ways];
	unsigned int i;

	for (i = 0; i < nr_ways - 1 && set[i] != line->number; i++)
		;
	if (set[i] && set[i] != line->number)
		line_of(set[i])->state[cpu] = EVICTED;
	memmove(&set[1], &set[0], i * sizeof(*set));
	set[0] = line->number;
}

static int miss(int cpu, const struct line *line, unsigned int words, int full)
{
	switch (line->state[cpu]) {
	case NEVER:
		return COLD;
	case TAKEN:
		return line->changed[cpu] & words ? TRUE_SHARING : FALSE_SHARING;
	default:
		return full ? CONFLICT : CAPACITY;
	}
}

/* What a read-modify-write whose load hits waits for; 0: nothing. */
static int claim(int cpu, const struct line *line, unsigned int words)
{
	int class = 0;

	for (int other = 0; other < nr_cpus; other++)
		if (other != cpu && line->state[other] == HELD && class != TRUE_SHARING)
			class = line->used[other] & words ? TRUE_SHARING : FALSE_SHARING;
	return class;
}

/*
 * @words: which 8 bytes of the line, a bit each
 * @modify: it is the store of a read-modify-write whose load hit
 *
 * Returns whether the line was there.
 */
static bool access_line(int cpu, uint64_t number, unsigned int words, int rw, bool modify,
			uint64_t *count)
{
	struct line *line = line_of(number);
	bool hit = line->state[cpu] == HELD;
	int full;

	/* Nothing below adds lines, which would move them. */
	full = touch_full(&cpus[cpu], cpu, line);
	if (counting && !cpus[cpu].in_nmi) {
		count[READS] += rw & 1;
		count[WRITES] += rw >> 1;
		if (!hit && (rw & 1 || !loads_alone))
			count[miss(cpu, line, words, full)]++;
		else if (hit && loads_alone && (modify || rw == 3) && claim(cpu, line, words))
			count[claim(cpu, line, words)]++;
	}
	hold(cpu, line);
	line->used[cpu] = (hit ? line->used[cpu] : 0) | words;
	line->state[cpu] = HELD;
	if (!(rw & 2))
		return hit;
	for (int other = 0; other < nr_cpus; other++) {
		if (other == cpu)
			continue;
		/* Also what a fully associative cache would still have held. */
		if (line->state[other] == HELD || line->node[other] != NONE) {
			take(other, line);
			line->state[other] = TAKEN;
			line->changed[other] = words;
		} else if (line->state[other] == TAKEN) {
			line->changed[other] |= words;
		}
	}
	return hit;
}

/* --- QEMU ------------------------------------------------------------------- */

static void on_access(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *udata)
{
	struct qemu_plugin_hwaddr *hw = qemu_plugin_get_hwaddr(info, vaddr);
	uint64_t bytes = 1ull << qemu_plugin_mem_size_shift(info), at, last, *count;
	int rw = info >> 16 & QEMU_PLUGIN_MEM_RW;
	struct cpu *c = &cpus[cpu];
	bool modify, hit = true;

	if (!recording || !hw || qemu_plugin_hwaddr_is_io(hw))
		return;
	/*
	 * The address in the host (plugin_ram.h has why), or the guest's physical one
	 * with the QEMU of test-vms/qemu-ibs: either tells lines apart.
	 */
	memcpy(&at, (const char *)hw + 8, sizeof(at));
	if (!at)
		return;
	if (rw & 2)
		c->last_store = vaddr;
	modify = rw == 2 && c->load.hit && c->load.insn == insns && c->load.addr == vaddr;
	/* What goes on into another page is counted with the first. */
	last = at + bytes - 1;
	if ((at ^ last) >> PAGE_SHIFT)
		last = at | ((1 << PAGE_SHIFT) - 1);
	count = count_of(vaddr);
	if (count_ops && counting && !cpus[cpu].in_nmi)
		ops_add(&cpus[cpu].ops, insns, vaddr, bytes, rw, (bool)udata, &count[OPS]);
	while (at <= last) {
		uint64_t end = at | ((1 << LINE_SHIFT) - 1);
		unsigned int first_word = at >> 3 & 7, last_word;

		if (end > last)
			end = last;
		last_word = end >> 3 & 7;
		hit &= access_line(cpu, at >> LINE_SHIFT, (2u << last_word) - (1u << first_word), rw, modify,
				   count);
		at = end + 1;
	}
	if (rw & 1) {
		c->load.insn = insns;
		c->load.addr = vaddr;
		c->load.hit = hit;
	}
}

static void print_counts(const char *what, const uint64_t *count)
{
	uint64_t any = 0;

	for (int i = 0; i < NR_COUNTS; i++)
		any |= count[i];
	if (!any)
		return;
	fputs(what, out);
	for (int i = 0; i < OPS; i++)
		fprintf(out, " %llu", (unsigned long long)count[i]);
	if (count_ops)
		fprintf(out, " %.3f", count[OPS] / (double)OPS_UNIT);
	fputc('\n', out);
}

static void stop(void)
{
	char what[64];

	recording = counting = 0;
	for (int i = 0; i < nr_cpus; i++)
		ops_flush(&cpus[i].ops);
	for (int i = 1; i < MAX_TYPES; i++) {
		snprintf(what, sizeof(what), "type %d", i);
		print_counts(what, type_count[i]);
	}
	for (size_t i = 0; i < NR_REGIONS; i++) {
		snprintf(what, sizeof(what), "region %s", regions[i].name);
		print_counts(what, region_count[i]);
	}
	fflush(out);
}

static void on_mark(unsigned int cpu, void *udata)
{
	struct cpu *c = &cpus[cpu];
	struct oracle_object o;

	switch ((uintptr_t)udata) {
	case ORACLE_CODE_START:
		recording = 1;
		oracle_flush();
		break;
	case ORACLE_CODE_STOP:
		if (recording)
			stop();
		oracle_flush();
		break;
	case ORACLE_CODE_PHASE_BEGIN:
		counting = recording;
		break;
	case ORACLE_CODE_PHASE_END:
		counting = 0;
		break;
	case ORACLE_CODE_MAILBOX:
		/* Its last field is what was stored just before. */
		c->mailbox = c->last_store - offsetof(struct oracle_object, type);
		break;
	case ORACLE_CODE_OBJECT:
		if (c->mailbox && !oracle_qemu.read(oracle_current_cpu(), c->mailbox, &o, sizeof(o), false) &&
		    o.type < MAX_TYPES && o.size < 1 << 30)
			place(&o);
		break;
	}
}

static void on_nmi(unsigned int cpu, void *udata)
{
	cpus[cpu].in_nmi = 1;
}

static void on_iret(unsigned int cpu, void *udata)
{
	cpus[cpu].in_nmi = 0;
}

/* XSAVE and its like, CMPXCHG16B: QEMU has functions for them. */
static bool is_by_helper(const struct qemu_plugin_insn *insn)
{
	const unsigned char *p = qemu_plugin_insn_data(insn);
	size_t size = qemu_plugin_insn_size(insn);

	/* After prefixes: LOCK, operand size, REX. */
	while (size > 1 && (*p == 0xf0 || *p == 0x66 || (*p & 0xf0) == 0x40))
		p++, size--;
	return size > 2 && p[0] == 0x0f && (p[1] == 0xae || p[1] == 0xc7) && p[2] >> 6 != 3;
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		unsigned int code;

		if (nmi_entry && qemu_plugin_insn_vaddr(insn) == nmi_entry)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_nmi,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
		if (nmi_entry && oracle_is_iret(insn))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_iret,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
		if (oracle_is_mark(insn, &code))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, QEMU_PLUGIN_CB_NO_REGS,
							       (void *)(uintptr_t)code);
		if (!recording)
			continue;
		if (count_ops || loads_alone)
			qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64,
								   &insns, 1);
		qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW,
						 (void *)(uintptr_t)is_by_helper(insn));
	}
}

static void on_exit_qemu(qemu_plugin_id_t id, void *udata)
{
	if (recording)
		stop();
	oracle_end(out, "types");
}

static int begin_caches(void)
{
	uint64_t n = cache_bytes >> LINE_SHIFT;

	nr_sets = nr_ways ? n / nr_ways : 0;
	if (!nr_sets || nr_sets & (nr_sets - 1) || (uint64_t)nr_sets * nr_ways != n) {
		fprintf(stderr, "types: cache=: the number of sets is no power of 2\n");
		return -1;
	}
	lines = must(calloc(line_slots, sizeof(*lines)));
	pages = must(calloc(page_slots, sizeof(*pages)));
	for (int i = 0; i < nr_cpus; i++) {
		cpus[i].way = must(calloc(n, sizeof(*cpus[i].way)));
		cpus[i].nodes = must(calloc(n + 1, sizeof(*cpus[i].nodes)));
		cpus[i].nodes[n].prev = cpus[i].nodes[n].next = n;
	}
	return 0;
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
				      char **argv)
{
	const char *path = NULL;

	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4)) {
			path = argv[i] + 4;
		} else if (!strncmp(argv[i], "nmi=", 4)) {
			nmi_entry = strtoull(argv[i] + 4, NULL, 16);
		} else if (!strcmp(argv[i], "count=ops")) {
			count_ops = 1;
		} else if (!strcmp(argv[i], "misses=loads")) {
			loads_alone = 1;
		} else if (sscanf(argv[i], "cache=%lu:%u", &cache_bytes, &nr_ways) != 2) {
			fprintf(stderr, "types: %s: out=FILE, cache=BYTES:WAYS, nmi=ADDRESS, count=ops or misses=loads\n",
				argv[i]);
			return -1;
		}
	}
	out = oracle_begin(id, info, "types", path, MAX_CPUS);
	if (!out)
		return -1;
	nr_cpus = info->system.max_vcpus;
	if (begin_caches())
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, on_exit_qemu, NULL);
	return 0;
}
