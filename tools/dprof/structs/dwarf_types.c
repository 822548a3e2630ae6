// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Types in DWARF, through the names and qualifiers around them. */
#include <dwarf.h>

#include "dwarf_types.h"

/**
 * die_type() - the type of something
 * @die: a variable, member or function
 * @type: its type, without typedef, const and the like
 *
 * Return: whether it has one.
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
 * die_pointee() - what a pointer to a struct points to
 * @type: a type
 * @to: the struct
 *
 * Return: whether @type is a pointer to a struct or union.
 */
bool die_pointee(Dwarf_Die *type, Dwarf_Die *to)
{
	return dwarf_tag(type) == DW_TAG_pointer_type && die_type(type, to) && die_is_struct(to);
}

/**
 * die_is_struct() - is it?
 * @type: a type
 *
 * Return: whether it is a struct or a union.
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
 * die_field() - where a member is
 * @member: of a struct
 * @f: its place
 * @type: its type
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
