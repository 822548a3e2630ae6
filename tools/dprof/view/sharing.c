// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Lines that several CPUs use and at least one writes, within an object and between two. */
#include <stdlib.h>

#include "view.h"

static double sharing_misses(const struct shared_line *s)
{
	return s->misses[0] + s->misses[1];
}

static double alternations(const struct shared_line *s)
{
	return s->turns[0] + s->turns[1];
}

static int by_misses(const void *a, const void *b)
{
	const struct shared_line *x = *(struct shared_line * const *)a;
	const struct shared_line *y = *(struct shared_line * const *)b;

	if (sharing_misses(x) != sharing_misses(y))
		return sharing_misses(x) > sharing_misses(y) ? -1 : 1;
	if (alternations(x) != alternations(y))
		return alternations(x) > alternations(y) ? -1 : 1;
	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->key.type != y->key.type ? x->key.type < y->key.type ? -1 : 1 :
	       x->key.index < y->key.index ? -1 : x->key.index > y->key.index;
}

/*
 * Estimate the gain of removing false sharing: the share of the sampled latency that is saved
 * if the false sharing misses of the line become L1 hits.
 */
static struct cell gain_cell(struct analysis *a, const struct shared_line *s)
{
	/* Samples of hits have no latency; assume that of an L1 hit, in cycles. */
	const double hit = 4;
	const struct tally *t = &a->m.by_index[s->key.type]->sum;
	double all = 0;
	uint32_t i;

	for (i = 0; i < a->m.nr_types; i++) {
		const struct tally *u = &a->m.by_index[i]->sum;

		all += u->latency + (tally_known(u) - u->with_latency) * hit;
	}
	if (!t->with_latency || all <= 0)
		return NONE_CELL;
	return REAL_CELL(100 * s->misses[1] * (tally_latency(t) - hit) / all);
}

/* The access of a line with the most sharing misses by classify(), and the writer it names. */
struct place {
	uint32_t offset;
	uint64_t ip;
	bool has_writer;
	struct sharer writer;
};

static struct place find_place(const struct analysis *a, const struct shared_line *s)
{
	const struct verdict *v = &a->v.verdict[s->top->verdict];
	const struct sharer *w;

	if (sharing_misses(s) > 0)
		return (struct place){
			s->top->key.offset, v->ip, v->has_writer,
			{ v->writer.type, v->writer.offset, v->writer.ip, 0, false },
		};
	w = sharing_writer(&a->shared, s->key.type, s->top->key.offset, s->top->ip,
			   s->top->same >= s->top->other);
	return (struct place){ s->top->key.offset, s->top->ip, w, w ? *w : (struct sharer){ } };
}

/*
 * A writer misses, too, as others read the line between its writes, mostly more often than these,
 * which wait for nothing.  If nobody else writes, the row is of the readers, and names it as the writer.
 */
static struct place turned_around(const struct analysis *a, const struct shared_line *s, struct place p)
{
	const uint32_t from = s->key.index * LINE;
	const struct shared_unit *reader = NULL, *u;
	const struct shared_word *w;
	uint32_t offset;
	bool written;

	w = sharing_written(&a->shared, s->key.type, p.offset, 1, &written);
	if (p.has_writer || !w || !written)
		return p;
	for (offset = from; offset < from + LINE; offset++) {
		u = sharing_of(&a->shared, s->key.type, offset);
		if (u && offset / 8 != p.offset / 8 && u->other > 0 && (!reader || u->samples > reader->samples))
			reader = u;
	}
	if (!reader)
		return p;
	return (struct place){
		reader->key.offset, reader->ip, true, { s->key.type, p.offset, p.ip, w->stores, false },
	};
}

static int add_line(struct analysis *a, const struct shared_line *s, struct table *t)
{
	bool missed = sharing_misses(s) > 0;
	double same = missed ? s->misses[0] : s->turns[0], other = missed ? s->misses[1] : s->turns[1];
	const struct dtype *d = a->m.by_index[s->key.type];
	const struct place top = find_place(a, s), p = other > same ? turned_around(a, s, top) : top;
	char field[256], user[256], writer_field[256], writer[256];

	field_label(a, s->key.type, p.offset, field, sizeof(field));
	place_name(&a->m, &a->l, p.ip, user, sizeof(user));
	if (p.has_writer) {
		field_label(a, p.writer.type, p.writer.offset, writer_field, sizeof(writer_field));
		place_name(&a->m, &a->l, p.writer.ip, writer, sizeof(writer));
	}
	const struct cell row[] = {
		TEXT_CELL(d->name),
		*d->struct_name ? TEXT_CELL(d->struct_name) : NONE_CELL,
		REAL_CELL(s->key.index * LINE),
		TEXT_CELL(field),
		TEXT_CELL(order_is_handed_over(&s->order) ? "handed_over" : same >= other ? "true" : "false"),
		share_cell(other, same + other),
		share_cell(s->other_object, s->samples),
		INT_CELL(s->lines),
		INT_CELL(s->samples),
		INT_CELL(alternations(s) + 0.5),
		tally_known(&d->sum) ? REAL_CELL(sharing_misses(s)) : NONE_CELL,
		TEXT_CELL(user),
		p.has_writer ? TEXT_CELL(a->m.by_index[p.writer.type]->name) : NONE_CELL,
		p.has_writer ? TEXT_CELL(writer_field) : NONE_CELL,
		p.has_writer ? TEXT_CELL(writer) : NONE_CELL,
		gain_cell(a, s),
	};

	return table_add(t, row);
}

