// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof record --allocator: objects of programs that the library cannot be loaded into,
 * statically linked or running already, and of allocators of their own.  Uprobes report
 * perf of each call with its arguments and of what it returns; a call and its return make
 * an event as preload/ writes them.
 *
 * The uprobes are those of tracefs: of perf's own kind, a child inherits a pointer to its
 * parent's path, and cannot be forked (EFAULT).
 *
 * Each CPU has a ring, and threads change CPUs: what all rings have is put in order of time
 * first, but for the last moment, of which some may not be there yet.
 */
#include <asm/perf_regs.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <tracefs.h>
#include <unistd.h>

#include "lib/hash.h"
#include "lib/complain.h"
#include "lib/numbers.h"
#include "lib/options.h"
#include "lib/perf/descriptors.h"
#include "lib/perf/lost.h"
#include "lib/record/guard.h"
#include "perf_ring.h"
#include "record.h"

#define PAGE		4096UL
#define RING		(4UL << 20)
#define MAX_PROBES	64
#define MAX_CALLS	8	/* that a thread is in */
#define LATE_NS		2000000	/* from a time's being taken to its being read */
#define MAX_RECORDS	2048	/* of a chunk */

enum kind { ALLOC, CALLOC, REALLOC, FREE };

/**
 * struct probe - a function of an allocator
 * @argument: of ALLOC that with the size, of FREE the object; from 0
 * @offset: in the file
 * @ids: of the events of its calls and its returns
 */
struct probe {
	char *file;
	enum kind kind;
	unsigned int argument;
	uint64_t offset;
	int ids[2];
};

/* Which event a sample is of: an open descriptor has a number. */
struct number {
	uint64_t id;
	const struct probe *probe;
	bool returns;
	UT_hash_handle hh;
};

/* Perf's records, as far as they are used. */
struct call {
	uint64_t time;
	uint32_t pid, tid;
	const struct probe *probe;
	bool returns;
	uint16_t cpu, depth;
	uint64_t stack, argument[4], result, frames[UPROBES_DEPTH];
};

struct thread {
	uint64_t key;		/* pid << 32 | tid */
	uint32_t stream, depth, nr;
	struct call calls[MAX_CALLS];
	struct event_record *records;
	uint64_t base_ns, last_ns;
	UT_hash_handle hh;
};

/* A chain of a process, by what it is of. */
struct chain {
	struct { uint64_t pid, depth, frames[UPROBES_DEPTH]; } key;
	uint32_t number;
	UT_hash_handle hh;
};

struct cpu_ring {
	struct perf_event_mmap_page *ring;
	int fd, cpu;
};

struct uprobes {
	struct recording *r;
	unsigned int depth;	/* of call chains, at most */
	struct probe probes[MAX_PROBES];
	int nr_probes, nr_cpus, nr_fds;
	struct cpu_ring *cpus;
	int *fds;
	struct number *numbers;
	struct thread *threads;
	struct chain *chains;
	uint32_t nr_chains;
	struct call *calls;
	size_t nr_calls, capacity_calls;
	uint64_t lost, reported;	/* lost: since the last report; reported: in all, by rings */
	uint64_t from_ns, until_ns;	/* all are on */
};

/** uprobes_new() - none yet, for a recording, with call chains of at most @depth; NULL without memory */
struct uprobes *uprobes_new(struct recording *r, unsigned int depth)
{
	struct uprobes *u = calloc(1, sizeof(*u));

	if (u) {
		u->r = r;
		u->depth = depth < UPROBES_DEPTH ? depth : UPROBES_DEPTH;
		u->until_ns = UINT64_MAX;
	}
	return u;
}

/* ---- functions ---- */

