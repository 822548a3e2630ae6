/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* C structs and their fields: from BTF, or from DWARF. */
#ifndef DPROF_LAYOUTS_H
#define DPROF_LAYOUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/hash.h"

/**
 * struct field - a field that is not a struct itself
 * @name: with the names of the structs around it: sk.__sk_common.skc_refcnt
 * @offset, @size: in bytes
 * @element: size of an array's element in bytes; else 0
 * @top: index of the member of the outermost struct that the field is part of
 */
struct field {
	char *name;
	uint32_t offset, size, element, top;
};

/* A direct member of a struct. */
struct member {
	char *name;
	uint32_t offset, size;
};

/**
 * struct tail - a flexible array, of which an object has as many elements as fit
 * @name: with the names of the structs around it; NULL: the struct has none
 * @of: the struct of an element; NULL: it is no struct
 * @offset: in bytes
 * @element: size of an element in bytes
 */
struct tail {
	char *name, *of;
	uint32_t offset, element;
};

struct layout {
	char *name;
	uint32_t size;
	struct tail tail;
	struct field *field;		/* by offset */
	struct member *member;
	size_t nr_fields, fields_capacity, nr_members, members_capacity, nr_visited;
	UT_hash_handle hh;
};

struct btf;
struct dwarf;

struct layouts {
	struct layout *known;
	struct btf *btf[64];
	int nr_btf;
	struct dwarf *dwarf;
};

int layouts_open_btf(struct layouts *l, const char *path, char *error, size_t size);
const struct layout *layouts_find(struct layouts *l, const char *name);
const struct field *layout_field(const struct layout *layout, uint32_t offset);
void layouts_field_name(struct layouts *l, const char *struct_name, uint32_t offset, uint32_t object, char *buf,
			size_t size);
int layouts_returned(struct layouts *l, const char *func, char *name, size_t size);
int layouts_variable(struct layouts *l, const char *variable, char *name, size_t size);
void layouts_free(struct layouts *l);

/* For code that fills a layout. */
bool layout_visit(struct layout *l);
int layout_add_field(struct layout *l, const char *name, uint32_t offset, uint32_t size,
		     uint32_t element);
int layout_set_tail(struct layout *l, const char *name, uint32_t offset, uint32_t element, const char *of);
int layout_add_member(struct layout *l, const char *name, uint32_t offset, uint32_t size);

#endif
