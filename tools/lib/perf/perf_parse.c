// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The fields of records of perf.data: samples, and what else there is in order of time. */
#include <string.h>
#include <sys/mman.h>

#include "perf_parts.h"

/* Newer than the headers of Debian 12. */
#define FORMAT_LOST		(1U << 4)
#define BRANCH_COUNTERS		(1U << 19)
#define MISC_MMAP_BUILD_ID	(1U << 14)
/* Bits of sample_type that there were when this was written (Linux 6.12). */
#define KNOWN_SAMPLE_TYPE	((1ULL << 25) - 1)

/* What is left of a record. */
struct cursor {
	const uint64_t *at, *end;
};

static bool get(struct cursor *c, uint64_t *value)
{
	if (c->at == c->end)
		return false;
	*value = *c->at++;
	return true;
}

static bool skip(struct cursor *c, uint64_t words)
{
	if (words > (uint64_t)(c->end - c->at))
		return false;
	c->at += words;
	return true;
}

static struct cursor cursor_of(const struct perf_event_header *h)
{
	const uint64_t *first = (const uint64_t *)(h + 1);

	return (struct cursor){ first, first + (h->size - sizeof(*h)) / sizeof(*first) };
}

static void set_tid(struct perf_record *r, uint64_t word)
{
	r->pid = word;
	r->tid = word >> 32;
}

/*
 * When, where and of whom a record is that is no sample, as far as its event says.
 * Return: whether it is as long as that is.
 */
static bool parse_id(const struct perf_event *e, const struct perf_event_header *h, struct perf_record *r)
{
	const uint64_t type = e->attr.sample_type;
	struct cursor c = cursor_of(h);
	uint64_t value, words;

	if (!e->attr.sample_id_all)
		return true;
	words = __builtin_popcountll(type & (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
					     PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER));
	if ((uint64_t)(c.end - c.at) < words)
		return false;
	c.at = c.end - words;
	if (type & PERF_SAMPLE_TID && get(&c, &value))
		set_tid(r, value);
	if (type & PERF_SAMPLE_TIME)
		get(&c, &r->time);
	skip(&c, !!(type & PERF_SAMPLE_ID) + !!(type & PERF_SAMPLE_STREAM_ID));
	if (type & PERF_SAMPLE_CPU && get(&c, &value))
		r->cpu = (uint32_t)value;
	return true;
}

/* PERF_SAMPLE_READ: the counter, or those of its group. */
static bool skip_read(struct cursor *c, uint64_t format)
{
	const unsigned int times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
				   !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	const unsigned int each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & FORMAT_LOST);
	uint64_t nr = 1;

	if (format & PERF_FORMAT_GROUP && !get(c, &nr))
		return false;
	return nr <= PERF_MAX_RECORD && skip(c, times + nr * each);
}

static bool get_chain(struct cursor *c, struct perf_sample *s)
{
	if (!get(c, &s->nr_chain))
		return false;
	s->chain = c->at;
	return skip(c, s->nr_chain);
}

/* A size of 32 bits, and so many bytes; together to a multiple of 8. */
static bool get_raw(struct cursor *c, struct perf_sample *s)
{
	if (c->at == c->end)
		return false;
	memcpy(&s->raw_size, c->at, sizeof(s->raw_size));
	s->raw = (const char *)c->at + sizeof(s->raw_size);
	return skip(c, ((uint64_t)s->raw_size + sizeof(s->raw_size) + 7) / 8);
}

static bool skip_branches(struct cursor *c, uint64_t type)
{
	uint64_t nr;

	if (!get(c, &nr) || nr > PERF_MAX_RECORD)
		return false;
	return skip(c, !!(type & PERF_SAMPLE_BRANCH_HW_INDEX) + nr * (3 + !!(type & BRANCH_COUNTERS)));
}

static bool skip_registers(struct cursor *c, uint64_t mask)
{
	uint64_t abi;

	return get(c, &abi) && (!abi || skip(c, __builtin_popcountll(mask)));
}

