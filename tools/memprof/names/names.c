// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * What files say about addresses: variables, functions, lines, and what the source
 * assigns an allocation to.  By elfutils, with separate debug files where there are.
 */
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hash.h"
#include "names.h"

struct symbol {
	uint64_t vaddr, size;
	const char *name;
};

struct segment {
	uint64_t offset, vaddr, file_size, mem_size;
};

/* A file, looked at once. */
struct module {
	char *path;
	Dwfl *dwfl;
	Dwfl_Module *dw;
	GElf_Addr bias;
	struct segment *segments;
	size_t nr_segments;
	struct symbol *data;		/* variables, sorted */
	size_t nr_data;
	UT_hash_handle hh;
};

struct line_text {
	char *key, *text;
	UT_hash_handle hh;
};

/* The C++ runtime's, which C++'s headers declare. */
char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status);

struct names {
	char *symbols;
	struct module *modules;
	struct line_text *lines, *functions, *variables;
	bool failed;			/* no memory for one of them */
};

static char *debuginfo_path;
static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debuginfo_path,
};

/** names_new() - nothing looked at yet.  @symbols: directory before paths, or NULL */
struct names *names_new(const char *symbols)
{
	struct names *n = calloc(1, sizeof(*n));

	if (n && symbols)
		n->symbols = strdup(symbols);
	return n;
}

static void free_text(struct line_text *l)
{
	free(l->key);
	free(l->text);
	free(l);
}

/* Keep a text for a key; "" without memory. */
static const char *keep_text(struct names *n, struct line_text **table, const char *key, const char *text)
{
	struct line_text *l = calloc(1, sizeof(*l));

	if (l) {
		l->key = strdup(key);
		l->text = strdup(text);
		if (l->key && l->text)
			HASH_ADD_KEYPTR(hh, *table, l->key, strlen(l->key), l);
		if (l->hh.tbl)
			return l->text;
		free_text(l);
	}
	n->failed = true;
	return "";
}

/*
 * "std::vector<int>::resize(unsigned long)" to "std::vector<int>::resize", "void f<int>(int)" to
 * "f<int>": what a reader looks for.  Parentheses may be of a name, too: "operator()", or
 * "(anonymous namespace)::f".
 */
static char *without_parameters(char *name)
{
	int depth = 0;
	char *p, *begin = name, *end = strrchr(name, ')');

	for (p = end; p && p >= name; p--) {
		depth += *p == ')' ? 1 : *p == '(' ? -1 : 0;
		if (!depth)
			break;
	}
	/* Not what is behind it: "f() const::{lambda()#1}" keeps its end. */
	if (p && p > name && !strchr(end, ':'))
		*p = '\0';
	if (strstr(name, "operator"))
		return name;
	for (p = name, depth = 0; *p; p++) {
		depth += strchr("<([{", *p) ? 1 : strchr(">)]}", *p) ? -1 : 0;
		if (*p == ' ' && !depth)
			begin = p + 1;
	}
	return begin;
}

enum kind { FUNCTION, VARIABLE };

/* A name as the source has it. */
static const char *demangle(struct names *n, const char *name, enum kind kind)
{
	struct line_text **table = kind == FUNCTION ? &n->functions : &n->variables, *l;
	const char *kept;
	char *text;
	int status;

	if (!name || name[0] != '_' || name[1] != 'Z')
		return name;
	HASH_FIND_STR(*table, name, l);
	if (l)
		return l->text;
	text = __cxa_demangle(name, NULL, NULL, &status);
	if (!text)
		return name;
	/* A variable has none: what is in parentheses tells it from others. */
	kept = keep_text(n, table, name, kind == FUNCTION ? without_parameters(text) : text);
	free(text);
	return *kept ? kept : name;
}

static void free_texts(struct line_text *table)
{
	struct line_text *l, *next;

	HASH_ITER(hh, table, l, next) {
		HASH_DEL(table, l);
		free_text(l);
	}
}

