/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The functions and variables of programs and libraries, from their ELF files. */
#ifndef DPROF_FILES_H
#define DPROF_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct file;

/**
 * struct file_symbol - a function or a variable
 * @start: its address in the file (not its offset)
 * @size: 0: not known
 */
struct file_symbol {
	uint64_t start, size;
	const char *name;
};

struct file *file_open(const char *path, const void *build_id, size_t build_id_size);
bool file_address(const struct file *f, uint64_t offset, uint64_t *addr);
const struct file_symbol *file_symbol(const struct file *f, uint64_t addr, bool code);
void file_close(struct file *f);

#endif
