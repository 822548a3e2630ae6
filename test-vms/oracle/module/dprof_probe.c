// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Objects whose allocations, accesses and frees are known, for the tests of dprof.
 *
 * /sys/kernel/debug/dprof_probe/run: write a command, read what it did:
 *	single N	N objects allocated and freed
 *	bulk N		N times 16, in bulk
 *	rcu N		N objects of a generic cache, freed by kfree_rcu()
 *	access N	an object, N rounds of all the accesses below on each CPU
 *	typesafe N	the same, of a cache that is SLAB_TYPESAFE_BY_RCU
 *	pair N		two objects that share a line, each accessed N times
 *	touch N		an object, N rounds of all the accesses, told only as the object
 *	loop N		N allocations and frees, timed
 *	lives N		N rounds of objects of each kind of allocation and free, all used
 *			on all CPUs, all told to the oracle of watched objects
 * Lines are
 *	object ADDRESS			allocated
 *	did IP OFFSET OP CPU		an access: op 1 load, 2 store, 3 both
 *	freed ADDRESS
 */
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/seq_buf.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

#include "mailbox.h"

#define OBJECT_SIZE	200
#define BULK		16

/* Where strings are copied to. */
u64 dprof_probe_buffer[8];

/* A function that makes one access to what its argument points to, at NAME_at. */
#define PROBE(name, before, access, after)				\
	asm(".pushsection .text\n"					\
	    ".globl dprof_probe_" #name ", dprof_probe_" #name "_at\n"	\
	    ".type dprof_probe_" #name ", @function\n"			\
	    "dprof_probe_" #name ":\n"					\
	    before "\n"							\
	    "dprof_probe_" #name "_at:\n"				\
	    access "\n"							\
	    after "\n"							\
	    ASM_RET							\
	    ".size dprof_probe_" #name ", .-dprof_probe_" #name "\n"	\
	    ".popsection\n");						\
	void dprof_probe_##name(void *p);				\
	extern char dprof_probe_##name##_at[]

PROBE(load, "", "movq (%rdi), %rax", "");
PROBE(overwrite, "", "movq (%rdi), %rdi", "");
PROBE(store, "xorl %eax, %eax", "movq %rax, (%rdi)", "");
PROBE(byte, "xorl %eax, %eax", "movb %al, 3(%rdi)", "");
PROBE(add, "", "addl $1, (%rdi)", "");
PROBE(locked, "", "lock incq (%rdi)", "");
PROBE(xchg, "xorl %eax, %eax", "xchgq %rax, (%rdi)", "");
PROBE(compare, "", "cmpq $0, (%rdi)", "");
PROBE(push, "", "pushq (%rdi)", "popq %rax");
PROBE(fill, "xorl %eax, %eax; movl $1, %ecx", "rep stosq", "nop");
PROBE(copy, "movq %rdi, %rsi; movq $dprof_probe_buffer, %rdi; movl $1, %ecx", "rep movsq", "nop");

static const struct probe {
	void (*access)(void *p);
	char *ip;
	int offset, op;
} probes[] = {
#define ENTRY(name, offset, op) { dprof_probe_##name, dprof_probe_##name##_at, offset, op }
	ENTRY(load, 0, 1),
	ENTRY(store, 8, 2),
	ENTRY(overwrite, 0, 1),
	ENTRY(byte, 8, 2),
	ENTRY(add, 64, 3),
	ENTRY(locked, 0, 3),
	ENTRY(xchg, 8, 3),
	ENTRY(compare, 64, 1),
	ENTRY(push, 0, 1),
	ENTRY(fill, 8, 2),
	ENTRY(copy, 64, 1),
	/* Not watched by the test. */
	ENTRY(store, 16, 2),
};

static struct kmem_cache *plain, *typesafe;
static struct dentry *dir;
static DEFINE_MUTEX(lock);
static char *text;
#define TEXT_SIZE (1 << 20)
static struct seq_buf out;

struct rcu_object {
	struct rcu_head rcu;
	char data[80];
};

/* On the CPU that is to do it.  Printing comes after, not between. */
static void all_probes(void *object)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		probes[i].access(object + probes[i].offset);
}

static void print_probes(int cpu)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		seq_buf_printf(&out, "did %lx %d %d %d\n", (unsigned long)probes[i].ip,
			       probes[i].offset, probes[i].op, cpu);
}

static int run_access(struct kmem_cache *cache, unsigned int n)
{
	char *object = kmem_cache_alloc(cache, GFP_KERNEL);
	unsigned int round;
	int cpu;

	if (!object)
		return -ENOMEM;
	seq_buf_printf(&out, "object %lx\n", (unsigned long)object);
	/* Until all CPUs are armed. */
	msleep(300);
	for (round = 0; round < n; round++) {
		for_each_online_cpu(cpu) {
			smp_call_function_single(cpu, all_probes, object, 1);
			print_probes(cpu);
		}
	}
	kmem_cache_free(cache, object);
	seq_buf_printf(&out, "freed %lx\n", (unsigned long)object);
	return 0;
}

