// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * dprof layout: recommend an order of a struct's members so that operations touch fewer cache
 * lines.
 *
 * An operation is a part of a path trace on one CPU or, for a type without histories, a
 * function.  The order is greedy: each line begins with the most used member, and is filled
 * with the members that are most often used together with those in the line.  Two members are
 * kept in different lines if one CPU writes one and another CPU uses the other in the same
 * trace, or if samples show that the two share a line falsely (layout_sharing.c).  Unused members fill gaps or come last, in their old order.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/output.h"
#include "dprof.h"
#include "layout.h"

static bool uses(const struct operation *o, uint32_t member)
{
	return o->used[member / 64] >> member % 64 & 1;
}

static struct operation *new_operation(struct plan *p, double weight)
{
	struct operation *o;

	if (p->nr_operations == p->capacity) {
		const uint32_t capacity = p->capacity ? 2 * p->capacity : 64;

		o = realloc(p->operation, capacity * sizeof(*o));
		if (!o) {
			p->no_memory = true;
			return NULL;
		}
		p->operation = o;
		p->capacity = capacity;
	}
	o = &p->operation[p->nr_operations++];
	memset(o, 0, sizeof(*o));
	o->weight = weight;
	return o;
}

static void use(struct plan *p, struct operation *o, uint32_t member, bool write)
{
	if (!uses(o, member))
		p->place[member].weight += o->weight;
	o->used[member / 64] |= 1ULL << member % 64;
	p->place[member].written |= write;
}

static void keep_apart(struct plan *p, const struct trace *t)
{
	uint32_t i, k;

	for (i = 0; i < t->nr; i++) {
		for (k = 0; k < t->nr; k++) {
			int a = layout_member_at(p, t->element[i].offset), b = layout_member_at(p, t->element[k].offset);

			if (a >= 0 && b >= 0 && a != b && t->element[i].cpu != t->element[k].cpu &&
			    t->element[i].op & OP_STORE)
				p->apart[a][b] = p->apart[b][a] = 1;
		}
	}
}

static void add_trace(struct plan *p, const struct trace *t)
{
	struct operation *o = NULL;
	uint32_t i;

	for (i = 0; i < t->nr; i++) {
		const struct element *e = &t->element[i];
		int member = layout_member_at(p, e->offset);

		if (!o || e->cpu != t->element[i - 1].cpu)
			o = new_operation(p, t->frequency);
		if (!o)
			return;
		if (member >= 0)
			use(p, o, member, e->op & OP_STORE);
	}
	keep_apart(p, t);
}

/* Add the samples of each function as an operation. */
static void add_samples(struct plan *p, struct analysis *a, const struct dtype *d)
{
	const struct symbol *last = NULL;
	struct operation *o = NULL;
	size_t i;

	for (i = model_sites(&a->m, d->index, 0); i < a->m.nr_sites &&
	     a->m.by_site[i]->key.type == d->index; i++) {
		const struct site *s = a->m.by_site[i];
		const struct symbol *function = symbols_find(&a->m.symbols, s->key.ip);
		int member = layout_member_at(p, s->key.offset % p->layout->size);

		if (member < 0)
			continue;
		/* Sites are sorted by instruction, so those of a function are adjacent. */
		if (!o || !function || function != last)
			o = new_operation(p, 0);
		if (!o)
			return;
		last = function;
		o->weight = s->sum.n > o->weight ? s->sum.n : o->weight;
		use(p, o, member, s->sum.stores);
	}
	/* Sum up the members' weights now: use() ran before the operations' were known. */
	for (i = 0; i < p->nr; i++) {
		uint32_t k;

		p->place[i].weight = 0;
		for (k = 0; k < p->nr_operations; k++)
			if (uses(&p->operation[k], i))
				p->place[i].weight += p->operation[k].weight;
	}
}

static int by_use(const void *a, const void *b)
{
	return memcmp(((const struct operation *)a)->used, ((const struct operation *)b)->used,
		      sizeof(((struct operation *)0)->used));
}

/* Operations that use the same members count as one. */
static void merge(struct plan *p)
{
	uint32_t i, n = 0;

	if (!p->nr_operations)
		return;
	qsort(p->operation, p->nr_operations, sizeof(*p->operation), by_use);
	for (i = 1; i < p->nr_operations; i++) {
		if (by_use(&p->operation[n], &p->operation[i]))
			p->operation[++n] = p->operation[i];
		else
			p->operation[n].weight += p->operation[i].weight;
	}
	p->nr_operations = n + 1;
}

