/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Comma-separated values. */
#ifndef MEMSCOPE_CSV_H
#define MEMSCOPE_CSV_H

int csv_split(char *line, char **field, int max);

#endif
