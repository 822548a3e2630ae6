// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * The most accessed types of objects, that is, sites that allocate: the paper's script
 * of "most accessed object types".
 *
 * usage: top_sites [FILE]
 */
#include <memprof.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct top {
	const struct memprof_site *site;
	size_t accesses, objects;
};

static int same(const struct memprof_site *a, const struct memprof_site *b)
{
	return a->line == b->line && !strcmp(a->file, b->file) && !strcmp(a->name, b->name);
}

static int by_accesses(const void *a, const void *b)
{
	const struct top *x = a, *y = b;

	return x->accesses < y->accesses ? 1 : -1;
}

int main(int argc, char **argv)
{
	size_t n = 0, k;
	struct memprof *m;
	struct top *top;
	char error[256];

	m = memprof_open(argc > 1 ? argv[1] : "memprof.data", NULL, error, sizeof(error));
	if (!m) {
		fprintf(stderr, "top_sites: %s\n", error);
		return 1;
	}
	top = calloc(memprof_nr_objects(m) + 1, sizeof(*top));
	if (!top)
		return 1;
	for (uint32_t i = 0; i < memprof_nr_objects(m); i++) {
		const struct memprof_site *site = memprof_object_site(m, i);

		for (k = 0; k < n && !same(top[k].site, site); k++)
			;
		if (k == n)
			top[n++].site = site;
		top[k].accesses += memprof_object(m, i)->accesses;
		top[k].objects++;
	}
	qsort(top, n, sizeof(*top), by_accesses);
	for (k = 0; k < n && k < 20; k++)
		printf("%8zu accesses of %6zu objects: %s (%s:%u)\n", top[k].accesses, top[k].objects,
		       top[k].site->name, top[k].site->file, top[k].site->line);
	free(top);
	memprof_close(m);
	return 0;
}
