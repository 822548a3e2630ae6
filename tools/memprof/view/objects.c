// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* Objects by where they are allocated (the paper's Tables 2, 4 and 6), or each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memprof/names/hash.h"
#include "view.h"

struct row {
	char *key;
	const char *site;	/* its end */
	uint32_t object;	/* the one with most accesses */
	uint64_t objects, bytes, most;
	uint32_t last_thread, threads;
	uint64_t from_nodes, homes;	/* bits */
	struct counts counts;
	UT_hash_handle hh;
};

static int by_remote(struct row *a, struct row *b)
{
	if (a->counts.remote != b->counts.remote)
		return a->counts.remote < b->counts.remote ? 1 : -1;
	if (a->counts.all != b->counts.all)
		return a->counts.all < b->counts.all ? 1 : -1;
	return strcmp(a->key, b->key);
}

static struct row *find_row(struct row **rows, struct memprof *m, uint32_t i, bool instances)
{
	const struct memprof_object *o = memprof_object(m, i);
	char text[1024], key[1100];
	struct row *r;
	int n;

	if (memprof_site_text(memprof_object_site(m, i), text, sizeof(text)))
		return NULL;
	if (instances)
		n = snprintf(key, sizeof(key), "%u ", i);
	else
		n = snprintf(key, sizeof(key), "%s ", memprof_type_name(o->type));
	snprintf(key + n, sizeof(key) - n, "%s", text);
	HASH_FIND_STR(*rows, key, r);
	if (r)
		return r;
	r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->key = strdup(key);
	if (!r->key) {
		free(r);
		return NULL;
	}
	r->site = r->key + n;
	r->object = i;
	r->last_thread = MEMPROF_NO_THREAD;
	HASH_ADD_KEYPTR(hh, *rows, r->key, strlen(r->key), r);
	if (r->hh.tbl)
		return r;
	free(r->key);
	free(r);
	return NULL;
}

/* "0,2" */
static void print_bits(char *text, size_t size, uint64_t bits)
{
	size_t n = 0;
	int i;

	*text = '\0';
	for (i = 0; i < 64 && n < size; i++)
		if (bits >> i & 1)
			n += snprintf(text + n, size - n, "%s%d", n ? "," : "", i);
}

/* What the rows' shares are of. */
struct all {
	uint64_t remote, memory, levels;
};

static int add_row(struct memprof *m, struct table *t, struct row *r, const struct all *all)
{
	const struct memprof_object *o = memprof_object(m, r->object);
	char from[128], home[128], site[2048];

	print_bits(from, sizeof(from), r->from_nodes);
	print_bits(home, sizeof(home), r->homes);
	if (memprof_site_text(memprof_object_site(m, r->object), site, sizeof(site)))
		return -1;
	return table_add(t, (struct cell[]){
		TEXT_CELL(site),
		all->remote ? REAL_CELL(100.0 * r->counts.remote / all->remote) : NONE_CELL,
		all->memory ? REAL_CELL(100.0 * r->counts.memory / all->memory) : NONE_CELL,
		counts_remote_pct(&r->counts), TEXT_CELL(memprof_type_name(o->type)),
		INT_CELL(r->objects), INT_CELL(r->bytes), INT_CELL(r->counts.all),
		r->counts.all ? REAL_CELL(100.0 * r->counts.writes / r->counts.all) : NONE_CELL,
		/* Of a source with levels, what has none missed: IBS's stores. */
		r->counts.all && all->levels ? REAL_CELL(100.0 * r->counts.misses / r->counts.all) : NONE_CELL,
		counts_latency(&r->counts), INT_CELL(r->threads), TEXT_CELL(from), TEXT_CELL(home), INT_CELL(r->object) });
}

static void free_rows(struct row *rows)
{
	struct row *r, *next;

	HASH_ITER(hh, rows, r, next) {
		HASH_DEL(rows, r);
		free(r->key);
		free(r);
	}
}

