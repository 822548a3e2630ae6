// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * trace.dat files: the header, the event formats, and the location of the event data.
 * Offsets and sizes in the file are checked against the file's length.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <trace-cmd.h>

#include "parts.h"

/* libtracecmd exports this, but declares it in no header. */
struct tracecmd_compression *tracecmd_compress_alloc(const char *name, const char *version,
						     int fd, struct tep_handle *tep, void *msg);

#define MAGIC		"\027\010\104tracing"
#define MAX_METADATA	(64U << 20)
#define MAX_HEADER	(32U << 20)
#define MAX_FORMAT	(1U << 20)
/* The ring buffer's RB_WRITE_MASK bounds the size of its pages. */
#define MAX_PAGE	(1U << 20)

struct index {
	struct trace_dat *d;
	const char *system;
	char *error;
	size_t size;			/* of error */
	int has_events, has_formats, has_buffer, no_memory;
	int buffers_known;		/* an index that is found once more adds no data */
};

static int fail(struct index *x, const char *message)
{
	snprintf(x->error, x->size, "%s", message);
	return -1;
}

/* Walk the formats of all events, and parse those of x->system. */
static void parse_formats(struct index *x, struct cursor *c)
{
	uint64_t systems = take_number(c, 4), events, size;

	while (systems-- && !c->bad) {
		int selected = !strcmp(take_string(c), x->system);

		for (events = take_number(c, 4); events-- && !c->bad; ) {
			const unsigned char *text;
			char *copy;

			size = take_number(c, 8);
			text = take(c, size);
			if (!text || !selected || size > MAX_FORMAT)
				continue;
			copy = strndup((const char *)text, size);
			if (!copy) {
				x->no_memory = 1;
				return;
			}
			if (!tep_parse_event(x->d->tep, copy, strlen(copy), x->system))
				x->has_events = 1;
			free(copy);
		}
	}
	x->has_formats = !c->bad;
}

/**
 * trace_dat_load() - read a section
 * @d: the file
 * @s: the section
 * @c: set to its data
 *
 * Return: the section's data, to be freed, or NULL; @d->no_memory is set if out of memory.
 */
unsigned char *trace_dat_load(struct trace_dat *d, const struct section *s, struct cursor *c)
{
	uint32_t stored, size = 0;
	unsigned char *data = NULL;

	memset(c, 0, sizeof(*c));
	if (s->flags & SECTION_COMPRESSED) {
		if (trace_dat_uncompress(d, s->offset, &stored, &data, &size, MAX_METADATA)) {
			free(data);
			return NULL;
		}
	} else {
		if (s->size > MAX_METADATA || s->size > d->size - s->offset)
			return NULL;
		size = s->size;
		data = malloc(size + 1);
		d->no_memory |= !data;
		if (!data || trace_dat_read(d, data, size, s->offset) != (int)size) {
			free(data);
			return NULL;
		}
	}
	c->p = data;
	c->left = size;
	return data;
}

/**
 * trace_dat_section() - read the header of a section
 * @d: the file
 * @offset: its offset
 * @s: set to the section
 *
 * Return: 0, or -1 if it is behind the end of the file.
 */
int trace_dat_section(struct trace_dat *d, uint64_t offset, struct section *s)
{
	unsigned char head[SECTION_HEADER];
	struct cursor c = { head, sizeof(head), 0 };

	if (offset >= d->size || trace_dat_read(d, head, sizeof(head), offset) != sizeof(head))
		return -1;
	s->id = take_number(&c, 2);
	s->flags = take_number(&c, 2);
	s->name = take_number(&c, 4);
	s->size = take_number(&c, 8);
	s->offset = offset + sizeof(head);
	return 0;
}

static void load_formats(struct index *x, const struct section *s)
{
	struct cursor c;
	unsigned char *data;

	if (x->has_formats)
		return;
	data = trace_dat_load(x->d, s, &c);
	if (data)
		parse_formats(x, &c);
	free(data);
}

/* Parse a BUFFER option: the location of each CPU's data. */
static void parse_buffer(struct index *x, struct cursor *c)
{
	struct trace_dat *d = x->d;
	uint64_t section = take_number(c, 8);
	uint32_t page_size, cpus;
	struct section s;

	take_string(c);
	take_string(c);
	page_size = take_number(c, 4);
	cpus = take_number(c, 4);
	if (c->bad || page_size < 4096 || page_size > MAX_PAGE || page_size % 4096 ||
	    trace_dat_section(d, section, &s) || s.id != SECTION_BUFFER)
		return;
	d->page_size = page_size;
	while (cpus--) {
		uint64_t offset, size;
		int cpu = take_number(c, 4);

		offset = take_number(c, 8);
		size = take_number(c, 8);
		if (c->bad) {
			trace_dat_bad(d, d->size);
			return;
		}
		if (trace_dat_add_stream(d, offset, size, s.flags & SECTION_COMPRESSED,
					 cpu)) {
			x->no_memory = 1;
			return;
		}
	}
	x->has_buffer = 1;
}

