/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Samples of AMD IBS ops through perf: one sampler is one thread's event. */
#ifndef MEMSCOPE_IBS_SAMPLER_H
#define MEMSCOPE_IBS_SAMPLER_H

#include <linux/perf_event.h>
#include <stdint.h>

struct sample {
	uint64_t ip, time, addr, phys, weight;
	union perf_mem_data_src src;
	uint32_t cpu;
	uint64_t op_data, op_data2, op_data3;	/* the registers themselves */
};

struct sampler {
	int fd;
	void *ring;
	uint64_t seen, lost, throttled;
};

/* What makes the kernel drop samples is turned off, in the order that works. */
void sampler_prepare(void);
/* One event of the calling thread, counting ops, off; ends the program if it fails. */
void sampler_open(struct sampler *s, uint64_t period);
void sampler_close(struct sampler *s);
void sampler_enable(struct sampler *s, int on);
/* Calls @f for each sample since the last time; not while it is enabled. */
void sampler_drain(struct sampler *s, void (*f)(void *arg, const struct sample *), void *arg);

void die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
