// SPDX-License-Identifier: GPL-2.0
/*
 * Which pattern accesses show, and what to do about it: section 2.1 of "MemProf".
 *
 * By site: objects of a site are alike.  Two questions tell the paper's patterns apart:
 * are two accesses of one object, after the thread that came first has filled it in,
 * from one node (then it is one node's object); and if
 * not, does one node have it at a time, in slices of a 64th of its life (then nodes
 * alternate)?  The first is asked of pairs, so that it has no bias for objects of which
 * few accesses were sampled.
 */
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "patterns.h"

#define MAX_NODES	64
#define SLICES		64
#define MAX_PROCESSES	64	/* of a site; from there on it is many */
#define LINE		64

/* From here on a site is what its larger part is. */
#define ONE_NODE	0.85	/* pairs from one node */
#define ONE_AT_A_TIME	0.85	/* accesses by the slice's node */
#define REMOTE_ENOUGH	0.20	/* of a site's accesses; less is good enough */
#define READ_MOSTLY	0.05	/* writes */
#define SATURATED	1.5	/* times the latency without load */
#define HOT_NODE	1.3	/* times its even share of accesses */
#define FALSELY_SHARED	0.4	/* of a site's accesses */

struct site {
	char *key;
	uint32_t first, most_object, pid, processes;
	uint32_t pids[MAX_PROCESSES];
	uint64_t most;
	uint32_t *objects;
	size_t nr, room;
	UT_hash_handle hh;
};

/* What a site's accesses add up to. */
struct sums {
	uint64_t all, remote, pairs, same_pairs, slice_best, after, after_writes;
	uint64_t best, by_own, lines;
	uint64_t from[MAX_NODES], used[MAX_NODES], to[MAX_NODES], users, used_best;
	uint64_t filled_remote;		/* by the first thread, remote */
	uint64_t page_pairs, page_same, page_best, page_users;
};

struct nodes {
	int nr;
	double busy[MAX_NODES];		/* latency of its memory, to what it could be */
	double share[MAX_NODES];
};

static bool counts(const struct memprof *m, const struct memprof_access *a)
{
	return memprof_in_memory(m, a) && a->node >= 0 && a->home >= 0 && a->node < MAX_NODES &&
	       a->home < MAX_NODES;
}

/* ---- nodes: which answers slowly ---- */

#define BIN_CYCLES	8
#define BINS		2048	/* the last one has all that take longer */

/* The latency that one in 20 is below; 0 with too few. */
static double quickest(const uint64_t *bins)
{
	uint64_t all = 0, sum = 0;
	int i;

	for (i = 0; i < BINS; i++)
		all += bins[i];
	if (all < PATTERN_MIN_REMOTE)
		return 0;
	for (i = 0; i < BINS; i++) {
		sum += bins[i];
		if (20 * sum >= all)
			break;
	}
	/* The bin's lower end would be 0 cycles for the first. */
	return i ? i * BIN_CYCLES : BIN_CYCLES;
}

/*
 * Latency grows with distance and with load.  What the quickest of all accesses took is
 * what it is without load: for local and remote accesses apart.  Not a mean of the node
 * that has least to do: that may have much to do at times, and there may be no other one.
 */
static void look_at_nodes(struct memprof *m, struct nodes *n)
{
	static uint64_t sum[MAX_NODES][MAX_NODES], count[MAX_NODES][MAX_NODES];
	struct memprof_access a;
	uint64_t all = 0, to[MAX_NODES] = { 0 };
	static uint64_t bins[2][BINS];
	double least[2];
	size_t i;
	int x, y;

	memset(sum, 0, sizeof(sum));
	memset(count, 0, sizeof(count));
	memset(bins, 0, sizeof(bins));
	n->nr = memprof_nr_nodes(m) < MAX_NODES ? memprof_nr_nodes(m) : MAX_NODES;
	for (i = 0; i < memprof_nr_accesses(m); i++) {
		memprof_access(m, i, &a);
		if (!counts(m, &a))
			continue;
		to[a.home]++;
		all++;
		if (a.latency) {
			sum[a.node][a.home] += a.latency;
			count[a.node][a.home]++;
			bins[a.node != a.home][a.latency / BIN_CYCLES < BINS ? a.latency / BIN_CYCLES : BINS - 1]++;
		}
	}
	least[0] = quickest(bins[0]);
	least[1] = quickest(bins[1]);
	for (y = 0; y < n->nr; y++) {
		double weighed = 0;
		uint64_t k = 0;

		for (x = 0; x < n->nr; x++)
			/* Remote ones may all be at times of load: only if there are no others. */
			if (count[x][y] && least[x != y] &&
			    (x == y || count[y][y] < PATTERN_MIN_REMOTE)) {
				weighed += sum[x][y] / least[x != y];
				k += count[x][y];
			}
		n->busy[y] = k ? weighed / k : 0;
		n->share[y] = all ? (double)to[y] / all : 0;
	}
}