/* Parse the options of a section.  Return the offset of the next options, or 0. */
static uint64_t parse_options(struct index *x, struct cursor *c, int version)
{
	while (!c->bad) {
		unsigned int id = take_number(c, 2);
		struct cursor o = { 0 };
		struct section s;

		if (version == 6 && id == OPTION_DONE)
			return 0;
		o.left = take_number(c, 4);
		o.p = take(c, o.left);
		if (!o.p)
			break;
		switch (id) {
		case OPTION_DONE:
			return take_number(&o, 8);
		case OPTION_UNAME:
			snprintf(x->d->uname, sizeof(x->d->uname), "%.*s", (int)o.left,
				 (const char *)o.p);
			break;
		case OPTION_EVENTS:
			if (version == 7 && !trace_dat_section(x->d, take_number(&o, 8), &s) &&
			    s.id == SECTION_EVENTS)
				load_formats(x, &s);
			break;
		case OPTION_KALLSYMS:
			if (version == 7)
				x->d->symbols = take_number(&o, 8);
			break;
		case OPTION_BUFFER:
			if (version == 6)
				x->d->instances = 1;
			else if (!x->buffers_known)
				parse_buffer(x, &o);
			break;
		}
	}
	return 0;
}

/* Use a section that the missing index would have named. */
static void recover_section(struct index *x, struct section *s, int buffers)
{
	struct trace_dat *d = x->d;
	unsigned char *data;
	struct cursor c;

	if (buffers) {
		if (s->id == SECTION_BUFFER &&
		    trace_dat_recover(d, s->offset, s->offset + s->size,
				      s->flags & SECTION_COMPRESSED))
			x->no_memory = 1;
	} else if (s->id == SECTION_EVENTS) {
		load_formats(x, s);
	} else if (s->id == SECTION_OPTIONS) {
		data = trace_dat_load(d, s, &c);
		if (data)
			parse_options(x, &c, 7);
		free(data);
	}
}

enum { CHECK, RECOVER_INDEX, RECOVER_BUFFERS };

/* Sections are consecutive; a file is complete if its last section ends at its end. */
static void walk_sections(struct index *x, uint64_t offset, int what)
{
	struct trace_dat *d = x->d;
	struct section s;
	int i;

	for (i = 0; i < MAX_SECTIONS && offset < d->size; i++) {
		if (trace_dat_section(d, offset, &s)) {
			trace_dat_bad(d, d->size);
			return;
		}
		if (s.size > d->size - s.offset) {
			trace_dat_bad(d, d->size);
			s.size = d->size - s.offset;
		}
		if (what != CHECK)
			recover_section(x, &s, what == RECOVER_BUFFERS);
		offset = s.offset + s.size;
	}
}

static int index_v7(struct index *x, struct cursor *c, const unsigned char *head)
{
	struct trace_dat *d = x->d;
	const char *name = take_string(c), *version = take_string(c);
	uint64_t options = take_number(c, 8), first = c->p - head;
	struct section s;
	int i;

	if (c->bad)
		return fail(x, "damaged or truncated in its header");
	if (strcmp(name, "none")) {
		d->compression = tracecmd_compress_alloc(name, version, d->fd, d->tep, NULL);
		if (!d->compression) {
			snprintf(x->error, x->size, "compressed by %.16s: not supported by libtracecmd",
				 name);
			return -1;
		}
	}
	for (i = 0; i < MAX_SECTIONS && options && !x->no_memory; i++) {
		unsigned char *data;
		struct cursor o;

		if (trace_dat_section(d, options, &s) || s.id != SECTION_OPTIONS)
			break;
		data = trace_dat_load(d, &s, &o);
		if (!data)
			break;
		options = parse_options(x, &o, 7);
		free(data);
	}
	walk_sections(x, first, CHECK);
	if (!x->has_buffer || !x->has_formats) {
		trace_dat_bad(d, d->size);
		x->buffers_known = x->has_buffer;
		if (!x->has_buffer)
			trace_dat_forget(d);
		walk_sections(x, first, RECOVER_INDEX);
	}
	if (!x->has_buffer) {
		trace_dat_forget(d);
		walk_sections(x, first, RECOVER_BUFFERS);
	}
	return 0;
}

/* Version 6: all parts in a fixed order, the CPUs' data at the end. */
static int index_v6(struct index *x, struct cursor *c, const unsigned char *head)
{
	struct trace_dat *d = x->d;
	const unsigned char *kind;
	uint64_t n, cpus;
	int cpu = 0;

	take_string(c);				/* header_page */
	take(c, take_number(c, 8));
	take_string(c);				/* header_event */
	take(c, take_number(c, 8));
	for (n = take_number(c, 4); n && !c->bad; n--)
		take(c, take_number(c, 8));	/* formats of ftrace itself */
	parse_formats(x, c);
	d->symbols = c->p - head;
	take(c, take_number(c, 4));		/* kallsyms */
	take(c, take_number(c, 4));		/* printk formats */
	take(c, take_number(c, 8));		/* names of processes */
	cpus = take_number(c, 4);
	kind = take(c, 10);
	if (kind && !memcmp(kind, "options  ", 10)) {
		parse_options(x, c, 6);
		kind = take(c, 10);
	}
	if (kind && memcmp(kind, "flyrecord", 10))
		return fail(x, "has no binary events");
	d->table = c->p - head;
	d->cpus = cpus;
	while (kind && cpus-- && !c->bad) {
		uint64_t offset = take_number(c, 8), size = take_number(c, 8);

		if (!c->bad && trace_dat_add_stream(d, offset, size, 0, cpu++))
			x->no_memory = 1;
	}
	if (c->bad)
		trace_dat_bad(d, d->size);
	return 0;
}

