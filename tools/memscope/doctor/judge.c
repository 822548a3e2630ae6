// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Topic by topic: what a machine has, what that means, and what to do. */
#include <string.h>

#include "judge.h"

/* perf lowers the rate to this where samples take long; memprof's default is 4000. */
#define LOW_RATE	4000
/* Room for a recording's page cache and for reading it. */
#define LOW_MEMORY_KB	(512UL << 10)

static void add_feature(struct checks *c, const char *check, enum found found, const char *option, const char *why)
{
	char value[128];

	snprintf(value, sizeof(value), found == PRESENT ? "in this kernel" : found == ABSENT ?
		 "not in this kernel (%s)" : "not visible to this user (%s)", option);
	checks_add(c, check, found == PRESENT ? GOOD : found == ABSENT ? BAD : WARN, value, why,
		   found == ABSENT ? "boot a kernel with the memscope series" : "run memscope doctor as root");
}

/**
 * judge_kernel() - features of the kernel, and versions
 * @f: facts of the machine
 * @c: gets the rows
 */
void judge_kernel(const struct facts *f, struct checks *c)
{
	const struct memsource *swmem = &f->sources[MEMSOURCE_SWMEM];

	checks_add(c, "release", GOOD, f->release, "the memscope series is for Linux 6.12", "");
	checks_add(c, "tools", GOOD, MEMSCOPE_VERSION, "version of the tools", "");
	add_feature(c, "memref", f->memref, "CONFIG_MEMREF", "events that report which physical memory is referenced");
	add_feature(c, "page_hints", f->page_hints ? PRESENT : ABSENT, "CONFIG_PAGE_HINT",
		    "hints that choose the frames of pages");
	add_feature(c, "dprof", f->dprof, "CONFIG_DPROF", "events that name the kernel type of an access");
	/* Hardware that samples makes up for it. */
	if (*swmem->pmu || f->source < 0)
		add_feature(c, "swmem", *swmem->pmu ? PRESENT : ABSENT, "CONFIG_PERF_EVENTS_SWMEM",
			    "samples of memory accesses without hardware");
	else
		checks_add(c, "swmem", NOTE, "not in this kernel (CONFIG_PERF_EVENTS_SWMEM)",
			   "samples of memory accesses without hardware", "");
	checks_add(c, "allocation_sites", f->sites ? GOOD : WARN, f->sites ? "known" : "no memory-allocation profiling",
		   "objects of the generic kmalloc caches are told apart by the function that allocates them",
		   "build the kernel with CONFIG_MEM_ALLOC_PROFILING");
	checks_add(c, "type_information", f->btf ? GOOD : WARN, f->btf ? "BTF" : "no BTF",
		   "names the fields of kernel types", "build the kernel with CONFIG_DEBUG_INFO_BTF, or give dprof its vmlinux");
}

static void add_source(const struct facts *f, struct checks *c, int i)
{
	const struct memsource *s = &f->sources[i];
	char value[320], event[128];

	if (i == MEMSOURCE_IBS && *f->holder) {
		snprintf(value, sizeof(value), "in use by %s", f->holder);
		checks_add(c, s->name, f->source < 0 ? BAD : WARN, value,
			   "a CPU has one IBS: an event that finds it taken opens, and gets no samples",
			   f->source < 0 ? "wait until it ends, or end it" : "wait until it ends, or use --source swmem");
		return;
	}
	memsource_perf_event(s, event, sizeof(event));
	snprintf(value, sizeof(value), "%s%s%s", s->available ? "works" : "not available",
		 s->available && *event ? ", event " : "", s->available ? event : "");
	if (s->available)
		checks_add(c, s->name, GOOD, value, s->latency ? "samples have levels and latencies" :
			   "samples have no levels and no latencies", "");
	else
		checks_add(c, s->name, f->source < 0 && *s->pmu ? BAD : NOTE, value, s->reason,
			   *s->pmu ? "run it as root, give it CAP_PERFMON, or sysctl kernel.perf_event_paranoid=1" : "");
}

/**
 * judge_samples() - sources of memory-access samples
 * @f: facts of the machine
 * @c: gets the rows
 */
