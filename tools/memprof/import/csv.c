// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Comma-separated samples of other programs: the first line names the columns.  The file is
 * read twice: for the bounds of objects, nodes and times, then for the samples; once more
 * between the two if it is not in order of time.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "lib/complain.h"
#include "lib/csv/csv.h"
#include "lib/csv/line.h"
#include "lib/hash.h"
#include "lib/numbers.h"
#include "lib/options.h"
#include "lib/cells/utf8.h"
#include "sink.h"

#define MAX_FIELDS	256
#define MAX_OBJECTS	65536
#define PAGE		4096
/* Objects with a name are put where no program's memory is, a guard page between two. */
#define FIRST_ADDRESS	(UINT64_C(1) << 40)
#define MAX_SPAN	(UINT64_C(1) << 36)
#define UNNAMED		"[memory]"
#define MAX_TIME	(UINT64_C(1) << 63)

enum column {
	TIME, PID, TID, CPU, CPU_NODE, NODE, ADDRESS, OFFSET, INDEX, IP, LATENCY, LEVEL, DATA_SRC, OP, OBJECT,
	COLUMNS
};

static const char * const names[COLUMNS] = {
	"time", "pid", "tid", "cpu", "cpu_node", "node", "address", "offset", "index", "ip", "latency",
	"level", "data_src", "op", "object",
};

/* An object: the bytes of it that were accessed, by address or offset; put at @start. */
struct object {
	char *name;
	uint64_t pid, low, high, start;
	UT_hash_handle hh;
};

/* A line with a sample: where it is in the file. */
struct place {
	uint64_t time, number;
	off_t at;
};

/**
 * struct source - the file
 * @at: of each column, its place in a line, or -1
 * @hex: it has hexadecimal numbers without 0x
 * @nr: fields of a line
 * @number: of the line that was read, which begins at @begin and ends at @end
 * @time: of it
 * @node_of: each CPU's node, -1 if not known
 * @last: time of each CPU's last sample
 * @late: one was earlier than that before it of its CPU
 * @order: the samples in order of time, if they are to be read so, of which @given were read
 */
struct source {
	const char *path;	/* as messages call it */
	const struct csv_options *options;
	FILE *f;
	char *line, *field[MAX_FIELDS];
	size_t number;
	off_t begin, end;
	int at[COLUMNS], nr;
	bool hex[COLUMNS];
	int16_t node_of[SINK_CPUS];
	int nr_nodes, nr_cpus;
	uint64_t time, first_time, last[SINK_CPUS];
	bool late;
	struct place *order;
	size_t rows, given;
	struct object *objects;
};

/* A line of the file. */
struct row {
	uint64_t value[COLUMNS];
	const char *object;
	struct sample_record sample;
};

static const struct { const char *name; uint8_t level, hitm; } level_names[] = {
	{ "", LEVEL_NA, 0 }, { "unknown", LEVEL_NA, 0 }, { "L1", LEVEL_L1, 0 }, { "L2", LEVEL_L2, 0 },
	{ "L3", LEVEL_L3, 0 }, { "LFB", LEVEL_BUFFER, 0 }, { "fill buffer", LEVEL_BUFFER, 0 },
	{ "memory", LEVEL_RAM, 0 }, { "RAM", LEVEL_RAM, 0 }, { "DRAM", LEVEL_RAM, 0 },
	{ "local memory", LEVEL_RAM, 0 }, { "remote memory", LEVEL_REMOTE_RAM, 0 },
	{ "remote cache", LEVEL_REMOTE_CACHE, 0 }, { "HITM", LEVEL_REMOTE_CACHE, 1 },
	{ "peer cache", LEVEL_PEER_CACHE, 0 }, { "L3 or peer cache", LEVEL_L3_OR_PEER, 0 },
	{ "L2 miss buffer", LEVEL_L2_BUFFER, 0 }, { "memory-side cache", LEVEL_MEMORY_SIDE, 0 },
	{ "PMEM", LEVEL_PMEM, 0 }, { "CXL", LEVEL_CXL, 0 }, { "beyond L3", LEVEL_BEYOND_L3, 0 },
	{ "uncached", LEVEL_UNCACHED, 0 },
};