/* Where in the file a function begins; 0: it has none of that name. */
static uint64_t find_function(Elf *elf, const char *name)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Phdr segment;
	GElf_Sym symbol;
	size_t i, k, nr_segments;

	if (elf_getphdrnum(elf, &nr_segments))
		return 0;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || !header.sh_entsize ||
		    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		for (i = 0; i < header.sh_size / header.sh_entsize; i++) {
			const char *text;

			if (!gelf_getsym(elf_getdata(section, NULL), i, &symbol) ||
			    GELF_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_shndx)
				continue;
			text = elf_strptr(elf, header.sh_link, symbol.st_name);
			if (!text || strcmp(text, name))
				continue;
			for (k = 0; k < nr_segments; k++)
				if (gelf_getphdr(elf, k, &segment) && segment.p_type == PT_LOAD &&
				    symbol.st_value - segment.p_vaddr < segment.p_filesz)
					return symbol.st_value - segment.p_vaddr + segment.p_offset;
		}
	}
	return 0;
}

static int add(struct uprobes *u, Elf *elf, const char *file, const char *name, enum kind kind,
	       unsigned int argument)
{
	const uint64_t offset = find_function(elf, name);
	struct probe *p = &u->probes[u->nr_probes];
	int i;

	if (!offset)
		return -ENOENT;
	/* One function of two names is one. */
	for (i = 0; i < u->nr_probes; i++)
		if (u->probes[i].offset == offset && !strcmp(u->probes[i].file, file))
			return 0;
	if (u->nr_probes == MAX_PROBES)
		return -ENOSPC;
	*p = (struct probe){ strdup(file), kind, argument, offset, { 0, 0 } };
	if (!p->file)
		return -ENOMEM;
	u->nr_probes++;
	return 0;
}

/**
 * uprobes_parse() - parse the name of a function
 * @spec: NAME, or NAME/N: by its Nth argument, from 1 to 4
 * @name: set to the name
 * @size: of @name
 * @argument: set to N, or 1
 *
 * Return: 0, or -1 if @spec is neither.
 */
int uprobes_parse(const char *spec, char *name, size_t size, uint64_t *argument)
{
	const size_t n = strcspn(spec, "/");

	*argument = 1;
	if (!n || n >= size)
		return -1;
	snprintf(name, size, "%.*s", (int)n, spec);
	return spec[n] ? parse_number(spec + n + 1, 1, 4, argument) : 0;
}

static int add_named(struct uprobes *u, Elf *elf, const char *file, const char *spec, enum kind kind)
{
	char name[256];
	uint64_t n;

	if (uprobes_parse(spec, name, sizeof(name), &n))
		return wrong_usage("%s: not a function's name, or NAME/N with N from 1 to 4", spec);
	switch (add(u, elf, file, name, kind, n - 1)) {
	case 0: return OK;
	case -ENOENT: return complain(FAILED, "%s: no function %s (stripped?)", file, name);
	case -ENOMEM: return complain(FAILED, "no memory left");
	default: return complain(FAILED, "%s: %s: too many functions", file, name);
	}
}

/* Functions by the names that the C and C++ libraries give them; an aligned new has the size first, too. */
static const struct usual { const char *name; enum kind kind; unsigned int argument; } usual[] = {
	{ "malloc", ALLOC, 0 }, { "calloc", CALLOC, 0 }, { "realloc", REALLOC, 0 },
	{ "free", FREE, 0 }, { "memalign", ALLOC, 1 }, { "aligned_alloc", ALLOC, 1 },
	{ "cfree", FREE, 0 },
	/* operator new and new[]: plain, nothrow, aligned, both */
	{ "_Znwm", ALLOC, 0 }, { "_Znam", ALLOC, 0 },
	{ "_ZnwmRKSt9nothrow_t", ALLOC, 0 }, { "_ZnamRKSt9nothrow_t", ALLOC, 0 },
	{ "_ZnwmSt11align_val_t", ALLOC, 0 }, { "_ZnamSt11align_val_t", ALLOC, 0 },
	{ "_ZnwmSt11align_val_tRKSt9nothrow_t", ALLOC, 0 }, { "_ZnamSt11align_val_tRKSt9nothrow_t", ALLOC, 0 },
}, usual_delete[] = {
	{ "_ZdlPv", FREE, 0 }, { "_ZdaPv", FREE, 0 }, { "_ZdlPvm", FREE, 0 }, { "_ZdaPvm", FREE, 0 },
	{ "_ZdlPvRKSt9nothrow_t", FREE, 0 }, { "_ZdaPvRKSt9nothrow_t", FREE, 0 },
	{ "_ZdlPvSt11align_val_t", FREE, 0 }, { "_ZdaPvSt11align_val_t", FREE, 0 },
	{ "_ZdlPvmSt11align_val_t", FREE, 0 }, { "_ZdaPvmSt11align_val_t", FREE, 0 },
};

