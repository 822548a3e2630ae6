// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Recordings of perf record, perf mem and perf c2c: samples that have an address become
 * accesses, mappings the objects, since there are no events of allocations.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/complain.h"
#include "lib/perf/perf_data.h"
#include "lib/cells/utf8.h"
#include "sink.h"

#define PAGE		4096
/* Of FORK: perf made it up, for a task that was there before. */
#define MISC_FORK_EXEC	PERF_RECORD_MISC_COMM_EXEC

/* What samples have. */
struct seen {
	uint64_t samples, data_src, latency, physical, nodes, repeated;
	bool data_maps;
};

static bool has(const struct perf_event *e, uint64_t field)
{
	return e->attr.sample_type & field;
}

/* The time of the first record that has one; 0: none. */
static int first_time(const char *path, const char *name, uint64_t *time)
{
	struct perf_data d;
	struct perf_record r;
	char error[512];

	*time = 0;
	if (perf_data_open_as(&d, path, name, error, sizeof(error))) {
		perf_data_close(&d);
		return complain(FAILED, "%s", error);
	}
	while (!*time && perf_data_next(&d, &r) > 0)
		*time = r.time;
	perf_data_close(&d);
	return OK;
}

/*
 * The node of the memory: by its physical address, or by what the source says of local
 * and remote memory where that leaves one node.
 */
static int node_of(const struct perf_data *d, const struct perf_record *r, unsigned int level)
{
	const struct perf_machine *m = &d->machine;
	int node = r->sample.phys_addr ? perf_data_node(d, r->sample.phys_addr) : PERF_NO_NODE;
	int own = r->cpu >= 0 && r->cpu < PERF_MAX_CPUS ? m->cpu_node[r->cpu] : PERF_NO_NODE;

	if (node != PERF_NO_NODE || own == PERF_NO_NODE)
		return node;
	if (level == LEVEL_RAM)
		return own;
	return level == LEVEL_REMOTE_RAM && m->nr_nodes == 2 ? !own : PERF_NO_NODE;
}