/* Data source of a PEBS load latency record: Intel SDM, volume 3B, "load latency facility". */
static const struct { uint8_t level, hitm; } pebs_levels[16] = {
	{ LEVEL_BEYOND_L3, 0 }, { LEVEL_L1, 0 }, { LEVEL_BUFFER, 0 }, { LEVEL_L2, 0 },
	{ LEVEL_L3, 0 }, { LEVEL_L3, 0 }, { LEVEL_L3, 0 }, { LEVEL_L3, 1 },
	{ LEVEL_REMOTE_CACHE, 0 }, { LEVEL_REMOTE_CACHE, 1 }, { LEVEL_RAM, 0 }, { LEVEL_REMOTE_RAM, 0 },
	{ LEVEL_RAM, 0 }, { LEVEL_REMOTE_RAM, 0 }, { LEVEL_UNCACHED, 0 }, { LEVEL_UNCACHED, 0 },
};
#define PEBS_TLB_MISS	0x10

/* ---- lines ---- */

/* The next line, without its end.  Return: 1, 0 at the end of the file, -1 after saying why */
static int next_line(struct source *s)
{
	ssize_t n;

	errno = 0;
	n = line_get(&s->line, s->f);
	if (n <= 0)
		return n ? complain(-1, "%s: %s", s->path, strerror(errno)) : 0;
	s->number++;
	s->begin = s->end;
	s->end += n;
	if ((size_t)n != strlen(s->line))
		return complain(-1, "%s:%zu: no text", s->path, s->number);
	if (n == LINE_BYTES && s->line[n - 1] != '\n')
		return complain(-1, "%s:%zu: a line of more than %u bytes", s->path, s->number, LINE_BYTES);
	while (n && (s->line[n - 1] == '\n' || s->line[n - 1] == '\r'))
		s->line[--n] = '\0';
	return 1;
}

static int find_field(const struct source *s, const char *name, size_t length)
{
	int i;

	for (i = 0; i < s->nr; i++)
		if (!strncasecmp(s->field[i], name, length) && strlen(s->field[i]) == length)
			return i;
	return -1;
}

static int find_column(const char *name, size_t length)
{
	int i;

	for (i = 0; i < COLUMNS; i++)
		if (!strncmp(names[i], name, length) && strlen(names[i]) == length)
			return i;
	return -1;
}

/* Columns whose names the user gives: "OURS=THEIRS", or "OURS=" for none. */
static int map_columns(struct source *s)
{
	const struct csv_options *o = s->options;
	bool taken[MAX_FIELDS] = { false }, given[COLUMNS] = { false };
	int i, column, field;

	for (i = 0; i < COLUMNS; i++)
		s->at[i] = -1;
	for (i = 0; i < o->nr_columns; i++) {
		const char *eq = strchr(o->column[i], '=');

		column = eq ? find_column(o->column[i], eq - o->column[i]) : -1;
		if (column < 0)
			return wrong_usage("--column %s: not NAME=COLUMN with one of time, pid, tid, cpu, "
					"cpu_node, node, address, offset, index, ip, latency, level, data_src, "
					"op, object", o->column[i]);
		given[column] = true;
		field = eq[1] ? find_field(s, eq + 1, strlen(eq + 1)) : -1;
		if (eq[1] && field < 0)
			return complain(FAILED, "%s:1: no column %s", s->path, eq + 1);
		s->at[column] = field;
		if (field >= 0)
			taken[field] = true;
	}
	for (i = 0; i < COLUMNS; i++) {
		field = given[i] ? -1 : find_field(s, names[i], strlen(names[i]));
		if (field >= 0 && !taken[field])
			s->at[i] = field;
	}
	return OK;
}

static int read_header(struct source *s)
{
	const char *hex = s->options->hex ? s->options->hex : "";
	int ret = next_line(s), column, n;

	if (ret < 0)
		return FAILED;
	s->nr = ret ? csv_split(s->line, s->field, MAX_FIELDS) : 0;
	if (s->nr < 1 || (s->nr == 1 && !*s->field[0]))
		return complain(FAILED, "%s:1: no names of columns", s->path);
	ret = map_columns(s);
	if (ret)
		return ret;
	for (; *hex; hex += n + !!hex[n]) {
		n = strcspn(hex, ",");
		column = find_column(hex, n);
		if (column < 0)
			return wrong_usage("--hex %.*s: no such column", n, hex);
		s->hex[column] = true;
	}
	if (s->at[ADDRESS] < 0 && s->at[OBJECT] < 0)
		return complain(FAILED, "%s:1: neither a column address nor object (--column object=NAME says "
				"which it is)", s->path);
	return OK;
}

