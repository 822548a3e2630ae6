// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Symbols of ELF files by elfutils, with those of separate debug files that are installed.
 * Paths are of recordings of other machines: what is no regular file is not opened.
 */
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"

#define PAGE	4096ULL

struct segment {
	uint64_t offset, addr, file_size, mem_size;
};

/* Sorted by address: functions, and variables. */
struct file_symbols {
	struct file_symbol *symbol;
	size_t nr;
};

struct file {
	Dwfl *dwfl;
	Dwfl_Module *module;
	struct segment *segment;
	size_t nr_segments;
	struct file_symbols functions, variables;
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	/* Not that of all files, which may ask a server. */
	.find_debuginfo = dwfl_build_id_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static int read_segments(struct file *f, Elf *elf)
{
	GElf_Phdr p;
	size_t n, i;

	if (!elf || elf_getphdrnum(elf, &n))
		return -1;
	f->segment = calloc(n + 1, sizeof(*f->segment));
	for (i = 0; f->segment && i < n; i++)
		if (gelf_getphdr(elf, i, &p) && p.p_type == PT_LOAD)
			f->segment[f->nr_segments++] = (struct segment){
				p.p_offset, p.p_vaddr, p.p_filesz, p.p_memsz };
	return f->segment ? 0 : -1;
}

/* The larger of two at an address comes last: it is found. */
static int by_start(const void *a, const void *b)
{
	const struct file_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->size < y->size ? -1 : x->size > y->size;
}

static int read_symbols(struct file *f, GElf_Addr bias)
{
	int i, n = dwfl_module_getsymtab(f->module);

	if (n <= 0)
		return 0;
	f->functions.symbol = malloc(n * sizeof(*f->functions.symbol));
	f->variables.symbol = malloc(n * sizeof(*f->variables.symbol));
	if (!f->functions.symbol || !f->variables.symbol)
		return -1;
	for (i = 1; i < n; i++) {
		GElf_Addr addr;
		GElf_Sym sym;
		const char *name = dwfl_module_getsym_info(f->module, i, &sym, &addr, NULL, NULL, NULL);
		const int type = GELF_ST_TYPE(sym.st_info);
		struct file_symbols *to = type == STT_OBJECT ? &f->variables : &f->functions;

		if (!name || !*name || sym.st_shndx == SHN_UNDEF ||
		    (type == STT_OBJECT ? !sym.st_size : type != STT_FUNC && type != STT_GNU_IFUNC))
			continue;
		to->symbol[to->nr++] = (struct file_symbol){ addr - bias, sym.st_size, name };
	}
	qsort(f->functions.symbol, f->functions.nr, sizeof(*f->functions.symbol), by_start);
	qsort(f->variables.symbol, f->variables.nr, sizeof(*f->variables.symbol), by_start);
	return 0;
}

static bool has_build_id(Dwfl_Module *module, const void *expected, size_t size)
{
	const unsigned char *bits;
	GElf_Addr addr;
	int n = dwfl_module_build_id(module, &bits, &addr);

	return !size || n <= 0 || ((size_t)n >= size && !memcmp(bits, expected, size));
}

/**
 * file_open() - look for the symbols of a file
 * @path: the file
 * @build_id: that it had when it was mapped
 * @build_id_size: of that; 0: not known
 *
 * Return: the file, to be closed; NULL if it is not there, another one, or not ELF.
 */
struct file *file_open(const char *path, const void *build_id, size_t build_id_size)
{
	int fd = *path == '/' ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) : -1;
	GElf_Addr bias;
	struct stat st;
	struct file *f;

	if (fd < 0)
		return NULL;
	f = fstat(fd, &st) || !S_ISREG(st.st_mode) ? NULL : calloc(1, sizeof(*f));
	f = f && (f->dwfl = dwfl_begin(&callbacks)) ? f : (free(f), NULL);
	if (!f) {
		close(fd);
		return NULL;
	}
	f->module = dwfl_report_offline(f->dwfl, path, path, fd);
	/* What could be reported has the descriptor. */
	if (!f->module)
		close(fd);
	if (dwfl_report_end(f->dwfl, NULL, NULL) || !f->module ||
	    read_segments(f, dwfl_module_getelf(f->module, &bias)) ||
	    !has_build_id(f->module, build_id, build_id_size) || read_symbols(f, bias)) {
		file_close(f);
		return NULL;
	}
	return f;
}

/**
 * file_address() - the address that a byte of a file has in it
 * @f: the file
 * @offset: of the byte; or, behind what the file has of a segment (.bss), as if it were there
 * @addr: gets the address
 *
 * Return: whether it is of a segment.
 */
bool file_address(const struct file *f, uint64_t offset, uint64_t *addr)
{
	bool found = false;
	size_t i;

	/* Mappings begin and end at pages: of two segments on a page, the later has it. */
	for (i = 0; i < f->nr_segments; i++) {
		const struct segment *s = &f->segment[i];

		if (offset < (s->offset & ~(PAGE - 1)) || offset - (s->offset & ~(PAGE - 1)) >=
		    s->mem_size + (s->offset & (PAGE - 1)))
			continue;
		*addr = s->addr + (offset - s->offset);
		found = true;
	}
	return found;
}

/**
 * file_symbol() - the function or variable at an address
 * @f: the file
 * @addr: in the file
 * @code: a function; else a variable
 *
 * Return: the symbol, or NULL.
 */
const struct file_symbol *file_symbol(const struct file *f, uint64_t addr, bool code)
{
	const struct file_symbols *in = code ? &f->functions : &f->variables;
	size_t low = 0, high = in->nr;
	const struct file_symbol *s;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (in->symbol[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	s = low ? &in->symbol[low - 1] : NULL;
	/* Functions in assembler have no size. */
	return s && (addr - s->start < s->size || (code && !s->size && addr - s->start < PAGE)) ? s : NULL;
}

/** file_close() - close a file, or NULL */
void file_close(struct file *f)
{
	if (!f)
		return;
	free(f->functions.symbol);
	free(f->variables.symbol);
	free(f->segment);
	dwfl_end(f->dwfl);
	free(f);
}