/*
 * Show lines with sharing misses, or where samples do not say what missed, lines that go back and
 * forth between CPUs.  One or two may be of a single hand-over, which is not sharing: every system
 * has some, of timers and of the scheduler.
 */
#define AT_LEAST	3

static bool is_shown(const struct analysis *a, const struct shared_line *s)
{
	if (!analysis_selects(a, a->m.by_index[s->key.type]))
		return false;
	/* Misses are sums of shares: round. */
	if (sharing_misses(s) >= AT_LEAST - 0.5)
		return true;
	return !s->known && alternations(s) >= AT_LEAST && !order_is_handed_over(&s->order);
}

const struct columns sharing_columns = COLUMNS(
	{ "type", CELL_TEXT, 0, "", "type of data" },
	{ "struct", CELL_TEXT, 0, "", "C struct of the type", "not known; give --btf or --vmlinux" },
	{ "line_offset_bytes", CELL_REAL, 0, "bytes", "offset of the cache line in the object" },
	{ "field", CELL_TEXT, 0, "",
	  "field of the line with the most sharing misses, or alternations; if these are of the only "
	  "writer, the field that others read" },
	{ "sharing", CELL_TEXT, 0, "",
	  "the more frequent kind: true (the bytes accessed are written by another CPU) or "
	  "false (others of the line); handed_over: CPUs use the lines one after another" },
	{ "false_pct", CELL_REAL, 1, "%",
	  "sharing misses of the line that are false sharing; without misses, alternations",
	  "there is neither" },
	{ "other_object_pct", CELL_REAL, 1, "%",
	  "samples of lines whose other bytes, written by another CPU, belong to another object",
	  "there is no sample" },
	{ "lines", CELL_INT, 0, "lines", "cache lines of objects that were seen shared" },
	{ "samples", CELL_INT, 0, "samples", "sampled accesses of these lines" },
	{ "alternations", CELL_INT, 0, "samples",
	  "samples after a conflicting one of another CPU: it wrote the line since this CPU's last sample, "
	  "or used it before this CPU writes" },
	{ "misses", CELL_REAL, 0, "misses",
	  "misses of the line that dprof report classify attributes to sharing",
	  "samples have no level: alternations decide the order" },
	{ "user", CELL_TEXT, 0, "", "instruction that misses most there" },
	{ "writer_type", CELL_TEXT, 0, "",
	  "type of the data whose write invalidates the line",
	  "no write of another CPU was sampled" },
	{ "writer_field", CELL_TEXT, 0, "", "field that is written", "as writer_type" },
	{ "writer", CELL_TEXT, 0, "", "instruction that writes it", "as writer_type" },
	{ "gain_pct", CELL_REAL, 2, "%",
	  "sampled latency of the recording that would be saved without false sharing of the "
	  "line", "samples have no latency" },
);

int view_sharing(struct analysis *a, struct table *t)
{
	size_t nr = HASH_COUNT(a->shared.lines), n = 0, i;
	struct shared_line **sorted, *s;
	uint32_t shown = 0;
	int ret = 0;

	/* There are no objects of a type to add up then. */
	if (!model_has_types(&a->m))
		return shared_lines(a, t);
	sorted = malloc((nr + 1) * sizeof(*sorted));
	table_init_columns(t, &sharing_columns);
	if (!sorted)
		return -1;
	for (s = a->shared.lines; s; s = s->hh.next)
		sorted[n++] = s;
	qsort(sorted, nr, sizeof(*sorted), by_misses);
	for (i = 0; i < nr && !ret && (!a->top || shown < a->top); i++) {
		if (!is_shown(a, sorted[i]))
			continue;
		ret = add_line(a, sorted[i], t);
		shown++;
	}
	free(sorted);
	return ret;
}
