// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Loads a recording and computes the results that a view needs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/complain.h"
#include "analysis.h"
#include "load.h"
#include "dprof/structs/dwarf.h"

#define MAX_ACCESSES	2000000

/**
 * analysis_init() - initialize an analysis with the defaults of its options
 * @a: the analysis; free it with analysis_free()
 */
void analysis_init(struct analysis *a)
{
	memset(a, 0, sizeof(*a));
	a->level = LEVEL_L1;
	a->top = 20;
	a->seed = 1;
	model_init(&a->m);
}

/* Handlers of the options.  Return OK, or USAGE after an error message. */

int analysis_level(const struct opt *o, const char *value)
{
	static const enum level levels[] = { LEVEL_L1, LEVEL_L2, LEVEL_L3 };
	struct analysis *a = o->to;

	/* One of the words of ANALYSIS_LEVEL_OPTION. */
	a->level = levels[value[1] - '1'];
	return OK;
}

int analysis_cache(const struct opt *o, const char *value)
{
	struct analysis *a = o->to;

	if (geometry_parse(value, &a->geometry))
		return wrong_usage("--cache %s: not SIZE:WAYS with sets a power of two", value);
	a->has_geometry = true;
	return OK;
}

int analysis_cpu(const struct opt *o, const char *value)
{
	struct analysis *a = o->to;

	if (filter_add_cpus(&a->m.filter, value))
		return wrong_usage("--cpu %s: not a list of CPUs, such as 0,4-7", value);
	return OK;
}

int analysis_btf(const struct opt *o, const char *value)
{
	struct analysis *a = o->to;

	if (a->nr_btf == MAX_FILES)
		return wrong_usage("--btf %s: too many files", value);
	a->btf[a->nr_btf++] = value;
	return OK;
}

int analysis_vmlinux(const struct opt *o, const char *value)
{
	struct analysis *a = o->to;

	if (a->nr_dwarf == MAX_FILES)
		return wrong_usage("--vmlinux %s: too many files", value);
	a->dwarf[a->nr_dwarf++] = value;
	return OK;
}

/* Open the given files.  Without --btf, use the BTF of the --vmlinux files. */
static int open_layouts(struct analysis *a)
{
	char error[512];
	int i;

	if (a->nr_dwarf) {
		a->l.dwarf = dwarf_open(a->dwarf, a->nr_dwarf, error, sizeof(error));
		if (!a->l.dwarf)
			return complain(FAILED, "%s", error);
		for (i = 0; !a->nr_btf && i < a->nr_dwarf; i++)
			layouts_open_btf(&a->l, a->dwarf[i], error, sizeof(error));
	}
	for (i = 0; i < a->nr_btf; i++)
		if (layouts_open_btf(&a->l, a->btf[i], error, sizeof(error)))
			return complain(FAILED, "%s", error);
	return OK;
}

static const struct geometry default_geometry[] = {
	[LEVEL_L1] = { 32 << 10, 8, LINE }, [LEVEL_L2] = { 512 << 10, 8, LINE },
	[LEVEL_L3] = { 8 << 20, 16, LINE },
};

/*
 * Classes of misses follow from a simulation where there are traces, and where samples do not
 * say how long lines stay in the cache.
 */
static bool needs_simulation(const struct analysis *a, enum need need)
{
	uint32_t i;

	if (need != NEED_VERDICTS || a->t.nr)
		return need >= NEED_SIM;
	for (i = 0; i < a->m.nr_types; i++)
		if (!a->residence.type[i].known && tally_judged_misses(&a->m.by_index[i]->sum, a->level) > 0)
			return true;
	return false;
}