/* ---- values ---- */

static int wrong(const struct source *s, int column, const char *text, const char *why)
{
	return complain(-1, "%s:%zu: %s: %.40s: %s", s->path, s->number, names[column], text, why);
}

static int parse_hex(const char *text, uint64_t *value)
{
	char *end;

	if (!isxdigit((unsigned char)*text))
		return -1;
	errno = 0;
	*value = strtoull(text, &end, 16);
	return *end || errno ? -1 : 0;
}

/* Decimal, or hexadecimal with 0x, or without it where the user says so. */
static int parse_value(const struct source *s, int column, const char *text, uint64_t *value)
{
	const uint64_t unit = column == TIME ? s->options->unit : 1;
	int bad;

	if (s->hex[column] || !strncasecmp(text, "0x", 2)) {
		if (parse_hex(text, value))
			return wrong(s, column, text, "not a hexadecimal number");
		if (__builtin_mul_overflow(*value, unit, value))
			*value = UINT64_MAX;
	} else {
		bad = column == TIME || column == LATENCY ? parse_scaled(text, unit, value) :
							    parse_number(text, 0, UINT64_MAX, value);
		if (bad)
			return wrong(s, column, text, "not a number (--hex NAME,... if it is hexadecimal; "
				     "--column NAME= leaves the column out)");
	}
	if (column == TIME && *value >= MAX_TIME)
		return wrong(s, column, text, "too large: a time is less than 2^63 ns (--time-unit is its unit)");
	return 0;
}

static int parse_level(const struct source *s, const char *text, struct sample_record *r)
{
	uint64_t value;
	size_t i;

	if (s->options->pebs) {
		if (s->hex[LEVEL] || !strncasecmp(text, "0x", 2) ? parse_hex(text, &value) :
		    parse_number(text, 0, UINT64_MAX, &value))
			return wrong(s, LEVEL, text, "not a number, as --pebs has them");
		r->level = pebs_levels[value & 15].level;
		r->hitm = pebs_levels[value & 15].hitm;
		r->tlb_miss = !!(value & PEBS_TLB_MISS);
		return 0;
	}
	for (i = 0; i < sizeof(level_names) / sizeof(level_names[0]); i++)
		if (!strcasecmp(text, level_names[i].name)) {
			r->level = level_names[i].level;
			r->hitm = level_names[i].hitm;
			return 0;
		}
	return wrong(s, LEVEL, text, "no such level (memprof-import(1) has their names; --pebs: numbers)");
}