/* ---- an object ---- */

/*
 * The first thread alone: it fills the object in.  Replicas are made after that.  But if
 * that is more than a third of all accesses, it is its turn to use it.
 */
static uint64_t initialization(struct memprof *m, uint32_t object)
{
	uint32_t first = MEMPROF_NO_THREAD;
	struct memprof_access a;
	size_t alone = 0;

	memprof_foreach_access(m, memprof_object_flow(m, object), &a) {
		if (first == MEMPROF_NO_THREAD)
			first = a.thread;
		if (a.thread != first)
			return 3 * alone > memprof_object(m, object)->accesses ? 0 : a.time_ns;
		alone++;
	}
	return UINT64_MAX;
}

static void add_slices(struct memprof *m, uint32_t object, struct sums *s)
{
	static uint64_t in[SLICES][MAX_NODES];
	struct memprof_access a;
	uint64_t first = UINT64_MAX, last = 0, n = 0, best;
	unsigned int slices, i, k;

	memprof_foreach_access(m, memprof_object_flow(m, object), &a) {
		if (!counts(m, &a))
			continue;
		if (first == UINT64_MAX)
			first = a.time_ns;
		last = a.time_ns;
		n++;
	}
	if (!n)
		return;
	/* With less than some 8 a slice, chance makes one node the slice's. */
	slices = n / 8 < 1 ? 1 : n / 8 > SLICES ? SLICES : n / 8;
	memset(in, 0, sizeof(in));
	memprof_foreach_access(m, memprof_object_flow(m, object), &a)
		if (counts(m, &a))
			in[(a.time_ns - first) * slices / (last - first + 1)][a.node]++;
	for (i = 0; i < slices; i++) {
		for (best = k = 0; k < MAX_NODES; k++)
			if (in[i][k] > best)
				best = in[i][k];
		s->slice_best += best;
	}
}

/* Of each line: which threads access which bytes of it, and whether any writes. */
struct line {
	uint64_t number;
	uint32_t thread[4];
	uint64_t bytes[4];
	int threads;
	bool written[4], overlap;
	uint64_t accesses;
	UT_hash_handle hh;
};

static void add_to_line(struct line *l, const struct memprof_access *a, uint64_t addr)
{
	int i;

	l->accesses++;
	for (i = 0; i < l->threads; i++)
		if (l->thread[i] == a->thread)
			break;
	if (i == 4)
		return;
	if (i == l->threads)
		l->threads++;
	l->thread[i] = a->thread;
	l->bytes[i] |= UINT64_C(1) << addr % LINE;
	l->written[i] |= a->write;
}

static void add_lines(struct memprof *m, uint32_t object, uint64_t since, struct sums *s)
{
	const struct memprof_object *o = memprof_object(m, object);
	struct line *lines = NULL, *l, *next;
	struct memprof_access a;
	uint64_t number;
	int i, k;

	memprof_foreach_access(m, memprof_object_flow(m, object), &a) {
		if (!counts(m, &a) || a.time_ns < since)
			continue;
		number = (o->address + a.offset) / LINE;
		HASH_FIND(hh, lines, &number, sizeof(number), l);
		if (!l) {
			l = calloc(1, sizeof(*l));
			if (!l)
				break;
			l->number = number;
			HASH_ADD(hh, lines, number, sizeof(number), l);
		}
		add_to_line(l, &a, o->address + a.offset);
	}
	HASH_ITER(hh, lines, l, next) {
		int writers = 0;

		for (i = 0; i < l->threads; i++) {
			writers += l->written[i];
			for (k = 0; k < i; k++)
				l->overlap |= !!(l->bytes[i] & l->bytes[k]);
		}
		/* Seldom sampled ones overlap seldom: they say nothing. */
		if (writers > 1 && !l->overlap && l->accesses >= 4 * (uint64_t)l->threads)
			s->lines += l->accesses;
		HASH_DEL(lines, l);
		free(l);
	}
}

