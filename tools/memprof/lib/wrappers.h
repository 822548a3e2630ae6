/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/* Functions that allocate for others: who calls them is of interest. */
#ifndef MEMPROF_WRAPPERS_H
#define MEMPROF_WRAPPERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Those that the user names, beside those that are known. */
struct wrappers {
	char **names;
	size_t nr;
};

int wrappers_add(struct wrappers *w, const char *name);
int wrappers_add_json(struct wrappers *w, const json_t *names);
void wrappers_free(struct wrappers *w);
bool wrappers_have_file(const struct wrappers *w, const char *path);
bool wrappers_have(const struct wrappers *w, const char *function);
bool is_system_header(const char *file);

#endif
