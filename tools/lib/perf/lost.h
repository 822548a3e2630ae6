/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * How many records of an event of perf found no room.  A ring says so in front of the next
 * record that does (PERF_RECORD_LOST); losses after the last one are in the event's count only.
 */
#ifndef PERF_LOST_H
#define PERF_LOST_H

#include <stdint.h>

uint64_t perf_lost_format(void);
uint64_t perf_lost(int fd);

#endif
