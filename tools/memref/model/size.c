// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * The memory limit that a control group needs, from its idle ages.
 *
 * Below a limit, reclaim evicts what was not referenced for the longest time, so of a
 * group the pages referenced last stay, as many as the limit has.  A reference to a page
 * is a refault if more pages than that were referenced since its last reference: its
 * stack distance.  One recording without a limit has the distances for all limits
 * (R. L. Mattson, J. Gecsei, D. R. Slutz, I. L. Traiger, "Evaluation techniques for
 * storage hierarchies", IBM Systems Journal 9(2), 1970).
 *
 * Ages have the distances by buckets.  When an interval begins, a page of a bucket has
 * all pages of younger buckets above it, and some of its own; within the interval, pages
 * that are fresh or come from older buckets are added above it, before it is referenced
 * or after.  Three assumptions about what is not known:
 *
 *   SIZE_LOW       the youngest pages of a bucket are referenced, before others are added
 *   SIZE_ESTIMATE  any page of a bucket is, after half of the others are added
 *   SIZE_HIGH      rather older pages are, after all are added
 *
 * What was freed meanwhile had its place, too, as memory of a process that has ended: a page that
 * reclaim evicted then is not back when the place is free.  So what counts is the deepest position
 * that a page had since its last reference, of which the histograms of all intervals since then have
 * the part that is deeper than now.  Pages of a bucket are taken to be of each of its ages as many as
 * the histograms since then allow.
 *
 * Whether older ones are is found from the pages that leave a bucket.  Of a loop none gets
 * older than the bucket: each is referenced at its last age, and with less memory than the loop
 * has, none stays.  If most pages get older, references come at any age.  With a share p
 * of pages that is referenced before it gets older, SIZE_HIGH has their ages distributed over
 * the bucket as x^(1/(1-p)): uniform if p is 0, all at the end if it is 1.
 *
 * A limit below the memory that the group would have costs time also without refaults: what is new
 * takes the place of what is evicted.  As many pages are as do not fit, less those that were freed; of
 * these, as large a share was in memory as is of all.
 *
 * To evict a page, reclaim looks at pages until one has not been referenced lately: of a limit, and of as many
 * pages as the interval references, one in limit / (limit - referenced) is such a one.  So what an eviction
 * takes grows towards the memory that is referenced all the time, up to MOST_LOOKS.
 *
 * The limit is the smallest whose refaults and evictions cost at most what is allowed.  Its uncertainty is of
 * two kinds, and the interval has both: the lower end is that of SIZE_LOW, the upper that of
 * SIZE_HIGH, of percentile intervals of the block bootstrap.  It draws blocks of successive
 * intervals, which depend on each other, with replacement (E. Carlstein, "The use of
 * subseries values for estimating the variance of a general statistic from a stationary
 * sequence", Annals of Statistics 14(3), 1986), of the length n^(1/3) (P. Hall,
 * J. L. Horowitz, B.-Y. Jing, "On blocking rules for the bootstrap with dependent data",
 * Biometrika 82(3), 1995).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "size.h"

#define REPLICATES 1000
#define SEED 1
/* Limits between the smallest and the largest of a block that are told apart. */
#define GRID 1024
/* Pages that reclaim looks at for one that it evicts, at most.  Chosen; the kernel has no such bound. */
#define MOST_LOOKS 32

/* The histograms of an interval, of a group and those below it. */
struct hist {
	uint64_t pages[AGE_BUCKETS], again[AGE_BUCKETS];
};

/* Whether a control group is @cgroup or below it. */
static bool is_below(const char *path, const char *cgroup)
{
	const size_t n = strlen(cgroup);

	if (!strcmp(cgroup, "/"))
		return *path;
	return !strncmp(path, cgroup, n) && (!path[n] || path[n] == '/');
}

/* Add up the histograms by interval; set *@first and *@end to those that have some. */
static struct hist *add_up(const struct model *m, const char *cgroup, size_t *first, size_t *end)
{
	struct hist *hist = calloc(m->nr_intervals + 1, sizeof(*hist));
	bool *selected = calloc(m->ages.nr_entries + 1, sizeof(*selected));
	size_t i;
	int b;

	*first = *end = 0;
	if (!hist || !selected) {
		free(hist);
		free(selected);
		return NULL;
	}
	for (i = 0; i < m->ages.nr_entries; i++)
		selected[i] = is_below(m->ages.entries[i]->key.name, cgroup);
	for (i = 0; i < m->ages.nr_sums; i++) {
		const struct age_sum *s = &m->ages.sums[i];

		if (!selected[s->key])
			continue;
		if (!*end)
			*first = s->interval;
		*end = s->interval + 1;
		for (b = 0; b < AGE_BUCKETS; b++) {
			hist[s->interval].pages[b] += s->pages[b];
			hist[s->interval].again[b] += s->again[b];
		}
	}
	free(selected);
	return hist;
}

/* Pages by age, and the deepest position that those of an age had since their last reference. */
#define AGES 256

struct positions {
	double pages[AGES], deepest[AGES];
};

/* The ages of a bucket: from age_from() up to this one. */
static int ages_end(int bucket)
{
	return bucket < AGE_BUCKETS - 1 ? (int)age_from(bucket + 1) : AGES;
}

static double sum_of(const struct positions *p, int bucket)
{
	double sum = 0;
	int a;

	for (a = age_from(bucket); a < ages_end(bucket); a++)
		sum += p->pages[a];
	return sum;
}

/* Have a bucket's pages be as many as its histogram has. */
static void set_bucket(struct positions *p, int bucket, double pages)
{
	const int from = age_from(bucket), end = ages_end(bucket);
	const double sum = sum_of(p, bucket);
	int a;

	for (a = from; a < end; a++)
		p->pages[a] = sum > 0 ? p->pages[a] * pages / sum : pages / (end - from);
}

/* All pages that are there now are not deeper than these. */
static void note_positions(struct positions *p)
{
	double position = 0;
	int a;

	for (a = 0; a < AGES; a++) {
		position += p->pages[a];
		p->deepest[a] = fmax(p->deepest[a], position);
	}
}

/* An interval whose predecessor is not known. */
static void positions_begin(struct positions *p, const struct hist *hist)
{
	int b;

	memset(p, 0, sizeof(*p));
	for (b = 0; b < AGE_BUCKETS; b++)
		set_bucket(p, b, hist->pages[b]);
	note_positions(p);
}

/* An interval: of each age of a bucket as many are referenced, and the others get older. */
static void positions_next(struct positions *p, const struct hist *hist)
{
	int a, b;

	for (b = 0; b < AGE_BUCKETS; b++) {
		const double sum = sum_of(p, b);

		set_bucket(p, b, fmax(sum - hist->again[b], 0));
	}
	p->pages[AGES - 1] += p->pages[AGES - 2];
	p->deepest[AGES - 1] = fmax(p->deepest[AGES - 1], p->deepest[AGES - 2]);
	for (a = AGES - 2; a > 0; a--) {
		p->pages[a] = p->pages[a - 1];
		p->deepest[a] = p->deepest[a - 1];
	}
	p->deepest[0] = 0;
	for (b = 0; b < AGE_BUCKETS; b++)
		set_bucket(p, b, hist->pages[b]);
	note_positions(p);
}

/* How much deeper than now pages were: of each part of a bucket's ages, on average. */
static void add_freed(struct size_step *s, const struct positions *p)
{
	double position = 0;
	int a, b;

	for (b = 0; b < AGE_BUCKETS; b++) {
		const int from = age_from(b), ages = ages_end(b) - from, parts = ages < SIZE_PARTS ? ages : SIZE_PARTS;
		const double pages = sum_of(p, b);

		for (a = 0; a < ages; a++) {
			struct size_freed *f = &s->freed[b][a * parts / ages];
			const double n = p->pages[from + a];

			position += n;
			if (n <= 0)
				continue;
			f->share += n / pages;
			f->pages += n / pages * (p->deepest[from + a] - position);
		}
		for (a = 0; a < parts; a++)
			if (s->freed[b][a].share > 0)
				s->freed[b][a].pages /= s->freed[b][a].share;
	}
}

static void make_step(struct size_step *s, const struct interval *v, const struct hist *hist,
		      const struct positions *before)
{
	uint64_t again = 0;
	int b;

	memset(s, 0, sizeof(*s));
	s->seconds = interval_seconds(v);
	for (b = 0; b < AGE_BUCKETS; b++) {
		s->before[b] = hist[-1].pages[b];
		s->again[b] = hist[0].again[b];
		s->total += hist[0].pages[b];
		again += s->again[b];
	}
	add_freed(s, before);
	/* What was referenced, and was not there before, is new. */
	s->fresh = hist[0].pages[0] > again ? hist[0].pages[0] - again : 0;
}

/* The last age of a bucket; ages of the last bucket have no end. */
static size_t last_age(int bucket)
{
	return bucket < AGE_BUCKETS - 1 ? age_from(bucket + 1) - 1 : SIZE_MAX;
}

/* The share of a bucket's pages that a step does not reference. */
static double unreferenced(const struct size_step *s, int bucket)
{
	if (s->again[bucket] >= s->before[bucket])
		return 0;
	return 1 - s->again[bucket] / (double)s->before[bucket];
}

/*
 * Set the spread of each bucket, of steps that follow one another.  Pages that get older than a bucket
 * are those that the next one gained, lost to references, or to the bucket behind it; freed
 * pages make these fewer, and so SIZE_HIGH higher.
 */
static void set_spreads(struct size_step *steps, size_t nr, size_t nr_intervals)
{
	double older = 0, spread;
	size_t i;
	int b;

	for (b = AGE_BUCKETS - 1; b >= 0; b--) {
		const double gained = (double)steps[nr - 1].before[b] - (double)steps[0].before[b];
		double again = 0, left = older;

		for (i = 0; i < nr; i++)
			again += steps[i].again[b];
		older = fmax(gained + again + older, 0);
		/* Pages that no recording of this length can show to get older were not referenced, either. */
		if (last_age(b) >= nr_intervals)
			left += steps[nr - 1].before[b];
		spread = again + left > 0 ? left / (again + left) : 0;
		for (i = 0; i < nr; i++)
			steps[i].spread[b] = fmin(spread, unreferenced(&steps[i], b));
	}
}

/**
 * size_steps() - a control group's memory in each interval
 * @m: the model, with ages by control group
 * @cgroup: its path; those below it are part of it
 * @window: only intervals of this part of @m; ages are those since the begin of @m
 * @steps: set to an array, to be freed
 * @nr: set to its length; 0: the group has no ages
 *
 * When ages begin, all memory has the age 0: the first quarter of the intervals is left out,
 * and by then most memory has got its age.  An interval whose predecessor was lost is left out, too.
 *
 * Return: 0, or -1 without memory.
 */
int size_steps(const struct model *m, const char *cgroup, const struct window *window, struct size_step **steps, size_t *nr)
{
	size_t first, end, i;
	struct hist *hist = add_up(m, cgroup, &first, &end);
	const size_t counted = first + 1 + (end - first) / 4;
	struct positions positions;


	*nr = 0;
	*steps = hist ? calloc(end - first + 1, sizeof(**steps)) : NULL;
	if (!*steps) {
		free(hist);
		return -1;
	}
	for (i = first; i < end; i++) {
		const struct interval *v = &m->intervals[i];
		const bool follows = i > first && v->scan.seq == v[-1].scan.seq + 1;

		if (follows && i >= counted && interval_seconds(v) > 0 && interval_in_window(m, window, &v->scan))
			make_step(&(*steps)[(*nr)++], v, &hist[i], &positions);
		if (follows)
			positions_next(&positions, &hist[i]);
		else
			positions_begin(&positions, &hist[i]);
	}
	if (*nr)
		set_spreads(*steps, *nr, end - first);
	free(hist);
	return 0;
}

/* Of a step's references to a bucket, of which @stay pages are below the limit. */
static double bucket_refaults(const struct size_step *s, int bucket, double stay, enum size_bound bound)
{
	const double again = s->again[bucket], pages = s->before[bucket], spread = s->spread[bucket];

	if (stay <= 0)
		return again;
	if (bound == SIZE_LOW)
		return fmax(again - stay, 0);
	if (stay >= pages)
		return 0;
	if (bound == SIZE_ESTIMATE)
		return again * (pages - stay) / pages;
	return spread > 0 ? again * (1 - pow(stay / pages, 1 / spread)) : again;
}

/* With so many pages above the bucket's: added since, or freed since, whichever is more. */
static double parts_refaults(const struct size_step *s, int bucket, double stay, double added, enum size_bound bound)
{
	double refaults = 0, share = 0;
	int i;

	for (i = 0; i < SIZE_PARTS && bound != SIZE_LOW; i++) {
		const struct size_freed *f = &s->freed[bucket][i];

		if (f->pages <= added)
			continue;
		refaults += f->share * bucket_refaults(s, bucket, stay - f->pages, bound);
		share += f->share;
	}
	return refaults + fmax(1 - share, 0) * bucket_refaults(s, bucket, stay - added, bound);
}

/* The refaults of an interval with a limit. */
static double step_refaults(const struct size_step *s, double limit, enum size_bound bound)
{
	static const double share_added[] = { [SIZE_LOW] = 0, [SIZE_ESTIMATE] = 0.5, [SIZE_HIGH] = 1 };
	double younger = 0, added = s->fresh, refaults = 0;
	int b;

	for (b = 0; b < AGE_BUCKETS; b++)
		added += s->again[b];
	for (b = 0; b < AGE_BUCKETS; b++) {
		added -= s->again[b];
		if (s->again[b])
			refaults += parts_refaults(s, b, limit - younger, added * share_added[bound], bound);
		younger += s->before[b];
	}
	return refaults;
}

/* Pages evicted in an interval with a limit, for such that are new. */
static double step_evictions(const struct size_step *s, double limit)
{
	double before = 0, kept, freed;
	int b;

	for (b = 0; b < AGE_BUCKETS; b++)
		before += s->before[b];
	kept = fmin(limit, before);
	freed = before > 0 ? fmax(before + s->fresh - s->total, 0) * kept / before : 0;
	return fmax(kept + s->fresh - freed - limit, 0);
}

static double seconds(const struct size_step *steps, size_t nr)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		sum += steps[i].seconds;
	return sum;
}

