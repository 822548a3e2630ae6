/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Two threads, one on each of the first two CPUs: what the planted faults are made with. */
#ifndef MEMSCOPE_TWO_CPUS_H
#define MEMSCOPE_TWO_CPUS_H

#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

/**
 * run_on_two_cpus() - run a function on CPU 0 and another on CPU 1
 * @first: on CPU 0
 * @second: on CPU 1
 * @name: of the threads, with %u for the CPU
 *
 * Return: 0 once both have returned; a negative error number if there could not be two
 * threads, and then neither has run.
 */
static int run_on_two_cpus(int (*first)(void *), int (*second)(void *), const char *name)
{
	struct task_struct *task[2] = {
		kthread_create_on_cpu(first, NULL, 0, name),
		kthread_create_on_cpu(second, NULL, 1, name),
	};
	int i, ret = 0;

	for (i = 0; i < 2; i++)
		if (IS_ERR(task[i]))
			ret = PTR_ERR(task[i]);
	for (i = 0; i < 2; i++) {
		if (IS_ERR(task[i]))
			continue;
		get_task_struct(task[i]);
		if (!ret)
			wake_up_process(task[i]);
	}
	for (i = 0; i < 2; i++) {
		if (IS_ERR(task[i]))
			continue;
		/* Waits for what runs; what never ran does not. */
		while (!ret && !READ_ONCE(task[i]->exit_state))
			schedule_timeout_uninterruptible(1);
		if (ret)
			kthread_stop(task[i]);
		put_task_struct(task[i]);
	}
	return ret;
}

#endif
