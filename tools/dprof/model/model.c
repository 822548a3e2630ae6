// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Builds the model of a recording from its events. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/perf/data_src.h"
#include "model.h"
#include "paths.h"

const char * const level_name[NR_LEVELS] = {
	"unknown", "l1", "lfb", "l2", "l2_mhb", "l3_or_peer", "l3", "l4", "msc", "peer", "beyond_l3",
	"dram", "pmem", "cxl",
};

/**
 * model_init() - initialize an empty model
 * @m: the model; free it with model_free()
 */
void model_init(struct model *m)
{
	memset(m, 0, sizeof(*m));
}

/**
 * sample_level() - the level that served an access
 * @s: a sample
 * @modified: set if the data were modified in another CPU's cache
 *
 * An access to a line whose fill is in progress (LEVEL_LFB, LEVEL_L2_MHB) counts as a hit in
 * the cache that is filled.  Accesses to devices and uncached memory have no level.
 *
 * Return: the level, LEVEL_UNKNOWN if the sample has none.
 */
enum level sample_level(const struct sample_event *s, bool *modified)
{
	static const enum level level[NR_DATA_LEVELS] = {
		[DATA_L1] = LEVEL_L1, [DATA_LFB] = LEVEL_LFB, [DATA_L2] = LEVEL_L2,
		[DATA_L2_MHB] = LEVEL_L2_MHB, [DATA_L3] = LEVEL_L3, [DATA_L4] = LEVEL_L4,
		[DATA_MSC] = LEVEL_MSC, [DATA_LOCAL_CACHE] = LEVEL_L3_OR_PEER,
		[DATA_PEER_CACHE] = LEVEL_PEER, [DATA_REMOTE_CACHE] = LEVEL_PEER,
		[DATA_BEYOND_L3] = LEVEL_BEYOND_L3, [DATA_RAM] = LEVEL_DRAM,
		[DATA_REMOTE_RAM] = LEVEL_DRAM, [DATA_PMEM] = LEVEL_PMEM, [DATA_CXL] = LEVEL_CXL,
	};
	const struct data_src src = data_src_decode(s->data_src);

	*modified = src.modified;
	return src.modified || src.forwarded ? LEVEL_PEER : level[src.level];
}

/* Offsets in per-CPU memory are less than this; kernel addresses are greater. */
#define MAX_PERCPU	(64ULL << 20)

/*
 * The variables of modules are behind those of the kernel, in a reserve whose size is that of the
 * kernel's configuration, and is not recorded.  Behind it is what was allocated.  kallsyms has no
 * ends: the last variable is taken to be no larger than this.
 */
#define MAX_MODULE_PERCPU	4096

/*
 * Find the variable of a sample of static, module or per-CPU data.  Return its address (1 for
 * a per-CPU variable at 0), or 0 if there is none.  @offset: set to the offset in the
 * variable, or else to the sample's.
 */
static uint64_t find_variable(struct model *m, const struct sample_event *s, uint32_t *offset)
{
	enum memory_class class = model_class_of(m, s->type);
	uint64_t addr = class == CLASS_PERCPU ? s->offset : s->addr;
	const struct symbol *symbol;

	*offset = s->offset;
	if (class != CLASS_STATIC && class != CLASS_PERCPU && class != CLASS_MODULE)
		return 0;
	if (class == CLASS_PERCPU && addr >= MAX_PERCPU)
		return 0;
	symbol = symbols_find(&m->symbols, addr);
	/* Per-CPU memory behind the variables is dynamically allocated. */
	if (!symbol || !strcmp(m->symbols.names + symbol->name, "__per_cpu_end"))
		return 0;
	if (class == CLASS_PERCPU && *symbols_module(&m->symbols, symbol) && addr - symbol->addr >= MAX_MODULE_PERCPU)
		return 0;
	*offset = addr - symbol->addr;
	/* The first per-CPU variable is at 0, but symbol 0 means no variable. */
	return symbol->addr ? symbol->addr : 1;
}

static void count_sample(struct tally *t, const struct sample_event *s, enum level level,
			 bool modified)
{
	t->n++;
	t->loads += !!(s->op & OP_LOAD);
	t->stores += !!(s->op & OP_STORE);
	t->level[level]++;
	t->modified += modified;
	t->claims += sample_is_claim(s, level);
	t->latency += s->latency;
	t->with_latency += s->latency != 0;
	t->l2_stores += s->op == OP_STORE && (level == LEVEL_L2 || level == LEVEL_LFB);
}

