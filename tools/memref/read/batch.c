// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Decoder of memref_batch events, which hold many groups each; mm/memref/batch.c
 * encodes them.
 *
 * A referenced group begins with a tag byte: bits 0 to 2 are the classes that have
 * pages, bit 3 is set if a page was written, bits 4 to 7 count the groups skipped
 * before this one.  A skip count of 15 is followed by a number to add to it.  Then
 * comes the number of pages of each class in the tag; 0 stands for all pages of
 * the group.  Numbers are unsigned LEB128.
 */
#include <string.h>

#include "batch.h"

static int read_number(struct batch *b, uint64_t *number)
{
	int shift;

	*number = 0;
	for (shift = 0; shift < 63 && b->data < b->end; shift += 7) {
		uint8_t byte = *b->data++;

		*number |= (uint64_t)(byte & 127) << shift;
		if (!(byte & 128))
			return 0;
	}
	return -1;
}

/**
 * batch_next() - decode the next group
 * @b: the batch
 * @row: set to the group
 *
 * Return: 1, 0 at the end, -1 if the data are damaged.
 */
int batch_next(struct batch *b, struct group_row *row)
{
	uint64_t number;
	uint8_t tag;
	int c;

	if (b->data >= b->end)
		return 0;
	tag = *b->data++;
	b->group += tag >> 4;
	if (tag >> 4 == 15) {
		if (read_number(b, &number))
			return -1;
		b->group += number;
	}
	memset(row, 0, sizeof(*row));
	row->seq = b->seq;
	row->phys_addr = b->group++ * b->group_kb << 10;
	row->written = tag >> 3 & 1;
	for (c = 0; c < NR_CLASSES; c++) {
		if (!(tag & 1 << c))
			continue;
		if (read_number(b, &number))
			return -1;
		row->pages[c] = number ? number : b->group_kb / 4;
	}
	return 1;
}
