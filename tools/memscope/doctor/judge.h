/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* From facts of a machine to what works on it. */
#ifndef MEMSCOPE_JUDGE_H
#define MEMSCOPE_JUDGE_H

#include "lib/doctor/checks.h"
#include "facts.h"

/**
 * struct tool_state - whether a tool works on this machine
 * @name: of the tool
 * @about: what it reports
 * @state: BAD: it does not work
 * @why: what is missing, or what to know; "" if nothing
 * @fix: what to do
 */
struct tool_state {
	const char *name, *about;
	enum check_state state;
	char why[512];
	const char *fix;
};

enum { TOOL_MEMREF, TOOL_PAGEALLOC, TOOL_DPROF, TOOL_MEMPROF, NR_TOOLS };

void judge_tools(const struct facts *f, struct tool_state tools[NR_TOOLS]);
void judge_kernel(const struct facts *f, struct checks *c);
void judge_samples(const struct facts *f, struct checks *c);
void judge_permissions(const struct facts *f, struct checks *c);
void judge_machine(const struct facts *f, struct checks *c);

#endif
