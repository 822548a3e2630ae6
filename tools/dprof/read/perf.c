// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Reads what perf record, perf mem and perf c2c recorded: samples with an address become
 * dprof's samples.  There are no types of objects: a type is a variable of a program, a library
 * or the kernel, or else a mapping of a process, or a region of the kernel.
 *
 * Instructions of user mode get an address that is the same in all processes: that in their
 * file, with the number of the file in the upper 16 bits, and symbols for that.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/perf/data_src.h"
#include "lib/perf/perf_data.h"
#include "lib/cells/utf8.h"
#include "files.h"
#include "kernel.h"
#include "maps.h"
#include "reader.h"

/* Of FORK: perf made it up, for a task that was there before. */
#define MISC_FORK_EXEC	PERF_RECORD_MISC_COMM_EXEC
/* Types beyond are all one: CLASS_USER. */
#define MAX_TYPES	8192
#define MAX_CODE_FILES	0x7ffe
#define FILE_SHIFT	48
/* Offsets in an object have 32 bits: what is larger is several. */
#define OBJECT_BYTES	(1ULL << 32)
#define KERNEL_MEMORY	(1ULL << 63)

/* A type for which EVENT_TYPE was emitted. */
struct reported {
	struct { char cache[64], func[64], file[128]; } key;
	uint32_t id;
	UT_hash_handle hh;
};

/* A file that code is of, in the order of its first sample. */
struct code_file {
	const struct map_name *name;
	uint32_t number;
	UT_hash_handle hh;
};

/* An address that has got its symbol. */
struct named {
	uint64_t addr;
	UT_hash_handle hh;
};

struct source {
	struct reader *r;
	struct perf_data d;
	struct maps maps;
	struct kernel kernel;
	struct reported *reported;
	struct code_file *code_files;
	struct named *named;
	FILE *symbols;			/* of user code, until the end */
	char *text;
	size_t text_size;
	uint64_t time, samples, others;
	bool asked_kernel, no_memory;
	char error[256];		/* of the file of kallsyms */
};

static bool has(const struct perf_event *e, uint64_t field)
{
	return e->attr.sample_type & field;
}

/* ---- types ---- */

static int emit(struct source *s, enum event_kind kind, struct event *e, int32_t cpu, uint32_t pid)
{
	e->kind = kind;
	e->ts = s->time;
	e->cpu = cpu;
	e->pid = pid;
	return s->r->event(s->r->ctx, e);
}

/* Find the type of a name; emit EVENT_TYPE if it is new.  Return 0, or the value of the callback */
static int find_type(struct source *s, const struct type_event *expected, uint32_t *id)
{
	struct reported key, *t;
	struct event e = { .type = *expected };

	memset(&key.key, 0, sizeof(key.key));
	utf8_copy(key.key.cache, sizeof(key.key.cache), expected->cache);
	utf8_copy(key.key.func, sizeof(key.key.func), expected->func);
	utf8_copy(key.key.file, sizeof(key.key.file), expected->file);
	HASH_FIND(hh, s->reported, &key.key, sizeof(key.key), t);
	if (!t && HASH_COUNT(s->reported) >= MAX_TYPES) {
		*id = CLASS_USER;
		return 0;
	}
	if (t) {
		*id = t->id;
		return 0;
	}
	t = calloc(1, sizeof(*t));
	if (!t) {
		s->no_memory = true;
		return -1;
	}
	t->key = key.key;
	t->id = *id = NR_MEMORY_CLASSES + HASH_COUNT(s->reported);
	HASH_ADD(hh, s->reported, key, sizeof(t->key), t);
	e.type.id = t->id;
	memcpy(e.type.cache, t->key.cache, sizeof(e.type.cache));
	memcpy(e.type.func, t->key.func, sizeof(e.type.func));
	memcpy(e.type.file, t->key.file, sizeof(e.type.file));
	return emit(s, EVENT_TYPE, &e, -1, 0);
}

static const char *base_name(const char *path)
{
	const char *slash = *path == '/' ? strrchr(path, '/') : NULL;

	return slash && slash[1] ? slash + 1 : path;
}

static const struct file *file_of(struct map_name *n)
{
	if (!n->looked) {
		n->looked = true;
		n->file = file_open(n->name, n->build_id, n->build_id_size);
	}
	return n->file;
}

