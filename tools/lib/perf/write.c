// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* A perf.data file with samples of memory accesses. */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cells/utf8.h"
#include "write.h"

/* What perf itself puts into its files: tools/perf/util/{event,header}.h. */
enum { RECORD_FINISHED_ROUND = 68, RECORD_KSYMBOL = 17, KSYMBOL_GONE = 1 };
enum { FEATURE_HOSTNAME = 3, FEATURE_OSRELEASE, FEATURE_VERSION, FEATURE_ARCH, FEATURE_NRCPUS,
       FEATURE_CMDLINE = 11, FEATURE_EVENT_DESC, FEATURE_NUMA_TOPOLOGY = 14, FEATURES };

/* perf report keeps and sorts what is between two rounds; these are in order already. */
#define ROUND		10000
#define MAX_NAME	4000
#define NAME_ALIGN	64	/* perf's texts in features */

struct section {
	uint64_t offset, bytes;
};

struct file_header {
	char magic[8];
	uint64_t bytes, attr_bytes;
	struct section attrs, data, types;
	uint64_t features[4];
};

/* Behind each record that is no sample, since sample_id_all is set. */
struct sample_id {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
};

static void put(struct perf_writer *w, const void *p, size_t bytes)
{
	if (!w->failed && fwrite(p, 1, bytes, w->f) != bytes)
		w->failed = true;
	w->bytes += bytes;
}

static void put_u32(struct perf_writer *w, uint32_t n)
{
	put(w, &n, sizeof(n));
}

static void put_u64(struct perf_writer *w, uint64_t n)
{
	put(w, &n, sizeof(n));
}

static void make_attr(const struct perf_writer *w, struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC |
			       PERF_SAMPLE_PHYS_ADDR | (w->callchain ? PERF_SAMPLE_CALLCHAIN : 0),
		.comm = 1, .mmap = 1, .mmap2 = 1, .mmap_data = 1, .sample_id_all = 1,
	};
}

static void put_header(struct perf_writer *w, uint64_t data_bytes)
{
	struct {
		struct perf_event_attr attr;
		struct section ids;
	} a = { };
	struct file_header h = {
		.magic = "PERFILE2", .bytes = sizeof(h), .attr_bytes = sizeof(a),
		.attrs = { sizeof(h), sizeof(a) }, .data = { sizeof(h) + sizeof(a), data_bytes },
		.features = { 1 << FEATURE_ARCH | 1 << FEATURE_NRCPUS | 1 << FEATURE_EVENT_DESC |
			      1 << FEATURE_NUMA_TOPOLOGY },
	};

	h.features[0] |= (w->host ? 1 << FEATURE_HOSTNAME : 0) | (w->release ? 1 << FEATURE_OSRELEASE : 0) |
			 (w->command ? 1 << FEATURE_CMDLINE : 0);
	make_attr(w, &a.attr);
	put(w, &h, sizeof(h));
	put(w, &a, sizeof(a));
}

/**
 * perf_write_begin() - begin a file
 * @w: its first part is filled in, the rest is 0; until perf_write_end(), errors are kept in it
 */
void perf_write_begin(struct perf_writer *w)
{
	put_header(w, 0);
	w->bytes = 0;
}

/* A record with a text at its end, and what all but samples have behind it. */
static void put_record(struct perf_writer *w, uint32_t type, uint16_t misc, const void *p, size_t bytes,
		       const char *text, const struct sample_id *id)
{
	static const char zeros[8];
	size_t length = strnlen(text, MAX_NAME), padding = 8 - length % 8;
	struct perf_event_header h = {
		type, misc, sizeof(h) + bytes + length + padding + sizeof(*id),
	};

	put(w, &h, sizeof(h));
	put(w, p, bytes);
	put(w, text, length);
	put(w, zeros, padding);
	put(w, id, sizeof(*id));
}

