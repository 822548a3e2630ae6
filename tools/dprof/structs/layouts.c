// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* C structs and their fields, from BTF or DWARF. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "dwarf.h"
#include "layouts.h"

/* Maximum depth of nested structs; the kernel's are not deeper. */
#define MAX_DEPTH	12
#define MAX_NAME	256
/* Names of names of a type; a damaged file may have a name of itself. */
#define MAX_NAMES	32

static const struct btf_type *skip_names(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);
	int i;

	for (i = 0; t && (btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t)); i++)
		t = i < MAX_NAMES ? btf__type_by_id(btf, t->type) : NULL;
	return t;
}

static int add_btf(struct layout *l, const struct btf *btf, const struct btf_type *t,
		   const char *prefix, uint32_t base, int depth)
{
	const struct btf_member *m = btf_members(t);
	char name[MAX_NAME];
	int i, n = btf_vlen(t);

	for (i = 0; i < n; i++) {
		uint32_t bit = btf_member_bit_offset(t, i), bits = btf_member_bitfield_size(t, i);
		const char *own = btf__name_by_offset(btf, m[i].name_off);
		const struct btf_type *mt = skip_names(btf, m[i].type), *of = mt;
		int64_t size = btf__resolve_size(btf, m[i].type);
		uint32_t offset = base + bit / 8, element = 0;

		if (depth && !layout_visit(l))
			return 0;
		if (!own)
			own = "";
		if (size < 0)
			size = 0;
		if (bits)
			size = (bit % 8 + bits + 7) / 8;
		if (!depth && layout_add_member(l, own, offset, size))
			return -1;
		snprintf(name, sizeof(name), "%s%s%s", prefix, *prefix && *own ? "." : "", own);
		if (mt && btf_is_array(mt)) {
			int64_t each = btf__resolve_size(btf, btf_array(mt)->type);

			element = each > 0 ? each : 0;
			of = skip_names(btf, btf_array(mt)->type);
			if (!btf_array(mt)->nelems &&
			    layout_set_tail(l, name, offset, element, of && btf_is_composite(of) ?
					    btf__name_by_offset(btf, of->name_off) : NULL))
				return -1;
			of = NULL;
		}
		if (of && btf_is_composite(of) && depth < MAX_DEPTH && btf_vlen(of)) {
			if (add_btf(l, btf, of, name, offset, depth + 1))
				return -1;
		} else if (size && layout_add_field(l, name, offset, size, element)) {
			return -1;
		}
	}
	return 0;
}

static int by_offset(const void *a, const void *b)
{
	const struct field *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	/* Fields of a union: the largest first, scalars before arrays, then as declared. */
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	if (!x->element != !y->element)
		return x->element ? 1 : -1;
	return x->top < y->top ? -1 : x->top > y->top;
}

static int load_btf(struct layouts *l, const char *name, struct layout *layout)
{
	int i;

	for (i = 0; i < l->nr_btf; i++) {
		int id = btf__find_by_name_kind(l->btf[i], name, BTF_KIND_STRUCT);
		const struct btf_type *t = id > 0 ? btf__type_by_id(l->btf[i], id) : NULL;

		if (!t)
			continue;
		layout->size = t->size;
		return add_btf(layout, l->btf[i], t, "", 0, 0) ? -1 : 1;
	}
	return 0;
}

/**
 * layouts_find() - find the layout of a struct
 * @l: the layouts
 * @name: of the struct
 *
 * Return: the layout, of size 0 if the struct is not known; NULL without memory.
 */
const struct layout *layouts_find(struct layouts *l, const char *name)
{
	struct layout *layout;
	int ret;

	HASH_FIND_STR(l->known, name, layout);
	if (layout)
		return layout;
	layout = calloc(1, sizeof(*layout));
	if (!layout)
		return NULL;
	layout->name = strdup(name);
	if (!layout->name) {
		free(layout);
		return NULL;
	}
	ret = load_btf(l, name, layout);
	if (!ret && l->dwarf)
		dwarf_layout(l->dwarf, layout);
	if (layout->nr_fields)
		qsort(layout->field, layout->nr_fields, sizeof(*layout->field), by_offset);
	HASH_ADD_KEYPTR(hh, l->known, layout->name, strlen(layout->name), layout);
	return layout;
}

