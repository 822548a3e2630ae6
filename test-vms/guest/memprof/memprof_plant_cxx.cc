// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof_plant_cxx SEED ROUNDS PATTERN:WAY[:fix]...: a program in C++ whose accesses show
 * patterns of memprof diagnose, one after the other, or, with a pattern's fix, no longer.
 * Each pattern is of objects that are allocated in its own way: by operators, by a class's
 * own, by containers, by wrappers, from pools.  The seed chooses sizes, nodes, numbers of
 * threads and objects, and which lines are touched.
 */
#include <cstddef>
#include <cstring>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <vector>

#include "memprof_plant.h"

#define MAX_THREADS	8
#define MAX_OBJECTS	64
#define MAX_PLANTS	4
#define noinline	__attribute__((noinline))

/* What a program of this kind has between itself and the allocator. */
namespace memory {

/* Memory of its own pages, as a wrapper that checks for failure has it. */
template <typename T> noinline T *checked(size_t n)
{
	void *p = aligned_alloc(PAGE, (n * sizeof(T) + PAGE - 1) & -PAGE);

	if (!p)
		die("no memory");
	return static_cast<T *>(p);
}

/* For containers. */
template <typename T> struct aligned {
	typedef T value_type;
	T *allocate(size_t n) { return checked<T>(n); }
	void deallocate(T *p, size_t) { free(p); }
};

/* Takes memory by the chunk, and divides it. */
class pool {
	char *at = nullptr, *end = nullptr;
	size_t chunk;

	noinline void grow(size_t bytes)
	{
		const size_t size = bytes > chunk ? bytes : chunk;

		at = static_cast<char *>(::operator new(size, std::align_val_t(PAGE)));
		end = at + size;
	}
public:
	explicit pool(size_t size) : chunk(size) { }
	noinline char *get(size_t bytes)
	{
		char *p;

		if (static_cast<size_t>(end - at) < bytes)
			grow(bytes);
		p = at;
		at += bytes;
		return p;
	}
};

class buffer {
	char *p;
public:
	explicit buffer(size_t bytes) : p(checked<char>(bytes)) { }
	char *data() const { return p; }
};

}

/* A class with operators of its own. */
struct matrix {
	char cells[1];

	static noinline void *operator new(size_t, size_t bytes)
	{
		void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			die("no memory");
		return p;
	}
};

/* A wrapper by a name that many programs have. */
static noinline void *safe_malloc(size_t bytes)
{
	void *p = NULL;

	if (posix_memalign(&p, PAGE, (bytes + PAGE - 1) & -PAGE))
		die("no memory");
	return p;
}

/*
 * The sites to be found: the names of what is assigned to, or else of the functions.  Not static:
 * without the assignment, the call would be the function's last, which leaves no frame of it.
 */
char *from_new, *from_wrapper, *from_safe;
thread_local char *from_pool;
matrix *from_class;
memory::buffer *from_buffer;

static noinline char *by_new(size_t bytes)
{
	from_new = new (std::align_val_t(PAGE)) char[bytes];
	return from_new;
}

static noinline char *by_wrapper(size_t bytes)
{
	from_wrapper =
		memory::checked<char>(bytes);
	return from_wrapper;
}

static noinline char *by_safe(size_t bytes)
{
	from_safe = static_cast<char *>(safe_malloc(bytes));
	return from_safe;
}

static noinline char *by_class(size_t bytes)
{
	from_class = new (bytes) matrix;
	return from_class->cells;
}

static noinline char *by_vector(size_t bytes)
{
	static std::vector<std::vector<char, memory::aligned<char>>> all;

	/* Without a copy: what moves keeps its memory. */
	all.emplace_back();
	all.back().reserve(bytes);
	return all.back().data();
}

static noinline char *by_buffer(size_t bytes)
{
	/* It lives as long as the program. */
	from_buffer = new memory::buffer(bytes);
	return from_buffer->data();
}

/* Pools of one object each, but for the pattern that is a pool's. */
static noinline char *by_pool(size_t bytes)
{
	from_pool = memory::pool(bytes).get(bytes);
	return from_pool;
}

static noinline char *local_buffer(size_t bytes)
{
	char *volatile p = static_cast<char *>(malloc(bytes));

	return p;
}

static const struct {
	const char *name;
	char *(*allocate)(size_t bytes);
} ways[] = {
	{ "new", by_new }, { "wrapper", by_wrapper }, { "safe", by_safe }, { "class", by_class },
	{ "vector", by_vector }, { "buffer", by_buffer }, { "pool", by_pool },
};

