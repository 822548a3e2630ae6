/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The kernel's symbols, from the text of /proc/kallsyms. */
#ifndef DPROF_SYMBOLS_H
#define DPROF_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t addr;
	uint32_t name, module;		/* in struct symbols.names; module 0: none */
	uint32_t order;			/* in the text */
};

struct symbols {
	struct symbol *symbol;
	size_t nr, capacity;
	char *names;
	size_t nr_names, names_capacity;
	int sorted;
};

int symbols_add(struct symbols *s, const char *text, size_t size);
void symbols_sort(struct symbols *s);
const struct symbol *symbols_find(struct symbols *s, uint64_t addr);
const char *symbols_name(struct symbols *s, uint64_t addr, char *buf, size_t size);
const char *symbols_module(const struct symbols *s, const struct symbol *symbol);
void symbols_free(struct symbols *s);

#endif