/** perf_write_comm() - the name of a thread from now on, any bytes; written as valid UTF-8 */
void perf_write_comm(struct perf_writer *w, uint64_t time, uint32_t pid, uint32_t tid, const char *name)
{
	const struct sample_id id = { pid, tid, time, 0, 0 };
	char text[16];

	utf8_copy(text, sizeof(text), name);
	put_record(w, PERF_RECORD_COMM, 0, &id, 2 * sizeof(uint32_t), text, &id);
}

/** perf_write_map() - what a process has at an address from now on */
void perf_write_map(struct perf_writer *w, uint64_t time, const struct perf_write_map *m)
{
	const struct {
		uint32_t pid, tid;
		uint64_t start, length, offset;
		uint32_t major, minor;
		uint64_t inode, generation;
		uint32_t protection, flags;
	} r = { m->pid, m->pid, m->start, m->length, m->offset, 0, 0, 0, 0, m->code ? 5 : 3, 2 };
	const struct sample_id id = { m->pid, m->pid, time, 0, 0 };

	put_record(w, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | (m->code ? 0 : PERF_RECORD_MISC_MMAP_DATA),
		   &r, sizeof(r), m->path, &id);
}

/**
 * perf_write_symbol() - a symbol of the kernel from now on
 * @gone: it is there no more
 *
 * perf makes a map and a symbol of it.  No two may overlap.  @name, any bytes, is written as valid UTF-8.
 */
void perf_write_symbol(struct perf_writer *w, uint64_t time, uint64_t start, uint32_t length,
		       const char *name, bool gone)
{
	const struct {
		uint64_t start;
		uint32_t length;
		uint16_t type, flags;
	} r = { start, length, 0, gone ? KSYMBOL_GONE : 0 };
	const struct sample_id id = { 0, 0, time, 0, 0 };
	char text[256];

	utf8_copy(text, sizeof(text), name);
	put_record(w, RECORD_KSYMBOL, PERF_RECORD_MISC_KERNEL, &r, sizeof(r), text, &id);
}

/* Marks in front of what is the kernel's and what the program's. */
static unsigned int make_chain(const struct perf_write_sample *s, uint64_t *chain)
{
	unsigned int n = 0, i;
	int mode = -1;

	for (i = 0; i < s->depth && i < PERF_WRITE_MAX_DEPTH; i++) {
		int kernel = s->frames[i] >> 63;

		if (kernel != mode)
			chain[n++] = kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER;
		mode = kernel;
		chain[n++] = s->frames[i];
	}
	return n;
}

/** perf_write_sample() - a sample of a memory access */
void perf_write_sample(struct perf_writer *w, const struct perf_write_sample *s)
{
	const struct perf_event_header round = { RECORD_FINISHED_ROUND, 0, sizeof(round) };
	uint64_t chain[2 * PERF_WRITE_MAX_DEPTH];
	const unsigned int n = w->callchain ? make_chain(s, chain) : 0;
	const struct {
		uint64_t ip;
		uint32_t pid, tid;
		uint64_t time, addr;
		uint32_t cpu, reserved;
	} begin = { s->ip, s->pid, s->tid, s->time, s->addr, s->cpu, 0 };
	const uint64_t end[] = { s->weight, s->data_src, s->phys };
	const struct perf_event_header h = {
		PERF_RECORD_SAMPLE, s->kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
		sizeof(h) + sizeof(begin) + sizeof(end) + (w->callchain ? 8 * (n + 1) : 0),
	};

	put(w, &h, sizeof(h));
	put(w, &begin, sizeof(begin));
	if (w->callchain) {
		put_u64(w, n);
		put(w, chain, 8 * n);
	}
	put(w, end, sizeof(end));
	if (++w->samples % ROUND == 0)
		put(w, &round, sizeof(round));
}

