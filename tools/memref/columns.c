// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Intervals as tables with typed columns, for databases of many machines: CSV as RFC 4180
 * has it, an empty field for what is not known.  docs/reference/fleet-columns.md lists the columns.
 *
 * A recording is read twice: the first time for its host and its end.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "columns.h"
#include "lib/cells/utf8.h"
#include "memref.h"
#include "memref/model/model.h"
#include "memref/read/gather.h"

/* Processes of one name in an interval. */
struct service {
	char name[64];
	uint64_t processes, pages, written, rss;
};

struct columns {
	const struct columns_options *o;	/* NULL: not of a recording */
	enum columns_table table;
	struct gather gather;
	struct model nodes;		/* only its node spans are used */
	struct task_row *tasks;		/* of intervals that are not complete yet */
	size_t nr_tasks, capacity;
	struct age_row *ages;		/* likewise */
	size_t nr_ages, age_capacity;
	bool tasks_seen, ages_seen;	/* by the first reading */
	uint64_t memory;		/* bytes of all nodes; 0: not known */
	uint64_t end_ns;		/* of the last interval, CLOCK_MONOTONIC */
	uint64_t offset_ns;		/* to add to CLOCK_MONOTONIC for ns since 1970 */
	char *host, *boot;		/* as fields of CSV */
	char first_error[512];		/* of the first reading */
	FILE *f;			/* the output */
	uint32_t nodes_seq;		/* the interval whose node spans are in @nodes */
	bool no_memory;
};

/* Quoted only where needed; names of machines and processes are foreign text. */
static char *csv_field(const char *text)
{
	char *clean = utf8_clean(text), *field, *to;
	const char *from;

	field = clean ? malloc(2 * strlen(clean) + 3) : NULL;
	if (!field) {
		free(clean);
		return NULL;
	}
	to = field;
	*to++ = '"';
	for (from = clean; *from; from++) {
		if (*from == '"')
			*to++ = '"';
		*to++ = (unsigned char)*from < ' ' ? '?' : *from;
	}
	*to++ = '"';
	*to = '\0';
	if (!strpbrk(clean, "\",") && *clean && *clean != ' ' && clean[strlen(clean) - 1] != ' ') {
		memmove(field, field + 1, to - field - 2);
		to[-2] = '\0';
	}
	free(clean);
	return field;
}

/* The columns that all tables begin with. */
static void begin_row(const struct columns *x)
{
	const struct scan_row *s = &x->gather.scan;

	fprintf(x->f, "%d,%s,%s,%" PRId64 ",%" PRIu64 ",%" PRIu32, COLUMNS_SCHEMA, x->host, x->boot,
		(int64_t)(s->scan_ns + x->offset_ns), s->scan_ns - s->begin_ns, s->seq);
}

static void write_groups(struct columns *x)
{
	const struct gather *g = &x->gather;
	size_t i;

	for (i = 0; i < g->nr_groups; i++) {
		const struct group_row *r = &g->groups[i];
		int node = model_node(&x->nodes, r->phys_addr);

		begin_row(x);
		if (node < 0)
			fputs(",", x->f);
		else
			fprintf(x->f, ",%d", node);
		fprintf(x->f, ",%" PRIu64 ",%" PRIu64 ",%u,%u,%u,%u\n", r->phys_addr,
			(uint64_t)g->scan.group_kb << 10, r->pages[KERNEL], r->pages[USER], r->pages[PAGE_CACHE],
			r->written);
	}
}

/* Of a node, or of the whole machine with node -1. */
static void write_interval_row(struct columns *x, int node, uint64_t memory)
{
	const struct gather *g = &x->gather;
	uint64_t pages[NR_CLASSES] = { 0 }, groups = 0, written = 0;
	size_t i;
	int c;

	for (i = 0; i < g->nr_groups; i++) {
		const struct group_row *r = &g->groups[i];

		if (node >= 0 && model_node(&x->nodes, r->phys_addr) != node)
			continue;
		groups++;
		written += !!r->written;
		for (c = 0; c < NR_CLASSES; c++)
			pages[c] += r->pages[c];
	}
	begin_row(x);
	if (node < 0)
		fputs(",", x->f);
	else
		fprintf(x->f, ",%d", node);
	fputc(',', x->f);
	if (memory)
		fprintf(x->f, "%" PRIu64, memory);
	fprintf(x->f, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", pages[KERNEL],
		pages[USER], pages[PAGE_CACHE], groups, written);
	if (node < 0 && g->scan.rss)
		fprintf(x->f, "%" PRIu64, g->scan.rss);
	fprintf(x->f, ",%u\n", g->scan.flags);
}

