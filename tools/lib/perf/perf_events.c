// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * The events of a perf.data file, and which of them a record is of: by its id, which is
 * where all events have it, or of the only event.
 */
#include <stdlib.h>
#include <string.h>

#include "perf_parts.h"

/* As many as a CPU's events of all threads of a large system; more are damage. */
#define MAX_EVENTS	65536

struct perf_id {
	uint64_t id;
	uint32_t event;
};

static int by_id(const void *a, const void *b)
{
	const struct perf_id *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static void *grow(void *array, size_t *capacity, size_t need, size_t bytes)
{
	const size_t more = need > 2 * *capacity ? need : 2 * *capacity;
	void *p = need > *capacity ? realloc(array, more * bytes) : array;

	if (p && need > *capacity)
		*capacity = more;
	return p;
}

/**
 * perf_events_add() - an event
 * @d: the file
 * @attr: struct perf_event_attr, of another version perhaps
 * @size: of it
 * @ids: of the event, on each CPU or thread
 * @nr: how many
 * @at: where it is
 *
 * Return: 0, or -1 with d->error set.
 */
int perf_events_add(struct perf_data *d, const void *attr, size_t size, const uint64_t *ids, size_t nr,
		    uint64_t at)
{
	struct perf_event *events, *e;
	struct perf_id *all;
	size_t i;

	/* Hostile files give the same bytes as ids again and again. */
	if (d->nr_events == MAX_EVENTS || nr > d->file_size / sizeof(*ids) - d->nr_ids)
		return perf_fail(d, at, "damaged event (number %zu, with %zu ids)", d->nr_events, nr);
	events = grow(d->events, &d->events_capacity, d->nr_events + 1, sizeof(*events));
	if (events)
		d->events = events;
	all = grow(d->ids, &d->ids_capacity, d->nr_ids + nr + 1, sizeof(*all));
	if (all)
		d->ids = all;
	if (!events || !all)
		return perf_fail(d, at, "no memory left");
	e = &events[d->nr_events];
	memset(e, 0, sizeof(*e));
	memcpy(&e->attr, attr, size < sizeof(e->attr) ? size : sizeof(e->attr));
	for (i = 0; i < nr; i++)
		all[d->nr_ids++] = (struct perf_id){ ids[i], d->nr_events };
	d->ids_sorted = false;
	d->nr_events++;
	d->checked = false;
	return 0;
}

/* Where samples have their id: so many words from the first one on, -1: nowhere. */
static int id_of_sample(uint64_t type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	if (!(type & PERF_SAMPLE_ID))
		return -1;
	return __builtin_popcountll(type & (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR));
}

/* And other records: so many words before the end, 0: nowhere. */
static int id_of_other(uint64_t type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		return 1;
	if (!(type & PERF_SAMPLE_ID))
		return 0;
	return 1 + __builtin_popcountll(type & (PERF_SAMPLE_CPU | PERF_SAMPLE_STREAM_ID));
}

/*
 * The events that perf inject --itrace makes of Arm SPE (arm_spe_synth_events()), those that
 * have more of the loads and stores first; -1: another event.
 */
static int spe_rank(const struct perf_event *e)
{
	static const char * const names[] = {
		"memory", "l1d-access", "llc-access", "tlb-access", "l1d-miss", "llc-miss", "tlb-miss",
		"remote-access", "instructions",
	};
	const uint64_t fields = PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_ADDR;
	int i;

	if (e->attr.type != PERF_TYPE_HARDWARE || (e->attr.sample_type & fields) != fields)
		return -1;
	for (i = 0; i < (int)(sizeof(names) / sizeof(names[0])); i++)
		if (!strcmp(e->name, names[i]))
			return i;
	return -1;
}

static void find_repeats(struct perf_data *d)
{
	int first = -1, rank;
	size_t i;

	for (i = 0; i < d->nr_events; i++) {
		rank = spe_rank(&d->events[i]);
		if (rank >= 0 && (first < 0 || rank < first))
			first = rank;
	}
	for (i = 0; i < d->nr_events; i++)
		d->events[i].repeats = spe_rank(&d->events[i]) > first;
}

/**
 * perf_events_check() - whether each record can be assigned to its event
 * @d: the file
 * @at: where the first record is
 *
 * Return: 0, or -1 with d->error set.
 */
int perf_events_check(struct perf_data *d, uint64_t at)
{
	const struct perf_event_attr *first, *a;
	size_t i;

	if (!d->nr_events)
		return perf_fail(d, at, "no events are described before the first record");
	first = &d->events[0].attr;
	for (i = 1; i < d->nr_events; i++) {
		a = &d->events[i].attr;
		if (id_of_sample(first->sample_type) < 0 ||
		    id_of_sample(a->sample_type) != id_of_sample(first->sample_type) ||
		    a->sample_id_all != first->sample_id_all ||
		    (a->sample_id_all && id_of_other(a->sample_type) != id_of_other(first->sample_type)))
			return perf_fail(d, at, "its %zu events cannot be told apart: samples have no id",
					 d->nr_events);
	}
	d->sample_id_all = first->sample_id_all;
	d->clockid = first->use_clockid ? first->clockid : -1;
	find_repeats(d);
	d->checked = true;
	return 0;
}

/** perf_events_by_id() - the event of an id, or NULL; 0 is the first one's, as perf has it */
struct perf_event *perf_events_by_id(struct perf_data *d, uint64_t id)
{
	const struct perf_id key = { id, 0 }, *found;

	if (!id)
		return d->events;
	/* Not with each event: a hostile file has many. */
	if (!d->ids_sorted && d->nr_ids)
		qsort(d->ids, d->nr_ids, sizeof(*d->ids), by_id);
	d->ids_sorted = true;
	found = bsearch(&key, d->ids, d->nr_ids, sizeof(key), by_id);
	return found ? &d->events[found->event] : NULL;
}

/** perf_events_of() - the event of a record, or NULL.  The events were checked. */
struct perf_event *perf_events_of(struct perf_data *d, const struct perf_event_header *h)
{
	const uint64_t *words = (const uint64_t *)(h + 1);
	const size_t nr = (h->size - sizeof(*h)) / sizeof(*words);
	const uint64_t type = d->events[0].attr.sample_type;
	size_t at;

	if (d->nr_events == 1)
		return d->events;
	if (h->type == PERF_RECORD_SAMPLE) {
		at = id_of_sample(type);
	} else {
		if (!d->sample_id_all)
			return d->events;
		at = nr - id_of_other(type);
	}
	return at < nr ? perf_events_by_id(d, words[at]) : NULL;
}

/** perf_events_free() - forget all */
void perf_events_free(struct perf_data *d)
{
	free(d->events);
	free(d->ids);
}
