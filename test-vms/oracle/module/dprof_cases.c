// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Planted cases for dprof, made up from a seed: faults of each kind, and of each kind
 * cases with the fault mended.  insmod plays them one after another on CPUs 0 and 1,
 * each with a slab cache of its own (case_NNN), and returns when all were played.
 *
 * What was planted is printed, a line each, for the test that judges:
 *
 *	dprof_cases: NNN KIND fault|mended alloc=F writer=F write_at=N reader=F read_at=N lines=N
 *
 * true_sharing		CPU 0 writes a field that CPU 1 reads; mended: of other objects
 * false_sharing	CPU 0 writes a field, CPU 1 reads another of the line; mended:
 *			of another line
 * false_between	the same in two objects that share a line; mended: aligned to lines
 * conflict		objects 4 KiB apart, more than an L1 has ways; mended: packed
 * capacity		more objects than an L1 has lines; mended: few
 * queue		CPU 0 allocates and fills, CPU 1 reads and frees; mended: CPU 0 does
 * backlog		objects wait in a line that is longer than an L1; mended: short
 *
 * With atomic=1 other kinds: of a field that both CPUs read and write at once, or of two on
 * a line, see cases_atomic.h; mended: of other objects.
 */
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "cases_atomic.h"
#include "two_cpus.h"

static unsigned int seed = 1;
module_param(seed, uint, 0);
static unsigned int cases = 112;
module_param(cases, uint, 0);
static unsigned int accesses = 60000;
module_param(accesses, uint, 0);
MODULE_PARM_DESC(accesses, "of a CPU in each case");
static bool atomic;
module_param(atomic, bool, 0);
MODULE_PARM_DESC(atomic, "cases of read-modify-writes");

#define LINE		64
#define MAX_OBJECTS	3072
#define NR_FUNCTIONS	8
#define NR_SLOTS	32

static const char * const kinds[] = {
	"true_sharing", "false_sharing", "false_between", "conflict", "capacity", "queue",
	"backlog",
};
/* ATOMIC: of cases_atomic[], by number. */
enum { TRUE_SHARING, FALSE_SHARING, FALSE_BETWEEN, CONFLICT, CAPACITY, QUEUE, BACKLOG, NR_KINDS,
       ATOMIC = NR_KINDS };

/* @depth: of the backlog; @lines: that each object is accessed on */
struct one {
	unsigned int kind, size, align, count, depth, lines, write_at, read_at;
	unsigned int alloc, write, read;
	const struct cases_atomic *op;
	bool mended;
};

