// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * What files say about addresses: variables, functions, lines, and what the source
 * assigns an allocation to.  By elfutils, with separate debug files where there are.
 */
#include <ctype.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hash.h"
#include "internal.h"

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

struct names {
	char *symbols;
	struct module *modules;
	struct line_text *lines;
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

/** names_free() - forget all names */
void names_free(struct names *n)
{
	struct line_text *l, *next_line;
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
	HASH_ITER(hh, n->lines, l, next_line) {
		HASH_DEL(n->lines, l);
		free(l->key);
		free(l->text);
		free(l);
	}
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

/** names_failed() - whether there was no memory for a name since this was asked */
bool names_failed(struct names *n)
{
	const bool failed = n->failed;

	n->failed = false;
	return failed;
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
	*symbol = m->data[low - 1].name;
	*back = vaddr - m->data[low - 1].vaddr;
	*size = m->data[low - 1].size;
	return true;
}

/**
 * names_code() - the function at an address
 * @n: names
 * @path: the file mapped there
 * @offset: in the file
 * @function: gets its name, NULL if it is not known
 * @in_function: gets how far the address is in it
 * @file: gets the source file, NULL if it is not known
 * @line: gets the line
 *
 * Return: whether anything is known.
 */
bool names_code(struct names *n, const char *path, uint64_t offset, const char **function,
		uint64_t *in_function, const char **file, unsigned int *line)
{
	struct module *m = find_module(n, path);
	GElf_Off off = 0;
	GElf_Sym sym;
	Dwfl_Line *l;
	uint64_t vaddr;
	int number = 0;

	*function = *file = NULL;
	*line = 0;
	*in_function = 0;
	if (!m || !m->dw || !vaddr_of(m, offset, 0, &vaddr))
		return false;
	*function = dwfl_module_addrinfo(m->dw, vaddr + m->bias, &off, &sym, NULL, NULL, NULL);
	*in_function = off;
	l = dwfl_module_getsrc(m->dw, vaddr + m->bias);
	if (l)
		*file = dwfl_lineinfo(l, NULL, &number, NULL, NULL, NULL);
	*line = number;
	return *function || *file;
}

/* "	s->basis = makeMatrix(n);" gives "s->basis"; NULL if nothing is assigned. */
static char *left_of_assignment(char *line)
{
	char *p, *eq = NULL, *begin = line, *end;

	for (p = line; *p && !eq; p++)
		if (*p == '=' && p[1] != '=' && p > line && !strchr("=!<>+-*/%&|^", p[-1]))
			eq = p;
		else if (*p == '(' || *p == '{')
			begin = p + 1;
		else if (*p == ';' || *p == '"')
			begin = p + 1;
	if (!eq)
		return NULL;
	while (isspace((unsigned char)*begin))
		begin++;
	for (end = eq; end > begin && isspace((unsigned char)end[-1]); end--)
		;
	*end = '\0';
	return end > begin && end - begin < 60 ? begin : NULL;
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
	char key[PATH_MAX + 32], path[PATH_MAX], text[1024], *left = NULL;
	struct line_text *l;
	unsigned int i;
	FILE *f;

	snprintf(key, sizeof(key), "%s:%u", file, line);
	HASH_FIND_STR(n->lines, key, l);
	if (l)
		return l->text;
	snprintf(path, sizeof(path), "%s%s", n->symbols ? n->symbols : "", file);
	f = fopen(path, "re");
	if (!f)
		f = fopen(file, "re");
	for (i = 0; f && i < line && fgets(text, sizeof(text), f); i++)
		;
	if (f && i == line)
		left = left_of_assignment(text);
	if (f)
		fclose(f);
	l = calloc(1, sizeof(*l));
	if (l) {
		l->key = strdup(key);
		l->text = strdup(left ? left : "");
		if (l->key && l->text)
			HASH_ADD_KEYPTR(hh, n->lines, l->key, strlen(l->key), l);
		if (l->hh.tbl)
			return l->text;
		free(l->key);
		free(l->text);
		free(l);
	}
	n->failed = true;
	return "";
}
