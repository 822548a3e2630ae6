// SPDX-License-Identifier: GPL-2.0
/*
 * The cache simulation.
 *
 * The paper picks objects and paths at random and plays them.  Here they also
 * overlap in time as they did in the recording: objects begin at random times, as
 * many in a second as were allocated, and each access comes its time after the
 * allocation.  What lives long is then in the caches with what is fast, or is not
 * any more.  Data without path traces, such as variables, are accessed as often,
 * and by the CPUs, as the samples of their lines say.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

/* A loop that turns longer says nothing new. */
#define MAX_TURNS	16
/* How often the caches' contents are looked at. */
#define SNAPSHOTS	64
/* Without a better estimate, accesses that a sample stands for. */
#define DEFAULT_PER_SAMPLE	1000

struct step {
	double time;
	uint64_t addr, base;
	struct actor actor;
	uint16_t cpu;
	uint8_t len, op;		/* op: 0 for free */
	uint64_t written;		/* of a sampled line: its bytes */
};

struct schedule {
	struct step *step;
	size_t nr, room;
};

/* Objects of a type, with how often each was allocated summed up. */
struct pool {
	struct { uint64_t base; uint32_t size; int32_t cpu; double until; } *object;
	uint64_t *upto, nr;
};

static uint64_t next_random(uint64_t *state)
{
	/* SplitMix64 (Steele, Lea, Flood 2014). */
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static double next_share(uint64_t *state)
{
	return (next_random(state) >> 11) * 0x1p-53;
}

static int add_step(struct schedule *s, const struct step *step)
{
	if (s->nr == s->room) {
		size_t room = s->room * 2 + 4096;
		struct step *grown = realloc(s->step, room * sizeof(*grown));

		if (!grown)
			return -1;
		s->step = grown;
		s->room = room;
	}
	s->step[s->nr++] = *step;
	return 0;
}

/* The addresses of a type's objects: of the address set, or those that samples saw. */
static int fill_pool(struct model *m, uint32_t type, struct pool *pool)
{
	uint64_t room = 0, sum = 0;
	struct object *o;
	struct use *u;

	memset(pool, 0, sizeof(*pool));
	for (o = m->objects; o; o = o->hh.next)
		room += o->key.type == type;
	if (!room)
		for (u = m->uses; u; u = u->hh.next)
			room += u->key.type == type;
	pool->object = calloc(room + 1, sizeof(*pool->object));
	pool->upto = calloc(room + 1, sizeof(*pool->upto));
	if (!pool->object || !pool->upto)
		return -1;
	for (o = m->objects; o; o = o->hh.next) {
		if (o->key.type != type)
			continue;
		pool->object[pool->nr].base = o->key.base;
		pool->object[pool->nr].size = o->size;
		pool->object[pool->nr].cpu = o->cpu;
		pool->upto[pool->nr++] = sum += o->allocs;
	}
	if (pool->nr)
		return 0;
	for (u = m->uses; u; u = u->hh.next) {
		if (u->key.type != type || !u->key.base)
			continue;
		pool->object[pool->nr].base = u->key.base;
		pool->object[pool->nr].cpu = u->key.cpu;
		pool->upto[pool->nr++] = sum += u->n;
	}
	/* Watched, but never seen: anywhere. */
	if (!pool->nr) {
		pool->object[0].base = 0xffff000000000000ULL + ((uint64_t)type << 24);
		pool->upto[pool->nr++] = 1;
	}
	return 0;
}

static void free_pool(struct pool *pool)
{
	free(pool->object);
	free(pool->upto);
}

/* By weight, one that is not live at the time if there is one at hand. */
static uint64_t pick(struct pool *pool, double time, uint64_t *random)
{
	uint64_t low = 0, high, want;
	int tries;

	for (tries = 0; tries < 8; tries++) {
		want = next_random(random) % pool->upto[pool->nr - 1];
		for (low = 0, high = pool->nr; low < high; ) {
			uint64_t middle = (low + high) / 2;

			if (pool->upto[middle] <= want)
				low = middle + 1;
			else
				high = middle;
		}
		if (pool->object[low].until <= time)
			break;
	}
	return low;
}

static uint64_t times(const struct element *e)
{
	return e->repeats < 1 ? 1 : e->repeats > MAX_TURNS ? MAX_TURNS : e->repeats;
}

/* Accesses that play_object() makes of a trace. */
static double steps_of(const struct trace *t)
{
	double n = 1;
	uint32_t i, k;

	for (i = 0; i < t->nr; i++) {
		n += times(&t->element[i]);
		if (!t->element[i].loop || t->element[i].loop > i + 1)
			continue;
		for (k = 0; k < t->element[i].loop; k++)
			n += (t->element[i].turns > MAX_TURNS ? MAX_TURNS : t->element[i].turns) *
			     times(&t->element[i - k]);
	}
	return n;
}

struct player {
	struct schedule *schedule;
	const struct trace *trace;
	uint32_t index;			/* of the trace */
	uint64_t base;
	double begin;
	int cpu, nr_cpus;		/* cpu: where it is allocated */
};

static int play_element(struct player *p, uint32_t i, double time)
{
	const struct element *e = &p->trace->element[i];
	struct step step = {
		.time = p->begin + time, .addr = p->base + e->offset, .base = p->base,
		.actor = { p->trace->type, p->index, i },
		.cpu = (p->cpu + e->cpu) % p->nr_cpus,
		.len = e->len ? e->len : 1, .op = e->op ? e->op : OP_LOAD,
	};
	uint64_t k;

	for (k = 0; k < times(e); k++) {
		/* Apart by less than what was recorded can be. */
		step.time += k * 1e-3;
		if (add_step(p->schedule, &step))
			return -1;
	}
	return 0;
}

static int play_object(struct player *p)
{
	const struct trace *t = p->trace;
	uint64_t turn, turns;
	uint32_t i, k;

	for (i = 0; i < t->nr; i++) {
		const struct element *e = &t->element[i];
		double since = e->since, next;

		if (play_element(p, i, since))
			return -1;
		if (!e->loop || e->loop > i + 1)
			continue;
		/* The turns fill the time until what comes after the loop. */
		turns = e->turns > MAX_TURNS ? MAX_TURNS : e->turns;
		next = i + 1 < t->nr ? t->element[i + 1].since : t->end;
		for (turn = 1; turn < turns; turn++)
			for (k = 0; k < e->loop; k++)
				if (play_element(p, i + 1 + k - e->loop,
						 since + (next - since) * (turn + (double)k / e->loop) /
						 (turns + 1)))
					return -1;
	}
	return 0;
}

/* How many of a type begin in the recording. */
static double objects_of(const struct sim *s, const struct dtype *t)
{
	const struct sim_type *st = &s->type[t->index];
	double accesses = 0;
	size_t i;

	if (t->allocs)
		return t->allocs;
	/* Not in the address set: as many as its samples come of. */
	for (i = 0; i < st->nr_traces; i++)
		accesses += s->traces->trace[st->first_trace + i].frequency *
			    s->traces->trace[st->first_trace + i].accesses;
	if (t->sum.n && accesses > 0 && t->sum.n * s->per_sample / accesses > t->histories)
		return t->sum.n * s->per_sample / accesses;
	return t->histories;
}

/*
 * Accesses that a sample stands for: of the types whose allocations are all known,
 * accesses at the watched offsets and samples of the same.
 */
static double estimate_per_sample(struct sim *s, struct model *m)
{
	double accesses = 0, samples = 0;
	size_t i;
	uint32_t k;

	for (i = 0; i < s->traces->nr; i++) {
		const struct trace *t = &s->traces->trace[i];
		const struct dtype *type = m->by_index[t->type];
		struct tally sum;

		if (!type->allocs)
			continue;
		accesses += type->allocs * t->frequency * t->accesses;
		for (k = 0; k < t->nr; k++) {
			site_tally(m, t->type, &t->element[k], &sum);
			samples += sum.n * t->frequency;
		}
	}
	return samples >= 1 && accesses > samples ? accesses / samples : DEFAULT_PER_SAMPLE;
}

static int schedule_type(struct sim *s, struct model *m, const struct dtype *t, double span,
			 struct schedule *schedule, uint64_t *random)
{
	const struct sim_type *st = &s->type[t->index];
	double duration = m->last_ts - m->first_ts, begin;
	int nr_cpus = m->nr_cpus ? m->nr_cpus : 1;
	struct pool pool;
	uint64_t n, i;
	int ret = 0;

	if (fill_pool(m, t->index, &pool)) {
		free_pool(&pool);
		return -1;
	}
	n = objects_of(s, t) * span / (duration > 0 ? duration : 1) + next_share(random);
	if (!n)
		n = 1;
	for (i = 0, begin = 0; i < n && !ret; i++) {
		double share = next_share(random);
		size_t k = st->first_trace;
		struct player p = { .schedule = schedule, .nr_cpus = nr_cpus };
		uint64_t object;

		/* Evenly, each somewhere in its part of the span: steady, and sorted. */
		begin = span * (i + next_share(random)) / n;
		while (k + 1 < st->first_trace + st->nr_traces &&
		       share >= s->traces->trace[k].frequency)
			share -= s->traces->trace[k++].frequency;
		object = pick(&pool, begin, random);
		p.trace = &s->traces->trace[k];
		p.index = k;
		p.base = pool.object[object].base;
		p.begin = begin;
		p.cpu = pool.object[object].cpu >= 0 ? pool.object[object].cpu % nr_cpus :
						       (int)(next_random(random) % nr_cpus);
		pool.object[object].until = begin + p.trace->end;
		ret = play_object(&p);
		if (!ret && s->options.remove_freed && p.trace->how == HISTORY_FREED) {
			const struct step end = {
				.time = begin + p.trace->end, .base = p.base,
				.actor = { t->index, k, 0 }, .addr = t->size,
			};

			ret = add_step(schedule, &end);
		}
	}
	free_pool(&pool);
	return ret;
}

/* Return 1 the first time something is in a set, then 0; -1 without memory. */
static int first_time(struct sim_seen **seen, uint64_t what, uint32_t type, uint32_t set)
{
	struct sim_seen key, *found;

	memset(&key.key, 0, sizeof(key.key));
	key.key.what = what;
	key.key.type = type;
	key.key.set = set;
	HASH_FIND(hh, *seen, &key.key, sizeof(key.key), found);
	if (found)
		return 0;
	found = malloc(sizeof(*found));
	if (!found)
		return -1;
	found->key = key.key;
	HASH_ADD(hh, *seen, key, sizeof(found->key), found);
	return 1;
}

static void free_seen(struct sim_seen **seen)
{
	struct sim_seen *s, *next;

	HASH_ITER(hh, *seen, s, next) {
		HASH_DEL(*seen, s);
		free(s);
	}
}

/*
 * The lines of a type that its samples come of.  Those that no sample met are as many
 * as the numbers of lines met once and twice let expect (A. Chao, "Nonparametric
 * Estimation of the Number of Classes in a Population", 1984, bias-corrected); of types
 * in the address set it is known how many objects there were.
 */
struct footprint {
	uint64_t met, once, twice, objects;
	uint64_t set_met;		/* associativity sets of those met */
	double copies;			/* lines for each that was met */
	bool keeps_sets;		/* they are in fewer sets than chance would have */
};

static int find_footprints(const struct sim *s, struct model *m, struct footprint *f)
{
	double most = 4.0 * s->options.geometry.size / LINE;
	struct sim_seen *sets = NULL, *objects = NULL;
	struct use *u;
	uint32_t i;
	int new = 0;

	for (u = m->uses; u && new >= 0; u = u->hh.next) {
		struct footprint *t = &f[u->key.type];

		t->met++;
		t->once += u->n == 1;
		t->twice += u->n == 2;
		new = first_time(&sets, 0, u->key.type, u->key.line & (s->sets - 1));
		t->set_met += new > 0;
		if (new >= 0) {
			new = first_time(&objects, u->key.base, u->key.type, 0);
			t->objects += new > 0;
		}
	}
	free_seen(&sets);
	free_seen(&objects);
	for (i = 0; i < m->nr_types && new >= 0; i++) {
		struct footprint *t = &f[i];
		const struct dtype *type = m->by_index[i];
		double lines = t->met + t->once * (t->once - 1.0) / (2 * (t->twice + 1.0)), chance;

		if (!t->met)
			continue;
		if (t->objects && (double)type->peak * t->met / t->objects > lines)
			lines = (double)type->peak * t->met / t->objects;
		/* A variable has its size; and what is far too large for the cache is that. */
		if (type->key.symbol && lines > type->size / LINE + 1)
			lines = type->size / LINE + 1;
		if (lines > most)
			lines = most;
		t->copies = lines > t->met ? lines / t->met : 1;
		chance = s->sets * (1 - pow(1 - 1.0 / s->sets, t->met));
		t->keeps_sets = t->set_met < 0.75 * chance;
	}
	return new < 0 ? -1 : 0;
}

/* One of the lines that a sampled one stands for: itself, or one of those not met. */
static uint64_t one_of(const struct sim *s, const struct footprint *f, uint64_t line,
		       uint64_t *random)
{
	uint64_t copy = next_share(random) * f->copies, place;

	if (!copy)
		return line;
	/* Far from all else: a random place, the same each time. */
	place = line * 65536 + copy;
	place = next_random(&place) >> 8;
	return f->keeps_sets ? (place & ~(uint64_t)(s->sets - 1)) | (line & (s->sets - 1)) : place;
}

/* Samples of a type up to each slice of time. */
static void add_up_slices(const struct dtype *t, uint32_t *upto)
{
	uint32_t sum = 0;
	int i;

	for (i = 0; i < NR_SLICES; i++)
		upto[i] = sum += t->slice[i];
}

/* A time, in ns of the recording, when the type is accessed: as its samples were. */
static double some_time(const struct model *m, const struct dtype *t, const uint32_t *upto,
			uint64_t *random)
{
	double first = t->first_sample - m->first_ts, last = t->last_sample - m->first_ts;
	double length = 1ULL << m->slice_shift, begin, end;
	uint32_t want = next_random(random) % upto[NR_SLICES - 1], low = 0, high = NR_SLICES - 1;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (upto[middle] <= want)
			low = middle + 1;
		else
			high = middle;
	}
	begin = low * length;
	end = begin + length;
	if (begin < first)
		begin = first;
	if (end > last)
		end = last;
	return begin + (end - begin) * next_share(random);
}

