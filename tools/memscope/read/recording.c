// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Recognizes recordings by their contents.  A directory stands for the recordings in it:
 * memscope record writes one, and pagealloc bench run another.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/complain.h"
#include "lib/record/default.h"
#include "lib/trace/child.h"
#include "recording.h"

/* What memprof record and memscope record write where no file is named. */
#define MEMPROF_FILE	"memprof.data"
#define RUN_FILES	"memscope.run"

/* Longer than every magic. */
#define HEAD	64

const char * const recording_names[RECORDING_KINDS] = {
	[RECORDING_MEMREF] = "memref", [RECORDING_DPROF] = "dprof", [RECORDING_DPROF_TEXT] = "dprof",
	[RECORDING_MEMPROF] = "memprof", [RECORDING_PERF] = "perf", [RECORDING_LAYOUT] = "pagealloc layout",
	[RECORDING_BENCH] = "pagealloc bench",
};

/* Beginnings of files. */
static const struct {
	const char *text;
	enum recording kind;
} magics[] = {
	{ "MEMPROF\n", RECORDING_MEMPROF }, { "PERFILE2", RECORDING_PERF },
	{ "pagealloc-layout ", RECORDING_LAYOUT }, { "# memscope-bench ", RECORDING_BENCH },
	{ "# dprof events ", RECORDING_DPROF_TEXT },
};

static int add(struct recordings *r, const char *path, enum recording kind)
{
	void *all = realloc(r->all, (r->nr + 1) * sizeof(*r->all));

	if (!all)
		return complain(FAILED, "no memory left");
	r->all = all;
	r->all[r->nr].kind = kind;
	r->all[r->nr].path = strdup(path);
	if (!r->all[r->nr].path)
		return complain(FAILED, "no memory left");
	r->nr++;
	return OK;
}

/* In the child that reads the trace: it has been opened, so it has formats of the system. */
static int found_system(void *ctx, struct trace_dat *d, FILE *to)
{
	(void)ctx;
	(void)d;
	trace_child_send(to, 1, "", 1);
	return 0;
}

static int note_system(void *ctx, unsigned int kind, const void *what, size_t size)
{
	(void)kind;
	(void)what;
	(void)size;
	*(bool *)ctx = true;
	return 0;
}

static bool trace_has(const char *path, const char *system)
{
	bool has = false;
	struct trace_child c = { .system = system, .read = found_system, .take = note_system, .ctx = &has };
	char error[512];

	trace_child_read(path, &c, error, sizeof(error));
	return has;
}

static int add_trace(struct recordings *r, const char *path, bool *known)
{
	const bool memref = trace_has(path, "memref"), dprof = trace_has(path, "dprof");

	*known = memref || dprof;
	if (memref && add(r, path, RECORDING_MEMREF))
		return FAILED;
	return dprof ? add(r, path, RECORDING_DPROF) : OK;
}

/* Add a file if it is a recording; @known: it is one. */
static int add_file(struct recordings *r, const char *path, bool *known)
{
	char head[HEAD + 1];
	size_t n, i;
	FILE *f = fopen(path, "re");

	*known = false;
	if (!f)
		return complain(FAILED, "%s: %s", path, strerror(errno));
	n = fread(head, 1, HEAD, f);
	if (!n && ferror(f)) {
		complain(FAILED, "%s: %s", path, strerror(errno));
		fclose(f);
		return FAILED;
	}
	fclose(f);
	head[n] = '\0';
	for (i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
		if (strncmp(head, magics[i].text, strlen(magics[i].text)))
			continue;
		*known = true;
		return add(r, path, magics[i].kind);
	}
	if (n >= 10 && !memcmp(head, "\x17\x08\x44tracing", 10))
		return add_trace(r, path, known);
	return OK;
}

