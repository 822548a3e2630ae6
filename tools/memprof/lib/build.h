/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/* From records to flows: what the files that take the records share. */
#ifndef MEMPROF_BUILD_H
#define MEMPROF_BUILD_H

#include "memprof/names/hash.h"
#include "internal.h"
#include "merge.h"

#define NONE		UINT32_MAX
/* Arrays as large get huge pages. */
#define HUGE_ARRAY	(UINT64_C(2) << 20)

struct process {
	uint32_t pid;
	struct space *space;
	UT_hash_handle hh;
};

/* A thread's number in time: pids are used again. */
struct slot {
	uint64_t key;		/* pid << 32 | tid */
	uint32_t thread;	/* now */
	struct process *process;
	UT_hash_handle hh;
};

/* Chains of a process image have numbers of their own. */
struct image {
	struct { uint64_t image; uint32_t pid, pad; } key;
	uint32_t *map, capacity;
	UT_hash_handle hh;
};

/* Of a stream of events. */
struct owner {
	uint32_t pid, tid;
	struct image *image;
	struct slot *slot;
	uint32_t thread;
};

/* Objects that a call is making, or moving: in use by their thread only. */
struct pending {
	struct owner *owner;
	uint64_t from, until;
	struct space *space;
	struct live fresh, old;		/* old: size 0 if there is none */
};

struct builder {
	struct memprof *m;
	struct live_pool pool;
	struct process *processes;
	struct slot *slots;
	struct image *images;
	struct owner *owners;
	uint32_t nr_owners;
	struct slot **slot_of_number;
	uint32_t nr_numbers;
	uint32_t *sample_chains;	/* of the file to ours */
	uint32_t nr_sample_chains;
	struct pending *pending;
	size_t nr_pending, capacity_pending;
	uint64_t next_pending, now;
	uint32_t kernel_object;
	uint32_t counted_object;	/* stands for those that are not kept; NONE: each is */
	bool whole;		/* all of the recording was asked for */
	bool counts;		/* the access is of the part that was asked for */
	bool failed;
};

static inline uint64_t since_start(const struct builder *b, uint64_t time)
{
	return time > b->m->start_ns ? time - b->m->start_ns : 0;
}

/* Whether what happens now is of the time that was asked for. */
static inline bool in_time(const struct builder *b)
{
	const struct memprof_options *o = &b->m->options;
	const uint64_t time = since_start(b, b->now);

	return time >= o->from_ns && !(o->to_ns && time >= o->to_ns);
}

/* Whether an ID is chosen: @one, if it is not 0, and those of a list. */
static inline bool is_chosen(uint32_t id, uint32_t one, const int32_t *list, size_t nr)
{
	size_t i;

	if (one ? one == id : !nr)
		return true;
	for (i = 0; i < nr; i++)
		if ((uint32_t)list[i] == id)
			return true;
	return false;
}

static inline bool of_process(const struct memprof_options *o, uint32_t pid)
{
	return is_chosen(pid, o->pid, o->pids, o->nr_pids);
}

static inline bool of_thread(const struct memprof_options *o, uint32_t tid)
{
	return is_chosen(tid, o->tid, o->tids, o->nr_tids);
}

/* Whether what happens to a process now is of the part of the recording that was asked for. */
static inline bool in_part(const struct builder *b, uint32_t pid)
{
	if (likely(b->whole))
		return true;
	return in_time(b) && of_process(&b->m->options, pid);
}

static inline bool is_anonymous(const struct region *r)
{
	return r->kind == REGION_ANON || r->kind == REGION_HEAP || r->kind == REGION_STACK;
}

/* build_state.c */
hidden void advise_huge(void *array, size_t bytes);
hidden void *grow_now(void *array, size_t *capacity, size_t need, size_t bytes, bool *failed);
hidden uint32_t add_chain(struct builder *b, uint32_t pid, uint64_t time);
hidden void set_frames(struct builder *b, uint32_t chain, const uint64_t *frames, uint32_t depth);
hidden uint32_t new_object(struct builder *b, const struct memprof_object *o);
hidden const char *text_of(const struct builder *b, uint32_t number);
hidden struct process *get_process(struct builder *b, uint32_t pid);
hidden uint32_t new_thread(struct builder *b, struct slot *s, uint64_t born);
hidden struct slot *get_slot(struct builder *b, uint32_t pid, uint32_t tid);
hidden struct space *make_space(struct builder *b, struct slot *s);
hidden void free_builder(struct builder *b);

/**
 * grow() - make room in an array
 * @array: it, or NULL
 * @capacity: elements that it has room for
 * @need: that it is to have room for
 * @bytes: of an element
 * @failed: is set without memory
 *
 * Return: the array, as it was without memory.
 */
static inline void *grow(void *array, size_t *capacity, size_t need, size_t bytes, bool *failed)
{
	return likely(need <= *capacity) ? array : grow_now(array, capacity, need, bytes, failed);
}

/* The space of a slot, NULL without memory; it has a thread then. */
static inline struct space *space_of(struct builder *b, struct slot *s)
{
	if (likely(s->process->space && s->thread != NONE))
		return s->process->space;
	return make_space(b, s);
}

/* build_events.c, build_tasks.c, build_samples.c: take a record */
hidden void take_event(struct builder *b, struct owner *o, const struct event_record *e);
hidden void take_chain(void *arg, struct stream *s, uint32_t id, const uint64_t *frames,
		       unsigned int depth);
hidden void take_task(struct builder *b, const struct task_record *t);
hidden void take_sample(struct builder *b, const struct sample_record *r, unsigned int cpu);
hidden void object_gone(void *arg, uint32_t live);
hidden void insert(struct builder *b, struct space *s, const struct live *o);
hidden void end_pending_until(struct builder *b, uint64_t time);
hidden void drop_pending(struct builder *b, const struct space *s);

/* build_tables.c: what is not in order of time */
hidden void read_owners(struct builder *b, struct file *f);
hidden void read_threads(struct builder *b, struct file *f);
hidden void read_chains(struct builder *b, struct file *f);
hidden void read_losses(struct builder *b, struct file *f);
hidden void read_meta(struct memprof *m, struct file *f);

#endif