/* Pages that reclaim looks at for each that it evicts in an interval. */
static double step_looks(const struct size_step *s, double limit)
{
	double referenced = s->fresh;
	int b;

	for (b = 0; b < AGE_BUCKETS; b++)
		referenced += s->again[b];
	return limit > referenced ? fmin(limit / (limit - referenced), MOST_LOOKS) : MOST_LOOKS;
}

/* What an interval costs with a limit.  Of a refault's price, an eviction with one look is a part. */
static double step_cost(const struct size_step *s, double limit, const struct size_price *price, enum size_bound bound)
{
	const double refaults = step_refaults(s, limit, bound);

	if (!price->evict)
		return price->refault * refaults;
	return price->refault * refaults + price->evict * (step_looks(s, limit) * (step_evictions(s, limit) + refaults) - refaults);
}

static double cost(const struct size_step *steps, size_t nr, double limit, const struct size_price *price,
		   enum size_bound bound)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		sum += step_cost(&steps[i], limit, price, bound);
	return sum;
}

/**
 * size_rate() - refaults with a memory limit
 * @steps: the group's memory
 * @nr: number of @steps, at least 1
 * @limit: the limit in pages
 * @bound: what to assume
 *
 * Return: refaults per second.
 */
double size_rate(const struct size_step *steps, size_t nr, uint64_t limit, enum size_bound bound)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		sum += step_refaults(&steps[i], limit, bound);
	return sum / seconds(steps, nr);
}

