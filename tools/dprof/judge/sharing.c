// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Cache lines that several CPUs use and one writes, from samples alone.
 *
 * Samples of each line are kept by CPU, object and the bytes accessed.  Where a line was
 * used by two CPUs and written by one, an access overlaps what others wrote (true
 * sharing) or does not (false).
 *
 * A few samples do not meet all that others write.  If M samples of their stores to a
 * line of an object met D different words, the next one is to another word with a chance
 * of some D / M (I. Good, "The population frequencies of species", Biometrika 40, 1953; D
 * is at least the number of words met once).  So much of a user's other words is true
 * sharing, too, if others write these words in any object of the type; and if no sample
 * met such a write, so much of it as the samples of the line in all objects leave room for.
 */
#include <stdlib.h>
#include <string.h>

#include "sharing.h"

static struct shared_line *get_line(struct sharing *shared, uint32_t type, uint32_t index)
{
	struct shared_line key, *s;

	memset(&key.key, 0, sizeof(key.key));
	key.key.type = type;
	key.key.index = index;
	HASH_FIND(hh, shared->lines, &key.key, sizeof(key.key), s);
	if (s)
		return s;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->key = key.key;
	HASH_ADD(hh, shared->lines, key, sizeof(s->key), s);
	return s;
}

static struct shared_unit *find_unit(const struct sharing *shared, uint32_t type, uint32_t offset)
{
	struct shared_unit key, *u;

	memset(&key.key, 0, sizeof(key.key));
	key.key.type = type;
	key.key.offset = offset;
	HASH_FIND(hh, shared->units, &key.key, sizeof(key.key), u);
	return u;
}

static struct shared_unit *get_unit(struct sharing *shared, uint32_t type, uint32_t offset)
{
	struct shared_unit *u = find_unit(shared, type, offset);

	if (u)
		return u;
	u = calloc(1, sizeof(*u));
	if (!u)
		return NULL;
	u->key.type = type;
	u->key.offset = offset;
	u->line = get_line(shared, type, offset / LINE);
	if (!u->line) {
		free(u);
		return NULL;
	}
	HASH_ADD(hh, shared->units, key, sizeof(u->key), u);
	return u;
}

static struct shared_victim *get_victim(struct sharing *shared, uint32_t type, uint32_t offset,
					uint64_t ip, bool make)
{
	struct shared_victim key, *v;

	memset(&key.key, 0, sizeof(key.key));
	key.key.type = type;
	key.key.offset = offset;
	key.key.ip = ip;
	HASH_FIND(hh, shared->victims, &key.key, sizeof(key.key), v);
	if (v || !make)
		return v;
	v = calloc(1, sizeof(*v));
	if (!v)
		return NULL;
	v->key = key.key;
	HASH_ADD(hh, shared->victims, key, sizeof(v->key), v);
	return v;
}

static struct shared_word *get_word(struct sharing *shared, uint32_t type, uint32_t index)
{
	struct shared_word key, *w;

	memset(&key.key, 0, sizeof(key.key));
	key.key.type = type;
	key.key.index = index;
	HASH_FIND(hh, shared->words, &key.key, sizeof(key.key), w);
	if (w)
		return w;
	w = calloc(1, sizeof(*w));
	if (!w)
		return NULL;
	w->key = key.key;
	HASH_ADD(hh, shared->words, key, sizeof(w->key), w);
	return w;
}

/* Whether CPUs other than this one write the word, in any object. */
static bool others_write(const struct shared_word *w, int cpu)
{
	return w->stores && (w->several_cpus || w->store_cpu != cpu);
}

/* The chance that the next store of others to the line, of any object, is to an unmet word. */
static double unseen_in_type(const struct sharing *shared, const struct use *u)
{
	struct shared_word key, *w;
	double stores = 0, once = 0;
	uint64_t addr = u->key.line * LINE;
	int i;

	memset(&key.key, 0, sizeof(key.key));
	key.key.type = u->key.type;
	for (i = 0; i < LINE; i += 8) {
		/* A line may begin before the object does. */
		if (addr + i < u->key.base)
			continue;
		key.key.index = (addr + i - u->key.base) / 8;
		HASH_FIND(hh, shared->words, &key.key, sizeof(key.key), w);
		if (!w || !others_write(w, u->key.cpu))
			continue;
		stores += w->stores;
		once += w->stores == 1;
	}
	return stores > 0 ? once / stores : 1;
}