/* Weighted mean of the number of lines that an operation touches. */
static double lines_per_operation(const struct plan *p, bool after)
{
	double lines = 0, weight = 0;
	uint32_t i, k;

	for (k = 0; k < p->nr_operations; k++) {
		uint64_t touched[64] = { };
		uint32_t n = 0, line;

		for (i = 0; i < p->nr; i++) {
			uint32_t at = after ? p->place[i].after : p->place[i].before;

			if (!uses(&p->operation[k], i))
				continue;
			/* Count the first line of a large member: its used part is not known. */
			for (line = at / LINE; line <= (at + (p->place[i].member->size <= LINE ?
				     p->place[i].member->size : 1) - 1) / LINE; line++) {
				if (line >= 64 * 64)
					continue;
				n += !(touched[line / 64] >> line % 64 & 1);
				touched[line / 64] |= 1ULL << line % 64;
			}
		}
		if (!n)
			continue;
		lines += p->operation[k].weight * n;
		weight += p->operation[k].weight;
	}
	return weight > 0 ? lines / weight : 0;
}

/* Total weight of the operations that use both members. */
static double affinity(const struct plan *p, uint32_t a, uint32_t b)
{
	double sum = 0;
	uint32_t k;

	if (p->apart[a][b])
		return -1e30;
	for (k = 0; k < p->nr_operations; k++)
		if (uses(&p->operation[k], a) && uses(&p->operation[k], b))
			sum += p->operation[k].weight;
	return sum;
}

static uint32_t aligned(uint32_t at, uint32_t align)
{
	return (at + align - 1) / align * align;
}

/* Find the member with the highest affinity to those of the line being filled. */
static int next_member(const struct plan *p, const uint32_t *line, uint32_t nr_line, uint32_t at)
{
	double best_score = 0;
	uint32_t i, k;
	int best = -1;

	for (i = 0; i < p->nr; i++) {
		const struct place *c = &p->place[i];
		uint32_t begin = aligned(at, c->align);
		double score = nr_line ? 0 : c->weight;

		if (c->placed || c->weight <= 0)
			continue;
		/* A member that fits in a line must not straddle two. */
		if (nr_line && c->member->size <= LINE && begin / LINE != (begin + c->member->size - 1) / LINE)
			continue;
		if (nr_line && begin / LINE != (at - 1) / LINE)
			continue;
		for (k = 0; k < nr_line; k++)
			score += affinity(p, i, line[k]);
		if (score > best_score) {
			best_score = score;
			best = i;
		}
	}
	return best;
}

static void put(struct plan *p, uint32_t member, uint32_t *at)
{
	struct place *c = &p->place[member];

	*at = aligned(*at, c->align);
	c->after = *at;
	c->placed = true;
	*at += c->member->size;
}

static void arrange(struct plan *p)
{
	uint32_t line[LINE], nr_line, at = 0, i, nr = 0;
	int next;

	for (;;) {
		nr_line = 0;
		while (nr_line < LINE && (next = next_member(p, line, nr_line, at)) >= 0) {
			put(p, next, &at);
			line[nr_line++] = next;
			p->order[nr++] = next;
		}
		if (!nr_line)
			break;
		/* No member has affinity to this line: begin another if used members remain. */
		for (i = 0; i < p->nr && (p->place[i].placed || p->place[i].weight <= 0); i++)
			;
		if (i < p->nr && at % LINE) {
			/* Fill the rest of the line with unused members. */
			for (i = 0; i < p->nr; i++) {
				struct place *c = &p->place[i];
				uint32_t to = aligned(at, c->align);

				if (c->placed || c->weight > 0 || !c->member->size ||
				    to / LINE != at / LINE ||
				    (to + c->member->size - 1) / LINE != at / LINE)
					continue;
				put(p, i, &at);
				p->order[nr++] = i;
				if (!(at % LINE))
					break;
			}
			at = aligned(at, LINE);
		}
	}
	for (i = 0; i < p->nr; i++) {
		if (p->place[i].placed)
			continue;
		put(p, i, &at);
		p->order[nr++] = i;
	}
	p->size = aligned(at, 8);
}

/* The alignment of a member: that of its size, but at most that of its present offset. */
static uint32_t alignment(const struct member *m)
{
	uint32_t align = 8;

	while (align > 1 && (m->size % align || m->offset % align))
		align /= 2;
	return align;
}

static int make_plan(struct plan *p, struct analysis *a, const struct dtype *d)
{
	uint32_t i;
	size_t k;

	for (i = 0; i < p->layout->nr_members; i++) {
		const struct member *m = &p->layout->member[i];
		struct place *c = &p->place[p->nr];

		/* Bit fields that share bytes stay together, under the name of the first. */
		if (p->nr && m->offset < p->place[p->nr - 1].before + p->place[p->nr - 1].member->size &&
		    m->size)
			continue;
		c->member = m;
		c->index = p->nr++;
		c->before = m->offset;
		c->align = alignment(m);
	}
	p->apart = calloc(p->nr + 1, sizeof(*p->apart));
	if (!p->apart)
		return -1;
	for (k = 0; k < a->t.nr; k++)
		if (a->t.trace[k].type == d->index)
			add_trace(p, &a->t.trace[k]);
	if (!p->nr_operations)
		add_samples(p, a, d);
	if (p->no_memory || false_sharing_keep_apart(p, a, d))
		return -1;
	merge(p);
	arrange(p);
	return 0;
}

