// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* Cache lines that several threads access: which thread reads and writes which bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memprof/names/hash.h"
#include "view.h"

#define LINE	64

/* Accesses of a thread to a line. */
struct user {
	uint32_t thread;
	uint64_t touched, written;	/* bytes of the line, a bit each: the first one of each access */
	struct user *next;
};

struct line {
	struct { uint64_t address; uint32_t pid, pad; } key;
	uint32_t object, users;
	uint64_t offset, accesses, reads, writes, hitm, latencies, latency, nodes;
	uint64_t cpus[64];		/* a bit each */
	struct user *by_user;
	UT_hash_handle hh;
};

static int by_sharing(struct line *a, struct line *b)
{
	if (a->hitm != b->hitm)
		return a->hitm < b->hitm ? 1 : -1;
	if ((a->users > 1) != (b->users > 1))
		return a->users > 1 ? -1 : 1;
	if (a->accesses != b->accesses)
		return a->accesses < b->accesses ? 1 : -1;
	return a->key.address < b->key.address ? -1 : a->key.address > b->key.address;
}

static struct user *find_user(struct line *l, uint32_t thread)
{
	struct user *u;

	for (u = l->by_user; u; u = u->next)
		if (u->thread == thread)
			return u;
	u = calloc(1, sizeof(*u));
	if (u) {
		u->thread = thread;
		u->next = l->by_user;
		l->by_user = u;
		l->users++;
	}
	return u;
}

static int add_access(struct line **lines, const struct memprof *m, const struct memprof_access *a)
{
	const struct memprof_object *o = memprof_object(m, a->object);
	const uint64_t address = a->address, bit = UINT64_C(1) << address % LINE;
	struct line *l, key = { .key = { .address = address / LINE * LINE, .pid = o->pid } };
	struct user *u;

	HASH_FIND(hh, *lines, &key.key, sizeof(key.key), l);
	if (!l) {
		l = calloc(1, sizeof(*l));
		if (!l)
			return -1;
		l->key = key.key;
		l->object = a->object;
		l->offset = a->offset - (a->offset < address % LINE ? a->offset : address % LINE);
		HASH_ADD(hh, *lines, key, sizeof(l->key), l);
		if (!l->hh.tbl) {
			free(l);
			return -1;
		}
	}
	u = find_user(l, a->thread);
	if (!u)
		return -1;
	u->touched |= bit;
	if (a->write)
		u->written |= bit;
	l->accesses++;
	l->reads += a->read;
	l->writes += a->write;
	l->hitm += a->hitm;
	l->latencies += !!a->latency;
	l->latency += a->latency;
	l->cpus[a->cpu / 64 % 64] |= UINT64_C(1) << a->cpu % 64;
	if (a->node >= 0 && a->node < 64)
		l->nodes |= UINT64_C(1) << a->node;
	return 0;
}

/* Sharing is true where a thread accesses what another writes, and false where none does. */
static const char *sharing_of(const struct line *l)
{
	const struct user *a, *b;
	bool written = false;

	if (l->users < 2)
		return "none";
	for (a = l->by_user; a; a = a->next) {
		written |= a->written;
		for (b = l->by_user; b; b = b->next)
			if (a != b && a->written & b->touched)
				return "true";
	}
	return written ? "false" : "reads";
}

static unsigned int count_bits(const uint64_t *words, unsigned int n)
{
	unsigned int bits = 0;

	while (n--)
		bits += __builtin_popcountll(*words++);
	return bits;
}

static int add_row(struct memprof *m, struct table *t, const struct line *l, uint64_t all)
{
	char address[24], site[1024];

	snprintf(address, sizeof(address), "0x%lx", (unsigned long)l->key.address);
	if (memprof_site_text(memprof_object_site(m, l->object), site, sizeof(site)))
		return -1;
	return table_add(t, (struct cell[]){
		TEXT_CELL(address), INT_CELL(l->key.pid), INT_CELL(l->accesses),
		REAL_CELL(100.0 * l->accesses / all), INT_CELL(l->reads), INT_CELL(l->writes),
		TEXT_CELL(sharing_of(l)), INT_CELL(l->users), INT_CELL(count_bits(l->cpus, 64)),
		INT_CELL(count_bits(&l->nodes, 1)), INT_CELL(l->hitm),
		l->latencies ? REAL_CELL((double)l->latency / l->latencies) : NONE_CELL,
		INT_CELL(l->object), INT_CELL(l->offset), TEXT_CELL(site) });
}

static void free_lines(struct line *lines)
{
	struct line *l, *next;
	struct user *u;

	HASH_ITER(hh, lines, l, next) {
		HASH_DEL(lines, l);
		while ((u = l->by_user)) {
			l->by_user = u->next;
			free(u);
		}
		free(l);
	}
}

const struct columns lines_columns = COLUMNS(
	{ "line", CELL_TEXT, 0, "", "virtual address of the cache line of 64 bytes" },
	{ "pid", CELL_INT, 0, "", "process" },
	{ "accesses", CELL_INT, 0, "samples", "sampled accesses of the line, caches included" },
	{ "share_pct", CELL_REAL, 2, "%", "these, of all accesses" },
	{ "reads", CELL_INT, 0, "samples", "of these, reads" },
	{ "writes", CELL_INT, 0, "samples",
	  "of these, writes; a read-modify-write counts in both" },
	{ "sharing", CELL_TEXT, 0, "",
	  "true: a thread accesses a byte that another writes; false: only other bytes are "
	  "written; reads: nobody writes; none: one thread" },
	{ "threads", CELL_INT, 0, "threads", "threads that accessed the line" },
	{ "cpus", CELL_INT, 0, "CPUs", "CPUs that they ran on" },
	{ "nodes", CELL_INT, 0, "nodes", "nodes of these CPUs" },
	{ "hitm", CELL_INT, 0, "samples",
	  "accesses that found the line modified in another CPU's cache" },
	{ "latency_cycles", CELL_REAL, 0, "cycles",
	  "mean latency of the accesses that have one", "none has one" },
	{ "object", CELL_INT, 0, "", "number of the object in the line, for --object" },
	{ "offset", CELL_INT, 0, "bytes",
	  "offset of the line in the object; 0 if the object begins in it" },
	{ "site", CELL_TEXT, 0, "", "where the object is allocated" },
);

int view_lines(struct memprof *m, const struct view_options *o, struct table *t)
{
	struct line *lines = NULL, *l;
	struct memprof_access a;
	size_t n = 0, i;
	int bad = 0;

	table_init_columns(t, &lines_columns);
	for (i = 0; i < memprof_nr_accesses(m) && !bad; i++) {
		memprof_access(m, i, &a);
		bad = add_access(&lines, m, &a);
	}
	HASH_SORT(lines, by_sharing);
	for (l = lines; l && !bad; l = l->hh.next) {
		if (!o->all && l->users < 2)
			continue;
		if (o->top && n++ >= o->top)
			break;
		bad = add_row(m, t, l, memprof_nr_accesses(m));
	}
	free_lines(lines);
	return bad;
}