/** names_free() - forget all names */
void names_free(struct names *n)
{
	struct module *m, *next;

	if (!n)
		return;
	HASH_ITER(hh, n->modules, m, next) {
		HASH_DEL(n->modules, m);
		if (m->dwfl)
			dwfl_end(m->dwfl);
		free(m->segments);
		free(m->data);
		free(m->path);
		free(m);
	}
	free_texts(n->lines);
	free_texts(n->functions);
	free_texts(n->variables);
	free(n->symbols);
	free(n);
}

static int by_vaddr(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->vaddr != y->vaddr ? (x->vaddr < y->vaddr ? -1 : 1) :
	       x->size != y->size ? (x->size < y->size ? -1 : 1) : 0;
}

static int read_segments(struct module *m)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(m->dw, &bias);
	GElf_Phdr p;
	size_t n, i;

	if (!elf || elf_getphdrnum(elf, &n))
		return 0;
	m->bias = bias;
	m->segments = calloc(n ? n : 1, sizeof(*m->segments));
	if (!m->segments)
		return -1;
	for (i = 0; i < n; i++)
		if (gelf_getphdr(elf, i, &p) && p.p_type == PT_LOAD)
			m->segments[m->nr_segments++] = (struct segment){ p.p_offset, p.p_vaddr,
									  p.p_filesz, p.p_memsz };
	return 0;
}

static int read_data(struct module *m)
{
	int i, n = dwfl_module_getsymtab(m->dw);
	GElf_Addr addr;
	GElf_Sym sym;

	m->data = n > 0 ? malloc(n * sizeof(*m->data)) : NULL;
	if (n > 0 && !m->data)
		return -1;
	for (i = 0; m->data && i < n; i++) {
		const char *name = dwfl_module_getsym_info(m->dw, i, &sym, &addr, NULL, NULL, NULL);

		if (name && *name && GELF_ST_TYPE(sym.st_info) == STT_OBJECT && sym.st_size)
			m->data[m->nr_data++] = (struct symbol){ addr - m->bias, sym.st_size, name };
	}
	if (m->nr_data)
		qsort(m->data, m->nr_data, sizeof(*m->data), by_vaddr);
	return 0;
}

static struct module *find_module(struct names *n, const char *path)
{
	char full[PATH_MAX];
	struct module *m;

	HASH_FIND_STR(n->modules, path, m);
	if (m)
		return m;
	m = calloc(1, sizeof(*m));
	if (!m || !(m->path = strdup(path))) {
		free(m);
		n->failed = true;
		return NULL;
	}
	HASH_ADD_KEYPTR(hh, n->modules, m->path, strlen(m->path), m);
	if (!m->hh.tbl) {
		free(m->path);
		free(m);
		n->failed = true;
		return NULL;
	}
	if (*path != '/')
		return m;
	snprintf(full, sizeof(full), "%s%s", n->symbols ? n->symbols : "", path);
	if (access(full, R_OK))
		return m;
	m->dwfl = dwfl_begin(&callbacks);
	if (!m->dwfl)
		return m;
	m->dw = dwfl_report_offline(m->dwfl, path, full, -1);
	if (dwfl_report_end(m->dwfl, NULL, NULL) || !m->dw) {
		m->dw = NULL;
		return m;
	}
	if (read_segments(m) || read_data(m))
		n->failed = true;
	return m;
}

/* The link-time address of what is at an offset of the file, or so far past a mapping. */
static bool vaddr_of(const struct module *m, uint64_t offset, uint64_t past, uint64_t *vaddr)
{
	const struct segment *best = NULL;
	size_t i;

	for (i = 0; i < m->nr_segments; i++) {
		const struct segment *s = &m->segments[i];
		/* Mappings begin at a page. */
		uint64_t first = s->offset & ~UINT64_C(4095);

		if (offset + past >= first && offset + past < s->offset + s->mem_size &&
		    offset >= first && offset < ((s->offset + s->file_size + 4095) & ~UINT64_C(4095)))
			best = s;
	}
	if (!best)
		return false;
	*vaddr = best->vaddr + offset + past - best->offset;
	return true;
}

