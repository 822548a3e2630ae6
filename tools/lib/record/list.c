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

static int write_pieces(int fd, const char *list)
{
	while (*list) {
		size_t n = strlen(list);

		if (n > PIECE)
			for (n = PIECE; n > 1 && list[n - 1] != ' '; n--)
				;
		if (write(fd, list, n) < 0)
			return -1;
		list += n;
	}
	return 0;
}

/**
 * list_write() - replace the list in a file of tracefs
 * @file: the file
 * @list: IDs with blanks between them; "": none
 *
 * Return: 0, or -1 with errno set.
 */
int list_write(const char *file, const char *list)
{
	int fd, ret, failed;

	/* As all other settings are. */
	if (strlen(list) <= PIECE)
		return tracefs_instance_file_write(NULL, file, *list ? list : "\n") < 0 ? -1 : 0;
	fd = tracefs_instance_file_open(NULL, file, O_WRONLY | O_TRUNC);
	if (fd < 0)
		return -1;
	ret = write_pieces(fd, list);
	failed = errno;
	close(fd);
	errno = failed;
	return ret;
}
