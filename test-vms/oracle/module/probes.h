/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Probes of tracepoints that are not exported by name. */
#ifndef ORACLE_PROBES_H
#define ORACLE_PROBES_H

#include <linux/module.h>
#include <linux/tracepoint.h>

/**
 * struct probe - a function that a tracepoint is to call
 * @name: of the tracepoint
 * @fn: the function; its first argument is NULL
 * @tp: set by register_probes()
 */
struct probe {
	const char *name;
	void *fn;
	struct tracepoint *tp;
};

struct probes {
	struct probe *probe;
	int nr;
};

static inline void find_probe(struct tracepoint *tp, void *data)
{
	struct probes *all = data;
	int i;

	for (i = 0; i < all->nr; i++) {
		if (!strcmp(tp->name, all->probe[i].name))
			all->probe[i].tp = tp;
	}
}

static inline void unregister_probes(struct probe *probe, int nr)
{
	while (nr--)
		tracepoint_probe_unregister(probe[nr].tp, probe[nr].fn, NULL);
	tracepoint_synchronize_unregister();
}

/* Return 0, or an error after saying which tracepoint; then none is registered. */
static inline int register_probes(struct probe *probe, int nr)
{
	struct probes all = { probe, nr };
	int i, ret;

	for_each_kernel_tracepoint(find_probe, &all);
	for (i = 0; i < nr; i++) {
		ret = probe[i].tp ? tracepoint_probe_register(probe[i].tp, probe[i].fn, NULL) :
				    -ENOENT;
		if (ret) {
			pr_err("%s: tracepoint %s: %d\n", KBUILD_MODNAME, probe[i].name, ret);
			unregister_probes(probe, i);
			return ret;
		}
	}
	return 0;
}

#endif
