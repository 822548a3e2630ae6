// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* perf.data files, made up: see perf_file.h.  Without memory, the program ends. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zstd.h>

#include "perf_file.h"

#define EVENTS		8
#define FEATURES	8
#define IDS		16
/* Of decompressed bytes in a record, no multiple of any record's size. */
#define PIECE		1001

struct made_perf {
	struct perf_event_attr attr[EVENTS];
	uint64_t ids[EVENTS][IDS];
	size_t nr_ids[EVENTS], nr_events;
	struct { unsigned int number; void *data; size_t size; } feature[FEATURES];
	size_t nr_features;
	bool cgroups;
	FILE *f;
	char *records;
	size_t size;
};

static void check(const void *p)
{
	if (!p)
		abort();
}

struct made_perf *made_perf_new(void)
{
	struct made_perf *f = calloc(1, sizeof(*f));

	check(f);
	f->f = open_memstream(&f->records, &f->size);
	check(f->f);
	return f;
}

/** made_perf_event() - an event; its size is set */
void made_perf_event(struct made_perf *f, const struct perf_event_attr *attr, const uint64_t *ids, size_t nr)
{
	const size_t i = f->nr_events++;

	check(i < EVENTS && nr <= IDS ? f : NULL);
	f->attr[i] = *attr;
	f->attr[i].size = sizeof(*attr);
	if (nr)
		memcpy(f->ids[i], ids, nr * sizeof(*ids));
	f->nr_ids[i] = nr;
}

/** made_perf_memory() - the event of made_perf_sample() */
void made_perf_memory(struct made_perf *f)
{
	const struct perf_event_attr attr = {
		.type = 12, .sample_type = PERF_MADE_TYPE, .sample_id_all = 1, .sample_period = 100, .mmap = 1, .mmap_data = 1, .mmap2 = 1,
	};
	const uint64_t id = PERF_MADE_ID;

	made_perf_event(f, &attr, &id, 1);
}

/** made_perf_put() - a record; its size is a multiple of 8 */
void made_perf_put(struct made_perf *f, uint32_t type, uint16_t misc, const void *data, size_t size)
{
	const size_t padding = -size & 7;
	const struct perf_event_header h = { .type = type, .misc = misc, .size = sizeof(h) + size + padding };

	fwrite(&h, sizeof(h), 1, f->f);
	if (size)
		fwrite(data, 1, size, f->f);
	fwrite("\0\0\0\0\0\0\0", 1, padding, f->f);
}

/** made_perf_sample() - a sample of a memory access */
void made_perf_sample(struct made_perf *f, const struct perf_made *s)
{
	const uint64_t words[] = {
		s->id ? s->id : PERF_MADE_ID, s->ip, s->pid | (uint64_t)s->tid << 32, s->time, s->addr, s->cpu, 100,
		s->weight, s->data_src, s->phys_addr, s->cgroup,
	};

	made_perf_put(f, PERF_RECORD_SAMPLE, s->misc ? s->misc : PERF_RECORD_MISC_USER, words,
		      sizeof(words) - (f->cgroups ? 0 : sizeof(*words)));
}

/* Behind other records: tid, time, cpu, id. */
static void put_other(struct made_perf *f, uint32_t type, uint16_t misc, const void *fixed, size_t size,
		      const char *name, uint64_t time, uint32_t pid, uint32_t tid)
{
	const uint64_t id[] = { pid | (uint64_t)tid << 32, time, 0, PERF_MADE_ID };
	char bytes[512] = { 0 };
	size_t n = size;

	memcpy(bytes, fixed, size);
	if (name) {
		check(size + strlen(name) + 8 + sizeof(id) <= sizeof(bytes) ? f : NULL);
		strcpy(bytes + size, name);
		n = (size + strlen(name) + 8) & ~7UL;
	}
	memcpy(bytes + n, id, sizeof(id));
	made_perf_put(f, type, misc, bytes, n + sizeof(id));
}

/**
 * made_perf_cgroup() - a control group, as perf record --all-cgroups writes it; after the event and
 * before its samples
 */
void made_perf_cgroup(struct made_perf *f, uint64_t id, const char *path)
{
	f->cgroups = true;
	f->attr[0].sample_type |= PERF_SAMPLE_CGROUP;
	put_other(f, PERF_RECORD_CGROUP, 0, &id, sizeof(id), path, 0, 0, 0);
}

