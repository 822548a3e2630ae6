/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Queries to DWARF: lines of instructions, layouts of structs, the struct of an allocation. */
#ifndef DPROF_DWARF_H
#define DPROF_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dwarf;
struct layout;

/* An instruction: its function, the module of that ("": the kernel), and the offset in it. */
struct dwarf_code {
	const char *module, *function;
	uint64_t offset;
};

struct dwarf *dwarf_open(const char * const *paths, int nr, char *error, size_t size);
int dwarf_layout(struct dwarf *d, struct layout *layout);
int dwarf_line(struct dwarf *d, const struct dwarf_code *code, char *buf, size_t size);
int dwarf_site(struct dwarf *d, const char *file, const char *func, uint32_t line, uint32_t least,
	       uint32_t most, char *name, size_t size);
int dwarf_access(struct dwarf *d, const struct dwarf_code *code, bool on_stack, char *name, size_t size,
		 uint32_t *in);
int dwarf_variable(struct dwarf *d, const char *function, const char *variable, char *name, size_t size);
bool dwarf_moves_bytes(struct dwarf *d, const struct dwarf_code *code);
void dwarf_close(struct dwarf *d);

#endif
