// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* Which sites the sampled latency is of, caches' and memory's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memprof/names/hash.h"
#include "latency.h"

struct site {
	char *key;
	uint64_t most;
	struct site_latency sum;
	UT_hash_handle hh;
};

/* Return: the site of an object, NULL without memory */
static struct site *find_site(struct site **sites, struct memprof *m, uint32_t object)
{
	char text[1024], key[1100];
	struct site *s;

	if (memprof_site_text(memprof_object_site(m, object), text, sizeof(text)))
		return NULL;
	snprintf(key, sizeof(key), "%d %s", memprof_object(m, object)->type, text);
	HASH_FIND_STR(*sites, key, s);
	if (s)
		return s;
	s = calloc(1, sizeof(*s));
	if (!s || !(s->key = strdup(key))) {
		free(s);
		return NULL;
	}
	HASH_ADD_KEYPTR(hh, *sites, s->key, strlen(s->key), s);
	if (s->hh.tbl)
		return s;
	free(s->key);
	free(s);
	return NULL;
}

static int add_object(struct site **sites, struct memprof *m, uint32_t object)
{
	uint64_t accesses = 0, cycles = 0;
	struct memprof_access a;
	struct site *s;

	memprof_foreach_access(m, memprof_object_flow(m, object), &a) {
		accesses += !!a.latency;
		cycles += a.latency;
	}
	if (!accesses)
		return 0;
	s = find_site(sites, m, object);
	if (!s)
		return -1;
	s->sum.objects++;
	s->sum.accesses += accesses;
	s->sum.cycles += cycles;
	if (cycles > s->most) {
		s->most = cycles;
		s->sum.object = object;
	}
	return 0;
}

static int by_cycles(const void *a, const void *b)
{
	const struct site_latency *x = a, *y = b;

	if (x->cycles != y->cycles)
		return x->cycles < y->cycles ? 1 : -1;
	return x->object < y->object ? -1 : x->object > y->object;
}

/**
 * latencies_find() - add up the latencies of each site
 * @m: the recording
 * @l: filled in; to be freed with latencies_free()
 *
 * Return: 0, or -1 without memory.
 */
int latencies_find(struct memprof *m, struct latencies *l)
{
	struct site *sites = NULL, *s, *next;
	int bad = 0;
	size_t i;

	memset(l, 0, sizeof(*l));
	for (i = 0; i < memprof_nr_objects(m) && !bad; i++)
		bad = add_object(&sites, m, i);
	l->all = calloc(HASH_COUNT(sites) + 1, sizeof(*l->all));
	bad |= l->all ? 0 : -1;
	HASH_ITER(hh, sites, s, next) {
		if (!bad)
			l->all[l->nr++] = s->sum;
		l->accesses += s->sum.accesses;
		l->cycles += s->sum.cycles;
		HASH_DEL(sites, s);
		free(s->key);
		free(s);
	}
	if (l->nr)
		qsort(l->all, l->nr, sizeof(*l->all), by_cycles);
	return bad;
}

const struct columns latencies_columns = COLUMNS(
	{ "latency_share_pct", CELL_REAL, 2, "%",
	  "the site's latency, of the sampled latency of all sites, caches included" },
	{ "latency_cycles", CELL_INT, 0, "cycles", "sum of the latencies of its accesses" },
	{ "accesses", CELL_INT, 0, "samples", "accesses that have a latency" },
	{ "mean_cycles", CELL_REAL, 1, "cycles", "latency_cycles / accesses" },
	{ "type", CELL_TEXT, 0, "",
	  "what the objects are: static, dynamic, file, code, stack, kernel, unknown" },
	{ "objects", CELL_INT, 0, "objects", "objects of the site with such accesses" },
	{ "object", CELL_INT, 0, "", "number of the one with the most latency, for --object" },
	{ "site", CELL_TEXT, 0, "", "where the objects are allocated" },
);

/** latencies_table() - a row a site.  Return: 0, or -1 without memory */
int latencies_table(struct memprof *m, const struct latencies *l, const struct view_options *o, struct table *t)
{
	char site[1024];
	size_t i;

	table_init_columns(t, &latencies_columns);
	for (i = 0; i < l->nr && (!o->top || i < o->top); i++) {
		const struct site_latency *x = &l->all[i];

		if (memprof_site_text(memprof_object_site(m, x->object), site, sizeof(site)) ||
		    table_add(t, (struct cell[]){
			REAL_CELL(100.0 * x->cycles / l->cycles), INT_CELL(x->cycles), INT_CELL(x->accesses),
			REAL_CELL((double)x->cycles / x->accesses),
			TEXT_CELL(memprof_type_name(memprof_object(m, x->object)->type)),
			INT_CELL(x->objects), INT_CELL(x->object), TEXT_CELL(site) }))
			return -1;
	}
	return 0;
}

int view_latency(struct memprof *m, const struct view_options *o, struct table *t)
{
	struct latencies l;
	int bad;

	table_init_columns(t, &latencies_columns);
	bad = latencies_find(m, &l);
	bad = bad ? bad : latencies_table(m, &l, o, t);
	latencies_free(&l);
	return bad;
}

/** latencies_free() - forget them */
void latencies_free(struct latencies *l)
{
	free(l->all);
}
