/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* One page of several recordings. */
#ifndef MEMSCOPE_PAGE_H
#define MEMSCOPE_PAGE_H

#include <stdio.h>

#include "memscope/findings/findings.h"
#include "memscope/read/recording.h"

int page_write(FILE *out, const char *title, const struct recordings *r, const struct findings *l);

#endif
