// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memref export: convert a recording for other programs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/options.h"
#include "lib/table.h"
#include "memref/read/gather.h"
#include "columns.h"
#include "figures.h"
#include "memref.h"
#include "memref/model/model.h"
#include "memref/read/reader.h"
#include "zfile.h"

struct export {
	const struct format *format;
	struct columns_options columns;
	struct outfile out;
	const char *output;
	FILE *f;			/* the output, or a zfile on it */
	int open;
	struct gather gather;
	struct model nodes;		/* only its node spans are used */
	int first;			/* the next list item needs no comma */
	int failed, measured;		/* measured: @extent is known */
	struct extent {
		uint64_t low, high;	/* range of the referenced addresses */
		uint64_t ns, intervals;	/* total length and number of the intervals */
		uint32_t group_kb;
	} extent;
	struct region {
		uint64_t start, end;
		uint32_t pages;
	} region;			/* not written yet */
};

/**
 * struct format - an output format
 * @name: its name on the command line
 * @run: read the recording and write it
 * @begin: write the header, or NULL
 * @interval: write an interval
 * @end: write the trailer, or NULL
 * @compressed: in zlib format
 */
struct format {
	const char *name;
	int (*run)(struct export *x, const char *path);
	void (*begin)(struct export *x, FILE *f);
	void (*interval)(struct export *x, const struct gather *g, FILE *f);
	void (*end)(FILE *f);
	int compressed;
};

/* Opened with the first row, so that an unreadable recording leaves no output file. */
static int open_output(struct export *x)
{
	if (x->open)
		return 0;
	if (outfile_open(&x->out, x->output))
		return 1;
	x->open = 1;
	x->first = 1;
	x->f = x->format->compressed ? zfile_open(x->out.f) : x->out.f;
	if (!x->f)
		return 1;
	if (x->format->begin)
		x->format->begin(x, x->f);
	return 0;
}

static int close_output(struct export *x)
{
	if (!x->open)
		return FAILED;
	if (!x->failed && x->format->end)
		x->format->end(x->f);
	/* fclose() reports only its own errors, not those of earlier writes. */
	if (x->f && ferror(x->f))
		x->failed = 1;
	if (x->f && x->format->compressed)
		x->failed |= fclose(x->f);
	return outfile_close(&x->out, x->failed);
}

/* End of the interval, in seconds since the recording began. */
static double time_of(const struct gather *g)
{
	return (g->scan.scan_ns - g->begin_ns) * 1e-9;
}

static void begin_csv(struct export *x, FILE *f)
{
	(void)x;
	fputs("seq,time_s,phys_addr,node,pages_kernel,pages_user,pages_page_cache,written\n", f);
}

static void interval_csv(struct export *x, const struct gather *g, FILE *f)
{
	size_t i;

	for (i = 0; i < g->nr_groups; i++) {
		const struct group_row *r = &g->groups[i];
		int node = model_node(&x->nodes, r->phys_addr);

		fprintf(f, "%u,%.3f,%" PRIu64 ",", r->seq, time_of(g), r->phys_addr);
		if (node >= 0)
			fprintf(f, "%d", node);
		fprintf(f, ",%u,%u,%u,%u\n", r->pages[KERNEL], r->pages[USER],
			r->pages[PAGE_CACHE], r->written);
	}
}

static void begin_json(struct export *x, FILE *f)
{
	(void)x;
	fprintf(f, "{\"schema_version\": %d, \"rows\": [\n", JSON_SCHEMA_VERSION);
}

static void end_json(FILE *f)
{
	fputs("\n]}\n", f);
}

