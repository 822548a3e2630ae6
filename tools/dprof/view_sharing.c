// SPDX-License-Identifier: GPL-2.0
/* Lines that several CPUs use and one writes, within an object and between two. */
#include <stdlib.h>

#include "view.h"

static int by_misses(const void *a, const void *b)
{
	const struct shared_line *x = *(struct shared_line * const *)a;
	const struct shared_line *y = *(struct shared_line * const *)b;

	if (x->misses != y->misses)
		return x->misses > y->misses ? -1 : 1;
	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->key.type != y->key.type ? x->key.type < y->key.type ? -1 : 1 :
	       x->key.index < y->key.index ? -1 : x->key.index > y->key.index;
}

/*
 * What removing the sharing would save: misses of the line would be hits, at the
 * latency of a hit of the level, of all latency that was sampled.
 */
static struct cell gain_cell(struct analysis *a, const struct shared_line *s, double false_share)
{
	/* Hits have no latency in samples: that of an L1. */
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
	return REAL_CELL(100 * s->misses * false_share * (tally_latency(t) - hit) / all);
}

static int add_line(struct analysis *a, const struct shared_line *s, struct table *t)
{
	char field[256], user[256], writer_field[256], writer[256];
	int32_t offset = s->key.index * LINE;
	double same = 0, other = 0;
	int i, first = -1;

	for (i = 0; i < LINE; i++) {
		same += s->same[i];
		other += s->other[i];
		if (first < 0 && s->same[i] + s->other[i] > 0)
			first = i;
	}
	field_label(a, s->key.type, offset + (first > 0 ? first : 0), field, sizeof(field));
	field_label(a, s->writer[0].type, s->writer[0].offset, writer_field, sizeof(writer_field));
	place_name(&a->m, &a->l, s->ip, user, sizeof(user));
	place_name(&a->m, &a->l, s->writer[0].ip, writer, sizeof(writer));
	const struct cell row[] = {
		TEXT_CELL(a->m.by_index[s->key.type]->name),
		REAL_CELL(offset),
		TEXT_CELL(field),
		TEXT_CELL(same >= other ? "true" : "false"),
		share_cell(other, same + other),
		share_cell(s->other_object, s->samples),
		INT_CELL(s->lines),
		INT_CELL(s->samples),
		tally_known(&a->m.by_index[s->key.type]->sum) ? INT_CELL(s->misses) : NONE_CELL,
		TEXT_CELL(user),
		TEXT_CELL(a->m.by_index[s->writer[0].type]->name),
		TEXT_CELL(writer_field),
		TEXT_CELL(writer),
		gain_cell(a, s, other / (same + other)),
	};

	return table_add(t, row);
}

int view_sharing(struct analysis *a, struct table *t)
{
	static const struct column columns[] = {
		{ "type", CELL_TEXT, 0 }, { "line_offset_bytes", CELL_REAL, 0 },
		{ "field", CELL_TEXT, 0 }, { "sharing", CELL_TEXT, 0 },
		{ "false_pct", CELL_REAL, 1 }, { "other_object_pct", CELL_REAL, 1 },
		{ "lines", CELL_INT, 0 }, { "samples", CELL_INT, 0 }, { "misses", CELL_INT, 0 },
		{ "user", CELL_TEXT, 0 }, { "writer_type", CELL_TEXT, 0 },
		{ "writer_field", CELL_TEXT, 0 }, { "writer", CELL_TEXT, 0 },
		{ "gain_pct", CELL_REAL, 2 },
	};
	size_t nr = HASH_COUNT(a->shared.lines), n = 0, i;
	struct shared_line **sorted = malloc((nr + 1) * sizeof(*sorted)), *s;
	uint32_t shown = 0;
	int ret = 0;

	table_init(t, columns, NR(columns));
	if (!sorted)
		return -1;
	for (s = a->shared.lines; s; s = s->hh.next)
		sorted[n++] = s;
	qsort(sorted, nr, sizeof(*sorted), by_misses);
	for (i = 0; i < nr && !ret && (!a->top || shown < a->top); i++) {
		if (!analysis_wants(a, a->m.by_index[sorted[i]->key.type]))
			continue;
		ret = add_line(a, sorted[i], t);
		shown++;
	}
	free(sorted);
	return ret;
}
