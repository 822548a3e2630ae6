// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * Code that a runtime compiled while the process ran: what it wrote for perf, as
 * /tmp/perf-PID.map (a line "START SIZE NAME" a function, in hex) or as jitdump
 * (jit-PID.dump, which the process maps; tools/perf/Documentation/jitdump-specification.txt
 * of Linux).  A map file has no times, so that of functions at one address the last counts;
 * a dump says since when each is there, by the clock of recordings.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hash.h"
#include "names.h"

#define DUMP_MAGIC	0x4a695444U
#define DUMP_ARCH_TIME	1		/* times are the TSC's */
#define MAX_DUMP	(UINT64_C(1) << 31)

enum { CODE_LOAD, CODE_MOVE, CODE_DEBUG_INFO };

struct dump_header {
	uint32_t magic, version, total_size, elf_mach, pad, pid;
	uint64_t timestamp, flags;
};

struct dump_record {
	uint32_t id, total_size;
	uint64_t timestamp;
};

struct dump_load {
	struct dump_record head;
	uint32_t pid, tid;
	uint64_t vma, addr, size, index;
};

struct dump_move {
	struct dump_record head;
	uint32_t pid, tid;
	uint64_t vma, from, to, size, index;
};

struct dump_lines {
	struct dump_record head;
	uint64_t addr, nr;
};

struct dump_line {
	uint64_t addr;
	uint32_t line, discriminator;
};

/* @at: in the texts, + 1; 0: none.  @lines: the first, and how many */
struct function {
	uint64_t start, size, from_ns;
	size_t name, lines, nr_lines;
	size_t order;
};

struct line {
	uint64_t addr;
	size_t file;
	unsigned int line;
};

struct process {
	uint32_t pid;
	struct function *functions;
	size_t nr, capacity;
	uint64_t longest;
	struct line *lines;
	size_t nr_lines, capacity_lines;
	char *texts;
	size_t texts_used, texts_capacity;
	UT_hash_handle hh;
};

struct jit {
	char *symbols;
	struct process *processes;
};

/** jit_new() - of no process yet.  @symbols: directory before paths, or NULL */
struct jit *jit_new(const char *symbols)
{
	struct jit *j = calloc(1, sizeof(*j));

	if (j && symbols && !(j->symbols = strdup(symbols))) {
		free(j);
		return NULL;
	}
	return j;
}

static void free_process(struct process *p)
{
	free(p->functions);
	free(p->lines);
	free(p->texts);
	free(p);
}

/** jit_free() - forget all code */
void jit_free(struct jit *j)
{
	struct process *p, *next;

	if (!j)
		return;
	HASH_ITER(hh, j->processes, p, next) {
		HASH_DEL(j->processes, p);
		free_process(p);
	}
	free(j->symbols);
	free(j);
}

/** jit_is_dump() - whether a file that is mapped is named as a jitdump */
bool jit_is_dump(const char *path)
{
	const char *base = strrchr(path, '/');
	unsigned int pid;
	int end = 0;

	return base && sscanf(base, "/jit-%u.dump%n", &pid, &end) == 1 && end && !base[end];
}

/** jit_known() - whether the files of a process were read */
bool jit_known(const struct jit *j, uint32_t pid)
{
	struct process *p;

	HASH_FIND(hh, j->processes, &pid, sizeof(pid), p);
	return p;
}

static void *reserve(void *array, size_t *capacity, size_t need, size_t bytes)
{
	size_t n = *capacity ? *capacity : 64;
	void *p;

	while (n < need)
		n *= 2;
	if (n == *capacity)
		return array;
	p = realloc(array, n * bytes);
	if (p)
		*capacity = n;
	return p;
}

/* Keeps a text.  Return: its place, 0 without memory. */
static size_t keep(struct process *p, const char *text, size_t length)
{
	char *texts = reserve(p->texts, &p->texts_capacity, p->texts_used + length + 2, 1);
	size_t at;

	if (!texts)
		return 0;
	p->texts = texts;
	/* Place 0 is none. */
	if (!p->texts_used)
		texts[p->texts_used++] = '\0';
	at = p->texts_used;
	memcpy(texts + at, text, length);
	texts[at + length] = '\0';
	p->texts_used += length + 1;
	return at;
}

