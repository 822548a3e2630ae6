/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Recognizes recordings by their contents. */
#ifndef MEMSCOPE_RECORDING_H
#define MEMSCOPE_RECORDING_H

#include <stddef.h>

/* What is in a file.  A trace may have events of memref and of dprof. */
enum recording {
	RECORDING_MEMREF, RECORDING_DPROF, RECORDING_DPROF_TEXT, RECORDING_MEMPROF, RECORDING_PERF,
	RECORDING_LAYOUT, RECORDING_BENCH, RECORDING_KINDS
};

/**
 * struct recordings - the recordings that operands name
 * @all: path and kind of each, in order
 * @nr: number of recordings
 */
struct recordings {
	struct {
		char *path;
		enum recording kind;
	} *all;
	size_t nr;
};

extern const char * const recording_names[RECORDING_KINDS];

int recordings_find(struct recordings *r, char **paths, int nr);
void recordings_free(struct recordings *r);

#endif