static int analyze(struct analysis *a, enum need need)
{
	struct sim_options o = {
		.geometry = a->geometry, .shared = a->level == LEVEL_L3,
		.max_accesses = MAX_ACCESSES, .per_sample = a->per_sample, .seed = a->seed,
		.level = a->level,
		/* The working set follows the paper; classes of misses follow real caches. */
		.remove_freed = need == NEED_SIM,
	};

	if (need >= NEED_TRACES && traces_make(&a->m, &a->t))
		return -1;
	if (need >= NEED_SIM && claims_find(&a->m))
		return -1;
	if (need >= NEED_VERDICTS &&
	    residence_find(&a->residence, &a->m, &a->geometry, a->level, o.shared))
		return -1;
	if (needs_simulation(a, need) && sim_run(&a->sim, &a->m, &a->t, &o))
		return -1;
	if (need >= NEED_VERDICTS &&
	    (sharing_find(&a->m, &a->shared) ||
	     classify(&a->m, &a->t, &a->sim, &a->residence, &a->shared, a->level, &a->v)))
		return -1;
	return 0;
}

/* Count the objects with samples, by type.  Return -1 without memory. */
static int count_objects(struct analysis *a)
{
	uint64_t *last = calloc(a->m.nr_types + 1, sizeof(*last));
	const struct use *u;

	a->objects = calloc(a->m.nr_types + 1, sizeof(*a->objects));
	/* An object counts again if uses of other objects of the type come in between. */
	for (u = a->m.uses; u && last && a->objects; u = u->hh.next) {
		if (u->key.base == last[u->key.type])
			continue;
		last[u->key.type] = u->key.base;
		a->objects[u->key.type]++;
	}
	free(last);
	return last && a->objects ? 0 : -1;
}

/* Is the type better known than another one, to stand for several? */
static bool is_better(const struct dtype *t, const struct dtype *than)
{
	return !than || (t->histories != than->histories ? t->histories > than->histories :
			 t->sum.n > than->sum.n);
}

/* Select the type of the name --type, and all types whose cache or C struct has it. */
static int select_types(struct analysis *a)
{
	uint32_t i;

	a->selected = calloc(a->m.nr_types + 1, sizeof(*a->selected));
	for (i = 0; a->selected && i < a->m.nr_types; i++) {
		struct dtype *t = a->m.by_index[i];

		a->selected[i] = *t->name && *a->type && (!strcmp(t->name, a->type) || !strcmp(t->struct_name, a->type) ||
					      !strcmp(t->event.cache, a->type));
		if (a->selected[i] && is_better(t, a->only))
			a->only = t;
	}
	return a->selected ? 0 : -1;
}

/**
 * analysis_load() - read a recording and compute results
 * @a: the analysis, with its options
 * @path: the recording
 * @need: the results that are needed
 *
 * If FAILED is returned for a damaged recording, the results are those of the events before
 * the damage, and m.events is not 0.
 *
 * Return: OK, or FAILED after an error message.
 */
int analysis_load(struct analysis *a, const char *path, enum need need)
{
	char error[512];
	int ret = OK;

	if (!a->has_geometry)
		a->geometry = default_geometry[a->level];
	if (open_layouts(a))
		return FAILED;
	a->m.kallsyms = a->kallsyms;
	if (model_load(&a->m, path, error, sizeof(error)))
		ret = complain(FAILED, "%s", error);
	if (!a->m.events || a->m.no_memory)
		return FAILED;
	if (a->m.lost_events)
		fprintf(stderr, "dprof: %s: %llu events were lost while recording\n", path,
			(unsigned long long)a->m.lost_events);
	if (plausible_doubt(&a->m.plausible, 0, a->doubt, sizeof(a->doubt)))
		fprintf(stderr, "dprof: %s: not plausible: %s\n", path, a->doubt);
	types_name(&a->m, &a->l);
	if ((a->type && select_types(a)) || count_objects(a) || analyze(a, need)) {
		a->m.events = 0;
		return complain(FAILED, "%s: out of memory", path);
	}
	return ret;
}

/* Are some samples of a recording that has samples left out? */
static bool is_filtered(const struct analysis *a)
{
	return a->m.recorded && (a->m.filter.tasks.nr || a->m.filter.has_cpus);
}

/**
 * analysis_chooses() - test whether the options choose anything
 * @a: the analysis, loaded
 *
 * Return: false if there is no type of the name --type, or no sample of these types is of --tid and
 * --cpu, in a recording that has samples.
 */
