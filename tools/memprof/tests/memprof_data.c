// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Recordings made up for tests: events, samples and tasks as a test says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uthash.h>

#include "memprof/record/writer.h"
#include "memprof_data.h"

#define EVENTS	2730
#define SAMPLES	8192

struct data_stream {
	uint32_t pid, tid, n;
	int ended;			/* by data_end_chunk() */
	uint64_t image, base, last;
	struct event_record *events;
};

struct data_cpu {
	uint32_t n;
	uint64_t base, last;
	struct sample_record *samples;
};

struct number {
	uint64_t key;
	uint32_t number;
	UT_hash_handle hh;
};

struct data {
	struct writer w;
	struct data_stream *streams;
	uint32_t nr_streams;
	struct data_cpu cpus[64];
	struct number *threads, *chains;
};

char data_path[] = "/tmp/memprof-test.XXXXXX";

int data_make_path(void **unused)
{
	const int fd = mkstemp(data_path);

	(void)unused;
	return fd < 0 ? -1 : close(fd);
}

int data_remove_path(void **unused)
{
	(void)unused;
	return unlink(data_path);
}

static void chunk(struct data *d, int type, uint32_t stream, uint64_t base, uint64_t last, uint32_t n,
		  const void *p, size_t bytes)
{
	struct iovec v = { (void *)p, bytes };

	writer_chunk(&d->w, type, stream, base, last, n, &v, 1);
}

struct data *data_new(const char *path)
{
	static const char meta[] = "{\"source\":\"ibs\",\"command\":\"made up\",\"preload\":true,\"machine\":{\"nodes\":2,"
				   "\"cpu_node\":[0,0,1,1],\"distance\":[[10,20],[20,10]]}}";
	struct data *d = calloc(1, sizeof(*d));

	if (!d || writer_open(&d->w, strdup(path), DATA_START))
		exit(1);
	chunk(d, CHUNK_META, 0, DATA_START, DATA_START, 1, meta, strlen(meta));
	return d;
}

uint32_t data_stream(struct data *d, uint32_t pid, uint32_t tid, uint64_t image)
{
	struct stream_record r = { ++d->nr_streams, pid, tid, 0, image };

	d->streams = realloc(d->streams, (d->nr_streams + 1) * sizeof(*d->streams));
	if (!d->streams)
		exit(1);
	d->streams[d->nr_streams] = (struct data_stream){
		.pid = pid, .tid = tid, .image = image, .events = malloc(EVENTS * sizeof(struct event_record)) };
	chunk(d, CHUNK_STREAM, r.stream, DATA_START, DATA_START, 1, &r, sizeof(r));
	return d->nr_streams;
}

static void flush_events(struct data *d, uint32_t stream)
{
	struct data_stream *s = &d->streams[stream];

	if (s->n)
		chunk(d, CHUNK_EVENTS, stream, s->base, s->last, s->n, s->events,
		      s->n * sizeof(*s->events));
	s->n = 0;
}

void data_event(struct data *d, uint32_t stream, uint64_t time, struct event_record e)
{
	struct data_stream *s = &d->streams[stream];

	if (s->n == EVENTS)
		flush_events(d, stream);
	if (!s->n)
		s->base = s->ended ? s->last : time;
	s->ended = 0;
	e.delta = time - s->base;
	s->last = time;
	s->events[s->n++] = e;
}

/* The stream's next event begins a chunk, with the last one's time for a base, as in rings. */
void data_end_chunk(struct data *d, uint32_t stream)
{
	d->streams[stream].ended = d->streams[stream].n > 0;
	flush_events(d, stream);
}

void data_chain(struct data *d, uint32_t stream, uint64_t time, uint32_t id, const uint64_t *frames,
		unsigned int depth)
{
	struct event_record words = { 0 };
	unsigned int i;

	if (d->streams[stream].n + 1 + depth > EVENTS)
		flush_events(d, stream);
	data_event(d, stream, time, (struct event_record){ .type = EVENT_CHAIN, .wait = depth, .chain = id });
	for (i = 0; i < depth; i += 3) {
		memset(&words, 0, sizeof(words));
		memcpy(&words, frames + i, (depth - i < 3 ? depth - i : 3) * 8);
		d->streams[stream].events[d->streams[stream].n++] = words;
	}
}

