// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Reads perf.data files: see perf_data.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf_parts.h"

/** perf_data_is() - whether a file begins as perf.data files do, of whichever byte order or version */
bool perf_data_is(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	char magic[8] = "";
	ssize_t n = fd < 0 ? -1 : read(fd, magic, sizeof(magic));

	if (fd >= 0)
		close(fd);
	return n == sizeof(magic) && (!memcmp(magic, "PERFILE2", 8) || !memcmp(magic, "2ELIFREP", 8) ||
				      !memcmp(magic, "PERFFILE", 8));
}

static int open_file(struct perf_data *d, const char *path)
{
	struct stat st;

	d->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (d->fd < 0 || fstat(d->fd, &st)) {
		snprintf(d->error, sizeof(d->error), "%s: %s", d->path, strerror(errno));
		return -1;
	}
	if (S_ISDIR(st.st_mode)) {
		snprintf(d->error, sizeof(d->error),
			 "%s: a folder (of perf record --threads), which is not read", d->path);
		return -1;
	}
	if (!S_ISREG(st.st_mode)) {
		snprintf(d->error, sizeof(d->error), "%s: no regular file: what perf writes into a pipe is "
			 "read from a file", d->path);
		return -1;
	}
	d->file_size = st.st_size;
	return 0;
}

/**
 * perf_data_open() - open a perf.data file
 * @d: filled in; to be closed with perf_data_close(), also after a failure
 * @path: the file
 * @error: says what is wrong
 * @size: of @error
 *
 * Return: 0, or -1 with @error set.
 */
int perf_data_open(struct perf_data *d, const char *path, char *error, size_t size)
{
	return perf_data_open_as(d, path, path, error, size);
}

/** perf_data_open_as() - as perf_data_open(), of a file that messages call @name */
int perf_data_open_as(struct perf_data *d, const char *path, const char *name, char *error, size_t size)
{
	size_t i;

	memset(d, 0, sizeof(*d));
	d->fd = d->clockid = -1;
	for (i = 0; i < PERF_MAX_CPUS; i++)
		d->machine.cpu_node[i] = PERF_NO_NODE;
	d->path = strdup(name);
	d->queue = perf_queue_new(PERF_QUEUE_BYTES);
	if (!d->path || !d->queue) {
		snprintf(error, size, "%s: no memory left", name);
		return -1;
	}
	if (open_file(d, path) || perf_header_read(d) || perf_stream_begin(d)) {
		snprintf(error, size, "%s", d->error);
		return -1;
	}
	return 0;
}

/* A record of perf itself.  Return: 0, or -1 with d->error set */
static int take_own(struct perf_data *d, const struct perf_raw *raw)
{
	switch (raw->h->type) {
	case PERF_HEADER_ATTR: return perf_header_attr(d, raw);
	case PERF_HEADER_FEATURE: return perf_header_feature(d, raw);
	case PERF_FINISHED_ROUND: perf_queue_round(d->queue); return 0;
	}
	return 0;
}

/* When a record is given its turn; 0: at once, as all are where some have no time. */
static int time_of(struct perf_data *d, const struct perf_raw *raw, uint64_t *time)
{
	struct perf_record r;
	const int ret = perf_parse(d, raw, &r);

	*time = d->sample_id_all ? r.time : 0;
	return ret;
}

/* One more record of the file: it is given now if it has no time.  Return: 1, 0, -1 */
static int read_one(struct perf_data *d, struct perf_record *r)
{
	struct perf_raw raw;
	uint64_t time;
	bool late;
	int ret;

	ret = perf_stream_next(d, &raw);
	if (ret < 0)
		return -1;
	if (!ret) {
		perf_queue_finish(d->queue);
		d->ended = true;
		return 0;
	}
	if (raw.h->type >= PERF_USER_TYPES)
		return take_own(d, &raw);
	if (!d->checked && perf_events_check(d, raw.at))
		return -1;
	ret = time_of(d, &raw, &time);
	if (ret <= 0)
		return ret;
	if (!time || time == UINT64_MAX)
		return perf_parse(d, &raw, r);
	if (perf_queue_add(d->queue, &raw, time, &late))
		return perf_fail(d, raw.at, "no memory left");
	d->late += late;
	return 0;
}

/**
 * perf_data_next() - the next record, in order of time
 * @d: the file
 * @r: filled in; what it points to stays until the next call
 *
 * Return: 1, 0 at the end, -1 with d->error set.
 */
int perf_data_next(struct perf_data *d, struct perf_record *r)
{
	struct perf_raw raw;
	int ret;

	free(d->given);
	d->given = NULL;
	for (;;) {
		d->given = perf_queue_next(d->queue, &raw);
		if (d->given)
			return perf_parse(d, &raw, r);
		if (*d->error)
			return -1;
		if (d->ended)
			return 0;
		ret = read_one(d, r);
		if (ret > 0)
			return ret;
		/* What was read before the damage is given first. */
		if (ret < 0)
			perf_queue_finish(d->queue);
	}
}

/** perf_data_node() - the node of a physical address, PERF_NO_NODE if the file does not say */
int perf_data_node(const struct perf_data *d, uint64_t phys_addr)
{
	const struct perf_machine *m = &d->machine;
	size_t low = 0, high = m->nr_memory, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (m->memory[mid].end <= phys_addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < m->nr_memory && m->memory[low].first <= phys_addr ? m->memory[low].node : PERF_NO_NODE;
}

/** perf_data_close() - forget all */
void perf_data_close(struct perf_data *d)
{
	free(d->given);
	perf_queue_free(d->queue);
	perf_events_free(d);
	perf_stream_end(d);
	free(d->machine.memory);
	free(d->path);
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}
