/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* ELF files that hold nothing but the name of objects, for perf to find it there. */
#ifndef PERF_SYMBOL_FILE_H
#define PERF_SYMBOL_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Where an object is: its address, which is its place in the file, too. */
struct symbol_place {
	uint64_t start, size;
};

int symbol_file_write(const char *path, const char *name, struct symbol_place *places, size_t nr);

#endif
