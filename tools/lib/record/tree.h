/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Removes a folder of a recording that others may have written to. */
#ifndef MEMSCOPE_TREE_H
#define MEMSCOPE_TREE_H

int tree_remove(const char *path);

#endif
