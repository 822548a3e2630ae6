/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The verbs of memprof, and what they share. */
#ifndef MEMPROF_CLI_H
#define MEMPROF_CLI_H

#include <stdio.h>

#include "lib/complain.h"
#include "lib/outfile.h"

#define DEFAULT_FILE	"memprof.data"

int cmd_record(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_diagnose(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_html(int argc, char **argv);
int cmd_export(int argc, char **argv);

struct common;
struct finding;
struct findings;
struct pcp_options;

void print_evidence(const struct finding *x, FILE *out);
void print_expected(const struct findings *f, double own, double gain, FILE *out);

int export_pprof(struct common *common, const char *path, const char *output);
int export_openmetrics(struct common *common, const char *path, const char *output);
int export_perfetto(struct common *common, const char *path, const char *output);
int export_pcp(struct common *common, const char *path, const char *output, const struct pcp_options *pcp);

#endif
