// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Which object is at an address of the recorded program, who accesses it, and from which nodes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/complain.h"
#include "memprof/memprof.h"
#include "memscope/run/rows.h"
#include "why.h"

#define PAGE		4096
#define MAX_NODES	64
#define MOST_THREADS	8

/* The accesses of an object, and of the page in question. */
struct tally {
	uint64_t accesses, on_page, writes, from[MAX_NODES], home[MAX_NODES], unplaced;
};

/* When the page, or the area that memref followed it in, was referenced. */
static int add_references(struct answer *a, const struct recordings *r, uint64_t address)
{
	const char *path = recording_of(r, RECORDING_MEMREF);
	double first = 0, last = 0, begin, size = 0, pages = 0;
	char error[512];
	json_t *rows, *row;
	size_t i, n = 0;

	answer_add(a, "page", "address", "0x%" PRIx64 " in the page at 0x%" PRIx64, address, address & -(uint64_t)PAGE);
	if (!path)
		return OK;
	rows = rows_read((const char *[]){ "memref", "report", "virtual", path, "-f", "json", NULL }, error, sizeof(error));
	if (!rows) {
		/* A recording without virtual addresses has no such view. */
		if (!strstr(error, "--virt") && !rows_none(error))
			return complain(FAILED, "%s", error);
		answer_add(a, "page", "referenced", "not known: %s",
			   rows_none(error) ? error : "memref recorded no virtual addresses");
		return OK;
	}
	json_array_foreach(rows, i, row) {
		begin = row_number(row, "virt_addr");
		size = row_number(row, "size_kib") * 1024;
		if (address < begin || address >= begin + size || !row_number(row, "pages"))
			continue;
		first = n++ ? first : row_number(row, "time_s");
		last = row_number(row, "time_s");
		pages = row_number(row, "pages") > pages ? row_number(row, "pages") : pages;
	}
	json_decref(rows);
	if (n)
		answer_add(a, "page", "referenced", "in %zu intervals, from %.1f to %.1f s; at most %.0f pages of the %.0f KiB around it",
			   n, first, last, pages, size / 1024);
	else
		answer_add(a, "page", "referenced", "in no interval that memref recorded");
	return OK;
}

/* The most accessed object that was at the address; NULL: none. */
static const struct memprof_object *find_object(const struct memprof *m, uint64_t address, uint32_t *number, size_t *others)
{
	const struct memprof_object *best = NULL;
	size_t i;

	*others = 0;
	for (i = 0; i < memprof_nr_objects(m); i++) {
		const struct memprof_object *o = memprof_object(m, i);

		if (o->type == MEMPROF_UNKNOWN || address < o->address || address - o->address >= o->size)
			continue;
		*others += !!best;
		if (best && best->accesses >= o->accesses)
			continue;
		best = o;
		*number = i;
	}
	return best;
}

static void count(const struct memprof *m, const struct memprof_object *o, uint32_t number, uint64_t address,
		  struct tally *t, uint64_t *threads)
{
	struct memprof_access x;

	memprof_foreach_access(m, memprof_object_flow(m, number), &x) {
		t->accesses++;
		t->writes += x.write;
		t->on_page += (o->address + x.offset) / PAGE == address / PAGE;
		if (x.thread < memprof_nr_threads(m))
			threads[x.thread]++;
		if (x.node >= 0 && x.node < MAX_NODES)
			t->from[x.node]++;
		if (x.home >= 0 && x.home < MAX_NODES)
			t->home[x.home]++;
		else
			t->unplaced++;
	}
}

static void add_nodes(struct answer *a, const char *item, const uint64_t counts[MAX_NODES])
{
	char text[512] = "";
	size_t n = 0;
	int i;

	for (i = 0; i < MAX_NODES && n + 48 < sizeof(text); i++)
		if (counts[i])
			n += snprintf(text + n, sizeof(text) - n, "%snode %d: %" PRIu64, n ? ", " : "", i, counts[i]);
	answer_add(a, "nodes", item, "%s", *text ? text : "not known");
}

