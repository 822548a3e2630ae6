// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Profiles for pprof: samples added up by their stack and labels.
 *
 * Memory grows with the number of different stacks and labels, not with the number of
 * samples.  Failures to allocate are kept and reported by pprof_write().
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lib/hash.h"
#include "lib/cells/utf8.h"
#include "pprof.h"
#include "profile.pb-c.h"

/* A string of the table, by its text. */
struct text {
	uint32_t index;
	char *text;
	UT_hash_handle hh;
};

/* A function, and a location, which is a line of a function. */
struct function {
	struct { uint32_t name, file; } key;
	uint64_t id;
	UT_hash_handle hh;
};

struct location {
	struct { uint64_t function, line; } key;
	uint64_t id;
	UT_hash_handle hh;
};

/* Samples of a stack with the same labels: @key has @depth, locations, then labels: key and text. */
struct stack {
	int64_t values[PPROF_MAX_VALUES];
	uint32_t depth, nr_labels;
	UT_hash_handle hh;
	uint64_t key[];
};

struct pprof {
	unsigned int nr_types;
	uint32_t types[PPROF_MAX_VALUES][2];	/* indices of strings */
	struct text *texts;
	struct function *functions;
	struct location *locations;
	struct stack *stacks;
	uint64_t begin_ns, duration_ns;
	bool no_memory;
};

static uint32_t intern(struct pprof *p, const char *text)
{
	struct text *t;
	char *clean;

	HASH_FIND_STR(p->texts, text, t);
	if (t)
		return t->index;
	/* Only valid UTF-8 may be in a profile. */
	clean = utf8_clean(text);
	if (clean)
		HASH_FIND_STR(p->texts, clean, t);
	if (!clean || t) {
		p->no_memory |= !clean;
		free(clean);
		return t ? t->index : 0;
	}
	t = calloc(1, sizeof(*t));
	if (!t) {
		free(clean);
		p->no_memory = true;
		return 0;
	}
	t->text = clean;
	t->index = HASH_COUNT(p->texts);
	HASH_ADD_KEYPTR(hh, p->texts, t->text, strlen(t->text), t);
	return t->index;
}

static uint64_t find_function(struct pprof *p, const char *name, const char *file)
{
	struct function key = { .key = { intern(p, name), intern(p, file ? file : "") } }, *f;

	HASH_FIND(hh, p->functions, &key.key, sizeof(key.key), f);
	if (f)
		return f->id;
	f = calloc(1, sizeof(*f));
	if (!f) {
		p->no_memory = true;
		return 0;
	}
	f->key = key.key;
	f->id = HASH_COUNT(p->functions) + 1;
	HASH_ADD(hh, p->functions, key, sizeof(f->key), f);
	return f->id;
}

static uint64_t find_location(struct pprof *p, const struct pprof_frame *frame)
{
	struct location key = { .key = { find_function(p, frame->function, frame->file), frame->line } }, *l;

	HASH_FIND(hh, p->locations, &key.key, sizeof(key.key), l);
	if (l)
		return l->id;
	l = calloc(1, sizeof(*l));
	if (!l) {
		p->no_memory = true;
		return 0;
	}
	l->key = key.key;
	l->id = HASH_COUNT(p->locations) + 1;
	HASH_ADD(hh, p->locations, key, sizeof(l->key), l);
	return l->id;
}

/**
 * pprof_new() - begin a profile
 * @types: what the values of its samples are; the first is what pprof shows by default
 * @nr: their number, up to PPROF_MAX_VALUES
 *
 * Return: the profile, or NULL without memory.
 */
struct pprof *pprof_new(const struct pprof_type *types, unsigned int nr)
{
	struct pprof *p = calloc(1, sizeof(*p));
	unsigned int i;

	if (!p)
		return NULL;
	intern(p, "");
	p->nr_types = nr;
	for (i = 0; i < nr; i++) {
		p->types[i][0] = intern(p, types[i].type);
		p->types[i][1] = intern(p, types[i].unit);
	}
	return p;
}

static void add_values(struct pprof *p, int64_t *sum, const int64_t *values)
{
	unsigned int i;

	for (i = 0; i < p->nr_types; i++)
		if (__builtin_add_overflow(sum[i], values[i], &sum[i]))
			sum[i] = values[i] < 0 ? INT64_MIN : INT64_MAX;
}

/**
 * pprof_add() - add a sample
 * @p: the profile
 * @s: the sample
 */