static int fill(const struct plan *p, struct table *t)
{
	uint32_t i;

	for (i = 0; i < p->nr; i++) {
		const struct place *c = &p->place[p->order[i]];
		const struct cell row[] = {
			TEXT_CELL(c->member->name), INT_CELL(c->member->size),
			INT_CELL(c->before), INT_CELL(c->before / LINE),
			INT_CELL(c->after), INT_CELL(c->after / LINE), REAL_CELL(c->weight),
			TEXT_CELL(!c->weight ? "no" : c->written ? "written" : "read"),
			TEXT_CELL(c->before == c->after ? "" : "moved"),
		};

		if (table_add(t, row))
			return -1;
	}
	return 0;
}

static const struct verb_usage usage = {
	.command = "dprof layout", .operands = "TYPE [FILE] [options]", .min = 1, .max = 2,
	.about = "Recommend an order of the members of a type's C struct, from its path traces or samples "
		 "(" DEFAULT_INPUT ").",
};

static const struct columns layout_columns = COLUMNS(
	{ "member", CELL_TEXT, 0, "",
	  "member of the C struct; bit fields that share bytes go by the first" },
	{ "size_bytes", CELL_INT, 0, "bytes", "its size" },
	{ "offset_now", CELL_INT, 0, "bytes", "its offset today" },
	{ "line_now", CELL_INT, 0, "",
	  "cache line of the struct that it begins in today, counted from 0" },
	{ "offset_then", CELL_INT, 0, "bytes", "its offset in the advised order" },
	{ "line_then", CELL_INT, 0, "", "cache line that it begins in then" },
	{ "weight", CELL_REAL, 3, "", "frequency of its accesses in the paths or samples" },
	{ "used", CELL_TEXT, 0, "", "written, read, or no: in the recording" },
	{ "change", CELL_TEXT, 0, "", "moved: its offset changes" },
);

static int advise(struct analysis *a, const char *path, const struct output *output)
{
	const struct dtype *d = a->only;
	struct plan *p = calloc(1, sizeof(*p));
	double before, after;
	struct table table;
	struct outfile out;
	int ret = OK;

	if (!p)
		return complain(FAILED, "out of memory");
	table_init_columns(&table, &layout_columns);
	p->layout = *d->struct_name ? layouts_find(&a->l, d->struct_name) : NULL;
	if (!p->layout || !p->layout->nr_members) {
		ret = complain(FAILED, "%s: C struct of %s not found: give --btf or --vmlinux", path,
			       d->name);
	} else if (p->layout->nr_members > MAX_MEMBERS) {
		ret = complain(FAILED, "%s: struct %s has %zu members, and an order of at most %d can be advised",
			       path, p->layout->name, p->layout->nr_members, MAX_MEMBERS);
	} else if (make_plan(p, a, d) || fill(p, &table)) {
		ret = complain(FAILED, "out of memory");
	} else if (!p->nr_operations) {
		ret = complain(FAILED, "%s: no accesses to %s in the recording", path, d->name);
	} else if (outfile_open(&out, output->path)) {
		ret = FAILED;
	} else {
		before = lines_per_operation(p, false);
		after = lines_per_operation(p, true);
		if (output->format == TABLE_TEXT)
			fprintf(out.f, "struct %s: %u bytes now, %u then; cache lines per operation "
				"%.2f now, %.2f then (%.1f %% saved)\n", p->layout->name,
				p->layout->size, p->size, before, after,
				before > 0 ? 100 * (before - after) / before : 0.0);
		if (output->format == TABLE_TEXT && false_sharing_predict(p, a, d, &before, &after))
			fprintf(out.f, "false sharing: %.1f %% of the samples now, %.1f %% then (%.1f %% saved)\n",
				100 * before, 100 * after, 100 * (before - after) / before);
		ret = outfile_close(&out, table_print(&table, output->format, out.f));
	}
	table_free(&table);
	free(p->operation);
	free(p->apart);
	free(p);
	return ret;
}

int cmd_layout(int argc, char **argv)
{
	struct output output = { };
	const char *path;
	struct analysis a;
	const struct opt options[] = {
		OUTPUT_OPTIONS(&output), ANALYSIS_LEVEL_OPTION(&a), ANALYSIS_SIM_OPTIONS(&a),
		ANALYSIS_SAMPLES_OPTIONS(&a), ANALYSIS_FILES_OPTIONS(&a), { }
	};
	int ret;

	analysis_init(&a);
	argv += options_parse(&usage, options, argc, argv);
	if (output.explain)
		return output_explain(&output, &layout_columns);
	a.type = argv[0];
	path = recording_path(argv[1]);
	if (!path)
		return FAILED;
	ret = analysis_load(&a, path, NEED_VERDICTS);
	if (a.m.events && analysis_matches_operand(&a, path))
		ret = FAILED;
	else if (a.m.events && !a.t.nr && analysis_lacks_hits(&a))
		ret = complain(FAILED, "%s: %s", path, analysis_lacks_hits(&a));
	else if (a.m.events && advise(&a, path, &output))
		ret = FAILED;
	analysis_free(&a);
	return ret;
}
