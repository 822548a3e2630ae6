// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Writes lists of IDs to files in tracefs. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

#include "list.h"

/* The kernel takes a page at a time; further writes to an open file add to the first. */
enum { PIECE = 4096 };

/**
 * list_write() - replace the list in a file of tracefs
 * @file: the file
 * @list: IDs with blanks between them; "": none
 *
 * Return: 0, or -1 with errno set.
 */
int list_write(const char *file, const char *list)
{
	const int fd = tracefs_instance_file_open(NULL, file, O_WRONLY | O_TRUNC);
	int failed = 0;

	if (fd < 0)
		return -1;
	do {
		size_t n = strlen(list);

		if (n > PIECE)
			for (n = PIECE; n && list[n - 1] != ' '; n--)
				;
		if (write(fd, n ? list : "\n", n ? n : 1) < 0) {
			failed = errno;
			break;
		}
		list += n;
	} while (*list);
	close(fd);
	errno = failed;
	return failed ? -1 : 0;
}
