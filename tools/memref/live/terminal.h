/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The terminal that memref top draws on: ncurses, and what stops and resizes it. */
#ifndef MEMREF_TERMINAL_H
#define MEMREF_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

bool terminal_usable(void);
int terminal_open(void);
void terminal_close(void);
bool terminal_utf8(void);
bool terminal_keys(void);
bool terminal_resize(int *width, int *height);
bool terminal_resumed(void);
void terminal_put(const char *frame);
void terminal_redraw(void);
bool terminal_key(uint32_t *key);
bool terminal_wait(int ms);

#endif