static void take_sample(struct sink *s, const struct perf_data *d, const struct perf_record *r,
			uint64_t time, struct seen *seen)
{
	const struct perf_sample *p = &r->sample;
	uint64_t frames[MEMPROF_MAX_DEPTH] = { p->ip }, i;
	struct sample_record sample = { 0 };
	uint32_t depth = 1;
	bool user = false;
	int node;

	if (r->event->repeats) {
		seen->repeated++;
		return;
	}
	if (has(r->event, PERF_SAMPLE_DATA_SRC))
		chunk_data_src(&sample, p->data_src);
	sample.kernel = (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER;
	/* Instructions without an access have no address. */
	if (!has(r->event, PERF_SAMPLE_ADDR) || !p->addr ||
	    (!sample.kernel && p->addr >= KERNEL_MEMORY) ||
	    (has(r->event, PERF_SAMPLE_DATA_SRC) && !sample.op)) {
		s->discarded++;
		return;
	}
	for (i = 0; i < p->nr_chain; i++) {
		if (p->chain[i] >= (uint64_t)PERF_CONTEXT_MAX)
			user = p->chain[i] == (uint64_t)PERF_CONTEXT_USER;
		else if (user && p->chain[i] != p->ip && depth < MEMPROF_MAX_DEPTH)
			frames[depth++] = p->chain[i];
	}
	node = node_of(d, r, sample.level);
	sample.addr = p->addr;
	sample.latency = p->weight > UINT16_MAX ? UINT16_MAX : p->weight;
	sample.node = node == PERF_NO_NODE ? NODE_UNKNOWN : node;
	sample.pfn = p->phys_addr / PAGE;
	sink_sample(s, r->cpu < 0 ? SINK_NO_CPU : (uint32_t)r->cpu, time, r->pid, r->tid, p->cgroup, frames,
		    has(r->event, PERF_SAMPLE_IP) ? depth : 0, &sample);
	seen->samples++;
	seen->data_src += !!sample.op;
	seen->latency += !!p->weight;
	seen->physical += !!p->phys_addr;
	seen->nodes += node != PERF_NO_NODE;
}

static void take_map(struct sink *s, const struct perf_record *r, uint64_t time)
{
	struct task_record t = {
		.type = TASK_MMAP, .pid = r->pid, .tid = r->tid, .start = r->map.start,
		.length = r->map.length, .offset = r->map.offset,
		.flags = (r->map.prot & PROT_EXEC ? TASK_EXECUTABLE : 0) |
			 (r->map.prot & PROT_WRITE ? TASK_WRITABLE : 0) |
			 (r->map.flags & MAP_SHARED ? TASK_SHARED : 0),
	};

	/* Those of the kernel are no process'. */
	if (r->pid != UINT32_MAX)
		sink_task(s, time, &t, r->map.name);
}

static void take(struct sink *s, const struct perf_data *d, const struct perf_record *r, uint64_t time,
		 struct seen *seen)
{
	struct task_record t = { .pid = r->pid, .tid = r->tid };

	switch (r->type) {
	case PERF_RECORD_SAMPLE:
		take_sample(s, d, r, time, seen);
		break;
	case PERF_RECORD_MMAP2:
		take_map(s, r, time);
		break;
	case PERF_RECORD_COMM:
		t.type = r->misc & PERF_RECORD_MISC_COMM_EXEC ? TASK_EXEC : TASK_COMM;
		sink_task(s, time, &t, r->comm);
		break;
	case PERF_RECORD_FORK:
		t.type = TASK_FORK;
		t.other = r->parent;
		if (!(r->misc & MISC_FORK_EXEC))
			sink_task(s, time, &t, NULL);
		break;
	case PERF_RECORD_EXIT:
		t.type = TASK_EXIT;
		numbers_ended(&s->numbers, r->pid, r->tid);
		sink_task(s, time, &t, NULL);
		break;
	case PERF_RECORD_CGROUP:
		sink_cgroup(s, r->cgroup.id, r->cgroup.path);
		break;
	case PERF_RECORD_LOST:
		sink_lost(s, LOST_SAMPLES, time, r->lost);
		break;
	case PERF_RECORD_THROTTLE:
		sink_lost(s, LOST_THROTTLED, time, 1);
		break;
	}
}

static json_t *text(const char *from)
{
	char *clean = utf8_clean(from);
	json_t *j = clean ? json_string(clean) : NULL;

	free(clean);
	return j;
}

static json_t *make_meta(const struct perf_data *d, const struct sink *s)
{
	const struct perf_machine *m = &d->machine;
	json_t *events = json_array();
	size_t i;

	for (i = 0; i < d->nr_events; i++)
		if (has(&d->events[i], PERF_SAMPLE_ADDR))
			json_array_append_new(events, text(d->events[i].name));
	return json_pack("{s:s,s:o,s:o,s:o,s:b,s:b,s:s,s:o,s:{s:o,s:i}}", "version", MEMSCOPE_VERSION,
			 "host", text(m->host), "kernel", text(m->release), "cpu", text(m->cpu),
			 "objects", 0, "mappings_are_objects", 1, "source", "perf.data",
			 "events", events, "machine", "cpu_node",
			 sink_cpu_nodes(s, d->path, m->cpu_node, m->nr_cpus), "nodes",
			 m->nr_nodes ? (int)m->nr_nodes : 1);
}

/* The event of operations of Arm SPE that are counted once. */
static const char *taken_event(const struct perf_data *d)
{
	size_t i;

	for (i = 0; i < d->nr_events; i++)
		if (!d->events[i].repeats && has(&d->events[i], PERF_SAMPLE_DATA_SRC))
			return d->events[i].name;
	return "";
}

/* What a user would look for in vain, and how to get it. */
static void name_missing(const char *path, const struct perf_data *d, const struct seen *seen)
{
	complain(OK, "%s: no events of allocations: objects are variables, files and mappings", path);
	if (!seen->data_maps)
		complain(OK, "%s: no mappings of data (perf record -d records them): most accesses are "
			 "of nothing that is known", path);
	if (!seen->data_src)
		complain(OK, "%s: no data sources: levels, loads and stores are not known (perf mem record)", path);
	if (!seen->latency)
		complain(OK, "%s: no latencies (perf record --weight)", path);
	if (!d->machine.nr_nodes)
		complain(OK, "%s: no NUMA topology in its header: nodes are not known", path);
	else if (!seen->nodes)
		complain(OK, "%s: no %s: the node of the memory is not known", path,
			 seen->physical ? "memory topology in its header (perf mem record writes it)" :
			 "physical addresses (perf record --phys-data)");
}

/* Records into a recording.  Return: OK, or FAILED after saying why */
static int convert(struct perf_data *d, struct sink *s, struct seen *seen)
{
	uint64_t time = s->start;
	struct perf_record r;
	size_t i;
	int ret;

	while ((ret = perf_data_next(d, &r)) > 0 && !s->writer.error) {
		/* Records of which the time is not known are of that of the one before. */
		time = r.time ? r.time : time + (r.type == PERF_RECORD_SAMPLE);
		take(s, d, &r, time, seen);
	}
	if (ret < 0 && !seen->samples)
		return complain(FAILED, "%s", d->error);
	for (i = 0; i < d->nr_events; i++)
		if (has(&d->events[i], PERF_SAMPLE_ADDR))
			break;
	if (i == d->nr_events)
		return complain(FAILED, "%s: its samples have no addresses of data (perf mem record and "
				"perf record -d record them)", d->path);
	if (!s->writer.error && !seen->samples)
		return complain(FAILED, "%s: no samples of memory accesses (%lu of others)", d->path,
				(unsigned long)s->discarded);
	for (i = 0; i < d->nr_events; i++)
		seen->data_maps |= d->events[i].attr.mmap_data;
	name_missing(d->path, d, seen);
	if (seen->repeated)
		complain(OK, "%s: %lu samples left out: their operations have samples of event %s, too "
			 "(perf inject --itrace=M)", d->path, (unsigned long)seen->repeated, taken_event(d));
	if (d->late)
		complain(OK, "%s: %lu records are not in order of time", d->path, (unsigned long)d->late);
	if (ret < 0)
		return complain(FAILED, "%s; %lu samples read", d->error, (unsigned long)seen->samples);
	if (d->unended)
		return complain(FAILED, "%s: perf record did not end it; %lu samples read", d->path,
				(unsigned long)seen->samples);
	return OK;
}

/**
 * import_perf() - make a recording of a perf.data file
 * @path: the file
 * @name: that messages call it
 * @output: the recording
 *
 * Return: OK; FAILED after saying why, with a recording of what could be read, or with none.
 */
int import_perf(const char *path, const char *name, const char *output)
{
	struct sink *s = malloc(sizeof(*s));
	struct seen seen = { 0 };
	struct perf_data d;
	char error[512];
	uint64_t start;
	int ret = FAILED;

	if (!s)
		return complain(FAILED, "%s: no memory left", name);
	if (first_time(path, name, &start)) {
		free(s);
		return FAILED;
	}
	if (perf_data_open_as(&d, path, name, error, sizeof(error))) {
		complain(FAILED, "%s", error);
	} else if (!sink_open(s, output, start ? start - 1 : 1)) {
		ret = convert(&d, s, &seen);
		if (sink_close(s, seen.samples ? make_meta(&d, s) : NULL))
			ret = FAILED;
	}
	perf_data_close(&d);
	free(s);
	return ret;
}