/* What has no path traces is accessed as its samples were, and when. */
static int schedule_samples(struct sim *s, struct model *m, double span,
			    struct schedule *schedule, uint64_t *random)
{
	struct footprint *footprint = calloc(m->nr_types + 1, sizeof(*footprint));
	double duration = m->last_ts - m->first_ts, scale;
	uint32_t *upto = calloc(m->nr_types + 1, NR_SLICES * sizeof(*upto)), k;
	struct use *u;
	int ret = -1;

	if (!footprint || !upto || find_footprints(s, m, footprint))
		goto out;
	for (k = 0; k < m->nr_types; k++)
		add_up_slices(m->by_index[k], upto + k * NR_SLICES);
	scale = span / (duration > 0 ? duration : 1);
	for (u = m->uses; u; u = u->hh.next) {
		const struct dtype *t = m->by_index[u->key.type];
		uint64_t n, i;

		if (s->type[u->key.type].has_traces)
			continue;
		n = u->n * s->per_sample * scale + next_share(random);
		for (i = 0; i < n; i++) {
			uint64_t line = one_of(s, &footprint[u->key.type], u->key.line, random);
			bool write = next_share(random) * u->n < u->stores;
			struct step step = {
				.time = scale * some_time(m, t, upto + t->index * NR_SLICES, random),
				.addr = line * LINE,
				.base = u->key.base + (line - u->key.line) * LINE,
				.actor = { u->key.type, NO_TRACE, 0 },
				.cpu = u->key.cpu < 0 ? 0 : u->key.cpu, .len = 0,
				.op = write ? OP_STORE : OP_LOAD,
				.written = write ? u->written : u->read ? u->read : u->written,
			};

			if (add_step(schedule, &step))
				goto out;
		}
	}
	ret = 0;
out:
	free(footprint);
	free(upto);
	return ret;
}