/** names_missing() - whether a file that was mapped is not here */
bool names_missing(const struct names *n, const char *path)
{
	char full[PATH_MAX];

	if (*path != '/' || path[1] == '/')
		return false;
	snprintf(full, sizeof(full), "%s%s", n->symbols ? n->symbols : "", path);
	return access(full, R_OK);
}

/** names_go() - whether a program is Go's: the Go linker writes this section */
bool names_go(struct names *n, const char *path)
{
	struct module *m = find_module(n, path);
	GElf_Addr bias;
	Elf *elf = m && m->dw ? dwfl_module_getelf(m->dw, &bias) : NULL;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;

		if (name && !strcmp(name, ".go.buildinfo"))
			return true;
	}
	return false;
}

/** names_failed() - whether there was no memory for a name since this was asked */
bool names_failed(struct names *n)
{
	const bool failed = n->failed;

	n->failed = false;
	return failed;
}

/**
 * names_loads() - whether memory behind a mapping of a file is the file's, too (.bss)
 * @n: names
 * @path: the file
 * @offset: in the file, in the mapping
 * @past: so far behind that
 */
bool names_loads(struct names *n, const char *path, uint64_t offset, uint64_t past)
{
	struct module *m = find_module(n, path);
	uint64_t vaddr;

	return m && m->dw && vaddr_of(m, offset, past, &vaddr);
}

/**
 * names_data() - the variable at an address
 * @n: names
 * @path: the file mapped there
 * @offset: in the file, in the mapping
 * @past: so far behind that: memory after a mapping (.bss)
 * @symbol: gets its name
 * @back: gets how far the address is in it
 * @size: gets its size
 */
bool names_data(struct names *n, const char *path, uint64_t offset, uint64_t past,
		const char **symbol, int64_t *back, uint64_t *size)
{
	struct module *m = find_module(n, path);
	size_t low = 0, high, mid;
	uint64_t vaddr;

	if (!m || !m->dw || !vaddr_of(m, offset, past, &vaddr))
		return false;
	for (high = m->nr_data; low < high; ) {
		mid = (low + high) / 2;
		if (m->data[mid].vaddr <= vaddr)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || vaddr - m->data[low - 1].vaddr >= m->data[low - 1].size)
		return false;
	*symbol = demangle(n, m->data[low - 1].name, VARIABLE);
	*back = vaddr - m->data[low - 1].vaddr;
	*size = m->data[low - 1].size;
	return true;
}

/**
 * names_code() - the function at an address
 * @n: names
 * @path: the file mapped there
 * @offset: in the file
 * @place: gets the function, as symbols have it, and the line
 * @in_function: gets how far the address is in it
 *
 * Return: whether anything is known.
 */
bool names_code(struct names *n, const char *path, uint64_t offset, struct place *place,
		uint64_t *in_function)
{
	struct module *m = find_module(n, path);
	GElf_Off off = 0;
	GElf_Sym sym;
	Dwfl_Line *l;
	uint64_t vaddr;
	int number = 0;

	*place = (struct place){ };
	*in_function = 0;
	if (!m || !m->dw || !vaddr_of(m, offset, 0, &vaddr))
		return false;
	place->function = demangle(n, dwfl_module_addrinfo(m->dw, vaddr + m->bias, &off, &sym, NULL, NULL, NULL),
				   FUNCTION);
	*in_function = off;
	l = dwfl_module_getsrc(m->dw, vaddr + m->bias);
	if (l)
		place->file = dwfl_lineinfo(l, NULL, &number, NULL, NULL, NULL);
	place->line = number;
	return place->function || place->file;
}

static const char *name_of_die(struct names *n, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));

	return name ? demangle(n, name, FUNCTION) : dwarf_diename(die);
}

/* Where a function was called that is a part of another one's code. */
static void call_of(Dwarf_Die *cu, Dwarf_Die *die, struct place *place)
{
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word number;

	place->file = NULL;
	place->line = 0;
	if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &number) &&
	    !dwarf_getsrcfiles(cu, &files, NULL))
		place->file = dwarf_filesrc(files, number, NULL, NULL);
	if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &number))
		place->line = number;
}

