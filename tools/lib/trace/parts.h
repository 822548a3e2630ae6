/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The format of trace.dat files, shared by dat.c, index.c and cut.c. */
#ifndef MEMSCOPE_TRACE_DAT_PARTS_H
#define MEMSCOPE_TRACE_DAT_PARTS_H

#include <endian.h>
#include <string.h>

#include "dat.h"

#define MAX_SECTIONS	256

enum {
	SECTION_OPTIONS = 0, SECTION_BUFFER = 3, SECTION_EVENTS = 18, SECTION_KALLSYMS = 19,
	SECTION_TEXT = 22,
	OPTION_DONE = 0, OPTION_BUFFER = 3, OPTION_UNAME = 5, OPTION_HEADER = 16,
	OPTION_EVENTS = 18, OPTION_KALLSYMS = 19, OPTION_CMDLINES = 21,
};

#define SECTION_HEADER		16
#define SECTION_COMPRESSED	1

/* Bytes being parsed; @bad is set by the first read behind their end. */
struct cursor {
	const unsigned char *p;
	size_t left;
	int bad;
};

/* A section of a version 7 file; @name is the id of its description. */
struct section {
	unsigned int id, flags;
	uint32_t name;
	uint64_t offset, size;		/* of the contents, without the header */
};

static inline const unsigned char *take(struct cursor *c, size_t n)
{
	const unsigned char *p = c->p;

	if (c->bad || n > c->left) {
		c->bad = 1;
		return NULL;
	}
	c->p += n;
	c->left -= n;
	return p;
}

static inline uint64_t take_number(struct cursor *c, size_t bytes)
{
	const unsigned char *p = take(c, bytes);
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, bytes);
	return le64toh(v);
}

static inline const char *take_string(struct cursor *c)
{
	const unsigned char *end = c->bad ? NULL : memchr(c->p, 0, c->left);

	if (!end) {
		c->bad = 1;
		return "";
	}
	return (const char *)take(c, end - c->p + 1);
}

int trace_dat_section(struct trace_dat *d, uint64_t offset, struct section *s);
unsigned char *trace_dat_load(struct trace_dat *d, const struct section *s, struct cursor *c);

#endif