const struct columns objects_columns = COLUMNS(
	{ "site", CELL_TEXT, 0, "",
	  "where the objects are allocated: variable or function (file:line); of memory that "
	  "is not allocated, its name" },
	{ "remote_share_pct", CELL_REAL, 2, "%",
	  "the site's remote accesses, of the remote accesses of all sites",
	  "no access is remote" },
	{ "memory_share_pct", CELL_REAL, 2, "%",
	  "the site's accesses of main memory, of those of all sites",
	  "no access is of main memory" },
	{ "remote_pct", CELL_REAL, 2, "%",
	  "of the site's accesses of main memory whose nodes are known, those from another node",
	  "there is none" },
	{ "type", CELL_TEXT, 0, "",
	  "what the objects are: static (a variable), dynamic (allocated), file, code, stack, "
	  "kernel, unknown" },
	{ "objects", CELL_INT, 0, "objects", "objects of the site that were accessed" },
	{ "bytes", CELL_INT, 0, "bytes", "sum of their sizes" },
	{ "accesses", CELL_INT, 0, "samples", "sampled accesses of them, caches included" },
	{ "writes_pct", CELL_REAL, 1, "%", "of these, writes", "there is no access" },
	{ "l1_misses_pct", CELL_REAL, 1, "%",
	  "of these, accesses that the L1 did not serve; stores of IBS that missed have no "
	  "level and count", "the source reports no levels" },
	{ "latency_cycles", CELL_REAL, 0, "cycles",
	  "mean latency of accesses of main memory", "no access has one" },
	{ "threads", CELL_INT, 0, "threads", "threads that accessed them" },
	{ "from_nodes", CELL_TEXT, 0, "", "nodes of the CPUs that accessed them" },
	{ "on_nodes", CELL_TEXT, 0, "", "nodes that their pages are on" },
	{ "object", CELL_INT, 0, "",
	  "number of the object with the most accesses, for --object" },
);

int view_objects(struct memprof *m, const struct view_options *o, struct table *t)
{
	struct row **row_of = calloc(memprof_nr_objects(m) + 1, sizeof(*row_of));
	struct row *rows = NULL, *r;
	struct all all = { };
	struct memprof_access a;
	size_t n = 0, i;
	int bad = 0;

	table_init_columns(t, &objects_columns);
	if (!row_of)
		return -1;
	for (i = 0; i < memprof_nr_objects(m) && !bad; i++) {
		const struct memprof_object *object = memprof_object(m, i);
		struct counts before;

		if (!object->accesses)
			continue;
		r = row_of[i] = find_row(&rows, m, i, o->instances);
		if (!r) {
			bad = -1;
			break;
		}
		before = r->counts;
		r->objects++;
		r->bytes += object->size;
		if (object->accesses > r->most) {
			r->most = object->accesses;
			r->object = i;
		}
		memprof_foreach_access(m, memprof_object_flow(m, i), &a) {
			counts_add(&r->counts, &a);
			if (a.node >= 0 && a.node < 64)
				r->from_nodes |= UINT64_C(1) << a.node;
			if (a.home >= 0 && a.home < 64)
				r->homes |= UINT64_C(1) << a.home;
		}
		all.remote += r->counts.remote - before.remote;
		all.memory += r->counts.memory - before.memory;
		all.levels += r->counts.levels - before.levels;
	}
	/* How many threads: by their flows, each of which is walked once. */
	for (i = 0; i < memprof_nr_threads(m) && !bad; i++)
		memprof_foreach_access(m, memprof_thread_flow(m, i), &a) {
			r = row_of[a.object];
			if (r && r->last_thread != i) {
				r->last_thread = i;
				r->threads++;
			}
		}
	free(row_of);
	HASH_SORT(rows, by_remote);
	for (r = rows; r && !bad; r = r->hh.next) {
		if (o->site && !strstr(r->site, o->site))
			continue;
		if (o->top && n++ >= o->top)
			break;
		bad = add_row(m, t, r, &all);
	}
	free_rows(rows);
	return bad;
}