static int parse_op(const struct source *s, const char *text, struct sample_record *r)
{
	static const struct { const char *name; uint8_t op; } ops[] = {
		{ "load", 1 }, { "read", 1 }, { "r", 1 }, { "store", 2 }, { "write", 2 }, { "w", 2 },
		{ "read-write", 3 }, { "rw", 3 }, { "", 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (!strcasecmp(text, ops[i].name)) {
			r->op = ops[i].op;
			return 0;
		}
	return wrong(s, OP, text, "not load, store or read-write");
}

/* The next sample.  Return: 1, 0 at the end, -1 after saying why */
static int next_row(struct source *s, struct row *r)
{
	int ret, i;

	do {
		ret = next_line(s);
		if (ret <= 0)
			return ret;
	} while (!*s->line);
	ret = csv_split(s->line, s->field, MAX_FIELDS);
	if (ret != s->nr)
		return complain(-1, "%s:%zu: %s", s->path, s->number, ret < 0 ?
				"too many fields, or a quote out of place" : "not as many fields as the first line");
	*r = (struct row){ .object = "", .sample = { .op = 1, .node = NODE_UNKNOWN } };
	for (i = 0; i < COLUMNS; i++) {
		const char *text = s->at[i] < 0 ? NULL : s->field[s->at[i]];

		if (!text)
			continue;
		if (i == OBJECT)
			r->object = text;
		else if (i == LEVEL)
			ret = parse_level(s, text, &r->sample);
		else if (i == OP)
			ret = parse_op(s, text, &r->sample);
		else if (*text)
			ret = parse_value(s, i, text, &r->value[i]);
		if (ret < 0)
			return -1;
	}
	if (s->at[TIME] >= 0 && !*s->field[s->at[TIME]])
		r->value[TIME] = s->time;
	s->time = r->value[TIME];
	if (s->at[DATA_SRC] >= 0)
		chunk_data_src(&r->sample, r->value[DATA_SRC]);
	if (s->at[CPU_NODE] < 0 || !*s->field[s->at[CPU_NODE]])
		r->value[CPU_NODE] = NODE_UNKNOWN;
	if (s->at[NODE] >= 0 && *s->field[s->at[NODE]])
		r->sample.node = r->value[NODE] < NODE_UNKNOWN ? r->value[NODE] : NODE_UNKNOWN;
	r->sample.latency = r->value[LATENCY] > UINT16_MAX ? UINT16_MAX : r->value[LATENCY];
	return 1;
}

/* ---- objects and nodes ---- */

/* Where in its object, or in memory, an access is. */
static uint64_t place_of(const struct source *s, const struct row *r)
{
	if (s->at[ADDRESS] >= 0)
		return r->value[ADDRESS];
	return s->at[OFFSET] >= 0 ? r->value[OFFSET] : r->value[INDEX] * s->options->element;
}

static struct object *get_object(struct source *s, const struct row *r, char *error, size_t size)
{
	char *clean = utf8_clean(*r->object ? r->object : UNNAMED);
	const uint64_t pid = s->at[PID] >= 0 ? r->value[PID] : 1;
	char key[512];
	struct object *o;

	*error = '\0';
	snprintf(key, sizeof(key), "%lu ", (unsigned long)(uint32_t)pid);
	if (clean)
		utf8_copy(key + strlen(key), sizeof(key) - strlen(key), clean);
	free(clean);
	HASH_FIND_STR(s->objects, key, o);
	if (o)
		return o;
	if (HASH_COUNT(s->objects) >= MAX_OBJECTS) {
		snprintf(error, size, "more than %d objects", MAX_OBJECTS);
		return NULL;
	}
	o = calloc(1, sizeof(*o));
	if (!o || !(o->name = strdup(key))) {
		free(o);
		snprintf(error, size, "no memory left");
		return NULL;
	}
	o->pid = (uint32_t)pid;
	o->low = UINT64_MAX;
	HASH_ADD_KEYPTR(hh, s->objects, o->name, strlen(o->name), o);
	return o;
}

static const char *name_of(const struct object *o)
{
	return strchr(o->name, ' ') + 1;
}

/* Without CPUs, each node has one. */
static uint32_t cpu_of(const struct source *s, const struct row *r)
{
	if (s->at[CPU] >= 0)
		return r->value[CPU] < SINK_NO_CPU ? r->value[CPU] : SINK_NO_CPU;
	return r->value[CPU_NODE] < NODE_UNKNOWN ? r->value[CPU_NODE] : SINK_NO_CPU;
}

/* Without threads, each CPU has one of each process. */
static uint32_t thread_of(const struct source *s, const struct object *o, const struct row *r)
{
	if (s->at[TID] >= 0)
		return r->value[TID];
	return o->pid + (s->at[CPU] >= 0 ? cpu_of(s, r) : 0);
}

static void note_nodes(struct source *s, const struct row *r)
{
	const uint32_t cpu = cpu_of(s, r);

	if (r->sample.node != NODE_UNKNOWN && r->sample.node >= s->nr_nodes)
		s->nr_nodes = r->sample.node + 1;
	if (r->value[CPU_NODE] >= NODE_UNKNOWN || cpu == SINK_NO_CPU)
		return;
	s->node_of[cpu] = r->value[CPU_NODE];
	if ((int)r->value[CPU_NODE] >= s->nr_nodes)
		s->nr_nodes = r->value[CPU_NODE] + 1;
	if ((int)cpu >= s->nr_cpus)
		s->nr_cpus = cpu + 1;
}

/* Are the lines of a CPU in order of time? */
static void note_time(struct source *s, const struct row *r)
{
	uint64_t *last = &s->last[cpu_of(s, r)];

	if (r->value[TIME] < s->first_time)
		s->first_time = r->value[TIME];
	s->late |= r->value[TIME] < *last;
	*last = r->value[TIME];
	s->rows++;
}

/* The first time through: what there is.  Return: OK, or FAILED after saying why */
static int look_through(struct source *s)
{
	struct object *o;
	char error[64];
	struct row r;
	uint64_t at;
	int ret;

	s->first_time = UINT64_MAX;
	while ((ret = next_row(s, &r)) > 0) {
		o = get_object(s, &r, error, sizeof(error));
		if (!o)
			return complain(FAILED, "%s:%zu: %s", s->path, s->number, error);
		at = place_of(s, &r);
		o->low = at < o->low ? at : o->low;
		o->high = at > o->high ? at : o->high;
		note_time(s, &r);
		note_nodes(s, &r);
	}
	if (ret < 0)
		return FAILED;
	return s->objects ? OK : complain(FAILED, "%s: no samples", s->path);
}

/* Give each object its place; what is at offset 0 of a page stays there. */
static int place_objects(struct source *s)
{
	uint64_t next = FIRST_ADDRESS;
	struct object *o;

	for (o = s->objects; o; o = o->hh.next) {
		if (!strcmp(name_of(o), UNNAMED)) {
			o->start = o->low;
			continue;
		}
		if (o->high - o->low > MAX_SPAN || next + o->high - o->low >= UINT64_C(1) << 46)
			return complain(FAILED, "%s: %s: from 0x%lx to 0x%lx: too large for an object", s->path,
					name_of(o), (unsigned long)o->low, (unsigned long)o->high);
		o->start = next + o->low % PAGE;
		next = (o->start + (o->high - o->low) + 2 * PAGE) / PAGE * PAGE;
	}
	return OK;
}

static void put_objects(const struct source *s, struct sink *sink)
{
	char name[600];
	struct object *o;
	int named;

	/* Those with a name lie over the rest. */
	for (named = 0; named < 2; named++)
		for (o = s->objects; o; o = o->hh.next) {
			struct task_record t = {
				.type = TASK_MMAP, .flags = TASK_WRITABLE, .pid = o->pid, .tid = o->pid,
				.start = o->start, .length = o->high - o->low + 8,
			};

			if (named != !!strcmp(name_of(o), UNNAMED) || o->start >> 47)
				continue;
			snprintf(name, sizeof(name), MEMPROF_NAMED "%s", name_of(o));
			sink_task(sink, 0, &t, name);
		}
}

/* ---- the order of samples ---- */

/* Back to the first sample.  Return: OK, or FAILED after saying why */
static int begin_again(struct source *s)
{
	if (fseeko(s->f, 0, SEEK_SET))
		return complain(FAILED, "%s: %s", s->path, strerror(errno));
	s->number = s->time = s->begin = s->end = 0;
	return next_line(s) < 0 ? FAILED : OK;
}

static int by_time(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Recordings are in order of time.  Return: OK, or FAILED after saying why */
static int put_in_order(struct source *s)
{
	struct row r;
	size_t n = 0;
	int ret = 0;

	s->order = malloc(s->rows * sizeof(*s->order));
	if (!s->order)
		return complain(FAILED, "%s: no memory left to put %zu lines in order of time", s->path, s->rows);
	if (begin_again(s))
		return FAILED;
	while (n < s->rows && (ret = next_row(s, &r)) > 0)
		s->order[n++] = (struct place){ .time = r.value[TIME], .number = s->number, .at = s->begin };
	if (n < s->rows)
		return ret < 0 ? FAILED : complain(FAILED, "%s:%zu: the file changes", s->path, s->number);
	qsort(s->order, n, sizeof(*s->order), by_time);
	return OK;
}

/* As next_row(), in order of time. */
static int next_sample(struct source *s, struct row *r)
{
	const struct place *p;

	if (!s->order)
		return next_row(s, r);
	if (s->given == s->rows)
		return 0;
	p = &s->order[s->given++];
	if (fseeko(s->f, p->at, SEEK_SET))
		return complain(-1, "%s: %s", s->path, strerror(errno));
	s->number = p->number - 1;
	s->time = p->time;
	return next_row(s, r);
}

/* The second time: samples.  Return: OK, or FAILED after saying why */
static int put_samples(struct source *s, struct sink *sink)
{
	uint64_t frame, time;
	struct object *o;
	char error[64];
	struct row r;
	uint32_t cpu;
	int ret;

	while ((ret = next_sample(s, &r)) > 0 && !sink->writer.error) {
		o = get_object(s, &r, error, sizeof(error));
		if (!o || place_of(s, &r) < o->low || place_of(s, &r) > o->high)
			return complain(FAILED, "%s:%zu: the file changes", s->path, s->number);
		cpu = cpu_of(s, &r);
		frame = r.value[IP];
		/* Without times, the order of the lines is that of the samples. */
		time = s->at[TIME] >= 0 ? r.value[TIME] + 1 : s->number;
		r.sample.addr = o->start + (place_of(s, &r) - o->low);
		r.sample.kernel = frame >> 63;
		sink_sample(sink, cpu, time, o->pid, thread_of(s, o, &r), 0, &frame, s->at[IP] >= 0, &r.sample);
	}
	if (!ret && sink->samples < s->rows)
		return complain(FAILED, "%s:%zu: the file changes", s->path, s->number);
	return ret < 0 ? FAILED : OK;
}

static json_t *make_meta(const struct source *s, const struct sink *sink)
{
	char *path = utf8_clean(s->path);
	json_t *meta;

	meta = json_pack("{s:s,s:s,s:s+,s:b,s:b,s:{s:o,s:i}}", "version", MEMSCOPE_VERSION, "source", "import",
			 "command", "import of ", path ? path : "", "objects", 0, "mappings_are_objects", 1,
			 "machine", "cpu_node", sink_cpu_nodes(sink, s->path, s->node_of, s->nr_cpus),
			 "nodes", s->nr_nodes ? s->nr_nodes : 1);
	free(path);
	return meta;
}

static void name_missing(const struct source *s)
{
	static const struct { enum column column, or; const char *what; } missing[] = {
		{ ADDRESS, INDEX, "address, offset or index: cache lines and pages are not known" },
		{ NODE, NODE, "node: the node of the memory is not known" },
		{ CPU_NODE, CPU_NODE, "cpu_node: from which node an access is, is not known" },
		{ LATENCY, LATENCY, "latency" }, { LEVEL, DATA_SRC, "level" },
		{ OP, DATA_SRC, "op: each is taken for a load" },
		{ TID, TID, "tid: each CPU is taken for a thread" },
	};
	size_t i;

	for (i = 0; i < sizeof(missing) / sizeof(missing[0]); i++)
		if (s->at[missing[i].column] < 0 && s->at[missing[i].or] < 0 &&
		    (missing[i].column != ADDRESS || s->at[OFFSET] < 0))
			complain(OK, "%s: no column %s", s->path, missing[i].what);
}

static int read_twice(struct source *s, struct sink *sink, const char *output)
{
	int ret = read_header(s);

	if (ret)
		return ret;
	ret = look_through(s);
	if (ret || place_objects(s) || (s->late && put_in_order(s)) ||
	    sink_open(sink, output, s->at[TIME] >= 0 ? s->first_time : 1))
		return FAILED;
	name_missing(s);
	put_objects(s, sink);
	ret = begin_again(s) || put_samples(s, sink) ? FAILED : OK;
	return sink_close(sink, ret ? NULL : make_meta(s, sink));
}

/* It is read twice.  Return: OK, or FAILED after saying why */
static int open_file(struct source *s, const char *path)
{
	struct stat st;

	s->f = fopen(path, "re");
	if (!s->f || fstat(fileno(s->f), &st))
		return complain(FAILED, "%s: %s", s->path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return complain(FAILED, "%s: %s", s->path, strerror(EISDIR));
	if (!S_ISREG(st.st_mode))
		return complain(FAILED, "%s: neither a regular file nor a pipe", s->path);
	return st.st_size ? OK : complain(FAILED, "%s: empty file", s->path);
}

static void free_source(struct source *s)
{
	struct object *object, *next;

	HASH_ITER(hh, s->objects, object, next) {
		HASH_DEL(s->objects, object);
		free(object->name);
		free(object);
	}
	if (s->f)
		fclose(s->f);
	free(s->line);
	free(s->order);
	free(s);
}

/**
 * import_csv() - make a recording of comma-separated samples
 * @path: the file
 * @name: that messages call it
 * @output: the recording
 * @o: how to read it
 *
 * Return: OK; FAILED or USAGE after saying why, with no recording.
 */
int import_csv(const char *path, const char *name, const char *output, const struct csv_options *o)
{
	struct source *s = calloc(1, sizeof(*s));
	struct sink *sink = malloc(sizeof(*sink));
	int ret = FAILED;

	if (!s || !sink) {
		complain(FAILED, "%s: no memory left", name);
	} else {
		s->path = name;
		s->options = o;
		memset(s->node_of, 0xff, sizeof(s->node_of));
		ret = open_file(s, path) ? FAILED : read_twice(s, sink, output);
	}
	if (s)
		free_source(s);
	free(sink);
	return ret;
}
