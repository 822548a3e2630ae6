// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The files that hosts sent: FOLDER/HOST/NAME.TABLE.csv. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "incoming.h"
#include "lib/complain.h"
#include "tables.h"

static int ends_with(const char *name, const char *end)
{
	size_t a = strlen(name), b = strlen(end);

	return a > b && !strcmp(name + a - b, end);
}

/* Only a file with the columns of this version is read.  Return OK, or FAILED with a message. */
static int check_header(const char *path, int table)
{
	char line[512] = "";
	FILE *f = fopen(path, "re");

	if (!f)
		return complain(FAILED, "%s: %s", path, strerror(errno));
	if (!fgets(line, sizeof(line), f))
		*line = '\0';
	fclose(f);
	line[strcspn(line, "\r\n")] = '\0';
	if (strcmp(line, table_header[table]))
		return complain(FAILED, "%s: not the columns of %s, schema %d", path, fleet_tables[table], FLEET_SCHEMA);
	return OK;
}

/* The engine takes such names for patterns, which other files match. */
static int check_name(const struct incoming *x, const char *path)
{
	if (!strpbrk(path + strlen(x->folder), "*?["))
		return OK;
	return complain(FAILED, "%s: a name with *, ? or [ is not read", path);
}

/* Return 0, 1 if the file is refused with a message, -1 without memory. */
static int add_file(struct incoming *x, const char *path, const char *name)
{
	char end[32];
	struct stat st;
	uint64_t *more;
	int t;

	for (t = 0; t < NR_TABLES; t++) {
		snprintf(end, sizeof(end), ".%s.csv", fleet_tables[t]);
		if (!ends_with(name, end))
			continue;
		if (stat(path, &st) || !S_ISREG(st.st_mode) || check_name(x, path) || check_header(path, t))
			return 1;
		more = reallocarray(x->bytes[t], x->files[t].nr + 1, sizeof(*more));
		if (!more || paths_add(&x->files[t], path))
			return -1;
		x->bytes[t] = more;
		more[x->files[t].nr - 1] = st.st_size;
		return 0;
	}
	return 0;
}

static int add_host(struct incoming *x, const char *host, int *refused)
{
	char folder[4096], path[8192];
	struct dirent *d;
	DIR *dir;
	int ret = 0;

	snprintf(folder, sizeof(folder), "%s/%s", x->folder, host);
	dir = opendir(folder);
	if (!dir)
		return errno == ENOTDIR ? 0 : -1;
	while (ret >= 0 && (d = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", folder, d->d_name);
		ret = *d->d_name == '.' ? 0 : add_file(x, path, d->d_name);
		*refused |= ret > 0;
	}
	closedir(dir);
	return ret < 0 ? -1 : 0;
}

/**
 * incoming_find() - find the files
 * @x: their folder; gets the files
 * @refused: set if a file is left out with a message
 *
 * Return: OK, or FAILED with a message printed.
 */
int incoming_find(struct incoming *x, int *refused)
{
	DIR *dir = opendir(x->folder);
	struct dirent *d;
	int ret = 0, t;
	size_t nr = 0;

	if (!dir)
		return complain(FAILED, "%s: %s", x->folder, strerror(errno));
	while (!ret && (d = readdir(dir)))
		if (*d->d_name != '.')
			ret = add_host(x, d->d_name, refused);
	closedir(dir);
	for (t = 0; t < NR_TABLES; t++)
		nr += x->files[t].nr;
	if (ret)
		return complain(FAILED, "%s: %s", x->folder, errno ? strerror(errno) : "no memory left");
	return nr || *refused ? OK : complain(FAILED, "%s: no HOST/*.intervals.csv or *.services.csv", x->folder);
}

/** incoming_free() - free the names of the files */
void incoming_free(struct incoming *x)
{
	int t;

	for (t = 0; t < NR_TABLES; t++) {
		paths_free(&x->files[t]);
		free(x->bytes[t]);
		x->bytes[t] = NULL;
	}
}