/* perf calls memory of no file so. */
static bool is_anonymous(const struct map *m)
{
	return !strcmp(m->name->name, "//anon") || !strncmp(m->name->name, "[anon", 5);
}

/* The file that has the variables there: the mapping's, or of .bss, that of the one before it. */
static const struct map *map_of_file(const struct process *p, const struct map *m)
{
	if (is_anonymous(m) && m > p->table->map && m[-1].end == m->start)
		m--;
	return *m->name->name == '/' && !is_anonymous(m) ? m : NULL;
}

/* A variable of a program or a library.  Return whether it is one. */
static bool find_variable(const struct process *p, const struct map *m, struct sample_event *e,
			  struct type_event *t)
{
	const struct map *of = map_of_file(p, m);
	const struct file *f = of ? file_of(of->name) : NULL;
	const struct file_symbol *v = NULL;
	uint64_t addr;

	if (f && file_address(f, of->offset + (e->addr - of->start), &addr))
		v = file_symbol(f, addr, false);
	if (!v)
		return false;
	e->base = e->addr - (addr - v->start);
	e->offset = addr - v->start;
	t->size = v->size <= UINT32_MAX ? v->size : 0;
	utf8_copy(t->cache, sizeof(t->cache), base_name(of->name->name));
	utf8_copy(t->func, sizeof(t->func), v->name);
	utf8_copy(t->file, sizeof(t->file), of->name->name);
	return addr - v->start < OBJECT_BYTES;
}

/* What processes have mapped together is the same memory, wherever they have it. */
static int share(struct source *s, const struct map *m, struct sample_event *e)
{
	if (!m->name->space)
		m->name->space = ++s->maps.spaces;
	e->space = m->name->space;
	e->at = m->offset + (e->addr - m->start);
	e->base = e->at - e->offset;
	/* 0 would mean that it has no place of its own. */
	e->at += OBJECT_BYTES;
	e->base += OBJECT_BYTES;
	return 0;
}

/* Return 0, or what the taker of events returned. */
static int user_data(struct source *s, uint32_t pid, struct sample_event *e)
{
	struct process *p = maps_process(&s->maps, pid);
	const struct map *m = p ? maps_find(p, e->addr) : NULL;
	struct type_event t = { .class = CLASS_USER };
	const char *name;

	if (!p) {
		s->no_memory = true;
		return -1;
	}
	e->space = p->space;
	if (!m || !find_variable(p, m, e, &t)) {
		name = !m ? "[not_mapped]" : is_anonymous(m) ? "[anon]" : base_name(m->name->name);
		e->base = m ? m->start : 0;
		e->base += (e->addr - e->base) & ~(OBJECT_BYTES - 1);
		e->offset = e->addr - e->base;
		t.size = 0;
		/* A file is the same in all processes. */
		if (*name == '[')
			utf8_copy(t.cache, sizeof(t.cache), *p->comm ? p->comm : "[unknown]");
		utf8_copy(*name == '[' ? t.func : t.cache, sizeof(t.func), name);
		utf8_copy(t.file, sizeof(t.file), m && *name != '[' ? m->name->name : "");
	}
	if (m && m->shared && !is_anonymous(m) && share(s, m, e))
		return -1;
	return find_type(s, &t, &e->type);
}

static int kernel_data(struct source *s, struct sample_event *e)
{
	static const struct { const char *name; enum memory_class class; } regions[] = {
		[REGION_MODULE] = { "module", CLASS_MODULE }, [REGION_DIRECT] = { "direct_map", CLASS_UNKNOWN },
		[REGION_VMALLOC] = { "vmalloc_or_vmemmap", CLASS_VMALLOC },
		[REGION_CPU_ENTRY] = { "cpu_entry_area", CLASS_FIXMAP },
		[REGION_KERNEL] = { "kernel", CLASS_UNKNOWN },
	};
	const char *module;
	const enum kernel_region region = kernel_region(&s->kernel, e->addr, e->phys, &module);
	struct type_event t = { .class = regions[region].class };

	e->base = e->addr & ~(OBJECT_BYTES - 1);
	e->offset = e->addr - e->base;
	/* Where there are symbols, the model finds the variable. */
	if (region == REGION_IMAGE || (region == REGION_MODULE && s->kernel.symbols)) {
		e->type = region == REGION_IMAGE ? CLASS_STATIC : CLASS_MODULE;
		return 0;
	}
	if (region == REGION_FIXMAP) {
		e->type = CLASS_FIXMAP;
		return 0;
	}
	snprintf(t.cache, sizeof(t.cache), "%s", regions[region].name);
	utf8_copy(t.func, sizeof(t.func), module);
	return find_type(s, &t, &e->type);
}

