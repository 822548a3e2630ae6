// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* What perf shall name an address of a sample. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cells/utf8.h"
#include "lib/complain.h"
#include "lib/hash.h"
#include "places.h"
#include "symbol_file.h"

#define PAGE		4096
/* The kernel's symbols have a length of 32 bits. */
#define MAX_SYMBOL	(UINT32_MAX & ~(uint32_t)(PAGE - 1))
#define KERNEL_SPACE	UINT32_MAX
#define MAX_FILE_NAME	120

/**
 * struct place_name - a name
 * @file: of objects of processes, in the folder; NULL: perf needs none
 * @objects: where objects of that name were, for the file
 */
struct place_name {
	char *name, *file;
	struct symbol_place *objects;
	size_t nr, capacity;
	UT_hash_handle hh;
};

/* A part of what has a name; @origin: where the whole of it begins. */
struct piece {
	uint64_t start, end, origin;
	struct place_name *name;
};

/* Pieces that do not overlap, in order. */
struct place_space {
	uint32_t pid;
	struct piece *pieces;
	size_t nr, capacity;
	UT_hash_handle hh;
};

static struct place_name *find_name(struct places *p, const char *text)
{
	struct place_name *n;

	HASH_FIND_STR(p->names, text, n);
	if (n)
		return n;
	n = calloc(1, sizeof(*n));
	if (!n || !(n->name = strdup(text))) {
		free(n);
		return NULL;
	}
	HASH_ADD_KEYPTR(hh, p->names, n->name, strlen(n->name), n);
	return n;
}