/** made_perf_mapping() - PERF_RECORD_MMAP2 */
void made_perf_mapping(struct made_perf *f, uint64_t time, uint32_t pid, const struct perf_made_map *m)
{
	const struct {
		uint32_t pid, tid;
		uint64_t start, length, offset, device, inode, generation;
		uint32_t prot, flags;
	} map = { .pid = pid, .tid = pid, .start = m->start, .length = m->length, .offset = m->offset,
		  .prot = m->prot, .flags = m->flags };

	put_other(f, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, &map, sizeof(map), m->name, time, pid, pid);
}

/** made_perf_map() - one of a process' own, from the begin of a file */
void made_perf_map(struct made_perf *f, uint64_t time, uint32_t pid, uint64_t start, uint64_t length,
		   uint32_t prot, const char *name)
{
	made_perf_mapping(f, time, pid, &(struct perf_made_map){
		.start = start, .length = length, .prot = prot, .flags = MAP_PRIVATE, .name = name });
}

/** made_perf_comm() - PERF_RECORD_COMM */
void made_perf_comm(struct made_perf *f, uint64_t time, uint32_t pid, uint32_t tid, uint16_t misc,
		    const char *name)
{
	const uint32_t words[] = { pid, tid };

	put_other(f, PERF_RECORD_COMM, misc, words, sizeof(words), name, time, pid, tid);
}

/** made_perf_fork() - PERF_RECORD_FORK */
void made_perf_fork(struct made_perf *f, uint64_t time, uint32_t pid, uint32_t tid, uint32_t parent)
{
	const struct { uint32_t pid, ppid, tid, ptid; uint64_t time; } fork = { pid, parent, tid, parent, time };

	put_other(f, PERF_RECORD_FORK, 0, &fork, sizeof(fork), NULL, time, pid, tid);
}

/** made_perf_feature() - a feature of the header, in the order of their numbers */
void made_perf_feature(struct made_perf *f, unsigned int feature, const void *data, size_t size)
{
	const size_t i = f->nr_features++;

	check(i < FEATURES ? f : NULL);
	f->feature[i].number = feature;
	f->feature[i].size = size;
	f->feature[i].data = malloc(size + 1);
	check(f->feature[i].data);
	memcpy(f->feature[i].data, data, size);
}

/** made_perf_names() - the events' names, as HEADER_EVENT_DESC has them */
void made_perf_names(struct made_perf *f, const char * const *names)
{
	const uint32_t head[] = { f->nr_events, sizeof(f->attr[0]) };
	char *bytes;
	size_t size, i;
	FILE *m = open_memstream(&bytes, &size);

	check(m);
	fwrite(head, sizeof(head), 1, m);
	for (i = 0; i < f->nr_events; i++) {
		const uint32_t word[] = { f->nr_ids[i], strlen(names[i]) + 1 };

		fwrite(&f->attr[i], sizeof(f->attr[i]), 1, m);
		fwrite(word, sizeof(word), 1, m);
		fwrite(names[i], word[1], 1, m);
		fwrite(f->ids[i], 8, f->nr_ids[i], m);
	}
	fclose(m);
	made_perf_feature(f, 12, bytes, size);
	free(bytes);
}

/** made_perf_nodes() - NUMA topology of two nodes, with a GiB each in memory blocks of 128 MiB */
void made_perf_nodes(struct made_perf *f, const char *cpus_0, const char *cpus_1)
{
	const char *cpus[] = { cpus_0, cpus_1 };
	uint64_t memory[3 + 2 * 4] = { 1, 128 << 20, 2, 0, 16, 16, 0x00ff, 1, 16, 16, 0xff00 };
	char *bytes;
	size_t size;
	FILE *m = open_memstream(&bytes, &size);
	uint32_t word, i;

	check(m);
	word = 2;
	fwrite(&word, 4, 1, m);
	for (i = 0; i < 2; i++) {
		fwrite(&i, 4, 1, m);
		fwrite("1234567812345678", 16, 1, m);
		word = strlen(cpus[i]) + 1;
		fwrite(&word, 4, 1, m);
		fwrite(cpus[i], word, 1, m);
	}
	fclose(m);
	made_perf_feature(f, 14, bytes, size);
	free(bytes);
	made_perf_feature(f, 22, memory, sizeof(memory));
}

