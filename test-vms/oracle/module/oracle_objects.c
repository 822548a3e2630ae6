// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Tells the oracle of types (types.c) what lies where in the kernel's memory: slab
 * objects by cache and allocation site, per-CPU variables, stacks.
 *
 * /sys/kernel/debug/oracle_objects: write 1, and the oracle starts and is sent all
 * there is, then each allocation (by dprof's event, which has all of them; its file
 * `types' must say so: all); write 0, and it stops.  Read: a line each type,
 *
 *	ID CACHE FILE:LINE FUNCTION
 *
 * An object keeps its type when it is freed, until its memory is another's.
 */
#include <linux/alloc_tag.h>
#include <linux/debugfs.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/seq_file.h>
#include <linux/stop_machine.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include <asm/current.h>
#include <asm/processor.h>

#include "slab.h"

#include "mailbox.h"
#include "probes.h"

#define MAX_TYPES 16384
enum { STACK = 1, PERCPU, FIRST };

/* By hash, linear probing; an entry is written once, under the lock. */
struct type {
	const struct kmem_cache *cache;
	const struct codetag *site;
	char name[32];
};

static struct type *types;
static DEFINE_RAW_SPINLOCK(types_lock);
static DEFINE_PER_CPU(bool, idle_reported);
static struct dentry *file;
static bool running;

static u32 type_of(const struct kmem_cache *s, const struct codetag *site)
{
	u32 i = hash_64((unsigned long)s * 3 + (unsigned long)site, ilog2(MAX_TYPES));
	unsigned long flags;

	raw_spin_lock_irqsave(&types_lock, flags);
	for (;; i = (i + 1) % MAX_TYPES) {
		if (i < FIRST)
			continue;
		/* A cache that was destroyed may have had the address. */
		if (types[i].cache == s && types[i].site == site &&
		    !strncmp(types[i].name, s->name, sizeof(types[i].name) - 1))
			break;
		if (types[i].cache)
			continue;
		types[i].cache = s;
		types[i].site = site;
		strscpy(types[i].name, s->name);
		break;
	}
	raw_spin_unlock_irqrestore(&types_lock, flags);
	return i;
}

static void report_stack(struct task_struct *task)
{
	if (task_stack_page(task))
		report_object(task_stack_page(task), THREAD_SIZE, STACK);
}

static void report_slab(struct slab *slab)
{
	struct kmem_cache *s = slab->slab_cache;
	unsigned long exts = slab->obj_exts & ~OBJEXTS_FLAGS_MASK;
	bool tags = exts && !(s->flags & (SLAB_NO_OBJ_EXT | SLAB_NOLEAKTRACE));
	unsigned int i;

	for (i = 0; i < slab->objects; i++) {
		const struct codetag *site = tags ? ((struct slabobj_ext *)exts)[i].ref.ct : NULL;

		/* A tag that says an object has none. */
		if ((unsigned long)site < PAGE_SIZE)
			site = NULL;
		report_object(slab_address(slab) + (size_t)i * s->size, s->size, type_of(s, site));
	}
}

/* The first chunk: what was never in the page allocator, from where variables begin. */
static void report_percpu(int cpu)
{
	void *base = (void *)per_cpu_offset(cpu);
	size_t size = 0;

	while (size < SZ_2M && PageReserved(virt_to_page(base + size)))
		size += PAGE_SIZE;
	report_object(base, size, PERCPU);
}

/* Per-CPU memory, but not of variables. */
static void report_irq_stack(int cpu)
{
	void *top = per_cpu(pcpu_hot.hardirq_stack_ptr, cpu);

	if (!IS_ENABLED(CONFIG_VMAP_STACK))
		report_object(top + 8 - IRQ_STACK_SIZE, IRQ_STACK_SIZE, STACK);
}

/* Nothing else runs. */
static int report_all(void *unused)
{
	struct task_struct *p, *t;
	unsigned long pfn;
	int cpu;

	for (pfn = 0; pfn < __pa(high_memory) >> PAGE_SHIFT; pfn++) {
		struct page *page = pfn_valid(pfn) ? pfn_to_page(pfn) : NULL;
		struct folio *folio = page && !PageTail(page) ? page_folio(page) : NULL;

		if (folio && folio_test_slab(folio))
			report_slab(folio_slab(folio));
	}
	for_each_possible_cpu(cpu)
		report_percpu(cpu);
	for_each_online_cpu(cpu)
		report_irq_stack(cpu);
	for_each_process_thread(p, t)
		report_stack(t);
	return 0;
}

static void on_alloc(void *unused, u64 base, u64 ip, u32 type, u32 size)
{
	void *p = (void *)(unsigned long)base;
	const struct kmem_cache *s = virt_to_slab(p)->slab_cache;
	const struct alloc_tag *tag = s->flags & (SLAB_NO_OBJ_EXT | SLAB_NOLEAKTRACE) ?
				      NULL : current->alloc_tag;

	report_object(p, s->object_size, type_of(s, tag ? &tag->ct : NULL));
}

/* What it becomes next is another's. */
static void on_page_free(void *unused, struct page *page, unsigned int order)
{
	report_object(page_address(page), PAGE_SIZE << order, 0);
}

static void on_fork(void *unused, struct task_struct *parent, struct task_struct *child)
{
	report_stack(child);
}

/* Idle tasks are in no list. */
static void on_switch(void *unused, bool preempt, struct task_struct *prev,
		      struct task_struct *next, unsigned int prev_state)
{
	if (is_idle_task(next) && !this_cpu_read(idle_reported)) {
		this_cpu_write(idle_reported, true);
		report_stack(next);
	}
}

static struct probe probes[] = {
	{ "dprof_alloc", on_alloc },
	{ "mm_page_free", on_page_free },
	{ "sched_process_fork", on_fork },
	{ "sched_switch", on_switch },
};

/* Any boot's accesses before are of no interest. */
static int start(void)
{
	int ret, cpu;

	for_each_possible_cpu(cpu)
		per_cpu(idle_reported, cpu) = false;
	oracle_mark(ORACLE_CODE_START);
	report_mailboxes();
	ret = register_probes(probes, ARRAY_SIZE(probes));
	if (ret)
		oracle_mark(ORACLE_CODE_STOP);
	else
		stop_machine(report_all, NULL, NULL);
	return ret;
}

static void stop(void)
{
	unregister_probes(probes, ARRAY_SIZE(probes));
	oracle_mark(ORACLE_CODE_STOP);
}

static ssize_t objects_write(struct file *f, const char __user *buf, size_t count, loff_t *pos)
{
	bool on;
	int ret;

	ret = kstrtobool_from_user(buf, count, &on);
	if (ret)
		return ret;
	inode_lock(file_inode(f));
	if (on && !running)
		ret = start();
	else if (!on && running)
		stop();
	if (!ret)
		running = on;
	inode_unlock(file_inode(f));
	return ret ? ret : count;
}

static int objects_show(struct seq_file *m, void *unused)
{
	u32 i;

	seq_printf(m, "%d stack - -\n%d percpu - -\n", STACK, PERCPU);
	for (i = FIRST; i < MAX_TYPES; i++) {
		const struct codetag *site = types[i].site;

		if (!types[i].cache)
			continue;
		if (site)
			seq_printf(m, "%u %s %s:%u %s\n", i, types[i].name, site->filename,
				   site->lineno, site->function);
		else
			seq_printf(m, "%u %s - -\n", i, types[i].name);
	}
	return 0;
}

static int objects_open(struct inode *inode, struct file *f)
{
	return single_open(f, objects_show, NULL);
}

static const struct file_operations objects_fops = {
	.owner = THIS_MODULE,
	.open = objects_open,
	.read = seq_read,
	.write = objects_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int __init oracle_objects_init(void)
{
	types = vzalloc(array_size(MAX_TYPES, sizeof(*types)));
	if (!types)
		return -ENOMEM;
	file = debugfs_create_file("oracle_objects", 0600, NULL, NULL, &objects_fops);
	return 0;
}

static void __exit oracle_objects_exit(void)
{
	debugfs_remove(file);
	if (running)
		stop();
	vfree(types);
}

module_init(oracle_objects_init);
module_exit(oracle_objects_exit);
MODULE_DESCRIPTION("Tells memscope's oracle what lies where in the kernel's memory");
MODULE_LICENSE("GPL");
