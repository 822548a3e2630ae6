/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * trace.dat files, versions 6 and 7 (trace-cmd.dat.v6(5), trace-cmd.dat.v7(5)):
 * the events in them, one at a time and merged by time.  Whole, cut off or
 * damaged; memory does not grow with the length of the file.
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
 * @tep: knows the events of the system it was opened for
 * @uname: of the machine that recorded; "" if the file does not say
 * @lost_events: that the ring buffer had no room for, as far as it counted
 * @read: bytes of event data read so far
 * @bad_offset: where the first part that could not be read begins; 0: none yet
 * @version: of the format of the file, 6 or 7
 * @table: where version 6 has the list of the CPUs' data
 * @cpus: in that list
 * @instances: version 6 has more tracing instances than the one that is read
 * @symbols: where the file has the text of /proc/kallsyms; 0: nowhere
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

	/* Private to trace_dat.c and trace_dat_index.c. */
	int fd;
	uint32_t page_size;
	struct tracecmd_compression *compression;
	int compressed;				/* the events' data are */
	struct stream *streams, *current;	/* current: whose event was given */
	int nr_streams, started;
	uint64_t claimed, buffered;		/* bytes of all streams: in the file, in memory */
};

/**
 * struct trace_event - an event, valid until the next is read
 * @ts: time, in the recording's clock
 * @offset: in the file, of the ring buffer's page or compressed chunk it is in
 * @data: the event, from its common fields on
 * @size: of @data
 * @cpu: whose buffer it was in; -1 if the file does not say
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
int trace_dat_cut(struct trace_dat *d, int fd, uint64_t after, uint64_t until,
		  char *error, size_t size);
char *trace_dat_symbols(struct trace_dat *d);
void trace_dat_close(struct trace_dat *d);

/* Between trace_dat_index.c, which finds the parts, trace_dat.c, and trace_dat_cut.c. */
int trace_dat_index(struct trace_dat *d, const char *system, char *error, size_t size);
int trace_dat_add_stream(struct trace_dat *d, uint64_t offset, uint64_t size, int compressed,
			 int cpu);
int trace_dat_recover(struct trace_dat *d, uint64_t offset, uint64_t end, int compressed);
int trace_dat_read(struct trace_dat *d, void *buf, size_t size, uint64_t offset);
void trace_dat_bad(struct trace_dat *d, uint64_t offset);
int trace_dat_uncompress(struct trace_dat *d, uint64_t offset, uint32_t *stored,
			 unsigned char **data, uint32_t *size, uint64_t max);
int trace_dat_cut_page(struct trace_dat *d, uint64_t offset, uint64_t after, uint64_t until,
		       unsigned char *page);

#endif
