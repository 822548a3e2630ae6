// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Faults that dprof is to find: each in objects of a cache of its own, by functions
 * of its own.  insmod runs them, on CPUs 0 and 1, and returns when they have run.
 *
 * faults_true		CPU 0 writes a field that CPU 1 reads
 * faults_false		CPU 0 writes a field, CPU 1 reads another of the line
 * faults_pair		the same in two objects that share a line
 * faults_conflict	more objects of one associativity set than it has ways, read in turn
 * faults_capacity	more objects than a first-level cache holds, read in turn
 * faults_queue		CPU 0 allocates and fills, CPU 1 reads and frees
 * faults_private	no fault: each CPU has its own
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "two_cpus.h"

static unsigned int rounds = 100000;
module_param(rounds, uint, 0);
MODULE_PARM_DESC(rounds, "turns of each CPU in each fault, at least");

#define NR_CONFLICT	24	/* of 8 ways */
#define NR_CAPACITY	2048	/* lines: 128 KiB, of 32 */
#define NR_QUEUE	64

struct faults_true { u64 first, value, rest[6]; };
/* The offsets differ: the compiler makes one of functions with the same code. */
struct faults_false { u64 left, between, right, rest[5]; };
struct faults_pair { u64 value, rest[3]; };
struct faults_conflict { u64 before[4], value, rest[3]; };
struct faults_capacity { u64 before[5], value, rest[2]; };
struct faults_queue { struct faults_queue *next; u64 length, rest[6], tail[8]; };
struct faults_private { u64 value, rest[7]; };

static struct faults_true *truly;
static struct faults_false *falsely;
static struct faults_pair *pairs[8], *pair[2];
static struct faults_conflict *conflict[NR_CONFLICT];
static struct faults_capacity **capacity;
static struct faults_private *private[2];

/* Each on a line of its own: handing over is no fault of the queue's objects. */
static struct faults_queue *slots[NR_QUEUE * 8] ____cacheline_aligned;
static struct kmem_cache *queue_cache;

static struct { bool ended, returned; } ____cacheline_aligned turns[2];

/* Neither CPU stops before the other one has had its rounds: alone it shares nothing. */
static bool another(unsigned int round, unsigned int cpu)
{
	if (round < rounds)
		return true;
	WRITE_ONCE(turns[cpu].ended, true);
	return !READ_ONCE(turns[!cpu].ended);
}

static noinline void faults_true_write(struct faults_true *o)
{
	WRITE_ONCE(o->value, o->value + 1);
}

static noinline u64 faults_true_read(struct faults_true *o)
{
	return READ_ONCE(o->value);
}

static noinline void faults_false_write(struct faults_false *o)
{
	WRITE_ONCE(o->left, o->left + 1);
}

static noinline u64 faults_false_read(struct faults_false *o)
{
	return READ_ONCE(o->right);
}

static noinline void faults_pair_write(struct faults_pair *o)
{
	WRITE_ONCE(o->value, o->value + 1);
}

static noinline u64 faults_pair_read(struct faults_pair *o)
{
	return READ_ONCE(o->value);
}

static noinline u64 faults_conflict_read(struct faults_conflict *o)
{
	return READ_ONCE(o->value);
}

static noinline u64 faults_capacity_read(struct faults_capacity *o)
{
	return READ_ONCE(o->value);
}

static noinline void faults_private_use(struct faults_private *o)
{
	WRITE_ONCE(o->value, READ_ONCE(o->value) + 1);
}

static noinline struct faults_queue *faults_queue_send(void)
{
	struct faults_queue *o = kmem_cache_alloc(queue_cache, GFP_KERNEL);

	if (o) {
		WRITE_ONCE(o->length, 1);
		WRITE_ONCE(o->tail[0], 2);
	}
	return o;
}

static noinline u64 faults_queue_receive(struct faults_queue *o)
{
	u64 sum = READ_ONCE(o->length) + READ_ONCE(o->tail[0]);

	kmem_cache_free(queue_cache, o);
	return sum;
}

static int left(void *unused)
{
	unsigned int i, k;

	for (i = 0; another(i, 0); i++) {
		struct faults_queue **slot = &slots[i % NR_QUEUE * 8];

		faults_true_write(truly);
		faults_false_write(falsely);
		faults_pair_write(pair[0]);
		faults_private_use(private[0]);
		if (!READ_ONCE(*slot))
			smp_store_release(slot, faults_queue_send());
		for (k = 0; k < 8; k++)
			faults_conflict_read(conflict[(i * 8 + k) % NR_CONFLICT]);
		for (k = 0; k < 8; k++)
			faults_capacity_read(capacity[(i * 8 + k) % NR_CAPACITY]);
		/* An emulator whose CPUs take turns gives the other one the next. */
		cpu_relax();
		cond_resched();
	}
	/* After the last object. */
	smp_store_release(&turns[0].returned, true);
	return 0;
}

