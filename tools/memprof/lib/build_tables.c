// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* Chunks that are not in order of time: owners of streams, threads, chains, losses, the machine. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"

/* For each chunk of a type. */
#define for_each_chunk(f, chunk_type, c)						\
	for (uint32_t i_ = 0, c = 0; i_ < (f)->nr_streams; i_++)			\
		if ((f)->streams[i_].type == (chunk_type))				\
			for (c = (f)->streams[i_].first; c; c = (f)->chunks[c].next)

static struct image *get_image(struct builder *b, uint32_t pid, uint64_t number)
{
	struct image *image = calloc(1, sizeof(*image)), *old;

	if (!image) {
		b->failed = true;
		return NULL;
	}
	image->key.image = number;
	image->key.pid = pid;
	HASH_FIND(hh, b->images, &image->key, sizeof(image->key), old);
	if (old) {
		free(image);
		return old;
	}
	HASH_ADD(hh, b->images, key, sizeof(image->key), image);
	if (!image->hh.tbl) {
		free(image);
		b->failed = true;
		return NULL;
	}
	return image;
}

/*
 * Numbers are given one after another, each with a record.  One for which the file has no room
 * is damage: nothing is allocated for it.  Some records may have been lost.
 */
static bool is_damage(const struct file *f, uint64_t number, size_t record)
{
	return number > f->bytes / record + 65536;
}

/** read_owners() - whose events each stream has */
void read_owners(struct builder *b, struct file *f)
{
	const struct stream_record *r;
	void *buffer = NULL;
	size_t capacity = 0, owners = 0;
	ssize_t bytes;

	for_each_chunk(f, CHUNK_STREAM, c) {
		bytes = file_read_chunk(f, c, &buffer, &capacity);
		r = (void *)((char *)buffer + sizeof(struct chunk_header));
		if (bytes < (ssize_t)sizeof(*r) || is_damage(f, r->stream, sizeof(*r)))
			continue;
		if (r->stream >= b->nr_owners) {
			owners = b->nr_owners;
			b->owners = grow(b->owners, &owners, r->stream + 1, sizeof(*b->owners),
					 &b->failed);
			if (b->failed)
				break;
			memset(b->owners + b->nr_owners, 0,
			       (owners - b->nr_owners) * sizeof(*b->owners));
			b->nr_owners = owners;
		}
		b->owners[r->stream] = (struct owner){ .pid = r->pid, .tid = r->tid, .thread = NONE,
						       .image = get_image(b, r->pid, r->image) };
	}
	free(buffer);
}

/** read_threads() - the threads that samples give by number */
void read_threads(struct builder *b, struct file *f)
{
	const struct thread_record *r;
	void *buffer = NULL;
	size_t capacity = 0, numbers = 0;
	ssize_t bytes, i;

	for_each_chunk(f, CHUNK_THREADS, c) {
		bytes = file_read_chunk(f, c, &buffer, &capacity);
		r = (void *)((char *)buffer + sizeof(struct chunk_header));
		for (i = 0; i < bytes / (ssize_t)sizeof(*r) && !b->failed; i++, r++) {
			if (r->thread >= THREAD_NONE || is_damage(f, r->thread, sizeof(*r)))
				continue;
			if (r->thread >= b->nr_numbers) {
				numbers = b->nr_numbers;
				b->slot_of_number = grow(b->slot_of_number, &numbers, r->thread + 1,
							 sizeof(*b->slot_of_number), &b->failed);
				if (b->failed)
					break;
				memset(b->slot_of_number + b->nr_numbers, 0,
				       (numbers - b->nr_numbers) * sizeof(*b->slot_of_number));
				b->nr_numbers = numbers;
			}
			b->slot_of_number[r->thread] = get_slot(b, r->pid, r->tid);
		}
	}
	free(buffer);
}

