// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Cache lines, each by itself, as perf c2c has them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

/* Samples of a line: @use[0] to @use[@nr - 1]; and what they add up to. */
struct line {
	struct use **use;
	size_t nr;
	uint64_t n, known, loads, stores, turns, peer, hitm, remote_hitm, latency, with_latency, phys;
	uint32_t cpus;
};

static void add_up(struct line *l)
{
	uint32_t k;
	size_t i;

	for (i = 0; i < l->nr; i++) {
		const struct use *u = l->use[i];

		for (k = 0; k < u->nr_units; k++)
			l->turns += u->unit[k].turns;
		l->n += u->n;
		l->known += u->known;
		l->loads += u->loads;
		l->stores += u->stores;
		l->peer += u->peer;
		l->hitm += u->modified;
		l->remote_hitm += u->far_modified;
		l->latency += u->latency;
		l->with_latency += u->with_latency;
		l->phys = l->phys ? l->phys : u->phys;
		/* Sorted by CPU. */
		l->cpus += u->key.cpu >= 0 && (!i || l->use[i - 1]->key.cpu != u->key.cpu);
	}
}

/* Where samples do not say where their data were, a line has to go back and forth. */
static bool is_shared(const struct line *l)
{
	return l->hitm || l->peer || (!l->known && l->turns >= 2);
}

static bool is_selected(const struct analysis *a, const struct line *l)
{
	size_t i;

	for (i = 0; i < l->nr; i++)
		if (analysis_selects(a, a->m.by_index[l->use[i]->key.type]))
			return true;
	return false;
}

/* Sharing is true where a CPU accesses what another writes, and false where none does. */
static const char *kind_of_sharing(const struct line *l)
{
	size_t i, k;

	for (i = 0; i < l->nr; i++)
		for (k = 0; k < l->nr; k++)
			if (l->use[i]->key.cpu != l->use[k]->key.cpu &&
			    l->use[i]->written & (l->use[k]->read | l->use[k]->written))
				return "true";
	return l->cpus < 2 ? "none" : l->stores ? "false" : "reads";
}

/* Where in the line accesses begin, as 0,8,56. */
static void list_offsets(const struct line *l, char *buf, size_t size)
{
	uint64_t begin = 0;
	size_t i, n = 0;
	uint32_t k;

	for (i = 0; i < l->nr; i++)
		for (k = 0; k < l->use[i]->nr_units; k++)
			begin |= 1ULL << l->use[i]->unit[k].first;
	for (i = 0; i < LINE; i++)
		if (begin >> i & 1)
			n += snprintf(buf + n, size - n, "%s%zu", n ? "," : "", i);
}

/* The instruction with the most samples, or with the most stores; 0: none. */
static uint64_t top_ip(const struct line *l, bool stores)
{
	uint64_t best = 0, ip = 0;
	size_t i;
	uint32_t k;

	for (i = 0; i < l->nr; i++)
		for (k = 0; k < l->use[i]->nr_units; k++) {
			const struct unit *unit = &l->use[i]->unit[k];
			const uint64_t n = stores ? unit->stores : unit->n;

			if (n > best) {
				best = n;
				ip = unit->ip;
			}
		}
	return ip;
}

static const struct use *top_use(const struct line *l)
{
	const struct use *best = l->use[0];
	size_t i;

	for (i = 1; i < l->nr; i++)
		if (l->use[i]->n > best->n)
			best = l->use[i];
	return best;
}

static int add_line(struct analysis *a, const struct line *l, struct table *t)
{
	const struct use *u = top_use(l);
	const uint64_t begin = u->key.line * LINE, writer_ip = top_ip(l, true);
	char line[24], phys[24], offsets[3 * LINE + 1], user[256], writer[256];

	snprintf(line, sizeof(line), "0x%" PRIx64, u->addr);
	snprintf(phys, sizeof(phys), "0x%" PRIx64, l->phys);
	list_offsets(l, offsets, sizeof(offsets));
	place_name(&a->m, &a->l, top_ip(l, false), user, sizeof(user));
	place_name(&a->m, &a->l, writer_ip, writer, sizeof(writer));
	const struct cell row[] = {
		TEXT_CELL(line), l->phys ? TEXT_CELL(phys) : NONE_CELL,
		TEXT_CELL(a->m.by_index[u->key.type]->name),
		INT_CELL(begin > u->key.base ? begin - u->key.base : 0),
		INT_CELL(l->n), share_cell(l->n, a->m.samples), INT_CELL(l->loads), INT_CELL(l->stores),
		l->cpus ? INT_CELL(l->cpus) : NONE_CELL,
		l->cpus ? INT_CELL(l->turns) : NONE_CELL, TEXT_CELL(offsets),
		l->cpus ? TEXT_CELL(kind_of_sharing(l)) : NONE_CELL,
		INT_CELL(l->peer), INT_CELL(l->hitm), INT_CELL(l->remote_hitm),
		l->with_latency ? REAL_CELL((double)l->latency / l->with_latency) : NONE_CELL,
		TEXT_CELL(user), writer_ip ? TEXT_CELL(writer) : NONE_CELL,
	};

	return table_add(t, row);
}

