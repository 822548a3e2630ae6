/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Output files that appear under their name only when complete. */
#ifndef MEMSCOPE_OUTFILE_H
#define MEMSCOPE_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

struct outfile {
	FILE *f;
	const char *path;	/* NULL: standard output */
	char whole[4096];	/* without symbolic links */
	char tmp[4096];		/* temporary name; empty: path is written in place */
};

bool outfile_is(const char *path, const char *input);
int outfile_resolve(const char *path, char *whole, size_t size);
int outfile_open(struct outfile *o, const char *path);
int outfile_close(struct outfile *o, int failed);
int outfile_end(struct outfile *o, int failed);
int outfile_rename(const char *tmp, const char *path);
void outfile_drop(struct outfile *o);

#endif
