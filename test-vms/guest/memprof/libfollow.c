// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * A library for LD_PRELOAD: programs as they are do what memprof diagnose advises, as a change of
 * their source would.  FOLLOW is a list, separated by semicolons, of
 *   stacks                 each thread stays on the node that it begins on, with its stack
 *   place SITE NODE        what a site allocates, of a page and more, is on a node; own: the
 *                          allocating thread's
 *   interleave SITE        ..., over all nodes
 * A SITE is as memprof names it where there are no lines: "+0x1b84c (memcached)", an offset in a
 * file, or "perl_alloc (perl)", a function that a file exports.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <numa.h>
#include <numaif.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_SITES	16
#define MAX_FRAMES	16
#define PAGE		4096UL
/* malloc() maps more by itself. */
#define MAPPED		(128UL << 10)

struct site {
	char name[64], file[64];
	unsigned long offset;		/* 0: a function's name */
	int node;			/* or one of these */
};
enum { NODE_OWN = -1, NODE_ALL = -2 };

static struct site sites[MAX_SITES];
static unsigned int nr_sites;
static bool stacks, ready;
static __thread bool inside __attribute__((tls_model("initial-exec")));

static int own_node(void)
{
	return numa_node_of_cpu(sched_getcpu());
}

/* Stays where it is, and its stack comes, too. */
static void keep_thread(void)
{
	struct bitmask *nodes = numa_allocate_nodemask();
	const int node = own_node();
	pthread_attr_t attr;
	size_t size;
	void *low;

	numa_run_on_node(node);
	numa_bitmask_setbit(nodes, node);
	if (!pthread_getattr_np(pthread_self(), &attr)) {
		/* Of a first thread's, only a part is mapped. */
		if (!pthread_attr_getstack(&attr, &low, &size) && getpid() != gettid())
			mbind(low, size, MPOL_PREFERRED, nodes->maskp, nodes->size + 1, MPOL_MF_MOVE);
		pthread_attr_destroy(&attr);
	}
	numa_free_nodemask(nodes);
}

/* What a thread makes may run anywhere. */
static __thread cpu_set_t before;

static void may_leave(void)
{
	sched_getaffinity(0, sizeof(before), &before);
	numa_run_on_node(-1);
}

static void come_back(void)
{
	sched_setaffinity(0, sizeof(before), &before);
}

static void add_site(const char *text, bool interleave)
{
	struct site *s = &sites[nr_sites];
	char node[16] = "";
	int n = interleave ? sscanf(text, " %63[^ ] (%63[^)])", s->name, s->file) + 1 :
		sscanf(text, " %63[^ ] (%63[^)]) %15s", s->name, s->file, node);

	if (n != 3 || nr_sites + 1 == MAX_SITES) {
		fprintf(stderr, "FOLLOW: not understood: %s\n", text);
		_exit(2);
	}
	s->offset = s->name[0] == '+' ? strtoul(s->name, NULL, 16) : 0;
	s->node = interleave ? NODE_ALL : !strcmp(node, "own") ? NODE_OWN : atoi(node);
	nr_sites++;
}

__attribute__((constructor)) static void begin(void)
{
	const char *text = getenv("FOLLOW");
	char list[1024], *save, *one;
	void *frame;

	/* The recorder is not the one that is advised, but what it starts. */
	if (!text || !strcmp(program_invocation_short_name, "memprof") || numa_available() < 0)
		return;
	snprintf(list, sizeof(list), "%s", text);
	for (one = strtok_r(list, ";", &save); one; one = strtok_r(NULL, ";", &save)) {
		if (!strcmp(one, "stacks"))
			stacks = true;
		else
			add_site(strchr(one, ' ') ? strchr(one, ' ') : "", !strncmp(one, "interleave", 10));
	}
	/* The first one loads libgcc. */
	backtrace(&frame, 1);
	if (stacks) {
		keep_thread();
		pthread_atfork(may_leave, come_back, keep_thread);
	}
	ready = true;
}

struct where {
	uintptr_t address;
	unsigned long offset;		/* in the file */
	const char *file;
};

