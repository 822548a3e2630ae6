// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Writes a recording of what other programs recorded: see sink.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/complain.h"
#include "sink.h"

/* There may be thousands of CPUs. */
#define BATCH		512
#define TASK_BYTES	65536
/* Of names: a record of a task has at most 64 KiB. */
#define NAME_BYTES	4096

struct sink_cpu {
	uint64_t base, last;
	uint32_t nr;
	struct sample_record batch[BATCH];
};

/** sink_open() - begin a recording.  Return: OK, or FAILED after saying why */
int sink_open(struct sink *s, const char *path, uint64_t start)
{
	memset(s, 0, sizeof(*s));
	s->start = start;
	if (writer_open(&s->writer, path, start))
		return FAILED;
	/* The input may be the same file. */
	s->writer.at_end = true;
	return OK;
}

static void flush_tasks(struct sink *s)
{
	buffer_flush(&s->tasks, &s->writer, CHUNK_TASKS, 0, 0, s->last_task);
}

static void flush_samples(struct sink *s, uint32_t cpu)
{
	struct sink_cpu *c = s->cpus[cpu];

	if (!c->nr)
		return;
	numbers_flush(&s->numbers, &s->writer, c->base, c->last);
	writer_chunk(&s->writer, CHUNK_SAMPLES, cpu, c->base, c->last, c->nr,
		     &(struct iovec){ c->batch, c->nr * sizeof(*c->batch) }, 1);
	c->nr = 0;
}

/** sink_task() - what became of a process or thread, in order of time */
void sink_task(struct sink *s, uint64_t time, struct task_record *t, const char *name)
{
	char cut[NAME_BYTES];

	if (name && strlen(name) >= sizeof(cut)) {
		memcpy(cut, name, sizeof(cut) - 1);
		cut[sizeof(cut) - 1] = '\0';
		name = cut;
	}
	if (time < s->start)
		time = s->start;
	if (time > s->last_task)
		s->last_task = time;
	t->delta = s->last_task;
	if (buffer_add_task(&s->tasks, t, name))
		s->writer.error = ENOMEM;
	if (s->tasks.used > TASK_BYTES)
		flush_tasks(s);
}

/**
 * sink_sample() - a sample, in order of time of its CPU
 * @s: the recording
 * @cpu: that it is of
 * @time: in ns
 * @pid: of the process
 * @tid: of the thread
 * @cgroup: id of its control group, as of sink_cgroup(); 0: not known
 * @frames: the instruction, and the call chain
 * @depth: how many there are, at most MEMPROF_MAX_DEPTH
 * @sample: the rest of it
 */
void sink_sample(struct sink *s, uint32_t cpu, uint64_t time, uint32_t pid, uint32_t tid,
		 uint64_t cgroup, const uint64_t *frames, uint32_t depth, const struct sample_record *sample)
{
	struct task_record t = { .type = TASK_CGROUP, .pid = pid, .tid = tid };
	struct sink_cpu *c;
	struct sample_record *r;

	cpu = cpu < SINK_CPUS ? cpu : SINK_NO_CPU;
	if (!s->cpus[cpu])
		s->cpus[cpu] = calloc(1, sizeof(*s->cpus[cpu]));
	c = s->cpus[cpu];
	if (!c) {
		s->writer.error = ENOMEM;
		return;
	}
	if (time < s->start)
		time = s->start;
	if (time < c->last)
		time = c->last;
	if (numbers_moved(&s->numbers, pid, tid, cgroup, time))
		sink_task(s, time, &t, numbers_cgroup(&s->numbers, cgroup));
	if (c->nr == BATCH || (c->nr && time - c->base > MEMPROF_MAX_DELTA))
		flush_samples(s, cpu);
	if (!c->nr)
		c->base = time;
	c->last = time;
	r = &c->batch[c->nr++];
	*r = *sample;
	r->delta = time - c->base;
	r->cpu = cpu;
	r->thread = numbers_thread(&s->numbers, pid, tid);
	r->chain = depth ? numbers_chain(&s->numbers, frames, depth) : 0;
	if (r->thread == THREAD_NONE || (depth && !r->chain))
		s->writer.error = ENOMEM;
	numbers_flush_many(&s->numbers, &s->writer, time);
	s->samples++;
}

/** sink_cgroup() - the path of a control group */
void sink_cgroup(struct sink *s, uint64_t id, const char *path)
{
	if (!numbers_name_cgroup(&s->numbers, id, path))
		s->writer.error = ENOMEM;
}

/** sink_lost() - so many records are missing */
void sink_lost(struct sink *s, int kind, uint64_t time, uint64_t count)
{
	const struct lost_record r = { .time_ns = time, .count = count, .kind = kind };

	s->lost[kind] += count;
	writer_chunk(&s->writer, CHUNK_LOST, 0, time, time, 1, &(struct iovec){ (void *)&r, sizeof(r) }, 1);
}

static void put_json(struct sink *s, enum chunk_type type, json_t *json)
{
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	if (text)
		writer_chunk(&s->writer, type, 0, s->start, s->start, 1, &(struct iovec){ text, strlen(text) }, 1);
	else
		s->writer.error = ENOMEM;
	free(text);
	json_decref(json);
}

/**
 * sink_cpu_nodes() - the nodes of CPUs, for a recording's description
 * @s: the recording; of CPUs that have samples, it is said if their nodes are not known
 * @path: the file they are from
 * @node: of each CPU, -1: not known
 * @nr: of @node; 0: no node is known, which the caller has said
 */
json_t *sink_cpu_nodes(const struct sink *s, const char *path, const int16_t *node, int nr)
{
	json_t *nodes = json_array();
	int cpu, unknown = 0, first = 0;

	for (cpu = 0; cpu < nr; cpu++)
		json_array_append_new(nodes, json_integer(node[cpu]));
	for (cpu = SINK_NO_CPU; nr && cpu--; )
		if (s->cpus[cpu] && (cpu >= nr || node[cpu] < 0)) {
			unknown++;
			first = cpu;
		}
	if (unknown)
		complain(OK, "%s: the node is not known of %d of the CPUs, the first of which is %d", path, unknown,
			 first);
	return nodes;
}

/**
 * sink_close() - end a recording
 * @s: the recording
 * @meta: what it is of, to be freed; NULL: it failed, and no file is made
 *
 * Return: OK, or FAILED after saying why; FAILED without @meta, of which the caller has said why.
 */
int sink_close(struct sink *s, json_t *meta)
{
	const bool failed = !meta;
	uint32_t i;

	flush_tasks(s);
	for (i = 0; i < SINK_CPUS; i++)
		if (s->cpus[i])
			flush_samples(s, i);
	if (meta)
		put_json(s, CHUNK_META, meta);
	put_json(s, CHUNK_END, json_pack("{s:I,s:I,s:I,s:I}", "samples", (json_int_t)s->samples,
					 "discarded", (json_int_t)s->discarded,
					 "lost_samples", (json_int_t)s->lost[LOST_SAMPLES],
					 "throttled", (json_int_t)s->lost[LOST_THROTTLED]));
	for (i = 0; i < SINK_CPUS; i++)
		free(s->cpus[i]);
	numbers_free(&s->numbers);
	free(s->tasks.data);
	if (!failed)
		return writer_close(&s->writer);
	writer_drop(&s->writer);
	return FAILED;
}
