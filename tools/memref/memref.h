/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The verbs of memref, and what they share. */
#ifndef MEMREF_H
#define MEMREF_H

#include <stdio.h>

#include "lib/complain.h"
#include "lib/outfile.h"
#include "lib/record/default.h"
#include "memref/model/model.h"
#include "memref/read/reader.h"

int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_html(int argc, char **argv);
int cmd_cut(int argc, char **argv);
int cmd_size(int argc, char **argv);
int cmd_watch(int argc, char **argv);

/* For help texts. */
#define DEFAULT_INPUT	"default " MEMREF_FILE ", else " TRACE_FILE

/* The file that a verb reads, or NULL with a message printed.  @operand: as it is named; NULL: it is not. */
static inline const char *recording_path(const char *operand)
{
	return operand ? operand : default_recording(MEMREF_FILE, "memref");
}

int load_recording(const char *path, const struct window *window, int needs, struct model *m);
int read_rows(const char *path, struct reader *r);

struct view;

void warn_lost_ages(const struct model *m, const struct view *view);

#define NR_PLOT_CLASSES 5
extern const char * const plot_classes[NR_PLOT_CLASSES];

int plot_has(const struct model *m, const struct view *view, const char *class);
int plot_draw(struct model *m, const struct view *view, const char *output,
	      const char *class, const char *title);

#endif
