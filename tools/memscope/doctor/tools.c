// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Which tools work on this machine: for each, the first thing that it lacks. */
#include <stdarg.h>
#include <string.h>

#include "judge.h"

#define BUILD_KERNEL	"boot a kernel with the memscope series: memscope-doc has how (real-machine.md), make deb builds one"

static void set(struct tool_state *t, enum check_state state, const char *fix, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The first problem of the worst kind is the one to report. */
static void set(struct tool_state *t, enum check_state state, const char *fix, const char *fmt, ...)
{
	va_list ap;

	if (state <= t->state)
		return;
	t->state = state;
	t->fix = fix;
	va_start(ap, fmt);
	vsnprintf(t->why, sizeof(t->why), fmt, ap);
	va_end(ap);
}

/* Recorders that read events of tracefs. */
static void judge_tracing(const struct facts *f, struct tool_state *t, enum found feature, const char *option)
{
	if (feature == ABSENT)
		set(t, BAD, BUILD_KERNEL, "this kernel has no %s (%s)", t->name, option);
	if (!f->root)
		set(t, BAD, "run it as root", "%s record needs root: its settings are files in tracefs", t->name);
	if (f->lockdown == LOCKDOWN_CONFIDENTIALITY)
		set(t, BAD, "boot with lockdown=integrity or lockdown=none",
		    "kernel lockdown (confidentiality) closes tracefs");
	if (f->tracefs == ABSENT)
		set(t, BAD, "mount -t tracefs tracefs /sys/kernel/tracing", "tracefs is not mounted");
	else if (f->tracefs == HIDDEN && f->root)
		set(t, BAD, "mount it again: mount -t tracefs tracefs /sys/kernel/tracing",
		    "/sys/kernel/tracing has no files of tracefs");
	if (!f->trace_cmd)
		set(t, BAD, "apt install trace-cmd", "trace-cmd, which writes the recording, is not installed");
	if (feature == HIDDEN)
		set(t, WARN, "run memscope doctor as root", "this user cannot see whether the kernel has %s", option);
}

static void judge_source(const struct facts *f, struct tool_state *t)
{
	if (f->source >= 0)
		return;
	if (*f->holder)
		set(t, BAD, "wait until it ends, or end it",
		    "IBS is in use by %s, and there is no other source of samples", f->holder);
	else
		set(t, BAD, "see the reasons under samples",
		    "no source of memory-access samples can be used here");
}

static void judge_memprof(const struct facts *f, struct tool_state *t)
{
	const struct memsource *s;

	judge_source(f, t);
	if (f->source < 0)
		return;
	s = &f->sources[f->source];
	/* The limits that perf_event_open(2) sets to users without CAP_PERFMON. */
	if (!f->perfmon && f->paranoid > 2)
		set(t, BAD, "run it as root, give it CAP_PERFMON, or sysctl kernel.perf_event_paranoid=1",
		    "kernel.perf_event_paranoid is %d: this user may open no event", f->paranoid);
	if (!f->perfmon && f->paranoid > 1 && !s->filters_mode)
		set(t, BAD, "run it as root, give it CAP_PERFMON, or sysctl kernel.perf_event_paranoid=1",
		    "%s samples user and kernel mode together, and this user may not sample the kernel", s->name);
	if (!f->perfmon && f->paranoid > 1)
		set(t, WARN, "run it as root, or sysctl kernel.perf_event_paranoid=1",
		    "without CAP_PERFMON, samples have no physical address: the node of a page is asked for by"
		    " move_pages(2) a few ms after the access");
	if (!s->latency)
		set(t, WARN, "where IBS or PEBS is available, use it",
		    "%s reports neither the level that served an access nor its latency", s->name);
	if (f->nodes < 2)
		set(t, NOTE, "", "one NUMA node: no access is remote; sharing and misses of objects are still reported");
}

/**
 * judge_tools() - find out which tools work
 * @f: facts of the machine
 * @tools: set, a row each
 */
void judge_tools(const struct facts *f, struct tool_state tools[NR_TOOLS])
{
	static const char * const about[NR_TOOLS][2] = {
		[TOOL_MEMREF] = { "memref", "which memory is used" },
		[TOOL_PAGEALLOC] = { "pagealloc", "where pages land" },
		[TOOL_DPROF] = { "dprof", "which kernel types miss the cache" },
		[TOOL_MEMPROF] = { "memprof", "which objects are remote, and why" },
	};
	int i;

	for (i = 0; i < NR_TOOLS; i++)
		tools[i] = (struct tool_state){ .name = about[i][0], .about = about[i][1], .fix = "" };
	judge_tracing(f, &tools[TOOL_MEMREF], f->memref, "CONFIG_MEMREF");
	judge_tracing(f, &tools[TOOL_DPROF], f->dprof, "CONFIG_DPROF");
	judge_source(f, &tools[TOOL_DPROF]);
	judge_memprof(f, &tools[TOOL_MEMPROF]);
	if (!f->page_hints)
		set(&tools[TOOL_PAGEALLOC], BAD, BUILD_KERNEL, "this kernel has no page hints (CONFIG_PAGE_HINT)");
	else if (!f->nice && !f->unprivileged_hints)
		set(&tools[TOOL_PAGEALLOC], BAD, "run it as root, or sysctl vm.page_hints_unprivileged=1",
		    "page hints need CAP_SYS_NICE");
	else if (f->lockdown >= LOCKDOWN_INTEGRITY)
		set(&tools[TOOL_PAGEALLOC], WARN, "sign the modules of the kernel, as its package does",
		    "kernel lockdown loads signed modules only: strategies are modules");
}
