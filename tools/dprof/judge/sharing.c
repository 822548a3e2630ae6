// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Cache lines that several CPUs use and at least one writes, from samples alone.
 *
 * The model keeps the samples of each line by CPU, object and accessed bytes.  If a CPU
 * accesses a line that another CPU writes, the access is true sharing if it overlaps the bytes
 * that others wrote, else false sharing.
 *
 * A few samples do not show all bytes that others write.  If M samples of their stores to a
 * line of an object hit D different words, the next store is to a word without a sample with
 * a probability of about D / M (I. Good, "The population frequencies of species", Biometrika
 * 40, 1953; D is an upper bound of the number of words with one sample).  This share of an
 * access to the other words counts as true sharing if other CPUs write the word in any object
 * of the type.  If no sample shows such a write, the share is multiplied by the corresponding
 * probability for the type: words with one sampled store by stores of others, counted over
 * the line in all objects.
 */
#include <stdlib.h>
#include <string.h>

#include "order.h"
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

/* Return whether CPUs other than @cpu write the word, in any object. */
static bool others_write(const struct shared_word *w, int cpu)
{
	return w->stores && (w->several_cpus || w->store_cpu != cpu);
}

/*
 * The probability that the next store of others to this line, in any object of the type, is
 * to a word without a sampled store.
 */
static double unseen_in_type(const struct sharing *shared, const struct use *u)
{
	struct shared_word key, *w;
	double stores = 0, once = 0;
	uint64_t addr = u->key.line * LINE;
	int i;

	memset(&key.key, 0, sizeof(key.key));
	key.key.type = u->key.type;
	for (i = 0; i < LINE; i += 8) {
		/* Skip bytes of the line before the object. */
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

/* Keep the writers with the most stores, in descending order. */
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

/* Add the stores of a CPU to the words of the type. */
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

/* Keep the two writers with the most stores, in descending order. */
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

/* Add the stores of @writer to the writers of an access of @u to @bytes of the line. */
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

		/* The same bytes in two objects: memory was freed and reused, not shared. */
		if (unit->stores && !(same && other_object))
			note_writer(same ? v->same_writer : v->other_writer, &w);
	}
}

/* Count a line of memory for a line of a type's objects. */
static void count_line(struct shared_line *s, uint64_t line, const struct order *order)
{
	if (s->lines && s->last_line == line)
		return;
	s->lines++;
	s->last_line = line;
	order_add(&s->order, order);
}

/* Accesses of other CPUs to a line that a CPU uses. */
struct others {
	uint64_t written, used;		/* bytes of the line, a bit each */
	double unseen;			/* probability of a store to a word without a sample */
	bool other_object;		/* the writer with the most stores uses another object */
	struct order order;
};

/* Compare by hand-overs: a single one after many samples of another CPU tells little. */
static bool is_more(const struct shared_unit *a, const struct shared_unit *b)
{
	return !b || (a->turns != b->turns ? a->turns > b->turns : a->samples > b->samples);
}

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
	s->turns += unit->turns;
	if (unit->n > s->ip_samples) {
		s->ip_samples = unit->n;
		s->ip = unit->ip;
	}
	s->line->same += unit->n * same;
	s->line->other += unit->n * (1 - same);
	s->line->samples += unit->n;
	s->line->known += unit->known;
	s->line->turns[0] += unit->turns * same;
	s->line->turns[1] += unit->turns * (1 - same);
	s->line->other_object += others->other_object ? unit->n : 0;
	count_line(s->line, u->key.line, &others->order);
	for (i = 0; i < nr; i++)
		if (use[i]->key.cpu != u->key.cpu && use[i]->written && uses_at_once(m, u, use[i]))
			note_writers(v, u, bytes, use[i]);
	if (is_more(s, s->line->top))
		s->line->top = s;
	return 0;
}

/* A claim invalidates the copies of readers, too, so compare with all bytes that others use. */
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

