/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * dprof_samples: many samples in one event (mm/dprof/batch.c of the series).  The event comes
 * after its samples, so events wait until none can come that was before them.
 */
#ifndef DPROF_BATCH_H
#define DPROF_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "events.h"

/* Words of the largest sample. */
#define BATCH_SAMPLE_WORDS	15

/* A batch that tells of samples further back was damaged. */
#define BATCH_MAX_AGE	600000000000ULL

/**
 * struct batch - the samples of an event that are not read yet
 * @ts: time of the first one
 * @linear: phys of an address in the direct map is the address less this
 * @data_src: of the last sample, without op and lock
 * @cgroup: of the last sample
 * @words: the next sample; not aligned
 * @nr: number of words
 * @cpu: CPU that was sampled
 * @source: of all of them
 */
struct batch {
	uint64_t ts, linear, data_src, cgroup;
	const unsigned char *words;
	size_t nr;
	int cpu;
	uint8_t source;
};

int batch_next(struct batch *b, struct event *e);

/**
 * struct waiting - events that wait for earlier ones
 * @lag: no event comes later than one that is so much later
 * @send: called for each in the order of time
 */
struct waiting {
	uint64_t lag;
	void (*send)(void *ctx, const struct event *e);
	void *ctx;

	/* Private. */
	struct waiter *waiter;
	size_t nr, capacity;
	uint64_t first, seq;
};

int waiting_add(struct waiting *w, const struct event *e);
void waiting_send(struct waiting *w, uint64_t until);
void waiting_free(struct waiting *w);

#endif