/* Numbered, since names may differ in what a file's name cannot have. */
static int name_file(struct places *p, struct place_name *n)
{
	char text[MAX_FILE_NAME + 1], *c;

	if (n->file)
		return 0;
	snprintf(text, sizeof(text), "%s", n->name);
	for (c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_.:+-", *c))
			*c = '_';
	if (asprintf(&n->file, "%s/%u/%s", p->folder, HASH_COUNT(p->names), text) < 0)
		n->file = NULL;
	return n->file ? 0 : -1;
}

static struct place_space *find_space(struct places *p, uint32_t pid)
{
	struct place_space *s;

	HASH_FIND(hh, p->spaces, &pid, sizeof(pid), s);
	if (s)
		return s;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->pid = pid;
	HASH_ADD(hh, p->spaces, pid, sizeof(s->pid), s);
	return s;
}

/* The first piece that ends behind an address. */
static size_t first_after(const struct place_space *s, uint64_t addr)
{
	size_t low = 0, high = s->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (s->pieces[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Make room for @n pieces where there are @old. */
static int replace(struct place_space *s, size_t at, size_t old, size_t n)
{
	if (s->nr + n - old > s->capacity) {
		size_t capacity = 2 * (s->nr + n);
		struct piece *more = realloc(s->pieces, capacity * sizeof(*more));

		if (!more)
			return -1;
		s->pieces = more;
		s->capacity = capacity;
	}
	memmove(s->pieces + at + n, s->pieces + at + old, (s->nr - at - old) * sizeof(*s->pieces));
	s->nr += n - old;
	return 0;
}

/* As perf does: a map takes the place of what it covers, no more. */
static int cover(struct place_space *s, const struct piece *new)
{
	size_t at = first_after(s, new->start), end = at, n = 0;
	struct piece fresh[3];

	while (end < s->nr && s->pieces[end].start < new->end)
		end++;
	if (end > at && s->pieces[at].start < new->start) {
		fresh[n] = s->pieces[at];
		fresh[n++].end = new->start;
	}
	fresh[n++] = *new;
	if (end > at && s->pieces[end - 1].end > new->end) {
		fresh[n] = s->pieces[end - 1];
		fresh[n++].start = new->end;
	}
	if (replace(s, at, end - at, n))
		return -1;
	memcpy(s->pieces + at, fresh, n * sizeof(*fresh));
	return 0;
}

/* A symbol of the kernel goes as a whole: its map would be found by its first address. */
static int cover_symbols(struct places *p, struct place_space *s, uint64_t time, const struct piece *new)
{
	size_t at = first_after(s, new->start), end;

	for (end = at; end < s->nr && s->pieces[end].start < new->end; end++) {
		const struct piece *old = &s->pieces[end];

		perf_write_symbol(p->w, time, old->start, old->end - old->start, old->name->name, true);
	}
	if (replace(s, at, end - at, 1))
		return -1;
	s->pieces[at] = *new;
	perf_write_symbol(p->w, time, new->start, new->end - new->start, new->name->name, false);
	return 0;
}

static int add_object(struct place_name *n, const struct piece *new)
{
	if (n->nr == n->capacity) {
		size_t capacity = 2 * n->capacity + 8;
		struct symbol_place *more = realloc(n->objects, capacity * sizeof(*more));

		if (!more)
			return -1;
		n->objects = more;
		n->capacity = capacity;
	}
	n->objects[n->nr++] = (struct symbol_place){ new->start, new->end - new->start };
	return 0;
}

static int map(struct places *p, struct place_space *s, uint64_t time, const struct piece *new,
	       const struct place *what)
{
	struct place_name *n = new->name;

	if (!what->path && name_file(p, n))
		return -1;
	if (!what->path && add_object(n, new))
		return -1;
	perf_write_map(p->w, time, &(struct perf_write_map){
		.pid = what->pid, .start = new->start, .length = new->end - new->start,
		.offset = what->path ? what->offset : new->start, .code = what->code,
		.path = what->path ? what->path : n->file });
	return cover(s, new);
}

/**
 * places_need() - the next sample has an address of this
 * @p: the places
 * @time: of the sample
 * @addr: in @what
 * @what: what is there
 *
 * Return: 0, or -1 without memory.
 */
int places_need(struct places *p, uint64_t time, uint64_t addr, const struct place *what)
{
	struct place_space *s = find_space(p, what->kernel ? KERNEL_SPACE : what->pid);
	const struct place_name *there;
	struct piece new = {
		what->start - what->lead, what->start + what->size, what->start,
		find_name(p, what->path ? what->path : what->name)
	};
	size_t at;

	if (!s || !new.name)
		return -1;
	at = first_after(s, addr);
	there = at < s->nr && s->pieces[at].start <= addr ? s->pieces[at].name : NULL;
	if (there == new.name && s->pieces[at].origin == new.origin)
		return 0;
	/* What ends at the end of all addresses ends before. */
	if (new.end <= addr)
		new.end = addr < UINT64_MAX ? addr + 1 : addr;
	if (!what->kernel)
		return map(p, s, time, &new, what);
	if (new.end - new.start > MAX_SYMBOL) {
		new.start = addr & ~(uint64_t)(PAGE - 1);
		new.end = new.start + PAGE - 1;
	}
	return cover_symbols(p, s, time, &new);
}

/**
 * places_need_page() - the next sample has an address of which no more is known
 * @p: the places
 * @time: of the sample
 * @addr: the address
 * @what: all but where it is; a name is enough
 *
 * perf c2c leaves out samples of which it knows no map.
 *
 * Return: 0, or -1 without memory.
 */
int places_need_page(struct places *p, uint64_t time, uint64_t addr, const struct place *what)
{
	struct place page = *what;

	page.start = addr & ~(uint64_t)(PAGE - 1);
	page.size = PAGE;
	/* No file has that name: perf shows it as it is. */
	if (!what->kernel)
		page.path = what->name;
	return places_need(p, time, addr, &page);
}

static int make_folder(const char *path)
{
	return mkdir(path, 0755) && errno != EEXIST ? complain(-1, "%s: %s", path, strerror(errno)) : 0;
}

/* The folder of a number, which keeps files' names as perf shows them: without what makes them differ. */
static int write_file(struct place_name *n)
{
	char folder[PATH_MAX], *name;
	int bad;

	snprintf(folder, sizeof(folder), "%s", n->file);
	*strrchr(folder, '/') = '\0';
	if (make_folder(folder))
		return -1;
	name = utf8_clean(n->name);
	bad = !name || symbol_file_write(n->file, name, n->objects, n->nr);
	free(name);
	return bad ? complain(-1, "%s: %s", n->file, strerror(errno)) : 0;
}

/**
 * places_write_files() - write the files that mappings are of
 *
 * Return: 0, or -1 after saying why.
 */
int places_write_files(struct places *p)
{
	struct place_name *n;

	for (n = p->names; n; n = n->hh.next) {
		if (!n->file)
			continue;
		if (!p->made && make_folder(p->folder))
			return -1;
		p->made = true;
		if (write_file(n))
			return -1;
	}
	return 0;
}

/** places_remove_files() - after a failure: remove what places_write_files() wrote */
void places_remove_files(struct places *p)
{
	const struct place_name *n;
	char folder[PATH_MAX];

	for (n = p->names; n && p->made; n = n->hh.next) {
		if (!n->file)
			continue;
		unlink(n->file);
		snprintf(folder, sizeof(folder), "%s", n->file);
		*strrchr(folder, '/') = '\0';
		rmdir(folder);
	}
	if (p->made)
		rmdir(p->folder);
}

/** places_free() - forget all */
void places_free(struct places *p)
{
	struct place_space *s, *next_space;
	struct place_name *n, *next;

	HASH_ITER(hh, p->spaces, s, next_space) {
		HASH_DEL(p->spaces, s);
		free(s->pieces);
		free(s);
	}
	HASH_ITER(hh, p->names, n, next) {
		HASH_DEL(p->names, n);
		free(n->name);
		free(n->file);
		free(n->objects);
		free(n);
	}
}
