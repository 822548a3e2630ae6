/* SPDX-License-Identifier: GPL-2.0 */
/* The sampler's files in tracefs: set for a while; a guard puts them back as they were. */
#ifndef MEMREF_KNOBS_H
#define MEMREF_KNOBS_H

enum knob {
	INTERVAL, GROUP, FLUSH, WRITE, KERNEL_MODE, CHILDREN, CPU_MAX, ENCODING, TASKS, VIRT,
	CGROUP, PIDS, NR_KNOBS
};

void knobs_want(enum knob knob, const char *value);
int knobs_want_interval(const char *ms);
int knobs_want_pid(const char *pid);
int knobs_wanted(enum knob knob);
int knobs_exist(void);
int knobs_apply(void);
void knobs_try(enum knob knob, const char *value);

#endif