static void interval_json(struct export *x, const struct gather *g, FILE *f)
{
	size_t i;

	for (i = 0; i < g->nr_groups; i++) {
		const struct group_row *r = &g->groups[i];
		int node = model_node(&x->nodes, r->phys_addr);
		char name[16] = "null";

		if (node >= 0)
			snprintf(name, sizeof(name), "%d", node);
		fprintf(f, "%s{\"seq\": %u, \"time_s\": %.3f, \"phys_addr\": %" PRIu64
			", \"node\": %s, \"pages_kernel\": %u, \"pages_user\": %u, "
			"\"pages_page_cache\": %u, \"written\": %u}", x->first ? "" : ",\n",
			r->seq, time_of(g), r->phys_addr, name, r->pages[KERNEL], r->pages[USER],
			r->pages[PAGE_CACHE], r->written);
		x->first = 0;
	}
}

/*
 * damo's record format (damo's src/_damo_records.py): one target, physical memory;
 * one snapshot per interval.  nr_accesses is the number of referenced pages of a
 * group, and sample_us is the interval divided by the pages of a group, so that
 * damo's percentages are shares of the group.  Age is 0: intervals are independent.
 * damo recognizes its input by file(1): "JSON data" or zlib.  Current versions of
 * file(1) print "JSON text data", so damo reads the compressed format only.
 */
static uint32_t group_pages(const struct export *x)
{
	return x->extent.group_kb >= 4 ? x->extent.group_kb / 4 : 1;
}

static void begin_damo(struct export *x, FILE *f)
{
	double aggr_us = x->extent.ns * 1e-3 / x->extent.intervals;

	fprintf(f, "[{\"kdamond_idx\": 0, \"context_idx\": 0,\n"
		"\"intervals\": {\"sample_us\": %.6f, \"aggr_us\": %.3f, \"ops_update_us\": %.3f},\n"
		"\"scheme_idx\": null, \"target_id\": 0, \"scheme_filters\": [],\n"
		"\"snapshots\": [\n", aggr_us / group_pages(x), aggr_us, aggr_us);
}

static void end_damo(FILE *f)
{
	fputs("\n]}]\n", f);
}

static uint64_t flush_region(struct export *x, FILE *f)
{
	struct region *r = &x->region;
	uint64_t size = r->end - r->start;

	if (!size)
		return 0;
	fprintf(f, "%s{\"start\": %" PRIu64 ", \"end\": %" PRIu64 ", \"nr_accesses\": "
		"{\"samples\": %u, \"percent\": %.3f}, \"age\": {\"usec\": 0, "
		"\"aggr_intervals\": 0}, \"sz_filter_passed\": 0}", x->first ? "" : ",\n",
		r->start, r->end, r->pages, 100.0 * r->pages / group_pages(x));
	x->first = 0;
	r->end = r->start;
	return size;
}

/* Merge with the pending region if adjacent and equal.  Return the bytes written out. */
static uint64_t add_region(struct export *x, FILE *f, uint64_t start, uint64_t end,
			   uint32_t pages)
{
	uint64_t written = 0;

	if (start >= end)
		return 0;
	if (x->region.end == start && x->region.pages == pages &&
	    x->region.start < x->region.end) {
		x->region.end = end;
		return 0;
	}
	written = flush_region(x, f);
	x->region = (struct region){ start, end, pages };
	return written;
}

static uint32_t pages_of(const struct export *x, const struct group_row *r)
{
	uint64_t sum = (uint64_t)r->pages[KERNEL] + r->pages[USER] + r->pages[PAGE_CACHE];

	/* Pages of two classes are counted twice: cap the sum at the group's size. */
	return sum < group_pages(x) ? sum : group_pages(x);
}

