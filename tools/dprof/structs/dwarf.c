// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Queries to DWARF, by elfutils' libdw.
 *
 * Instructions are given by symbol and offset, and allocations by file and line, so the load
 * addresses of the kernel and its modules are not needed.
 */
#include <dwarf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_files.h"
#include "dwarf_types.h"
#include "dwarf.h"
#include "layouts.h"

#define MAX_DEPTH	12

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static struct place *new_place(const char *name, Dwfl_Module *module, GElf_Addr addr)
{
	struct place *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->name = strdup(name);
	p->module = module;
	p->addr = addr;
	if (p->name)
		return p;
	free(p);
	return NULL;
}

static int add_places(Dwfl_Module *module, void **user, const char *module_name, Dwarf_Addr start,
		      void *arg)
{
	struct dwarf *d = arg;
	int i, n = dwfl_module_getsymtab(module);

	(void)user;
	(void)module_name;
	(void)start;
	for (i = 1; i < n; i++) {
		GElf_Addr addr;
		GElf_Sym sym;
		const char *name = dwfl_module_getsym_info(module, i, &sym, &addr, NULL, NULL, NULL);
		struct place *p, *first;

		if (!name || !*name || (GELF_ST_TYPE(sym.st_info) != STT_FUNC &&
					GELF_ST_TYPE(sym.st_info) != STT_OBJECT))
			continue;
		p = new_place(name, module, addr);
		if (!p)
			return DWARF_CB_ABORT;
		HASH_FIND_STR(d->places, name, first);
		if (!first) {
			HASH_ADD_KEYPTR(hh, d->places, p->name, strlen(p->name), p);
			continue;
		}
		p->same = first->same;
		first->same = p;
	}
	return DWARF_CB_OK;
}

/**
 * dwarf_open() - open files with DWARF
 * @paths: vmlinux and modules
 * @nr: number of files
 * @error: set to the reason of a failure
 * @size: of @error
 *
 * Return: a handle, to be freed with dwarf_close(), or NULL with @error set.
 */
struct dwarf *dwarf_open(const char * const *paths, int nr, char *error, size_t size)
{
	struct dwarf *d = calloc(1, sizeof(*d));
	int i;

	snprintf(error, size, "out of memory");
	if (!d)
		return NULL;
	d->dwfl = dwfl_begin(&callbacks);
	if (!d->dwfl)
		goto fail;
	dwfl_report_begin(d->dwfl);
	for (i = 0; i < nr; i++) {
		const char *name = strrchr(paths[i], '/');

		if (dwfl_report_offline(d->dwfl, name ? name + 1 : paths[i], paths[i], -1))
			continue;
		snprintf(error, size, "%s: %s", paths[i], dwfl_errmsg(-1));
		goto fail;
	}
	dwfl_report_end(d->dwfl, NULL, NULL);
	if (dwfl_getmodules(d->dwfl, add_places, d, 0) < 0)
		goto fail;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &d->capstone) == CS_ERR_OK) {
		d->disassembles = true;
		cs_option(d->capstone, CS_OPT_DETAIL, CS_OPT_ON);
	}
	return d;
fail:
	dwarf_close(d);
	return NULL;
}

/**
 * dwarf_find_place() - find a symbol
 * @d: the files
 * @symbol: its name
 *
 * Return: the symbol, or NULL.
 */
struct place *dwarf_find_place(struct dwarf *d, const char *symbol)
{
	struct place *p;

	HASH_FIND_STR(d->places, symbol, p);
	return p;
}