enum kind { AFTER, WRONG, TABLES, ALTERNATE, READ, WRITE, PARTITION, POOLED, FALSE_SHARING, SATURATE, CONTROL,
	    SHARED_CONTROL, KINDS };
static const char * const names[KINDS] = {
	"after", "wrong", "tables", "alternate", "read", "write", "partition", "pooled", "false", "saturate",
	"control", "shared-control",
};

struct plant {
	enum kind kind;
	char *(*allocate)(size_t bytes);
	bool fixed;
	size_t bytes;
	unsigned int one_in, turns;
	int home, user;			/* node of its memory, thread that uses it alone */
	struct object objects[MAX_OBJECTS];
	int nr_objects;
};

static struct plant plants[MAX_PLANTS];
static int nr_plants, first_node;
static unsigned long rounds;
static pthread_barrier_t barrier;

/* Asleep until all are here; then they go on at once. */
static void gather()
{
	pthread_barrier_wait(&barrier);
	meet();
}

static int node_of_thread(long t)
{
	return (first_node + t) % nr_nodes;
}

/* Each thread its part. */
static void use_part(const struct plant *p, long t)
{
	const size_t bytes = p->bytes / PAGE / nr_threads * PAGE;
	struct object part = { p->objects[0].p + bytes * t, bytes };

	if (p->fixed)
		fill(&part);
	touch(&part, rounds, p->one_in, t + 9);
}

static void count_in_line(const struct plant *p, long t)
{
	volatile char *counter = p->objects[0].p + t * (p->fixed ? 64 : 8);
	const size_t step = 64 * (p->fixed ? nr_threads : 1);

	for (unsigned long n = 0; n < rounds / 4; n++)
		for (unsigned int k = 0; k < 4; k++)
			counter[k * step] = counter[k * step] + 1;
}

static void take_turns(const struct plant *p, long t)
{
	const struct object *o = &p->objects[0];

	for (unsigned int i = 0; i < p->turns; i++) {
		gather();
		if (i % nr_threads != t)
			continue;
		if (p->fixed)
			move_to((void *)o->p, o->bytes, node_of_thread(t));
		touch(o, rounds * nr_threads / p->turns, p->one_in, i);
	}
}

/* The objects of a pool, each of which one thread uses. */
static void use_own(struct plant *p, long t)
{
	memory::pool own(p->bytes * (p->nr_objects / nr_threads));

	for (int i = t; i < p->nr_objects; i += nr_threads) {
		if (p->kind == POOLED && p->fixed) {
			from_pool = own.get(p->bytes);
			p->objects[i].p = from_pool;
			fill(&p->objects[i]);
		}
		touch(&p->objects[i], rounds * nr_threads / p->nr_objects, p->one_in, i);
	}
}

static void use(struct plant *p, long t)
{
	const int node = node_of_thread(t);

	switch (p->kind) {
	case AFTER:
	case WRONG:
		touch(&p->objects[0], t == p->user ? rounds * 2 : 0, p->one_in, t + 7);
		break;
	case TABLES:
	case POOLED:
		use_own(p, t);
		break;
	case ALTERNATE:
		take_turns(p, t);
		break;
	case READ:
		touch(&p->objects[p->fixed ? node : 0], rounds, 0, t + 3);
		break;
	case WRITE:
		if (p->fixed)
			run_on(p->home);
		touch(&p->objects[0], rounds, 3, t + 5);
		run_on(node);
		break;
	case SATURATE:
		touch(&p->objects[0], rounds, 3, t + 5);
		break;
	case PARTITION:
		use_part(p, t);
		break;
	case FALSE_SHARING:
		count_in_line(p, t);
		break;
	case SHARED_CONTROL:
		touch(&p->objects[0], node == p->home ? rounds : rounds / 24, 4, t);
		break;
	default:
		break;
	}
}

static void *thread(void *arg)
{
	const long t = (long)arg;
	struct object own;

	run_on(node_of_thread(t));
	own.bytes = 16 * PAGE;
	own.p = local_buffer(own.bytes);
	fill(&own);
	for (int i = 0; i < nr_plants; i++) {
		struct plant *p = &plants[i];

		if (p->kind != WRONG || t != p->user)
			continue;
		if (!p->fixed)
			policy(MPOL_BIND, 1UL << p->home);
		p->objects[0] = (struct object){ p->allocate(p->bytes), p->bytes };
		fill(&p->objects[0]);
		policy(MPOL_DEFAULT, 0);
	}
	gather();
	touch(&own, plants[0].kind == CONTROL ? rounds : rounds / 8, 2, t + 11);
	for (int i = 0; i < nr_plants; i++) {
		gather();
		use(&plants[i], t);
	}
	gather();
	touch(&own, rounds / 8, 2, t + 13);
	return NULL;
}

