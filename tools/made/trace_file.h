/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * trace.dat files made up for tests (trace-cmd.dat.v6(5), trace-cmd.dat.v7(5)): what
 * trace-cmd would have written of events that a test says.
 */
#ifndef MEMSCOPE_MADE_TRACE_FILE_H
#define MEMSCOPE_MADE_TRACE_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Behind the fields that all events have. */
#define TRACE_COMMON	8

enum trace_kind { FIELD_NUMBER, FIELD_BYTES, FIELD_DYNAMIC };
enum trace_version { TRACE_V6, TRACE_V7, TRACE_V7_ZSTD, NR_TRACE_VERSIONS };

/**
 * struct trace_field - a field of an event
 * @type: in C; of a dynamic array, "u8[]"
 * @size: of all of it; of one element, if @kind is FIELD_DYNAMIC
 */
struct trace_field {
	const char *type, *name;
	unsigned int size;
	enum trace_kind kind;
};

/* The value of a field: @number, or @size bytes. */
struct trace_value {
	uint64_t number;
	const void *bytes;
	unsigned int size;
};

struct trace_file;

struct trace_file *trace_file_new(const char *system, unsigned int cpus);
int trace_file_define(struct trace_file *t, const char *name, const struct trace_field *fields,
		      unsigned int nr);
void trace_file_add(struct trace_file *t, unsigned int cpu, uint64_t ts, int id, int pid,
		    const struct trace_value *values);
void trace_file_lose(struct trace_file *t, unsigned int cpu, uint64_t events);
void trace_file_symbol(struct trace_file *t, const char *line);
void *trace_file_bytes(struct trace_file *t, enum trace_version version, size_t *size);
void trace_file_formats(const void *bytes, size_t size, size_t *from, size_t *to);
void trace_file_write(struct trace_file *t, enum trace_version version, const char *path);
void trace_file_free(struct trace_file *t);

#endif
