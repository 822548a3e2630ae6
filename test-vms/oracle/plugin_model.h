/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The cache model in the plugin: plugin_model.c; its output: plugin_counts.c. */
#ifndef MEMSCOPE_ORACLE_PLUGIN_MODEL_H
#define MEMSCOPE_ORACLE_PLUGIN_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cache.h"
#include "qemu-api.h"

/* Reads an option; false: not one of the model's. */
bool model_option(const char *opt);
/*
 * After the options.  @exact: instructions are counted one by one.
 * Returns whether a model was asked for; the others are called only then.
 */
bool model_begin(unsigned int nr_cpus, bool exact);
/* Has the model fed by a block of @n instructions. */
void model_instrument(struct qemu_plugin_tb *tb, size_t n);
/*
 * A mark on CPU @index.  @kernel: made in kernel mode; @insns_after: instructions
 * behind it in the block, which were counted when the block began.
 */
void model_mark(unsigned int index, uint16_t code, bool kernel, unsigned int insns_after);
/* Called at the end of the VM. */
void model_end(void);

/* One access in a file of trace=, in the order they were made. */
struct model_trace {
	uint64_t address;	/* physical */
	uint32_t phase;
	uint8_t cpu;
	uint8_t size;		/* bytes; an access across pages is two records */
	uint8_t kind;		/* 'r', 'w', 'a' for both at once, 'f' for a line fetched from */
	uint8_t kernel;		/* 1: in kernel mode */
};

/* The counts' file. */
struct model_counts {
	FILE *f;
	const char *path;
	struct cache_model *model;
	unsigned int nr_cpus;
	/* As they were when the phase began. */
	struct cache_count *begin;	/* [cache * nr_cpus + cpu] */
	uint64_t *begin_insns;
};

void counts_open(struct model_counts *c, struct cache_model *model, unsigned int nr_cpus);
/* A line that is not data. */
void __attribute__((format(printf, 2, 3)))
counts_comment(struct model_counts *c, const char *fmt, ...);
/* After the last comment of the head. */
void counts_head(struct model_counts *c);
void counts_begin(struct model_counts *c, const uint64_t *insns);
void counts_write(struct model_counts *c, uint32_t phase, const uint64_t *insns);
void counts_close(struct model_counts *c);

#endif