/* Of each page: from which nodes it is accessed. */
struct page {
	uint64_t number;
	uint32_t from[MAX_NODES];
	UT_hash_handle hh;
};

/* The question of pairs, asked of pages: an array of which each thread has a part. */
static void add_pages(struct memprof *m, uint32_t object, uint64_t since, struct sums *s)
{
	const struct memprof_object *o = memprof_object(m, object);
	struct page *pages = NULL, *p, *next;
	struct memprof_access a;
	uint64_t number, n, best;
	int i;

	memprof_foreach_access(m, memprof_object_flow(m, object), &a) {
		if (!counts(m, &a) || (since != UINT64_MAX && a.time_ns < since))
			continue;
		number = (o->address + a.offset) / 4096;
		HASH_FIND(hh, pages, &number, sizeof(number), p);
		if (!p) {
			p = calloc(1, sizeof(*p));
			if (!p)
				break;
			p->number = number;
			HASH_ADD(hh, pages, number, sizeof(number), p);
		}
		p->from[a.node]++;
	}
	HASH_ITER(hh, pages, p, next) {
		for (n = best = i = 0; i < MAX_NODES; i++) {
			n += p->from[i];
			if (p->from[i] > best)
				best = p->from[i];
		}
		for (i = 0; i < MAX_NODES; i++) {
			s->page_pairs += p->from[i] ? p->from[i] * (n - 1) : 0;
			s->page_same += p->from[i] ? (uint64_t)p->from[i] * (p->from[i] - 1) : 0;
		}
		s->page_best += best;
		s->page_users += n;
		HASH_DEL(pages, p);
		free(p);
	}
}

static void add_object(struct memprof *m, uint32_t object, struct sums *s)
{
	const struct memprof_object *o = memprof_object(m, object);
	uint64_t since = initialization(m, object), n = 0, users = 0, best = 0, own = 0;
	uint64_t from[MAX_NODES] = { 0 }, used[MAX_NODES] = { 0 };
	struct memprof_access a;
	int i;

	memprof_foreach_access(m, memprof_object_flow(m, object), &a) {
		if (!counts(m, &a))
			continue;
		n++;
		from[a.node]++;
		s->from[a.node]++;
		s->to[a.home]++;
		s->remote += is_remote(&a);
		own += a.thread == o->thread;
		if (a.time_ns >= since || since == UINT64_MAX) {
			users++;
			used[a.node]++;
		}
		if (a.time_ns >= since) {
			s->after++;
			s->after_writes += a.write;
			/* A write goes to all replicas; a read to the own one. */
		} else if (is_remote(&a)) {
			s->filled_remote++;
		}
	}
	s->all += n;
	/* Who filled it in is not who uses it. */
	for (i = 0; i < MAX_NODES; i++) {
		s->pairs += used[i] ? used[i] * (users - 1) : 0;
		s->same_pairs += used[i] ? used[i] * (used[i] - 1) : 0;
		if (used[i] > used[best])
			best = i;
		s->used[i] += used[i];
	}
	s->best += from[best];
	s->used_best += used[best];
	s->users += users;
	s->by_own += 2 * own > n ? n : 0;
	add_slices(m, object, s);
	add_lines(m, object, since, s);
	add_pages(m, object, since, s);
}

/* ---- a site ---- */

static int nodes_of(const struct sums *s)
{
	int i, n = 0;

	for (i = 0; i < MAX_NODES; i++)
		n += s->from[i] * 50 > s->all;
	return n;
}

static int largest(const uint64_t *n)
{
	int i, best = 0;

	for (i = 1; i < MAX_NODES; i++)
		if (n[i] > n[best])
			best = i;
	return best;
}