/* A size, so many bytes, and of a stack, how many of them there were. */
static bool skip_bytes(struct cursor *c, bool stack)
{
	uint64_t bytes;

	return get(c, &bytes) && (!bytes || skip(c, bytes / 8 + !!(bytes % 8) + stack));
}

/* The first of what a sample may have, up to the latency. */
static bool parse_first(struct cursor *c, const struct perf_event_attr *a, struct perf_record *r)
{
	const uint64_t type = a->sample_type;
	struct perf_sample *s = &r->sample;
	uint64_t value = 0;
	bool good = true;

	if (type & PERF_SAMPLE_IDENTIFIER)
		good &= get(c, &s->id);
	if (type & PERF_SAMPLE_IP)
		good &= get(c, &s->ip);
	if (type & PERF_SAMPLE_TID) {
		good &= get(c, &value);
		set_tid(r, value);
	}
	if (type & PERF_SAMPLE_TIME)
		good &= get(c, &r->time);
	if (type & PERF_SAMPLE_ADDR)
		good &= get(c, &s->addr);
	if (type & PERF_SAMPLE_ID)
		good &= get(c, &s->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		good &= get(c, &s->stream_id);
	if (type & PERF_SAMPLE_CPU) {
		good &= get(c, &value);
		r->cpu = (uint32_t)value;
	}
	s->period = a->freq ? 0 : a->sample_period;
	if (type & PERF_SAMPLE_PERIOD)
		good &= get(c, &s->period);
	if (type & PERF_SAMPLE_READ)
		good = good && skip_read(c, a->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		good = good && get_chain(c, s);
	if (type & PERF_SAMPLE_RAW)
		good = good && get_raw(c, s);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		good = good && skip_branches(c, a->branch_sample_type);
	if (type & PERF_SAMPLE_REGS_USER)
		good = good && skip_registers(c, a->sample_regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		good = good && skip_bytes(c, true);
	return good;
}

static bool parse_rest(struct cursor *c, const struct perf_event_attr *a, struct perf_sample *s)
{
	const uint64_t type = a->sample_type;
	uint64_t value = 0;
	bool good = true;

	if (type & PERF_SAMPLE_WEIGHT_STRUCT) {
		good &= get(c, &value);
		s->weight = (uint32_t)value;
		s->ins_lat = value >> 32;
		s->retire_lat = value >> 48;
	} else if (type & PERF_SAMPLE_WEIGHT) {
		good &= get(c, &s->weight);
	}
	if (type & PERF_SAMPLE_DATA_SRC)
		good &= get(c, &s->data_src);
	if (type & PERF_SAMPLE_TRANSACTION)
		good &= get(c, &s->transaction);
	if (type & PERF_SAMPLE_REGS_INTR)
		good = good && skip_registers(c, a->sample_regs_intr);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		good &= get(c, &s->phys_addr);
	if (type & PERF_SAMPLE_CGROUP)
		good &= get(c, &s->cgroup);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		good &= get(c, &s->data_page_size);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		good &= get(c, &s->code_page_size);
	if (type & PERF_SAMPLE_AUX)
		good = good && skip_bytes(c, false);
	return good;
}

static int parse_sample(struct perf_data *d, const struct perf_raw *raw, struct perf_record *r)
{
	struct cursor c = cursor_of(raw->h);

	if (!r->event)
		return perf_fail(d, raw->at, "a sample of an event that the file does not describe");
	if (r->event->attr.sample_type & ~KNOWN_SAMPLE_TYPE)
		return perf_fail(d, raw->at, "samples have fields that are newer than Linux 6.12 (sample_type 0x%lx)",
				 (unsigned long)r->event->attr.sample_type);
	if (!parse_first(&c, &r->event->attr, r) || !parse_rest(&c, &r->event->attr, &r->sample))
		return perf_fail(d, raw->at, "damaged sample");
	return 1;
}

/* A name that ends within the record. */
static const char *name_at(const struct perf_event_header *h, size_t at)
{
	const char *name = (const char *)h + at;

	return h->size > at && memchr(name, '\0', h->size - at) ? name : NULL;
}

static int parse_map(const struct perf_event_header *h, struct perf_record *r)
{
	const uint32_t *words = (const uint32_t *)(h + 1);
	const uint64_t *longs = (const uint64_t *)(h + 1);
	const bool two = h->type == PERF_RECORD_MMAP2;
	const size_t fixed = sizeof(*h) + (two ? 64 : 32);
	struct perf_map *m = &r->map;

	m->name = name_at(h, fixed);
	if (!m->name)
		return -1;
	r->type = PERF_RECORD_MMAP2;
	r->pid = words[0];
	r->tid = words[1];
	m->start = longs[1];
	m->length = longs[2];
	m->offset = longs[3];
	m->prot = h->misc & PERF_RECORD_MISC_MMAP_DATA ? PROT_READ : PROT_READ | PROT_EXEC;
	if (!two)
		return 1;
	m->prot = words[14];
	m->flags = words[15];
	/* In place of the device and inode: size, three bytes, up to 20 bytes. */
	if (h->misc & MISC_MMAP_BUILD_ID) {
		m->build_id_size = ((const uint8_t *)(longs + 4))[0];
		m->build_id = (const uint8_t *)(longs + 4) + 4;
		if (m->build_id_size > 20)
			return -1;
	}
	return 1;
}

/* Of what is in each record: those with an id behind them. */
static int parse_other(const struct perf_event_header *h, struct perf_record *r)
{
	const uint32_t *words = (const uint32_t *)(h + 1);
	const uint64_t *longs = (const uint64_t *)(h + 1);
	const size_t bytes = h->size - sizeof(*h);

	switch (h->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return parse_map(h, r);
	case PERF_RECORD_COMM:
		r->comm = name_at(h, sizeof(*h) + 8);
		if (!r->comm)
			return -1;
		r->pid = words[0];
		r->tid = words[1];
		return 1;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		if (bytes < 24)
			return -1;
		r->pid = words[0];
		r->parent = words[1];
		r->tid = words[2];
		r->time = r->time ? r->time : longs[2];
		return 1;
	case PERF_RECORD_LOST:
		r->lost = bytes >= 16 ? longs[1] : 0;
		return bytes >= 16 ? 1 : -1;
	case PERF_RECORD_LOST_SAMPLES:
		r->type = PERF_RECORD_LOST;
		r->lost = bytes >= 8 ? longs[0] : 0;
		return bytes >= 8 ? 1 : -1;
	case PERF_RECORD_THROTTLE:
		return 1;
	case PERF_RECORD_CGROUP:
		r->cgroup.path = name_at(h, sizeof(*h) + 8);
		r->cgroup.id = r->cgroup.path ? longs[0] : 0;
		return r->cgroup.path ? 1 : -1;
	default:
		return 0;
	}
}

/**
 * perf_parse() - the fields of a record
 * @d: the file, its events checked
 * @raw: the record
 * @r: filled in; what it points to is in @raw
 *
 * Return: 1; 0 if it is none of those of struct perf_record; -1 with d->error set.
 */
int perf_parse(struct perf_data *d, const struct perf_raw *raw, struct perf_record *r)
{
	const struct perf_event_header *h = raw->h;
	int ret;

	*r = (struct perf_record){ .type = h->type, .misc = h->misc, .at = raw->at, .cpu = -1,
				   .event = perf_events_of(d, h) };
	if (h->type == PERF_RECORD_SAMPLE)
		return parse_sample(d, raw, r);
	/* Records that perf itself makes up have the first event's id, or none. */
	if (!parse_id(r->event ? r->event : d->events, h, r))
		ret = -1;
	else
		ret = parse_other(h, r);
	return ret < 0 ? perf_fail(d, raw->at, "damaged record of type %u", h->type) : ret;
}