static void count_level(struct level_sum *to, const struct sample_event *s)
{
	to->n++;
	to->loads += !!(s->op & OP_LOAD);
	to->stores += !!(s->op & OP_STORE);
	to->latency += s->latency;
	to->with_latency += s->latency != 0;
}

/* If the recording is longer than NR_SLICES slices, merge pairs of slices. */
static void note_time(struct model *m, struct dtype *t, uint64_t ts)
{
	uint64_t since = ts > m->first_ts ? ts - m->first_ts : 0;
	uint32_t i, k;

	while (since >> m->slice_shift >= NR_SLICES) {
		for (i = 0; i < m->nr_types; i++) {
			uint32_t *slice = m->by_index[i]->slice;

			for (k = 0; k < NR_SLICES / 2; k++)
				slice[k] = slice[2 * k] + slice[2 * k + 1];
			memset(slice + k, 0, NR_SLICES / 2 * sizeof(*slice));
		}
		m->slice_shift++;
	}
	t->slice[since >> m->slice_shift]++;
	if (!t->sum.n)
		t->first_sample = ts;
	t->last_sample = ts;
}

/* A locked instruction reads and writes, even if perf reports a load. */
static uint8_t op_of(const struct sample_event *s)
{
	return data_src_decode(s->data_src).locked ? OP_LOAD | OP_STORE : s->op;
}

/**
 * model_sample_type() - the type of a sample
 * @m: the model
 * @s: the sample
 * @offset: set to the offset in an object of the type
 * @symbol: set to the address of the variable, 0 if the data are no variable
 *
 * Return: the type, created if needed, or NULL without memory.
 */
struct dtype *model_sample_type(struct model *m, const struct sample_event *s, uint32_t *offset,
				uint64_t *symbol)
{
	*symbol = find_variable(m, s, offset);
	return model_type(m, s->type, *symbol);
}

static struct tally *find_spot(struct model *m, const struct event *e)
{
	struct spot key, *spot;

	memset(&key.key, 0, sizeof(key.key));
	key.key.cpu = e->cpu;
	key.key.cpu_node = e->sample.cpu_home - 1;
	key.key.node = e->sample.home - 1;
	HASH_FIND(hh, m->spots, &key.key, sizeof(key.key), spot);
	if (!spot) {
		spot = calloc(1, sizeof(*spot));
		if (!spot)
			return NULL;
		spot->key = key.key;
		HASH_ADD(hh, m->spots, key, sizeof(spot->key), spot);
	}
	return &spot->sum;
}

/* Count a latency in its bucket; 0: none. */
static void count_latency(struct site *site, uint32_t latency)
{
	int i = 0;

	if (!latency)
		return;
	while (i < NR_BUCKETS - 1 && latency > 8U << i)
		i++;
	site->bucket[i]++;
}

static int add_sample(struct model *m, const struct event *e)
{
	const struct sample_event *s = &e->sample;
	bool modified;
	enum level level = sample_level(s, &modified);
	struct tally one = { };
	uint32_t offset;
	uint64_t symbol;
	struct dtype *t = model_sample_type(m, s, &offset, &symbol);
	struct tally *spot = find_spot(m, e);
	struct site key, *site;

	if (!t || !spot)
		return -1;
	count_sample(spot, s, level, modified);
	count_level(&m->by_level[level], s);
	m->samples++;
	m->user_samples += s->flags & SAMPLE_USER;
	if (s->source < NR_SOURCES)
		m->by_source[s->source]++;
	plausible_add(&m->plausible, &(struct plausible_sample){
		.addr = s->addr, .level = level, .memory = level == LEVEL_DRAM, .latency = s->latency });
	note_time(m, t, e->ts);
	count_sample(&t->sum, s, level, modified);

	memset(&key.key, 0, sizeof(key.key));
	key.key.type = t->index;
	key.key.offset = offset;
	key.key.ip = s->ip;
	HASH_FIND(hh, m->sites, &key.key, sizeof(key.key), site);
	if (!site) {
		site = calloc(1, sizeof(*site));
		if (!site)
			return -1;
		site->key = key.key;
		site->width = s->width;
		HASH_ADD(hh, m->sites, key, sizeof(site->key), site);
	}
	count_sample(&site->sum, s, level, modified);
	count_latency(site, s->latency);
	count_sample(&one, s, level, modified);
	if (chains_expect(m, e, t->index, offset, &one))
		return -1;
	return uses_add(m, e, t, symbol ? s->addr - offset : s->base, level);
}

