/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The sampler's files in tracefs (knobs): set while memref runs; a guard restores them. */
#ifndef MEMREF_KNOBS_H
#define MEMREF_KNOBS_H

#include <stdint.h>

#include "lib/options.h"
#include "lib/record/pids.h"

enum knob {
	INTERVAL, GROUP, FLUSH, WRITE, KERNEL_MODE, CHILDREN, CPU_MAX, ENCODING, PARTS, TASKS, VIRT, AGES, VMA_AGES,
	FAULT_AROUND, WORKERS, CGROUP, PIDS, NR_KNOBS
};

void knobs_request(enum knob knob, const char *value);
void knobs_request_pids(const struct pids *pids);
int knobs_requested(enum knob knob);
int knobs_has_parts(void);
int knobs_exist(void);
int knobs_apply(void);
int knobs_interval_ms(long long *ms);
void knobs_try(enum knob knob, const char *value);

int knob_option(const struct opt *o, const char *value);
int knob_interval(const struct opt *o, const char *value);
int knob_group_size(const struct opt *o, const char *value);
int knob_cgroup(const struct opt *o, const char *value);
int knob_mapping_ages(const struct opt *o, const char *value);

/* Rows for a verb's option table; of the last, pass @pids to knobs_request_pids(). */
#define KNOB_OPTION(name, arg, knob, help) \
	OPT_CALL(0, name, arg, knob_option, (uintptr_t)(knob), help)
#define KNOB_NUMBER_OPTION(name, arg, knob, min, max, help) \
	OPT_CALL_NUMBER(0, name, arg, knob_option, (uintptr_t)(knob), min, max, help)
#define KNOB_CPU_MAX_OPTION \
	KNOB_NUMBER_OPTION("cpu-max", "PCT", CPU_MAX, 0, 100, \
			   "CPU time limit of the sampler, 1 to 100 % of a CPU, kept by longer intervals; 0: no limit")
#define KNOB_PARTS_OPTION \
	KNOB_NUMBER_OPTION("parts", "N", PARTS, 1, 64, \
			   "sample each page table for one interval in N, at most 64 (default 1: for all of them)")
#define KNOB_GROUP_SIZE_OPTION \
	OPT_CALL(0, "group-size", "SIZE", knob_group_size, NULL, \
		 "group of physical memory, 64K to 1G, a power of two")
#define KNOB_INTERVAL_OPTION \
	OPT_CALL('i', "interval", "TIME", knob_interval, NULL, \
		 "length of an interval, 10ms to 1h (ms without unit); 0: on demand")
#define KNOB_PID_OPTION(pids) \
	PIDS_OPTION('p', pids, 1, "only these processes, not those that they fork")

#endif