/* Accesses in a whole recording's time. */
static double all_accesses(const struct sim *s, const struct model *m)
{
	double n = 0;
	uint32_t i;
	size_t k;

	for (i = 0; i < s->nr_types; i++) {
		const struct sim_type *st = &s->type[i];

		if (!st->has_traces) {
			n += m->by_index[i]->sum.n * s->per_sample;
			continue;
		}
		for (k = st->first_trace; k < st->first_trace + st->nr_traces; k++)
			n += objects_of(s, m->by_index[i]) * s->traces->trace[k].frequency *
			     steps_of(&s->traces->trace[k]);
	}
	return n;
}

static int by_time(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	/* qsort() is not stable: what was added first has the lower address in neither. */
	if (x->base != y->base)
		return x->base < y->base ? -1 : 1;
	return x->actor.element < y->actor.element ? -1 : x->actor.element > y->actor.element;
}

static int note_pair(struct sim *s, const struct actor *victim, const struct actor *writer,
		     int outcome)
{
	struct sim_pair key, *pair;

	memset(&key.key, 0, sizeof(key.key));
	key.key.victim = *victim;
	key.key.writer = *writer;
	key.key.outcome = outcome;
	HASH_FIND(hh, s->pairs, &key.key, sizeof(key.key), pair);
	if (!pair) {
		pair = calloc(1, sizeof(*pair));
		if (!pair)
			return -1;
		pair->key = key.key;
		HASH_ADD(hh, s->pairs, key, sizeof(pair->key), pair);
	}
	pair->count++;
	return 0;
}

