/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* How modules report objects to the oracle: objects.h. */
#ifndef ORACLE_MAILBOX_H
#define ORACLE_MAILBOX_H

#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "lib/mark.h"
#include "objects.h"

static DEFINE_PER_CPU_ALIGNED(struct oracle_object, mailbox);

/* An object of @type is at @base; type 0: it is no more. */
static inline void report_object(const void *base, size_t size, u32 type)
{
	struct oracle_object *box;
	unsigned long flags;

	local_irq_save(flags);
	box = this_cpu_ptr(&mailbox);
	WRITE_ONCE(box->base, (unsigned long)base);
	WRITE_ONCE(box->size, size);
	WRITE_ONCE(box->type, type);
	oracle_mark(ORACLE_CODE_OBJECT);
	local_irq_restore(flags);
}

static inline void report_mailbox(void *unused)
{
	WRITE_ONCE(this_cpu_ptr(&mailbox)->type, 0);
	oracle_mark(ORACLE_CODE_MAILBOX);
}

/* Once, after the oracle has started, and before the first report_object(). */
static inline void report_mailboxes(void)
{
	on_each_cpu(report_mailbox, NULL, 1);
}

#endif
