// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* A write-only FILE that compresses into another one, in zlib format. */
#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "zfile.h"

struct zfile {
	z_stream z;
	FILE *to;
};

/* Return 0, or -1 if writing to f->to fails. */
static int pump(struct zfile *f, int flush)
{
	unsigned char buf[1 << 16];
	size_t n;

	do {
		f->z.next_out = buf;
		f->z.avail_out = sizeof(buf);
		deflate(&f->z, flush);
		n = sizeof(buf) - f->z.avail_out;
		if (fwrite(buf, 1, n, f->to) != n)
			return -1;
	} while (!f->z.avail_out);
	return 0;
}

static ssize_t write_zfile(void *cookie, const char *buf, size_t size)
{
	struct zfile *f = cookie;

	f->z.next_in = (unsigned char *)buf;
	f->z.avail_in = size;
	return pump(f, Z_NO_FLUSH) ? -1 : (ssize_t)size;
}

static int close_zfile(void *cookie)
{
	struct zfile *f = cookie;
	int ret = pump(f, Z_FINISH);

	deflateEnd(&f->z);
	free(f);
	return ret;
}

/**
 * zfile_open() - open a compressing file
 * @to: receives the compressed data; fclose() of the result does not close it
 *
 * Return: the file; its data are complete after fclose().  NULL with errno set on failure.
 */
FILE *zfile_open(FILE *to)
{
	static const cookie_io_functions_t io = { .write = write_zfile, .close = close_zfile };
	struct zfile *z = calloc(1, sizeof(*z));
	FILE *f = NULL;

	if (!z)
		return NULL;
	z->to = to;
	if (deflateInit(&z->z, Z_DEFAULT_COMPRESSION) == Z_OK) {
		f = fopencookie(z, "w", io);
		if (f)
			return f;
		deflateEnd(&z->z);
	}
	free(z);
	errno = ENOMEM;
	return NULL;
}