void pprof_add(struct pprof *p, const struct pprof_sample *s)
{
	uint64_t key[1 + PPROF_MAX_DEPTH + PPROF_MAX_LABELS];
	uint32_t depth = s->depth < PPROF_MAX_DEPTH ? s->depth : PPROF_MAX_DEPTH, labels = 0, i;
	struct stack *stack;
	size_t size;

	key[0] = depth;
	for (i = 0; i < depth; i++)
		key[1 + i] = find_location(p, &s->frames[i]);
	for (i = 0; i < s->nr_labels && labels < PPROF_MAX_LABELS; i++)
		if (s->labels[i].text)
			key[1 + depth + labels++] = (uint64_t)intern(p, s->labels[i].key) << 32 |
						intern(p, s->labels[i].text);
	if (p->no_memory)
		return;
	size = (1 + depth + labels) * sizeof(*key);
	HASH_FIND(hh, p->stacks, key, size, stack);
	if (!stack) {
		stack = calloc(1, sizeof(*stack) + size);
		if (!stack) {
			p->no_memory = true;
			return;
		}
		memcpy(stack->key, key, size);
		stack->depth = depth;
		stack->nr_labels = labels;
		HASH_ADD_KEYPTR(hh, p->stacks, stack->key, size, stack);
	}
	add_values(p, stack->values, s->values);
}

/**
 * pprof_times() - set when the samples were taken
 * @p: the profile
 * @begin_ns: since 1970; 0: not known
 * @duration_ns: length of the recording; 0: not known
 */
void pprof_times(struct pprof *p, uint64_t begin_ns, uint64_t duration_ns)
{
	p->begin_ns = begin_ns;
	p->duration_ns = duration_ns;
}

/* The messages of a profile: arrays of each kind, in one allocation each. */
struct message {
	Perftools__Profiles__Profile profile;
	Perftools__Profiles__ValueType types[PPROF_MAX_VALUES], *type[PPROF_MAX_VALUES];
	Perftools__Profiles__Sample *samples, **sample;
	Perftools__Profiles__Label *labels, **label;
	Perftools__Profiles__Location *locations, **location;
	Perftools__Profiles__Line *lines, **line;
	Perftools__Profiles__Function *functions, **function;
	char **strings;
	int64_t comment;
};

static int allocate(struct message *m, const struct pprof *p)
{
	size_t stacks = HASH_COUNT(p->stacks) + 1, labels = 1;
	size_t locations = HASH_COUNT(p->locations) + 1, functions = HASH_COUNT(p->functions) + 1;
	const struct stack *s;

	for (s = p->stacks; s; s = s->hh.next)
		labels += s->nr_labels;
	m->samples = calloc(stacks, sizeof(*m->samples));
	m->sample = calloc(stacks, sizeof(*m->sample));
	m->labels = calloc(labels, sizeof(*m->labels));
	m->label = calloc(labels, sizeof(*m->label));
	m->locations = calloc(locations, sizeof(*m->locations));
	m->location = calloc(locations, sizeof(*m->location));
	m->lines = calloc(locations, sizeof(*m->lines));
	m->line = calloc(locations, sizeof(*m->line));
	m->functions = calloc(functions, sizeof(*m->functions));
	m->function = calloc(functions, sizeof(*m->function));
	m->strings = calloc(HASH_COUNT(p->texts) + 1, sizeof(*m->strings));
	return m->samples && m->sample && m->labels && m->label && m->locations && m->location && m->lines &&
	       m->line && m->functions && m->function && m->strings ? 0 : -1;
}

static void release(struct message *m)
{
	free(m->samples);
	free(m->sample);
	free(m->labels);
	free(m->label);
	free(m->locations);
	free(m->location);
	free(m->lines);
	free(m->line);
	free(m->functions);
	free(m->function);
	free(m->strings);
}

static void fill_samples(struct message *m, const struct pprof *p)
{
	Perftools__Profiles__Sample *sample = m->samples;
	size_t label = 0, i;
	struct stack *s;

	for (s = p->stacks; s; s = s->hh.next, sample++) {
		perftools__profiles__sample__init(sample);
		sample->location_id = s->key + 1;
		sample->n_location_id = s->depth;
		sample->value = s->values;
		sample->n_value = p->nr_types;
		sample->label = m->label + label;
		sample->n_label = s->nr_labels;
		for (i = 0; i < s->nr_labels; i++, label++) {
			m->label[label] = &m->labels[label];
			perftools__profiles__label__init(m->label[label]);
			m->label[label]->key = s->key[1 + s->depth + i] >> 32;
			m->label[label]->str = s->key[1 + s->depth + i] & UINT32_MAX;
		}
		m->sample[sample - m->samples] = sample;
	}
	m->profile.sample = m->sample;
	m->profile.n_sample = sample - m->samples;
}