static int add_function(struct process *p, const struct function *f)
{
	struct function *all = reserve(p->functions, &p->capacity, p->nr + 1, sizeof(*all));

	if (!all)
		return -1;
	p->functions = all;
	all[p->nr] = *f;
	all[p->nr].order = p->nr;
	p->nr++;
	if (f->size > p->longest)
		p->longest = f->size;
	return 0;
}

/* A file of the recorded machine; never a pipe, or another thing that makes a reader wait. */
static FILE *open_file(const struct jit *j, const char *path, uint64_t *bytes)
{
	char full[PATH_MAX];
	struct stat st;
	FILE *f;
	int fd;

	snprintf(full, sizeof(full), "%s%s", j->symbols ? j->symbols : "", path);
	fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !(f = fdopen(fd, "r"))) {
		close(fd);
		return NULL;
	}
	*bytes = st.st_size;
	return f;
}

/* Lines that are none of a function, such as one that is cut off, are passed over. */
static int read_map(struct jit *j, struct process *p)
{
	unsigned long long start, size;
	char path[64], *line = NULL;
	uint64_t bytes;
	size_t capacity = 0;
	ssize_t n;
	int name, ret = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", p->pid);
	f = open_file(j, path, &bytes);
	while (f && !ret && (n = getline(&line, &capacity, f)) > 0) {
		struct function code = { };

		line[strcspn(line, "\r\n")] = '\0';
		name = 0;
		if (sscanf(line, "%llx %llx %n", &start, &size, &name) < 2 || !name || !line[name] || !size ||
		    size > UINT64_MAX - start)
			continue;
		code.start = start;
		code.size = size;
		code.name = keep(p, line + name, strlen(line + name));
		ret = code.name ? add_function(p, &code) : -1;
	}
	free(line);
	if (f)
		fclose(f);
	return ret;
}

/* The lines of the function that is next. */
static int read_lines(struct process *p, const char *data, size_t bytes, struct function *next)
{
	const char *at = data + sizeof(struct dump_lines), *end = data + bytes;
	struct dump_lines head;
	struct dump_line entry;
	struct line *lines;
	size_t file = 0, length;
	uint64_t i;

	if (bytes < sizeof(head))
		return 0;
	memcpy(&head, data, sizeof(head));
	next->lines = p->nr_lines;
	next->nr_lines = 0;
	for (i = 0; i < head.nr && end - at > (long)sizeof(entry); i++) {
		memcpy(&entry, at, sizeof(entry));
		at += sizeof(entry);
		length = strnlen(at, end - at);
		if (at + length == end)
			return 0;
		/* The same file as before is "\xff". */
		if (strcmp(at, "\xff") && !(file = keep(p, at, length)))
			return -1;
		at += length + 1;
		lines = reserve(p->lines, &p->capacity_lines, p->nr_lines + 1, sizeof(*lines));
		if (!lines)
			return -1;
		p->lines = lines;
		lines[p->nr_lines++] = (struct line){ entry.addr, file, entry.line };
		next->nr_lines++;
	}
	return 0;
}

/* A function is elsewhere from now on. */
static int move(struct process *p, const struct dump_move *m, uint64_t time)
{
	size_t i;

	for (i = p->nr; i--; ) {
		struct function f = p->functions[i];

		if (f.start != m->from)
			continue;
		f.start = m->to;
		f.from_ns = time;
		/* Lines are of the place where it was. */
		f.nr_lines = 0;
		return m->size > UINT64_MAX - m->to ? 0 : add_function(p, &f);
	}
	return 0;
}

static int read_record(struct process *p, const char *data, const struct dump_record *r, bool times,
		       struct function *next)
{
	const uint64_t time = times ? r->timestamp : 0;
	struct dump_load load;
	struct dump_move moved;
	size_t length;
	int ret;

	switch (r->id) {
	case CODE_DEBUG_INFO:
		return read_lines(p, data, r->total_size, next);
	case CODE_MOVE:
		if (r->total_size < sizeof(moved))
			return 0;
		memcpy(&moved, data, sizeof(moved));
		return move(p, &moved, time);
	case CODE_LOAD:
		break;
	default:
		return 0;
	}
	if (r->total_size <= sizeof(load))
		return 0;
	memcpy(&load, data, sizeof(load));
	length = strnlen(data + sizeof(load), r->total_size - sizeof(load));
	next->start = load.addr;
	next->size = load.size;
	next->from_ns = time;
	next->name = keep(p, data + sizeof(load), length);
	if (!next->name)
		return -1;
	ret = !load.size || load.size > UINT64_MAX - load.addr ? 0 : add_function(p, next);
	*next = (struct function){ };
	return ret;
}

