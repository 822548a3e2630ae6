/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The verbs of memscope-fleet, and what they share. */
#ifndef FLEET_H
#define FLEET_H

#include <stddef.h>

int cmd_create(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_report(int argc, char **argv);

#define NR_TABLES	2
extern const char * const fleet_tables[NR_TABLES];

/* Paths of files. */
struct paths {
	char **path;
	size_t nr, capacity;
};

int paths_add(struct paths *p, const char *path);
char *paths_sql(const struct paths *p, size_t from, size_t to);
void paths_free(struct paths *p);
int store_parts(const char *store, const char *table, struct paths *parts);

#endif