/* ---- code ---- */

/* A symbol of an address, unless it has got one.  The name has no blank and no bracket in it. */
static int name_code(struct source *s, uint64_t addr, const char *name, const char *of)
{
	char clean[128];
	struct named *n;
	size_t i;

	HASH_FIND(hh, s->named, &addr, sizeof(addr), n);
	if (n)
		return 0;
	n = calloc(1, sizeof(*n));
	if (!n)
		return -1;
	n->addr = addr;
	HASH_ADD(hh, s->named, addr, sizeof(n->addr), n);
	fprintf(s->symbols, "%016" PRIx64 " t ", addr);
	for (i = 0; i < 2; i++) {
		char *p;

		utf8_copy(clean, sizeof(clean), i ? of : name);
		for (p = clean; *p; p++)
			if (strchr(" \t\r\n[]", *p))
				*p = '_';
		fprintf(s->symbols, i ? "\t[%s]\n" : "%s", clean);
	}
	return ferror(s->symbols) ? -1 : 0;
}

static struct code_file *code_file(struct source *s, const struct map_name *name)
{
	struct code_file *f;

	HASH_FIND_PTR(s->code_files, &name, f);
	if (f || HASH_COUNT(s->code_files) >= MAX_CODE_FILES)
		return f;
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->name = name;
	f->number = HASH_COUNT(s->code_files) + 1;
	HASH_ADD_PTR(s->code_files, name, f);
	return f;
}

/* The address of an instruction of user mode in its file, and a symbol for it. */
static int user_code(struct source *s, uint32_t pid, uint64_t *ip)
{
	struct process *p = maps_process(&s->maps, pid);
	const struct map *m = p ? maps_find(p, *ip) : NULL;
	const struct file_symbol *symbol = NULL;
	struct code_file *of;
	const struct file *f;
	uint64_t addr, high;
	char hex[32];

	/* What a program makes itself has no file. */
	if (!m || is_anonymous(m) || (*m->name->name != '/' && *m->name->name != '['))
		return p ? 0 : -1;
	of = code_file(s, m->name);
	if (!of)
		return HASH_COUNT(s->code_files) >= MAX_CODE_FILES ? 0 : -1;
	addr = m->offset + (*ip - m->start);
	f = file_of(m->name);
	if (f && file_address(f, addr, &addr))
		symbol = file_symbol(f, addr, true);
	high = (uint64_t)of->number << FILE_SHIFT;
	if (addr >> FILE_SHIFT)
		return 0;
	*ip = high | addr;
	snprintf(hex, sizeof(hex), "0x%" PRIx64, addr);
	return name_code(s, symbol && !(symbol->start >> FILE_SHIFT) ? high | symbol->start : *ip,
			 symbol ? symbol->name : hex, base_name(m->name->name));
}

static int kernel_code(struct source *s, uint64_t ip)
{
	const char *module;
	char hex[32];

	if (s->kernel.symbols || kernel_region(&s->kernel, ip, 0, &module) != REGION_MODULE || !*module)
		return 0;
	snprintf(hex, sizeof(hex), "0x%" PRIx64, ip);
	return name_code(s, ip, hex, module);
}

/* ---- samples ---- */

/* The node of the memory, by its physical address, or by what the source says of it. */
static int home_of(const struct perf_data *d, const struct perf_record *r, int own)
{
	const enum data_level level = data_src_decode(r->sample.data_src).level;
	const int node = r->sample.phys_addr ? perf_data_node(d, r->sample.phys_addr) : PERF_NO_NODE;

	if (node != PERF_NO_NODE || own == PERF_NO_NODE)
		return node;
	if (level == DATA_RAM)
		return own;
	return level == DATA_REMOTE_RAM && d->machine.nr_nodes == 2 ? !own : PERF_NO_NODE;
}