struct run {
	struct sim *sim;
	struct coherence coherence;
	bool counting;
};

/* @full_missed: set if a fully associative cache had it not, either. */
static int access_line(struct run *r, const struct step *step, uint64_t line, uint64_t bytes,
		       int *worst, bool *full_missed)
{
	struct sim *s = r->sim;
	uint32_t set = line & (s->sets - 1);
	int cpu = s->options.shared ? 0 : step->cpu, outcome, new;

	outcome = coherence_access(&r->coherence, cpu, line, bytes, step->op & OP_STORE,
				   step->base, &step->actor);
	if (outcome < 0)
		return -1;
	new = first_time(&s->lines, line, step->actor.type, set);
	if (new < 0 || first_time(&s->objects, step->base, step->actor.type, set) < 0)
		return -1;
	s->set_lines[set] += new;
	if (r->counting && (outcome == MISS_TRUE || outcome == MISS_FALSE) &&
	    note_pair(s, &step->actor, &r->coherence.culprit, outcome))
		return -1;
	if (outcome != MISS_TRUE && outcome != MISS_FALSE && !r->coherence.full_had)
		*full_missed = true;
	/* What samples come of was there before; when it was accessed first, they do not say. */
	if (outcome == MISS_COLD && step->actor.trace == NO_TRACE)
		outcome = MISS_CAPACITY;
	/* Of an access to two lines, the miss counts. */
	if (outcome != HIT)
		*worst = outcome;
	return 0;
}