/* The C++ library's operator delete calls free(); those of jemalloc, tcmalloc and mimalloc do not. */
static bool has_own_delete(Elf *elf)
{
	static const char * const names[] = { "sdallocx", "je_sdallocx", "tc_delete", "mi_free" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (find_function(elf, names[i]))
			return true;
	return false;
}

static int add_usual(struct uprobes *u, Elf *elf, const char *file)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret != -ENOMEM && i < sizeof(usual) / sizeof(*usual); i++)
		ret = add(u, elf, file, usual[i].name, usual[i].kind, usual[i].argument);
	for (i = 0; ret != -ENOMEM && i < sizeof(usual_delete) / sizeof(*usual_delete) && has_own_delete(elf); i++)
		ret = add(u, elf, file, usual_delete[i].name, usual_delete[i].kind, usual_delete[i].argument);
	return ret == -ENOMEM ? complain(FAILED, "no memory left") : OK;
}

/**
 * uprobes_add() - follow an allocator
 * @u: of uprobes_new()
 * @a: where it is, and its functions; with none named, those of the C and C++ libraries
 *
 * Return: OK, or FAILED or USAGE after saying why.
 */
int uprobes_add(struct uprobes *u, const struct allocator *a)
{
	const int before = u->nr_probes;
	char *file = realpath(a->file, NULL);
	int fd = file ? open(file, O_RDONLY | O_CLOEXEC) : -1, ret = OK, i;
	Elf *elf;

	if (fd < 0) {
		free(file);
		return complain(FAILED, "%s: %s", a->file, strerror(errno));
	}
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		ret = complain(FAILED, "%s: not a program or library", a->file);
	else if (strpbrk(file, " \t\n"))
		ret = complain(FAILED, "%s: uprobes have no paths with spaces", file);
	for (i = 0; !ret && i < a->nr_alloc; i++)
		ret = add_named(u, elf, file, a->alloc[i], ALLOC);
	for (i = 0; !ret && i < a->nr_free; i++)
		ret = add_named(u, elf, file, a->free[i], FREE);
	if (!ret && !a->nr_alloc && !a->nr_free)
		ret = add_usual(u, elf, file);
	if (!ret && u->nr_probes == before)
		ret = complain(FAILED, "%s: no malloc() or its like: stripped, or not an allocator's "
			       "(--alloc and --free name others)", a->file);
	elf_end(elf);
	close(fd);
	free(file);
	return ret;
}

/* ---- events ---- */

/* An event of tracefs for the calls, or the returns, of a function.  0, or -errno. */
static int define_one(struct probe *p, const char *group, int number, bool returns)
{
	char name[16], file[80], *id;
	struct tracefs_dynevent *event;
	int ret;

	snprintf(name, sizeof(name), "%c%d", returns ? 'r' : 'p', number);
	errno = 0;
	event = returns ? tracefs_uretprobe_alloc(group, name, p->file, p->offset, NULL) :
			  tracefs_uprobe_alloc(group, name, p->file, p->offset, NULL);
	ret = event && !tracefs_dynevent_create(event) ? 0 : errno ? -errno : -ENOENT;
	tracefs_dynevent_free(event);
	if (ret)
		return ret;
	snprintf(file, sizeof(file), "events/%s/%s/id", group, name);
	id = tracefs_instance_file_read(NULL, file, NULL);
	p->ids[returns] = id ? atoi(id) : 0;
	free(id);
	return p->ids[returns] ? 0 : -ENOENT;
}