/* Keep those with the most stores, the first first. */
static void note_store(struct shared_word *w, uint64_t ip, int cpu, uint64_t stores)
{
	int i;

	for (i = 0; i < WORD_WRITERS - 1 && w->writer[i].stores; i++)
		if (w->writer[i].ip == ip && w->writer[i].cpu == cpu)
			break;
	if (w->writer[i].ip == ip && w->writer[i].cpu == cpu) {
		w->writer[i].stores += stores;
	} else if (stores > w->writer[i].stores) {
		w->writer[i].ip = ip;
		w->writer[i].cpu = cpu;
		w->writer[i].stores = stores;
	}
	for (; i && w->writer[i].stores > w->writer[i - 1].stores; i--) {
		typeof(w->writer[0]) less = w->writer[i - 1];

		w->writer[i - 1] = w->writer[i];
		w->writer[i] = less;
	}
}

/* Who writes what of a type's objects, whichever of them. */
static int add_stores(struct sharing *shared, const struct use *u)
{
	uint32_t offset = u->key.line * LINE - u->key.base, i, k, last;
	struct shared_word *w;

	for (i = 0; i < u->nr_units; i++) {
		const struct unit *unit = &u->unit[i];

		if (!unit->stores)
			continue;
		last = (offset + unit->first + unit->width - 1) / 8;
		for (k = (offset + unit->first) / 8; k <= last; k++) {
			w = get_word(shared, u->key.type, k);
			if (!w)
				return -1;
			if (w->stores && w->store_cpu != u->key.cpu)
				w->several_cpus = true;
			w->store_cpu = u->key.cpu;
			w->stores += unit->stores;
			note_store(w, unit->ip, u->key.cpu, unit->stores);
		}
	}
	return 0;
}

/* Keep the two with the most stores, the first first. */
static void note_writer(struct sharer *known, const struct sharer *w)
{
	int i;

	for (i = 0; i < 2; i++)
		if (known[i].stores && known[i].offset == w->offset && known[i].type == w->type)
			break;
	if (i < 2)
		known[i].stores += w->stores;
	else if (w->stores > known[1].stores)
		known[1] = *w;
	if (known[1].stores > known[0].stores) {
		struct sharer first = known[1];

		known[1] = known[0];
		known[0] = first;
	}
}

/* The writers of a line, for an access of @u that is to @bytes of it. */
static void note_writers(struct shared_victim *v, const struct use *u, uint64_t bytes,
			 const struct use *writer)
{
	bool other_object = writer->key.base != u->key.base || writer->key.type != u->key.type;
	uint32_t i;

	for (i = 0; i < writer->nr_units; i++) {
		const struct unit *unit = &writer->unit[i];
		bool same = unit_bytes(unit) & bytes;
		struct sharer w = {
			.type = writer->key.type, .ip = unit->ip, .stores = unit->stores,
			.offset = writer->key.line * LINE + unit->first - writer->key.base,
			.other_object = other_object,
		};

		/* The same bytes of two objects: memory that was used again. */
		if (unit->stores && !(same && other_object))
			note_writer(same ? v->same_writer : v->other_writer, &w);
	}
}

/* What others do to a line that a CPU uses. */
struct others {
	uint64_t written, used;		/* bytes */
	double unseen;			/* the chance that the next store is to an unmet word */
	bool other_object;		/* the one with the most stores is */
};

static int add_unit(const struct model *m, struct sharing *shared, const struct use *u,
		    const struct unit *unit, const struct others *others, struct use **use, size_t nr)
{
	uint32_t offset = u->key.line * LINE + unit->first - u->key.base;
	struct shared_unit *s = get_unit(shared, u->key.type, offset);
	const struct shared_word *w = get_word(shared, u->key.type, offset / 8);
	struct shared_victim *v = get_victim(shared, u->key.type, offset, unit->ip, true);
	uint64_t bytes = unit_bytes(unit);
	double same = 1;
	size_t i;

	if (!s || !w || !v)
		return -1;
	if (!(bytes & others->written)) {
		same = others->unseen;
		if (same > 0 && !others_write(w, u->key.cpu))
			same *= unseen_in_type(shared, u);
	}
	s->same += unit->n * same;
	s->other += unit->n * (1 - same);
	s->samples += unit->n;
	if (unit->n > s->ip_samples) {
		s->ip_samples = unit->n;
		s->ip = unit->ip;
	}
	s->line->same += unit->n * same;
	s->line->other += unit->n * (1 - same);
	s->line->samples += unit->n;
	s->line->other_object += others->other_object ? unit->n : 0;
	if (!s->line->lines || s->line->last_line != u->key.line)
		s->line->lines++;
	s->line->last_line = u->key.line;
	for (i = 0; i < nr; i++)
		if (use[i]->key.cpu != u->key.cpu && use[i]->written && uses_at_once(m, u, use[i]))
			note_writers(v, u, bytes, use[i]);
	if (!s->line->top || s->samples > s->line->top->samples)
		s->line->top = s;
	return 0;
}

