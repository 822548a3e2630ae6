/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Tables of intervals as they come, in files of a directory that are replaced when old. */
#ifndef MEMREF_LOGS_H
#define MEMREF_LOGS_H

#include <time.h>

#include "columns.h"

/* intervals, services, ages */
#define NR_LOGS	3

/* The file of a table that is being written. */
struct log {
	struct columns *columns;
	FILE *rows;			/* not written yet: in @text */
	char *text;
	size_t size;
	char name[40];			/* of the file */
	int fd;				/* -1: none */
	uint64_t written;
};

/**
 * struct logs - the tables
 * @directory: where the files are: TIME.intervals.csv, TIME.services.csv, and TIME.ages.csv if
 *	rows of idle ages come
 * @file_size: begin a new file when one has so many bytes
 * @keep: remove the oldest files, so that all have at most so many bytes
 * @intervals: number of intervals written
 * @unwritten: rows of so many intervals could not be written: no space, for example
 */
struct logs {
	const char *directory;
	uint64_t file_size, keep;
	uint64_t intervals, unwritten;

	/* Private to logs.c. */
	struct log log[NR_LOGS];
	time_t time;			/* that the newest file's name has */
	bool failing;			/* and a message says so */
};

int logs_begin(struct logs *l);
int logs_add(struct logs *l, const struct row *row);
int logs_flush(struct logs *l, bool end);
void logs_new_files(struct logs *l);
void logs_end(struct logs *l);

#endif
