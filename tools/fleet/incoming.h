/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The files that hosts sent: FOLDER/HOST/NAME.TABLE.csv. */
#ifndef FLEET_INCOMING_H
#define FLEET_INCOMING_H

#include <stdint.h>

#include "fleet.h"

/**
 * struct incoming - files that hosts sent
 * @folder: where
 * @files: the files of each table; those of a host follow one another
 * @bytes: of each file
 */
struct incoming {
	const char *folder;
	struct paths files[NR_TABLES];
	uint64_t *bytes[NR_TABLES];
};

int incoming_find(struct incoming *x, int *refused);
void incoming_free(struct incoming *x);

#endif