/**
 * size_evictions() - evictions with a memory limit, for pages that are new
 * @steps: the group's memory
 * @nr: number of @steps, at least 1
 * @limit: the limit in pages
 *
 * Return: pages per second.
 */
double size_evictions(const struct size_step *steps, size_t nr, uint64_t limit)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		sum += step_evictions(&steps[i], limit);
	return sum / seconds(steps, nr);
}

/**
 * size_cost() - what a memory limit costs
 * @steps: the group's memory
 * @nr: number of @steps, at least 1
 * @limit: the limit in pages
 * @price: of refaults and evictions
 *
 * Return: per second, in the unit of @price.
 */
double size_cost(const struct size_step *steps, size_t nr, uint64_t limit, const struct size_price *price)
{
	return cost(steps, nr, limit, price, SIZE_ESTIMATE) / seconds(steps, nr);
}

/* A limit with which nothing is evicted. */
static uint64_t enough(const struct size_step *steps, size_t nr)
{
	uint64_t most = 0;
	size_t i;
	int b, k;

	for (i = 0; i < nr; i++) {
		uint64_t pages = steps[i].fresh;

		for (b = 0; b < AGE_BUCKETS; b++) {
			double freed = 0;

			for (k = 0; k < SIZE_PARTS; k++)
				freed = fmax(freed, steps[i].freed[b][k].pages);
			pages += steps[i].before[b] + steps[i].again[b] + (uint64_t)ceil(freed);
		}
		if (pages > most)
			most = pages;
	}
	return most;
}

