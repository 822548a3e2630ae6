/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The verbs of dprof. */
#ifndef DPROF_H
#define DPROF_H

#include "lib/complain.h"
#include "lib/outfile.h"

int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_layout(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_export(int argc, char **argv);

struct analysis;
struct pcp_options;

int export_pprof(struct analysis *a, const char *path, const char *output);
int export_openmetrics(struct analysis *a, const char *path, const char *output);
int export_perfetto(struct analysis *a, const char *path, const char *output);
int export_pcp(struct analysis *a, const char *path, const char *output, const struct pcp_options *pcp);

#endif