static void judge(struct finding *f, const struct sums *s, const struct nodes *nodes, bool stacks)
{
	const int home = largest(s->to);
	const double all = s->all ? s->all : 1;

	f->accesses = s->all;
	f->remote = s->remote;
	f->predicted = s->remote;
	f->node = -1;
	f->nodes = nodes_of(s);
	/* A site of which no object was seen twice: nothing is known about pairs. */
	f->same_node = s->pairs ? (double)s->same_pairs / s->pairs : -1;
	f->pages = s->page_pairs ? (double)s->page_same / s->page_pairs : -1;
	f->phase = s->slice_best / all;
	f->writes = s->after ? (double)s->after_writes / s->after : 0;
	f->busy = nodes->busy[home];
	f->lines = s->lines / all;
	if (s->remote < PATTERN_MIN_REMOTE) {
		f->pattern = s->remote < REMOTE_ENOUGH * s->all ? PATTERN_NONE : PATTERN_FEW;
		return;
	}
	if (f->lines >= FALSELY_SHARED) {
		f->pattern = PATTERN_FALSE_SHARING;
		f->fix = FIX_PAD;
		f->confidence = f->lines;
		return;
	}
	if (s->remote < REMOTE_ENOUGH * s->all) {
		f->pattern = PATTERN_NONE;
		return;
	}
	if (!s->pairs) {
		f->pattern = PATTERN_FEW;
		return;
	}
	/* Stacks of a process are one object: whose they are is not kept. */
	if (stacks) {
		f->pattern = PATTERN_UNCLEAR;
		return;
	}
	if (f->same_node >= ONE_NODE) {
		f->pattern = 2 * s->by_own > s->all ? PATTERN_WRONG_NODE : PATTERN_AFTER_ALLOCATION;
		f->fix = FIX_ALLOCATE;
		f->predicted = s->all - s->best;
		f->confidence = f->same_node;
		/* Filling it in from afar would cost as much: then move it. */
		if (f->predicted > REMOTE_ENOUGH * s->all) {
			f->fix = FIX_MIGRATE;
			f->predicted = s->users - s->used_best + s->filled_remote;
		}
		/* One node's: say which.  Each object may have its own. */
		if (s->used[largest(s->used)] >= 0.9 * s->users)
			f->node = largest(s->used);
		return;
	}
	if (f->phase >= ONE_AT_A_TIME) {
		f->pattern = PATTERN_ALTERNATE;
		f->fix = FIX_MIGRATE;
		f->predicted = s->all - s->slice_best;
		f->confidence = f->phase;
		return;
	}
	if (f->pages >= ONE_NODE && s->page_pairs > s->all) {
		f->pattern = PATTERN_PARTITIONED;
		f->fix = FIX_FIRST_TOUCH;
		f->predicted = s->page_users - s->page_best + s->filled_remote;
		f->confidence = f->pages;
		return;
	}
	if (f->nodes < 2) {
		f->pattern = PATTERN_UNCLEAR;
		return;
	}
	f->confidence = 1 - (f->phase - 1.0 / f->nodes) / (1 - 1.0 / f->nodes);
	if (f->writes <= READ_MOSTLY) {
		f->pattern = PATTERN_CONCURRENT_READ;
		f->fix = FIX_REPLICATE;
		f->predicted = s->filled_remote + s->after_writes * (1 - 1.0 / nodes->nr);
		return;
	}
	if (f->busy >= SATURATED && nodes->share[home] * nodes->nr >= HOT_NODE) {
		f->pattern = PATTERN_SATURATED;
		f->fix = FIX_INTERLEAVE;
		f->node = home;
		f->predicted = s->all * (1 - 1.0 / nodes->nr);
		return;
	}
	f->pattern = PATTERN_CONCURRENT_WRITE;
	f->fix = FIX_PIN_THREADS;
	f->node = home;
	/* Pages that are elsewhere stay there. */
	f->predicted = s->all - s->to[home];
	if (f->predicted < s->remote)
		return;
	/* Objects on several nodes: no node is theirs. */
	f->pattern = PATTERN_UNCLEAR;
	f->fix = FIX_NONE;
	f->node = -1;
	f->predicted = s->remote;
}

/* ---- all ---- */

static struct site *find_site(struct site **sites, struct memprof *m, uint32_t i)
{
	const struct memprof_object *o = memprof_object(m, i);
	char text[1024], key[1100];
	struct site *s;

	site_text(memprof_object_site(m, i), text, sizeof(text));
	snprintf(key, sizeof(key), "%d %s", o->type, text);
	HASH_FIND_STR(*sites, key, s);
	if (s)
		return s;
	s = calloc(1, sizeof(*s));
	if (!s || !(s->key = strdup(key))) {
		free(s);
		return NULL;
	}
	s->pid = o->pid;
	HASH_ADD_KEYPTR(hh, *sites, s->key, strlen(s->key), s);
	return s;
}

