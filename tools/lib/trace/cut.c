// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * trace.dat files: copies the events of a time span into a new file.
 *
 * trace-cmd split would serve, but versions 3.1 to 3.3.1 write the first event of each CPU
 * twice if the span begins there; a release that does not makes this file needless.  All
 * parts other than event data are copied unchanged: the copy has the file's version and
 * compression.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "parts.h"

/* libtracecmd exports these, but declares them in no header. */
struct tracecmd_compression *tracecmd_compress_alloc(const char *name, const char *version,
						     int fd, struct tep_handle *tep, void *msg);
void tracecmd_compress_destroy(struct tracecmd_compression *handle);
int tracecmd_compress_buffer_write(struct tracecmd_compression *handle, const void *data,
				   unsigned long long size);
int tracecmd_compress_block(struct tracecmd_compression *handle);

/* As in trace-cmd. */
#define PAGES_IN_CHUNK 10

/* Offsets of a version 7 section in the file and in the copy. */
struct move {
	uint64_t from, to;
};

struct cut {
	struct trace_dat *d;
	int fd;
	uint64_t after, until;
	struct tracecmd_compression *compression;
	unsigned char *page;
	FILE *options;			/* the copy's options */
	uint32_t options_name;
	struct move moves[MAX_SECTIONS];
	int nr_moves;
	const char *why;		/* the error; NULL: see errno */
};

static int fail(struct cut *c, const char *why)
{
	c->why = why;
	return -1;
}

static uint64_t here(struct cut *c)
{
	return lseek(c->fd, 0, SEEK_CUR);
}