/* Who wants to write takes the line from those who read it, too. */
static int add_claims(struct sharing *shared, const struct use *u, const struct others *others)
{
	uint32_t offset = u->key.line * LINE - u->key.base, i;

	for (i = 0; i < u->nr_units && u->claimed && others->used; i++) {
		const struct unit *unit = &u->unit[i];
		struct shared_unit *s;

		if (!unit->claims)
			continue;
		s = get_unit(shared, u->key.type, offset + unit->first);
		if (!s)
			return -1;
		if (unit_bytes(unit) & others->used)
			s->claimed_same += unit->claims;
		else
			s->claimed_other += unit->claims;
	}
	return 0;
}

/* The chance that the next store is to another word than those written. */
static double unseen_share(uint64_t written, double stores)
{
	double words = 0;
	int i;

	for (i = 0; i < LINE; i += 8)
		words += (written >> i & 0xff) != 0;
	return words < stores ? words / stores : words > 0;
}

/* The uses of one line. */
static int add_line(const struct model *m, struct sharing *shared, struct use **use, size_t nr)
{
	size_t i, j;

	for (i = 0; i < nr; i++) {
		const struct use *writer = NULL;
		struct others others = { };
		uint64_t here = 0, stores = 0;
		uint32_t k;

		for (j = 0; j < nr; j++) {
			if (use[j]->key.cpu == use[i]->key.cpu || !uses_at_once(m, use[i], use[j]))
				continue;
			others.used |= use[j]->read | use[j]->written;
			if (!use[j]->written)
				continue;
			others.written |= use[j]->written;
			/* Freed objects have a type of their own. */
			if (use[j]->key.base == use[i]->key.base) {
				here |= use[j]->written;
				stores += use[j]->stores;
			}
			if (!writer || use[j]->stores > writer->stores)
				writer = use[j];
		}
		if (add_claims(shared, use[i], &others))
			return -1;
		if (!writer)
			continue;
		others.unseen = unseen_share(here, stores);
		others.other_object = writer->key.base != use[i]->key.base ||
				      writer->key.type != use[i]->key.type;
		for (k = 0; k < use[i]->nr_units; k++)
			if (add_unit(m, shared, use[i], &use[i]->unit[k], &others, use, nr))
				return -1;
	}
	return 0;
}

/**
 * sharing_find() - the shared lines of a recording
 * @m: the model, ended
 * @shared: the lines, and accesses to them; to be freed, even after an error
 *
 * Return: 0, or -1 without memory.
 */
int sharing_find(struct model *m, struct sharing *shared)
{
	size_t nr, from, to;
	struct use **use;
	int ret = 0;

	memset(shared, 0, sizeof(*shared));
	use = uses_by_line(m, &nr);
	if (!use)
		return -1;
	for (from = 0; from < nr && !ret; from++)
		if (use[from]->written)
			ret = add_stores(shared, use[from]);
	for (from = 0; from < nr && !ret; from = to) {
		for (to = from; to < nr && uses_same_line(use[to], use[from]); to++)
			;
		ret = add_line(m, shared, use + from, to - from);
	}
	free(use);
	return ret;
}

/**
 * sharing_of() - the accesses to a place of a type
 * @shared: the lines
 * @type: index of the type
 * @offset: where they begin
 *
 * Return: the accesses, or NULL if none was to a shared line.
 */
const struct shared_unit *sharing_of(const struct sharing *shared, uint32_t type, uint32_t offset)
{
	return find_unit(shared, type, offset);
}

/**
 * sharing_share() - is the sharing of some accesses true or false?
 * @unit: the accesses, or NULL
 * @same: the share of it that is true, 0 to 1
 *
 * Return: whether samples have it.
 */
bool sharing_share(const struct shared_unit *unit, double *same)
{
	if (!unit || unit->same + unit->other <= 0)
		return false;
	*same = unit->same / (unit->same + unit->other);
	return true;
}

/**
 * sharing_share_claimed() - are claims of lines by true or false sharing?
 * @unit: the accesses, or NULL
 * @same: the share of them that is by true sharing, 0 to 1
 *
 * Return: whether samples have it.
 */
bool sharing_share_claimed(const struct shared_unit *unit, double *same)
{
	if (!unit || unit->claimed_same + unit->claimed_other <= 0)
		return false;
	*same = unit->claimed_same / (unit->claimed_same + unit->claimed_other);
	return true;
}