static int run_touch(unsigned int n)
{
	char *object = kmem_cache_alloc(plain, GFP_KERNEL);

	if (!object)
		return -ENOMEM;
	seq_buf_printf(&out, "object %lx\n", (unsigned long)object);
	while (n--)
		all_probes(object);
	kmem_cache_free(plain, object);
	return 0;
}

/*
 * Two objects of a slab that are neighbors: 200 bytes are three lines and a bit.  The
 * first is freed and allocated again, alone, so that it is the one that is watched.
 */
static bool find_pair(char **first, char **second)
{
	char *a = NULL, *b = NULL, *all[64];
	unsigned int i, j, nr = 0;

	/* What this CPU freed last is what it gets next. */
	migrate_disable();
	while (nr < ARRAY_SIZE(all) && !a) {
		b = kmem_cache_alloc(plain, GFP_KERNEL);
		if (!b)
			break;
		for (j = 0; j < nr; j++)
			if (all[j] + OBJECT_SIZE == b)
				a = all[j];
		all[nr++] = b;
	}
	for (i = 0; i < nr; i++)
		if (!a || (all[i] != a && all[i] != b))
			kmem_cache_free(plain, all[i]);
	if (a) {
		kmem_cache_free(plain, a);
		*first = kmem_cache_alloc(plain, GFP_KERNEL);
		*second = b;
	}
	migrate_enable();
	return a;
}

static int run_pair(unsigned int n)
{
	char *a, *b;
	int err = -ENOENT;

	if (!find_pair(&a, &b))
		return err;
	if (a && a + OBJECT_SIZE == b) {
		err = 0;
		seq_buf_printf(&out, "pair %lx %lx\n", (unsigned long)a, (unsigned long)b);
		/* Until all CPUs are armed. */
		msleep(300);
		while (n--) {
			dprof_probe_store(a + OBJECT_SIZE - 8);
			dprof_probe_load(b);
		}
	}
	if (a)
		kmem_cache_free(plain, a);
	kmem_cache_free(plain, b);
	return err;
}

static int run_single(unsigned int n)
{
	while (n--) {
		void *object = kmem_cache_alloc(plain, GFP_KERNEL);

		if (!object)
			return -ENOMEM;
		kmem_cache_free(plain, object);
	}
	return 0;
}

static int run_bulk(unsigned int n)
{
	void *objects[BULK];

	while (n--) {
		if (kmem_cache_alloc_bulk(plain, GFP_KERNEL, BULK, objects) != BULK)
			return -ENOMEM;
		kmem_cache_free_bulk(plain, BULK, objects);
	}
	return 0;
}

static int run_rcu(unsigned int n)
{
	while (n--) {
		struct rcu_object *object = kmalloc(sizeof(*object), GFP_KERNEL);

		if (!object)
			return -ENOMEM;
		kfree_rcu(object, rcu);
	}
	kvfree_rcu_barrier();
	return 0;
}

static int run_loop(unsigned int n)
{
	u64 start = ktime_get_ns();
	int err = run_single(n);

	seq_buf_printf(&out, "ns %llu\n", ktime_get_ns() - start);
	return err;
}

/*
 * Lives that are known: the oracle is told when an object has come from the allocator,
 * and before it is given back.  What is allocated and freed with the objects is not told.
 */
enum { PLAIN = 1, IN_BULK, FREED_BY_RCU, TYPESAFE, OF_NAPI };

static void begin_life(void *object, int kind)
{
	if (object)
		report_object(object, OBJECT_SIZE, kind);
}

static void end_life(void *object)
{
	report_object(object, OBJECT_SIZE, 0);
}

static void nothing(void *unused)
{
}

/* What is waited for is called first, before dprof arms the CPU: hence two calls. */
static void use_everywhere(smp_call_func_t use, void *object)
{
	int cpu;

	for_each_online_cpu(cpu) {
		smp_call_function_single(cpu, nothing, NULL, 1);
		smp_call_function_single(cpu, use, object, 1);
	}
}

static int plain_lives(void)
{
	void *object = kmem_cache_alloc(plain, GFP_KERNEL);

	if (!object)
		return -ENOMEM;
	begin_life(object, PLAIN);
	use_everywhere(all_probes, object);
	end_life(object);
	kmem_cache_free(plain, object);
	return 0;
}

static int bulk_lives(void)
{
	void *objects[BULK];
	int i;

	if (kmem_cache_alloc_bulk(plain, GFP_KERNEL, BULK, objects) != BULK)
		return -ENOMEM;
	for (i = 0; i < BULK; i++)
		begin_life(objects[i], IN_BULK);
	for (i = 0; i < BULK; i++)
		use_everywhere(all_probes, objects[i]);
	for (i = 0; i < BULK; i++)
		end_life(objects[i]);
	kmem_cache_free_bulk(plain, BULK, objects);
	return 0;
}

static int rcu_lives(void)
{
	struct rcu_object *object = kmem_cache_alloc(plain, GFP_KERNEL);

	if (!object)
		return -ENOMEM;
	begin_life(object, FREED_BY_RCU);
	use_everywhere(all_probes, object);
	end_life(object);
	/* It lives until RCU frees it, and is written to. */
	kfree_rcu(object, rcu);
	return 0;
}