static void count(struct sim_sum *sum, int outcome, bool full_missed)
{
	sum->accesses++;
	sum->full_misses += full_missed;
	sum->outcome[outcome]++;
}

static int do_step(struct run *r, const struct step *step)
{
	uint64_t end = step->addr + step->len, addr, line;
	struct sim *s = r->sim;
	bool full_missed = false;
	int outcome = HIT;

	if (!step->op) {
		for (line = step->base / LINE; line <= (step->base + step->addr - 1) / LINE; line++)
			coherence_remove(&r->coherence, line);
		return 0;
	}
	if (!step->len) {
		if (access_line(r, step, step->addr / LINE, step->written, &outcome,
				&full_missed))
			return -1;
	}
	for (addr = step->addr; addr < end; addr = (addr / LINE + 1) * LINE) {
		uint64_t n = end - addr, first = addr % LINE;

		if (n > LINE - first)
			n = LINE - first;
		if (access_line(r, step, addr / LINE, (n == 64 ? ~0ULL : (1ULL << n) - 1) << first,
				&outcome, &full_missed))
			return -1;
	}
	s->accesses++;
	/* What was accessed only while the caches filled must be judged, too. */
	if (!r->counting && step->actor.trace != NO_TRACE)
		return 0;
	s->counted++;
	count(&s->type[step->actor.type].sum, outcome, full_missed);
	if (step->actor.trace != NO_TRACE)
		count(&s->element[step->actor.trace][step->actor.element], outcome, full_missed);
	return 0;
}

static int look(struct run *r)
{
	struct sim *s = r->sim;
	struct sim_seen *objects = NULL;
	uint32_t *lines = calloc(s->nr_types + 1, sizeof(*lines));
	uint64_t i, nr = (uint64_t)s->sets * s->options.geometry.ways;
	int cpu, ret = 0;

	if (!lines)
		return -1;
	for (cpu = 0; cpu < r->coherence.nr_cpus; cpu++) {
		for (i = 0; i < nr && ret >= 0; i++) {
			const struct cache_line *l = &r->coherence.cache[cpu].lines[i];
			struct sim_type *t = &s->type[l->type];

			if (!l->used)
				continue;
			lines[l->type]++;
			if (l->trace != NO_TRACE)
				t->trace_lines[l->trace - t->first_trace] += 1.0 / SNAPSHOTS;
			ret = first_time(&objects, l->base, l->type, 0);
			if (ret > 0)
				t->objects += 1.0 / SNAPSHOTS;
		}
	}
	for (i = 0; i < s->nr_types; i++) {
		s->type[i].lines += (double)lines[i] / SNAPSHOTS;
		if (lines[i] > s->type[i].peak_lines)
			s->type[i].peak_lines = lines[i];
	}
	free(lines);
	free_seen(&objects);
	return ret < 0 ? -1 : 0;
}