static void write_intervals(struct columns *x)
{
	uint64_t memory;
	uint32_t n;
	size_t s;

	write_interval_row(x, -1, x->memory);
	for (n = 0; n < x->nodes.nr_nodes; n++) {
		if (!x->nodes.has_node[n])
			continue;
		for (memory = s = 0; s < x->nodes.nr_spans; s++)
			if (x->nodes.spans[s].node == n)
				memory += x->nodes.spans[s].end - x->nodes.spans[s].start;
		write_interval_row(x, n, memory);
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct service *)a)->name, ((const struct service *)b)->name);
}

static void write_service(struct columns *x, const struct service *s)
{
	char *name = csv_field(s->name);

	x->no_memory |= !name;
	begin_row(x);
	fprintf(x->f, ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", name ? name : "", s->processes,
		s->pages, s->written, s->rss);
	free(name);
}

/* Processes by name; a name is what monitoring takes for a service. */
static void write_services(struct columns *x)
{
	struct service *all = calloc(x->nr_tasks + 1, sizeof(*all)), *to = all;
	size_t i, nr = 0;

	x->no_memory |= !all;
	for (i = 0; all && i < x->nr_tasks; i++) {
		const struct task_row *t = &x->tasks[i];
		char comm[sizeof(t->comm) + 1] = "";

		if (t->seq != x->gather.scan.seq)
			continue;
		memcpy(comm, t->comm, sizeof(t->comm));
		utf8_copy(all[nr].name, sizeof(all[nr].name), comm);
		all[nr].processes = 1;
		all[nr].pages = t->pages;
		all[nr].written = t->written;
		all[nr++].rss = t->rss;
	}
	if (nr)
		qsort(all, nr, sizeof(*all), by_name);
	for (i = 1; i < nr; i++) {
		if (by_name(to, &all[i])) {
			write_service(x, to);
			to = &all[i];
			continue;
		}
		to->processes++;
		to->pages += all[i].pages;
		to->written += all[i].written;
		to->rss += all[i].rss;
	}
	if (nr)
		write_service(x, to);
	free(all);
}

static void write_age(struct columns *x, const struct age_row *r)
{
	char *path = csv_field(r->path);
	int b;

	x->no_memory |= !path;
	begin_row(x);
	/* A damaged event may have any class. */
	fprintf(x->f, ",%u,%s,%s", r->node, r->class < NR_AGE_CLASSES ? age_class_names[r->class] : "",
		*r->path && path ? path : "");
	for (b = 0; b < AGE_BUCKETS; b++)
		fprintf(x->f, ",%u", r->pages[b]);
	for (b = 0; b < AGE_BUCKETS; b++)
		fprintf(x->f, ",%u", r->again[b]);
	fputc('\n', x->f);
	free(path);
}

static void write_ages(struct columns *x)
{
	size_t i;

	for (i = 0; i < x->nr_ages; i++)
		if (x->ages[i].seq == x->gather.scan.seq)
			write_age(x, &x->ages[i]);
}

#define AGE_COLUMNS(name) name "_0," name "_1," name "_2," name "_4," name "_8," name "_16," name "_32," name "_64," name "_128"

/* A table: the names of its columns behind those of all tables, and how an interval is written. */
static const struct {
	const char *columns;
	void (*write)(struct columns *x);
} tables[] = {
	[COLUMNS_GROUPS] = { "node,base,size,pages_kernel,pages_user,pages_page_cache,written", write_groups },
	[COLUMNS_INTERVALS] = { "node,memory_bytes,pages_kernel,pages_user,pages_page_cache,groups,groups_written,"
				"pages_resident,flags", write_intervals },
	[COLUMNS_SERVICES] = { "service,processes,pages,pages_written,pages_resident", write_services },
	[COLUMNS_AGES] = { "node,class,cgroup," AGE_COLUMNS("pages_age") "," AGE_COLUMNS("again_age"), write_ages },
};

static int write_interval(void *ctx, const struct gather *g)
{
	struct columns *x = ctx;
	size_t i, kept = 0;

	tables[x->table].write(x);
	for (i = 0; i < x->nr_tasks; i++)
		if ((int32_t)(x->tasks[i].seq - g->scan.seq) > 0)
			x->tasks[kept++] = x->tasks[i];
	x->nr_tasks = kept;
	for (i = kept = 0; i < x->nr_ages; i++)
		if ((int32_t)(x->ages[i].seq - g->scan.seq) > 0)
			x->ages[kept++] = x->ages[i];
	x->nr_ages = kept;
	return x->no_memory || ferror(x->f);
}

