/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* page_hint_alloc: its parts, and the memory they are measured on. */
#ifndef PAGE_HINT_ALLOC_H
#define PAGE_HINT_ALLOC_H

#include "hints.h"

#define DEBUG "/sys/kernel/debug/page_hint/"

/* memory.c */
uint64_t number_in(const char *path, const char *word);
uint64_t free_pages(void);
uint64_t low_pages(void);
uint64_t total_pages(void);
bool free_pages_match(void);
char *reserve(uint64_t pages);
char *age(uint64_t target_free, uint64_t *size);

/* region.c */
extern int hints_fd;
extern struct page_hints_info info;
void hint(char *p, uint64_t pages, const char *strategy, const void *arg, size_t size);
void unhint(char *p, uint64_t pages);
void show_stats(void);

/* find.c */
void part_fresh(void);
void part_aged(void);
void part_partition(void);

/* full.c */
void part_full(void);
void part_swapin(void);

/* cost.c */
void part_cost(void);
void part_plain(void);

/* locks.c */
void part_locks(void);

/* churn.c */
void part_stress(void);

#endif