/* All memory in address order: groups, and the unreferenced gaps of the node spans. */
static uint64_t write_regions(struct export *x, const struct gather *g, FILE *f)
{
	const struct node_span all = { x->extent.low, x->extent.high, 0 };
	const struct node_span *spans = x->nodes.nr_spans ? x->nodes.spans : &all;
	size_t nr = x->nodes.nr_spans ? x->nodes.nr_spans : 1, i, s;
	uint64_t size = (uint64_t)g->scan.group_kb << 10, at = 0, total = 0;

	for (i = 0, s = 0; s <= nr; s++) {
		/* The last round writes groups behind all spans. */
		uint64_t end = s < nr ? spans[s].end : UINT64_MAX;
		uint64_t start = s < nr ? spans[s].start : UINT64_MAX;

		for (; i < g->nr_groups && g->groups[i].phys_addr < end; i++) {
			uint64_t addr = g->groups[i].phys_addr;

			if (addr > start)
				total += add_region(x, f, at > start ? at : start, addr, 0);
			total += add_region(x, f, at > addr ? at : addr, addr + size,
					    pages_of(x, &g->groups[i]));
			at = addr + size > at ? addr + size : at;
		}
		if (s < nr) {
			total += add_region(x, f, at > start ? at : start, end, 0);
			at = end > at ? end : at;
		}
	}
	return total + flush_region(x, f);
}

static void interval_damo(struct export *x, const struct gather *g, FILE *f)
{
	uint64_t total;

	fprintf(f, "%s{\"start_time\": %" PRIu64 ", \"end_time\": %" PRIu64 ", \"regions\": [\n",
		g->intervals > 1 ? ",\n" : "", g->scan.begin_ns, g->scan.scan_ns);
	x->first = 1;
	total = write_regions(x, g, f);
	fprintf(f, "],\n\"total_bytes\": %" PRIu64 "}", total);
}

static int write_interval(void *ctx, const struct gather *g)
{
	struct export *x = ctx;

	x->failed = open_output(x);
	if (x->failed)
		return 1;
	x->format->interval(x, g, x->f);
	x->failed = ferror(x->f);
	return x->failed;
}

static int handle_row(void *ctx, const struct row *row)
{
	struct export *x = ctx;

	if (row->type == ROW_NODE)
		return model_add_node(&x->nodes, &row->node);
	return gather_add(&x->gather, row);
}

/* Read the recording, and complete the last interval. */
static int read_intervals(struct export *x, const char *path)
{
	struct reader r = { .row = handle_row, .ctx = x };
	int ret = read_rows(path, &r);

	if (ret < 0) {
		complain(FAILED, "no memory left");
		x->failed = 1;
	}
	/* Keep the intervals that could be read of a damaged file. */
	if (!x->failed)
		gather_end(&x->gather);
	if (!ret && !x->gather.intervals)
		ret = complain(FAILED, "%s: no complete memref interval", path);
	return ret;
}

static int run_intervals(struct export *x, const char *path)
{
	int damaged;

	x->gather.interval = write_interval;
	x->gather.ctx = x;
	damaged = read_intervals(x, path);
	if (x->measured && x->extent.intervals != x->gather.intervals)
		x->failed = complain(FAILED, "%s: changed while it was read", path);
	return close_output(x) || damaged ? FAILED : OK;
}

/* damo's header holds the mean interval: a first pass measures it, and the address range. */
static int measure(void *ctx, const struct gather *g)
{
	struct extent *e = &((struct export *)ctx)->extent;
	uint64_t size = (uint64_t)g->scan.group_kb << 10;
	const struct group_row *last;

	if (!e->intervals++)
		e->group_kb = g->scan.group_kb;
	e->ns += g->scan.scan_ns - g->scan.begin_ns;
	if (!g->nr_groups)
		return 0;
	last = g->groups + g->nr_groups - 1;
	if (!e->high || g->groups->phys_addr < e->low)
		e->low = g->groups->phys_addr;
	if (last->phys_addr + size > e->high)
		e->high = last->phys_addr + size;
	return 0;
}

static int run_damo(struct export *x, const char *path)
{
	struct reader r = { .row = handle_row, .ctx = x };
	char error[512];

	x->gather.interval = measure;
	x->gather.ctx = x;
	/* The second pass reports errors of the file. */
	if (!reader_each(path, &r, error, sizeof(error)) || *error)
		gather_end(&x->gather);
	gather_free(&x->gather);
	x->gather = (struct gather){ 0 };
	x->measured = 1;
	return run_intervals(x, path);
}