/**
 * sharing_writer() - whose writes some accesses suffer from
 * @shared: the lines
 * @type: index of the type
 * @offset: where the accesses begin
 * @ip: the instruction
 * @same: by writes to the same bytes; else by those to others of the line
 *
 * Return: the writer on other CPUs with the most stores, or NULL if none was met.
 */
const struct sharer *sharing_writer(const struct sharing *shared, uint32_t type, uint32_t offset,
				    uint64_t ip, bool same)
{
	const struct shared_victim *v = get_victim((struct sharing *)shared, type, offset, ip, false);
	const struct sharer *w = !v ? NULL : same ? v->same_writer : v->other_writer;

	return w && w->stores ? w : NULL;
}

/**
 * sharing_word_writer() - who writes a word
 * @word: the word
 * @ip: an instruction that misses it; if it writes it, too, the writer is on another CPU
 *
 * Return: the instruction, or 0 if none was met.
 */
uint64_t sharing_word_writer(const struct shared_word *word, uint64_t ip)
{
	int i, own;

	for (own = 0; own < WORD_WRITERS; own++)
		if (word->writer[own].stores && word->writer[own].ip == ip)
			break;
	for (i = 0; i < WORD_WRITERS && own < WORD_WRITERS; i++)
		if (word->writer[i].stores && word->writer[i].cpu != word->writer[own].cpu)
			return word->writer[i].ip;
	return own < WORD_WRITERS ? 0 : word->writer[0].ip;
}

/**
 * sharing_written() - who writes what others miss
 * @shared: the lines
 * @type: index of the type
 * @offset, @width: the bytes that are missed
 * @same: whether it is these bytes that are written, rather than others of the line
 *
 * For objects of which no line was sampled twice. Lines are those of objects that begin
 * where one does.
 *
 * Return: the word with the most stores, of any object, or NULL.
 */
const struct shared_word *sharing_written(const struct sharing *shared, uint32_t type,
					  uint32_t offset, uint32_t width, bool *same)
{
	uint32_t last = (offset + (width ? width : 1) - 1) / 8, line = offset / LINE * (LINE / 8), i;
	struct shared_word key, *w, *best = NULL;

	memset(&key.key, 0, sizeof(key.key));
	key.key.type = type;
	*same = false;
	for (i = line; i < line + LINE / 8; i++) {
		bool here = i >= offset / 8 && i <= last;

		key.key.index = i;
		HASH_FIND(hh, shared->words, &key.key, sizeof(key.key), w);
		if (!w || !w->stores || (*same && !here))
			continue;
		if (!best || (here && !*same) || w->stores > best->stores)
			best = w;
		*same |= here;
	}
	return best;
}

/**
 * sharing_add_misses() - add misses that are by sharing
 * @shared: the lines; what no sample showed to be shared is added
 * @type: index of the type that is missed
 * @offset: where
 * @same, @other: misses by writes to the same bytes, and to others of the line
 * @verdict: what says so
 *
 * Return: 0, or -1 without memory.
 */
int sharing_add_misses(struct sharing *shared, uint32_t type, uint32_t offset, double same,
		       double other, size_t verdict)
{
	struct shared_unit *u;

	if (same + other <= 0)
		return 0;
	u = get_unit(shared, type, offset);
	if (!u)
		return -1;
	u->misses += same + other;
	u->line->misses[0] += same;
	u->line->misses[1] += other;
	if (same + other > u->verdict_misses) {
		u->verdict_misses = same + other;
		u->verdict = verdict;
	}
	if (!u->line->top || u->misses > u->line->top->misses)
		u->line->top = u;
	return 0;
}

/**
 * sharing_free() - free shared lines
 * @shared: the lines
 */
void sharing_free(struct sharing *shared)
{
	struct shared_line *s, *next;
	struct shared_unit *u, *next_unit;
	struct shared_victim *v, *next_victim;
	struct shared_word *w, *next_word;

	HASH_ITER(hh, shared->lines, s, next) {
		HASH_DEL(shared->lines, s);
		free(s);
	}
	HASH_ITER(hh, shared->units, u, next_unit) {
		HASH_DEL(shared->units, u);
		free(u);
	}
	HASH_ITER(hh, shared->victims, v, next_victim) {
		HASH_DEL(shared->victims, v);
		free(v);
	}
	HASH_ITER(hh, shared->words, w, next_word) {
		HASH_DEL(shared->words, w);
		free(w);
	}
}
