/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The files that dwarf_open() opened. */
#ifndef DPROF_DWARF_FILES_H
#define DPROF_DWARF_FILES_H

#include <capstone/capstone.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>

#include "lib/hash.h"

/* A symbol.  @same: the next one with the same name; the first one is the first of the first file. */
struct place {
	char *name;
	Dwfl_Module *module;
	GElf_Addr addr;
	struct place *same;
	UT_hash_handle hh;
};

/* A struct that a file defines; the name is libdw's. */
struct definition {
	const char *name;
	Dwarf_Die die;
	UT_hash_handle hh;
};

struct dwarf {
	Dwfl *dwfl;
	struct place *places;
	struct definition *structs, *variables;
	bool has_structs;
	csh capstone;
	bool disassembles;
};

struct dwarf_code;

struct place *dwarf_find_place(struct dwarf *d, const char *symbol);
struct place *dwarf_find_code(struct dwarf *d, const struct dwarf_code *code);

#endif