static void print_age(FILE *f, uint64_t ts, const struct age_row *a)
{
	const char *c;
	int b;

	fprintf(f, "memref_age ts=%" PRIu64 " seq=%u node=%u class=%s cgroup=%" PRIu64, ts, a->seq,
		a->node, a->class < NR_AGE_CLASSES ? age_class_names[a->class] : "?", a->cgroup);
	for (b = 0; b < AGE_BUCKETS; b++)
		fprintf(f, "%s%u", b ? "," : " pages=", a->pages[b]);
	for (b = 0; b < AGE_BUCKETS; b++)
		fprintf(f, "%s%u", b ? "," : " again=", a->again[b]);
	/* The path comes last because it may hold spaces; mask control characters. */
	fputs(" path=", f);
	for (c = a->path; *c; c++)
		fputc((unsigned char)*c < ' ' ? '?' : *c, f);
	fputc('\n', f);
}

/* The name of a mapping; may hold spaces, and comes last, as above. */
static void print_name(FILE *f, const char *name)
{
	const char *c;

	fputs(" name=", f);
	for (c = name; *c; c++)
		fputc((unsigned char)*c < ' ' ? '?' : *c, f);
	fputc('\n', f);
}

static void print_vma(FILE *f, uint64_t ts, const struct vma_row *v)
{
	fprintf(f, "memref_vma ts=%" PRIu64 " seq=%u pid=%u start=%" PRIu64 " end=%" PRIu64 " worker=%u", ts,
		v->seq, v->pid, v->start, v->end, v->worker);
	print_name(f, v->name);
}

static void print_vma_age(FILE *f, uint64_t ts, const struct vma_age_row *a)
{
	const char *c;
	int b;

	fprintf(f, "memref_vma_age ts=%" PRIu64 " seq=%u pid=%u start=%" PRIu64 " end=%" PRIu64, ts, a->seq,
		a->pid, a->start, a->end);
	for (b = 0; b < AGE_BUCKETS; b++)
		fprintf(f, "%s%u", b ? "," : " anon=", a->anon[b]);
	for (b = 0; b < AGE_BUCKETS; b++)
		fprintf(f, "%s%u", b ? "," : " file=", a->file[b]);
	/* It does not come last: a space in it would end it. */
	fputs(" comm=", f);
	for (c = a->comm; *c; c++)
		fputc((unsigned char)*c < ' ' ? '?' : *c == ' ' ? '_' : *c, f);
	print_name(f, a->name);
}

