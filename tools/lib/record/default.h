/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Names of recordings that are written and read where no file is named. */
#ifndef MEMSCOPE_DEFAULT_H
#define MEMSCOPE_DEFAULT_H

/* What memref record and dprof record write: a name each, so that neither replaces the other's. */
#define MEMREF_FILE	"memref.dat"
#define DPROF_FILE	"dprof.dat"
/* What trace-cmd record writes. */
#define TRACE_FILE	"trace.dat"

void default_note_newer(const char *own);
const char *default_recording(const char *own, const char *tool);

#endif
