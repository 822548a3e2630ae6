// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* ELF files that hold nothing but the name of objects. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol_file.h"

static const char section_names[] = "\0.bss\0.symtab\0.strtab\0.shstrtab";
/* All that a process may have: of 57 bits, as perf has them. */
#define ADDRESSES	(UINT64_C(1) << 56)

enum { NAME_BSS = 1, NAME_SYMTAB = 6, NAME_STRTAB = 14, NAME_SHSTRTAB = 22 };

static Elf_Scn *add_section(Elf *elf, uint32_t name, uint32_t type, void *p, size_t bytes)
{
	Elf_Scn *section = elf_newscn(elf);
	Elf64_Shdr *header = section ? elf64_getshdr(section) : NULL;
	Elf_Data *data = header ? elf_newdata(section) : NULL;

	if (!data)
		return NULL;
	header->sh_name = name;
	header->sh_type = type;
	data->d_buf = p;
	data->d_size = bytes;
	data->d_type = type == SHT_SYMTAB ? ELF_T_SYM : ELF_T_BYTE;
	data->d_align = 8;
	return section;
}

/* All addresses of processes, which take no place in the file. */
static int add_memory(Elf *elf)
{
	Elf_Scn *section = add_section(elf, NAME_BSS, SHT_NOBITS, NULL, ADDRESSES);
	Elf64_Phdr *segment = section ? elf64_newphdr(elf, 1) : NULL;

	if (!segment)
		return -1;
	elf64_getshdr(section)->sh_flags = SHF_ALLOC | SHF_WRITE;
	*segment = (Elf64_Phdr){
		.p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_memsz = ADDRESSES, .p_align = 0x1000,
	};
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct symbol_place *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->size > y->size ? -1 : x->size < y->size;
}

/* Of objects that begin at one address, the largest. */
static size_t make_symbols(Elf64_Sym *symbols, struct symbol_place *places, size_t nr)
{
	size_t n = 1, i;

	qsort(places, nr, sizeof(*places), by_start);
	for (i = 0; i < nr; i++)
		if (!i || places[i].start != places[i - 1].start)
			symbols[n++] = (Elf64_Sym){
				.st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), .st_shndx = 1,
				.st_value = places[i].start, .st_size = places[i].size ? places[i].size : 1,
			};
	return n;
}

static int write_elf(Elf *elf, char *names, size_t names_size, Elf64_Sym *symbols, size_t nr)
{
	Elf64_Ehdr *header = elf64_newehdr(elf);
	Elf64_Shdr *table;
	Elf_Scn *section;

	if (!header || add_memory(elf))
		return -1;
	header->e_ident[EI_DATA] = ELFDATA2LSB;
	header->e_type = ET_DYN;
	header->e_machine = EM_X86_64;
	section = add_section(elf, NAME_SYMTAB, SHT_SYMTAB, symbols, nr * sizeof(*symbols));
	if (!section)
		return -1;
	table = elf64_getshdr(section);
	table->sh_link = 3;
	table->sh_info = 1;
	table->sh_entsize = sizeof(*symbols);
	if (!add_section(elf, NAME_STRTAB, SHT_STRTAB, names, names_size))
		return -1;
	section = add_section(elf, NAME_SHSTRTAB, SHT_STRTAB, (void *)section_names, sizeof(section_names));
	if (!section)
		return -1;
	header->e_shstrndx = elf_ndxscn(section);
	return elf_update(elf, ELF_C_WRITE) < 0 ? -1 : 0;
}

/**
 * symbol_file_write() - write a file for objects of a name
 * @path: the file
 * @name: of the objects
 * @places: where they are; sorted here
 * @nr: of @places
 *
 * Return: 0, or -1 with errno set.
 */
int symbol_file_write(const char *path, const char *name, struct symbol_place *places, size_t nr)
{
	const size_t names_size = strlen(name) + 2;
	char *names = calloc(1, names_size);
	Elf64_Sym *symbols = calloc(nr + 1, sizeof(*symbols));
	Elf *elf = NULL;
	int fd = -1, ret = -1;

	elf_version(EV_CURRENT);
	if (names)
		strcpy(names + 1, name);
	fd = names && symbols ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : -1;
	if (fd >= 0)
		elf = elf_begin(fd, ELF_C_WRITE, NULL);
	if (elf) {
		errno = 0;
		ret = write_elf(elf, names, names_size, symbols, make_symbols(symbols, places, nr));
		/* libelf does not always leave one. */
		if (ret && !errno)
			errno = EIO;
	}
	elf_end(elf);
	if (fd >= 0 && close(fd))
		ret = -1;
	free(symbols);
	free(names);
	return ret;
}