/* Whether a file is the kernel's, for "", or that of a module: mod.ko, or mod.ko.debug, with - for _. */
static bool is_module(Dwfl_Module *file, const char *module)
{
	const char *name = dwfl_module_info(file, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
	const char *end = name ? strstr(name, ".ko") : NULL;
	size_t i, n = strlen(module);

	if (!name || !end)
		return name && !n;
	if ((size_t)(end - name) != n)
		return false;
	for (i = 0; i < n && (name[i] == module[i] || (name[i] == '-' && module[i] == '_')); i++)
		;
	return i == n;
}

/**
 * dwarf_find_code() - find the function of an instruction
 * @d: the files
 * @code: the instruction
 *
 * Return: the function, or NULL if there is none, or several have the name in the same file.
 */
struct place *dwarf_find_code(struct dwarf *d, const struct dwarf_code *code)
{
	struct place *p = dwarf_find_place(d, code->function), *found = NULL;

	for (; p; p = p->same) {
		if (!is_module(p->module, code->module))
			continue;
		if (found && found->addr != p->addr)
			return NULL;
		found = p;
	}
	return found;
}

/**
 * dwarf_line() - find the source line of an instruction
 * @d: the files
 * @code: the instruction
 * @buf: set to file:line
 * @size: of @buf
 *
 * Return: 0, or -1 if it is not known, as where several functions of the file have the name.
 */
int dwarf_line(struct dwarf *d, const struct dwarf_code *code, char *buf, size_t size)
{
	struct place *p = dwarf_find_code(d, code);
	Dwfl_Line *line = p ? dwfl_module_getsrc(p->module, p->addr + code->offset) : NULL;
	const char *file, *slash;
	int nr;

	file = line ? dwfl_lineinfo(line, NULL, &nr, NULL, NULL, NULL) : NULL;
	if (!file)
		return -1;
	slash = strrchr(file, '/');
	snprintf(buf, size, "%s:%d", slash ? slash + 1 : file, nr);
	return 0;
}

static int dwarf_members(struct layout *l, Dwarf_Die *die, const char *prefix, uint32_t base,
			 int depth)
{
	Dwarf_Die child, type, of;
	char name[256];

	if (dwarf_child(die, &child))
		return 0;
	do {
		const char *own = dwarf_diename(&child);
		struct die_field f;

		if (dwarf_tag(&child) != DW_TAG_member || die_field(&child, &f, &type))
			continue;
		if (depth && !layout_visit(l))
			return 0;
		if (!own)
			own = "";
		f.offset += base;
		if (!depth && layout_add_member(l, own, f.offset, f.size))
			return -1;
		snprintf(name, sizeof(name), "%s%s%s", prefix, *prefix && *own ? "." : "", own);
		if (f.element && !f.size && die_type(&type, &of) &&
		    layout_set_tail(l, name, f.offset, f.element, die_is_struct(&of) ? dwarf_diename(&of) : NULL))
			return -1;
		if (!f.element && die_is_struct(&type) && dwarf_haschildren(&type) &&
		    depth < MAX_DEPTH) {
			if (dwarf_members(l, &type, name, f.offset, depth + 1))
				return -1;
		} else if (f.size && layout_add_field(l, name, f.offset, f.size, f.element)) {
			return -1;
		}
	} while (!dwarf_siblingof(&child, &child));
	return 0;
}

static int add_definition(struct definition **to, const char *name, const Dwarf_Die *die)
{
	struct definition *s;

	HASH_FIND_STR(*to, name, s);
	if (s)
		return 0;
	s = malloc(sizeof(*s));
	if (!s)
		return -1;
	s->name = name;
	s->die = *die;
	HASH_ADD_KEYPTR(hh, *to, s->name, strlen(s->name), s);
	return 0;
}

/*
 * Index the definitions (not declarations) of structs, and variables that other files may use;
 * of equal names, the first one.
 */
static int add_structs(struct dwarf *d)
{
	Dwarf_Die *cu = NULL, child;
	Dwarf_Addr bias;

	while ((cu = dwfl_nextcu(d->dwfl, cu, &bias))) {
		if (dwarf_child(cu, &child))
			continue;
		do {
			const int tag = dwarf_tag(&child);
			const char *name = dwarf_diename(&child);

			if (!name)
				continue;
			if (tag == DW_TAG_structure_type && dwarf_bytesize(&child) > 0 &&
			    add_definition(&d->structs, name, &child))
				return -1;
			if (tag == DW_TAG_variable && dwarf_hasattr_integrate(&child, DW_AT_external) &&
			    add_definition(&d->variables, name, &child))
				return -1;
		} while (!dwarf_siblingof(&child, &child));
	}
	d->has_structs = true;
	return 0;
}

/**
 * dwarf_global() - find a variable that several files may use
 * @d: the files
 * @name: of the variable
 * @type: set to its type
 *
 * Return: true if there is one.
 */
bool dwarf_global(struct dwarf *d, const char *name, Dwarf_Die *type)
{
	struct definition *s;

	if (!d->has_structs && add_structs(d))
		return false;
	HASH_FIND_STR(d->variables, name, s);
	return s && die_type(&s->die, type);
}

/**
 * dwarf_layout() - find the layout of a struct
 * @d: the files
 * @layout: has the name; the other members are set if the struct is found
 *
 * Return: 0, or -1 without memory.
 */
int dwarf_layout(struct dwarf *d, struct layout *layout)
{
	struct definition *s;

	if (!d->has_structs && add_structs(d))
		return -1;
	HASH_FIND_STR(d->structs, layout->name, s);
	if (!s)
		return 0;
	layout->size = dwarf_bytesize(&s->die);
	return dwarf_members(layout, &s->die, "", 0, 0);
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), k = strlen(end);

	return n >= k && !strcmp(text + n - k, end) && (n == k || text[n - k - 1] == '/' ||
							*end == '/');
}

