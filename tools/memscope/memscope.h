/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The verbs of memscope. */
#ifndef MEMSCOPE_H
#define MEMSCOPE_H

#include "lib/complain.h"
#include "lib/options.h"
#include "lib/output.h"

int cmd_doctor(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_why(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_diagnose(int argc, char **argv);
int cmd_html(int argc, char **argv);
int cmd_fleet(int argc, char **argv);

#endif
