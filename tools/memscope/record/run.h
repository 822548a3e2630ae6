/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* One run of a command under all recorders, and the directory that it leaves. */
#ifndef MEMSCOPE_RUN_H
#define MEMSCOPE_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* One trace-cmd writes what memref and dprof read: a name that both look for. */
#define RUN_TRACE	"trace.dat"
#define RUN_OBJECTS	"objects.data"
#define RUN_MANIFEST	"manifest.json"
#define RUN_DIRECTORY	"memscope.run"

/* What is recorded: bits. */
enum { RECORD_REFS = 1, RECORD_TYPES = 2, RECORD_OBJECTS = 4 };

/**
 * struct run - a run
 * @what: RECORD_*
 * @directory: the directory that it leaves, without slashes at its end
 * @part: its name until it is complete
 * @command: the command, up to a NULL
 * @interval_ms: of memref
 * @period: of samples of objects, as text; NULL: the default
 * @types_period: of samples of types, likewise: its unit is that of another source
 * @types_source: source of dprof
 * @objects_source: source of memprof
 * @pid: of the command
 * @begin_ns: CLOCK_MONOTONIC when it began, @end_ns: when it ended
 * @begin_real_ns: CLOCK_REALTIME when it began
 * @status: its exit status
 */
struct run {
	unsigned int what;
	char directory[3800], part[3900];
	char **command;
	unsigned int interval_ms;
	const char *period, *types_period, *types_source, *objects_source;
	pid_t pid;
	uint64_t begin_ns, end_ns, begin_real_ns;
	int status;
};

/* settings.c */
int settings_apply(const struct run *r);
bool settings_work(void);
int settings_free(const struct run *r);
void settings_warn(const struct run *r);

/* chain.c */
struct chain {
	pid_t child;
	int go, gate, named;
};

int chain_start(struct chain *c, struct run *r);
int chain_release(struct chain *c, const struct run *r);
void chain_drop(struct chain *c);

/* manifest.c */
int manifest_write(const struct run *r);

#endif
