/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The files that hosts sent: FOLDER/HOST/NAME.TABLE.csv. */
#ifndef FLEET_INCOMING_H
#define FLEET_INCOMING_H

#include <stdint.h>

#include "fleet.h"

/* A file: its size, and how many lines with anything there are behind the first. */
struct incoming_file {
	uint64_t bytes, lines;
};

/**
 * struct incoming - files that hosts sent
 * @folder: where
 * @files: the files of each table; those of a host follow one another
 * @about: each file
 */
struct incoming {
	const char *folder;
	struct paths files[NR_TABLES];
	struct incoming_file *about[NR_TABLES];
};

int incoming_find(struct incoming *x, int *refused);
void incoming_free(struct incoming *x);

#endif