/* As far as the file is whole: a runtime that is killed leaves a record cut off. */
static int read_dump(struct jit *j, struct process *p, const char *path)
{
	struct function next = { };
	struct dump_header h;
	struct dump_record r;
	uint64_t bytes, at;
	char *data = NULL;
	FILE *f = open_file(j, path, &bytes);
	int ret = 0;

	if (!f)
		return 0;
	if (bytes < MAX_DUMP && fread(&h, sizeof(h), 1, f) == 1 && h.magic == DUMP_MAGIC && h.version == 1 &&
	    h.total_size >= sizeof(h) && h.total_size <= bytes && !fseek(f, 0, SEEK_SET)) {
		data = malloc(bytes);
		ret = data ? 0 : -1;
		bytes = data ? fread(data, 1, bytes, f) : 0;
		for (at = h.total_size; !ret && bytes >= sizeof(r) && at <= bytes - sizeof(r); at += r.total_size) {
			memcpy(&r, data + at, sizeof(r));
			if (r.total_size < sizeof(r) || r.total_size > bytes - at)
				break;
			ret = read_record(p, data + at, &r, !(h.flags & DUMP_ARCH_TIME), &next);
		}
	}
	free(data);
	fclose(f);
	return ret;
}

static int by_start(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return x->start != y->start ? (x->start < y->start ? -1 : 1) :
	       x->order < y->order ? -1 : x->order > y->order;
}

/**
 * jit_add() - read what a process's runtime wrote
 * @j: gets its functions
 * @pid: the process
 * @dump: the jitdump that it has mapped; NULL: none, or no more
 *
 * Return: 0, or -1 without memory.
 */
int jit_add(struct jit *j, uint32_t pid, const char *dump)
{
	struct process *p;
	int ret;

	HASH_FIND(hh, j->processes, &pid, sizeof(pid), p);
	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p)
			return -1;
		p->pid = pid;
		HASH_ADD(hh, j->processes, pid, sizeof(pid), p);
		if (!p->hh.tbl) {
			free(p);
			return -1;
		}
		if (read_map(j, p))
			return -1;
	}
	ret = dump ? read_dump(j, p, dump) : 0;
	if (p->nr)
		qsort(p->functions, p->nr, sizeof(*p->functions), by_start);
	return ret;
}

static void find_line(const struct process *p, const struct function *f, uint64_t addr, struct place *place)
{
	const struct line *best = NULL;
	size_t i;

	for (i = 0; i < f->nr_lines; i++) {
		const struct line *l = &p->lines[f->lines + i];

		if (l->addr <= addr && l->file && (!best || l->addr >= best->addr))
			best = l;
	}
	if (best) {
		place->file = p->texts + best->file;
		place->line = best->line;
	}
}

/* Of two functions at an address: which was there; of those of one time the later. */
static bool is_better(const struct function *f, const struct function *than, uint64_t time)
{
	if (!than || (f->from_ns <= time) != (than->from_ns <= time))
		return !than || f->from_ns <= time;
	if (f->from_ns != than->from_ns)
		return (f->from_ns > than->from_ns) == (f->from_ns <= time);
	return f->order > than->order;
}

/**
 * jit_code() - the function at an address
 * @j: of jit_add()
 * @pid: the process
 * @addr: of its code
 * @time: then
 * @place: gets the function, and the line if it is known
 * @in_function: gets how far the address is in it
 *
 * Return: whether there is one.
 */
bool jit_code(const struct jit *j, uint32_t pid, uint64_t addr, uint64_t time, struct place *place,
	      uint64_t *in_function)
{
	const struct function *best = NULL;
	size_t low = 0, high;
	struct process *p;

	*place = (struct place){ };
	HASH_FIND(hh, j->processes, &pid, sizeof(pid), p);
	if (!p)
		return false;
	for (high = p->nr; low < high; ) {
		const size_t mid = (low + high) / 2;

		if (p->functions[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	while (low-- && addr - p->functions[low].start < p->longest) {
		const struct function *f = &p->functions[low];

		if (addr - f->start < f->size && is_better(f, best, time))
			best = f;
	}
	if (!best)
		return false;
	place->function = p->texts + best->name;
	*in_function = addr - best->start;
	find_line(p, best, addr, place);
	return true;
}
