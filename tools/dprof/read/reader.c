// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Detects the format of a recording and reads it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/perf/perf_data.h"
#include "reader.h"

/* The first line of a recording in text form. */
#define TEXT_MAGIC	"# dprof events 1\n"

/**
 * reader_read() - read a recording event by event
 * @path: a trace.dat file, the text form of one, or perf.data
 * @r: callbacks; its host and lost_events are set on return
 * @error: set to the reason of a failure
 * @size: of @error
 *
 * The events before the damage in a damaged file are delivered, then an error is returned.
 *
 * Return: 0, -1 with @error set, or the value that a callback returned.
 */
int reader_read(const char *path, struct reader *r, char *error, size_t size)
{
	char magic[sizeof(TEXT_MAGIC)] = "";
	struct stat st;
	FILE *f;
	size_t n;

	*error = '\0';
	strcpy(r->host, UNKNOWN_HOST);
	r->lost_events = 0;
	/* Asked before it is opened: what opens a pipe takes it from who reads it. */
	if (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
		snprintf(error, size, "%s: no regular file: a recording is read more than once", path);
		return -1;
	}
	f = fopen(path, "re");
	if (!f) {
		snprintf(error, size, "%s: %s", path, strerror(errno));
		return -1;
	}
	n = fread(magic, 1, sizeof(magic) - 1, f);
	if (ferror(f)) {
		snprintf(error, size, "%s: %s", path, strerror(errno));
		fclose(f);
		return -1;
	}
	fclose(f);
	if (!n) {
		snprintf(error, size, "%s: empty file", path);
		return -1;
	}
	if (perf_data_is(path))
		return reader_perf(path, r, error, size);
	return strcmp(magic, TEXT_MAGIC) ? reader_trace(path, r, error, size) :
					   reader_text(path, r, error, size);
}
