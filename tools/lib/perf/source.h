/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * Where samples of memory accesses come from on this machine: AMD's IBS, Intel's
 * PEBS, or swmem, the kernel's own sampling by software.  All through perf; who
 * uses this names no vendor.
 */
#ifndef MEMSCOPE_MEMSOURCE_H
#define MEMSCOPE_MEMSOURCE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { MEMSOURCE_IBS, MEMSOURCE_PEBS, MEMSOURCE_SWMEM, MEMSOURCE_COUNT };

/* PEBS has loads and stores apart, and some processors need a leader. */
#define MEMSOURCE_MAX_EVENTS	3

/**
 * struct memsource - one source
 * @name: "ibs", "pebs" or "swmem"
 * @pmu: its directory in /sys/bus/event_source/devices, "" if there is none
 * @available: it can be opened by this process
 * @reason: why not
 * @period_unit: what a period counts: "ops", "cycles", "loads and stores" or "ns"
 * @filters_mode: the kernel leaves out user or kernel mode itself; else the
 *	reader has to (PERF_RECORD_MISC_CPUMODE_MASK)
 * @store_source: samples of stores have the level at which the data was found.  Where they do
 *	not, the home node is that of the physical address
 * @latency: samples of loads have a latency in cycles
 */
struct memsource {
	const char *name;
	char pmu[32];
	bool available;
	char reason[256];
	const char *period_unit;
	bool filters_mode, store_source, latency;
	const char *root;
};

/**
 * struct memsource_request - what is to be sampled
 * @period: a sample each so many of period_unit, on average; 0: by @frequency
 * @frequency: samples each second and CPU
 * @user: in user mode
 * @kernel: in kernel mode
 * @loads: loads
 * @stores: stores
 * @min_latency: PEBS: of loads, in cycles; at least 3 is used
 * @physical: physical addresses too (needs CAP_PERFMON or root)
 * @callchain: call chains too
 * @cgroup: ids of control groups too, if memsource_cgroups()
 */
struct memsource_request {
	uint64_t period;
	unsigned int frequency;
	bool user, kernel, loads, stores;
	unsigned int min_latency;
	bool physical, callchain, cgroup;
};

/**
 * struct memsource_events - what to give to perf_event_open()
 * @attr: attributes, all disabled
 * @nr: how many
 * @flags: PERF_FLAG_PID_CGROUP, or 0
 * @group: events 1 and on belong to the group of event 0, which has no samples
 * @filter_mode: samples of modes not wanted come, too: the reader leaves them out
 * @filter_op: the same for loads and stores
 */
struct memsource_events {
	struct perf_event_attr attr[MEMSOURCE_MAX_EVENTS];
	int nr;
	unsigned long flags;
	bool group, filter_mode, filter_op;
};

void memsource_probe(struct memsource sources[MEMSOURCE_COUNT], const char *root);
const struct memsource *memsource_choose(const struct memsource sources[MEMSOURCE_COUNT],
					 const char *name, char *error, size_t size);
int memsource_events(const struct memsource *source, const struct memsource_request *request,
		     struct memsource_events *events, char *error, size_t size);
int memsource_open(const struct memsource_events *events, pid_t pid, int cpu,
		   int fds[MEMSOURCE_MAX_EVENTS]);

void memsource_perf_event(const struct memsource *source, char *text, size_t size);
long memsource_max_rate(void);
bool memsource_cgroups(void);

#endif