static int find_file(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct where *w = arg;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && w->address - (info->dlpi_addr + p->p_vaddr) < p->p_memsz) {
			w->offset = w->address - (info->dlpi_addr + p->p_vaddr) + p->p_offset;
			w->file = info->dlpi_name;
			return 1;
		}
	}
	return 0;
}

static bool is_file(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return !strcmp(*path ? slash ? slash + 1 : path : program_invocation_short_name, name);
}

static bool is_site(const struct site *s, void *frame)
{
	/* A frame is where the call returns to. */
	struct where w = { .address = (uintptr_t)frame - 1 };
	Dl_info at;

	if (!dl_iterate_phdr(find_file, &w) || !is_file(w.file, s->file))
		return false;
	if (s->offset)
		return w.offset == s->offset;
	return dladdr((void *)w.address, &at) && at.dli_sname && !strcmp(at.dli_sname, s->name);
}

static void set_policy(const struct site *s, uintptr_t from, uintptr_t to)
{
	struct bitmask *nodes = numa_allocate_nodemask();

	if (s->node == NODE_ALL)
		copy_bitmask_to_bitmask(numa_all_nodes_ptr, nodes);
	else
		numa_bitmask_setbit(nodes, s->node == NODE_OWN ? own_node() : s->node);
	if (to > from && mbind((void *)from, to - from, s->node == NODE_ALL ? MPOL_INTERLEAVE : MPOL_BIND,
			       nodes->maskp, nodes->size + 1, MPOL_MF_MOVE))
		perror("FOLLOW: mbind");
	numa_free_nodemask(nodes);
}

static void *placed(void *p, size_t size)
{
	const uintptr_t start = (uintptr_t)p, end = start + size;
	void *frames[MAX_FRAMES];
	unsigned int k;
	int i, n;

	if (!p || size < PAGE || !ready || !nr_sites || inside)
		return p;
	inside = true;
	n = backtrace(frames, MAX_FRAMES);
	for (k = 0; k < nr_sites; k++)
		for (i = 0; i < n; i++)
			if (is_site(&sites[k], frames[i])) {
				set_policy(&sites[k], size < MAPPED ? (start + PAGE - 1) & -PAGE : start & -PAGE,
					   size < MAPPED ? end & -PAGE : (end + PAGE - 1) & -PAGE);
				break;
			}
	inside = false;
	return p;
}

#define NEXT(name) ({							\
	static __typeof__(&name) next;					\
	if (!next)							\
		next = (__typeof__(&name))dlsym(RTLD_NEXT, #name);	\
	next;								\
})

void *malloc(size_t size) { return placed(NEXT(malloc)(size), size); }
void *realloc(void *p, size_t size) { return placed(NEXT(realloc)(p, size), size); }
void *aligned_alloc(size_t align, size_t size) { return placed(NEXT(aligned_alloc)(align, size), size); }
void *memalign(size_t align, size_t size) { return placed(NEXT(aligned_alloc)(align, size), size); }

int posix_memalign(void **p, size_t align, size_t size)
{
	const int error = NEXT(posix_memalign)(p, align, size);

	if (!error)
		placed(*p, size);
	return error;
}

/* dlsym() may call it before there is one. */
extern void *__libc_calloc(size_t n, size_t size);

void *calloc(size_t n, size_t size)
{
	return ready ? placed(NEXT(calloc)(n, size), n * size) : __libc_calloc(n, size);
}

struct start {
	void *(*run)(void *arg);
	void *arg;
};

static void *run_kept(void *arg)
{
	struct start s = *(struct start *)arg;

	free(arg);
	keep_thread();
	return s.run(s.arg);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	struct start *s = stacks ? malloc(sizeof(*s)) : NULL;
	int error;

	if (!s)
		return NEXT(pthread_create)(thread, attr, run, arg);
	*s = (struct start){ run, arg };
	may_leave();
	error = NEXT(pthread_create)(thread, attr, run_kept, s);
	come_back();
	return error;
}