/** read_chains() - the call chains of samples */
void read_chains(struct builder *b, struct file *f)
{
	const struct chain_record *r;
	const char *p, *end;
	void *buffer = NULL;
	size_t capacity = 0, chains = 0;
	ssize_t bytes;

	for_each_chunk(f, CHUNK_CHAINS, c) {
		bytes = file_read_chunk(f, c, &buffer, &capacity);
		p = (char *)buffer + sizeof(struct chunk_header);
		for (end = p + bytes; end - p >= (ssize_t)sizeof(*r) && !b->failed; ) {
			uint64_t frames[MEMPROF_MAX_DEPTH];

			r = (void *)p;
			p += sizeof(*r);
			if (r->depth > MEMPROF_MAX_DEPTH || is_damage(f, r->chain, sizeof(*r)) ||
			    (ssize_t)(r->depth * sizeof(uint64_t)) > end - p)
				break;
			if (r->chain >= b->nr_sample_chains) {
				chains = b->nr_sample_chains;
				b->sample_chains = grow(b->sample_chains, &chains, r->chain + 1,
							sizeof(*b->sample_chains), &b->failed);
				if (b->failed)
					break;
				memset(b->sample_chains + b->nr_sample_chains, 0,
				       (chains - b->nr_sample_chains) * sizeof(*b->sample_chains));
				b->nr_sample_chains = chains;
			}
			memcpy(frames, p, r->depth * sizeof(uint64_t));
			b->sample_chains[r->chain] = add_chain(b, 0, 0);
			set_frames(b, b->sample_chains[r->chain], frames, r->depth);
			p += r->depth * sizeof(uint64_t);
		}
	}
	free(buffer);
}

/** read_losses() - how much the recorder lost, by kind */
void read_losses(struct builder *b, struct file *f)
{
	struct memprof_totals *t = &b->m->totals;
	const struct lost_record *r;
	void *buffer = NULL;
	size_t capacity = 0;

	for_each_chunk(f, CHUNK_LOST, c) {
		if (file_read_chunk(f, c, &buffer, &capacity) < (ssize_t)sizeof(*r))
			continue;
		r = (void *)((char *)buffer + sizeof(struct chunk_header));
		b->now = r->time_ns;
		if (!in_time(b))
			continue;
		/* Lost events have a record of their own where they are missing. */
		if (r->kind == LOST_SAMPLES)
			t->lost_samples += r->count;
		else if (r->kind == LOST_TASKS)
			t->lost_tasks += r->count;
		else if (r->kind == LOST_THROTTLED)
			t->throttled += r->count;
	}
	b->now = 0;
	free(buffer);
}

static char *read_text(struct file *f, enum chunk_type type)
{
	void *buffer = NULL;
	size_t capacity = 0;
	ssize_t bytes;
	char *text = NULL;

	for_each_chunk(f, type, c) {
		bytes = file_read_chunk(f, c, &buffer, &capacity);
		if (bytes < 0 || text)
			continue;
		text = strndup((char *)buffer + sizeof(struct chunk_header), bytes);
		f->no_memory |= !text;
	}
	free(buffer);
	return text;
}

static unsigned char node_of(const json_t *number)
{
	const json_int_t node = json_integer_value(number);

	return node >= 0 && node < NODE_UNKNOWN ? node : NODE_UNKNOWN;
}

/** read_meta() - the machine: nodes and their CPUs; what the end says */
void read_meta(struct memprof *m, struct file *f)
{
	size_t i, n;
	json_t *j, *machine, *cpus;

	m->meta = read_text(f, CHUNK_META);
	m->end_text = read_text(f, CHUNK_END);
	j = m->meta ? json_loads(m->meta, 0, NULL) : NULL;
	m->by_mapping = json_is_true(json_object_get(j, "mappings_are_objects"));
	m->preloaded = json_is_true(json_object_get(j, "preload"));
	f->no_memory |= wrappers_add_json(&m->wrappers, json_object_get(j, "wrappers")) != 0;
	machine = json_object_get(j, "machine");
	cpus = json_object_get(machine, "cpu_node");
	n = json_array_size(cpus);
	m->nr_nodes = json_integer_value(json_object_get(machine, "nodes"));
	if (m->nr_nodes < 1 || m->nr_nodes > 255)
		m->nr_nodes = 1;
	m->cpu_node = calloc(n + 1, 1);
	if (m->cpu_node) {
		m->nr_cpus = n;
		for (i = 0; i < n; i++)
			m->cpu_node[i] = node_of(json_array_get(cpus, i));
	}
	json_decref(j);
	j = m->end_text ? json_loads(m->end_text, 0, NULL) : NULL;
	m->totals.discarded = json_integer_value(json_object_get(j, "discarded"));
	m->totals.dropped = json_integer_value(json_object_get(j, "dropped"));
	json_decref(j);
}