static uint32_t number_of(struct number **table, uint64_t key, int *fresh)
{
	struct number *n;

	HASH_FIND(hh, *table, &key, sizeof(key), n);
	*fresh = !n;
	if (!n) {
		n = calloc(1, sizeof(*n));
		if (!n)
			exit(1);
		n->key = key;
		n->number = HASH_COUNT(*table) + 1;
		HASH_ADD(hh, *table, key, sizeof(key), n);
	}
	return n->number;
}

static void flush_samples(struct data *d, uint32_t cpu)
{
	struct data_cpu *c = &d->cpus[cpu];

	if (c->n)
		chunk(d, CHUNK_SAMPLES, cpu, c->base, c->last, c->n, c->samples,
		      c->n * sizeof(*c->samples));
	c->n = 0;
}

void data_sample(struct data *d, uint32_t cpu, uint64_t time, uint32_t pid, uint32_t tid,
		 uint64_t addr, struct sample_record r, uint64_t ip)
{
	struct data_cpu *c = &d->cpus[cpu];
	struct {
		struct chain_record r;
		uint64_t ip;
	} chain;
	int fresh;

	if (!c->samples)
		c->samples = malloc(SAMPLES * sizeof(*c->samples));
	if (c->n == SAMPLES)
		flush_samples(d, cpu);
	if (!c->n)
		c->base = time;
	r.thread = number_of(&d->threads, (uint64_t)pid << 32 | tid, &fresh);
	if (fresh) {
		struct thread_record t = { r.thread, pid, tid };

		chunk(d, CHUNK_THREADS, 0, time, time, 1, &t, sizeof(t));
	}
	r.chain = number_of(&d->chains, ip, &fresh);
	if (fresh) {
		chain.r = (struct chain_record){ r.chain, 1 };
		chain.ip = ip;
		chunk(d, CHUNK_CHAINS, 0, time, time, 1, &chain, sizeof(chain));
	}
	r.delta = time - c->base;
	r.cpu = cpu;
	r.addr = addr;
	c->last = time;
	c->samples[c->n++] = r;
}

void data_task(struct data *d, uint64_t time, const struct task_record *t, const char *name)
{
	size_t length = name ? strlen(name) + 1 : 0, bytes = sizeof(*t) + ((length + 7) & ~7UL);
	struct task_record *p = calloc(1, bytes);

	if (!p)
		exit(1);
	memcpy(p, t, sizeof(*t));
	p->delta = time;
	p->bytes = bytes;
	if (name)
		memcpy(p->name, name, length);
	chunk(d, CHUNK_TASKS, 0, 0, time, 1, p, bytes);
	free(p);
}

void data_lost(struct data *d, uint64_t time, uint32_t kind, uint64_t count)
{
	struct lost_record l = { time, count, kind, 0 };

	chunk(d, CHUNK_LOST, 0, time, time, 1, &l, sizeof(l));
}

void data_end(struct data *d, int with_end)
{
	struct number *n, *next;
	uint32_t i;

	for (i = 1; i <= d->nr_streams; i++) {
		flush_events(d, i);
		free(d->streams[i].events);
	}
	for (i = 0; i < 64; i++) {
		flush_samples(d, i);
		free(d->cpus[i].samples);
	}
	if (with_end)
		chunk(d, CHUNK_END, 0, DATA_START, DATA_START, 1, "{}", 2);
	HASH_ITER(hh, d->threads, n, next) {
		HASH_DEL(d->threads, n);
		free(n);
	}
	HASH_ITER(hh, d->chains, n, next) {
		HASH_DEL(d->chains, n);
		free(n);
	}
	if (writer_close(&d->w))
		exit(1);
	free((char *)d->w.path);
	free(d->streams);
	free(d);
}
