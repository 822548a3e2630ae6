/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/* The diagnosis as tables. */
#ifndef MEMPROF_DIAGNOSIS_H
#define MEMPROF_DIAGNOSIS_H

#include "memprof/diagnose/patterns.h"
#include "memprof/view/view.h"

int findings_table(struct memprof *m, const struct findings *f, const struct view_options *o, struct table *t);
int levels_table(struct memprof *m, const struct findings *f, const struct view_options *o, struct table *t);

#endif