/* The blocks and functions around an address, the innermost first, as they were inlined. */
static int scopes_at(struct module *m, Dwarf_Die *cu, Dwarf_Addr addr, Dwarf_Die **scopes)
{
	Dwarf_Addr bias;
	Dwarf_Die inner;
	int nr = dwarf_getscopes(cu, addr, scopes);

	if (nr <= 0)
		return 0;
	inner = **scopes;
	free(*scopes);
	*scopes = NULL;
	if (!dwarf_offdie(dwfl_module_getdwarf(m->dw, &bias), dwarf_dieoffset(&inner), &inner))
		return 0;
	nr = dwarf_getscopes_die(&inner, scopes);
	return nr > 0 ? nr : 0;
}

/**
 * names_places() - the functions that an address is of: inlined ones, and the one they are in
 * @n: names
 * @path: the file mapped there
 * @offset: in the file
 * @places: gets each with the line it is at, the innermost first
 * @capacity: of @places, at least 1
 *
 * Return: how many; at least one, which may be not known.
 */
unsigned int names_places(struct names *n, const char *path, uint64_t offset, struct place *places,
			  unsigned int capacity)
{
	struct module *m = find_module(n, path);
	Dwarf_Die *cu, *scopes = NULL;
	struct place next;
	uint64_t vaddr, in;
	unsigned int used = 0;
	Dwarf_Addr bias;
	int i, nr;

	if (!names_code(n, path, offset, &places[0], &in) || !places[0].file ||
	    !vaddr_of(m, offset, 0, &vaddr))
		return 1;
	cu = dwfl_module_addrdie(m->dw, vaddr + m->bias, &bias);
	nr = cu ? scopes_at(m, cu, vaddr + m->bias - bias, &scopes) : 0;
	next = places[0];
	for (i = 0; i < nr && used < capacity; i++) {
		const int tag = dwarf_tag(&scopes[i]);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		places[used] = next;
		next.function = name_of_die(n, &scopes[i]);
		if (next.function)
			places[used].function = next.function;
		next.function = places[0].function;
		used++;
		if (tag == DW_TAG_subprogram)
			break;
		call_of(cu, &scopes[i], &next);
	}
	free(scopes);
	return used ? used : 1;
}

/* Lines that a statement may have. */
#define STATEMENT	12

/*
 * The statement of a line, as far as that line.  Return: false if the file has not so many
 * lines.
 */
static bool read_statement(FILE *f, unsigned int line, char *text, size_t size)
{
	char lines[STATEMENT][1024];
	unsigned int i, first;
	size_t n = 0;

	for (i = 1; i <= line; i++)
		if (!fgets(lines[i % STATEMENT], sizeof(lines[0]), f))
			return false;
	for (first = line; first > 1 && line - first < STATEMENT - 1; first--)
		if (ends_statement(lines[(first - 1) % STATEMENT]))
			break;
	*text = '\0';
	for (i = first; i <= line && n < size; i++)
		n += snprintf(text + n, size - n, "%s", lines[i % STATEMENT]);
	return true;
}

/**
 * names_assigned() - what a line of the source assigns to
 * @n: names
 * @file: the source
 * @line: in it, from 1 on
 *
 * Return: the text before the =, or "" if there is none, or no source.
 */
const char *names_assigned(struct names *n, const char *file, unsigned int line)
{
	char key[PATH_MAX + 32], path[PATH_MAX], text[STATEMENT * 1024], *left = NULL;
	struct line_text *l;
	FILE *f;

	snprintf(key, sizeof(key), "%s:%u", file, line);
	HASH_FIND_STR(n->lines, key, l);
	if (l)
		return l->text;
	snprintf(path, sizeof(path), "%s%s", n->symbols ? n->symbols : "", file);
	f = fopen(path, "re");
	if (!f)
		f = fopen(file, "re");
	if (f && read_statement(f, line, text, sizeof(text)))
		left = left_of_assignment(text);
	if (f)
		fclose(f);
	return keep_text(n, &n->lines, key, left ? left : "");
}