static void add_process(struct site *s, uint32_t pid)
{
	uint32_t i;

	for (i = 0; i < s->processes; i++)
		if (s->pids[i] == pid)
			return;
	if (s->processes < MAX_PROCESSES)
		s->pids[s->processes++] = pid;
	if (s->processes > 1)
		s->pid = 0;
}

static int add_to_site(struct site *s, struct memprof *m, uint32_t i)
{
	const size_t accesses = memprof_object(m, i)->accesses;
	uint32_t *p;

	if (s->nr == s->room) {
		p = realloc(s->objects, (2 * s->room + 4) * sizeof(*p));
		if (!p)
			return -1;
		s->objects = p;
		s->room = 2 * s->room + 4;
	}
	s->objects[s->nr++] = i;
	if (accesses > s->most) {
		s->most = accesses;
		s->most_object = i;
	}
	add_process(s, memprof_object(m, i)->pid);
	return 0;
}

/** findings_add() - room for one more finding; NULL without memory */
struct finding *findings_add(struct findings *f)
{
	struct finding *p;

	if (f->nr == f->room) {
		p = realloc(f->all, (2 * f->room + 16) * sizeof(*p));
		if (!p)
			return NULL;
		f->all = p;
		f->room = 2 * f->room + 16;
	}
	p = &f->all[f->nr++];
	memset(p, 0, sizeof(*p));
	return p;
}

static int by_gain(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	double gain_x = x->remote - x->predicted, gain_y = y->remote - y->predicted;

	if (gain_x != gain_y)
		return gain_x < gain_y ? 1 : -1;
	return x->remote < y->remote ? 1 : x->remote > y->remote ? -1 : 0;
}

/**
 * patterns_find() - judge all sites of a recording
 * @m: the recording
 * @f: gets what was found, what gains most first; to be freed with patterns_free()
 *
 * Return: 0, or -1 without memory.
 */
int patterns_find(struct memprof *m, struct findings *f)
{
	struct site *sites = NULL, *s, *next;
	struct finding *found;
	struct nodes nodes;
	size_t i;
	int bad = 0;

	memset(f, 0, sizeof(*f));
	look_at_nodes(m, &nodes);
	for (i = 0; i < memprof_nr_objects(m) && !bad; i++) {
		const struct memprof_object *o = memprof_object(m, i);

		/* Nothing can be done about what nobody knows. */
		if (!o->accesses || o->type == MEMPROF_UNKNOWN || o->type == MEMPROF_KERNEL)
			continue;
		s = find_site(&sites, m, i);
		bad = !s || add_to_site(s, m, i);
	}
	for (i = 0; i < memprof_nr_accesses(m); i++) {
		struct memprof_access a;

		memprof_access(m, i, &a);
		f->accesses += counts(m, &a);
		f->remote += counts(m, &a) && is_remote(&a);
	}
	HASH_ITER(hh, sites, s, next) {
		struct sums sums = { 0 };

		for (i = 0; i < s->nr; i++)
			add_object(m, s->objects[i], &sums);
		found = bad ? NULL : findings_add(f);
		bad |= !found;
		if (found) {
			found->object = s->most_object;
			found->pid = s->pid;
			found->processes = s->processes;
			found->type = memprof_object(m, found->object)->type;
			found->objects = s->nr;
			for (i = 0; i < s->nr; i++)
				found->bytes += memprof_object(m, s->objects[i])->size;
			judge(found, &sums, &nodes, found->type == MEMPROF_STACK);
			/* Too little to matter. */
			if (sums.remote < PATTERN_MIN_SHARE * f->accesses &&
			    found->pattern != PATTERN_FALSE_SHARING)
				found->pattern = PATTERN_NONE, found->fix = FIX_NONE,
				found->predicted = found->remote;
		}
		HASH_DEL(sites, s);
		free(s->objects);
		free(s->key);
		free(s);
	}
	bad |= patterns_find_split(f);
	if (f->nr)
		qsort(f->all, f->nr, sizeof(*f->all), by_gain);
	return bad ? -1 : 0;
}

/** patterns_free() - forget findings */
void patterns_free(struct findings *f)
{
	free(f->all);
}