/* The threads with the most accesses first. */
static void add_threads(struct answer *a, const struct memprof *m, uint64_t *threads)
{
	const struct memprof_thread *t;
	size_t i, best;
	char item[32];
	int n;

	for (n = 0; n < MOST_THREADS; n++) {
		for (i = best = 0; i < memprof_nr_threads(m); i++)
			if (threads[i] > threads[best])
				best = i;
		if (!memprof_nr_threads(m) || !threads[best])
			break;
		t = memprof_thread(m, best);
		snprintf(item, sizeof(item), "%u", t->tid);
		answer_add(a, "threads", item, "%s: %" PRIu64 " sampled accesses", *t->name ? t->name : "?", threads[best]);
		threads[best] = 0;
	}
}

/* The site, as memprof names it, and what its diagnosis says of it. */
static int add_site(struct answer *a, const char *path, uint32_t number)
{
	static const char * const instances[] = { "--instances", "-n", "0", NULL };
	json_t *rows = view_rows("memprof", "objects", path, instances), *row, *found;
	char site[1024] = "";
	size_t i;

	if (!rows)
		return FAILED;
	json_array_foreach(rows, i, row)
		if (json_integer_value(json_object_get(row, "object")) == number &&
		    json_is_integer(json_object_get(row, "object")))
			snprintf(site, sizeof(site), "%s", row_text(row, "site"));
	json_decref(rows);
	answer_add(a, "object", "site", "%s", *site ? site : "not known");
	found = view_rows("memprof", "diagnose", path, NULL);
	if (!found)
		return FAILED;
	answer_findings(a, found, site, 1);
	json_decref(found);
	return OK;
}

static int add_object(struct answer *a, const struct memprof *m, const char *path, uint64_t address)
{
	const struct memprof_object *o;
	struct tally t = { };
	uint64_t *threads;
	uint32_t number = 0;
	size_t others;

	o = find_object(m, address, &number, &others);
	if (!o) {
		answer_add(a, "object", "none", "no sampled object was at this address");
		return OK;
	}
	threads = calloc(memprof_nr_threads(m) + 1, sizeof(*threads));
	if (!threads)
		return complain(FAILED, "no memory left");
	count(m, o, number, address, &t, threads);
	answer_add(a, "mapping", memprof_type_name(o->type), "process %u%s%s", o->pid, *o->path ? ", " : "", o->path);
	answer_add(a, "object", "place", "byte %" PRIu64 " of %" PRIu64 " at 0x%" PRIx64 "%s", address - o->address, o->size, o->address,
		   others ? "; other objects were here at other times" : "");
	answer_add(a, "object", "accesses", "%" PRIu64 " sampled, %" PRIu64 " of them writes, %" PRIu64 " in this page", t.accesses,
		   t.writes, t.on_page);
	add_threads(a, m, threads);
	free(threads);
	add_nodes(a, "accessed from", t.from);
	add_nodes(a, "memory on", t.home);
	return add_site(a, path, number);
}

/**
 * why_address() - what is known about an address of the program
 * @a: gets the rows
 * @r: the recordings
 * @address: the address
 *
 * Return: OK, or FAILED with a message printed.
 */
int why_address(struct answer *a, const struct recordings *r, uint64_t address)
{
	const char *path = recording_of(r, RECORDING_MEMPROF);
	struct memprof *m;
	char error[512];
	int ret;

	if (add_references(a, r, address))
		return FAILED;
	if (!path) {
		answer_add(a, "object", "none", "objects were not recorded");
		return OK;
	}
	m = memprof_open(path, NULL, error, sizeof(error));
	if (!m || memprof_damage(m)) {
		ret = complain(FAILED, "%s", m ? memprof_damage(m) : error);
		memprof_close(m);
		return ret;
	}
	ret = add_object(a, m, path, address);
	memprof_close(m);
	return ret;
}
