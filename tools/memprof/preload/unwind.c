// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * Where the unwinder ends.  Of code that no unwind table is of it reads the bytes, to see whether
 * this is where a signal handler returns to: but what is taken for a return address may be anything,
 * as where a coroutine's stack begins.  So in what the loader has not loaded a chain ends.
 */
#include <dlfcn.h>
#include <stdint.h>

#include "preload.h"

struct dwarf_eh_bases {
	void *tbase, *dbase, *func;
};

/* A description of a frame, as .eh_frame has them: its return address is not known. */
static const struct {
	struct {
		uint32_t length, id;
		uint8_t version, augmentation, code_align, data_align, return_column;
		uint8_t cfa_is_rsp_and_8[3], return_is_undefined[2], nop[6];
	} cie;
	struct {
		uint32_t length, cie_delta;
		uint64_t begin, range;
	} fde;
} unknown __attribute__((aligned(8))) = {
	.cie = {
		.length = sizeof(unknown.cie) - 4, .version = 1, .code_align = 1, .data_align = 0x78,
		.return_column = 16, .cfa_is_rsp_and_8 = { 0x0c, 7, 8 }, .return_is_undefined = { 0x07, 16 },
	},
	.fde = {
		.length = sizeof(unknown.fde) - 4, .cie_delta = sizeof(unknown.cie) + 4, .range = UINT64_MAX,
	},
};

hidden const void *__real__Unwind_Find_FDE(void *pc, struct dwarf_eh_bases *bases);
hidden const void *__wrap__Unwind_Find_FDE(void *pc, struct dwarf_eh_bases *bases);

/* What the unwinder calls in place of libgcc's (the linker's --wrap). */
const void *__wrap__Unwind_Find_FDE(void *pc, struct dwarf_eh_bases *bases)
{
	const void *fde = __real__Unwind_Find_FDE(pc, bases);
	struct dl_find_object object;

	if (fde || !_dl_find_object(pc, &object))
		return fde;
	*bases = (struct dwarf_eh_bases){ .func = pc };
	return &unknown.fde;
}