static int play(struct sim *s, struct model *m, struct schedule *schedule)
{
	struct run r = { .sim = s };
	int nr_cpus = s->options.shared || !m->nr_cpus ? 1 : m->nr_cpus;
	size_t i, warm = schedule->nr / 4, next = warm, taken = 0;
	int ret = coherence_init(&r.coherence, &s->options.geometry, nr_cpus);

	for (i = 0; i < schedule->nr && !ret; i++) {
		r.counting = i >= warm;
		ret = do_step(&r, &schedule->step[i]);
		/* SNAPSHOTS of them, the last at the end. */
		if (!ret && i == next && taken < SNAPSHOTS) {
			ret = look(&r);
			taken++;
			next = warm + taken * (schedule->nr - warm) / SNAPSHOTS;
		}
	}
	coherence_free(&r.coherence);
	return ret;
}

static int prepare(struct sim *s, const struct traces *t)
{
	uint32_t i;
	size_t k;

	s->sets = geometry_sets(&s->options.geometry);
	s->type = calloc(s->nr_types + 1, sizeof(*s->type));
	s->element = calloc(t->nr + 1, sizeof(*s->element));
	s->set_lines = calloc(s->sets, sizeof(*s->set_lines));
	if (!s->type || !s->element || !s->set_lines)
		return -1;
	for (k = 0; k < t->nr; k++) {
		struct sim_type *st = &s->type[t->trace[k].type];

		if (!st->has_traces)
			st->first_trace = k;
		st->has_traces = true;
		st->nr_traces++;
		s->element[k] = calloc(t->trace[k].nr + 1, sizeof(**s->element));
		if (!s->element[k])
			return -1;
	}
	for (i = 0; i < s->nr_types; i++) {
		struct sim_type *st = &s->type[i];

		st->trace_lines = calloc(st->nr_traces + 1, sizeof(*st->trace_lines));
		if (!st->trace_lines)
			return -1;
	}
	return 0;
}

/**
 * sim_run() - simulate
 * @s: the results; sim_free() even after an error
 * @m: the model, ended
 * @t: its traces; they must outlive @s
 * @options: what to simulate
 *
 * Return: 0, or -1 without memory.
 */
int sim_run(struct sim *s, struct model *m, const struct traces *t,
	    const struct sim_options *options)
{
	struct schedule schedule = { };
	uint64_t random = options->seed;
	double duration = m->last_ts - m->first_ts, span = duration, all;
	uint32_t i;
	int ret;

	memset(s, 0, sizeof(*s));
	s->options = *options;
	s->traces = t;
	s->nr_types = m->nr_types;
	ret = prepare(s, t);
	if (ret)
		return ret;
	s->per_sample = options->per_sample ? (double)options->per_sample :
			estimate_per_sample(s, m);
	all = all_accesses(s, m);
	if (all > options->max_accesses)
		span *= options->max_accesses / all;
	for (i = 0; i < m->nr_types && !ret; i++)
		if (s->type[i].has_traces)
			ret = schedule_type(s, m, m->by_index[i], span, &schedule, &random);
	if (!ret)
		ret = schedule_samples(s, m, span, &schedule, &random);
	if (!ret && schedule.nr) {
		qsort(schedule.step, schedule.nr, sizeof(*schedule.step), by_time);
		ret = play(s, m, &schedule);
	}
	s->seconds = span / 1e9;
	free(schedule.step);
	return ret;
}

/**
 * sim_free() - free what was simulated
 * @s: the results
 */
void sim_free(struct sim *s)
{
	struct sim_pair *p, *next;
	uint32_t i;
	size_t k;

	for (i = 0; s->type && i < s->nr_types; i++)
		free(s->type[i].trace_lines);
	free(s->type);
	free(s->set_lines);
	free_seen(&s->lines);
	free_seen(&s->objects);
	for (k = 0; s->element && k < s->traces->nr; k++)
		free(s->element[k]);
	free(s->element);
	HASH_ITER(hh, s->pairs, p, next) {
		HASH_DEL(s->pairs, p);
		free(p);
	}
	memset(s, 0, sizeof(*s));
}
