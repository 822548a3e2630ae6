/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Reads files of /proc and /sys, of this machine or of a made one. */
#ifndef MEMSCOPE_SYSTEM_H
#define MEMSCOPE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

const char *system_root(void);
bool system_installed(const char *program);
int system_read(const char *path, char *buf, size_t size);
bool system_has(const char *path);
int system_field(const char *path, const char *key, char *buf, size_t size);

#endif