/* The node that an object is for, once it is fixed. */
static int better_node(const struct plant *p, int object)
{
	return p->kind == READ ? object : p->kind == AFTER ? node_of_thread(p->user) :
	       node_of_thread(object % nr_threads);
}

static void allocate(struct plant *p)
{
	memory::pool shared(p->bytes * p->nr_objects);

	run_on(p->home);
	for (int i = 0; i < p->nr_objects; i++) {
		struct object *o = &p->objects[i];

		o->bytes = p->bytes;
		if (p->kind == POOLED && p->fixed)
			continue;
		if (p->fixed && (p->kind == AFTER || p->kind == TABLES || p->kind == READ))
			policy(MPOL_BIND, 1UL << better_node(p, i));
		if (p->fixed && p->kind == SATURATE)
			policy(MPOL_INTERLEAVE, (1UL << nr_nodes) - 1);
		if (p->kind == POOLED)
			from_pool = shared.get(p->bytes);
		o->p = p->kind == POOLED ? from_pool : p->allocate(p->bytes);
		/* Each thread then does so with its part. */
		if (!p->fixed || p->kind != PARTITION)
			fill(o);
		policy(MPOL_DEFAULT, 0);
	}
}

/* What the seed chooses is the same with the fix. */
static void draw(struct plant *p)
{
	const int several = nr_threads * between(2, 6);

	p->bytes = between(16, 64) * PAGE;
	p->one_in = between(2, 6);
	p->turns = nr_threads * between(1, 2);
	p->home = between(0, nr_nodes - 1);
	p->nr_objects = 1;
	/* One of another node. */
	for (p->user = between(0, nr_threads - 1); node_of_thread(p->user) == p->home; )
		p->user = (p->user + 1) % nr_threads;
	if (p->kind == TABLES || p->kind == POOLED) {
		p->nr_objects = several;
		p->bytes = between(2, 6) * PAGE;
	} else if (p->kind == READ && p->fixed) {
		p->nr_objects = nr_nodes;
	} else if (p->kind == FALSE_SHARING) {
		p->bytes = 4 * 64 * (p->fixed ? nr_threads : 1);
	}
}

static struct plant parse(char *text)
{
	char *rest, *name = strtok_r(text, ":", &rest), *way = strtok_r(NULL, ":", &rest);
	struct plant p = { };
	int kind;

	for (kind = 0; name && kind < KINDS && strcmp(name, names[kind]); kind++)
		;
	for (const auto &w : ways)
		if (way && !strcmp(way, w.name))
			p.allocate = w.allocate;
	if (kind == KINDS || !p.allocate) {
		fprintf(stderr, "memprof_plant_cxx: %s:%s: no such pattern, or way to allocate\n", text, way ? way : "");
		exit(2);
	}
	p.kind = (enum kind)kind;
	p.fixed = *rest;
	return p;
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_THREADS];
	bool few = false;

	if (argc < 4 || argc > 3 + MAX_PLANTS) {
		fprintf(stderr, "usage: memprof_plant_cxx SEED ROUNDS PATTERN:WAY[:fix]...\n");
		return 2;
	}
	state = strtoull(argv[1], NULL, 10);
	look_at_machine();
	for (int i = 3; i < argc; i++) {
		plants[nr_plants++] = parse(argv[i]);
		few |= plants[nr_plants - 1].kind >= FALSE_SHARING;
	}
	rounds = strtoul(argv[2], NULL, 10) / nr_plants;
	nr_threads = nr_nodes * between(1, few || nr_nodes > 2 ? 1 : 2);
	first_node = between(0, nr_nodes - 1);
	pthread_barrier_init(&barrier, NULL, nr_threads);
	for (int i = 0; i < nr_plants; i++) {
		struct plant *p = &plants[i];

		draw(p);
		if (p->kind != WRONG)
			allocate(p);
	}
	run_on(first_node);
	for (long i = 0; i < nr_threads; i++)
		if (pthread_create(&threads[i], NULL, thread, (void *)i))
			die("pthread_create");
	for (int i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
