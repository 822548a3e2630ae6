/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/* What addresses are called: by files, by what a runtime writes about its code, by the source. */
#ifndef MEMPROF_NAMES_H
#define MEMPROF_NAMES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define hidden __attribute__((visibility("hidden")))

/* A function and a line of its source; NULL and 0 where not known. */
struct place {
	const char *function, *file;
	unsigned int line;
};

/* names.c: what files say about addresses. */
hidden struct names *names_new(const char *symbols);
hidden void names_free(struct names *n);
hidden bool names_missing(const struct names *n, const char *path);
hidden bool names_failed(struct names *n);
hidden bool names_go(struct names *n, const char *path);
hidden bool names_loads(struct names *n, const char *path, uint64_t offset, uint64_t past);
hidden bool names_data(struct names *n, const char *path, uint64_t offset, uint64_t past,
		       const char **symbol, int64_t *back, uint64_t *size);
hidden bool names_code(struct names *n, const char *path, uint64_t offset, struct place *place,
		       uint64_t *in_function);
hidden unsigned int names_places(struct names *n, const char *path, uint64_t offset, struct place *places,
				 unsigned int capacity);
hidden const char *names_assigned(struct names *n, const char *file, unsigned int line);

/* jit.c: code that a runtime compiled while the process ran. */
struct jit;
hidden struct jit *jit_new(const char *symbols);
hidden void jit_free(struct jit *j);
hidden bool jit_is_dump(const char *path);
hidden int jit_add(struct jit *j, uint32_t pid, const char *dump);
hidden bool jit_known(const struct jit *j, uint32_t pid);
hidden bool jit_code(const struct jit *j, uint32_t pid, uint64_t addr, uint64_t time, struct place *place,
		     uint64_t *in_function);

/* wrappers.c: functions that allocate for others. */

/* Those that the user names, beside those that are known. */
struct wrappers {
	char **names;
	size_t nr;
};

hidden int wrappers_add(struct wrappers *w, const char *name);
hidden int wrappers_add_json(struct wrappers *w, const json_t *names);
hidden void wrappers_free(struct wrappers *w);
hidden bool wrappers_have_file(const struct wrappers *w, const char *path);
hidden bool wrappers_have(const struct wrappers *w, const char *function);
hidden const char *runtime_of(const char *path);
hidden bool is_system_header(const char *file);

/* assigned.c: what source says. */
hidden char *left_of_assignment(char *text);
hidden bool ends_statement(const char *line);

#endif