void judge_samples(const struct facts *f, struct checks *c)
{
	char value[128];
	int i;

	if (f->source >= 0)
		checks_add(c, "source", GOOD, f->sources[f->source].name, "used by default", "");
	else
		checks_add(c, "source", BAD, "none", "dprof and memprof need samples of memory accesses",
			   "on AMD use bare metal or a guest with IBS, on Intel a processor with PEBS load latency, "
			   "else a kernel with swmem");
	for (i = 0; i < MEMSOURCE_COUNT; i++)
		add_source(f, c, i);
	if (*f->perf_users)
		checks_add(c, "perf_users", NOTE, f->perf_users,
			   "other processes have perf events open: events of the same hardware share it, or wait", "");
	if (f->max_rate < 0)
		return;
	snprintf(value, sizeof(value), "%ld samples a second", f->max_rate);
	checks_add(c, "max_sample_rate", f->max_rate < LOW_RATE ? WARN : GOOD, value,
		   "perf lowers kernel.perf_event_max_sample_rate where samples take long",
		   "sysctl kernel.perf_cpu_time_max_percent=0 kernel.perf_event_max_sample_rate=100000");
}

/**
 * judge_permissions() - what this user may do
 * @f: facts of the machine
 * @c: gets the rows
 */
void judge_permissions(const struct facts *f, struct checks *c)
{
	static const char * const lockdowns[] = { "not in this kernel", "none", "integrity", "confidentiality" };
	char value[64];

	checks_add(c, "user", f->root ? GOOD : BAD, f->root ? "root" : "not root",
		   "memref record and dprof record need root; reading recordings does not", "run recorders as root");
	snprintf(value, sizeof(value), "kernel.perf_event_paranoid %d%s", f->paranoid,
		 f->perfmon ? ", with CAP_PERFMON" : "");
	if (f->paranoid == NO_PERF)
		strcpy(value, "this kernel has no perf");
	checks_add(c, "perf", f->paranoid == NO_PERF ? BAD : f->perfmon || f->paranoid < 2 ? GOOD :
		   f->paranoid > 2 ? BAD : WARN, value, "above 2: no events without CAP_PERFMON; above 1: no physical addresses, and not the kernel",
		   "sysctl kernel.perf_event_paranoid=1, or CAP_PERFMON");
	if (f->tracefs == PRESENT)
		checks_add(c, "tracefs", GOOD, "mounted", "memref and dprof are read through tracefs", "");
	else if (f->tracefs == ABSENT)
		checks_add(c, "tracefs", BAD, "not mounted", "memref and dprof are read through tracefs",
			   "mount -t tracefs tracefs /sys/kernel/tracing");
	else
		checks_add(c, "tracefs", f->root ? BAD : WARN, "not readable", "memref and dprof are read through tracefs",
			   f->root ? "mount -t tracefs tracefs /sys/kernel/tracing" : "run memscope doctor as root");
	checks_add(c, "lockdown", f->lockdown == LOCKDOWN_CONFIDENTIALITY ? BAD :
		   f->lockdown == LOCKDOWN_INTEGRITY ? WARN : GOOD, lockdowns[f->lockdown],
		   f->lockdown == LOCKDOWN_CONFIDENTIALITY ? "tracefs cannot be opened: no memref, no dprof" :
		   "signed modules only; debugfs cannot be written",
		   "boot with lockdown=none; with Secure Boot, the firmware's setting decides");
	checks_add(c, "trace-cmd", f->trace_cmd ? GOOD : BAD, f->trace_cmd ? "installed" : "not in $PATH",
		   "memref record and dprof record run it", "apt install trace-cmd");
	checks_add(c, "gnuplot", f->gnuplot ? GOOD : WARN, f->gnuplot ? "installed" : "not in $PATH",
		   "draws the pictures of plot and html", "apt install gnuplot-nox");
}

/**
 * judge_machine() - memory and nodes
 * @f: facts of the machine
 * @c: gets the rows
 */
void judge_machine(const struct facts *f, struct checks *c)
{
	char value[128];

	snprintf(value, sizeof(value), "%d", f->nodes);
	checks_add(c, "nodes", f->nodes > 1 ? GOOD : NOTE, f->nodes ? value : "not known",
		   "with one NUMA node no access is remote: memprof diagnose finds no remote object",
		   "record on a machine with more nodes if that is the question");
	snprintf(value, sizeof(value), "%lu of %lu MiB available", f->available_kb >> 10, f->total_kb >> 10);
	checks_add(c, "memory", f->total_kb && f->available_kb < LOW_MEMORY_KB ? WARN : GOOD, f->total_kb ? value : "not known",
		   "recordings are written through the page cache, and read in memory: with little memory both disturb "
		   "what is recorded", "read recordings on another machine; record to another disk");
	snprintf(value, sizeof(value), "%lu", f->huge_pages);
	checks_add(c, "huge_pages", GOOD, value, "pages of the hugetlbfs pool", "");
}
