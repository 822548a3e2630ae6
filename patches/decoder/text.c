// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* All instructions of a program, library or kernel, one behind the other. */
#include <fcntl.h>
#include <libelf.h>
#include <gelf.h>
#include <unistd.h>

#include "decoder.h"

static void sweep_section(const u8 *text, size_t size)
{
	struct form form = { .long_mode = true };
	size_t at = 0;

	while (at < size) {
		size_t left = size - at;

		memset(form.bytes, 0, sizeof(form.bytes));
		memcpy(form.bytes, text + at, left < FORM_BYTES ? left : FORM_BYTES);
		at += compare(&form, FORM_BYTES) ?: 1;
	}
}

/* Returns 0 if @path is an ELF file with text. */
int sweep(const char *path)
{
	int fd = open(path, O_RDONLY), err = -1;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	while (elf && (section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
		    !(header.sh_flags & SHF_EXECINSTR))
			continue;
		data = elf_rawdata(section, NULL);
		if (!data)
			continue;
		sweep_section(data->d_buf, data->d_size);
		err = 0;
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return err;
}
