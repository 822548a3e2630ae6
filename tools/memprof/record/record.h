/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* memprof record: what its files share. */
#ifndef MEMPROF_RECORD_H
#define MEMPROF_RECORD_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/perf/source.h"
#include "system.h"
#include "writer.h"

/**
 * struct recording - one in progress
 * @source: of samples
 * @request: what is sampled
 * @cgroup: its directory, open, whose processes are sampled; or -1
 * @by_move_pages: nodes of pages are asked for, no physical addresses
 * @streams: of events, so far
 * @dropped_before: by the source, before the recording
 * @events: of objects, without chains and such
 * @discarded: samples that were of no memory access, or not of a mode wanted
 * @no_space: of lost events, those that the file system of the rings had no memory for
 * @without_ring: threads that it had none for at all
 * @with_level: samples whose source reported where their data was
 */
struct recording {
	struct writer writer;
	struct machine machine;
	const struct memsource *source;
	struct memsource_request request;
	int cgroup;
	bool by_move_pages;
	uint32_t streams;
	uint64_t events, discarded, with_level, dropped_before, lost[LOST_KINDS], waits;
	uint64_t no_space, without_ring;
};

uint64_t now_ns(void);
void record_lost(struct recording *r, int kind, uint32_t stream, uint64_t time, uint64_t count);

struct sampler;
struct sampler *sampler_new(struct recording *r);
int sampler_open(struct sampler *s, const pid_t *tids, int nr_tids, bool on_exec);
void sampler_found(struct sampler *s, pid_t pid);
void sampler_forked(struct sampler *s, pid_t pid, pid_t parent);
void sampler_enable(struct sampler *s, bool on);
/* Of sampler_wait(). */
#define MAX_OTHERS	4
void sampler_wait(struct sampler *s, const int *others, int nr, int milliseconds);
bool sampler_drain(struct sampler *s, bool all);
void sampler_close(struct sampler *s);

struct rings;
struct rings *rings_new(struct recording *r, char *error, size_t size);
const char *rings_directory(const struct rings *rings);
const char *rings_clock(const struct rings *rings);
uint64_t rings_clock_error(const struct rings *rings);
/* What rings_drain() found: of RINGS_FULL there is more soon. */
enum rings_found { RINGS_QUIET, RINGS_BUSY, RINGS_FULL };
int rings_fd(const struct rings *rings);
enum rings_found rings_drain(struct rings *rings, bool all);
void rings_close(struct rings *rings);

/**
 * struct allocator - functions that are followed by uprobes
 * @file: program or library that has them
 * @alloc: "NAME" or "NAME/N": return an object, of as many bytes as the Nth argument says
 * @free: the same: end the object that is the Nth argument
 */
struct allocator {
	const char *file, *alloc[16], *free[16];
	int nr_alloc, nr_free;
};

/* Frames of a call chain, at most. */
#define UPROBES_DEPTH 8

struct uprobes;
struct uprobes *uprobes_new(struct recording *r, unsigned int depth);
int uprobes_parse(const char *spec, char *name, size_t size, uint64_t *argument);
int uprobes_add(struct uprobes *u, const struct allocator *a);
int uprobes_open(struct uprobes *u, const pid_t *tids, int nr_tids, bool on_exec);
void uprobes_enable(struct uprobes *u, bool on);
bool uprobes_drain(struct uprobes *u, bool all);
void uprobes_close(struct uprobes *u);

#endif