/* Append a row of @size bytes to an array, or return -1 without memory. */
static int keep(void **array, size_t *nr, size_t *capacity, const void *row, size_t size)
{
	void *more = *array;

	if (*nr == *capacity) {
		more = reallocarray(*array, 2 * *capacity + 64, size);
		if (!more)
			return -1;
		*array = more;
		*capacity = 2 * *capacity + 64;
	}
	memcpy((char *)more + (*nr)++ * size, row, size);
	return 0;
}

static int take_row(void *ctx, const struct row *row)
{
	struct columns *x = ctx;

	if (row->type == ROW_NODE)
		return model_add_node(&x->nodes, &row->node);
	if (row->type == ROW_TASK && x->table == COLUMNS_SERVICES &&
	    keep((void **)&x->tasks, &x->nr_tasks, &x->capacity, &row->task, sizeof(row->task)))
		return -1;
	if (row->type == ROW_AGE && x->table == COLUMNS_AGES &&
	    keep((void **)&x->ages, &x->nr_ages, &x->age_capacity, &row->age, sizeof(row->age)))
		return -1;
	return gather_add(&x->gather, row);
}

static int see_interval(void *ctx, const struct gather *g)
{
	((struct columns *)ctx)->end_ns = g->scan.end_ns;
	return 0;
}

static int see_row(void *ctx, const struct row *row)
{
	struct columns *x = ctx;

	x->tasks_seen |= row->type == ROW_TASK;
	x->ages_seen |= row->type == ROW_AGE;
	if (row->type == ROW_NODE)
		return model_add_node(&x->nodes, &row->node);
	return gather_add(&x->gather, row);
}

/* Events of processes, and of ages, are recorded on request.  Return OK, or FAILED with a message printed. */
static int check_rows(const struct columns *x, const char *path)
{
	if (!x->gather.intervals)
		return OK;
	if (x->table == COLUMNS_SERVICES && !x->tasks_seen)
		return complain(FAILED, "%s: no processes: record with memref record --tasks", path);
	if (x->table == COLUMNS_AGES && !x->ages_seen)
		return complain(FAILED, "%s: no idle ages: record with memref record --ages", path);
	return OK;
}

/**
 * columns_offset() - what to add to CLOCK_MONOTONIC of a recording for ns since 1970
 * @o: the options
 * @path: the recording
 * @begin_ns: its begin, CLOCK_MONOTONIC
 * @end_ns: its end, CLOCK_MONOTONIC
 *
 * Return: the offset, modulo 2^64.
 */
uint64_t columns_offset(const struct columns_options *o, const char *path, uint64_t begin_ns, uint64_t end_ns)
{
	struct stat st;

	if (o->begin_ns)
		return o->begin_ns - begin_ns;
	if (stat(path, &st))
		return 0;
	return st.st_mtim.tv_sec * UINT64_C(1000000000) + st.st_mtim.tv_nsec - end_ns;
}

static void add_up_memory(struct columns *x)
{
	size_t s;

	for (x->memory = s = 0; s < x->nodes.nr_spans; s++)
		x->memory += x->nodes.spans[s].end - x->nodes.spans[s].start;
}

/*
 * First reading: the host, the memory of the nodes, the end, what there is.  Messages about a damaged file are left
 * to the second.  Return OK, or FAILED with a message printed.
 */
static int measure(struct columns *x, const char *path)
{
	struct reader r = { .row = see_row, .ctx = x };
	char *comma;
	int failed;

	x->gather.interval = see_interval;
	x->gather.ctx = x;
	failed = reader_each(path, &r, x->first_error, sizeof(x->first_error));
	if (failed && !*x->first_error)
		return complain(FAILED, "no memory left");
	gather_end(&x->gather);
	if (check_rows(x, path))
		return FAILED;
	add_up_memory(x);
	x->offset_ns = columns_offset(x->o, path, x->gather.begin_ns, x->end_ns);
	gather_free(&x->gather);
	x->gather = (struct gather){ 0 };
	comma = strchr(r.host, ',');
	if (comma)
		*comma = '\0';
	x->host = csv_field(x->o->host ? x->o->host : r.host);
	x->boot = x->o->boot ? csv_field(x->o->boot) : strdup("");
	return x->host && x->boot ? OK : complain(FAILED, "no memory left");
}

