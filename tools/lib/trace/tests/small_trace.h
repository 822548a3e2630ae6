/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * A small trace.dat file of either version, which tests change byte by byte, and what is read of
 * it, as text.
 */
#ifndef MEMSCOPE_SMALL_TRACE_H
#define MEMSCOPE_SMALL_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/trace/dat.h"
#define BYTES_CAPACITY (1 << 20)
#include "trace_bytes.h"

#define COUNT(a)	(sizeof(a) / sizeof(*(a)))

/* Which parts of a file of version 7 are compressed. */
enum { ZIP_DATA = 1, ZIP_TEXT = 2, ZIP_SYMBOLS = 4, ZIP_OPTIONS = 8 };

/* The files that make() makes: ZIP is with compressed pages, ALL_ZIP with all compressed. */
enum { V7, V7_ZIP, V7_ALL_ZIP, V6 };

/*
 * Places in the files that are changed.  Of options and sections, their headers; TABLE: the first
 * CPU's offset and size; FLY: the word before it.
 */
enum place {
	NOWHERE, START, ZIP_NAME, FIRST_OPTIONS, TEXT, SYMBOLS, BUFFER, DATA, DATA_1, INDEX, UNAME, OPTION_TEXT,
	OPTION_SYMBOLS, OPTION_CPUS, TABLE, OPTION_END, FTRACE, SYSTEMS, CMDLINES, CPUS, KIND, FLY, END, NR_PLACES
};

extern struct bytes file;
extern uint32_t place[NR_PLACES];
extern const char *const formats[1];		/* of its one event */
extern const char *made_uname;			/* in files of version 7 */
extern char path[64];				/* of what write_file() wrote last */
extern char dat_error[256], got[8192];		/* got: what is printed */
extern struct trace_dat dat;

void make_sections(int zip, uint32_t chunks, uint32_t apart);
void make(int base);
void put_contents(const struct bytes *contents, int zip);
int write_file(uint32_t size);
int open_part(uint32_t size, const char *system);
void open_all(void);
void open_bytes(const void *bytes, size_t size);

char *end_of(char *text);
void print_events(void);
void print_file(bool copy);
void expect_file(const char *expected);

#endif
