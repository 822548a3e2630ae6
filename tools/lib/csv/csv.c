// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Comma-separated values, a line at a time: libcsv keeps the rest of a file in memory
 * behind a quote that does not end, and does not say in which line it is.
 */
#include <string.h>

#include "csv.h"

/**
 * csv_split() - the fields of a line, RFC 4180, without newlines in fields
 * @line: without its newline; is changed, and fields point into it
 * @field: filled in
 * @max: as many as it has
 *
 * Return: how many there are; -1: more, or a quote out of place.
 */
int csv_split(char *line, char **field, int max)
{
	char *from = line, *to;
	int n = 0;

	for (;;) {
		if (n == max)
			return -1;
		field[n++] = to = from;
		if (*from == '"') {
			for (from++; *from && (*from != '"' || from[1] == '"'); from++) {
				if (*from == '"')
					from++;
				*to++ = *from;
			}
			if (*from++ != '"' || (*from && *from != ','))
				return -1;
		} else {
			from += strcspn(from, ",\"");
			if (*from == '"')
				return -1;
			to = from;
		}
		if (!*from) {
			*to = '\0';
			return n;
		}
		from++;
		*to = '\0';
	}
}
