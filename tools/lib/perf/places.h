/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * What perf shall name an address of a sample: records in front of the sample, where what
 * was written before says something else.
 *
 * perf keeps the maps of a process in order of time: a later one takes its place, and what it
 * covered of earlier ones is gone.  So each sample finds the object that it is of, also where
 * addresses were used again.  Objects of processes are mappings of files that have but
 * objects' names (symbol_file.h), in a folder beside the recording; objects of the kernel, and
 * its functions, are symbols that come and go (PERF_RECORD_KSYMBOL).
 *
 * perf c2c adds up what has the same address in its file.  In files of names, that is the
 * address itself; a symbol of the kernel begins at 0 of a file of its own, and which file it
 * is does not count.
 */
#ifndef PERF_PLACES_H
#define PERF_PLACES_H

#include "write.h"

struct place_name;
struct place_space;

/**
 * struct places - what was written of addresses
 * @folder: for files of names; an absolute path
 */
struct places {
	struct perf_writer *w;
	const char *folder;
	/* its own */
	struct place_name *names;
	struct place_space *spaces;
	bool made;			/* the folder, and perhaps files in it */
};

/**
 * struct place - an object, or code, and what it is called
 * @kernel: in the kernel's memory; @pid is not used
 * @path: of code, or of a mapping that perf knows by its path; else NULL
 * @offset: in that file
 * @lead: of the kernel: bytes in front of it that perf's map of it has, too; perf c2c finds an
 *	address @lead bytes behind that in the object
 * @name: of an object, or what perf shows if @path is NULL
 */
struct place {
	bool kernel, code;
	uint32_t pid;
	uint64_t start, size, offset, lead;
	const char *name, *path;
};

int places_need(struct places *p, uint64_t time, uint64_t addr, const struct place *what);
int places_need_page(struct places *p, uint64_t time, uint64_t addr, const struct place *what);
int places_write_files(struct places *p);
void places_remove_files(struct places *p);
void places_free(struct places *p);

#endif