static int read_kernel(struct source *s)
{
	int ret;

	s->asked_kernel = true;
	s->kernel.x86 = !strcmp(s->d.machine.arch, "x86_64");
	if (!s->r->symbols)
		return 0;
	ret = kernel_read_symbols(&s->kernel, s->r->kallsyms, s->d.machine.release, s->r->symbols, s->r->ctx,
				  s->error, sizeof(s->error));
	if (ret && !*s->error)
		s->no_memory = true;
	return ret;
}

/* Return 0, or not to go on. */
static int take_sample(struct source *s, const struct perf_record *r)
{
	const struct perf_sample *p = &r->sample;
	const struct data_src src = data_src_decode(p->data_src);
	const bool user = (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
	const int own = r->cpu >= 0 && r->cpu < PERF_MAX_CPUS ? s->d.machine.cpu_node[r->cpu] : PERF_NO_NODE;
	struct event e = { .sample = {
		.ip = p->ip, .addr = p->addr, .phys = p->phys_addr, .data_src = p->data_src,
		.latency = p->weight > UINT32_MAX ? UINT32_MAX : p->weight, .source = SOURCE_PERF,
		.op = (src.load ? OP_LOAD : 0) | (src.store ? OP_STORE : 0), .flags = user ? SAMPLE_USER : 0,
		.home = 1 + home_of(&s->d, r, own), .cpu_home = 1 + own, .cgroup = p->cgroup } };
	int ret;

	/* Operations of Arm SPE have a sample of each event that they are of. */
	if (r->event->repeats)
		return 0;
	/* What has no address is no access; the processor's own during a fault are none of the program. */
	if (!has(r->event, PERF_SAMPLE_ADDR) || !p->addr || (user && p->addr >= KERNEL_MEMORY) ||
	    (has(r->event, PERF_SAMPLE_DATA_SRC) && !e.sample.op)) {
		s->others++;
		return 0;
	}
	if (!s->asked_kernel && (p->ip | p->addr) >= KERNEL_MEMORY && read_kernel(s))
		return -1;
	if (p->ip < KERNEL_MEMORY ? user_code(s, r->pid, &e.sample.ip) : kernel_code(s, p->ip)) {
		s->no_memory = true;
		return -1;
	}
	ret = p->addr < KERNEL_MEMORY ? user_data(s, r->pid, &e.sample) : kernel_data(s, &e.sample);
	s->samples++;
	return ret ? ret : emit(s, EVENT_SAMPLE, &e, r->cpu, r->tid);
}

static int take_map(struct source *s, const struct perf_record *r)
{
	const struct perf_map *m = &r->map;
	struct map map = { .start = m->start, .offset = m->offset, .shared = m->flags & MAP_SHARED };

	if (r->pid == UINT32_MAX)
		return kernel_map_add(&s->kernel, m->name, m->start, m->length, m->offset);
	map.end = m->length > UINT64_MAX - m->start ? UINT64_MAX : m->start + m->length;
	map.name = maps_name(&s->maps, m->name);
	if (!map.name)
		return -1;
	if (m->build_id_size && !map.name->build_id_size) {
		memcpy(map.name->build_id, m->build_id, m->build_id_size);
		map.name->build_id_size = m->build_id_size;
	}
	return maps_add(&s->maps, r->pid, &map);
}

static int take_comm(struct source *s, const struct perf_record *r)
{
	struct process *p;

	if (r->pid != r->tid)
		return 0;
	if (r->misc & PERF_RECORD_MISC_COMM_EXEC && maps_exec(&s->maps, r->pid))
		return -1;
	p = maps_process(&s->maps, r->pid);
	if (p)
		utf8_copy(p->comm, sizeof(p->comm), r->comm);
	return p ? 0 : -1;
}

static int take_cgroup(struct source *s, const struct perf_record *r)
{
	struct event e = { .cgroup = { .id = r->cgroup.id } };
	const size_t n = strlen(r->cgroup.path), capacity = sizeof(e.cgroup.path) - 1;

	utf8_copy(e.cgroup.path, sizeof(e.cgroup.path), r->cgroup.path + (n > capacity ? n - capacity : 0));
	return emit(s, EVENT_CGROUP, &e, -1, 0);
}

/* Return 0, or not to go on. */
static int take(struct source *s, const struct perf_record *r)
{
	int ret = 0;

	switch (r->type) {
	case PERF_RECORD_SAMPLE:
		return take_sample(s, r);
	case PERF_RECORD_MMAP2:
		ret = take_map(s, r);
		break;
	case PERF_RECORD_COMM:
		ret = take_comm(s, r);
		break;
	case PERF_RECORD_CGROUP:
		return take_cgroup(s, r);
	case PERF_RECORD_FORK:
		if (!(r->misc & MISC_FORK_EXEC))
			ret = maps_fork(&s->maps, r->pid, r->parent);
		break;
	case PERF_RECORD_EXIT:
		if (r->pid == r->tid)
			maps_exit(&s->maps, r->pid);
		break;
	case PERF_RECORD_LOST:
		s->r->lost_events += r->lost;
		break;
	}
	s->no_memory |= ret != 0;
	return ret;
}

/* ---- the file ---- */

static int read_all(struct source *s)
{
	struct perf_record r;
	int ret, stop = 0;

	while ((ret = perf_data_next(&s->d, &r)) > 0 && !stop) {
		/* Records of which the time is not known are of that of the one before. */
		s->time = r.time ? r.time : s->time + (r.type == PERF_RECORD_SAMPLE);
		stop = take(s, &r);
	}
	return stop ? stop : ret;
}

static int send_symbols(struct source *s)
{
	fflush(s->symbols);
	return s->r->symbols && s->text_size ? s->r->symbols(s->r->ctx, s->text, s->text_size) : 0;
}

/* What is wrong with a file that was read to its end.  Return 0, or -1 with @error set */
static int judge(const struct source *s, char *error, size_t size)
{
	const struct perf_data *d = &s->d;
	size_t i;

	for (i = 0; i < d->nr_events && !has(&d->events[i], PERF_SAMPLE_ADDR); i++)
		;
	if (i == d->nr_events)
		snprintf(error, size, "%s: its samples have no addresses of data (perf mem record and perf record "
			 "-d record them)", d->path);
	else if (!s->samples)
		snprintf(error, size, "%s: no samples of memory accesses (%lu of others)", d->path,
			 (unsigned long)s->others);
	else if (d->unended)
		snprintf(error, size, "%s: perf record did not end it; %lu samples read", d->path,
			 (unsigned long)s->samples);
	else
		return 0;
	return -1;
}

static void free_all(struct source *s)
{
	struct map_name *n;
	struct reported *t, *next;
	struct code_file *f, *next_file;
	struct named *a, *next_named;

	for (n = s->maps.names; n; n = n->hh.next)
		file_close(n->file);
	maps_free(&s->maps);
	kernel_free(&s->kernel);
	HASH_ITER(hh, s->reported, t, next) {
		HASH_DEL(s->reported, t);
		free(t);
	}
	HASH_ITER(hh, s->code_files, f, next_file) {
		HASH_DEL(s->code_files, f);
		free(f);
	}
	HASH_ITER(hh, s->named, a, next_named) {
		HASH_DEL(s->named, a);
		free(a);
	}
	if (s->symbols)
		fclose(s->symbols);
	free(s->text);
}

/**
 * reader_perf() - read a perf.data file
 * @path: the file
 * @r: takes the events
 * @error: says what is wrong with the file
 * @size: of @error
 *
 * Return: as reader_read().
 */
int reader_perf(const char *path, struct reader *r, char *error, size_t size)
{
	struct source *s = calloc(1, sizeof(*s));
	char host[300];
	int ret = -1;

	if (!s)
		return 1;
	s->r = r;
	s->symbols = open_memstream(&s->text, &s->text_size);
	if (!s->symbols) {
		free(s);
		return 1;
	}
	if (!perf_data_open(&s->d, path, error, size)) {
		ret = read_all(s);
		if (*s->error)
			snprintf(error, size, "%s", s->error);
		else if (s->no_memory)
			ret = 1;
		else if (ret < 0 && s->samples)
			snprintf(error, size, "%.400s; %lu samples read", s->d.error, (unsigned long)s->samples);
		else if (ret < 0)
			snprintf(error, size, "%s", s->d.error);
		else if (!ret)
			ret = judge(s, error, size);
		if (*s->d.machine.host) {
			snprintf(host, sizeof(host), "%s, Linux %s", s->d.machine.host, s->d.machine.release);
			utf8_copy(r->host, sizeof(r->host), host);
		}
	}
	if (!s->no_memory && send_symbols(s))
		ret = 1;
	perf_data_close(&s->d);
	free_all(s);
	free(s);
	return ret;
}
