// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Fills the layout of a struct, for the readers of BTF and DWARF. */
#include <stdlib.h>
#include <string.h>

#include "layouts.h"

#define MAX_FIELDS	8192
/* Members of structs in structs that are looked at. */
#define MAX_VISITED	65536

/**
 * layout_visit() - count a member of a struct in a struct
 * @l: the outermost struct
 *
 * Return: whether it is to be looked at.  In a damaged file, a struct may contain itself.
 */
bool layout_visit(struct layout *l)
{
	if (l->nr_fields == MAX_FIELDS || l->nr_visited == MAX_VISITED)
		return false;
	l->nr_visited++;
	return true;
}

/**
 * layout_add_field() - add a field to a struct
 * @l: the struct
 * @name: with the names of the structs around it
 * @offset, @size: in bytes
 * @element: size of an array's element in bytes; else 0
 *
 * The field belongs to the member that was added last.
 *
 * Return: 0, or -1 without memory.
 */
int layout_add_field(struct layout *l, const char *name, uint32_t offset, uint32_t size,
		     uint32_t element)
{
	struct field *f;

	if (l->nr_fields == MAX_FIELDS)
		return 0;
	if (l->nr_fields == l->fields_capacity) {
		size_t capacity = l->fields_capacity * 2 + 32;

		f = realloc(l->field, capacity * sizeof(*f));
		if (!f)
			return -1;
		l->field = f;
		l->fields_capacity = capacity;
	}
	f = &l->field[l->nr_fields];
	f->name = strdup(name);
	f->offset = offset;
	f->size = size;
	f->element = element;
	f->top = l->nr_members ? l->nr_members - 1 : 0;
	l->nr_fields += f->name != NULL;
	return f->name ? 0 : -1;
}

/**
 * layout_set_tail() - have the array without a length that ends a struct
 * @l: the struct
 * @name: with the names of the structs around it
 * @offset: in bytes
 * @element: size of an element in bytes
 * @of: the struct of an element, NULL or "" if it is none that has a name
 *
 * The last one counts.  What marks groups of fields (CACHELINE_ASSERT_GROUP_MEMBER()) is none.
 *
 * Return: 0, or -1 without memory.
 */
int layout_set_tail(struct layout *l, const char *name, uint32_t offset, uint32_t element, const char *of)
{
	struct tail tail = { .offset = offset, .element = element };

	if (!offset || !element || strstr(name, "__cacheline_group_"))
		return 0;
	tail.name = strdup(name);
	if (of && *of)
		tail.of = strdup(of);
	if (!tail.name || (of && *of && !tail.of)) {
		free(tail.name);
		return -1;
	}
	free(l->tail.name);
	free(l->tail.of);
	l->tail = tail;
	return 0;
}

/**
 * layout_add_member() - add a member to a struct
 * @l: the struct
 * @name: of the member; "" for an unnamed one
 * @offset, @size: in bytes
 *
 * Return: 0, or -1 without memory.
 */
int layout_add_member(struct layout *l, const char *name, uint32_t offset, uint32_t size)
{
	struct member *m;

	if (l->nr_members == l->members_capacity) {
		size_t capacity = l->members_capacity * 2 + 32;

		m = realloc(l->member, capacity * sizeof(*m));
		if (!m)
			return -1;
		l->member = m;
		l->members_capacity = capacity;
	}
	m = &l->member[l->nr_members];
	m->name = strdup(*name ? name : "(unnamed)");
	m->offset = offset;
	m->size = size;
	l->nr_members += m->name != NULL;
	return m->name ? 0 : -1;
}
