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

/* Where a byte of CSV is. */
enum place { LINE_START, FIELD_START, IN_FIELD, IN_QUOTES, BEHIND_QUOTE };

struct scan {
	enum place place;
	int cr;				/* the last byte was a carriage return outside of quotes */
	uint64_t lines, ends[2];	/* lines with anything, ends by whether they have one */
};

/* A line may go on in quotes.  Return 0, or -1 at a carriage return that ends no line. */
static int scan_byte(struct scan *s, char c)
{
	const int cr = s->cr;

	s->cr = 0;
	if (s->place == IN_QUOTES) {
		s->place = c == '"' ? BEHIND_QUOTE : IN_QUOTES;
	} else if (c == '\n') {
		s->ends[cr]++;
		s->place = LINE_START;
	} else if (cr) {
		return -1;
	} else if (c == '\r') {
		s->cr = 1;
	} else {
		s->lines += s->place == LINE_START;
		s->place = c == ',' ? FIELD_START : c == '"' && s->place != IN_FIELD ? IN_QUOTES : IN_FIELD;
	}
	return 0;
}

/*
 * Count the lines of a file.  One with line ends of several kinds is not read: the engine fails
 * over it, with the files of all hosts.  Return OK, or FAILED with a message.
 */
static int count_lines(const char *path, FILE *f, uint64_t *lines)
{
	struct scan s = { };
	char block[65536];
	size_t n, i;
	int wrong = 0;

	while (!wrong && (n = fread(block, 1, sizeof(block), f)) > 0)
		for (i = 0; i < n && !wrong; i++)
			wrong = scan_byte(&s, block[i]);
	if (ferror(f))
		return complain(FAILED, "%s: %s", path, strerror(errno));
	if (wrong || s.cr || (s.ends[0] && s.ends[1]))
		return complain(FAILED, "%s: line ends of more than one kind", path);
	*lines = s.lines - 1;
	return OK;
}

/* Only a file with the columns of this version is read.  Return OK, or FAILED with a message. */
static int check_file(const char *path, int table, uint64_t *lines)
{
	char line[512] = "";
	FILE *f = fopen(path, "re");
	int ret;

	if (!f)
		return complain(FAILED, "%s: %s", path, strerror(errno));
	if (!fgets(line, sizeof(line), f))
		*line = '\0';
	line[strcspn(line, "\r\n")] = '\0';
	if (strcmp(line, table_header[table])) {
		ret = complain(FAILED, "%s: not the columns of %s, schema %d", path, fleet_tables[table], FLEET_SCHEMA);
	} else {
		rewind(f);
		ret = count_lines(path, f, lines);
	}
	fclose(f);
	return ret;
}

static int check_regular(const char *path, struct stat *st)
{
	if (stat(path, st))
		return complain(FAILED, "%s: %s", path, strerror(errno));
	return S_ISREG(st->st_mode) ? OK : complain(FAILED, "%s: not a regular file", path);
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
	struct incoming_file *more;
	uint64_t lines = 0;
	struct stat st;
	int t;

	for (t = 0; t < NR_TABLES; t++) {
		snprintf(end, sizeof(end), ".%s.csv", fleet_tables[t]);
		if (!ends_with(name, end))
			continue;
		if (check_regular(path, &st) || check_name(x, path) || check_file(path, t, &lines))
			return 1;
		more = reallocarray(x->about[t], x->files[t].nr + 1, sizeof(*more));
		if (!more || paths_add(&x->files[t], path))
			return -1;
		x->about[t] = more;
		more[x->files[t].nr - 1] = (struct incoming_file){ st.st_size, lines };
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
		free(x->about[t]);
		x->about[t] = NULL;
	}
}
