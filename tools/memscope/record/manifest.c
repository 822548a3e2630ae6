// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* manifest.json: what a directory of memscope record is of. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "lib/complain.h"
#include "lib/table.h"
#include "lib/cells/utf8.h"
#include "run.h"

static json_t *text(const char *s)
{
	json_t *t = json_string(s);

	/* Not UTF-8: byte by byte. */
	return t ? t : json_string("?");
}

static json_t *strings(char *const *all)
{
	json_t *list = json_array();

	for (; *all; all++)
		json_array_append_new(list, text(*all));
	return list;
}

/* The control group of the command is that of this process. */
static void set_cgroup(json_t *m)
{
	char line[4096];
	FILE *f = fopen("/proc/self/cgroup", "re");

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "0::", 3))
			json_object_set_new(m, "cgroup", text(line + 3));
	}
	if (f)
		fclose(f);
}

/**
 * manifest_write() - write the manifest of a run into its directory
 * @r: the run
 *
 * Return: OK, or FAILED with a message printed.
 */
int manifest_write(const struct run *r)
{
	json_t *m = json_object(), *files = json_object();
	struct utsname u = { };
	char path[4096];
	int failed;

	uname(&u);
	json_object_set_new(m, "schema_version", json_integer(JSON_SCHEMA_VERSION));
	json_object_set_new(m, "tool", json_string("memscope record"));
	json_object_set_new(m, "version", json_string(MEMSCOPE_VERSION));
	json_object_set_new(m, "command", strings(r->command));
	json_object_set_new(m, "pid", json_integer(r->pid));
	json_object_set_new(m, "exit_status", json_integer(r->status));
	json_object_set_new(m, "host", text(u.nodename));
	json_object_set_new(m, "kernel", text(u.release));
	set_cgroup(m);
	json_object_set_new(m, "clock", json_string("mono"));
	json_object_set_new(m, "begin_ns", json_integer(r->begin_ns));
	json_object_set_new(m, "end_ns", json_integer(r->end_ns));
	json_object_set_new(m, "begin_real_ns", json_integer(r->begin_real_ns));
	if (r->what & RECORD_REFS)
		json_object_set_new(files, "refs", json_string(RUN_TRACE));
	if (r->what & RECORD_TYPES)
		json_object_set_new(files, "types", json_string(RUN_TRACE));
	if (r->what & RECORD_OBJECTS)
		json_object_set_new(files, "objects", json_string(RUN_OBJECTS));
	json_object_set_new(m, "files", files);
	snprintf(path, sizeof(path), "%s/" RUN_MANIFEST, r->part);
	failed = json_dump_file(m, path, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
	json_decref(m);
	return failed ? complain(FAILED, "%s: not written", path) : OK;
}
