// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * What to change first: the sites with a fix, what that would leave of the remote accesses, and from
 * which nodes to which the sites are accessed.  Exits with 3 if there is nothing to change, for
 * scripts that watch a program.
 *
 * usage: first_fix [FILE]
 */
#include <memprof.h>
#include <stdio.h>
#include <string.h>

/* The row of the view objects whose site has an object; without one, rows of the view. */
static size_t row_of(const struct memprof_view *objects, uint32_t object)
{
	int column = memprof_view_find(objects, "object");
	size_t r;

	for (r = 0; r < memprof_view_rows(objects); r++)
		if (memprof_view_cell(objects, r, column).integer == object)
			break;
	return r;
}

static const char *text_of(const struct memprof_view *v, size_t row, const char *column)
{
	struct memprof_cell cell = memprof_view_cell(v, row, memprof_view_find(v, column));

	return cell.text ? cell.text : "-";
}

int main(int argc, char **argv)
{
	struct memprof_diagnosis *d;
	struct memprof_view *objects;
	struct memprof *m;
	char error[256], site[256];
	size_t i, found = 0;

	m = memprof_open(argc > 1 ? argv[1] : "memprof.data", NULL, error, sizeof(error));
	if (!m) {
		fprintf(stderr, "first_fix: %s\n", error);
		return 1;
	}
	d = memprof_diagnose(m);
	objects = memprof_view(m, "objects", NULL);
	if (!d || !objects) {
		fprintf(stderr, "first_fix: no memory left\n");
		return 1;
	}
	for (i = 0; i < memprof_nr_findings(d); i++) {
		const struct memprof_finding *f = memprof_finding(d, i);

		if (!strcmp(f->fix, "none"))
			continue;
		found++;
		strcpy(site, "the process");
		if (f->object != MEMPROF_NO_OBJECT)
			memprof_site_text(memprof_object_site(m, f->object), site, sizeof(site));
		printf("%s: %s, %s: %lu remote accesses, %.0f with the fix", site, f->pattern, f->fix,
		       (unsigned long)f->remote, f->predicted);
		if (f->object != MEMPROF_NO_OBJECT) {
			size_t r = row_of(objects, f->object);

			printf("; from nodes %s to memory of %s", text_of(objects, r, "from_nodes"),
			       text_of(objects, r, "on_nodes"));
		}
		printf("\n");
	}
	memprof_view_free(objects);
	memprof_diagnosis_free(d);
	memprof_close(m);
	return found ? 0 : 3;
}
