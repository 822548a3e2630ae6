// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Types in DWARF, without typedefs and qualifiers. */
#include <dwarf.h>

#include "dwarf_types.h"

/**
 * die_type() - get the type of a variable, member, array element or function
 * @die: the entry
 * @type: set to its type, without typedef, const and the like
 *
 * Return: true if it has a type.
 */
bool die_type(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	Dwarf_Die raw;

	if (!dwarf_attr_integrate(die, DW_AT_type, &attr) || !dwarf_formref_die(&attr, &raw))
		return false;
	return !dwarf_peel_type(&raw, type);
}

/**
 * die_pointee() - get the struct that a pointer points to
 * @type: a type
 * @to: set to the struct
 *
 * Return: true if @type is a pointer to a struct or union.
 */
bool die_pointee(Dwarf_Die *type, Dwarf_Die *to)
{
	return dwarf_tag(type) == DW_TAG_pointer_type && die_type(type, to) && die_is_struct(to);
}

/**
 * die_is_struct() - test for a struct
 * @type: a type
 *
 * Return: true for a struct or a union.
 */
bool die_is_struct(Dwarf_Die *type)
{
	return dwarf_tag(type) == DW_TAG_structure_type || dwarf_tag(type) == DW_TAG_union_type;
}

static uint64_t number(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dwarf_attr_integrate(die, name, &attr) && !dwarf_formudata(&attr, &value) ? value : 0;
}

/**
 * die_field() - get the offset, size and type of a member
 * @member: of a struct
 * @f: set to the offset and size
 * @type: set to the type
 *
 * Return: 0, or -1 if it has no type.
 */
int die_field(Dwarf_Die *member, struct die_field *f, Dwarf_Die *type)
{
	uint64_t bits = number(member, DW_AT_bit_size), bit;
	Dwarf_Word size = 0;
	Dwarf_Die of;

	if (!die_type(member, type))
		return -1;
	f->offset = number(member, DW_AT_data_member_location);
	f->element = 0;
	dwarf_aggregate_size(type, &size);
	if (bits) {
		bit = number(member, DW_AT_data_bit_offset);
		f->offset += bit / 8;
		size = (bit % 8 + bits + 7) / 8;
	}
	if (dwarf_tag(type) == DW_TAG_array_type && die_type(type, &of)) {
		Dwarf_Word each = 0;

		dwarf_aggregate_size(&of, &each);
		f->element = each ? each : 1;
	}
	f->size = size;
	return 0;
}