static void objects_passed(struct dtype *t, uint64_t ts)
{
	t->live_time += (double)t->live * (ts - t->live_since);
	t->live_since = ts;
}

static struct object *find_object(struct model *m, uint64_t base, uint32_t type, bool make)
{
	struct object key, *o;

	memset(&key.key, 0, sizeof(key.key));
	key.key.base = base;
	key.key.type = type;
	HASH_FIND(hh, m->objects, &key.key, sizeof(key.key), o);
	if (o || !make)
		return o;
	if (HASH_COUNT(m->objects) >= MAX_KEPT) {
		m->dropped++;
		return NULL;
	}
	o = calloc(1, sizeof(*o));
	if (!o) {
		m->no_memory = true;
		return NULL;
	}
	o->key = key.key;
	HASH_ADD(hh, m->objects, key, sizeof(o->key), o);
	return o;
}

static int add_alloc(struct model *m, const struct event *e)
{
	struct dtype *t = model_type(m, e->alloc.type, 0);
	struct object *o;

	if (!t)
		return -1;
	if (!t->seen_alloc) {
		t->seen_alloc = true;
		t->live_since = m->first_ts;
	}
	objects_passed(t, e->ts);
	t->allocs++;
	if (chains_expect(m, e, t->index, 0, &(struct tally){ .n = 1 }))
		return -1;
	o = find_object(m, e->alloc.base, t->index, true);
	if (!o)
		return m->no_memory ? -1 : 0;
	/* If the event of its free was lost, the object already counts as live. */
	if (!o->since && ++t->live > t->peak)
		t->peak = t->live;
	o->allocs++;
	o->since = e->ts ? e->ts : 1;
	o->cpu = e->cpu;
	o->size = e->alloc.size;
	return 0;
}

static int add_free(struct model *m, const struct event *e)
{
	struct dtype *t = model_type(m, e->free.type, 0);
	struct object *o;

	if (!t)
		return -1;
	t->frees++;
	if (chains_expect(m, e, t->index, 0, &(struct tally){ .n = 1 }))
		return -1;
	o = find_object(m, e->free.base, t->index, false);
	/* Allocated before the recording, or the allocation was lost. */
	if (!o || !o->since)
		return 0;
	objects_passed(t, e->ts);
	t->live--;
	t->lifetimes++;
	t->lifetime += e->ts - o->since;
	t->remote_frees += o->cpu != e->cpu;
	o->since = 0;
	return 0;
}

static int begin_history(struct model *m, const struct event *e)
{
	struct dtype *t = model_type(m, e->history.type, 0);

	return t ? paths_begin(m, e, t) : -1;
}

static void count_recorded(struct model *m, const struct sample_event *s)
{
	bool modified;
	const enum level level = sample_level(s, &modified);

	m->recorded++;
	m->recorded_levels += level != LEVEL_UNKNOWN;
	m->recorded_hits += level > LEVEL_UNKNOWN && level < LEVEL_PEER;
}

/**
 * model_add() - add an event
 * @model: the model
 * @e: the event; events are added in the order of time
 *
 * Return: 0, or -1 without memory.
 */
int model_add(void *model, const struct event *e)
{
	struct model *m = model;
	struct event sample;

	m->events++;
	if (e->kind != EVENT_TYPE && e->kind != EVENT_CGROUP) {
		if (!m->first_ts)
			m->first_ts = e->ts;
		m->last_ts = e->ts;
	}
	if (e->cpu >= m->nr_cpus && e->cpu < MAX_CPUS)
		m->nr_cpus = e->cpu + 1;
	if (e->kind != EVENT_CHAIN)
		chains_forget(m, e);
	switch (e->kind) {
	case EVENT_TYPE: return model_add_type(m, &e->type);
	case EVENT_SAMPLE:
		count_recorded(m, &e->sample);
		if (!filter_keeps(&m->filter, e->pid, e->cpu))
			return 0;
		sample = *e;
		sample.sample.op = op_of(&e->sample);
		/* A damaged file may name any CPU: one beyond the limit is unknown. */
		if (sample.cpu >= MAX_CPUS)
			sample.cpu = -1;
		return add_sample(m, &sample);
	case EVENT_ALLOC: return add_alloc(m, e);
	case EVENT_FREE: return add_free(m, e);
	case EVENT_HISTORY: return begin_history(m, e);
	case EVENT_ACCESS: return paths_access(m, e);
	case EVENT_HISTORY_END: return paths_end(m, e);
	case EVENT_CHAIN: return chains_add(m, e);
	case EVENT_CGROUP: return model_name_cgroup(m, &e->cgroup);
	default: return 0;
	}
}