/**
 * columns_print_header() - print the names of a table's columns
 * @table: the table
 * @f: output
 */
void columns_print_header(enum columns_table table, FILE *f)
{
	fprintf(f, "schema,host,boot,time_ns,interval_ns,seq,%s\n", tables[table].columns);
}

/* Second reading.  Return OK or FAILED with a message printed. */
static int write_table(struct columns *x, const char *path, const char *output)
{
	struct reader r = { .row = take_row, .ctx = x };
	struct outfile out;
	int ret;

	x->gather.interval = write_interval;
	x->gather.ctx = x;
	if (outfile_open(&out, output))
		return FAILED;
	errno = 0;
	x->f = out.f;
	columns_print_header(x->table, x->f);
	ret = read_rows(path, &r);
	x->no_memory |= ret < 0;
	/* The first reading failed for another reason than a damaged file. */
	if (!ret && *x->first_error) {
		outfile_drop(&out);
		return complain(FAILED, "%s", x->first_error);
	}
	/* Keep the intervals that could be read of a damaged file. */
	if (!x->no_memory && !ferror(x->f))
		gather_end(&x->gather);
	if (!x->no_memory && x->gather.intervals)
		return outfile_close(&out, 0) || (ret && !ferror(x->f)) ? FAILED : OK;
	outfile_drop(&out);
	if (x->no_memory)
		return complain(FAILED, "no memory left");
	return ret ? FAILED : complain(FAILED, "%s: no complete memref interval", path);
}

static void release(struct columns *x)
{
	gather_free(&x->gather);
	model_free(&x->nodes);
	free(x->tasks);
	free(x->ages);
	free(x->host);
	free(x->boot);
}

/**
 * columns_export() - write a table
 * @o: which, and what the recording does not have
 * @path: the recording
 * @output: the file to write; NULL: standard output
 *
 * Return: OK, or FAILED with a message printed.
 */
int columns_export(const struct columns_options *o, const char *path, const char *output)
{
	struct columns x = { .o = o, .table = o->table };
	int ret;

	model_init(&x.nodes);
	ret = measure(&x, path);
	if (!ret)
		ret = write_table(&x, path, output);
	release(&x);
	return ret;
}

/**
 * columns_new() - begin a table of intervals that are not recorded, but as they come
 * @table: the table
 * @host: name of the machine
 * @boot: its boot_id
 *
 * Return: the table, to be freed by columns_free(), or NULL if out of memory.
 */
struct columns *columns_new(enum columns_table table, const char *host, const char *boot)
{
	struct columns *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->table = table;
	model_init(&x->nodes);
	x->gather.interval = write_interval;
	x->gather.ctx = x;
	x->host = csv_field(host);
	x->boot = csv_field(boot);
	if (x->host && x->boot)
		return x;
	columns_free(x);
	return NULL;
}

/**
 * columns_free() - free a table
 * @x: the table, or NULL
 */
void columns_free(struct columns *x)
{
	if (x)
		release(x);
	free(x);
}

/* Memory may have come or gone: the spans are those of one interval. */
static int take_node(struct columns *x, const struct node_row *row)
{
	int ret = 0;

	if (row->seq != x->nodes_seq) {
		ret = gather_end(&x->gather);
		model_free(&x->nodes);
		model_init(&x->nodes);
		x->nodes_seq = row->seq;
	}
	ret = ret ? ret : model_add_node(&x->nodes, row);
	add_up_memory(x);
	return ret;
}

/**
 * columns_add() - add a row of now; writes an interval when the next one begins
 * @x: the table
 * @row: the row
 * @offset_ns: what to add to CLOCK_MONOTONIC for ns since 1970
 * @f: output
 *
 * Return: 0, or another value if out of memory or if @f has an error.
 */
int columns_add(struct columns *x, const struct row *row, uint64_t offset_ns, FILE *f)
{
	x->offset_ns = offset_ns;
	x->f = f;
	return row->type == ROW_NODE ? take_node(x, &row->node) : take_row(x, row);
}

/**
 * columns_flush() - write the last interval, if all of it has come
 * @x: the table
 * @offset_ns: as for columns_add()
 * @f: output
 * @end: nothing more comes: write it, even if groups are missing
 *
 * Return: as columns_add().
 */
int columns_flush(struct columns *x, uint64_t offset_ns, FILE *f, bool end)
{
	x->offset_ns = offset_ns;
	x->f = f;
	return end || gather_complete(&x->gather) ? gather_end(&x->gather) : 0;
}
