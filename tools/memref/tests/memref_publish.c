// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_publish FILE: publishes the intervals of a recording for Performance Co-Pilot as memref watch
 * --mmv does, the next one for each line of standard input.  Prints the number of each.
 */
#include <stdio.h>

#include "lib/complain.h"
#include "lib/export/mmv.h"
#include "memref/memref.h"
#include "memref/view/metrics.h"

/* Return 0 at the end of the input. */
static int next_line(void)
{
	int c;

	do {
		c = getchar();
	} while (c != '\n' && c != EOF);
	return c != EOF;
}

int main(int argc, char **argv)
{
	struct metrics metrics = { .list = memref_metrics };
	struct mmv *mmv = mmv_begin("memref", memref_metrics);
	struct model m;
	size_t i;

	if (argc != 2 || !mmv || load_recording(argv[1], &(struct window){ }, 0, &m))
		return 1;
	for (i = 0; i < m.nr_intervals && next_line(); i++) {
		metrics_of_interval(&metrics, &m, i);
		if (mmv_publish(mmv, &metrics))
			return 1;
		printf("%zu\n", i + 1);
		fflush(stdout);
	}
	/* The values are there until its owner ends. */
	while (next_line())
		;
	mmv_end(mmv);
	model_free(&m);
	return 0;
}
