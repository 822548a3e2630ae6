// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The structs of variables, from DWARF. */
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "dwarf.h"
#include "dwarf_types.h"

#define MAX_DEPTH	12

/*
 * Find a variable in a scope: a compilation unit declares those of others that it uses, too.
 * @deep: search functions for their static variables
 */
static bool find_variable(Dwarf_Die *scope, const char *name, bool deep, int depth, Dwarf_Die *type)
{
	Dwarf_Die child;

	if (depth > MAX_DEPTH || dwarf_child(scope, &child))
		return false;
	do {
		const int tag = dwarf_tag(&child);
		const char *own;

		if (deep && (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block)) {
			if (find_variable(&child, name, deep, depth + 1, type))
				return true;
			continue;
		}
		own = tag == DW_TAG_variable ? dwarf_diename(&child) : NULL;
		if (own && !strcmp(own, name) && die_type(&child, type))
			return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

/**
 * dwarf_variable() - find the struct of a variable
 * @d: the files
 * @function: a function that accesses it; NULL: the variable is one that other files may use
 * @variable: its symbol; the compiler appends a number to static variables of functions
 * @name: set to the name of the struct; of an array, that of its elements
 * @size: of @name
 *
 * Searches the function's compilation unit, as the files have thousands of them, or an index of global variables.
 *
 * Return: 0, or -1 if the variable is not found, or not of a struct with a name.
 */
int dwarf_variable(struct dwarf *d, const char *function, const char *variable, char *name, size_t size)
{
	Dwarf_Die *cu = function ? dwarf_function_unit(d, function) : NULL, type;
	const char *dot = strchr(variable, '.');
	char symbol[128];

	snprintf(symbol, sizeof(symbol), "%.*s", dot ? (int)(dot - variable) : (int)strlen(variable), variable);
	if (function ? !cu || !find_variable(cu, symbol, dot, 0, &type) : dot || !dwarf_global(d, symbol, &type))
		return -1;
	while (dwarf_tag(&type) == DW_TAG_array_type)
		if (!die_type(&type, &type))
			return -1;
	if (!die_is_struct(&type) || !dwarf_diename(&type))
		return -1;
	snprintf(name, size, "%s", dwarf_diename(&type));
	return 0;
}
