// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* trace.dat files made up for tests.  Little-endian machines only. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "trace_file.h"

#define PAGE		4096
#define HEADER		16
#define MAX_DELTA	((1U << 27) - 1)
#define MAX_SMALL	112		/* of a record whose length is in its type */
#define MISSED		(1U << 31 | 1U << 30)
#define FIRST_ID	300
#define MAX_TYPES	16
#define MAX_FIELDS	32

enum { SECTION_OPTIONS = 0, SECTION_BUFFER = 3, SECTION_EVENTS = 18, SECTION_SYMBOLS = 19 };
enum { OPTION_DONE = 0, OPTION_BUFFER = 3, OPTION_UNAME = 5, OPTION_EVENTS = 18, OPTION_SYMBOLS = 19 };

/* Growing memory. */
struct bytes {
	unsigned char *data;
	size_t used, capacity;
};

struct type {
	char name[64];
	struct trace_field fields[MAX_FIELDS];
	unsigned int nr;
	size_t offset[MAX_FIELDS], end;
};

struct cpu {
	struct bytes pages;
	size_t page;			/* where the present one begins, if it is @open */
	bool open;
	uint64_t ts, missed;
};

struct trace_file {
	char system[32];
	struct type types[MAX_TYPES];
	unsigned int nr_types, nr_cpus;
	struct cpu *cpus;
	struct bytes symbols;
};

static void *need(void *p)
{
	if (!p) {
		perror("trace_file");
		exit(1);
	}
	return p;
}

static void *extend(struct bytes *b, size_t n)
{
	if (b->used + n > b->capacity) {
		b->capacity = 2 * (b->used + n);
		b->data = need(realloc(b->data, b->capacity));
	}
	b->used += n;
	return memset(b->data + b->used - n, 0, n);
}

static void put(struct bytes *b, const void *p, size_t n)
{
	if (n)
		memcpy(extend(b, n), p, n);
}

static void put_number(struct bytes *b, uint64_t v, size_t n)
{
	put(b, &v, n);
}

static void put_string(struct bytes *b, const char *text)
{
	put(b, text, strlen(text) + 1);
}

static void set_number(struct bytes *b, size_t at, uint64_t v, size_t n)
{
	memcpy(b->data + at, &v, n);
}

/** trace_file_new() - begin a file; to be freed with trace_file_free() */
struct trace_file *trace_file_new(const char *system, unsigned int cpus)
{
	struct trace_file *t = need(calloc(1, sizeof(*t)));

	snprintf(t->system, sizeof(t->system), "%s", system);
	t->nr_cpus = cpus;
	t->cpus = need(calloc(cpus, sizeof(*t->cpus)));
	return t;
}

static size_t stored_size(const struct trace_field *f)
{
	return f->kind == FIELD_DYNAMIC ? 4 : f->size;
}

/** trace_file_define() - a kind of events.  Return: its number */
int trace_file_define(struct trace_file *t, const char *name, const struct trace_field *fields,
		      unsigned int nr)
{
	struct type *type = &t->types[t->nr_types];
	size_t at = TRACE_COMMON, align;
	unsigned int i;

	if (t->nr_types == MAX_TYPES || nr > MAX_FIELDS)
		need(NULL);
	snprintf(type->name, sizeof(type->name), "%s", name);
	type->nr = nr;
	for (i = 0; i < nr; i++) {
		type->fields[i] = fields[i];
		align = fields[i].kind == FIELD_BYTES ? 1 : stored_size(&fields[i]);
		at = (at + align - 1) / align * align;
		type->offset[i] = at;
		at += stored_size(&fields[i]);
	}
	type->end = (at + 3) / 4 * 4;
	return FIRST_ID + t->nr_types++;
}

/* ---- events ---- */

static void end_page(struct cpu *c)
{
	size_t used;

	if (!c->open)
		return;
	used = c->pages.used - c->page - HEADER;
	if (c->missed && used + HEADER + 8 <= PAGE) {
		put_number(&c->pages, c->missed, 8);
		set_number(&c->pages, c->page + 8, used | MISSED, 8);
	} else {
		set_number(&c->pages, c->page + 8, used | (c->missed ? 1U << 31 : 0), 8);
	}
	c->missed = 0;
	c->open = false;
	extend(&c->pages, c->page + PAGE - c->pages.used);
}

