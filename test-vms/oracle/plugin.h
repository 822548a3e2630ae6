/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* What the plugin's files share; plugin.c is its beginning. */
#ifndef MEMSCOPE_ORACLE_PLUGIN_H
#define MEMSCOPE_ORACLE_PLUGIN_H

#include <stdint.h>
#include <stdio.h>

#include "file.h"
#include "qemu.h"

struct oracle_writer {
	FILE *f;
	size_t nr_words;	/* of each set, by page of the RAM block */
	size_t hole_word;	/* words from here on are RAM at 4 GiB and above */
};

/* Of the sets' file (plugin_write.c). */
void oracle_write_begin(struct oracle_writer *w, const char *path);
void oracle_write_header(struct oracle_writer *w, const struct oracle_header *h);
/* Fills in @i's size; clears the sets. */
void oracle_write_interval(struct oracle_writer *w, struct oracle_interval *i,
			   uint64_t *set[ORACLE_NR_SETS]);
void oracle_write_end(struct oracle_writer *w);

#endif
