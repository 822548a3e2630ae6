// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* libmemprof's functions: see libmemprof(3). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define public __attribute__((visibility("default")))

/* The caller's texts may go. */
static int add_wrappers(struct memprof *m, char *error, size_t size)
{
	const char *const *name;

	for (name = m->options.wrappers; name && *name; name++)
		if (wrappers_add(&m->wrappers, *name)) {
			snprintf(error, size, "%s: no memory left", m->path);
			return -1;
		}
	m->options.wrappers = NULL;
	return 0;
}

/**
 * memprof_open() - read a recording and make its flows
 * @path: the file that memprof record wrote
 * @options: what of it; NULL: all
 * @error: says what is wrong
 * @size: of @error
 *
 * Return: a handle for memprof_close(), or NULL with @error set.  Of a damaged file,
 * what could be read: see memprof_damage().
 */
public struct memprof *memprof_open(const char *path, const struct memprof_options *options,
				    char *error, size_t size)
{
	struct memprof *m = calloc(1, sizeof(*m));
	struct file f;
	int ret;

	if (!m || !(m->path = strdup(path))) {
		snprintf(error, size, "%s: no memory left", path);
		free(m);
		return NULL;
	}
	pthread_mutex_init(&m->lock, NULL);
	if (options)
		memcpy(&m->options, options, options->size < sizeof(m->options) ? options->size :
		       sizeof(m->options));
	m->options.count_objects &= m->options.each != NULL;
	m->bigs.limit = m->options.memory;
	ret = add_wrappers(m, error, size);
	if (!ret)
		ret = file_open(&f, path, error, size);
	if (!ret) {
		ret = build(m, &f, error, size);
		/* The caller's, as wrappers are. */
		m->options.pids = NULL;
		m->options.nr_pids = 0;
		m->options.tids = NULL;
		m->options.nr_tids = 0;
		memcpy(m->damage, f.damage, sizeof(m->damage));
		file_close(&f);
	}
	if (ret) {
		memprof_close(m);
		return NULL;
	}
	return m;
}

/** memprof_close() - forget a recording */
public void memprof_close(struct memprof *m)
{
	uint32_t i;

	if (!m)
		return;
	names_free(m->names);
	jit_free(m->jit);
	wrappers_free(&m->wrappers);
	strings_free(&m->strings);
	for (i = 0; i < m->chains.used; i++)
		free(m->chains.all[i].site);
	free(m->chains.all);
	free(m->chains.frames);
	free(m->code_map);
	free(m->threads);
	free(m->moved);
	big_free(&m->bigs);
	free(m->cpu_node);
	free(m->meta);
	free(m->end_text);
	free(m->path);
	pthread_mutex_destroy(&m->lock);
	free(m);
}

/** memprof_damage() - what is wrong with the file, NULL if nothing is */
public const char *memprof_damage(const struct memprof *m)
{
	return *m->damage ? m->damage : NULL;
}

/** memprof_totals() - what the recording has */
public const struct memprof_totals *memprof_totals(const struct memprof *m)
{
	return &m->totals;
}

/** memprof_meta() - the machine and the settings, JSON; "{}" if the file lost them */
public const char *memprof_meta(const struct memprof *m)
{
	return m->meta ? m->meta : "{}";
}

/** memprof_nr_nodes() - nodes of the machine */
public int memprof_nr_nodes(const struct memprof *m)
{
	return m->nr_nodes;
}

/** memprof_nr_threads() - threads seen; their numbers are below that */
public size_t memprof_nr_threads(const struct memprof *m)
{
	return m->nr_threads;
}

/** memprof_thread() - metadata of a thread, NULL if there is no such number */
public const struct memprof_thread *memprof_thread(const struct memprof *m, uint32_t number)
{
	return number < m->nr_threads ? &m->threads[number] : NULL;
}

/* A kept text.  Other threads may look for names, which adds texts and so moves their array. */
static const char *kept_text(const struct memprof *m, uint32_t number)
{
	pthread_mutex_t *lock = (pthread_mutex_t *)&m->lock;
	const char *text;

	pthread_mutex_lock(lock);
	text = m->strings.text[number];
	pthread_mutex_unlock(lock);
	return text;
}

