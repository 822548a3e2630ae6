// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Classifies misses, in two ways.
 *
 * By the paper's heuristic: a miss in a path trace is an invalidation miss if an earlier
 * access of the trace is a write of another CPU to the same bytes (true sharing) or to the
 * same line (false sharing).  Else it is a conflict miss if its associativity set holds more
 * lines than it has ways and more than twice the average, else a capacity miss.
 *
 * By samples and simulation: a hit in another CPU's cache, or a claim (see claims.c), is an
 * invalidation miss, even if no trace shows the write.  If no trace does, the sampled writes
 * of other CPUs to the line distinguish true from false sharing.  The remaining misses are
 * conflict or capacity misses, and those by sharing are capacity misses if the line was lost
 * before the other CPU wrote: how many are follows from how often lines are in use
 * (residence.c).  Where that is not known, or there are traces, the remaining misses are
 * divided as the simulation classifies the misses of the same access: by comparison with a
 * fully associative cache of the same size (Hill's conflicts) and by coherence.
 */
#include <stdlib.h>
#include <string.h>

#include "classify.h"

/* Results of traces and simulation for an instruction at an offset. */
struct opinion {
	double sim[NR_OUTCOMES], paper[NR_OUTCOMES];
	struct actor writer;
	double writer_misses;
	const struct element *before;	/* the write that the paper's search finds */
	double before_frequency;
};

static bool overlap(int64_t a, uint32_t a_len, int64_t b, uint32_t b_len)
{
	return a < b + (b_len ? b_len : 1) && b < a + (a_len ? a_len : 1);
}

/* An access of unknown kind may be a write. */
static bool may_write(const struct element *e)
{
	return !e->op || e->op & OP_STORE;
}

/* The line of an access, assuming that the object is aligned to a line. */
static int32_t line_of(const struct element *e)
{
	return e->offset >> 6;
}

/*
 * Find the last write of another CPU before an access of a trace: to the accessed bytes, or
 * if there is none, to the line.
 */
static ssize_t write_before(const struct trace *t, uint32_t i, bool *same)
{
	const struct element *e = &t->element[i], *w;
	ssize_t found = -1;
	uint32_t k;

	*same = false;
	for (k = i; k-- > 0; ) {
		w = &t->element[k];
		if (w->cpu == e->cpu || !may_write(w) || line_of(w) != line_of(e))
			continue;
		if (overlap(w->offset, w->len, e->offset, e->len)) {
			*same = true;
			return k;
		}
		if (found < 0)
			found = k;
	}
	return found;
}

/*
 * The share of a type's lines in crowded sets: those with more lines than ways and more than
 * twice the average.
 */
static double crowded(const struct sim *s, uint32_t type)
{
	uint64_t sum = 0, lines = 0, bad = 0;
	const struct sim_seen *l;
	uint32_t i;

	for (i = 0; i < s->sets; i++)
		sum += s->set_lines[i];
	for (l = s->lines; l; l = l->hh.next) {
		uint64_t n = s->set_lines[l->key.set];

		if (l->key.type != type)
			continue;
		lines++;
		bad += n > s->options.geometry.ways && n * s->sets > 2 * sum;
	}
	return lines ? (double)bad / lines : 0;
}

static void paper_opinion(const struct trace *t, uint32_t i, double crowd, struct opinion *o)
{
	double weight = t->frequency;
	ssize_t before;
	bool same;

	before = write_before(t, i, &same);
	if (before < 0) {
		o->paper[MISS_CONFLICT] += weight * crowd;
		o->paper[MISS_CAPACITY] += weight * (1 - crowd);
		return;
	}
	o->paper[same ? MISS_TRUE : MISS_FALSE] += weight;
	if (weight > o->before_frequency) {
		o->before_frequency = weight;
		o->before = &t->element[before];
	}
}

/* Find the write that causes most of the sharing misses of an access. */
static const struct sim_pair *top_pair(const struct sim *s, uint32_t trace, uint32_t element)
{
	const struct sim_pair *p, *best = NULL;

	for (p = s->pairs; p; p = p->hh.next)
		if (p->key.victim.trace == trace && p->key.victim.element == element &&
		    (!best || p->count > best->count))
			best = p;
	return best;
}

static void form_opinion(const struct sim *s, const struct trace *t, uint32_t trace, uint32_t i,
			 double crowd, struct opinion *o)
{
	const struct sim_sum *sum = &s->element[trace][i];
	const struct sim_pair *pair = NULL;
	int k;

	for (k = 0; k < NR_OUTCOMES; k++)
		o->sim[k] += sum->outcome[k];
	paper_opinion(t, i, crowd, o);
	if (sum->outcome[MISS_TRUE] || sum->outcome[MISS_FALSE])
		pair = top_pair(s, trace, i);
	if (pair && pair->count > o->writer_misses) {
		o->writer_misses = pair->count;
		o->writer = pair->key.writer;
	}
}

static struct verdict *add_verdict(struct verdicts *v)
{
	if (v->nr == v->capacity) {
		size_t capacity = v->capacity * 2 + 256;
		struct verdict *grown = realloc(v->verdict, capacity * sizeof(*grown));

		if (!grown)
			return NULL;
		v->verdict = grown;
		v->capacity = capacity;
	}
	memset(&v->verdict[v->nr], 0, sizeof(*v->verdict));
	return &v->verdict[v->nr++];
}

static double sim_misses(const double sim[NR_OUTCOMES])
{
	double n = 0;
	int k;

	for (k = HIT + 1; k < NR_OUTCOMES; k++)
		n += sim[k];
	return n;
}

static void spread(double to[NR_OUTCOMES], const double by[NR_OUTCOMES], double amount)
{
	double sum = sim_misses(by);
	int k;

	for (k = HIT + 1; k < NR_OUTCOMES; k++)
		to[k] += amount * by[k] / sum;
}

/*
 * Spread misses that the CPU's own next level served.  No other CPU invalidated the line, so
 * they are conflict or capacity misses.
 */
static void spread_replaced(double to[NR_OUTCOMES], const double by[NR_OUTCOMES], double amount)
{
	double replaced = by[MISS_CONFLICT] + by[MISS_CAPACITY];

	if (replaced <= 0) {
		to[MISS_CAPACITY] += amount;
		return;
	}
	to[MISS_CONFLICT] += amount * by[MISS_CONFLICT] / replaced;
	to[MISS_CAPACITY] += amount * by[MISS_CAPACITY] / replaced;
}

/* Name the writer: from the simulation, else the trace, else the samples of the line. */
static void name_writer(struct verdict *v, const struct traces *t, const struct opinion *o,
			const struct sharing *shared, const struct shared_word *word)
{
	const struct element *e = o->before;
	double sharing = v->ours[MISS_TRUE] + v->ours[MISS_FALSE];
	const struct sharer *w;

	if (sharing <= 0)
		return;
	v->writer.misses = sharing;
	if (o->writer_misses && o->writer.trace != NO_TRACE)
		e = &t->trace[o->writer.trace].element[o->writer.element];
	if (e) {
		v->has_writer = true;
		v->writer.type = e->type;
		v->writer.offset = e->offset;
		v->writer.ip = e->ip;
	} else if (!word) {
		w = sharing_writer(shared, v->type, v->offset, v->ip,
				   v->ours[MISS_TRUE] >= v->ours[MISS_FALSE]);
		if (!w)
			return;
		v->has_writer = true;
		v->writer.type = w->type;
		v->writer.offset = w->offset;
		v->writer.ip = w->ip;
	} else {
		v->writer.type = v->type;
		v->writer.offset = word->key.index * 8;
		v->writer.ip = sharing_word_writer(word, v->ip);
		v->has_writer = v->writer.ip;
	}
}

/*
 * Misses of a type by class, from the simulation.  Accesses replayed from samples are in
 * random order, so a comparison of a set-associative with a fully associative cache access
 * by access is noise.  For these types, conflict misses are the difference of the two caches'
 * total misses, as Hill defines them for a whole program.
 */
static void type_outcomes(const struct sim_type *t, double by[NR_OUTCOMES])
{
	double replaced, more;
	int k;

	for (k = 0; k < NR_OUTCOMES; k++)
		by[k] = t->sum.outcome[k];
	if (t->has_traces)
		return;
	replaced = by[MISS_CONFLICT] + by[MISS_CAPACITY];
	more = replaced - t->sum.full_misses;
	by[MISS_CONFLICT] = more > 0 ? more : 0;
	by[MISS_CAPACITY] = replaced - by[MISS_CONFLICT];
}

struct work {
	struct model *m;
	const struct traces *t;
	const struct sim *s;
	const struct residence *r;
	struct sharing *shared;
	enum level level;
	struct opinion *opinion;	/* by site, as in by_site */
	double *crowd;			/* by type */
	struct verdicts *v;
};

/* L1 misses of loads that the CPU's own L2 served, or whose fill was in progress. */
static double own_next(const struct tally *t, enum level level)
{
	return level == LEVEL_L1 ? t->level[LEVEL_LFB] + t->level[LEVEL_L2] - t->l2_stores : 0;
}

/*
 * Divide misses of sharing, and @rest, those of the CPU itself, by how long lines stay in the cache.
 * Return false if that is not known.
 */
static bool judge_by_residence(const struct work *w, const struct site *site, double rest, double ours[NR_OUTCOMES])
{
	const double shared = ours[MISS_TRUE] + ours[MISS_FALSE];
	double own, other;

	if (!residence_outlived(w->r, site->key.type, site->key.offset, &own, &other))
		return false;
	ours[MISS_TRUE] *= 1 - other;
	ours[MISS_FALSE] *= 1 - other;
	ours[MISS_CAPACITY] += shared * other + rest * own;
	ours[MISS_CONFLICT] += rest * (1 - own);
	return true;
}

/* Divide the misses that no other CPU caused as the simulation does. */
static void judge_by_simulation(const struct work *w, const struct site *site, const double sim[NR_OUTCOMES],
				double own, double rest, double ours[NR_OUTCOMES])
{
	double by_type[NR_OUTCOMES];
	const double *replaced = sim;

	type_outcomes(&w->s->type[site->key.type], by_type);
	if (replaced[MISS_CONFLICT] + replaced[MISS_CAPACITY] <= 0)
		replaced = by_type;
	spread_replaced(ours, replaced, own);
	if (sim_misses(sim) > 0)
		spread(ours, sim, rest);
	else if (sim_misses(by_type) > 0)
		spread(ours, by_type, rest);
	else
		ours[MISS_CAPACITY] += rest;
}

/* Classify the sampled misses of a site. */
static int judge_site(struct work *w, size_t i)
{
	const struct site *site = w->m->by_site[i];
	const struct opinion *o = &w->opinion[i];
	const struct shared_unit *unit = sharing_of(w->shared, site->key.type, site->key.offset);
	double misses = tally_judged_misses(&site->sum, w->level), peer = site->sum.level[LEVEL_PEER];
	double claimed = w->level < LEVEL_L3 ? site->claimed : 0, claimed_same;
	double shared = o->sim[MISS_TRUE] + o->sim[MISS_FALSE], same;
	const struct shared_word *word = NULL;
	double own = own_next(&site->sum, w->level), rest = misses - peer - claimed - own;
	struct verdict *v;
	bool written;

	if (misses <= 0)
		return 0;
	v = add_verdict(w->v);
	if (!v)
		return -1;
	v->type = site->key.type;
	v->offset = site->key.offset;
	v->width = site->width;
	v->ip = site->key.ip;
	v->misses = misses;
	v->latency = site->sum.latency;
	if (sim_misses(o->paper) > 0) {
		v->paper_misses = misses;
		spread(v->paper, o->paper, misses);
	}

	if (shared > 0) {
		same = o->sim[MISS_TRUE] / shared;
	} else if (o->before) {
		same = o->paper[MISS_TRUE] / (o->paper[MISS_TRUE] + o->paper[MISS_FALSE]);
	} else if (!sharing_share(unit, &same)) {
		word = sharing_written(w->shared, v->type, v->offset, v->width, &written);
		same = !word || written;
	}
	if (shared > 0 || o->before || !sharing_share_claimed(unit, &claimed_same))
		claimed_same = same;
	v->ours[MISS_TRUE] += peer * same + claimed * claimed_same;
	v->ours[MISS_FALSE] += peer * (1 - same) + claimed * (1 - claimed_same);

	if (sim_misses(o->sim) > 0 || !judge_by_residence(w, site, own + rest, v->ours))
		judge_by_simulation(w, site, o->sim, own, rest, v->ours);
	name_writer(v, w->t, o, w->shared, word);
	return 0;
}

/* Classify the simulated misses of an element; used if samples have no levels. */
static int judge_element(struct work *w, uint32_t trace, uint32_t i)
{
	const struct trace *t = &w->t->trace[trace];
	struct opinion o = { };
	struct verdict *v;

	form_opinion(w->s, t, trace, i, w->crowd[t->type], &o);
	if (sim_misses(o.sim) <= 0)
		return 0;
	v = add_verdict(w->v);
	if (!v)
		return -1;
	v->type = t->element[i].type;
	v->offset = t->element[i].offset;
	v->width = t->element[i].len;
	v->ip = t->element[i].ip;
	v->misses = v->paper_misses = sim_misses(o.sim);
	spread(v->ours, o.sim, v->misses);
	spread(v->paper, o.paper, v->misses);
	name_writer(v, w->t, &o, w->shared, NULL);
	return 0;
}

static void form_opinions(struct work *w)
{
	size_t k, j;
	uint32_t i;

	for (k = 0; k < w->t->nr; k++) {
		const struct trace *t = &w->t->trace[k];

		for (i = 0; i < t->nr; i++) {
			const struct element *e = &t->element[i];

			for (j = model_sites(w->m, t->type, e->ip); j < w->m->nr_sites; j++) {
				const struct site *s = w->m->by_site[j];

				if (s->key.type != t->type || s->key.ip != e->ip)
					break;
				if (e->type == t->type && overlap(s->key.offset, s->width, e->offset, e->len))
					form_opinion(w->s, t, k, i, w->crowd[t->type],
						     &w->opinion[j]);
			}
		}
	}
}

/**
 * classify() - classify misses
 * @m: the model, after model_end()
 * @t: its traces
 * @s: the simulation of a cache of the level; not needed without traces if @r knows all types
 * @r: which misses are of lines that the cache had lost anyway
 * @shared: its shared lines; sharing misses are added to them
 * @level: the level; an access that neither it nor a nearer level serves is a miss
 * @v: the result; the caller calls verdicts_free() even after an error
 *
 * Return: 0, or -1 without memory.
 */
int classify(struct model *m, const struct traces *t, const struct sim *s, const struct residence *r,
	     struct sharing *shared, enum level level, struct verdicts *v)
{
	struct work w = { m, t, s, r, shared, level,
			  calloc(m->nr_sites + 1, sizeof(struct opinion)),
			  calloc(m->nr_types + 1, sizeof(double)), v };
	uint64_t known = 0;
	uint32_t i;
	size_t k;
	int ret = -1;

	memset(v, 0, sizeof(*v));
	if (!w.opinion || !w.crowd)
		goto out;
	for (i = 0; i < m->nr_types; i++) {
		known += tally_known(&m->by_index[i]->sum);
		if (t->nr && s->type[i].has_traces)
			w.crowd[i] = crowded(s, i);
	}
	v->simulated = !known;
	ret = 0;
	if (known) {
		form_opinions(&w);
		for (k = 0; k < m->nr_sites && !ret; k++)
			ret = judge_site(&w, k);
	} else {
		for (k = 0; k < t->nr && !ret; k++)
			for (i = 0; i < t->trace[k].nr && !ret; i++)
				ret = judge_element(&w, k, i);
	}
	for (k = 0; k < v->nr && !ret; k++)
		ret = sharing_add_misses(shared, v->verdict[k].type, v->verdict[k].offset,
					 v->verdict[k].ours[MISS_TRUE], v->verdict[k].ours[MISS_FALSE],
					 k);
out:
	free(w.opinion);
	free(w.crowd);
	return ret;
}

/**
 * verdict_class() - the class with the most misses
 * @by_outcome: misses by class
 *
 * Return: the class; HIT if there are no misses.
 */
enum outcome verdict_class(const double *by_outcome)
{
	int k, best = HIT;

	for (k = HIT + 1; k < NR_OUTCOMES; k++)
		if (by_outcome[k] > (best == HIT ? 0 : by_outcome[best]))
			best = k;
	return best;
}

/**
 * verdicts_free() - free verdicts
 * @v: the verdicts
 */
void verdicts_free(struct verdicts *v)
{
	free(v->verdict);
	memset(v, 0, sizeof(*v));
}