/* What it costs never increases with the limit: bisect. */
static uint64_t smallest(const struct size_step *steps, size_t nr, const struct size_price *price, enum size_bound bound)
{
	const double allowed = price->allowed * seconds(steps, nr);
	uint64_t low = 0, high = enough(steps, nr);

	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;

		if (cost(steps, nr, middle, price, bound) <= allowed)
			high = middle;
		else
			low = middle + 1;
	}
	return high;
}

/*
 * Blocks of successive steps.  The limit of any replicate is between the smallest and the
 * largest of the blocks'; a row of @curve has a block's cost for limits between these.
 */
struct blocks {
	size_t nr;
	double from, to;
	double *seconds, *curve;
};

static double grid_limit(const struct blocks *b, int at)
{
	return b->from + (b->to - b->from) * at / (GRID - 1);
}

static int blocks_init(struct blocks *b, const struct size_step *steps, size_t nr, const struct size_price *price,
		       enum size_bound bound)
{
	size_t i;
	int at;

	b->nr = nr / (size_t)ceil(cbrt(nr));
	b->seconds = calloc(b->nr, sizeof(*b->seconds));
	b->curve = calloc(b->nr * GRID, sizeof(*b->curve));
	if (!b->seconds || !b->curve)
		return -1;
	b->from = INFINITY;
	b->to = 0;
	for (i = 0; i < b->nr; i++) {
		const size_t begin = i * nr / b->nr, n = (i + 1) * nr / b->nr - begin;
		const double limit = smallest(steps + begin, n, price, bound);

		b->seconds[i] = seconds(steps + begin, n);
		b->from = fmin(b->from, limit);
		b->to = fmax(b->to, limit);
	}
	for (i = 0; i < b->nr; i++) {
		const size_t begin = i * nr / b->nr, n = (i + 1) * nr / b->nr - begin;

		for (at = 0; at < GRID; at++)
			b->curve[i * GRID + at] = cost(steps + begin, n, grid_limit(b, at), price, bound);
	}
	return 0;
}