/**
 * memprof_cgroup() - the control group that a thread was in
 * @m: the recording
 * @thread: number of the thread
 * @time_ns: since the recording began: that of an access of the thread
 *
 * Return: its path below the root of the hierarchy, as in /proc/PID/cgroup; "" if it is not
 * known: before the thread's first access, in recordings whose samples have none, and where the
 * group was gone when its name was looked up.
 */
public const char *memprof_cgroup(const struct memprof *m, uint32_t thread, uint64_t time_ns)
{
	size_t low = 0, high = m->nr_moved, middle;

	/* The first one that is later. */
	while (low < high) {
		const struct moved *at = &m->moved[middle = low + (high - low) / 2];

		if (at->thread < thread || (at->thread == thread && at->since_ns <= time_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low && m->moved[low - 1].thread == thread ? kept_text(m, m->moved[low - 1].path) : "";
}

/** memprof_nr_objects() - objects accessed; their numbers are below that */
public size_t memprof_nr_objects(const struct memprof *m)
{
	return m->nr_objects;
}

/** memprof_object() - metadata of an object, NULL if there is no such number */
public const struct memprof_object *memprof_object(const struct memprof *m, uint32_t number)
{
	return number < m->nr_objects ? &m->objects[number] : NULL;
}

/** memprof_nr_accesses() - accesses of all flows together */
public size_t memprof_nr_accesses(const struct memprof *m)
{
	return m->nr_accesses;
}

/** memprof_object_flow() - the accesses of an object, in order of time */
public struct memprof_flow memprof_object_flow(const struct memprof *m, uint32_t object)
{
	if (object >= m->nr_objects)
		return (struct memprof_flow){ NULL, NULL };
	return (struct memprof_flow){ m->by_object + m->object_at[object],
				      m->by_object + m->object_at[object + 1] };
}

/** memprof_thread_flow() - the accesses of a thread, in order of time */
public struct memprof_flow memprof_thread_flow(const struct memprof *m, uint32_t thread)
{
	if (thread >= m->nr_threads)
		return (struct memprof_flow){ NULL, NULL };
	return (struct memprof_flow){ m->by_thread + m->thread_at[thread],
				      m->by_thread + m->thread_at[thread + 1] };
}

/** memprof_next() - the next access of a flow.  Return: false at its end */
public bool memprof_next(const struct memprof *m, struct memprof_flow *flow, struct memprof_access *a)
{
	if (flow->next == flow->end)
		return false;
	memprof_access(m, *flow->next++, a);
	return true;
}

/**
 * memprof_chain() - the return addresses of a call chain, the innermost first
 * @m: the recording
 * @chain: its number
 * @frames: filled in
 * @capacity: of @frames
 *
 * Return: how many there are.
 */
public unsigned int memprof_chain(const struct memprof *m, uint32_t chain, uint64_t *frames,
				  unsigned int capacity)
{
	const struct chain *c = chain < m->chains.used ? &m->chains.all[chain] : NULL;
	unsigned int i;

	if (!c || !chain)
		return 0;
	for (i = 0; i < c->depth && i < capacity; i++)
		frames[i] = m->chains.frames[c->at + i];
	return c->depth;
}

/** memprof_chain_allocations() - objects that a chain allocated, and their bytes */
public uint64_t memprof_chain_allocations(const struct memprof *m, uint32_t chain, uint64_t *bytes)
{
	if (chain >= m->chains.used) {
		*bytes = 0;
		return 0;
	}
	*bytes = m->chains.all[chain].bytes;
	return m->chains.all[chain].allocations;
}

/* What a frame is: a function of a file, and the line. */
struct frame {
	const char *path;
	uint64_t offset, in_function;
	struct place at;
	bool jit;		/* compiled by a runtime while the process ran */
};

/* Code in memory, of no file that has names. */
static bool is_jit(const char *path)
{
	return *path != '/' || path[1] == '/' || !strncmp(path, "/memfd:", strlen("/memfd:")) ||
	       !strncmp(path, "/dev/", strlen("/dev/")) || jit_is_dump(path);
}

/* All that a process's runtime wrote is read when the first of its code is asked for. */
static int read_jit(struct memprof *m, uint32_t pid)
{
	uint32_t last = 0;
	size_t i;

	if (jit_known(m->jit, pid))
		return 0;
	if (jit_add(m->jit, pid, NULL))
		return -1;
	for (i = 0; i < m->nr_code_map; i++) {
		const struct code_map *c = &m->code_map[i];
		const char *path = m->strings.text[c->path];

		if (c->pid != pid || c->path == last || !jit_is_dump(path))
			continue;
		last = c->path;
		if (jit_add(m->jit, pid, path))
			return -1;
	}
	return 0;
}

static bool look_up_jit(struct memprof *m, const struct chain *c, uint64_t addr, struct frame *f)
{
	f->path = "[jit]";
	if (read_jit(m, c->space_pid))
		m->strings.failed = true;
	return f->jit = jit_code(m->jit, c->space_pid, addr, c->first_ns, &f->at, &f->in_function);
}

static bool look_up(struct memprof *m, uint32_t chain, unsigned int frame, struct frame *f)
{
	const struct chain *c = &m->chains.all[chain];
	const struct code_map *map;
	uint64_t addr;

	memset(f, 0, sizeof(*f));
	if (!chain || chain >= m->chains.used || frame >= c->depth)
		return false;
	/* A return address is that of the next instruction. */
	addr = m->chains.frames[c->at + frame] - (frame || c->allocations ? 1 : 0);
	map = find_code(m, c->space_pid, addr, c->first_ns);
	if ((!map || is_jit(m->strings.text[map->path])) && look_up_jit(m, c, addr, f))
		return true;
	if (!map)
		return false;
	f->path = m->strings.text[map->path];
	f->offset = map->offset + (addr - map->start);
	names_code(m->names, f->path, f->offset, &f->at, &f->in_function);
	return true;
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* For a name that was looked for just now: whether it lacks what there was no memory for. */
static bool no_memory(struct memprof *m)
{
	const bool failed = m->strings.failed;

	m->strings.failed = false;
	return names_failed(m->names) || failed;
}

/**
 * memprof_frame() - a frame of a call chain in words: function, file and line
 * @m: the recording
 * @chain: the chain
 * @frame: 0 is the innermost
 *
 * Return: the text, kept by the handle; NULL if there is no such frame, or with errno set
 * to ENOMEM.
 */
public const char *memprof_frame(struct memprof *m, uint32_t chain, unsigned int frame)
{
	char text[4096];
	const char *kept;
	uint64_t addr;
	struct frame f;

	if (!chain || chain >= m->chains.used || frame >= m->chains.all[chain].depth)
		return NULL;
	addr = m->chains.frames[m->chains.all[chain].at + frame];
	pthread_mutex_lock(&m->lock);
	if (!frame && m->chains.all[chain].text) {
		kept = m->chains.all[chain].text;
		goto out;
	}
	if (!look_up(m, chain, frame, &f))
		snprintf(text, sizeof(text), "%#lx", (unsigned long)addr);
	else if (f.at.function && f.at.file)
		snprintf(text, sizeof(text), "%s (%s:%u)", f.at.function, base(f.at.file), f.at.line);
	else if (f.at.function)
		snprintf(text, sizeof(text), "%s+%#lx (%s)", f.at.function,
			 (unsigned long)f.in_function, base(f.path));
	else
		snprintf(text, sizeof(text), "%s+%#lx", base(f.path), (unsigned long)f.offset);
	kept = string_keep(&m->strings, text);
	if (no_memory(m)) {
		errno = ENOMEM;
		kept = NULL;
	} else if (!frame) {
		m->chains.all[chain].text = kept;
	}
out:
	pthread_mutex_unlock(&m->lock);
	return kept;
}

/**
 * memprof_code() - the file that the code of a frame is of
 * @m: the recording
 * @chain: the chain
 * @frame: 0 is the innermost
 * @code: filled in
 *
 * Return: false if there is no such frame, or it is in no file's code.
 */
public bool memprof_code(const struct memprof *m, uint32_t chain, unsigned int frame,
			 struct memprof_code *code)
{
	const struct chain *c = chain < m->chains.used ? &m->chains.all[chain] : NULL;
	const struct code_map *map;

	if (!chain || !c || frame >= c->depth)
		return false;
	map = find_code(m, c->space_pid, m->chains.frames[c->at + frame], c->first_ns);
	if (!map)
		return false;
	*code = (struct memprof_code){ kept_text(m, map->path), map->start, map->end, map->offset };
	return true;
}

/* Inlined functions in each other; more are not looked at. */
#define MAX_PLACES	32

/* The function of a frame that is no wrapper's and no header's; NULL if there is none. */
static const struct place *own_place(struct memprof *m, const struct frame *f, struct place *places)
{
	unsigned int i, nr;

	if (wrappers_have_file(&m->wrappers, f->path))
		return NULL;
	places[0] = f->at;
	nr = f->jit ? 1 : names_places(m->names, f->path, f->offset, places, MAX_PLACES);
	for (i = 0; i < nr; i++)
		if (!(places[i].function && wrappers_have(&m->wrappers, places[i].function)) &&
		    !(places[i].file && is_system_header(places[i].file)))
			return &places[i];
	return NULL;
}

static void find_site(struct memprof *m, uint32_t chain, struct memprof_site *site)
{
	unsigned int i, depth = chain < m->chains.used ? m->chains.all[chain].depth : 0;
	struct place places[MAX_PLACES];
	const struct place *own = NULL;
	struct frame f, first;
	const char *assigned;
	char text[64];

	*site = (struct memprof_site){ "", "", "", 0 };
	if (!look_up(m, chain, 0, &first)) {
		site->name = "?";
		return;
	}
	for (i = 0; i < depth && !own; i++)
		if (look_up(m, chain, i, &f))
			own = own_place(m, &f, places);
	if (!own) {
		f = first;
		own = &f.at;
	}
	if (own->function) {
		site->function = string_keep(&m->strings, own->function);
	} else {
		snprintf(text, sizeof(text), "+%#lx", (unsigned long)f.offset);
		site->function = string_keep(&m->strings, text);
	}
	site->file = string_keep(&m->strings, own->file ? own->file : f.path);
	site->line = own->line;
	assigned = own->file && own->line ? names_assigned(m->names, own->file, own->line) : "";
	site->name = *assigned ? string_keep(&m->strings, assigned) : site->function;
}

/* Objects with one chain have one site. */
static void site_of_chain(struct memprof *m, uint32_t chain, struct memprof_site *site)
{
	struct chain *c = chain < m->chains.used ? &m->chains.all[chain] : NULL;

	if (c && c->site) {
		*site = *c->site;
		return;
	}
	find_site(m, chain, site);
	if (c && (c->site = malloc(sizeof(*site))))
		*c->site = *site;
}

/* Smaller ones are a runtime's tables, or single objects. */
#define MIN_ARENA	65536

/*
 * Memory that a runtime mapped to divide it itself.  Its objects have no events: the range is
 * all that is known.
 */
static bool name_arena(struct memprof *m, const struct memprof_object *o, struct memprof_site *site)
{
	const struct chain *c = o->chain < m->chains.used ? &m->chains.all[o->chain] : NULL;
	const char *language = NULL;
	struct frame f;
	char text[96];
	unsigned int i;

	if (!c || o->address % 4096 || o->size % 4096 || o->size < MIN_ARENA)
		return false;
	for (i = 0; i < c->depth; i++)
		if (look_up(m, o->chain, i, &f) && !wrappers_have_file(&m->wrappers, f.path)) {
			/* With cgo, the C library maps what Go divides. */
			language = runtime_of(f.path);
			if (!language && names_go(m->names, f.path))
				language = "Go";
			break;
		}
	if (!language)
		return false;
	snprintf(text, sizeof(text), "[%s arena %#lx-%#lx]", language, (unsigned long)o->address,
		 (unsigned long)(o->address + o->size));
	site->name = string_keep(&m->strings, text);
	return true;
}

/* It lacks what there was no memory for. */
static void forget_site(struct memprof *m, uint32_t chain)
{
	if (chain >= m->chains.used)
		return;
	free(m->chains.all[chain].site);
	m->chains.all[chain].site = NULL;
}

/**
 * memprof_object_site() - where an object is allocated, or what it is
 * @m: the recording
 * @object: its number
 *
 * Return: the site, kept by the handle; objects allocated by the same line have the
 * same texts.  NULL if there is no such object, or no memory.
 */
public const struct memprof_site *memprof_object_site(struct memprof *m, uint32_t object)
{
	const struct memprof_object *o = memprof_object(m, object);
	struct memprof_site *site;
	bool failed = false;
	char text[4096];

	if (!o)
		return NULL;
	pthread_mutex_lock(&m->lock);
	if (!m->sites)
		m->sites = big_new(&m->bigs, m->nr_objects * sizeof(*m->sites), &failed);
	site = m->sites ? &m->sites[object] : NULL;
	if (!site || site->name)
		goto out;
	*site = (struct memprof_site){ "", "", "", 0 };
	switch (o->type) {
	case MEMPROF_DYNAMIC:
		if (*o->symbol)
			site->name = o->symbol;
		else if (!name_arena(m, o, site))
			site_of_chain(m, o->chain, site);
		break;
	case MEMPROF_STATIC:
		site->name = o->symbol;
		site->file = o->path;
		break;
	case MEMPROF_FILE:
	case MEMPROF_CODE:
		snprintf(text, sizeof(text), "[%s%s]", base(o->path),
			 o->type == MEMPROF_CODE ? " code" : "");
		site->name = string_keep(&m->strings, text);
		site->file = o->path;
		break;
	case MEMPROF_STACK:
		site->name = "[stack]";
		break;
	case MEMPROF_KERNEL:
		site->name = "[kernel]";
		break;
	default:
		snprintf(text, sizeof(text), "[unknown: %s]", o->symbol);
		site->name = string_keep(&m->strings, text);
	}
	if (no_memory(m)) {
		forget_site(m, o->chain);
		site->name = NULL;
		site = NULL;
	}
out:
	pthread_mutex_unlock(&m->lock);
	return site;
}

/**
 * memprof_missing_files() - programs and libraries that are not here: names of theirs are not known
 * @m: the recording
 * @first: gets the path of the first one, or NULL; may be NULL
 *
 * Return: how many of those that were mapped.
 */
public size_t memprof_missing_files(struct memprof *m, const char **first)
{
	size_t i, n = 0;
	bool *seen;

	if (first)
		*first = NULL;
	pthread_mutex_lock(&m->lock);
	seen = calloc(m->strings.used + 1, sizeof(*seen));
	for (i = 0; seen && i < m->nr_code_map; i++) {
		const uint32_t path = m->code_map[i].path;

		if (seen[path] || !names_missing(m->names, m->strings.text[path]))
			continue;
		seen[path] = true;
		if (first && !n)
			*first = m->strings.text[path];
		n++;
	}
	pthread_mutex_unlock(&m->lock);
	free(seen);
	return n;
}

/** memprof_type_name() - a type in a word */
public const char *memprof_type_name(enum memprof_type type)
{
	static const char * const names[MEMPROF_TYPES] = {
		"static", "dynamic", "file", "code", "stack", "kernel", "unknown",
	};

	return type < MEMPROF_TYPES ? names[type] : "?";
}

/** memprof_level_name() - where data was found, in words */
public const char *memprof_level_name(enum memprof_level level)
{
	static const char * const names[MEMPROF_LEVELS] = {
		"unknown", "L1", "L2", "L3", "fill buffer", "memory", "remote memory",
		"remote cache", "L2 miss buffer", "L3 or peer cache", "peer cache",
		"memory-side cache", "PMEM", "CXL", "beyond L3", "uncached",
	};

	return level < MEMPROF_LEVELS ? names[level] : "?";
}

/**
 * memprof_in_memory() - whether an access counts as one of main memory
 *
 * Its node's memory had to be asked, as far as the source says: what a cache of the
 * node had did not.  Stores of which the source does not say count, as all accesses do
 * that have no level.  @m may be NULL.
 */
public bool memprof_in_memory(const struct memprof *m, const struct memprof_access *a)
{
	(void)m;
	switch (a->level) {
	case MEMPROF_L1:
	case MEMPROF_L2:
	case MEMPROF_L3:
	case MEMPROF_FILL_BUFFER:
	case MEMPROF_L2_BUFFER:
	case MEMPROF_L3_OR_PEER:
	case MEMPROF_PEER_CACHE:
		return false;
	default:
		return true;
	}
}