static int right(void *unused)
{
	unsigned int i;

	for (i = 0; another(i, 1); i++) {
		struct faults_queue **slot = &slots[i % NR_QUEUE * 8];
		struct faults_queue *o = smp_load_acquire(slot);

		faults_true_read(truly);
		faults_false_read(falsely);
		faults_pair_read(pair[1]);
		faults_private_use(private[1]);
		if (o) {
			faults_queue_receive(o);
			smp_store_release(slot, NULL);
		}
		cpu_relax();
		cond_resched();
	}
	/* Each object is freed here, however few there were. */
	while (!smp_load_acquire(&turns[0].returned))
		schedule_timeout_uninterruptible(1);
	for (i = 0; i < NR_QUEUE; i++) {
		struct faults_queue *o = slots[i * 8];

		if (o)
			faults_queue_receive(o);
		slots[i * 8] = NULL;
	}
	return 0;
}

static struct kmem_cache *caches[7];
static int nr_caches;

static struct kmem_cache *cache(const char *name, size_t size, size_t align)
{
	return caches[nr_caches++] = kmem_cache_create(name, size, align, 0, NULL);
}

static int make_objects(void)
{
	struct kmem_cache *c;
	int i, k;

	c = cache("faults_true", sizeof(*truly), 64);
	truly = c ? kmem_cache_zalloc(c, GFP_KERNEL) : NULL;
	c = cache("faults_false", sizeof(*falsely), 64);
	falsely = c ? kmem_cache_zalloc(c, GFP_KERNEL) : NULL;
	c = cache("faults_pair", sizeof(**pairs), 32);
	for (i = 0; c && i < 8; i++) {
		pairs[i] = kmem_cache_zalloc(c, GFP_KERNEL);
		for (k = 0; pairs[i] && k < i; k++) {
			if ((unsigned long)pairs[i] / 64 != (unsigned long)pairs[k] / 64)
				continue;
			pair[0] = pairs[k];
			pair[1] = pairs[i];
		}
	}
	c = cache("faults_conflict", sizeof(**conflict), 4096);
	for (i = 0; c && i < NR_CONFLICT; i++) {
		conflict[i] = kmem_cache_zalloc(c, GFP_KERNEL);
		if (!conflict[i])
			return -ENOMEM;
	}
	c = cache("faults_capacity", sizeof(**capacity), 64);
	capacity = kcalloc(NR_CAPACITY, sizeof(*capacity), GFP_KERNEL);
	for (i = 0; c && capacity && i < NR_CAPACITY; i++) {
		capacity[i] = kmem_cache_zalloc(c, GFP_KERNEL);
		if (!capacity[i])
			return -ENOMEM;
	}
	c = cache("faults_private", sizeof(**private), 64);
	for (i = 0; c && i < 2; i++)
		private[i] = kmem_cache_zalloc(c, GFP_KERNEL);
	queue_cache = cache("faults_queue", sizeof(struct faults_queue), 64);
	return truly && falsely && pair[0] && capacity && private[1] && queue_cache &&
	       conflict[NR_CONFLICT - 1] ? 0 : -ENOMEM;
}

static void free_objects(void)
{
	int i;

	if (truly)
		kmem_cache_free(caches[0], truly);
	if (falsely)
		kmem_cache_free(caches[1], falsely);
	for (i = 0; i < 8; i++)
		if (pairs[i])
			kmem_cache_free(caches[2], pairs[i]);
	for (i = 0; i < NR_CONFLICT; i++)
		if (conflict[i])
			kmem_cache_free(caches[3], conflict[i]);
	for (i = 0; capacity && i < NR_CAPACITY; i++)
		if (capacity[i])
			kmem_cache_free(caches[4], capacity[i]);
	kfree(capacity);
	for (i = 0; i < 2; i++)
		if (private[i])
			kmem_cache_free(caches[5], private[i]);
	for (i = 0; i < nr_caches; i++)
		kmem_cache_destroy(caches[i]);
}

static int __init faults_init(void)
{
	int ret = make_objects();

	if (!ret)
		ret = run_on_two_cpus(left, right, "faults/%u");
	free_objects();
	return ret;
}
module_init(faults_init);

/* It stays until then only so that its functions have names. */
static void __exit faults_exit(void)
{
}
module_exit(faults_exit);

MODULE_DESCRIPTION("Planted cache faults, for tests of dprof");
MODULE_LICENSE("GPL");