/* Find the compilation unit of a function: by its symbol, else by the name of the file. */
static Dwarf_Die *find_unit(struct dwarf *d, const char *file, const char *func, Dwarf_Addr *bias)
{
	struct place *p = dwarf_find_place(d, func);
	Dwarf_Die *cu = p ? dwfl_module_addrdie(p->module, p->addr, bias) : NULL;
	const char *name;

	while (!strncmp(file, "./", 2) || !strncmp(file, "../", 3))
		file = strchr(file, '/') + 1;
	if (cu && dwarf_diename(cu) && ends_with(dwarf_diename(cu), file))
		return cu;
	cu = NULL;
	while ((cu = dwfl_nextcu(d->dwfl, cu, bias))) {
		name = dwarf_diename(cu);
		if (name && (ends_with(name, file) || ends_with(file, name)))
			return cu;
	}
	/* A function that a header defines. */
	return p ? dwfl_module_addrdie(p->module, p->addr, bias) : NULL;
}

/**
 * dwarf_function_unit() - find the compilation unit of a function
 * @d: the files
 * @function: its symbol
 *
 * Return: the unit, or NULL.
 */
Dwarf_Die *dwarf_function_unit(struct dwarf *d, const char *function)
{
	struct place *p = dwarf_find_place(d, function);
	Dwarf_Addr bias;

	return p ? dwfl_module_addrdie(p->module, p->addr, &bias) : NULL;
}

/* A struct that an allocation may be for. */
struct candidate {
	char name[64];
	int score;
};

struct search {
	uint32_t line, least, most;
	struct candidate best[2];	/* the second has another name */
};

static void consider(struct search *s, const char *name, int score)
{
	struct candidate c = { .score = score };

	snprintf(c.name, sizeof(c.name), "%s", name);
	if (!strcmp(c.name, s->best[0].name)) {
		if (score > s->best[0].score)
			s->best[0] = c;
	} else if (score > s->best[0].score) {
		s->best[1] = s->best[0];
		s->best[0] = c;
	} else if (score > s->best[1].score) {
		s->best[1] = c;
	}
}

/*
 * A struct of the object's size is the likely one.  A smaller struct may end in an array, or
 * the object may hold several.  A larger struct is impossible.
 */
static int size_score(const struct search *s, uint64_t size)
{
	if (!size || size > s->most)
		return -1;
	return size >= s->least ? 6 : s->most % size ? 0 : 1;
}

/* Consider the struct that a pointer points to, and the targets of its own pointers. */
static void consider_pointer(struct search *s, Dwarf_Die *type, int score)
{
	Dwarf_Die to, child, member;
	int fits;

	/* Profiling of allocations has a variable for each site, of this struct. */
	if (!die_pointee(type, &to) || !dwarf_diename(&to) || !strcmp(dwarf_diename(&to), "alloc_tag"))
		return;
	fits = size_score(s, dwarf_bytesize(&to) > 0 ? dwarf_bytesize(&to) : 0);
	if (fits >= 0)
		consider(s, dwarf_diename(&to), score + fits);
	/* p->field = kmalloc(): consider members only if the size is known and equal. */
	if (dwarf_child(&to, &child))
		return;
	do {
		Dwarf_Die pointee;

		if (dwarf_tag(&child) != DW_TAG_member || !die_type(&child, &member) ||
		    !die_pointee(&member, &pointee) || !dwarf_diename(&pointee) ||
		    s->least != s->most || dwarf_bytesize(&pointee) != (int)s->most)
			continue;
		consider(s, dwarf_diename(&pointee), score + 2);
	} while (!dwarf_siblingof(&child, &child));
}