/* The limit of one replicate. */
static double replicate(const struct blocks *b, double allowed_per_s, gsl_rng *rng, size_t *drawn)
{
	double allowed = 0, sum;
	int low = 0, high = GRID - 1;
	size_t i;

	for (i = 0; i < b->nr; i++) {
		drawn[i] = gsl_rng_uniform_int(rng, b->nr);
		allowed += allowed_per_s * b->seconds[drawn[i]];
	}
	while (low < high) {
		const int middle = (low + high) / 2;

		for (sum = 0, i = 0; i < b->nr; i++)
			sum += b->curve[drawn[i] * GRID + middle];
		if (sum <= allowed)
			high = middle;
		else
			low = middle + 1;
	}
	return grid_limit(b, high);
}

/* A quantile of the limit over the replicates, or NAN without memory. */
static double quantile(const struct size_step *steps, size_t nr, const struct size_price *price, enum size_bound bound,
		       double q)
{
	struct blocks b = { 0 };
	const int failed = blocks_init(&b, steps, nr, price, bound);
	size_t *drawn = calloc(b.nr, sizeof(*drawn));
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double limits[REPLICATES], limit = NAN;
	int i;

	if (!failed && drawn && rng) {
		gsl_rng_set(rng, SEED);
		for (i = 0; i < REPLICATES; i++)
			limits[i] = replicate(&b, price->allowed, rng, drawn);
		gsl_sort(limits, 1, REPLICATES);
		limit = gsl_stats_quantile_from_sorted_data(limits, 1, REPLICATES, q);
	}
	gsl_rng_free(rng);
	free(drawn);
	free(b.seconds);
	free(b.curve);
	return limit;
}

/**
 * size_limit() - the smallest limit that costs at most what is allowed
 * @steps: the group's memory
 * @nr: number of @steps, at least SIZE_MIN_STEPS
 * @price: of refaults and evictions
 * @size: set to the limit and its interval
 *
 * Return: 0, or -1 without memory.
 */
int size_limit(const struct size_step *steps, size_t nr, const struct size_price *price, struct size *size)
{
	size->estimate = smallest(steps, nr, price, SIZE_ESTIMATE);
	size->low = quantile(steps, nr, price, SIZE_LOW, 0.025);
	size->high = quantile(steps, nr, price, SIZE_HIGH, 0.975);
	if (isnan(size->low) || isnan(size->high))
		return -1;
	size->low = fmin(size->low, size->estimate);
	size->high = fmax(size->high, size->estimate);
	return 0;
}