/** pattern_name() - in a word */
const char *pattern_name(enum pattern p)
{
	static const char * const names[PATTERNS] = {
		"local", "too-few-samples", "unclear", "remote-after-allocation", "wrong-node",
		"alternate", "partitioned", "concurrent-read", "concurrent-write", "saturated-node", "false-sharing", "process-split",
	};

	return p < PATTERNS ? names[p] : "?";
}

/** pattern_about() - in a sentence */
const char *pattern_about(enum pattern p)
{
	static const char * const about[PATTERNS] = {
		[PATTERN_NONE] = "mostly accessed from the node that has it",
		[PATTERN_FEW] = "too few samples to tell: record longer, or with a shorter period",
		[PATTERN_UNCLEAR] = "remote, but by none of the known patterns: look at its flow",
		[PATTERN_AFTER_ALLOCATION] = "allocated by one thread, then used by a thread of another node",
		[PATTERN_WRONG_NODE] = "used by the thread that allocated it, but its memory is on another node",
		[PATTERN_ALTERNATE] = "used by one node after the other",
		[PATTERN_PARTITIONED] = "used by several nodes at once, but each has its own pages of it",
		[PATTERN_CONCURRENT_READ] = "read by several nodes at once, hardly ever written",
		[PATTERN_CONCURRENT_WRITE] = "read and written by several nodes at once",
		[PATTERN_SATURATED] = "read and written by several nodes at once, and its node answers slowly",
		[PATTERN_FALSE_SHARING] = "threads write different bytes of the same cache lines",
		[PATTERN_SPLIT] = "threads of a process on several nodes share its objects, none of which stands out, "
				   "or those of several processes do",
	};

	return p < PATTERNS ? about[p] : "?";
}

/** fix_name() - in a word */
const char *fix_name(enum fix f)
{
	static const char * const names[FIXES] = {
		"none", "allocate-on-node", "migrate", "first-touch", "replicate", "pin-threads", "interleave", "pad",
		"pin-process",
	};

	return f < FIXES ? names[f] : "?";
}

/** fix_text() - what to do, and where, in a sentence */
void fix_text(struct memprof *m, const struct finding *f, char *text, size_t size)
{
	const struct memprof_site *site = f->object != NO_NUMBER ?
					  memprof_object_site(m, f->object) : NULL;
	char where[1024] = "";

	if (site)
		site_text(site, where, sizeof(where));
	switch (f->fix) {
	case FIX_ALLOCATE:
		if (f->node >= 0)
			snprintf(text, size, "allocate %s on node %d (numa_alloc_onnode(), or let a "
				 "thread there write it first)", where, f->node);
		else
			snprintf(text, size, "allocate each %s on the node of the thread that uses it "
				 "(numa_alloc_local() in that thread, or let it write it first)", where);
		break;
	case FIX_MIGRATE:
		snprintf(text, size, "move %s to the thread's node when its turn begins "
			 "(move_pages(2), or mbind(2) with MPOL_MF_MOVE), or the threads to its node", where);
		break;
	case FIX_FIRST_TOUCH:
		snprintf(text, size, "let each thread write its part of %s first, before any other "
			 "does (a page is where it is first touched)", where);
		break;
	case FIX_REPLICATE:
		snprintf(text, size, "a copy of %s on each node, made after it is filled in; "
			 "%lu bytes each", where, (unsigned long)f->bytes);
		break;
	case FIX_PIN_THREADS:
		snprintf(text, size, "run the threads that use %s on node %d (numa_run_on_node()), "
			 "if the other nodes have other work", where, f->node);
		break;
	case FIX_INTERLEAVE:
		snprintf(text, size, "interleave %s over all nodes (numa_alloc_interleaved(), or "
			 "mbind(2) with MPOL_INTERLEAVE): node %d is saturated", where, f->node);
		break;
	case FIX_PAD:
		snprintf(text, size, "give each thread's part of %s cache lines of its own "
			 "(alignas(64))", where);
		break;
	case FIX_PIN_PROCESS:
		if (f->pid)
			snprintf(text, size, "run process %u on one node (numactl --cpunodebind "
				 "--membind), others on the others", f->pid);
		else
			snprintf(text, size, "run each process on one node, with all its threads "
				 "(numa_bind() when it begins), as many on each node as on the others");
		break;
	default:
		snprintf(text, size, "nothing");
	}
}