static void fill_places(struct message *m, const struct pprof *p)
{
	const struct function *f;
	const struct location *l;
	size_t i = 0;

	for (l = p->locations; l; l = l->hh.next, i++) {
		m->line[i] = &m->lines[i];
		perftools__profiles__line__init(m->line[i]);
		m->line[i]->function_id = l->key.function;
		m->line[i]->line = l->key.line;
		m->location[i] = &m->locations[i];
		perftools__profiles__location__init(m->location[i]);
		m->location[i]->id = l->id;
		m->location[i]->line = &m->line[i];
		m->location[i]->n_line = 1;
	}
	m->profile.location = m->location;
	m->profile.n_location = i;
	for (i = 0, f = p->functions; f; f = f->hh.next, i++) {
		m->function[i] = &m->functions[i];
		perftools__profiles__function__init(m->function[i]);
		m->function[i]->id = f->id;
		m->function[i]->name = f->key.name;
		m->function[i]->filename = f->key.file;
	}
	m->profile.function = m->function;
	m->profile.n_function = i;
}

static void fill(struct message *m, const struct pprof *p)
{
	const struct text *t;
	unsigned int i;

	perftools__profiles__profile__init(&m->profile);
	for (i = 0; i < p->nr_types; i++) {
		m->type[i] = &m->types[i];
		perftools__profiles__value_type__init(m->type[i]);
		m->type[i]->type = p->types[i][0];
		m->type[i]->unit = p->types[i][1];
	}
	m->profile.sample_type = m->type;
	m->profile.n_sample_type = p->nr_types;
	m->profile.default_sample_type = p->types[0][0];
	fill_samples(m, p);
	fill_places(m, p);
	for (t = p->texts; t; t = t->hh.next)
		m->strings[t->index] = t->text;
	m->profile.string_table = m->strings;
	m->profile.n_string_table = HASH_COUNT(p->texts);
	m->profile.time_nanos = p->begin_ns;
	m->profile.duration_nanos = p->duration_ns;
	m->profile.comment = &m->comment;
	m->profile.n_comment = !!m->comment;
}

/* As gzip has it.  The whole in memory, so that the reason of a failure to write is that of @out. */
static int write_compressed(uint8_t *data, size_t size, FILE *out)
{
	z_stream z = { .next_in = data };
	uint8_t part[1 << 14];
	int ret;

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return 1;
	do {
		/* zlib counts in 32 bits. */
		if (!z.avail_in) {
			z.avail_in = size < 1 << 30 ? size : 1 << 30;
			size -= z.avail_in;
		}
		z.next_out = part;
		z.avail_out = sizeof(part);
		ret = deflate(&z, size ? Z_NO_FLUSH : Z_FINISH);
		if (fwrite(part, 1, sizeof(part) - z.avail_out, out) < sizeof(part) - z.avail_out)
			break;
	} while (ret != Z_STREAM_END);
	deflateEnd(&z);
	return ret == Z_STREAM_END && !ferror(out) ? 0 : -1;
}

/**
 * pprof_write() - write the profile
 * @p: the profile
 * @comment: text that pprof -comments shows; NULL: none
 * @out: the file
 *
 * Return: 0; -1 if it cannot be written; 1 if memory ran out, now or in pprof_add().
 */
int pprof_write(struct pprof *p, const char *comment, FILE *out)
{
	struct message m = { .comment = comment ? intern(p, comment) : 0 };
	uint8_t *data = NULL;
	size_t size = 0;
	int ret = 1;

	if (!p->no_memory && !allocate(&m, p)) {
		fill(&m, p);
		size = perftools__profiles__profile__get_packed_size(&m.profile);
		data = malloc(size);
	}
	if (data) {
		perftools__profiles__profile__pack(&m.profile, data);
		ret = write_compressed(data, size, out);
	}
	free(data);
	release(&m);
	return ret;
}

/** pprof_free() - free a profile, or NULL */
void pprof_free(struct pprof *p)
{
	struct text *t, *next_text;
	struct function *f, *next_function;
	struct location *l, *next_location;
	struct stack *s, *next_stack;

	if (!p)
		return;
	HASH_ITER(hh, p->stacks, s, next_stack) {
		HASH_DEL(p->stacks, s);
		free(s);
	}
	HASH_ITER(hh, p->locations, l, next_location) {
		HASH_DEL(p->locations, l);
		free(l);
	}
	HASH_ITER(hh, p->functions, f, next_function) {
		HASH_DEL(p->functions, f);
		free(f);
	}
	HASH_ITER(hh, p->texts, t, next_text) {
		HASH_DEL(p->texts, t);
		free(t->text);
		free(t);
	}
	free(p);
}
