// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Comma-separated values, line by line.  Not libcsv: behind an unbalanced quote, libcsv
 * keeps the rest of the file in memory, and it does not report the line.
 */
#include <string.h>

#include "csv.h"

/**
 * csv_split() - split a line into fields, by RFC 4180 without newlines in fields
 * @line: the line without its newline; modified, the fields point into it
 * @field: set to the fields
 * @max: size of @field
 *
 * Return: the number of fields; -1 if there are more than @max, or a quote is misplaced.
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