static int put(struct cut *c, const void *data, size_t size)
{
	const char *p = data;

	while (size) {
		ssize_t n = write(c->fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		p += n;
		size -= n;
	}
	return 0;
}

static int put_number(struct cut *c, uint64_t v, size_t bytes)
{
	v = htole64(v);
	return put(c, &v, bytes);
}

/* Overwrite the number at an offset. */
static int patch(struct cut *c, uint64_t offset, uint64_t v, size_t bytes)
{
	v = htole64(v);
	return pwrite(c->fd, &v, bytes, offset) == (ssize_t)bytes ? 0 : -1;
}

static int align(struct cut *c)
{
	static const char zeros[4096];
	uint64_t left = -here(c) & (c->d->page_size - 1);

	for (; left; left -= left < sizeof(zeros) ? left : sizeof(zeros))
		if (put(c, zeros, left < sizeof(zeros) ? left : sizeof(zeros)))
			return -1;
	return 0;
}

static int copy(struct cut *c, uint64_t offset, uint64_t size)
{
	char buf[1 << 16];

	while (size) {
		size_t n = size < sizeof(buf) ? size : sizeof(buf);

		if (trace_dat_read(c->d, buf, n, offset) != (int)n)
			return fail(c, "cannot be read");
		if (put(c, buf, n))
			return -1;
		offset += n;
		size -= n;
	}
	return 0;
}

/* Write a CPU's pages: the number of chunks, then each chunk compressed. */
static int cut_compressed(struct cut *c, uint64_t offset)
{
	uint64_t begin = here(c);
	uint32_t chunks = 0, pages = 0;
	int ret;

	if (put_number(c, 0, 4))
		return -1;
	do {
		ret = trace_dat_cut_page(c->d, offset, c->after, c->until, c->page);
		if (ret > 0) {
			if (tracecmd_compress_buffer_write(c->compression, c->page,
							   c->d->page_size))
				return fail(c, "cannot be compressed");
			pages++;
		}
		if (pages && (ret <= 0 || pages % PAGES_IN_CHUNK == 0)) {
			if (tracecmd_compress_block(c->compression))
				return -1;
			chunks++;
			pages = 0;
		}
	} while (ret > 0);
	if (ret < 0)
		return fail(c, "no memory left");
	if (!chunks)
		return lseek(c->fd, begin, SEEK_SET) == (off_t)begin &&
		       !ftruncate(c->fd, begin) ? 0 : -1;
	return patch(c, begin, chunks, 4);
}

static int cut_pages(struct cut *c, uint64_t offset)
{
	int ret;

	while ((ret = trace_dat_cut_page(c->d, offset, c->after, c->until, c->page)) > 0)
		if (put(c, c->page, c->d->page_size))
			return -1;
	return ret ? fail(c, "no memory left") : 0;
}

/* Copy a CPU's data; set @offset and @size to their place in the copy. */
static int cut_cpu(struct cut *c, uint64_t *offset, uint64_t *size, int compressed)
{
	uint64_t from = *offset, before = *size;

	if (align(c))
		return -1;
	*offset = here(c);
	*size = 0;
	if (before && (compressed ? cut_compressed(c, from) : cut_pages(c, from)))
		return -1;
	*size = here(c) - *offset;
	return 0;
}

static void add_option(struct cut *c, uint16_t id, const void *data, uint32_t size)
{
	uint32_t size_le = htole32(size);

	id = htole16(id);
	fwrite(&id, sizeof(id), 1, c->options);
	fwrite(&size_le, sizeof(size_le), 1, c->options);
	fwrite(data, 1, size, c->options);
}

static int put_section(struct cut *c, const struct section *s, uint64_t size)
{
	return put_number(c, s->id, 2) || put_number(c, s->flags, 2) ||
	       put_number(c, s->name, 4) || put_number(c, size, 8) ? -1 : 0;
}

/* Copy a tracing instance: its section, and the option with its offsets. */
static int cut_buffer(struct cut *c, const unsigned char *option, uint32_t length)
{
	struct cursor o = { option, length, 0 };
	unsigned char *changed = malloc(length);
	uint64_t begin = here(c);
	struct section s;
	uint32_t cpus;
	int ret = -1;

	if (!changed)
		return fail(c, "no memory left");
	memcpy(changed, option, length);
	if (trace_dat_section(c->d, take_number(&o, 8), &s)) {
		fail(c, "damaged");
		goto out;
	}
	take_string(&o);
	take_string(&o);
	take_number(&o, 4);
	cpus = take_number(&o, 4);
	if (put_section(c, &s, 0))
		goto out;
	begin = htole64(begin);
	memcpy(changed, &begin, 8);
	begin = le64toh(begin);
	for (; cpus && !o.bad; cpus--) {
		uint64_t offset, size;

		take_number(&o, 4);
		offset = take_number(&o, 8);
		size = take_number(&o, 8);
		if (o.bad) {
			fail(c, "damaged");
			goto out;
		}
		if (cut_cpu(c, &offset, &size, s.flags & SECTION_COMPRESSED))
			goto out;
		offset = htole64(offset);
		size = htole64(size);
		memcpy(changed + (o.p - option) - 16, &offset, 8);
		memcpy(changed + (o.p - option) - 8, &size, 8);
	}
	add_option(c, OPTION_BUFFER, changed, length);
	ret = patch(c, begin + 8, here(c) - begin - SECTION_HEADER, 8);
out:
	free(changed);
	return ret;
}

/* The offset of a copied section in the copy. */
static uint64_t moved(const struct cut *c, uint64_t from)
{
	int i;

	for (i = 0; i < c->nr_moves; i++)
		if (c->moves[i].from == from)
			return c->moves[i].to;
	return 0;
}

/* Copy the options of a section; set @next to the offset of the next options, or 0. */
static int cut_options(struct cut *c, struct cursor *o, uint64_t *next)
{
	*next = 0;
	while (o->left && !o->bad) {
		unsigned int id = take_number(o, 2);
		uint32_t size = take_number(o, 4);
		const unsigned char *data = take(o, size);
		struct cursor number = { data, size, 0 };
		uint64_t offset;

		if (!data)
			break;
		if (id == OPTION_DONE) {
			*next = take_number(&number, 8);
			return 0;
		}
		if (id == OPTION_BUFFER) {
			if (cut_buffer(c, data, size))
				return -1;
		} else if (id >= OPTION_HEADER && id <= OPTION_CMDLINES && size == 8) {
			offset = htole64(moved(c, take_number(&number, 8)));
			add_option(c, id, &offset, 8);
		} else {
			add_option(c, id, data, size);
		}
	}
	return 0;
}

/* Write all options as one section, the last of the file. */
static int put_options(struct cut *c, uint64_t patch_at, char **options, size_t *size)
{
	const struct section s = { .id = SECTION_OPTIONS, .name = c->options_name };
	const uint64_t none = 0;
	FILE *f = c->options;
	uint64_t begin = here(c);

	add_option(c, OPTION_DONE, &none, sizeof(none));
	c->options = NULL;
	if (fclose(f))
		return fail(c, "no memory left");
	return put_section(c, &s, *size) || put(c, *options, *size) ||
	       patch(c, patch_at, begin, 8) ? -1 : 0;
}

/* Copy the sections without event data unchanged. */
static int copy_sections(struct cut *c, uint64_t offset)
{
	struct section s;

	for (; offset < c->d->size; offset = s.offset + s.size) {
		if (trace_dat_section(c->d, offset, &s) || s.size > c->d->size - s.offset)
			return fail(c, "damaged");
		if (s.id == SECTION_TEXT)
			return fail(c, "holds events as text, which cannot be cut");
		if (s.id == SECTION_OPTIONS)
			c->options_name = s.name;
		if (s.id == SECTION_OPTIONS || s.id == SECTION_BUFFER)
			continue;
		if (c->nr_moves == MAX_SECTIONS)
			return fail(c, "has too many sections");
		c->moves[c->nr_moves++] = (struct move){ offset, here(c) };
		if (copy(c, offset, s.size + SECTION_HEADER))
			return -1;
	}
	return 0;
}

static int cut_v7(struct cut *c)
{
	unsigned char head[4096], *data;
	struct cursor h = { head, trace_dat_read(c->d, head, sizeof(head), 0), 0 };
	const char *name, *version;
	uint64_t options, patch_at;
	char *text = NULL;
	struct cursor o;
	struct section s;
	size_t size;
	int ret, i;

	take(&h, 10);
	take_string(&h);
	take(&h, 6);
	name = take_string(&h);
	version = take_string(&h);
	patch_at = h.p - head;
	options = take_number(&h, 8);
	if (h.bad)
		return fail(c, "damaged");
	if (c->d->compression) {
		c->compression = tracecmd_compress_alloc(name, version, c->fd, c->d->tep, NULL);
		if (!c->compression)
			return fail(c, "no memory left");
	}
	c->options = open_memstream(&text, &size);
	if (!c->options)
		return fail(c, "no memory left");
	ret = copy(c, 0, h.p - head) || copy_sections(c, h.p - head) ? -1 : 0;
	for (i = 0; !ret && options; i++) {
		if (i == MAX_SECTIONS || trace_dat_section(c->d, options, &s) || s.id != SECTION_OPTIONS ||
		    !(data = trace_dat_load(c->d, &s, &o))) {
			ret = fail(c, "damaged");
			break;
		}
		ret = cut_options(c, &o, &options);
		free(data);
	}
	if (!ret)
		ret = put_options(c, patch_at, &text, &size);
	if (c->options)
		fclose(c->options);
	free(text);
	return ret;
}

/* Version 6: the table of the CPUs' data, and the data behind it. */
static int cut_v6(struct cut *c)
{
	uint64_t offset, size, at = c->d->table;
	uint32_t cpu;

	if (c->d->instances)
		return fail(c, "of version 6 with several instances (see trace-cmd convert)");
	if (copy(c, 0, at + 16 * (uint64_t)c->d->cpus))
		return -1;
	for (cpu = 0; cpu < c->d->cpus; cpu++, at += 16) {
		unsigned char entry[16];
		struct cursor e = { entry, trace_dat_read(c->d, entry, sizeof(entry), at), 0 };

		offset = take_number(&e, 8);
		size = take_number(&e, 8);
		if (e.bad)
			return fail(c, "damaged");
		if (cut_cpu(c, &offset, &size, 0) || patch(c, at, offset, 8) ||
		    patch(c, at + 8, size, 8))
			return -1;
	}
	return 0;
}

/**
 * trace_dat_cut() - copy a file with the events of a time span
 * @d: the file, undamaged; trace_dat_next() must not have been called
 * @fd: the copy, an empty file
 * @after: copy events later than this
 * @until: copy events up to this time, inclusive
 * @error: set to what is wrong
 * @size: size of @error
 *
 * Return: 0, or -1 with @error set.
 */
int trace_dat_cut(struct trace_dat *d, int fd, uint64_t after, uint64_t until,
		  char *error, size_t size)
{
	struct cut *c = calloc(1, sizeof(*c));
	int ret = -1;

	if (!c) {
		snprintf(error, size, "no memory left");
		return -1;
	}
	c->d = d;
	c->fd = fd;
	c->after = after;
	c->until = until;
	c->page = malloc(d->page_size);
	if (!c->page)
		fail(c, "no memory left");
	else if (lseek(fd, 0, SEEK_CUR))
		fail(c, "the copy must be a file, not a pipe");
	else if (fcntl(fd, F_GETFL) & O_APPEND)
		fail(c, "the copy must be a file of its own, not appended to one");
	else
		ret = d->version == 7 ? cut_v7(c) : cut_v6(c);
	if (!ret && d->bad_offset)
		ret = fail(c, "damaged or truncated");
	if (ret && c->why)
		snprintf(error, size, "%s", c->why);
	else if (ret)
		snprintf(error, size, "the copy cannot be written: %s", strerror(errno));
	if (c->compression)
		tracecmd_compress_destroy(c->compression);
	free(c->page);
	free(c);
	return ret;
}