static void search_scope(struct search *s, Dwarf_Die *scope, int depth)
{
	Dwarf_Die child, type;
	Dwarf_Word line;
	Dwarf_Attribute attr;
	int score;

	if (depth > MAX_DEPTH || dwarf_child(scope, &child))
		return;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_variable:
		case DW_TAG_formal_parameter:
			if (!die_type(&child, &type))
				break;
			score = dwarf_tag(&child) == DW_TAG_variable;
			/* Prefer variables declared at or shortly before the allocation. */
			if (dwarf_attr_integrate(&child, DW_AT_decl_line, &attr) &&
			    !dwarf_formudata(&attr, &line)) {
				if (line > s->line && score)
					break;
				score += line == s->line ? 3 : s->line - line < 8;
			}
			consider_pointer(s, &type, score);
			break;
		case DW_TAG_lexical_block:
			search_scope(s, &child, depth + 1);
			break;
		}
	} while (!dwarf_siblingof(&child, &child));
}

/* Find a function; if it was inlined, its abstract instance. */
static bool find_function(Dwarf_Die *cu, const char *func, Dwarf_Die *found)
{
	Dwarf_Die child;
	bool any = false;

	if (dwarf_child(cu, &child))
		return false;
	do {
		const char *name;

		if (dwarf_tag(&child) != DW_TAG_subprogram)
			continue;
		name = dwarf_diename(&child);
		if (!name || strcmp(name, func) || dwarf_hasattr(&child, DW_AT_declaration))
			continue;
		*found = child;
		any = true;
		/* The abstract instance always has the variables. */
		if (dwarf_hasattr(&child, DW_AT_inline))
			return true;
	} while (!dwarf_siblingof(&child, &child));
	return any;
}

/**
 * dwarf_site() - find the struct that an allocation is for
 * @d: the files
 * @file, @func, @line: of the allocation
 * @least, @most: bounds of the allocated bytes; equal if the size is known
 * @name: set to the name of the struct
 * @size: of @name
 *
 * Rates the structs that the function's return value and variables point to.
 *
 * Return: 0, or -1 if no struct is likely, or two are equally likely.
 */
int dwarf_site(struct dwarf *d, const char *file, const char *func, uint32_t line, uint32_t least,
	       uint32_t most, char *name, size_t size)
{
	struct search s = { .line = line, .least = least, .most = most };
	Dwarf_Addr bias;
	Dwarf_Die *cu = find_unit(d, file, func, &bias), function, type;

	if (!cu || !most || !find_function(cu, func, &function))
		return -1;
	if (die_type(&function, &type))
		consider_pointer(&s, &type, 1);
	search_scope(&s, &function, 0);
	if (s.best[0].score < 6 || s.best[0].score == s.best[1].score)
		return -1;
	snprintf(name, size, "%s", s.best[0].name);
	return 0;
}

/**
 * dwarf_close() - close the files
 * @d: from dwarf_open()
 */
void dwarf_close(struct dwarf *d)
{
	struct definition *s, *next_struct;
	struct place *p, *next, *same;

	HASH_ITER(hh, d->structs, s, next_struct) {
		HASH_DEL(d->structs, s);
		free(s);
	}
	HASH_ITER(hh, d->variables, s, next_struct) {
		HASH_DEL(d->variables, s);
		free(s);
	}
	HASH_ITER(hh, d->places, p, next) {
		HASH_DEL(d->places, p);
		for (; p; p = same) {
			same = p->same;
			free(p->name);
			free(p);
		}
	}
	if (d->disassembles)
		cs_close(&d->capstone);
	if (d->dwfl)
		dwfl_end(d->dwfl);
	free(d);
}
