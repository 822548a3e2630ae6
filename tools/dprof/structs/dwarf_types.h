/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Types in DWARF, without typedefs and qualifiers. */
#ifndef DPROF_DWARF_TYPES_H
#define DPROF_DWARF_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* A member's offset and size in bytes; element: the size of an array's element, else 0. */
struct die_field {
	uint32_t offset, size, element;
};

struct dwarf;

Dwarf_Die *dwarf_function_unit(struct dwarf *d, const char *function);
bool dwarf_global(struct dwarf *d, const char *name, Dwarf_Die *type);
bool die_type(Dwarf_Die *die, Dwarf_Die *type);
bool die_pointee(Dwarf_Die *type, Dwarf_Die *to);
bool die_is_struct(Dwarf_Die *type);
int die_field(Dwarf_Die *member, struct die_field *f, Dwarf_Die *type);

#endif
