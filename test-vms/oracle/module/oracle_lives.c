// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Tells the oracle of watched objects (watched.c) when those of a slab cache are
 * allocated and freed, as the slab allocator's own tracepoints have it.
 *
 *	modprobe oracle_lives cache=NAME	after the oracle has started
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "slab.h"

#include "mailbox.h"
#include "probes.h"

static char *cache = "";
module_param(cache, charp, 0444);
MODULE_PARM_DESC(cache, "the slab cache");

static void on_alloc(void *unused, unsigned long call_site, const void *p, struct kmem_cache *s,
		     gfp_t flags, int node)
{
	if (p && !strcmp(s->name, cache))
		report_object(p, s->object_size, 1);
}

static void on_free(void *unused, unsigned long call_site, const void *p,
		    const struct kmem_cache *s)
{
	if (p && !strcmp(s->name, cache))
		report_object(p, s->object_size, 0);
}

static struct probe probes[] = {
	{ "kmem_cache_alloc", on_alloc },
	{ "kmem_cache_free", on_free },
};

static int __init oracle_lives_init(void)
{
	report_mailboxes();
	return register_probes(probes, ARRAY_SIZE(probes));
}

static void __exit oracle_lives_exit(void)
{
	unregister_probes(probes, ARRAY_SIZE(probes));
}

module_init(oracle_lives_init);
module_exit(oracle_lives_exit);
MODULE_DESCRIPTION("Tells memscope's oracle when objects are allocated and freed");
MODULE_LICENSE("GPL");