/* One line per event, in recorded order; one per group of a batch. */
static int print_row(void *ctx, const struct row *row)
{
	const struct group_row *g = &row->group;
	const struct node_row *n = &row->node;
	const struct task_row *t = &row->task;
	const struct virt_row *v = &row->virt;
	const struct scan_row *s = &row->scan;
	struct export *x = ctx;
	const char *c;
	FILE *f;

	x->failed = open_output(x);
	if (x->failed)
		return 1;
	f = x->f;
	switch (row->type) {
	case ROW_GROUP:
		fprintf(f, "memref_log_data ts=%" PRIu64 " seq=%u phys_addr=%" PRIu64 " kernel=%u "
			"user=%u page_cache=%u written=%u\n", row->ts, g->seq, g->phys_addr,
			g->pages[KERNEL], g->pages[USER], g->pages[PAGE_CACHE], g->written);
		break;
	case ROW_NODE:
		fprintf(f, "memref_node ts=%" PRIu64 " seq=%u node=%u start=%" PRIu64 " end=%" PRIu64
			"\n", row->ts, n->seq, n->node, n->start, n->end);
		break;
	case ROW_TASK:
		fprintf(f, "memref_task ts=%" PRIu64 " seq=%u pid=%u pages=%" PRIu64 " written=%"
			PRIu64 " rss=%" PRIu64 " comm=", row->ts, t->seq, t->pid, t->pages,
			t->written, t->rss);
		/* comm comes last because it may hold spaces; mask control characters. */
		for (c = t->comm; c < t->comm + sizeof(t->comm) && *c; c++)
			fputc((unsigned char)*c < ' ' ? '?' : *c, f);
		fputc('\n', f);
		break;
	case ROW_VIRT:
		fprintf(f, "memref_virt ts=%" PRIu64 " seq=%u pid=%u addr=%" PRIu64 " pages=%u "
			"written=%u worker=%u\n", row->ts, v->seq, v->pid, v->addr, v->pages, v->written, v->worker);
		break;
	case ROW_VMA:
		print_vma(f, row->ts, &row->vma);
		break;
	case ROW_AGE:
		print_age(f, row->ts, &row->age);
		break;
	case ROW_VMA_AGE:
		print_vma_age(f, row->ts, &row->vma_age);
		break;
	case ROW_SCAN:
		fprintf(f, "memref_scan ts=%" PRIu64 " seq=%u begin_ns=%" PRIu64 " scan_ns=%" PRIu64
			" end_ns=%" PRIu64 " kernel=%" PRIu64 " user=%" PRIu64 " page_cache=%" PRIu64
			" ptes=%" PRIu64 " young=%" PRIu64 " tables=%" PRIu64 " tables_cold=%" PRIu64
			" rss=%" PRIu64 " groups=%u mms=%u mms_skipped=%u interval_ms=%u group_kb=%u"
			" kernel_leaf_kb=%u pids=%u flags=%u flush=%u write=%u cpu_max=%u parts=%u harvest_ns=%" PRIu64 "\n", row->ts,
			s->seq, s->begin_ns, s->scan_ns, s->end_ns, s->pages[KERNEL], s->pages[USER],
			s->pages[PAGE_CACHE], s->ptes, s->young, s->tables, s->tables_cold, s->rss,
			s->groups, s->mms, s->mms_skipped, s->interval_ms, s->group_kb,
			s->kernel_leaf_kb, s->pids, s->flags, s->flush, s->write, s->cpu_max, s->parts, s->harvest_ns);
		break;
	}
	x->failed = ferror(f);
	return x->failed;
}

static int run_raw(struct export *x, const char *path)
{
	struct reader r = { .row = print_row, .ctx = x };
	int damaged = read_rows(path, &r);

	if (!damaged && !x->open)
		return complain(FAILED, "%s: no memref events", path);
	return close_output(x) || damaged ? FAILED : OK;
}

static int by_address(const struct group *a, const struct group *b)
{
	return a->phys_addr < b->phys_addr ? -1 : a->phys_addr > b->phys_addr;
}

/* Folded stacks for flame graphs: node;class;group, and the sum of its pages. */
static int run_folded(struct export *x, const char *path)
{
	struct model m;
	struct group *g;
	int damaged = load_recording(path, &(struct window){ }, 0, &m), c;
	char node[16];

	if (!m.nr_intervals || open_output(x)) {
		model_free(&m);
		return FAILED;
	}
	HASH_SORT(m.groups, by_address);
	for (g = m.groups; g; g = g->hh.next) {
		int n = model_node(&m, g->phys_addr);

		snprintf(node, sizeof(node), n < 0 ? "memory" : "node%d", n);
		for (c = 0; c < NR_CLASSES; c++)
			if (g->pages[c])
				fprintf(x->f, "%s;%s;0x%" PRIx64 " %" PRIu64 "\n", node,
					class_names[c], g->phys_addr, g->pages[c]);
	}
	model_free(&m);
	return close_output(x) || damaged ? FAILED : OK;
}

static int run_openmetrics(struct export *x, const char *path)
{
	return figures_openmetrics(path, x->output);
}

static int run_pcp(struct export *x, const char *path)
{
	return figures_pcp(&x->columns, path, x->output);
}

