/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * Reader of trace.dat files, versions 6 and 7 (trace-cmd.dat.v6(5),
 * trace-cmd.dat.v7(5)): returns events one by one, merged by time.  Reads truncated and
 * damaged files as far as possible.  Memory does not grow with the length of the file.
 */
#ifndef MEMSCOPE_TRACE_DAT_H
#define MEMSCOPE_TRACE_DAT_H

#include <event-parse.h>
#include <stddef.h>
#include <stdint.h>

struct stream;
struct tracecmd_compression;

/**
 * struct trace_dat - an open file
 * @tep: has parsed the event formats of the system that the file was opened for
 * @uname: uname of the recording machine; "" if the file lacks it
 * @lost_events: number of events that the ring buffer dropped (a lower bound)
 * @read: bytes of event data read so far
 * @bad_offset: offset of the first unreadable part; 0: none yet
 * @version: version of the file format, 6 or 7
 * @table: version 6: offset of the table of the CPUs' data
 * @cpus: version 6: number of CPUs in @table
 * @instances: version 6: the file has more tracing instances than the one that is read
 * @symbols: offset of the text of /proc/kallsyms; 0: none
 */
struct trace_dat {
	struct tep_handle *tep;
	char uname[256];
	uint64_t lost_events;
	uint64_t read, size;
	uint64_t bad_offset;
	int version;
	uint64_t table;
	uint32_t cpus;
	int instances;
	uint64_t symbols;

	/* Private to dat.c and index.c. */
	int fd, no_memory;
	uint32_t page_size;
	struct tracecmd_compression *compression;
	int compressed;				/* whether the event data are compressed */
	struct stream *streams, *current;	/* current: stream of the last event returned */
	int nr_streams, started;
	uint64_t claimed, buffered;		/* bytes of all streams, in the file and in memory */
};

/**
 * struct trace_event - an event, valid until the next one is read
 * @ts: time stamp, in the recording's clock
 * @offset: file offset of the ring buffer page or compressed chunk that holds the event
 * @data: the event, from its common fields on
 * @size: size of @data
 * @cpu: CPU whose buffer held the event; -1 if unknown
 */
struct trace_event {
	uint64_t ts, offset;
	const void *data;
	uint32_t size;
	int cpu;
};

int trace_dat_open(struct trace_dat *d, const char *path, const char *system,
		   char *error, size_t size);
int trace_dat_next(struct trace_dat *d, struct trace_event *event);
void trace_dat_rewind(struct trace_dat *d);
int trace_dat_cut(struct trace_dat *d, int fd, uint64_t after, uint64_t until,
		  char *error, size_t size);
char *trace_dat_symbols(struct trace_dat *d);
void trace_dat_close(struct trace_dat *d);

/* Internal interface of dat.c, index.c and cut.c. */
int trace_dat_index(struct trace_dat *d, const char *system, char *error, size_t size);
int trace_dat_add_stream(struct trace_dat *d, uint64_t offset, uint64_t size, int compressed,
			 int cpu);
void trace_dat_forget(struct trace_dat *d);
int trace_dat_recover(struct trace_dat *d, uint64_t offset, uint64_t end, int compressed);
int trace_dat_read(struct trace_dat *d, void *buf, size_t size, uint64_t offset);
void trace_dat_bad(struct trace_dat *d, uint64_t offset);
int trace_dat_uncompress(struct trace_dat *d, uint64_t offset, uint32_t *stored,
			 unsigned char **data, uint32_t *size, uint64_t max);
int trace_dat_cut_page(struct trace_dat *d, uint64_t offset, uint64_t after, uint64_t until,
		       unsigned char *page);

#endif