static int by_samples(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return x->use < y->use ? -1 : x->use > y->use;
}

static int by_hitm(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->hitm != y->hitm)
		return x->hitm > y->hitm ? -1 : 1;
	return by_samples(a, b);
}

const struct columns lines_columns = COLUMNS(
	{ "line", CELL_TEXT, 0, "", "address of the cache line of 64 bytes" },
	{ "physical", CELL_TEXT, 0, "", "physical address of the line", "no sample has it" },
	{ "type", CELL_TEXT, 0, "", "type of data with the most samples in the line" },
	{ "line_offset_bytes", CELL_INT, 0, "bytes",
	  "offset of the line in its object; 0 if the object begins in it" },
	{ "samples", CELL_INT, 0, "samples", "sampled accesses of the line" },
	{ "samples_pct", CELL_REAL, 2, "%", "these, of all samples" },
	ACCESS_COLUMNS,
	{ "cpus", CELL_INT, 0, "CPUs",
	  "CPUs with samples of the line", "the samples have no CPU" },
	{ "alternations", CELL_INT, 0, "samples",
	  "samples after a conflicting one of another CPU: it wrote the line since this CPU's last sample, "
	  "or used it before this CPU writes", "the samples have no CPU" },
	{ "offsets", CELL_TEXT, 0, "bytes",
	  "offsets in the line where accesses begin, separated by commas" },
	{ "sharing", CELL_TEXT, 0, "",
	  "true: a CPU accesses a byte that another writes; false: only other bytes are "
	  "written; reads: nobody writes; none: one CPU", "the samples have no CPU" },
	{ "peer", CELL_INT, 0, "samples", "accesses whose data were in another CPU's cache" },
	{ "hitm", CELL_INT, 0, "samples",
	  "accesses that found the line modified in another CPU's cache" },
	{ "remote_hitm", CELL_INT, 0, "samples", "of these, in a cache of another NUMA node" },
	LATENCY_COLUMN,
	{ "user", CELL_TEXT, 0, "", "instruction with the most samples" },
	{ "writer", CELL_TEXT, 0, "",
	  "instruction with the most stores", "no store was sampled" },
);

static int make(struct analysis *a, bool shared, struct table *t)
{
	size_t nr, from, to, n = 0, i;
	struct use **use = uses_by_line(&a->m, &nr);
	struct line *lines = calloc(nr + 1, sizeof(*lines));
	int ret = use && lines ? 0 : -1;

	table_init_columns(t, &lines_columns);
	for (from = 0; from < nr && !ret; from = to) {
		for (to = from; to < nr && uses_same_line(use[to], use[from]); to++)
			;
		lines[n] = (struct line){ .use = use + from, .nr = to - from };
		add_up(&lines[n]);
		if ((!shared || is_shared(&lines[n])) && is_selected(a, &lines[n]))
			n++;
	}
	if (n)
		qsort(lines, n, sizeof(*lines), shared ? by_hitm : by_samples);
	for (i = 0; i < n && !ret && (!a->top || i < a->top); i++)
		ret = add_line(a, &lines[i], t);
	free(lines);
	free(use);
	return ret;
}

/**
 * shared_lines() - the lines that several CPUs use and one writes, those found modified first
 * @a: the analysis
 * @t: gets a row for each
 *
 * Return: 0, or -1 without memory.
 */
int shared_lines(struct analysis *a, struct table *t)
{
	return make(a, true, t);
}

int view_lines(struct analysis *a, struct table *t)
{
	return make(a, false, t);
}
