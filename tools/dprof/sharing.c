// SPDX-License-Identifier: GPL-2.0
/*
 * Shared lines.
 *
 * Samples of each line are kept by CPU and object, with the bytes read and
 * written.  Where a line was used by two CPUs and written by one, the user's bytes
 * are either among those that others wrote (true sharing) or not (false).
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

static int by_line(const void *a, const void *b)
{
	const struct use *x = *(struct use * const *)a, *y = *(struct use * const *)b;

	if (x->key.line != y->key.line)
		return x->key.line < y->key.line ? -1 : 1;
	if (x->key.cpu != y->key.cpu)
		return x->key.cpu < y->key.cpu ? -1 : 1;
	if (x->key.base != y->key.base)
		return x->key.base < y->key.base ? -1 : 1;
	return x->key.type < y->key.type ? -1 : x->key.type > y->key.type;
}

/* Lines of an object count from where it begins, which need not be where a line does. */
static int32_t line_index(const struct use *u)
{
	return (int64_t)(u->key.line - u->key.base / LINE);
}

static struct shared_line *get(struct sharing *shared, const struct use *u)
{
	struct shared_line key, *s;

	memset(&key.key, 0, sizeof(key.key));
	key.key.type = u->key.type;
	key.key.index = line_index(u);
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

/* @unseen: the chance that a store of others is to a word that was not met. */
static int add_word(struct sharing *shared, const struct use *u, int byte, bool same,
		    double unseen, const struct shared_line *line)
{
	uint32_t offset = u->key.line * LINE + byte - u->key.base;
	struct shared_word *w = get_word(shared, u->key.type, offset / 8);
	double is = 1;

	if (!w)
		return -1;
	if (!same) {
		is = unseen;
		if (is > 0 && !others_write(w, u->key.cpu))
			is *= unseen_in_type(shared, u);
	}
	w->same += u->n * is;
	w->other += u->n * (1 - is);
	if (u->n > w->most) {
		w->most = u->n;
		w->line = line;
	}
	return 0;
}

/* Who writes what of a type's objects, whichever of them. */
static int add_stores(struct sharing *shared, const struct use *u)
{
	uint32_t offset = u->key.line * LINE - u->key.base;
	struct shared_word *w;
	int i, k;

	for (i = 0; i < LINE; i += 8) {
		if (!(u->written >> i & 0xff))
			continue;
		k = i + __builtin_ctzll(u->written >> i & 0xff);
		w = get_word(shared, u->key.type, (offset + k) / 8);
		if (!w)
			return -1;
		if (w->stores && w->store_cpu != u->key.cpu)
			w->several_cpus = true;
		w->store_cpu = u->key.cpu;
		w->stores += u->stores;
		if (u->stores > w->ip_stores) {
			w->ip_stores = u->stores;
			w->write_ip = u->write_ip;
		}
	}
	return 0;
}

/* Keep the two with the most stores, the first first. */
static void note_writer(struct shared_line *s, const struct sharer *w)
{
	struct sharer *known = s->writer;
	int i = known[0].offset == w->offset && known[0].type == w->type && known[0].stores ? 0 :
		known[1].offset == w->offset && known[1].type == w->type && known[1].stores ? 1 : -1;

	if (i >= 0)
		known[i].stores += w->stores;
	else if (w->stores > known[1].stores)
		known[1] = *w;
	if (known[1].stores > known[0].stores) {
		struct sharer first = known[1];

		known[1] = known[0];
		known[0] = first;
	}
}

static int add_user(struct sharing *shared, const struct use *u, uint64_t others, double unseen,
		    const struct use *writer, enum level beyond)
{
	uint64_t mine = u->read | u->written;
	bool other_object = writer->key.base != u->key.base || writer->key.type != u->key.type;
	struct shared_line *s = get(shared, u);
	int i;

	if (!s)
		return -1;
	for (i = 0; i < LINE; i++) {
		if (!(mine >> i & 1))
			continue;
		if (add_word(shared, u, i, others >> i & 1, unseen, s))
			return -1;
		if (others >> i & 1)
			s->same[i] += u->n;
		else
			s->other[i] += u->n;
	}
	s->samples += u->n;
	s->misses += u->misses[beyond];
	if (!s->lines || s->last_line != u->key.line)
		s->lines++;
	s->last_line = u->key.line;
	s->other_object += other_object ? u->n : 0;
	if (u->n > s->ip_samples) {
		s->ip_samples = u->n;
		s->ip = u->read_ip ? u->read_ip : u->write_ip;
	}
	note_writer(s, &(struct sharer){
		.type = writer->key.type, .ip = writer->write_ip, .stores = writer->stores,
		.other_object = other_object,
		.offset = writer->key.line * LINE + __builtin_ctzll(writer->written) -
			  writer->key.base,
	});
	return 0;
}

static bool at_once(const struct model *m, const struct use *a, const struct use *b)
{
	const struct dtype *x = m->by_index[a->key.type], *y = m->by_index[b->key.type];

	return x == y || (x->first_sample <= y->last_sample && y->first_sample <= x->last_sample);
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
static int add_line(const struct model *m, struct sharing *shared, struct use **use, size_t nr,
		    enum level beyond)
{
	size_t i, j;

	for (i = 0; i < nr; i++) {
		const struct use *writer = NULL;
		uint64_t others = 0, here = 0, stores = 0;

		for (j = 0; j < nr; j++) {
			if (use[j]->key.cpu == use[i]->key.cpu || !use[j]->written ||
			    !at_once(m, use[i], use[j]))
				continue;
			others |= use[j]->written;
			/* Freed objects have a type of their own. */
			if (use[j]->key.base == use[i]->key.base) {
				here |= use[j]->written;
				stores += use[j]->stores;
			}
			if (!writer || use[j]->stores > writer->stores)
				writer = use[j];
		}
		if (writer && add_user(shared, use[i], others, unseen_share(here, stores), writer,
				       beyond))
			return -1;
	}
	return 0;
}

/* The same address in two processes, or of two CPUs' devices, is not the same memory. */
static bool has_own_address(const struct model *m, const struct use *u)
{
	enum memory_class class = m->by_index[u->key.type]->event.class;

	return class != CLASS_USER && class != CLASS_FIXMAP;
}

/**
 * sharing_find() - the shared lines of a recording
 * @m: the model, ended
 * @beyond: misses are accesses that this level had not
 * @shared: the lines, and words of objects on them; to be freed, even after an error
 *
 * Return: 0, or -1 without memory.
 */
int sharing_find(struct model *m, enum level beyond, struct sharing *shared)
{
	size_t nr = HASH_COUNT(m->uses), n = 0, from, to;
	struct use **use = malloc((nr + 1) * sizeof(*use)), *u;
	int ret = 0;

	memset(shared, 0, sizeof(*shared));
	if (!use)
		return -1;
	for (u = m->uses; u; u = u->hh.next) {
		if (!has_own_address(m, u))
			continue;
		use[n++] = u;
		if (u->written && !ret)
			ret = add_stores(shared, u);
	}
	nr = n;
	if (nr)
		qsort(use, nr, sizeof(*use), by_line);
	for (from = 0; from < nr && !ret; from = to) {
		for (to = from; to < nr && use[to]->key.line == use[from]->key.line; to++)
			;
		ret = add_line(m, shared, use + from, to - from, beyond);
	}
	free(use);
	return ret;
}

/**
 * sharing_of() - the shared line at an offset of a type
 * @shared: the lines
 * @type: index of the type
 * @offset: bytes
 *
 * Return: the line, or NULL if it is not shared.
 */
const struct shared_line *sharing_of(const struct sharing *shared, uint32_t type, uint32_t offset)
{
	struct shared_word key, *w;

	memset(&key.key, 0, sizeof(key.key));
	key.key.type = type;
	key.key.index = offset / 8;
	HASH_FIND(hh, shared->words, &key.key, sizeof(key.key), w);
	return w ? w->line : NULL;
}

/**
 * sharing_share() - is the sharing of some bytes true or false?
 * @shared: the lines
 * @type: index of the type
 * @offset, @width: the bytes
 * @same: the share of it that is true, 0 to 1
 *
 * Return: whether the bytes are on a shared line.
 */
bool sharing_share(const struct sharing *shared, uint32_t type, uint32_t offset, uint32_t width,
		   double *same)
{
	uint32_t last = offset + (width ? width : 1) - 1, i;
	struct shared_word key, *w;
	double t = 0, f = 0;

	memset(&key.key, 0, sizeof(key.key));
	key.key.type = type;
	for (i = offset / 8; i <= last / 8; i++) {
		key.key.index = i;
		HASH_FIND(hh, shared->words, &key.key, sizeof(key.key), w);
		t += w ? w->same : 0;
		f += w ? w->other : 0;
	}
	if (t + f == 0)
		return false;
	*same = t / (t + f);
	return true;
}

/**
 * sharing_writer() - whose writes some bytes of a line suffer from
 * @line: the shared line
 * @offset, @width: the bytes, of an object of its type
 * @same: by writes to the same bytes; else by those to others
 *
 * Return: the writer with the most stores that fits, or NULL if none that was met does.
 */
const struct sharer *sharing_writer(const struct shared_line *line, uint32_t offset, uint32_t width,
				    bool same)
{
	const struct sharer *w = line->writer;
	bool first = !w[0].other_object && w[0].offset < offset + (width ? width : 1) &&
		     offset < w[0].offset + 8;

	if (w[1].stores && first != same)
		return &w[1];
	return first || !same ? &w[0] : NULL;
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
 * sharing_free() - free shared lines
 * @shared: the lines
 */
void sharing_free(struct sharing *shared)
{
	struct shared_line *s, *next;
	struct shared_word *w, *next_word;

	HASH_ITER(hh, shared->lines, s, next) {
		HASH_DEL(shared->lines, s);
		free(s);
	}
	HASH_ITER(hh, shared->words, w, next_word) {
		HASH_DEL(shared->words, w);
		free(w);
	}
}