/**
 * trace_dat_symbols() - the text of /proc/kallsyms in a file
 * @d: the file
 *
 * Return: the text, to be freed; NULL if it is missing or damaged.
 */
char *trace_dat_symbols(struct trace_dat *d)
{
	struct section s = { .offset = d->symbols, .size = MAX_METADATA };
	struct cursor c;
	unsigned char *data;
	char *text = NULL;
	uint64_t size;

	if (!d->symbols || (d->version == 7 && (trace_dat_section(d, d->symbols, &s) ||
						s.id != SECTION_KALLSYMS)))
		return NULL;
	if (d->version == 6 && s.size > d->size - s.offset)
		s.size = d->size - s.offset;
	data = trace_dat_load(d, &s, &c);
	if (!data)
		return NULL;
	size = take_number(&c, 4);
	if (!c.bad && size <= c.left)
		text = strndup((const char *)c.p, size);
	free(data);
	return text;
}

/**
 * trace_dat_index() - find the parts of a file
 * @d: the file, opened
 * @system: the tracing system whose events to read
 * @error: set to what is wrong with the file
 * @size: size of @error
 *
 * Return: 0, or -1 with @error set.
 */
int trace_dat_index(struct trace_dat *d, const char *system, char *error, size_t size)
{
	struct index x = { .d = d, .system = system, .error = error, .size = size };
	/* In version 6 the event formats are part of the header. */
	size_t length = d->size < MAX_HEADER ? d->size : MAX_HEADER;
	unsigned char *head;
	struct cursor c = { 0 };
	unsigned char first[12] = "";
	const unsigned char *magic;
	unsigned int endian, longs;
	const char *version;
	int ret = -1;

	trace_dat_read(d, first, sizeof(first), 0);
	if (first[10] != '6' && length > 4096)
		length = 4096;
	head = malloc(length + 1);
	c.p = head;
	c.left = length;
	d->tep = tep_alloc();
	if (!d->tep || !head) {
		fail(&x, "no memory left");
		goto out;
	}
	if (trace_dat_read(d, head, length, 0) != (int)length) {
		fail(&x, "cannot be read");
		goto out;
	}
	magic = take(&c, 10);
	if (!magic || memcmp(magic, MAGIC, 10)) {
		fail(&x, "not a trace.dat file");
		goto out;
	}
	version = take_string(&c);
	endian = take_number(&c, 1);
	longs = take_number(&c, 1);
	d->page_size = take_number(&c, 4);
	if (c.bad) {
		fail(&x, "damaged or truncated in its header");
		goto out;
	}
	if (endian != 0 || longs != 8 || d->page_size < 4096 || d->page_size > MAX_PAGE ||
	    d->page_size % 4096 || (strcmp(version, "6") && strcmp(version, "7"))) {
		fail(&x, "not a trace.dat file of version 6 or 7 of a 64-bit little-endian machine");
		goto out;
	}
	d->version = *version - '0';
	ret = d->version == 7 ? index_v7(&x, &c, head) : index_v6(&x, &c, head);
	if (!ret && (x.no_memory || d->no_memory))
		ret = fail(&x, "no memory left");
	if (!ret && !x.has_formats) {
		snprintf(error, size, "damaged or truncated before its events (%llu bytes)",
			 (unsigned long long)d->size);
		ret = -1;
	}
	if (!ret && !x.has_events) {
		snprintf(error, size, "no %s events (record with: trace-cmd record -e %s)",
			 system, system);
		ret = -1;
	}
out:
	free(head);
	return ret;
}

/**
 * trace_dat_open() - open a file
 * @d: the file; close it with trace_dat_close(), even after an error
 * @path: its path
 * @system: the tracing system whose events to read
 * @error: set to what is wrong with the file
 * @size: size of @error
 *
 * Return: 0, or -1 with @error set.
 */
int trace_dat_open(struct trace_dat *d, const char *path, const char *system,
		   char *error, size_t size)
{
	struct stat st;

	memset(d, 0, sizeof(*d));
	d->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (d->fd < 0 || fstat(d->fd, &st)) {
		snprintf(error, size, "%s", strerror(errno));
		return -1;
	}
	if (S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && !st.st_size)) {
		snprintf(error, size, "%s", S_ISDIR(st.st_mode) ? strerror(EISDIR) : "empty file");
		return -1;
	}
	d->size = st.st_size;
	return trace_dat_index(d, system, error, size);
}