/* The probability (D / M, see above) that the next store is to a word not yet written. */
static double unseen_share(uint64_t written, double stores)
{
	double words = 0;
	int i;

	for (i = 0; i < LINE; i += 8)
		words += (written >> i & 0xff) != 0;
	return words < stores ? words / stores : words > 0;
}

/* Add the uses of one line. */
static int add_line(const struct model *m, struct sharing *shared, struct use **use, size_t nr)
{
	const struct order order = order_of(use, nr);
	size_t i, j;

	for (i = 0; i < nr; i++) {
		const struct use *writer = NULL;
		struct others others = { .order = order };
		uint64_t here = 0, stores = 0;
		uint32_t k;

		for (j = 0; j < nr; j++) {
			if (use[j]->key.cpu == use[i]->key.cpu || !uses_at_once(m, use[i], use[j]))
				continue;
			others.used |= use[j]->read | use[j]->written;
			if (!use[j]->written)
				continue;
			others.written |= use[j]->written;
			/* Compare addresses only: a freed object may have another type. */
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
 * sharing_find() - find the shared lines of a recording
 * @m: the model, after model_end()
 * @shared: set to the lines and the accesses to them; the caller calls sharing_free() even
 *	after an error
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
 * sharing_of() - find the accesses to an offset of a type
 * @shared: the lines
 * @type: index of the type
 * @offset: of the accesses' first byte
 *
 * Return: the accesses, or NULL if none is to a shared line.
 */
const struct shared_unit *sharing_of(const struct sharing *shared, uint32_t type, uint32_t offset)
{
	return find_unit(shared, type, offset);
}

/**
 * sharing_share() - share of true sharing in the samples of some accesses
 * @unit: the accesses, or NULL
 * @same: set to the share, 0 to 1
 *
 * Return: true if there are samples to compute it from.
 */
bool sharing_share(const struct shared_unit *unit, double *same)
{
	if (!unit || unit->same + unit->other <= 0)
		return false;
	*same = unit->same / (unit->same + unit->other);
	return true;
}

/**
 * sharing_share_claimed() - share of true sharing in the claims of some accesses
 * @unit: the accesses, or NULL
 * @same: set to the share, 0 to 1
 *
 * Return: true if there are claims to compute it from.
 */
bool sharing_share_claimed(const struct shared_unit *unit, double *same)
{
	if (!unit || unit->claimed_same + unit->claimed_other <= 0)
		return false;
	*same = unit->claimed_same / (unit->claimed_same + unit->claimed_other);
	return true;
}

/**
 * sharing_writer() - find the writer that invalidates the line of some accesses
 * @shared: the lines
 * @type: index of the type
 * @offset: of the accesses' first byte
 * @ip: the instruction
 * @same: consider writes to the accessed bytes; else writes to other bytes of the line
 *
 * Return: the writer on other CPUs with the most stores, or NULL if no store was sampled.
 */
const struct sharer *sharing_writer(const struct sharing *shared, uint32_t type, uint32_t offset,
				    uint64_t ip, bool same)
{
	const struct shared_victim *v = get_victim((struct sharing *)shared, type, offset, ip, false);
	const struct sharer *w = !v ? NULL : same ? v->same_writer : v->other_writer;

	return w && w->stores ? w : NULL;
}

/**
 * sharing_word_writer() - find the instruction that writes a word
 * @word: the word
 * @ip: the instruction that misses; if it also writes the word, writers on its CPU are
 *	skipped
 *
 * Return: the instruction, or 0 if there is none.
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
 * sharing_written() - find the written word that an access with a sharing miss conflicts with
 * @shared: the lines
 * @type: index of the type
 * @offset, @width: the accessed bytes
 * @same: set to true if the accessed bytes are written, false if only others of the line
 *
 * For types without a line that was sampled twice.  Assumes that objects are aligned to
 * lines.
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
 * sharing_add_misses() - add sharing misses
 * @shared: the lines; the line is added if samples do not show that it is shared
 * @type: index of the type of the access that misses
 * @offset: of the access's first byte
 * @same, @other: misses by writes to the accessed bytes, and to others of the line
 * @verdict: index of the struct verdict of the misses
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
