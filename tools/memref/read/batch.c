// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_batch: many groups in one event, as mm/memref/batch.c writes them.
 *
 * For each group that was referenced: a byte whose bits 0 to 2 say which
 * classes have pages, bit 3 whether a page was written, and bits 4 to 7 how
 * many groups were left out before it; 15: a number follows that is to be
 * added.  Then a number of pages for each class that has some; 0: all pages of
 * the group.  Numbers are in LEB128, low 7 bits first.
 */
#include <string.h>

#include "batch.h"

static int take_number(struct batch *b, uint64_t *number)
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
 * batch_next() - take the next group
 * @b: the batch
 * @row: where to put it
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
		if (take_number(b, &number))
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
		if (take_number(b, &number))
			return -1;
		row->pages[c] = number ? number : b->group_kb / 4;
	}
	return 1;
}