static int define(struct uprobes *u)
{
	char group[32];
	int i, returns, ret = 0;

	snprintf(group, sizeof(group), "memprof_%d", getpid());
	/* They would stay when we are gone. */
	if (guard_note(UNDO_UPROBES, group, NULL))
		return -ENOMEM;
	for (i = 0; i < u->nr_probes; i++)
		/* What free() returns says nothing. */
		for (returns = 0; returns <= (u->probes[i].kind != FREE) && !ret; returns++)
			ret = define_one(&u->probes[i], group, i, returns);
	return ret;
}

static int open_probe(const struct uprobes *u, const struct probe *p, bool returns, pid_t tid,
		      int cpu, bool inherit, bool on_exec)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_TRACEPOINT, .config = p->ids[returns], .sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_REGS_USER,
		.sample_regs_user = 1 << PERF_REG_X86_AX | 1 << PERF_REG_X86_CX |
				    1 << PERF_REG_X86_DX | 1 << PERF_REG_X86_SI |
				    1 << PERF_REG_X86_DI | 1 << PERF_REG_X86_SP,
		.disabled = 1, .inherit = inherit, .enable_on_exec = on_exec, .use_clockid = 1,
		.clockid = CLOCK_MONOTONIC, .exclude_callchain_kernel = 1,
		.read_format = perf_lost_format(),
	};

	/* Who called is on top of the stack; the callers before by frame pointers. */
	if (!returns && p->kind != FREE) {
		attr.sample_type |= PERF_SAMPLE_STACK_USER;
		attr.sample_stack_user = 8;
		if (u->r->request.callchain)
			attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	}
	return syscall(SYS_perf_event_open, &attr, u->r->cgroup < 0 ? tid : u->r->cgroup, cpu, -1,
		       PERF_FLAG_FD_CLOEXEC | (u->r->cgroup < 0 ? 0 : PERF_FLAG_PID_CGROUP));
}

static int keep(struct uprobes *u, struct cpu_ring *c, int fd, const struct probe *p, bool returns)
{
	struct number *n;
	void *ring;
	int *fds;

	/* The capacity is the next power of two. */
	if (!(u->nr_fds & (u->nr_fds - 1))) {
		fds = realloc(u->fds, (u->nr_fds ? 2 * u->nr_fds : 1) * sizeof(*fds));
		if (!fds) {
			close(fd);
			return -ENOMEM;
		}
		u->fds = fds;
	}
	u->fds[u->nr_fds++] = fd;
	n = calloc(1, sizeof(*n));
	if (!n)
		return -ENOMEM;
	n->probe = p;
	n->returns = returns;
	if (ioctl(fd, PERF_EVENT_IOC_ID, &n->id)) {
		free(n);
		return -errno;
	}
	HASH_ADD(hh, u->numbers, id, sizeof(n->id), n);
	if (c->ring)
		return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, c->fd) ? -errno : 0;
	ring = mmap(NULL, PAGE + RING, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		return -errno;
	c->ring = ring;
	c->fd = fd;
	return 0;
}

static int open_on_cpu(struct uprobes *u, struct cpu_ring *c, pid_t tid, bool inherit, bool on_exec)
{
	int i, fd, ret = 0, returns;

	for (i = 0; i < u->nr_probes && !ret; i++)
		for (returns = 0; returns < 2 && u->probes[i].ids[returns] && !ret; returns++) {
			fd = open_probe(u, &u->probes[i], returns, tid, c->cpu, inherit, on_exec);
			ret = fd < 0 ? -errno : keep(u, c, fd, &u->probes[i], returns);
		}
	return ret;
}

