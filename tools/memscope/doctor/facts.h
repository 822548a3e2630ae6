/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* What memscope doctor knows of a machine: read once, then judged. */
#ifndef MEMSCOPE_FACTS_H
#define MEMSCOPE_FACTS_H

#include <stdbool.h>

#include "lib/perf/source.h"

#define NO_PERF	(-100)

/* enum found - HIDDEN: this user cannot see it */
enum found { ABSENT, PRESENT, HIDDEN };

enum lockdown { LOCKDOWN_UNKNOWN, LOCKDOWN_NONE, LOCKDOWN_INTEGRITY, LOCKDOWN_CONFIDENTIALITY };

/**
 * struct facts - what was found on a machine
 * @release: of the kernel
 * @root: effective user id 0
 * @perfmon: has CAP_PERFMON or CAP_SYS_ADMIN
 * @nice: has CAP_SYS_NICE
 * @unprivileged_hints: vm.page_hints_unprivileged is 1
 * @page_hints: the kernel has page hints
 * @memref: the kernel has memref
 * @dprof: the kernel has dprof
 * @tracefs: tracefs is mounted; HIDDEN: and this user cannot read it
 * @sites: memory-allocation profiling, which names the allocation sites of kernel objects
 * @btf: type information of the kernel
 * @lockdown: of the kernel
 * @paranoid: kernel.perf_event_paranoid, or NO_PERF
 * @max_rate: kernel.perf_event_max_sample_rate; -1: not known
 * @sources: sources of samples
 * @source: index of the one that is used by default; -1: none
 * @holder: who uses IBS; "": nobody
 * @perf_users: other processes with open perf events; "": none
 * @nodes: NUMA nodes with memory
 * @total_kb: memory
 * @available_kb: of this, available
 * @huge_pages: pages of the hugetlbfs pool
 * @trace_cmd: trace-cmd is installed
 * @gnuplot: gnuplot is installed
 */
struct facts {
	char release[128];
	bool root, perfmon, nice, unprivileged_hints, page_hints;
	enum found memref, dprof, tracefs;
	bool sites, btf;
	enum lockdown lockdown;
	int paranoid;
	long max_rate;
	struct memsource sources[MEMSOURCE_COUNT];
	int source;
	char holder[256], perf_users[256];
	int nodes;
	unsigned long total_kb, available_kb, huge_pages;
	bool trace_cmd, gnuplot;
};

void facts_read(struct facts *f);

/* perf_users.c */
void find_perf_users(char *text, size_t size);
bool source_runs(const struct memsource *source);

#endif