static int is_file(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* The files of a directory that are recordings; others are left out. */
static int add_directory(struct recordings *r, const char *path)
{
	const size_t before = r->nr;
	struct dirent **names;
	char file[PATH_MAX];
	int n = scandir(path, &names, is_file, alphasort), i, ret = OK;
	struct stat st;
	bool known;

	if (n < 0)
		return complain(FAILED, "%s: %s", path, strerror(errno));
	for (i = 0; i < n; i++) {
		if (!ret && snprintf(file, sizeof(file), "%s/%s", path, names[i]->d_name) < (int)sizeof(file) &&
		    !stat(file, &st) && S_ISREG(st.st_mode))
			ret = add_file(r, file, &known);
		free(names[i]);
	}
	free(names);
	return ret ? ret : r->nr > before ? OK : complain(FAILED, "%s: no recording in this directory", path);
}

static int add_operand(struct recordings *r, const char *path)
{
	struct stat st;
	bool known;
	int ret;

	if (stat(path, &st))
		return complain(FAILED, "%s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return add_directory(r, path);
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return complain(FAILED, "%s: %s", path, S_ISREG(st.st_mode) ? "empty file" : "not a file");
	ret = add_file(r, path, &known);
	if (ret || known)
		return ret;
	return complain(FAILED, "%s: not a recording of memref, dprof, memprof, perf or pagealloc", path);
}

/* As an operand, if there is such a file; @there: there is. */
static int add_default(struct recordings *r, const char *path, bool *there)
{
	struct stat st;

	*there = !stat(path, &st);
	return *there ? add_operand(r, path) : OK;
}

/* Leave out what is of a tool, of the recordings from the @first on.  Return whether there was any. */
static bool leave_out(struct recordings *r, size_t first, const char *tool)
{
	size_t i, n = first;

	for (i = first; i < r->nr; i++) {
		if (!strcmp(recording_names[r->all[i].kind], tool))
			free(r->all[i].path);
		else
			r->all[n++] = r->all[i];
	}
	n = r->nr - n;
	r->nr -= n;
	return n;
}

/* As memref and dprof read them: of trace-cmd's file, what has no file of its own. */
static int add_default_traces(struct recordings *r)
{
	bool memref, dprof, trace;
	size_t before;

	if (add_default(r, MEMREF_FILE, &memref) || add_default(r, DPROF_FILE, &dprof))
		return FAILED;
	if (memref && dprof) {
		default_note_newer(MEMREF_FILE);
		default_note_newer(DPROF_FILE);
		return OK;
	}
	before = r->nr;
	if (add_default(r, TRACE_FILE, &trace))
		return FAILED;
	if (memref && leave_out(r, before, "memref"))
		default_note_newer(MEMREF_FILE);
	if (dprof && leave_out(r, before, "dprof"))
		default_note_newer(DPROF_FILE);
	return OK;
}

/* Those that the tools' record verbs, and trace-cmd, write by default. */
static int find_default(struct recordings *r)
{
	bool there;

	if (add_default_traces(r) || add_default(r, MEMPROF_FILE, &there) ||
	    add_default(r, RUN_FILES, &there))
		return FAILED;
	return r->nr ? OK : complain(FAILED, "no recording is named, and none of " MEMREF_FILE ", " DPROF_FILE ", "
				       TRACE_FILE ", " MEMPROF_FILE " and " RUN_FILES
				       " is in this directory (memscope record makes one)");
}

/**
 * recordings_find() - recognize recordings
 * @r: set to the recordings
 * @paths: files and directories
 * @nr: number of @paths; 0: those in the working directory with a usual name
 *
 * Return: OK, or FAILED with a message printed and nothing to be freed.
 */
int recordings_find(struct recordings *r, char **paths, int nr)
{
	int i, ret = OK;

	memset(r, 0, sizeof(*r));
	if (!nr)
		ret = find_default(r);
	for (i = 0; i < nr && !ret; i++)
		ret = add_operand(r, paths[i]);
	if (ret)
		recordings_free(r);
	return ret;
}

void recordings_free(struct recordings *r)
{
	size_t i;

	for (i = 0; i < r->nr; i++)
		free(r->all[i].path);
	free(r->all);
	memset(r, 0, sizeof(*r));
}