/**
 * uprobes_open() - open all, stopped
 * @u: with allocators added
 * @tids: threads; those they create are followed, too
 * @nr_tids: how many; 0: all of the system, or of the recording's control group
 * @on_exec: they begin when the thread executes a program
 *
 * Return: OK, or FAILED after saying why.
 */
int uprobes_open(struct uprobes *u, const pid_t *tids, int nr_tids, bool on_exec)
{
	int i, k, ret = define(u);

	if (ret)
		return complain(FAILED, "--allocator: uprobe_events of tracefs: %s%s", strerror(-ret),
				ret == -EACCES || ret == -EPERM ? " (needs root)" : "");
	u->cpus = calloc(u->r->machine.nr_cpus, sizeof(*u->cpus));
	if (!u->cpus)
		return complain(FAILED, "no memory left");
	descriptors_need((uint64_t)u->r->machine.nr_cpus * (nr_tids ? nr_tids : 1) * 2 * u->nr_probes);
	for (i = 0; i < u->r->machine.nr_cpus && !ret; i++) {
		struct cpu_ring *c = &u->cpus[u->nr_cpus];

		if (!u->r->machine.online[i])
			continue;
		u->nr_cpus++;
		c->cpu = i;
		if (!nr_tids)
			ret = open_on_cpu(u, c, -1, false, false);
		for (k = 0; k < nr_tids && !ret; k++) {
			ret = open_on_cpu(u, c, tids[k], true, on_exec);
			/* It has ended in the meantime. */
			if (ret == -ESRCH && nr_tids > 1)
				ret = 0;
		}
	}
	if (!ret)
		return OK;
	return complain(FAILED, "uprobes cannot be opened: %s%s", strerror(-ret),
			ret == -EACCES || ret == -EPERM ? " (needs CAP_PERFMON or root)" :
			ret == -EMFILE ? " (ulimit -Hn, sysctl fs.nr_open)" : "");
}

/**
 * uprobes_enable() - start or stop all
 *
 * One after the other: what happens while some are on and some are not is left out, or an
 * object would seem to live on whose end was not seen.
 */