/* Each function in several copies; the comments keep the compiler from making them one. */
#define FUNCTIONS(n)							\
static noinline void *cases_alloc_##n(struct kmem_cache *c)		\
{									\
	asm volatile("# " #n);						\
	return kmem_cache_alloc(c, GFP_KERNEL);				\
}									\
static noinline void cases_write_##n(void **o, unsigned int nr, unsigned int at, unsigned int lines) \
{									\
	unsigned int i, k;						\
									\
	asm volatile("# " #n);						\
	for (i = 0; i < nr; i++)					\
		for (k = 0; k < lines; k++)				\
			WRITE_ONCE(*(u64 *)(o[i] + at + k * LINE), i);	\
}									\
static noinline void cases_read_##n(void **o, unsigned int nr, unsigned int at, unsigned int lines) \
{									\
	unsigned int i, k;						\
									\
	asm volatile("# " #n);						\
	for (i = 0; i < nr; i++)					\
		for (k = 0; k < lines; k++)				\
			READ_ONCE(*(u64 *)(o[i] + at + k * LINE));	\
}

FUNCTIONS(0) FUNCTIONS(1) FUNCTIONS(2) FUNCTIONS(3)
FUNCTIONS(4) FUNCTIONS(5) FUNCTIONS(6) FUNCTIONS(7)

#define ALL(what) { what##0, what##1, what##2, what##3, what##4, what##5, what##6, what##7 }
static void *(* const alloc[NR_FUNCTIONS])(struct kmem_cache *) = ALL(cases_alloc_);
static void (* const write[NR_FUNCTIONS])(void **, unsigned int, unsigned int, unsigned int) =
	ALL(cases_write_);
static void (* const read[NR_FUNCTIONS])(void **, unsigned int, unsigned int, unsigned int) =
	ALL(cases_read_);

static struct rnd_state rnd;
static struct one *now;
static struct kmem_cache *cache;
/* What CPU 0 and CPU 1 use; from others nothing is allocated. */
static void **mine, **theirs, **all;
static unsigned int nr_all;
static int failed;
static struct { void *object; } ____cacheline_aligned slots[NR_SLOTS];
static struct { bool running, stop; } ____cacheline_aligned right_cpu;
static DECLARE_COMPLETION(start);
static DECLARE_COMPLETION(done);

static unsigned int between(unsigned int low, unsigned int high)
{
	return low + prandom_u32_state(&rnd) % (high - low + 1);
}

/* An 8-byte word of the first @bytes. */
static unsigned int word(unsigned int bytes)
{
	return between(0, bytes / 8 - 1) * 8;
}

/* Another word of the line. */
static unsigned int beside(unsigned int at)
{
	return round_down(at, LINE) + (at + 8 * between(1, 7)) % LINE;
}

static void make_up(struct one *o, unsigned int number)
{
	memset(o, 0, sizeof(*o));
	o->kind = atomic ? ATOMIC : number % NR_KINDS;
	o->op = atomic ? &cases_atomic[number % ARRAY_SIZE(cases_atomic)] : NULL;
	o->mended = number / (atomic ? ARRAY_SIZE(cases_atomic) : NR_KINDS) % 2;
	o->align = LINE;
	/* Odd numbers of lines: one field of all objects is then in all sets. */
	o->size = LINE * (2 * between(0, 3) + 1);
	o->count = between(4, 16);
	o->lines = 1;
	o->alloc = between(0, NR_FUNCTIONS - 1);
	o->write = between(0, NR_FUNCTIONS - 1);
	o->read = between(0, NR_FUNCTIONS - 1);
	switch (o->kind) {
	case FALSE_SHARING:
		o->size = LINE * between(2, 6);
		break;
	case FALSE_BETWEEN:
		o->size = 16 * between(1, 2);
		o->align = o->mended ? LINE : o->size;
		break;
	case CONFLICT:
		o->align = o->mended ? LINE : 4096;
		o->count = between(16, 32);
		break;
	case CAPACITY:
		o->count = o->mended ? between(16, 64) : between(1024, MAX_OBJECTS);
		break;
	case QUEUE:
	case BACKLOG:
		o->lines = between(6, 12);
		o->size = LINE * o->lines;
		o->depth = o->mended ? between(2, 4) : between(1024, 2048) / o->lines;
		break;
	}
	o->write_at = word(o->lines > 1 ? LINE : o->size);
	o->read_at = o->write_at;
	if (o->kind == FALSE_BETWEEN)
		o->read_at = word(o->size);
	if (o->kind == FALSE_SHARING && o->mended)
		o->read_at = (o->write_at + LINE * between(1, o->size / LINE - 1)) % o->size;
	if (o->kind == FALSE_SHARING && !o->mended)
		o->read_at = beside(o->write_at);
	if (o->op && o->op->beside)
		o->read_at = beside(o->write_at);
}

static bool same_line(const void *a, const void *b)
{
	return (unsigned long)a / LINE == (unsigned long)b / LINE;
}

/* Pairs that share a line, one of each line: an object for each CPU. */
static unsigned int find_pairs(void)
{
	unsigned int i, k, nr = 0;

	for (i = 0; i < nr_all && nr < now->count; i++) {
		for (k = 0; k < nr && !same_line(mine[k], all[i]); k++)
			;
		if (k < nr)
			continue;
		for (k = i + 1; k < nr_all && !same_line(all[i], all[k]); k++)
			;
		if (k == nr_all)
			continue;
		mine[nr] = all[i];
		theirs[nr++] = all[k];
	}
	return nr;
}

static int make_objects(unsigned int number)
{
	bool apart = now->mended && (now->kind == TRUE_SHARING || now->kind == ATOMIC);
	bool shared = now->kind == TRUE_SHARING || now->kind == FALSE_SHARING || now->kind == ATOMIC;
	unsigned int needed = now->count;
	char name[16];

	nr_all = 0;
	snprintf(name, sizeof(name), "case_%03u", number);
	cache = kmem_cache_create(name, now->size, now->align, SLAB_NO_MERGE, NULL);
	if (!cache)
		return -ENOMEM;
	if (now->kind == QUEUE || now->kind == BACKLOG)
		return 0;
	if (apart || now->kind == FALSE_BETWEEN)
		needed = 8 * now->count;
	for (; nr_all < needed; nr_all++) {
		all[nr_all] = alloc[now->alloc](cache);
		if (!all[nr_all])
			return -ENOMEM;
		if (now->kind == ATOMIC)
			memset(all[nr_all], 0, now->size);
		if (now->op && now->op->init)
			now->op->init(all[nr_all] + now->write_at);
		if (now->op && now->op->init && now->op->beside)
			now->op->init(all[nr_all] + now->read_at);
	}
	if (now->kind == FALSE_BETWEEN && !now->mended) {
		now->count = find_pairs();
		return now->count ? 0 : -ENOENT;
	}
	memcpy(mine, all, now->count * sizeof(*mine));
	memcpy(theirs, shared && !apart ? all : all + now->count,
	       now->count * sizeof(*theirs));
	return 0;
}

static void free_objects(void)
{
	unsigned int i;

	if (!cache)
		return;
	for (i = 0; i < nr_all; i++)
		if (all[i])
			kmem_cache_free(cache, all[i]);
	kmem_cache_destroy(cache);
	cache = NULL;
}

static void *send(void)
{
	void *object = alloc[now->alloc](cache);

	if (object)
		write[now->write](&object, 1, now->write_at, now->lines);
	else
		failed = -ENOMEM;
	return object;
}

static void receive(void *object)
{
	read[now->read](&object, 1, now->read_at, now->lines);
	kmem_cache_free(cache, object);
}

/* An emulator whose CPUs take turns gives the other one the next. */
static void turn(unsigned int round)
{
	cpu_relax();
	if (round % 64 == 0)
		cond_resched();
}

static void play_queue(void)
{
	unsigned int i, nr = accesses / now->lines;

	for (i = 0; i < nr && !failed; i++) {
		while (smp_load_acquire(&slots[i % NR_SLOTS].object))
			turn(i);
		smp_store_release(&slots[i % NR_SLOTS].object, send());
		turn(i);
	}
	for (i = 0; i < NR_SLOTS; i++)
		while (smp_load_acquire(&slots[i].object))
			turn(i);
}

static void play_backlog(void)
{
	unsigned int i, nr = 2 * accesses / now->lines;

	memset(all, 0, now->depth * sizeof(*all));
	for (i = 0; i < nr && !failed; i++) {
		void **slot = &all[i % now->depth];

		if (*slot)
			receive(*slot);
		*slot = send();
		if (i % 64 == 0)
			cond_resched();
	}
	nr_all = now->depth;
}

static void play_left(void)
{
	unsigned int i, nr = accesses / now->count;

	if (now->kind == QUEUE && !now->mended) {
		play_queue();
		return;
	}
	if (now->kind == QUEUE || now->kind == BACKLOG) {
		play_backlog();
		return;
	}
	for (i = 0; i < nr; i++) {
		if (now->kind == CONFLICT || now->kind == CAPACITY) {
			read[now->read](mine, now->count, now->read_at, 1);
			cond_resched();
		} else {
			if (now->op)
				now->op->left(mine, now->count, now->write_at);
			else
				write[now->write](mine, now->count, now->write_at, 1);
			turn(i);
		}
	}
}

static void play_right(void)
{
	unsigned int i = 0, k;

	WRITE_ONCE(right_cpu.running, true);
	while (!READ_ONCE(right_cpu.stop)) {
		if (now->kind == QUEUE) {
			for (k = 0; k < NR_SLOTS; k++) {
				void *object = smp_load_acquire(&slots[k].object);

				if (!object)
					continue;
				receive(object);
				smp_store_release(&slots[k].object, NULL);
			}
		} else if (now->op) {
			now->op->right(theirs, now->count, now->read_at);
		} else {
			read[now->read](theirs, now->count, now->read_at, 1);
		}
		turn(i++);
	}
}

static bool two_cpus(void)
{
	return now->kind <= FALSE_BETWEEN || now->kind == ATOMIC ||
	       (now->kind == QUEUE && !now->mended);
}

static void report_case(unsigned int number)
{
	if (now->op) {
		pr_info("dprof_cases: %03u %s %s alloc=cases_alloc_%u left=%s left_at=%u right=%s right_at=%u width=%u size=%u count=%u\n",
			number, now->op->name, now->mended ? "mended" : "fault", now->alloc,
			now->op->left_names, now->write_at, now->op->right_names, now->read_at,
			now->op->width, now->size, now->count);
		return;
	}
	pr_info("dprof_cases: %03u %s %s alloc=cases_alloc_%u writer=cases_write_%u write_at=%u reader=cases_read_%u read_at=%u lines=%u size=%u count=%u\n",
		number, kinds[now->kind], now->mended ? "mended" : "fault", now->alloc, now->write,
		now->write_at, now->read, now->read_at, now->lines, now->size,
		now->depth ?: now->count);
}

static int left(void *unused)
{
	struct one one;
	unsigned int i;

	now = &one;
	for (i = 0; i < cases && !failed; i++) {
		make_up(&one, i);
		failed = make_objects(i);
		if (!failed && two_cpus()) {
			right_cpu.running = right_cpu.stop = false;
			complete(&start);
			while (!READ_ONCE(right_cpu.running))
				turn(0);
			play_left();
			WRITE_ONCE(right_cpu.stop, true);
			wait_for_completion(&done);
		} else if (!failed) {
			play_left();
		}
		if (!failed)
			report_case(i);
		free_objects();
	}
	now = NULL;
	complete(&start);
	return 0;
}

static int right(void *unused)
{
	for (;;) {
		wait_for_completion(&start);
		if (!now)
			return 0;
		play_right();
		complete(&done);
	}
}

static int __init cases_init(void)
{
	int ret = 0;

	prandom_seed_state(&rnd, seed);
	mine = kcalloc(MAX_OBJECTS, sizeof(*mine), GFP_KERNEL);
	theirs = kcalloc(MAX_OBJECTS, sizeof(*theirs), GFP_KERNEL);
	all = kcalloc(2 * MAX_OBJECTS, sizeof(*all), GFP_KERNEL);
	if (!mine || !theirs || !all) {
		ret = -ENOMEM;
		goto out;
	}
	ret = run_on_two_cpus(left, right, "cases/%u");
out:
	kfree(mine);
	kfree(theirs);
	kfree(all);
	return ret ? ret : failed;
}
module_init(cases_init);

/* It stays until then only so that its functions have names. */
static void __exit cases_exit(void)
{
}
module_exit(cases_exit);

MODULE_DESCRIPTION("Planted cache faults made up from a seed, for tests of dprof");
MODULE_LICENSE("GPL");
