// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Tells the oracle which CPU runs a traced process: a mark (mark.h) whenever a
 * CPU goes from one task to another.  On a machine without the oracle a mark is a
 * NOP.
 *
 * /sys/kernel/debug/oracle/traced: write a pid to have its process traced, the
 * process' future children too, and theirs; -pid to end that, 0 to end it for all.
 * A process that exits is no longer traced.
 *
 * sched_switch fires with interrupts off, just before the switch, so the CPU is
 * said to run the next task from within schedule() on.  A change to the set of
 * processes is sent to all CPUs, by interrupt, before the write returns.
 */
#include <linux/bitmap.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/threads.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "lib/mark.h"
#include "probes.h"

/* By tgid in the initial namespace; PID_MAX_LIMIT bits. */
static unsigned long *traced;
static struct dentry *dir;

static void mark(const struct task_struct *task)
{
	if (test_bit(task->tgid, traced))
		oracle_mark(ORACLE_CODE_TRACED);
	else
		oracle_mark(ORACLE_CODE_UNTRACED);
}

static void mark_current(void *unused)
{
	mark(current);
}

static void on_switch(void *unused, bool preempt, struct task_struct *prev,
		      struct task_struct *next, unsigned int prev_state)
{
	mark(next);
}

/* The child has not run yet. */
static void on_fork(void *unused, struct task_struct *parent, struct task_struct *child)
{
	if (test_bit(parent->tgid, traced))
		set_bit(child->tgid, traced);
}

/* The last thread has left user mode for good; the number may be another's next. */
static void on_exit(void *unused, struct task_struct *task)
{
	if (!atomic_read(&task->signal->live))
		clear_bit(task->tgid, traced);
}

static struct probe probes[] = {
	{ "sched_switch", on_switch },
	{ "sched_process_fork", on_fork },
	{ "sched_process_exit", on_exit },
};

static int change(int nr)
{
	struct task_struct *task;
	int ret = 0;

	if (!nr) {
		bitmap_zero(traced, PID_MAX_LIMIT);
	} else {
		rcu_read_lock();
		task = pid_task(find_vpid(abs(nr)), PIDTYPE_PID);
		if (!task)
			ret = -ESRCH;
		else if (nr > 0)
			set_bit(task->tgid, traced);
		else
			clear_bit(task->tgid, traced);
		rcu_read_unlock();
	}
	if (!ret)
		on_each_cpu(mark_current, NULL, 1);
	return ret;
}

static ssize_t traced_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	int nr, ret;

	ret = kstrtoint_from_user(buf, count, 10, &nr);
	if (!ret && nr == INT_MIN)
		ret = -ERANGE;
	if (!ret)
		ret = change(nr);
	return ret ? ret : count;
}

static int traced_show(struct seq_file *m, void *unused)
{
	unsigned long nr;

	for_each_set_bit(nr, traced, PID_MAX_LIMIT)
		seq_printf(m, "%lu\n", nr);
	return 0;
}

static int traced_open(struct inode *inode, struct file *file)
{
	return single_open(file, traced_show, NULL);
}

static const struct file_operations traced_fops = {
	.owner = THIS_MODULE,
	.open = traced_open,
	.read = seq_read,
	.write = traced_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int __init oracle_trace_init(void)
{
	int ret;

	traced = vzalloc(BITS_TO_LONGS(PID_MAX_LIMIT) * sizeof(long));
	if (!traced)
		return -ENOMEM;
	ret = register_probes(probes, ARRAY_SIZE(probes));
	if (ret) {
		vfree(traced);
		return ret;
	}
	dir = debugfs_create_dir("oracle", NULL);
	debugfs_create_file("traced", 0600, dir, NULL, &traced_fops);
	return 0;
}

static void __exit oracle_trace_exit(void)
{
	debugfs_remove(dir);
	change(0);
	unregister_probes(probes, ARRAY_SIZE(probes));
	vfree(traced);
}

module_init(oracle_trace_init);
module_exit(oracle_trace_exit);
MODULE_DESCRIPTION("Tells memscope's oracle which CPUs run traced processes");
MODULE_LICENSE("GPL");