static void put_attrs(const struct made_perf *f, FILE *out)
{
	size_t i;

	for (i = 0; i < f->nr_events; i++) {
		const struct perf_event_header h = {
			.type = 64, .size = sizeof(h) + sizeof(f->attr[i]) + 8 * f->nr_ids[i] };

		fwrite(&h, sizeof(h), 1, out);
		fwrite(&f->attr[i], sizeof(f->attr[i]), 1, out);
		fwrite(f->ids[i], 8, f->nr_ids[i], out);
	}
	for (i = 0; i < f->nr_features; i++) {
		const struct perf_event_header h = { .type = 80, .size = sizeof(h) + 8 + f->feature[i].size };
		const uint64_t number = f->feature[i].number;

		fwrite(&h, sizeof(h), 1, out);
		fwrite(&number, 8, 1, out);
		fwrite(f->feature[i].data, 1, f->feature[i].size, out);
	}
}

/* Records in PERF_RECORD_COMPRESSED, or in PERF_RECORD_COMPRESSED2, which has a size and padding. */
static void put_packed(const struct made_perf *f, FILE *out, int two)
{
	ZSTD_CStream *z = ZSTD_createCStream();
	char packed[4 * PIECE];
	size_t at, bytes;

	check(z);
	for (at = 0; at < f->size; at += bytes) {
		ZSTD_inBuffer in = { f->records + at, bytes = f->size - at < PIECE ? f->size - at : PIECE, 0 };
		ZSTD_outBuffer o = { packed, sizeof(packed), 0 };
		struct perf_event_header h = { .type = two ? 83 : 81 };
		uint64_t size;

		if (ZSTD_compressStream2(z, &o, &in, ZSTD_e_flush))
			abort();
		size = o.pos;
		h.size = sizeof(h) + size + (two ? 8 + (-size & 7) : 0);
		fwrite(&h, sizeof(h), 1, out);
		if (two)
			fwrite(&size, 8, 1, out);
		fwrite(packed, 1, size, out);
		if (two)
			fwrite("\0\0\0\0\0\0\0", 1, -size & 7, out);
	}
	ZSTD_freeCStream(z);
}

struct native_header {
	char magic[8];
	uint64_t size, attr_size, attrs[2], data[2], types[2], features[4];
};

/* Return: what the header is to be. */
static struct native_header put_native(const struct made_perf *f, FILE *out, enum perf_kind kind)
{
	struct native_header h = { "PERFILE2", sizeof(h), sizeof(f->attr[0]) + 16 };
	uint64_t section[2] = { sizeof(h), 0 };
	size_t i;

	fwrite(&h, sizeof(h), 1, out);
	for (i = 0; i < f->nr_events; i++)
		fwrite(f->ids[i], 8, f->nr_ids[i], out);
	h.attrs[0] = ftell(out);
	h.attrs[1] = f->nr_events * h.attr_size;
	for (i = 0; i < f->nr_events; i++) {
		section[1] = 8 * f->nr_ids[i];
		fwrite(&f->attr[i], sizeof(f->attr[i]), 1, out);
		fwrite(section, sizeof(section), 1, out);
		section[0] += section[1];
	}
	h.data[0] = ftell(out);
	if (kind == PERF_NATIVE)
		fwrite(f->records, 1, f->size, out);
	else
		put_packed(f, out, kind == PERF_ZSTD2);
	h.data[1] = ftell(out) - h.data[0];
	section[0] = ftell(out) + 16 * f->nr_features;
	for (i = 0; i < f->nr_features; i++) {
		h.features[f->feature[i].number / 64] |= 1ULL << f->feature[i].number % 64;
		section[1] = f->feature[i].size;
		fwrite(section, sizeof(section), 1, out);
		section[0] += section[1];
	}
	for (i = 0; i < f->nr_features; i++)
		fwrite(f->feature[i].data, 1, f->feature[i].size, out);
	return h;
}

/** made_perf_bytes() - the file, as perf record writes it to @kind of output.  To be freed */
void *made_perf_bytes(const struct made_perf *f, enum perf_kind kind, size_t *size)
{
	const uint64_t header_size = 16;
	struct native_header h;
	char *bytes;
	FILE *out = open_memstream(&bytes, size);

	check(out);
	fflush(f->f);
	if (kind == PERF_PIPE) {
		fwrite("PERFILE2", 8, 1, out);
		fwrite(&header_size, 8, 1, out);
		put_attrs(f, out);
		fwrite(f->records, 1, f->size, out);
	} else {
		h = put_native(f, out, kind);
	}
	fclose(out);
	if (kind != PERF_PIPE)
		memcpy(bytes, &h, sizeof(h));
	return bytes;
}

void made_perf_free(struct made_perf *f)
{
	size_t i;

	for (i = 0; i < f->nr_features; i++)
		free(f->feature[i].data);
	fclose(f->f);
	free(f->records);
	free(f);
}