static void put_text(struct perf_writer *w, const char *text)
{
	static const char zeros[NAME_ALIGN];
	char clean[MAX_NAME];
	const size_t length = utf8_copy(clean, sizeof(clean), text), padding = NAME_ALIGN - length % NAME_ALIGN;

	put_u32(w, length + padding);
	put(w, clean, length);
	put(w, zeros, padding);
}

static void put_event(struct perf_writer *w)
{
	struct perf_event_attr attr;

	make_attr(w, &attr);
	put_u32(w, 1);
	put_u32(w, sizeof(attr));
	put(w, &attr, sizeof(attr));
	put_u32(w, 0);
	put_text(w, w->event);
}

/* perf c2c report does without nodes of no file. */
static void put_nodes(struct perf_writer *w)
{
	const unsigned int cpus = w->cpus ? w->cpus : 1;
	unsigned int nodes = 1, node, i;
	char text[MAX_NAME + 16];
	size_t n;

	for (i = 0; w->cpu_node && i < cpus; i++)
		if (w->cpu_node[i] >= nodes && w->cpu_node[i] != PERF_WRITE_NO_NODE)
			nodes = w->cpu_node[i] + 1;
	put_u32(w, nodes);
	for (node = 0; node < nodes; node++) {
		*text = '\0';
		for (i = 0, n = 0; i < cpus && n < MAX_NAME; i++)
			if ((w->cpu_node ? w->cpu_node[i] : 0) == node)
				n += snprintf(text + n, sizeof(text) - n, "%s%u", n ? "," : "", i);
		put_u32(w, node);
		put_u64(w, 0);
		put_u64(w, 0);
		put_text(w, text);
	}
}

static void put_feature(struct perf_writer *w, int feature)
{
	switch (feature) {
	case FEATURE_HOSTNAME:
		put_text(w, w->host);
		break;
	case FEATURE_OSRELEASE:
		put_text(w, w->release);
		break;
	case FEATURE_ARCH:
		put_text(w, "x86_64");
		break;
	case FEATURE_NRCPUS:
		put_u32(w, w->cpus ? w->cpus : 1);
		put_u32(w, w->cpus ? w->cpus : 1);
		break;
	case FEATURE_CMDLINE:
		put_u32(w, 1);
		put_text(w, w->command);
		break;
	case FEATURE_EVENT_DESC:
		put_event(w);
		break;
	case FEATURE_NUMA_TOPOLOGY:
		put_nodes(w);
		break;
	}
}

static bool has_feature(const struct perf_writer *w, int feature)
{
	switch (feature) {
	case FEATURE_HOSTNAME: return w->host;
	case FEATURE_OSRELEASE: return w->release;
	case FEATURE_CMDLINE: return w->command;
	case FEATURE_ARCH: case FEATURE_NRCPUS: case FEATURE_EVENT_DESC: case FEATURE_NUMA_TOPOLOGY: return true;
	default: return false;
	}
}

/**
 * perf_write_end() - write what follows the records, and the header
 *
 * Return: 0, or -1 if anything could not be written.
 */
int perf_write_end(struct perf_writer *w)
{
	const uint64_t data = w->bytes;
	struct section at[FEATURES] = { };
	unsigned int nr = 0, i;
	long table;

	for (i = 0; i < FEATURES; i++)
		nr += has_feature(w, i);
	table = ftell(w->f);
	w->failed |= table < 0;
	put(w, at, nr * sizeof(*at));
	for (i = 0, nr = 0; i < FEATURES; i++) {
		if (!has_feature(w, i))
			continue;
		at[nr].offset = table + (w->bytes - data);
		put_feature(w, i);
		at[nr].bytes = table + (w->bytes - data) - at[nr].offset;
		nr++;
	}
	if (w->failed || fseek(w->f, table, SEEK_SET))
		return -1;
	put(w, at, nr * sizeof(*at));
	if (fseek(w->f, 0, SEEK_SET))
		return -1;
	put_header(w, data);
	return w->failed || fflush(w->f) ? -1 : 0;
}
