/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* dprof's control files in tracefs: set for a recording; a guard process restores them. */
#ifndef DPROF_KNOBS_H
#define DPROF_KNOBS_H

enum knob {
	KNOB_SOURCE, KNOB_ENCODING, KNOB_PERIOD, KNOB_USER, KNOB_L3_MISS_ONLY, KNOB_LDLAT, KNOB_TYPES, KNOB_EVERY, KNOB_HISTORY,
	KNOB_OFFSETS, KNOB_LENGTH, KNOB_OBJECTS, KNOB_BUDGET, KNOB_CPU_SHARE, KNOB_MAX, KNOB_MAX_MS, KNOB_PIDS, KNOB_CGROUP,
	KNOB_CPUS, KNOB_CHAINS, NR_KNOBS
};

int knobs_exist(void);
int knobs_queue(enum knob knob, const char *value);
const char *knobs_queued(enum knob knob);
int knobs_apply(void);
int knobs_end_batches(void);
long knobs_stat(const char *name, char *text, int size);

#endif