bool analysis_chooses(const struct analysis *a)
{
	uint32_t i;

	if (a->type && !a->only)
		return false;
	if (!is_filtered(a))
		return true;
	for (i = 0; i < a->m.nr_types; i++)
		if (analysis_selects(a, a->m.by_index[i]) && a->m.by_index[i]->sum.n)
			return true;
	return false;
}

/* The options that choose samples, as they are written; the caller frees them.  NULL without memory. */
static char *filter_text(const struct analysis *a)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	filter_print(&a->m.filter, f);
	fclose(f);
	return text;
}

/**
 * analysis_matches() - report options that choose nothing
 * @a: the analysis, loaded
 *
 * Return: OK, or FAILED after an error message.
 */
int analysis_matches(const struct analysis *a)
{
	char *choice;

	if (analysis_chooses(a))
		return OK;
	/* Types whose samples are all left out are not in the model: the type alone may exist. */
	if (!is_filtered(a))
		return complain(FAILED, "no type matches --type %s", a->type);
	choice = filter_text(a);
	if (!choice)
		return complain(FAILED, "out of memory");
	complain(FAILED, "no sample matches%s%s%s", choice, a->type ? " --type " : "", a->type ? a->type : "");
	free(choice);
	return FAILED;
}

/**
 * analysis_matches_operand() - analysis_matches() of a verb whose operand is the type
 * @a: the analysis, loaded
 * @path: of the recording
 *
 * Return: OK, or FAILED after an error message.
 */
int analysis_matches_operand(const struct analysis *a, const char *path)
{
	char *choice;

	if (analysis_chooses(a))
		return OK;
	if (!is_filtered(a))
		return complain(FAILED, "%s: no type %s in the recording", path, a->type);
	choice = filter_text(a);
	if (!choice)
		return complain(FAILED, "out of memory");
	complain(FAILED, "%s: no sample of %s matches%s", path, a->type, choice);
	free(choice);
	return FAILED;
}

/**
 * analysis_selects() - test whether a type is shown
 * @a: the analysis, loaded
 * @t: a type
 *
 * Return: true if --type selects it, or is not given.
 */
bool analysis_selects(const struct analysis *a, const struct dtype *t)
{
	return !a->selected || a->selected[t->index];
}

/**
 * analysis_objects() - number of objects of a type
 * @a: the analysis, loaded
 * @t: a type
 *
 * Return: the mean number of live objects if the recording has the type's allocations, else
 * the number of objects with samples; negative if the type's objects cannot be
 * distinguished.
 */
double analysis_objects(const struct analysis *a, const struct dtype *t)
{
	double duration = a->m.last_ts - a->m.first_ts;

	if (t->seen_alloc)
		return duration > 0 ? t->live_time / duration : t->live;
	if (t->key.symbol)
		return 1;
	if (t->event.class != CLASS_SLAB && t->event.class != CLASS_KMALLOC &&
	    t->event.class != CLASS_PAGE)
		return -1;
	return a->objects[t->index];
}

/* So few samples may all be misses by chance. */
#define FEW_SAMPLES 100

/**
 * analysis_lacks_hits() - test whether all samples of the recording are misses
 * @a: the analysis
 *
 * A processor that discards others tells nothing of lines that stay in caches.  Samples that --tid and
 * --cpu leave out show that it does not.
 *
 * Return: what is lacking, or NULL.
 */
const char *analysis_lacks_hits(const struct analysis *a)
{
	/* What perf recorded may be of any events. */
	if (!model_has_types(&a->m) || a->m.recorded_hits || a->m.recorded_levels < FEW_SAMPLES)
		return NULL;
	return "all samples are misses of the L3 (dprof record --l3-miss-only or --ldlat): "
	       "this wants samples of all accesses";
}

/**
 * analysis_free() - free an analysis
 * @a: the analysis
 */
void analysis_free(struct analysis *a)
{
	free(a->objects);
	free(a->selected);
	verdicts_free(&a->v);
	sharing_free(&a->shared);
	residence_free(&a->residence);
	sim_free(&a->sim);
	traces_free(&a->t);
	layouts_free(&a->l);
	model_free(&a->m);
}