static void begin_page(struct cpu *c, uint64_t ts)
{
	end_page(c);
	c->page = c->pages.used;
	put_number(&c->pages, ts, 8);
	put_number(&c->pages, 0, 8);
	c->open = true;
	c->ts = ts;
}

static void put_record(struct cpu *c, uint64_t ts, const struct bytes *record)
{
	const size_t size = (record->used + 3) / 4 * 4;
	size_t left = c->open ? PAGE - (c->pages.used - c->page) : 0;
	uint64_t delta = ts - c->ts;

	/* An extended time, a length that is apart, and the count of what is missing. */
	if (left < size + 8 + 8 + 8) {
		begin_page(c, ts);
		delta = 0;
	}
	if (delta > MAX_DELTA) {
		put_number(&c->pages, 30 | (delta & MAX_DELTA) << 5, 4);
		put_number(&c->pages, delta >> 27, 4);
		delta = 0;
	}
	if (size <= MAX_SMALL) {
		put_number(&c->pages, size / 4 | delta << 5, 4);
	} else {
		put_number(&c->pages, delta << 5, 4);
		put_number(&c->pages, size + 4, 4);
	}
	memcpy(extend(&c->pages, size), record->data, record->used);
	c->ts = ts;
}

/**
 * trace_file_add() - an event
 * @t: the file
 * @cpu: whose; its events come in the order of time
 * @ts: time
 * @id: of trace_file_define()
 * @pid: whose
 * @values: of its fields
 */
void trace_file_add(struct trace_file *t, unsigned int cpu, uint64_t ts, int id, int pid,
		    const struct trace_value *values)
{
	const struct type *type = &t->types[id - FIRST_ID];
	struct bytes record = { };
	unsigned int i;

	extend(&record, type->end);
	set_number(&record, 0, id, 2);
	set_number(&record, 4, pid, 4);
	for (i = 0; i < type->nr; i++) {
		const struct trace_value *v = &values[i];

		switch (type->fields[i].kind) {
		case FIELD_NUMBER:
			set_number(&record, type->offset[i], v->number, type->fields[i].size);
			break;
		case FIELD_BYTES:
			memcpy(record.data + type->offset[i], v->bytes,
			       v->size < type->fields[i].size ? v->size : type->fields[i].size);
			break;
		case FIELD_DYNAMIC:
			set_number(&record, type->offset[i], record.used | (uint64_t)v->size << 16, 4);
			put(&record, v->bytes, v->size);
			break;
		}
	}
	put_record(&t->cpus[cpu], ts, &record);
	free(record.data);
}

/** trace_file_lose() - so many events were lost before the next one of a CPU */
void trace_file_lose(struct trace_file *t, unsigned int cpu, uint64_t events)
{
	struct cpu *c = &t->cpus[cpu];

	begin_page(c, c->ts);
	c->missed = events;
}

/* ---- files ---- */