/* Readers of such a cache may look at an object that is free, or another already. */
static int typesafe_lives(void)
{
	void *object = kmem_cache_alloc(typesafe, GFP_KERNEL);

	if (!object)
		return -ENOMEM;
	begin_life(object, TYPESAFE);
	use_everywhere(all_probes, object);
	end_life(object);
	rcu_read_lock();
	kmem_cache_free(typesafe, object);
	dprof_probe_load(object);
	dprof_probe_compare(object + 64);
	rcu_read_unlock();
	return 0;
}

static void use_skb(void *info)
{
	struct sk_buff *skb = info;

	memset(skb->cb, skb->pkt_type, sizeof(skb->cb));
	refcount_inc(&skb->users);
	skb->len += refcount_read(&skb->users);
	skb->len = 0;
	refcount_dec(&skb->users);
}

/* As a driver that polls: what NAPI's cache of sk_buffs hands out goes back to it. */
static int napi_lives(void)
{
	const unsigned int size = SKB_DATA_ALIGN(sizeof(struct skb_shared_info)) + 512;
	struct sk_buff *skbs[4];
	int i, nr;

	local_bh_disable();
	for (nr = 0; nr < ARRAY_SIZE(skbs); nr++) {
		void *data = napi_alloc_frag(size);

		skbs[nr] = data ? napi_build_skb(data, size) : NULL;
		if (!skbs[nr]) {
			if (data)
				skb_free_frag(data);
			break;
		}
		begin_life(skbs[nr], OF_NAPI);
	}
	for (i = 0; i < nr; i++)
		use_everywhere(use_skb, skbs[i]);
	for (i = 0; i < nr; i++) {
		end_life(skbs[i]);
		napi_consume_skb(skbs[i], 1);
	}
	local_bh_enable();
	return nr ? 0 : -ENOMEM;
}

static int run_lives(unsigned int n)
{
	static int (*const lives[])(void) = {
		plain_lives, bulk_lives, rcu_lives, typesafe_lives, napi_lives,
	};
	int i, err = 0;

	report_mailboxes();
	while (!err && n--) {
		for (i = 0; !err && i < ARRAY_SIZE(lives); i++)
			err = lives[i]();
		/* Or the objects that wait for RCU were the only ones watched. */
		kvfree_rcu_barrier();
	}
	return err;
}

static int run(const char *what, unsigned int n)
{
	if (!strcmp(what, "single"))
		return run_single(n);
	if (!strcmp(what, "bulk"))
		return run_bulk(n);
	if (!strcmp(what, "rcu"))
		return run_rcu(n);
	if (!strcmp(what, "access"))
		return run_access(plain, n);
	if (!strcmp(what, "typesafe"))
		return run_access(typesafe, n);
	if (!strcmp(what, "pair"))
		return run_pair(n);
	if (!strcmp(what, "touch"))
		return run_touch(n);
	if (!strcmp(what, "loop"))
		return run_loop(n);
	if (!strcmp(what, "lives"))
		return run_lives(n);
	return -EINVAL;
}

static ssize_t run_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	char command[32], what[16];
	unsigned int n;
	int err;

	if (count >= sizeof(command))
		return -EINVAL;
	if (copy_from_user(command, ubuf, count))
		return -EFAULT;
	command[count] = '\0';
	if (sscanf(command, "%15s %u", what, &n) != 2)
		return -EINVAL;
	mutex_lock(&lock);
	seq_buf_init(&out, text, TEXT_SIZE);
	err = run(what, n);
	mutex_unlock(&lock);
	return err ?: count;
}

static ssize_t run_read(struct file *file, char __user *ubuf, size_t count, loff_t *pos)
{
	ssize_t n;

	mutex_lock(&lock);
	n = simple_read_from_buffer(ubuf, count, pos, text, seq_buf_used(&out));
	mutex_unlock(&lock);
	return n;
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.read = run_read,
	.write = run_write,
};

static int __init probe_init(void)
{
	text = kvzalloc(TEXT_SIZE, GFP_KERNEL);
	plain = kmem_cache_create("dprof_probe", OBJECT_SIZE, 0, SLAB_NO_MERGE, NULL);
	typesafe = kmem_cache_create("dprof_typesafe", OBJECT_SIZE, 0,
				     SLAB_NO_MERGE | SLAB_TYPESAFE_BY_RCU, NULL);
	if (!text || !plain || !typesafe) {
		kmem_cache_destroy(plain);
		kmem_cache_destroy(typesafe);
		kvfree(text);
		return -ENOMEM;
	}
	seq_buf_init(&out, text, TEXT_SIZE);
	dir = debugfs_create_dir("dprof_probe", NULL);
	debugfs_create_file("run", 0600, dir, NULL, &run_fops);
	return 0;
}

static void __exit probe_exit(void)
{
	debugfs_remove(dir);
	rcu_barrier();
	kmem_cache_destroy(plain);
	kmem_cache_destroy(typesafe);
	kvfree(text);
}

module_init(probe_init);
module_exit(probe_exit);
MODULE_DESCRIPTION("Objects whose accesses are known, for tests of dprof");
MODULE_LICENSE("GPL");