/**
 * model_add_symbols() - add symbols of the kernel
 * @model: the model
 * @text: lines of /proc/kallsyms
 * @size: of @text
 *
 * Return: 0, or -1 without memory.
 */
int model_add_symbols(void *model, const char *text, size_t size)
{
	return symbols_add(&((struct model *)model)->symbols, text, size);
}

static void name_type(struct model *m, struct dtype *t)
{
	const struct type_event *e = model_known_type(m, t->key.id);
	char buf[32];

	if (e)
		t->event = *e;
	else if (t->key.id < NR_MEMORY_CLASSES)
		snprintf(t->event.cache, sizeof(t->event.cache), "%s", class_name[t->key.id]);
	else
		snprintf(t->event.cache, sizeof(t->event.cache), "type-%u", t->key.id);
	t->event.class = model_class_of(m, t->key.id);
	e = &t->event;
	if (t->key.symbol)
		snprintf(t->name, sizeof(t->name), "%.90s",
			 symbols_name(&m->symbols, t->key.symbol == 1 ? 0 : t->key.symbol, buf,
				      sizeof(buf)));
	else if (*e->func)
		snprintf(t->name, sizeof(t->name), "%.40s:%.50s", e->cache, e->func);
	else
		snprintf(t->name, sizeof(t->name), "%.60s", e->cache);
	if (t->key.symbol) {
		const struct symbol *s = symbols_find(&m->symbols, t->key.symbol);

		if (s && s + 1 < m->symbols.symbol + m->symbols.nr) {
			const struct symbol *next = s;

			while (next < m->symbols.symbol + m->symbols.nr && next->addr == s->addr)
				next++;
			if (next < m->symbols.symbol + m->symbols.nr &&
			    next->addr - s->addr < 1 << 24)
				t->size = next->addr - s->addr;
		}
	} else {
		t->size = e->size;
	}
}

