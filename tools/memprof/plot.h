/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Pictures of views. */
#ifndef MEMPROF_PLOT_H
#define MEMPROF_PLOT_H

#include "memprof/view/view.h"

int plot_draw(struct memprof *m, const struct view *view, struct table *t, const char *output, const char *title);

#endif