/**
 * layout_field() - find the field at an offset
 * @layout: the struct
 * @offset: in the struct
 *
 * Return: the field at @offset that begins last, or NULL for a hole or past the end.
 */
const struct field *layout_field(const struct layout *layout, uint32_t offset)
{
	const struct field *best = NULL;
	size_t i;

	for (i = 0; i < layout->nr_fields && layout->field[i].offset <= offset; i++) {
		const struct field *f = &layout->field[i];

		if (offset >= f->offset + f->size)
			continue;
		if (!best || f->offset > best->offset)
			best = f;
	}
	return best;
}

/* sems[2].lock, or words[2]+1: what is @in bytes behind the begin of a flexible array. */
static void name_in_tail(struct layouts *l, const struct tail *tail, uint32_t in, char *buf, size_t size)
{
	const uint32_t index = in / tail->element, offset = in % tail->element;
	char field[MAX_NAME];

	if (tail->of) {
		layouts_field_name(l, tail->of, offset, tail->element, field, sizeof(field));
		snprintf(buf, size, "%s[%u]%s%s", tail->name, index, *field == '+' ? "" : ".", field);
	} else if (offset) {
		snprintf(buf, size, "%s[%u]+%u", tail->name, index, offset);
	} else {
		snprintf(buf, size, "%s[%u]", tail->name, index);
	}
}

/**
 * layouts_field_name() - name the field at an offset of a struct
 * @l: the layouts
 * @struct_name: "" if the struct is not known
 * @offset: in the object
 * @object: its size in bytes: it is an array of the struct if at least two fit
 * @buf: set to the name: field, field[3], field+4, or +0x28 if the field is not known; in an array
 *	without a length, which ends the struct, array[3].field
 * @size: of @buf
 */
void layouts_field_name(struct layouts *l, const char *struct_name, uint32_t offset, uint32_t object, char *buf,
			size_t size)
{
	const struct layout *layout = *struct_name ? layouts_find(l, struct_name) : NULL;
	const struct field *f;
	uint32_t in, copy = 0;
	int n;

	snprintf(buf, size, "+0x%x", offset);
	if (!layout || !layout->size)
		return;
	if (layout->tail.name && offset >= layout->tail.offset &&
	    !(offset < layout->size && layout_field(layout, offset))) {
		name_in_tail(l, &layout->tail, offset - layout->tail.offset, buf, size);
		return;
	}
	/* What is behind a single struct is the allocator's. */
	copy = offset / layout->size;
	if (copy && object / layout->size < 2)
		return;
	f = layout_field(layout, offset % layout->size);
	if (!f)
		return;
	in = offset % layout->size - f->offset;
	n = copy ? snprintf(buf, size, "[%u].%s", copy, f->name) : snprintf(buf, size, "%s", f->name);
	if (n < 0 || (size_t)n >= size)
		return;
	if (f->element) {
		n += snprintf(buf + n, size - n, "[%u]", in / f->element);
		in %= f->element;
	}
	if (in && (size_t)n < size)
		snprintf(buf + n, size - n, "+%u", in);
}

/**
 * layouts_returned() - find the struct that a function returns a pointer to
 * @l: the layouts
 * @func: the function
 * @name: set to the name of the struct
 * @size: of @name
 *
 * Return: 0, or -1 if the function is not known or does not return a pointer to a struct.
 */