static int by_name(const void *a, const void *b)
{
	const struct dtype *x = *(struct dtype * const *)a, *y = *(struct dtype * const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->index < y->index ? -1 : 1;
}

static bool same_name(const struct dtype *a, const struct dtype *b)
{
	return !strcmp(a->name, b->name);
}

/*
 * Add a suffix to equal names: a function may have two allocation sites, and two modules may
 * have variables of the same name.
 */
static int make_names_unique(struct model *m)
{
	struct dtype **sorted = malloc((m->nr_types + 1) * sizeof(*sorted));
	uint32_t i, from, to;

	if (!sorted)
		return -1;
	if (m->nr_types)
		memcpy(sorted, m->by_index, m->nr_types * sizeof(*sorted));
	qsort(sorted, m->nr_types, sizeof(*sorted), by_name);
	for (from = 0; from < m->nr_types; from = to) {
		for (to = from + 1; to < m->nr_types && same_name(sorted[from], sorted[to]); to++)
			;
		for (i = to - from > 1 && *sorted[from]->name ? from : to; i < to; i++) {
			struct dtype *t = sorted[i];
			size_t n = strlen(t->name);

			if (t->event.line && !t->key.symbol)
				snprintf(t->name + n, sizeof(t->name) - n, "@%u", t->event.line);
			else
				snprintf(t->name + n, sizeof(t->name) - n, "#%u", t->key.id);
		}
	}
	free(sorted);
	return 0;
}

static int by_site(const void *a, const void *b)
{
	const struct site *x = *(struct site * const *)a, *y = *(struct site * const *)b;

	if (x->key.type != y->key.type)
		return x->key.type < y->key.type ? -1 : 1;
	if (x->key.ip != y->key.ip)
		return x->key.ip < y->key.ip ? -1 : 1;
	return x->key.offset < y->key.offset ? -1 : x->key.offset > y->key.offset;
}

static int sort_sites(struct model *m)
{
	struct site *s;
	size_t n = 0;

	m->by_site = malloc((HASH_COUNT(m->sites) + 1) * sizeof(*m->by_site));
	if (!m->by_site)
		return -1;
	for (s = m->sites; s; s = s->hh.next)
		m->by_site[n++] = s;
	m->nr_sites = n;
	qsort(m->by_site, n, sizeof(*m->by_site), by_site);
	return 0;
}

/**
 * model_sites() - find the samples of a type, or of an instruction at a type
 * @m: the model, after model_end()
 * @type: index of the type
 * @ip: the instruction; 0: all of the type
 *
 * Return: index in by_site of the first one at or after @type and @ip.  The caller compares
 * the type and the ip of the entries from there on.
 */
size_t model_sites(const struct model *m, uint32_t type, uint64_t ip)
{
	size_t low = 0, high = m->nr_sites;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct site *s = m->by_site[middle];

		if (s->key.type < type || (s->key.type == type && s->key.ip < ip))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/**
 * model_end() - complete the model after the last event
 * @m: the model
 *
 * Return: 0, or -1 without memory.
 */
int model_end(struct model *m)
{
	uint32_t i;

	for (i = 0; i < m->nr_types; i++) {
		struct dtype *t = m->by_index[i];

		if (t->seen_alloc)
			objects_passed(t, m->last_ts);
		name_type(m, t);
	}
	return paths_finish(m) || model_join_types(m) || make_names_unique(m) || sort_sites(m) ?
	       -1 : 0;
}

/**
 * model_find_type() - find a type by its name
 * @m: the model, after model_end()
 * @name: its name, or the name of its C struct or cache
 *
 * Return: the type, or NULL.
 */
struct dtype *model_find_type(struct model *m, const char *name)
{
	struct dtype *found = NULL;
	uint32_t i;

	for (i = 0; i < m->nr_types; i++)
		if (!strcmp(m->by_index[i]->name, name))
			return m->by_index[i];
	for (i = 0; i < m->nr_types; i++) {
		struct dtype *t = m->by_index[i];

		if (strcmp(t->struct_name, name) && strcmp(t->event.cache, name))
			continue;
		/* If several types match, return the one with the most samples. */
		if (!found || t->sum.n > found->sum.n)
			found = t;
	}
	return found;
}

/**
 * model_has_types() - do samples have types of objects?
 * @m: the model
 *
 * Return: whether they do; of perf.data, variables and mappings stand for them.
 */
bool model_has_types(const struct model *m)
{
	return !m->by_source[SOURCE_PERF];
}

/**
 * model_seconds() - duration of the recording
 * @m: the model
 *
 * Return: seconds between its first event and its last.
 */
double model_seconds(const struct model *m)
{
	return (m->last_ts - m->first_ts) / 1e9;
}

/**
 * model_free() - free a model
 * @m: the model
 */
void model_free(struct model *m)
{
	struct object *o, *next_object;
	struct site *s, *next_site;
	struct use *u, *next_use;
	struct spot *spot, *next_spot;
	struct dtype *t, *next_type;
	struct known_type *k, *next_known;
	struct type_site *ts, *next_ts;

	paths_free(m);
	HASH_ITER(hh, m->sites, s, next_site) {
		HASH_DEL(m->sites, s);
		free(s);
	}
	HASH_ITER(hh, m->uses, u, next_use) {
		HASH_DEL(m->uses, u);
		free(u->unit);
		free(u);
	}
	turns_free(m);
	HASH_ITER(hh, m->spots, spot, next_spot) {
		HASH_DEL(m->spots, spot);
		free(spot);
	}
	HASH_ITER(hh, m->objects, o, next_object) {
		HASH_DEL(m->objects, o);
		free(o);
	}
	HASH_ITER(hh, m->types, t, next_type) {
		HASH_DEL(m->types, t);
		free(t);
	}
	free(m->by_site);
	free(m->by_index);
	HASH_ITER(hh, m->known, k, next_known) {
		HASH_DEL(m->known, k);
		free(k);
	}
	HASH_ITER(hh, m->type_sites, ts, next_ts) {
		HASH_DEL(m->type_sites, ts);
		free(ts);
	}
	model_free_cgroups(m);
	chains_free(m);
	symbols_free(&m->symbols);
}