static int run_perfetto(struct export *x, const char *path)
{
	return figures_perfetto(path, x->output);
}

static int run_columns(struct export *x, const char *path)
{
	return columns_export(&x->columns, path, x->output);
}

static const struct format formats[] = {
	{ "damo", run_damo, begin_damo, interval_damo, end_damo, 1 },
	{ "damo-json", run_damo, begin_damo, interval_damo, end_damo, 0 },
	{ "csv", run_intervals, begin_csv, interval_csv, NULL, 0 },
	{ "json", run_intervals, begin_json, interval_json, end_json, 0 },
	{ "folded", run_folded, NULL, NULL, NULL, 0 },
	{ "raw", run_raw, NULL, NULL, NULL, 0 },
	{ "openmetrics", run_openmetrics, NULL, NULL, NULL, 0 },
	{ "columns", run_columns, NULL, NULL, NULL, 0 },
	{ "pcp", run_pcp, NULL, NULL, NULL, 0 },
	{ "perfetto", run_perfetto, NULL, NULL, NULL, 0 },
	{ NULL, NULL, NULL, NULL, NULL, 0 }
};

static const struct opt_only only[] = {
	{ "rows", "columns" }, { "host", "columns|pcp" }, { "boot-id", "columns" }, { "begin", "columns|pcp" }, { }
};

static const struct verb_usage usage = {
	.command = "memref export", .operands = "[FILE] --to FORMAT [options]",
	.about = "Convert a recording (" DEFAULT_INPUT ") into the format of another program.", .max = 1,
	.words_of = "to", .only = only,
};

static int parse_format(const struct opt *o, const char *value)
{
	const struct format **format = o->to, *f;

	/* One of the words of --to. */
	for (f = formats; strcmp(f->name, value); f++)
		;
	*format = f;
	return OK;
}

int cmd_export(int argc, char **argv)
{
	struct export x = { 0 };
	const struct opt options[] = {
		OPT_CALL(0, "to", "damo|damo-json|csv|json|folded|raw|openmetrics|columns|pcp|perfetto", parse_format, &x.format,
			 "damo: damo's record format; damo-json: the same, uncompressed, which damo does not "
			 "read; csv, json: one row per group and "
			 "interval; folded: flame graph stacks, node;class;group pages; raw: one line per event; openmetrics: "
			 "metrics of the last interval, for node_exporter's textfile collector; "
			 "columns: CSV with typed columns, for databases of many machines; pcp: an archive of Performance "
			 "Co-Pilot, OUTPUT.meta, OUTPUT.index and OUTPUT.0; perfetto: "
			 "counter tracks as trace events in JSON"),
		OPT_WORD(0, "rows", "groups|intervals|services|ages", &x.columns.table,
			 "rows to write: for each interval, one per group (default), per node (intervals), per "
			 "process name (services), or per class, control group and node (ages)"),
		OPT_TEXT(0, "host", "NAME", &x.columns.host, "name of the machine (default: as recorded)"),
		OPT_TEXT(0, "boot-id", "ID", &x.columns.boot, "its boot_id (default: not known)"),
		OPT_NUMBER(0, "begin", "NS", &x.columns.begin_ns, 1, 0x1p62,
			   "start of the recording, in ns since 1970 (default: such that it ends when the file "
			   "was last modified)"),
		OPT_TEXT('o', "output", "OUTPUT", &x.output, "output file (default standard output)"),
		OPT_CHANGED('t', NULL, "--to"), OPT_RENAMED(0, "boot", "boot-id"), { }
	};
	const char *path;
	int ret;

	argv += options_parse(&usage, options, argc, argv);
	if (!x.format)
		return options_wrong(&usage, "--to FORMAT is missing");
	path = recording_path(argv[0]);
	if (!path)
		return FAILED;
	model_init(&x.nodes);
	ret = x.format->run(&x, path);
	model_free(&x.nodes);
	gather_free(&x.gather);
	return ret;
}
