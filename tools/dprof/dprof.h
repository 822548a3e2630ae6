/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The verbs of dprof. */
#ifndef DPROF_H
#define DPROF_H

#include "lib/complain.h"
#include "lib/outfile.h"
#include "lib/record/default.h"

int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_layout(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_export(int argc, char **argv);

/* For help texts. */
#define DEFAULT_INPUT	"default " DPROF_FILE ", else " TRACE_FILE

/* The file that a verb reads, or NULL with a message printed.  @operand: as it is named; NULL: it is not. */
static inline const char *recording_path(const char *operand)
{
	return operand ? operand : default_recording(DPROF_FILE, "dprof");
}

struct analysis;
struct pcp_options;

int export_pprof(struct analysis *a, const char *path, const char *output);
int export_openmetrics(struct analysis *a, const char *path, const char *output);
int export_perfetto(struct analysis *a, const char *path, const char *output);
int export_pcp(struct analysis *a, const char *path, const char *output, const struct pcp_options *pcp);

#endif