void uprobes_enable(struct uprobes *u, bool on)
{
	if (!on)
		u->until_ns = now_ns();
	for (int i = 0; i < u->nr_fds; i++)
		ioctl(u->fds[i], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
	if (on)
		u->from_ns = now_ns();
}

/* ---- what becomes of calls ---- */

static void flush(struct uprobes *u, struct thread *t)
{
	uint32_t i;

	for (i = 0; i < t->nr; i++) {
		u->r->events += t->records[i].type != EVENT_CHAIN;
		if (t->records[i].type == EVENT_CHAIN)
			i += (t->records[i].wait + 2) / 3;
	}
	if (t->nr)
		writer_chunk(&u->r->writer, CHUNK_EVENTS, t->stream, t->base_ns, t->last_ns, t->nr,
			     &(struct iovec){ t->records, t->nr * sizeof(*t->records) }, 1);
	t->nr = 0;
}

/* Room for records of a time, in one chunk; NULL without memory, which counts as lost. */
static struct event_record *put(struct uprobes *u, struct thread *t, uint64_t time, uint32_t n)
{
	if (!t->records)
		t->records = malloc(MAX_RECORDS * sizeof(*t->records));
	if (!t->records) {
		u->lost++;
		return NULL;
	}
	if (t->nr + n > MAX_RECORDS || (t->nr && time - t->base_ns > MEMPROF_MAX_DELTA))
		flush(u, t);
	if (!t->nr)
		t->base_ns = time;
	t->last_ns = time;
	t->nr += n;
	return &t->records[t->nr - n];
}

static struct thread *find_thread(struct uprobes *u, uint32_t pid, uint32_t tid, uint64_t time)
{
	uint64_t key = (uint64_t)pid << 32 | tid;
	struct stream_record stream;
	struct thread *t;

	HASH_FIND(hh, u->threads, &key, sizeof(key), t);
	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (!t) {
		u->lost++;
		return NULL;
	}
	t->key = key;
	t->stream = ++u->r->streams;
	HASH_ADD(hh, u->threads, key, sizeof(key), t);
	stream = (struct stream_record){ t->stream, pid, tid, 0, 0 };
	writer_chunk(&u->r->writer, CHUNK_STREAM, t->stream, time, time, 1,
		     &(struct iovec){ &stream, sizeof(stream) }, 1);
	return t;
}

/* The number of a call's chain in its process; 0: none. */
static uint32_t chain_number(struct uprobes *u, struct thread *t, const struct call *c)
{
	const uint32_t words = (c->depth + 2) / 3;
	struct event_record *e;
	struct chain *chain, key;

	if (!c->depth)
		return 0;
	memset(&key, 0, sizeof(key));
	key.key.pid = c->pid;
	key.key.depth = c->depth;
	memcpy(key.key.frames, c->frames, c->depth * sizeof(*c->frames));
	HASH_FIND(hh, u->chains, &key.key, sizeof(key.key), chain);
	if (chain)
		return chain->number;
	if (u->nr_chains == EVENT_MAX_CHAIN)
		return 0;
	chain = malloc(sizeof(*chain));
	e = chain ? put(u, t, c->time, 1 + words) : NULL;
	if (!e) {
		free(chain);
		return 0;
	}
	*chain = key;
	chain->number = ++u->nr_chains;
	HASH_ADD(hh, u->chains, key, sizeof(chain->key), chain);
	*e = (struct event_record){ .delta = c->time - t->base_ns, .type = EVENT_CHAIN,
				    .wait = c->depth, .chain = chain->number };
	memset(e + 1, 0, words * sizeof(*e));
	memcpy(e + 1, c->frames, c->depth * sizeof(*c->frames));
	return chain->number;
}

static void put_event(struct uprobes *u, struct thread *t, const struct call *c, uint64_t time,
		      struct event_record event)
{
	struct event_record *e;

	if (event.type != EVENT_LOST && (time < u->from_ns || time > u->until_ns))
		return;
	e = put(u, t, time, 1);
	if (!e)
		return;
	event.delta = time - t->base_ns;
	event.cpu = c->cpu;
	*e = event;
}

/* A call of a thread that was in none, and its return. */
static void take_pair(struct uprobes *u, struct thread *t, const struct call *c, const struct call *back)
{
	const uint64_t ns = back->time - c->time, units = (ns + EVENT_WAIT_NS - 1) / EVENT_WAIT_NS;
	const unsigned int wait = units > UINT16_MAX ? UINT16_MAX : units ? units : 1;
	uint64_t size = c->argument[c->probe->argument];
	const uint32_t chain = chain_number(u, t, c);

	switch (c->probe->kind) {
	case ALLOC:
		if (back->result)
			put_event(u, t, back, back->time, (struct event_record){
				.type = EVENT_ALLOC, .addr = back->result, .size = size, .chain = chain });
		break;
	case CALLOC:
		if (back->result)
			put_event(u, t, c, c->time, (struct event_record){
				.type = EVENT_ALLOC, .addr = back->result, .chain = chain, .wait = wait,
				.size = c->argument[0] * c->argument[1], .flags = EVENT_ZEROED });
		break;
	case REALLOC:
		size = c->argument[1];
		/* NULL: nothing happened, unless it was asked to free. */
		if (c->argument[0] && (back->result || !size))
			put_event(u, t, c, c->time, (struct event_record){
				.type = EVENT_FREE, .addr = c->argument[0], .flags = EVENT_REALLOC,
				.wait = wait });
		if (back->result)
			put_event(u, t, c, c->time, (struct event_record){
				.type = EVENT_ALLOC, .addr = back->result, .size = size, .chain = chain,
				.flags = EVENT_REALLOC, .wait = wait });
		break;
	default:
		break;
	}
}

/*
 * A function that ends in a jump to another one, as new[] does to new, leaves it the place on the
 * stack, where the probe of its own return has put the kernel's trampoline for a caller: that is
 * at the end of user memory, where no code of the program is.
 */
static bool is_jump(const struct thread *t, const struct call *c)
{
	return t->calls[t->depth - 1].stack == c->stack && c->depth && c->frames[0] >> 32 == 0x7fff;
}

/* Of functions that call each other, what the program called counts. */
static void take_call(struct uprobes *u, const struct call *c)
{
	struct thread *t = find_thread(u, c->pid, c->tid, c->time);
	uint32_t depth;

	if (!t)
		return;
	/*
	 * What a call calls is further down the stack.  Calls whose return was not seen, or that
	 * longjmp() left, are over.
	 */
	while (!c->returns && t->depth && t->calls[t->depth - 1].stack <= c->stack && !is_jump(t, c))
		t->depth--;
	if (c->returns) {
		for (depth = t->depth; depth; depth--)
			if (t->calls[depth - 1].probe == c->probe)
				break;
		if (!depth)
			return;
		t->depth = depth - 1;
		if (!t->depth)
			take_pair(u, t, &t->calls[0], c);
	} else if (c->probe->kind == FREE) {
		if (!t->depth && c->argument[c->probe->argument])
			put_event(u, t, c, c->time, (struct event_record){
				.type = EVENT_FREE, .addr = c->argument[c->probe->argument] });
	} else if (t->depth < MAX_CALLS) {
		t->calls[t->depth++] = *c;
	} else {
		t->calls[0] = *c;
		t->depth = 1;
	}
}

/* ---- rings ---- */

static void read_call(struct uprobes *u, const struct perf_event_header *h)
{
	const uint64_t *p = (const uint64_t *)(h + 1), *end = (const uint64_t *)((char *)h + h->size);
	struct number *n;
	struct call *c;
	uint64_t i, frames;

	/* Identifier, pid and tid, time, CPU. */
	if (end - p < 4)
		return;
	HASH_FIND(hh, u->numbers, p, sizeof(*p), n);
	if (!n)
		return;
	if (u->nr_calls == u->capacity_calls) {
		const size_t capacity = u->capacity_calls ? 2 * u->capacity_calls : 4096;

		c = realloc(u->calls, capacity * sizeof(*c));
		if (!c) {
			u->lost++;
			return;
		}
		u->calls = c;
		u->capacity_calls = capacity;
	}
	c = &u->calls[u->nr_calls];
	*c = (struct call){ .probe = n->probe, .returns = n->returns };
	/* Then chain, registers, stack. */
	c->pid = (uint32_t)p[1];
	c->tid = p[1] >> 32;
	c->time = p[2];
	c->cpu = (uint32_t)p[3];
	p += 4;
	if (!n->returns && n->probe->kind != FREE) {
		c->depth = 1;
		if (u->r->request.callchain) {
			frames = p < end ? *p++ : 0;
			if (frames > (uint64_t)(end - p))
				return;
			/* The function itself is the first. */
			for (i = 0; i < frames; i++)
				if (p[i] < (uint64_t)PERF_CONTEXT_MAX && i > 1 && c->depth < u->depth)
					c->frames[c->depth++] = p[i];
			p += frames;
		}
	}
	/* Registers in order of their bits: ax, cx, dx, si, di, sp. */
	if (end - p < 7 || !*p++)
		return;
	c->result = p[0];
	c->argument[0] = p[4];
	c->argument[1] = p[3];
	c->argument[2] = p[2];
	c->argument[3] = p[1];
	c->stack = p[5];
	p += 6;
	if (c->depth && p + 2 < end && p[0] >= 8) {
		c->frames[0] = p[1];
		/* A chain has the caller, too, where the kernel sees that the function has just begun. */
		if (c->depth > 1 && c->frames[1] == c->frames[0])
			memmove(c->frames + 1, c->frames + 2, (--c->depth - 1) * sizeof(*c->frames));
	} else {
		c->depth = 0;
	}
	u->nr_calls++;
}

static void take_record(void *ctx, const struct perf_event_header *h)
{
	struct uprobes *u = ctx;
	const uint64_t *d = (const uint64_t *)(h + 1);

	if (h->type == PERF_RECORD_SAMPLE) {
		read_call(u, h);
	} else if (h->type == PERF_RECORD_LOST && h->size >= sizeof(*h) + 16) {
		u->lost += d[1];
		u->reported += d[1];
	}
}

/* Whose they were is not known: every process may have lost some. */
static void report_lost(struct uprobes *u, uint64_t now)
{
	uint64_t count = u->lost;
	struct thread *t, *next;

	record_lost(u->r, LOST_EVENTS, 0, now, count);
	HASH_ITER(hh, u->threads, t, next) {
		const struct call none = { .cpu = 0 };
		const uint64_t time = now > t->last_ns ? now : t->last_ns;

		t->depth = 0;
		put_event(u, t, &none, time, (struct event_record){ .type = EVENT_LOST, .size = count });
		count = 0;
	}
	u->lost = 0;
}

static int by_time(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

/**
 * uprobes_drain() - read what there is
 * @u: the uprobes
 * @all: everything, for the last time
 *
 * Return: whether there was anything.
 */
bool uprobes_drain(struct uprobes *u, bool all)
{
	const uint64_t now = now_ns(), until = all ? UINT64_MAX : now - LATE_NS;
	struct thread *t, *next;
	uint64_t counted = 0;
	bool any = false;
	size_t taken;
	int i;

	for (i = 0; i < u->nr_cpus; i++)
		if (u->cpus[i].ring)
			any |= perf_ring_read(u->cpus[i].ring, RING, take_record, u);
	if (u->nr_calls)
		qsort(u->calls, u->nr_calls, sizeof(*u->calls), by_time);
	for (taken = 0; taken < u->nr_calls && u->calls[taken].time <= until; taken++)
		take_call(u, &u->calls[taken]);
	u->nr_calls -= taken;
	if (taken)
		memmove(u->calls, u->calls + taken, u->nr_calls * sizeof(*u->calls));
	/* No ring reports what was lost after the last record that fitted. */
	for (i = 0; all && i < u->nr_fds; i++)
		counted += perf_lost(u->fds[i]);
	if (counted > u->reported)
		u->lost += counted - u->reported;
	if (u->lost)
		report_lost(u, taken && !u->nr_calls ? now : until < now ? until : now);
	HASH_ITER(hh, u->threads, t, next)
		if (all || (t->nr && now - t->base_ns > 1000000000))
			flush(u, t);
	return any || u->nr_calls;
}

/** uprobes_close() - end; guard_undo() removes the events that were defined */
void uprobes_close(struct uprobes *u)
{
	struct thread *t, *next_thread;
	struct number *n, *next_number;
	struct chain *c, *next_chain;
	int i;

	for (i = 0; i < u->nr_cpus; i++)
		if (u->cpus[i].ring)
			munmap(u->cpus[i].ring, PAGE + RING);
	for (i = 0; i < u->nr_fds; i++)
		close(u->fds[i]);
	for (i = 0; i < u->nr_probes; i++)
		free(u->probes[i].file);
	HASH_ITER(hh, u->threads, t, next_thread) {
		HASH_DEL(u->threads, t);
		free(t->records);
		free(t);
	}
	HASH_ITER(hh, u->numbers, n, next_number) {
		HASH_DEL(u->numbers, n);
		free(n);
	}
	HASH_ITER(hh, u->chains, c, next_chain) {
		HASH_DEL(u->chains, c);
		free(c);
	}
	free(u->calls);
	free(u->cpus);
	free(u->fds);
	free(u);
}
