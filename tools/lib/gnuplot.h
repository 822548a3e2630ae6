/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Drawing with gnuplot, by the scripts in plots/, and the files of pictures. */
#ifndef MEMSCOPE_GNUPLOT_H
#define MEMSCOPE_GNUPLOT_H

#include <limits.h>
#include <stddef.h>
#include <stdio.h>

/**
 * struct picture_files - the files of a picture
 * @tmp: the picture until it is complete
 * @data: what it is drawn of, until then
 * @beside: what it was drawn of, beside it
 */
struct picture_files {
	char tmp[PATH_MAX], data[PATH_MAX], beside[PATH_MAX];
};

int picture_check(const char *output);
int picture_name(struct picture_files *p, const char *output, const char *ext);
int picture_begin(const struct picture_files *p);
int picture_end(const struct picture_files *p, const char *output, int failed);
int picture_run(const char * const *argv, const char *package);
int gnuplot_find(char *dir, size_t size);
void gnuplot_path(FILE *f, const char *name, const char *path);
void gnuplot_text(FILE *f, const char *name, const char *text);
int gnuplot_name(FILE *f, const char *variable, const char *name, const char *after);
int gnuplot_run(const char *plots, const char *name, const char *commands);

#endif
