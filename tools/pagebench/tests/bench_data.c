// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Results of a benchmark that never ran, for tests: random numbers from a seed. */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "pagebench/results/results.h"
#include "bench_data.h"

static const char * const strategies[] = { "default", "coloring", "binhop" };
static const double spread[] = { 1, 0.25, 0.5 };

/* Rows of one execution. */
static void execution(FILE *f, const struct bench_data *d, gsl_rng *rng, const char *name,
		      const char *strategy, unsigned int boot, unsigned int block,
		      unsigned int *phase, double mean, double between)
{
	double run = mean * (1 + gsl_ran_gaussian(rng, between / 100)), time;
	unsigned int i;

	for (i = 0; i < d->warm + d->m; i++) {
		/* The warm-up is slow. */
		time = run * (1 + gsl_ran_gaussian(rng, 0.01)) * (i < d->warm ? 1.5 : 1);
		fprintf(f, "%s,%s,%s,%u,%u,%u,%u,%d,%u,wall_time,%s,%.9g\n", d->suite, name, strategy,
			boot, block, block, i, i < d->warm, *phase, d->unit, time);
		if (d->misses)
			fprintf(f, "%s,%s,%s,%u,%u,%u,%u,%d,%u,L2_misses,1,%.0f\n", d->suite, name,
				strategy, boot, block, block, i, i < d->warm, *phase,
				time / mean * 1e6);
		++*phase;
	}
	fprintf(f, "%s,%s,%s,%u,%u,%u,,,,end,1,%u\n", d->suite, name, strategy, boot, block, block,
		d->warm + d->m);
}

/**
 * bench_data_write() - write a raw.csv
 * @f: where to
 * @d: what
 */
void bench_data_write(FILE *f, const struct bench_data *d)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	unsigned int block, b, c, s, phase = 0, boot, before = 0, canary = 0;
	char name[64];

	gsl_rng_set(rng, d->seed);
	fprintf(f, RESULTS_MAGIC "\n# suite: %s\n# kernel: %s\n# seed: %lu\n" RESULTS_HEADER "\n",
		d->suite, d->kernel, (unsigned long)d->seed);
	for (block = 0; block < d->n; block++) {
		boot = block * d->boots / d->n;
		phase = boot == before ? phase : 0;
		before = boot;
		for (b = 0; b < 2 * d->benchmarks; b++) {
			/* Strategies in random order. */
			unsigned int order[3] = { 0, 1, 2 };

			c = b % 2;
			gsl_ran_shuffle(rng, order, d->strategies, sizeof(*order));
			snprintf(name, sizeof(name), "program%u,size=%u", b / 2, 512 << c);
			for (s = 0; s < d->strategies; s++)
				execution(f, d, rng, name, strategies[order[s]], boot, block, &phase,
					  (b + 1) * 0.01 * (1 + order[s] * d->effect / 100),
					  d->between * spread[order[s]]);
		}
		if (d->canary)
			fprintf(f, "%s,canary,,default,%u,%u,%u,0,0,%u,wall_time,%s,%.9g\n", d->suite,
				boot, block, canary++, phase++, d->unit,
				0.02 * (1 + gsl_ran_gaussian(rng, 0.01)));
	}
	gsl_rng_free(rng);
}