static void put_format(struct bytes *b, const struct type *type, int id)
{
	char text[8192];
	size_t n;
	unsigned int i;

	n = snprintf(text, sizeof(text), "name: %s\nID: %d\nformat:\n"
		     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		     "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		     "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n", type->name, id);
	for (i = 0; i < type->nr; i++) {
		const struct trace_field *f = &type->fields[i];
		const char *array = strchr(f->type, '[');
		const int length = array && f->kind != FIELD_DYNAMIC ? array - f->type : (int)strlen(f->type);

		n += snprintf(text + n, sizeof(text) - n, "\tfield:%s%.*s %s%s;\toffset:%zu;\tsize:%zu;\tsigned:%d;\n",
			      f->kind == FIELD_DYNAMIC ? "__data_loc " : "", length, f->type, f->name,
			      array && f->kind != FIELD_DYNAMIC ? array : "", type->offset[i],
			      stored_size(f), *f->type == 's' || *f->type == 'i' || *f->type == 'c');
	}
	n += snprintf(text + n, sizeof(text) - n, "\nprint fmt: \"%%u\", REC->common_pid\n");
	put_number(b, n, 8);
	put(b, text, n);
}

/* The formats of the events: one system's. */
static void put_formats(struct bytes *b, const struct trace_file *t)
{
	unsigned int i;

	put_number(b, 1, 4);
	put_string(b, t->system);
	put_number(b, t->nr_types, 4);
	for (i = 0; i < t->nr_types; i++)
		put_format(b, &t->types[i], FIRST_ID + i);
}

static void put_symbols(struct bytes *b, const struct trace_file *t)
{
	put_number(b, t->symbols.used, 4);
	if (t->symbols.used)
		put(b, t->symbols.data, t->symbols.used);
}

static void put_start(struct bytes *b, const char *version)
{
	put(b, "\027\010\104tracing", 10);
	put_string(b, version);
	put_number(b, 0, 1);		/* little-endian */
	put_number(b, 8, 1);
	put_number(b, PAGE, 4);
}

static void align(struct bytes *b)
{
	extend(b, (PAGE - b->used % PAGE) % PAGE);
}

static void make_v6(struct bytes *b, struct trace_file *t)
{
	size_t table, at;
	unsigned int i;

	put_start(b, "6");
	put_string(b, "header_page");
	put_number(b, 0, 8);
	put_string(b, "header_event");
	put_number(b, 0, 8);
	put_number(b, 0, 4);		/* formats of ftrace itself */
	put_formats(b, t);
	put_symbols(b, t);
	put_number(b, 0, 4);		/* printk formats */
	put_number(b, 0, 8);		/* names of processes */
	put_number(b, t->nr_cpus, 4);
	put(b, "options  ", 10);
	put_number(b, OPTION_UNAME, 2);
	put_number(b, 14, 4);
	put(b, "Linux made up", 14);
	put_number(b, OPTION_DONE, 2);
	put(b, "flyrecord", 10);
	table = b->used;
	extend(b, 16 * t->nr_cpus);
	for (i = 0; i < t->nr_cpus; i++) {
		align(b);
		at = b->used;
		put(b, t->cpus[i].pages.data, t->cpus[i].pages.used);
		set_number(b, table + 16 * i, at, 8);
		set_number(b, table + 16 * i + 8, b->used - at, 8);
	}
}

static size_t begin_section(struct bytes *b, int id, bool compressed)
{
	put_number(b, id, 2);
	put_number(b, compressed, 2);
	put_number(b, 0, 4);
	put_number(b, 0, 8);
	return b->used;
}

static void end_section(struct bytes *b, size_t begin)
{
	set_number(b, begin - 8, b->used - begin, 8);
}

/* Both sizes, and the data. */
static void put_compressed(struct bytes *b, const void *data, size_t size)
{
	const size_t bound = ZSTD_compressBound(size);
	unsigned char *out = need(malloc(bound));
	ZSTD_CCtx *ctx = need(ZSTD_createCCtx());
	size_t n;

	ZSTD_CCtx_setParameter(ctx, ZSTD_c_contentSizeFlag, 0);
	n = ZSTD_compress2(ctx, out, bound, data, size);
	if (ZSTD_isError(n))
		need(NULL);
	ZSTD_freeCCtx(ctx);
	put_number(b, n, 4);
	put_number(b, size, 4);
	put(b, out, n);
	free(out);
}

static void put_section(struct bytes *b, int id, const struct bytes *data, bool compressed)
{
	const size_t begin = begin_section(b, id, compressed);

	if (compressed)
		put_compressed(b, data->data, data->used);
	else
		put(b, data->data, data->used);
	end_section(b, begin);
}

static void put_pages(struct bytes *b, const struct bytes *pages, bool compressed)
{
	const size_t pages_of_chunk = 4;
	size_t at, n;

	if (!compressed) {
		put(b, pages->data, pages->used);
		return;
	}
	put_number(b, (pages->used + pages_of_chunk * PAGE - 1) / (pages_of_chunk * PAGE), 4);
	for (at = 0; at < pages->used; at += n) {
		n = pages->used - at < pages_of_chunk * PAGE ? pages->used - at : pages_of_chunk * PAGE;
		put_compressed(b, pages->data + at, n);
	}
}

static void put_option(struct bytes *b, int id, const void *data, size_t size)
{
	put_number(b, id, 2);
	put_number(b, size, 4);
	put(b, data, size);
}

static void make_v7(struct bytes *b, struct trace_file *t, bool compressed)
{
	struct bytes formats = { }, symbols = { }, options = { }, buffer = { };
	uint64_t at, section, begin;
	size_t start;
	unsigned int i;

	put_start(b, "7");
	put_string(b, compressed ? "zstd" : "none");
	put_string(b, compressed ? "1.5.4" : "");
	start = b->used;
	put_number(b, 0, 8);
	section = b->used;
	put_formats(&formats, t);
	put_section(b, SECTION_EVENTS, &formats, compressed);
	put_option(&options, OPTION_UNAME, "Linux made up", 14);
	put_option(&options, OPTION_EVENTS, &section, 8);
	if (t->symbols.used) {
		section = b->used;
		put_symbols(&symbols, t);
		put_section(b, SECTION_SYMBOLS, &symbols, compressed);
		put_option(&options, OPTION_SYMBOLS, &section, 8);
	}
	section = b->used;
	begin = begin_section(b, SECTION_BUFFER, compressed);
	put_number(&buffer, section, 8);
	put_string(&buffer, "");
	put_string(&buffer, "mono");
	put_number(&buffer, PAGE, 4);
	put_number(&buffer, t->nr_cpus, 4);
	for (i = 0; i < t->nr_cpus; i++) {
		align(b);
		at = b->used;
		put_pages(b, &t->cpus[i].pages, compressed);
		put_number(&buffer, i, 4);
		put_number(&buffer, at, 8);
		put_number(&buffer, b->used - at, 8);
	}
	end_section(b, begin);
	put_option(&options, OPTION_BUFFER, buffer.data, buffer.used);
	put_option(&options, OPTION_DONE, "\0\0\0\0\0\0\0", 8);
	set_number(b, start, b->used, 8);
	put_section(b, SECTION_OPTIONS, &options, compressed);
	free(formats.data);
	free(symbols.data);
	free(options.data);
	free(buffer.data);
}

/** trace_file_symbol() - a line of /proc/kallsyms, without its end */
void trace_file_symbol(struct trace_file *t, const char *line)
{
	put(&t->symbols, line, strlen(line));
	put(&t->symbols, "\n", 1);
}

/** trace_file_bytes() - the file, in memory that is to be freed; events may be added later */
void *trace_file_bytes(struct trace_file *t, enum trace_version version, size_t *size)
{
	struct bytes b = { };
	unsigned int i;

	for (i = 0; i < t->nr_cpus; i++)
		end_page(&t->cpus[i]);
	if (version == TRACE_V6)
		make_v6(&b, t);
	else
		make_v7(&b, t, version == TRACE_V7_ZSTD);
	*size = b.used;
	return b.data;
}

/**
 * trace_file_formats() - where the formats of events are, in a file that is not compressed
 * @bytes: of trace_file_bytes()
 * @size: of them
 * @from: where they begin
 * @to: where they end
 */
void trace_file_formats(const void *bytes, size_t size, size_t *from, size_t *to)
{
	const char *first = memmem(bytes, size, "name: ", 6), *last = memmem(bytes, size, "REC->common_pid", 15);

	*from = first - (const char *)bytes - 64;
	*to = last - (const char *)bytes + 16;
}

/** trace_file_write() - the file, as a file */
void trace_file_write(struct trace_file *t, enum trace_version version, const char *path)
{
	size_t size;
	void *bytes = trace_file_bytes(t, version, &size);
	FILE *f = need(fopen(path, "w"));

	if (fwrite(bytes, 1, size, f) != size || fclose(f))
		need(NULL);
	free(bytes);
}

/** trace_file_free() - forget it */
void trace_file_free(struct trace_file *t)
{
	unsigned int i;

	for (i = 0; i < t->nr_cpus; i++)
		free(t->cpus[i].pages.data);
	free(t->cpus);
	free(t->symbols.data);
	free(t);
}