int layouts_returned(struct layouts *l, const char *func, char *name, size_t size)
{
	int i;

	for (i = 0; i < l->nr_btf; i++) {
		const struct btf *btf = l->btf[i];
		int id = btf__find_by_name_kind(btf, func, BTF_KIND_FUNC);
		const struct btf_type *t = id > 0 ? btf__type_by_id(btf, id) : NULL;
		const char *of;

		t = t ? btf__type_by_id(btf, t->type) : NULL;
		t = t ? skip_names(btf, t->type) : NULL;
		t = t && btf_is_ptr(t) ? skip_names(btf, t->type) : NULL;
		of = t && btf_is_struct(t) ? btf__name_by_offset(btf, t->name_off) : NULL;
		if (!of || !*of)
			continue;
		snprintf(name, size, "%s", of);
		return 0;
	}
	return -1;
}

/**
 * layouts_variable() - find the struct of a variable
 * @l: the layouts
 * @variable: the variable; the kernel's BTF has per-CPU variables alone
 * @name: set to the name of the struct; of an array, that of its elements
 * @size: of @name
 *
 * Return: 0, or -1 if the variable is not known, or not of a struct with a name.
 */
int layouts_variable(struct layouts *l, const char *variable, char *name, size_t size)
{
	int i, k;

	for (i = 0; i < l->nr_btf; i++) {
		const struct btf *btf = l->btf[i];
		int id = btf__find_by_name_kind(btf, variable, BTF_KIND_VAR);
		const struct btf_type *t = id > 0 ? btf__type_by_id(btf, id) : NULL;
		const char *of;

		t = t ? skip_names(btf, t->type) : NULL;
		for (k = 0; t && btf_is_array(t); k++)
			t = k < MAX_NAMES ? skip_names(btf, btf_array(t)->type) : NULL;
		of = t && btf_is_struct(t) ? btf__name_by_offset(btf, t->name_off) : NULL;
		if (!of || !*of)
			continue;
		snprintf(name, size, "%s", of);
		return 0;
	}
	return -1;
}

/**
 * layouts_open_btf() - add a file with BTF
 * @l: the layouts
 * @path: vmlinux, or a file of /sys/kernel/btf; a module's file must be opened after the
 *	kernel's
 * @error: set to the reason of a failure
 * @size: of @error
 *
 * Return: 0, or -1 with @error set.
 */
int layouts_open_btf(struct layouts *l, const char *path, char *error, size_t size)
{
	struct btf *btf;

	if (l->nr_btf == (int)(sizeof(l->btf) / sizeof(l->btf[0]))) {
		snprintf(error, size, "%s: too many BTF files", path);
		return -1;
	}
	if (access(path, R_OK)) {
		snprintf(error, size, "%s: %s", path, strerror(errno));
		return -1;
	}
	libbpf_set_print(NULL);
	btf = btf__parse_split(path, l->nr_btf ? l->btf[0] : NULL);
	if (libbpf_get_error(btf) && l->nr_btf)
		btf = btf__parse(path, NULL);
	if (libbpf_get_error(btf)) {
		snprintf(error, size, "%s: no BTF in the file", path);
		return -1;
	}
	l->btf[l->nr_btf++] = btf;
	return 0;
}

/**
 * layouts_free() - free all
 * @l: the layouts
 */
void layouts_free(struct layouts *l)
{
	struct layout *layout, *next;
	size_t i;

	HASH_ITER(hh, l->known, layout, next) {
		HASH_DEL(l->known, layout);
		for (i = 0; i < layout->nr_fields; i++)
			free(layout->field[i].name);
		for (i = 0; i < layout->nr_members; i++)
			free(layout->member[i].name);
		free(layout->field);
		free(layout->member);
		free(layout->tail.name);
		free(layout->tail.of);
		free(layout->name);
		free(layout);
	}
	/* Free split BTF before its base, which was opened first. */
	while (l->nr_btf)
		btf__free(l->btf[--l->nr_btf]);
	if (l->dwarf)
		dwarf_close(l->dwarf);
	l->dwarf = NULL;
}
