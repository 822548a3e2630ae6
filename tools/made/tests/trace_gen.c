// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * trace_gen memref|dprof|batches VERSION FILE [INTERVALS|TEXT]: a trace.dat file of version 6, 7
 * or 7z (compressed): of memref, of so many intervals; of dprof, of the events of a text, each
 * sample in an event, or many.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "made/recordings.h"

/* Of an event, as many as dprof_batches() takes. */
enum { SAMPLES = 64 };

static char *slurp(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t n = 0;

	if (!f || getdelim(&text, &n, '\0', f) < 0) {
		perror(path);
		exit(1);
	}
	fclose(f);
	return text;
}

int main(int argc, char **argv)
{
	struct trace_file *t;
	char *text = NULL;

	if (argc != 5) {
		fprintf(stderr, "usage: trace_gen memref|dprof|batches 6|7|7z FILE INTERVALS|TEXT\n");
		return 2;
	}
	if (!strcmp(argv[1], "memref")) {
		t = memref_recording(atoi(argv[4]));
	} else {
		text = slurp(argv[4]);
		t = strcmp(argv[1], "batches") ? dprof_recording(text) : dprof_batches(text, SAMPLES);
	}
	trace_file_write(t, *argv[2] == '6' ? TRACE_V6 : argv[2][1] ? TRACE_V7_ZSTD : TRACE_V7, argv[3]);
	trace_file_free(t);
	free(text);
	return 0;
}
