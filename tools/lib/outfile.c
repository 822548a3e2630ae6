// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Output files that appear under their name only when complete. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "tmpfiles.h"
#include "outfile.h"

/* Of the file that is there, or what a new one gets. */
static mode_t mode_of(const char *path)
{
	const mode_t mask = umask(0);
	struct stat st;

	umask(mask);
	return !lstat(path, &st) && S_ISREG(st.st_mode) ? st.st_mode & 0777 : 0666 & ~mask;
}

/**
 * outfile_resolve() - resolve symbolic links
 * @path: of a file that need not exist, in a directory that does
 * @whole: set to its path from the root
 * @size: size of @whole
 *
 * Return: 0, or -1 with errno set.
 */
int outfile_resolve(const char *path, char *whole, size_t size)
{
	const char *slash = strrchr(path, '/');
	char *dir, *real = realpath(path, NULL);
	int n;

	if (real) {
		n = snprintf(whole, size, "%s", real);
	} else {
		dir = slash ? strndup(path, slash - path + 1) : strdup(".");
		real = dir ? realpath(dir, NULL) : NULL;
		free(dir);
		if (!real)
			return -1;
		n = snprintf(whole, size, "%s/%s", real, slash ? slash + 1 : path);
	}
	free(real);
	errno = ENAMETOOLONG;
	return n < (int)size ? 0 : -1;
}

/* To a device, a pipe, or a link to a file that is not there: written to, not replaced. */
static bool is_in_place(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return !lstat(path, &st);
	return !S_ISREG(st.st_mode);
}

/**
 * outfile_open() - open an output file under a temporary name
 * @o: the file; end it with outfile_close() or outfile_drop()
 * @path: its final name; NULL or "-" for standard output
 *
 * Return: OK, or FAILED with a message printed.
 */
int outfile_open(struct outfile *o, const char *path)
{
	int fd;

	o->path = path && strcmp(path, "-") ? path : NULL;
	o->f = stdout;
	o->tmp[0] = '\0';
	if (!o->path)
		return OK;
	if (is_in_place(path)) {
		o->f = fopen(path, "we");
		return o->f ? OK : complain(FAILED, "%s: %s", path, strerror(errno));
	}
	if (outfile_resolve(path, o->whole, sizeof(o->whole)))
		return complain(FAILED, "%s: %s", path, strerror(errno));
	if (snprintf(o->tmp, sizeof(o->tmp), "%s.XXXXXX", o->whole) >= (int)sizeof(o->tmp))
		return complain(FAILED, "%s: name too long", path);
	fd = mkostemp(o->tmp, O_CLOEXEC);
	if (fd < 0)
		return complain(FAILED, "%s: %s", path, strerror(errno));
	if (tmpfile_add(o->tmp)) {
		complain(FAILED, "%s: %s", path, strerror(errno));
		close(fd);
		unlink(o->tmp);
		return FAILED;
	}
	fchmod(fd, mode_of(o->whole));
	o->f = fdopen(fd, "w");
	if (o->f)
		return OK;
	complain(FAILED, "%s: %s", path, strerror(errno));
	close(fd);
	unlink(o->tmp);
	tmpfile_done(o->tmp);
	return FAILED;
}

/**
 * outfile_is() - is an output file one that is read?
 * @path: the output file; NULL: standard output
 * @input: the file that is read
 *
 * Return: true if so, by whatever names.
 */
bool outfile_is(const char *path, const char *input)
{
	struct stat out, in;

	return path && !stat(path, &out) && !stat(input, &in) && in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

/**
 * outfile_rename() - give a complete file its name, with the mode of the file that it replaces
 * @tmp: its temporary name
 * @path: its final name
 *
 * Return: 0, or -1 with errno set.
 */
int outfile_rename(const char *tmp, const char *path)
{
	/* It fails where files have no modes of their own (vfat): no reason to lose the file. */
	chmod(tmp, mode_of(path));
	return rename(tmp, path);
}

/* The end of what was written to standard output, which is not closed. */
static int close_stdout(int failed)
{
	if (failed && !ferror(stdout))
		errno = 0;
	/* The buffer may be empty by now: an earlier write failed. */
	if (!fflush(stdout) && !ferror(stdout) && !failed)
		return OK;
	return complain(FAILED, "standard output: %s", errno ? strerror(errno) : "not written");
}

/**
 * outfile_close() - close an output file and give it its name
 * @o: from outfile_open()
 * @failed: its contents are incomplete: remove it, and fail
 *
 * Return: OK, or FAILED with a message printed.
 */
int outfile_close(struct outfile *o, int failed)
{
	if (!o->path)
		return close_stdout(failed);
	if (ferror(o->f))
		failed = 1;
	else
		errno = 0;
	failed |= fclose(o->f);
	if (!failed && o->tmp[0])
		failed = rename(o->tmp, o->whole);
	if (failed)
		complain(FAILED, "%s: %s", o->path, errno ? strerror(errno) : "not written");
	if (failed && o->tmp[0])
		unlink(o->tmp);
	if (o->tmp[0])
		tmpfile_done(o->tmp);
	return failed ? FAILED : OK;
}

/**
 * outfile_end() - close an output file whose writer printed why it failed, unless writing did
 * @o: from outfile_open()
 * @failed: its contents are incomplete: remove it, and fail
 *
 * Return: OK, or FAILED with one message printed, by the caller or here.
 */
int outfile_end(struct outfile *o, int failed)
{
	if (!failed || ferror(o->f))
		return outfile_close(o, failed);
	outfile_drop(o);
	return FAILED;
}

/**
 * outfile_drop() - close and remove an incomplete file, without a message
 * @o: from outfile_open()
 */
void outfile_drop(struct outfile *o)
{
	if (o->path)
		fclose(o->f);
	if (!o->tmp[0])
		return;
	unlink(o->tmp);
	tmpfile_done(o->tmp);
}
