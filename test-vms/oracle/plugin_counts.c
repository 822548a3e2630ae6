// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* liboracle: writes what the cache model counted, a phase at a time, as CSV. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"
#include "plugin_model.h"

#define COUNTS_VERSION 1

static void flush(struct model_counts *c)
{
	/* A VM that is killed leaves the phases it completed. */
	if (fflush(c->f) || ferror(c->f))
		oracle_die("%s: %s", c->path, strerror(errno));
}

void counts_open(struct model_counts *c, struct cache_model *model, unsigned int nr_cpus)
{
	char text[1024];

	c->model = model;
	c->nr_cpus = nr_cpus;
	c->begin = calloc((size_t)cache_model_nr(model) * nr_cpus, sizeof(*c->begin));
	c->begin_insns = calloc(nr_cpus, sizeof(*c->begin_insns));
	if (!c->begin || !c->begin_insns)
		oracle_die("out of memory");
	c->f = fopen(c->path, "w");
	if (!c->f)
		oracle_die("%s: %s", c->path, strerror(errno));
	fprintf(c->f, "# memscope-cache %d\n", COUNTS_VERSION);
	for (unsigned int i = 0; i < cache_model_nr(model); i++) {
		cache_shape_print(cache_model_shape(model, i), text, sizeof(text));
		counts_comment(c, "cache: %s", text);
	}
	counts_comment(c, "cpus: %u", nr_cpus);
}

void counts_comment(struct model_counts *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("# ", c->f);
	vfprintf(c->f, fmt, ap);
	fputc('\n', c->f);
	va_end(ap);
}

void counts_head(struct model_counts *c)
{
	fputs("phase,cache,level,cpu,accesses,misses\n", c->f);
	flush(c);
}

void counts_begin(struct model_counts *c, const uint64_t *insns)
{
	for (unsigned int i = 0; i < cache_model_nr(c->model); i++) {
		for (unsigned int cpu = 0; cpu < c->nr_cpus; cpu++)
			c->begin[i * c->nr_cpus + cpu] = cache_model_count(c->model, i, cpu);
	}
	memcpy(c->begin_insns, insns, c->nr_cpus * sizeof(*insns));
}

void counts_write(struct model_counts *c, uint32_t phase, const uint64_t *insns)
{
	for (unsigned int cpu = 0; cpu < c->nr_cpus; cpu++)
		fprintf(c->f, "%u,instructions,-,%u,%llu,0\n", phase, cpu,
			(unsigned long long)(insns[cpu] - c->begin_insns[cpu]));
	for (unsigned int i = 0; i < cache_model_nr(c->model); i++) {
		const struct cache_shape *s = cache_model_shape(c->model, i);

		for (unsigned int cpu = 0; cpu < c->nr_cpus; cpu++) {
			struct cache_count n = cache_model_count(c->model, i, cpu);
			const struct cache_count *b = &c->begin[i * c->nr_cpus + cpu];

			fprintf(c->f, "%u,%s,%u,%u,%llu,%llu\n", phase, s->name, s->level, cpu,
				(unsigned long long)(n.accesses - b->accesses),
				(unsigned long long)(n.misses - b->misses));
		}
	}
	flush(c);
}

void counts_close(struct model_counts *c)
{
	if (fclose(c->f))
		oracle_die("%s: %s", c->path, strerror(errno));
}
