/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * Planted cases of dprof_cases: two CPUs read and write at once, each of them with one
 * function (left, CPU 0; right, CPU 1), the same field or two on a line.
 */
#ifndef CASES_ATOMIC_H
#define CASES_ATOMIC_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/kref.h>
#include <linux/lockref.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>

/**
 * struct cases_atomic - a kind of case
 * @name: of the kind
 * @beside: the right CPU's field is another of the line
 * @width: bytes of the field
 * @init: make a field; NULL: zeros
 * @left, @right: access a field of some objects
 * @left_names, @right_names: the functions in which they do, with | between them
 */
struct cases_atomic {
	const char *name;
	bool beside;
	unsigned int width;
	void (*init)(void *field);
	void (*left)(void **o, unsigned int nr, unsigned int at);
	void (*right)(void **o, unsigned int nr, unsigned int at);
	const char *left_names, *right_names;
};

/* The comments keep the compiler from making one of functions with the same code. */
#define CASES_SIDE(name, side, type, access)					\
static noinline void cases_##name##_##side(void **o, unsigned int nr, unsigned int at) \
{										\
	unsigned int i;								\
										\
	asm volatile("# " #name #side);						\
	for (i = 0; i < nr; i++) {						\
		type *field = o[i] + at;					\
										\
		access;								\
	}									\
}

#define CASES_BOTH(name, type, access)						\
	CASES_SIDE(name, left, type, access)					\
	CASES_SIDE(name, right, type, access)

static void cases_release(struct kref *k)
{
}

static void cases_spin_init(void *field)
{
	spin_lock_init((spinlock_t *)field);
}

/* So many that they never end. */
static void cases_refcount_init(void *field)
{
	refcount_set(field, 1 << 29);
}

static void cases_lockref_init(void *field)
{
	struct lockref *l = field;

	spin_lock_init(&l->lock);
	l->count = 1 << 20;
}

CASES_BOTH(lock_add, atomic64_t, atomic64_add(3, field))
CASES_BOTH(lock_inc, atomic_t, atomic_inc(field))
CASES_BOTH(inc, u64, asm volatile("incq %0" : "+m" (*field)))
CASES_BOTH(xadd, atomic_t, atomic_fetch_add(1, field))
CASES_BOTH(cmpxchg, u64, cmpxchg(field, READ_ONCE(*field), i))
CASES_BOTH(xchg, u64, xchg(field, i))
CASES_BOTH(bts, unsigned long, test_and_set_bit(i, field))
CASES_BOTH(spin, spinlock_t, { spin_lock(field); spin_unlock(field); })
CASES_SIDE(refcount, left, refcount_t, refcount_inc(field))
CASES_SIDE(refcount, right, refcount_t, if (refcount_dec_and_test(field)) WARN_ON(1))
CASES_SIDE(kref, left, struct kref, kref_get(field))
CASES_SIDE(kref, right, struct kref, kref_put(field, cases_release))
CASES_SIDE(lockref, left, struct lockref, lockref_get(field))
CASES_SIDE(lockref, right, struct lockref, lockref_put_return(field))
CASES_SIDE(plain, right, u64, READ_ONCE(*field))

/* Locks are taken out of line, and released out of line or not, by the kernel's options. */
#define CASES_SPIN(side)							\
	"_raw_spin_lock|native_queued_spin_lock_slowpath|_raw_spin_unlock|cases_spin_" #side

#define CASES_ATOMIC(n, bytes, make, f)						\
	{ .name = #n, .width = bytes, .init = make, .left = cases_##f##_left,	\
	  .right = cases_##f##_right, .left_names = "cases_" #f "_left",		\
	  .right_names = "cases_" #f "_right" }

static const struct cases_atomic cases_atomic[] = {
	CASES_ATOMIC(lock_add, 8, NULL, lock_add),
	CASES_ATOMIC(lock_inc, 4, NULL, lock_inc),
	CASES_ATOMIC(inc, 8, NULL, inc),
	CASES_ATOMIC(xadd, 4, NULL, xadd),
	CASES_ATOMIC(cmpxchg, 8, NULL, cmpxchg),
	CASES_ATOMIC(xchg, 8, NULL, xchg),
	CASES_ATOMIC(bts, 8, NULL, bts),
	CASES_ATOMIC(refcount, 4, cases_refcount_init, refcount),
	CASES_ATOMIC(kref, 4, cases_refcount_init, kref),
	{ "lockref", false, 8, cases_lockref_init, cases_lockref_left, cases_lockref_right,
	  "lockref_get", "lockref_put_return" },
	{ "spinlock", false, 4, cases_spin_init, cases_spin_left, cases_spin_right,
	  CASES_SPIN(left), CASES_SPIN(right) },
	/* Two on a line, and one beside what the other CPU reads. */
	{ "add_beside", true, 8, NULL, cases_lock_add_left, cases_lock_add_right,
	  "cases_lock_add_left", "cases_lock_add_right" },
	{ "spin_beside", true, 4, cases_spin_init, cases_spin_left, cases_spin_right,
	  CASES_SPIN(left), CASES_SPIN(right) },
	{ "spin_read_beside", true, 8, cases_spin_init, cases_spin_left, cases_plain_right,
	  CASES_SPIN(left), "cases_plain_right" },
};

#endif
