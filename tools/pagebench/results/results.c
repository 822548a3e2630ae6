// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * raw.csv files, read row by row and checked: what is damaged, mixed or there
 * twice is refused with the place, so that no statistic is ever made of it.
 *
 * An execution that was interrupted has no row "end".  It was done again, and is
 * left out here.  Done again in the same boot and block, it begins anew with
 * measurement 0 of a metric that it has already.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/hash.h"
#include "internal.h"

/* Longer than a row of names and numbers gets. */
#define MAX_LINE 4096

/* Settings that may differ between files that belong together. */
static const char * const may_differ[] = { "seed", "date", "started" };

/* The key of an execution. */
struct attempt_key {
	size_t experiment;	/* (size_t)-1: canary */
	unsigned int number, boot, block;
	const char *file;
};

struct attempt {
	struct attempt_key key;
	struct execution *now;
	UT_hash_handle hh;
};

struct experiment_entry {
	char *key;
	size_t nr;
	UT_hash_handle hh;
};

struct results_index {
	struct attempt *attempts;
	struct experiment_entry *experiments;
};

/* Says why, after file and line.  Return: -1. */
int results_refuse(const struct place *p, const char *fmt, ...)
{
	va_list ap;
	int n;

	n = snprintf(p->error, p->size, "%s:%ld: ", p->file, p->line);
	if (n < 0 || n >= (int)p->size)
		return -1;
	va_start(ap, fmt);
	vsnprintf(p->error + n, p->size - n, fmt, ap);
	va_end(ap);
	return -1;
}

static int no_memory(const struct place *p)
{
	return results_refuse(p, "no memory left");
}

/* Room for one more in an array; doubles it. */
int results_grow(void *array, size_t nr, size_t *capacity, size_t each)
{
	size_t more = *capacity ? *capacity * 2 : 8;
	void *new;

	if (nr < *capacity)
		return 0;
	new = realloc(*(void **)array, more * each);
	if (!new)
		return -1;
	*(void **)array = new;
	*capacity = more;
	return 0;
}

/* 1: a line, without its newline; 0: the end; -1: refused. */
static int read_line(FILE *f, char *line, struct place *p)
{
	size_t n = 0;
	int c;

	while ((c = getc_unlocked(f)) != EOF && c != '\n') {
		if ((unsigned int)c < ' ')
			return results_refuse(p, "damaged: a byte of value %d", c);
		if (n == MAX_LINE - 1)
			return results_refuse(p, "damaged: longer than %d characters", MAX_LINE);
		line[n++] = c;
	}
	line[n] = '\0';
	if (ferror(f))
		return results_refuse(p, "%s", strerror(errno));
	if (c == EOF && n)
		return results_refuse(p, "truncated: the last line has no end");
	return c != EOF;
}

/* May files that belong together have other values of a setting, or none? */
int results_may_differ(const char *key)
{
	size_t i;

	for (i = 0; i < sizeof(may_differ) / sizeof(may_differ[0]); i++)
		if (!strcmp(key, may_differ[i]))
			return 1;
	return 0;
}

/* A setting that may not differ is the same in all files and all their parts. */
static int setting_add(struct results *r, char *line, const struct place *p)
{
	char *key = line + 2, *value = strstr(line, ": "), none[] = "none";
	struct setting *s;

	if (strncmp(line, "# ", 2) || !value || value == key)
		return results_refuse(p, "not \"# key: value\"");
	*value = '\0';
	value += 2;
	/* Results of before have nothing for a kernel without one. */
	if (!strcmp(key, "color_function") && !*value)
		value = none;
	for (s = r->settings; s < r->settings + r->nr_settings && !results_may_differ(key); s++) {
		if (strcmp(s->key, key) || !strcmp(s->value, value))
			continue;
		return results_refuse(p, "mixed: %.40s is %.100s, in %s:%ld it is %.100s", key, value,
				      s->file, s->line, s->value);
	}
	s = realloc(r->settings, (r->nr_settings + 1) * sizeof(*s));
	if (!s)
		return no_memory(p);
	r->settings = s;
	s += r->nr_settings;
	*s = (struct setting){ strdup(key), strdup(value), p->file, p->line };
	if (!s->key || !s->value) {
		free(s->key);
		free(s->value);
		return no_memory(p);
	}
	r->nr_settings++;
	return 0;
}

/* The lines above the rows. */
static int read_head(struct results *r, FILE *f, char *line, struct place *p)
{
	static const char * const needed[] = { "suite", "kernel" };
	const struct setting *s;
	size_t i;
	int got;

	p->line = 1;
	got = read_line(f, line, p);
	if (got < 0)
		return -1;
	if (!got)
		return results_refuse(p, "empty file: not even the first line of a file of results");
	if (strcmp(line, RESULTS_MAGIC))
		return results_refuse(p, "not a file of results, or of another version: it does not begin with \"%s\"",
				      RESULTS_MAGIC);
	for (;;) {
		p->line++;
		got = read_line(f, line, p);
		if (got < 0)
			return -1;
		if (!got)
			return results_refuse(p, "truncated: no names of the columns");
		if (*line != '#')
			break;
		if (setting_add(r, line, p))
			return -1;
	}
	if (strcmp(line, RESULTS_HEADER))
		return results_refuse(p, "other columns than %s", RESULTS_HEADER);
	for (i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		for (s = r->settings; s < r->settings + r->nr_settings; s++)
			if (!strcmp(s->key, needed[i]) && s->file == p->file)
				break;
		if (s == r->settings + r->nr_settings)
			return results_refuse(p, "no line \"# %s: ...\" above the columns", needed[i]);
	}
	return 0;
}

static int find_metric(struct results *r, const struct row *row, const struct place *p)
{
	struct metric *m;
	size_t i;

	for (i = 0; i < r->nr_metrics; i++) {
		m = &r->metrics[i];
		if (strcmp(m->name, row->metric))
			continue;
		if (!strcmp(m->unit, row->unit))
			return i;
		return results_refuse(p, "mixed: %.60s in %.20s, in %s:%ld it is in %.20s", row->metric,
				      row->unit, m->file, m->line, m->unit);
	}
	m = realloc(r->metrics, (r->nr_metrics + 1) * sizeof(*m));
	if (!m)
		return no_memory(p);
	r->metrics = m;
	m += r->nr_metrics;
	*m = (struct metric){ strdup(row->metric), strdup(row->unit), p->file, p->line };
	if (!m->name || !m->unit) {
		free(m->name);
		free(m->unit);
		return no_memory(p);
	}
	return r->nr_metrics++;
}

/* Number of the experiment of a row, -2 for the canary, -1: refused. */
static long find_experiment(struct results *r, const struct row *row, const struct place *p)
{
	struct experiment_entry *entry;
	struct experiment *e;
	char key[MAX_LINE];
	int n;

	if (!strcmp(row->benchmark, CANARY))
		return -2;
	/* No field has a control character that a name needs. */
	n = snprintf(key, sizeof(key), "%s\n%s\n%s", row->benchmark, row->config, row->strategy);
	HASH_FIND(hh, r->index->experiments, key, n, entry);
	if (entry)
		return entry->nr;
	e = realloc(r->experiments, (r->nr_experiments + 1) * sizeof(*e));
	if (!e)
		return no_memory(p);
	r->experiments = e;
	e += r->nr_experiments;
	memset(e, 0, sizeof(*e));
	e->benchmark = strdup(row->benchmark);
	e->config = strdup(row->config);
	e->strategy = strdup(row->strategy);
	r->nr_experiments++;
	entry = calloc(1, sizeof(*entry));
	if (!e->benchmark || !e->config || !e->strategy || !entry) {
		free(entry);
		return no_memory(p);
	}
	entry->key = strdup(key);
	entry->nr = r->nr_experiments - 1;
	if (!entry->key) {
		free(entry);
		return no_memory(p);
	}
	HASH_ADD_KEYPTR(hh, r->index->experiments, entry->key, n, entry);
	return entry->nr;
}

void execution_free(struct execution *e)
{
	size_t i;

	for (i = 0; e && i < e->nr_series; i++)
		free(e->series[i].value);
	if (e) {
		free(e->series);
		free(e->warmup);
		free(e->phase);
	}
	free(e);
}

static struct execution *execution_new(struct experiment *to, const struct row *row,
				       const struct place *p)
{
	struct execution *e = calloc(1, sizeof(*e));

	if (!e || results_grow(&to->executions, to->nr, &to->capacity, sizeof(*to->executions))) {
		free(e);
		return NULL;
	}
	*e = (struct execution){ .number = row->execution, .boot = row->boot, .block = row->block,
				 .file = p->file, .line = p->line };
	to->executions[to->nr++] = e;
	return e;
}

static struct attempt *find_attempt(struct results *r, long nr, const struct row *row,
				    const struct place *p)
{
	struct experiment *to = nr < 0 ? &r->canary : &r->experiments[nr];
	struct attempt_key key;
	struct attempt *a;

	/* Its padding is a part of the key. */
	memset(&key, 0, sizeof(key));
	key.experiment = nr < 0 ? (size_t)-1 : (size_t)nr;
	key.number = row->execution;
	key.boot = row->boot;
	key.block = row->block;
	key.file = p->file;
	HASH_FIND(hh, r->index->attempts, &key, sizeof(key), a);
	if (a)
		return a;
	a = calloc(1, sizeof(*a));
	if (!a)
		return NULL;
	memcpy(&a->key, &key, sizeof(key));
	a->now = execution_new(to, row, p);
	if (!a->now) {
		free(a);
		return NULL;
	}
	HASH_ADD(hh, r->index->attempts, key, sizeof(key), a);
	return a;
}

static struct series *find_series(struct execution *e, size_t metric)
{
	struct series *s;

	for (s = e->series; s < e->series + e->nr_series; s++)
		if (s->metric == metric)
			return s;
	s = realloc(e->series, (e->nr_series + 1) * sizeof(*s));
	if (!s)
		return NULL;
	e->series = s;
	s += e->nr_series++;
	*s = (struct series){ .metric = metric };
	return s;
}

/* What all metrics of a measurement agree on. */
static int add_measurement(struct execution *e, const struct row *row, const struct place *p)
{
	if (row->measurement < e->nr) {
		if (e->warmup[row->measurement] != row->warmup ||
		    e->phase[row->measurement] != row->phase)
			return results_refuse(p, "measurement %u: warmup or phase are not those of its other metrics",
					      row->measurement);
		return 0;
	}
	if (e->nr == e->capacity) {
		size_t capacity = e->capacity;

		if (results_grow(&e->warmup, e->nr, &capacity, sizeof(*e->warmup)) ||
		    results_grow(&e->phase, e->nr, &e->capacity, sizeof(*e->phase)))
			return no_memory(p);
	}
	e->warmup[e->nr] = row->warmup;
	e->phase[e->nr++] = row->phase;
	return 0;
}

static int add_end(struct execution *e, const struct row *row, const struct place *p)
{
	if (e->complete)
		return results_refuse(p, "execution %u ends a second time", row->execution);
	if (row->value != e->nr || !e->nr)
		return results_refuse(p, "execution %u ends after %g measurements, %zu are in the file",
				      row->execution, row->value, e->nr);
	e->complete = 1;
	e->last_line = p->line;
	return 0;
}

static int add_row(struct results *r, const struct row *row, const struct place *p)
{
	long nr = find_experiment(r, row, p);
	struct attempt *a = nr == -1 ? NULL : find_attempt(r, nr, row, p);
	struct execution *e;
	struct series *s;
	int metric;

	if (nr == -1)
		return -1;
	if (!a)
		return no_memory(p);
	if (row->is_end)
		return add_end(a->now, row, p);
	metric = find_metric(r, row, p);
	if (metric < 0)
		return -1;
	s = find_series(a->now, metric);
	if (s && s->nr && !row->measurement && !a->now->complete) {
		/* Interrupted, and done again. */
		e = execution_new(nr < 0 ? &r->canary : &r->experiments[nr], row, p);
		if (!e)
			return no_memory(p);
		a->now = e;
		s = find_series(e, metric);
	}
	if (!s)
		return no_memory(p);
	e = a->now;
	if (row->measurement < s->nr)
		return results_refuse(p, "measurement %u of execution %u twice: %.60s was there already, after line %ld",
				      row->measurement, row->execution, row->metric, e->line);
	if (row->measurement > s->nr)
		return results_refuse(p, "execution %u: measurement %u of %.60s where measurement %zu is missing",
				      row->execution, row->measurement, row->metric, s->nr);
	/* Metrics may be added to what ended, measurements may not. */
	if (e->complete && row->measurement >= e->nr)
		return results_refuse(p, "execution %u goes on after its end in line %ld", row->execution,
				      e->last_line);
	if (add_measurement(e, row, p))
		return -1;
	if (results_grow(&s->value, s->nr, &s->capacity, sizeof(*s->value)))
		return no_memory(p);
	s->value[s->nr++] = row->value;
	e->last_line = p->line;
	r->nr_rows++;
	return 0;
}

static int read_rows(struct results *r, FILE *f, char *line, struct place *p)
{
	const char *suite = NULL;
	struct row row;
	char why[256];
	size_t i;
	int got;

	for (i = 0; i < r->nr_settings; i++)
		if (!strcmp(r->settings[i].key, "suite"))
			suite = r->settings[i].value;
	for (;;) {
		p->line++;
		got = read_line(f, line, p);
		if (got <= 0)
			return got;
		if (*line == '#') {
			if (!strcmp(line, RESULTS_MAGIC))
				return results_refuse(p, "a second file begins here: give the files apart");
			if (setting_add(r, line, p))
				return -1;
			continue;
		}
		if (row_parse(line, &row, why, sizeof(why)))
			return results_refuse(p, "%s", why);
		if (strcmp(row.suite, suite))
			return results_refuse(p, "mixed: a row of suite %.60s in the results of suite %.60s",
					      row.suite, suite);
		if (add_row(r, &row, p))
			return -1;
	}
}

/**
 * results_read() - read a file of results
 * @r: all 0 before the first file; free it with results_free() in any case
 * @path: raw.csv, or the directory it is in
 * @error: what is wrong, with file and line
 * @size: room there
 *
 * Files after the first are taken as more of the same.
 *
 * Return: 0, or -1 with a message in @error.
 */
int results_read(struct results *r, const char *path, char *error, size_t size)
{
	struct place p = { .error = error, .size = size };
	char line[MAX_LINE], *name;
	struct stat st;
	char **files;
	int failed;
	FILE *f;

	if (!r->index)
		r->index = calloc(1, sizeof(*r->index));
	files = realloc(r->files, (r->nr_files + 1) * sizeof(*files));
	if (files)
		r->files = files;
	if (asprintf(&name, "%s%s", path, !stat(path, &st) && S_ISDIR(st.st_mode) ? "/raw.csv" : "") < 0)
		name = NULL;
	if (!r->index || !files || !name) {
		snprintf(error, size, "%s: no memory left", path);
		free(name);
		return -1;
	}
	p.file = r->files[r->nr_files++] = name;
	f = fopen(name, "r");
	if (!f) {
		snprintf(error, size, "%s: %s", name, strerror(errno));
		return -1;
	}
	failed = read_head(r, f, line, &p);
	if (!failed)
		failed = read_rows(r, f, line, &p);
	fclose(f);
	return failed;
}

static void experiment_free(struct experiment *x)
{
	size_t i;

	for (i = 0; i < x->nr; i++)
		execution_free(x->executions[i]);
	free(x->executions);
	free(x->benchmark);
	free(x->config);
	free(x->strategy);
}

/**
 * results_free() - free what was read
 * @r: also after a failure
 */
void results_free(struct results *r)
{
	struct experiment_entry *entry, *next_entry;
	struct attempt *a, *next;
	size_t i;

	if (r->index) {
		HASH_ITER(hh, r->index->attempts, a, next) {
			HASH_DEL(r->index->attempts, a);
			free(a);
		}
		HASH_ITER(hh, r->index->experiments, entry, next_entry) {
			HASH_DEL(r->index->experiments, entry);
			free(entry->key);
			free(entry);
		}
	}
	for (i = 0; i < r->nr_experiments; i++)
		experiment_free(&r->experiments[i]);
	experiment_free(&r->canary);
	for (i = 0; i < r->nr_settings; i++) {
		free(r->settings[i].key);
		free(r->settings[i].value);
	}
	for (i = 0; i < r->nr_metrics; i++) {
		free(r->metrics[i].name);
		free(r->metrics[i].unit);
	}
	for (i = 0; i < r->nr_files; i++)
		free(r->files[i]);
	free(r->index);
	free(r->experiments);
	free(r->settings);
	free(r->metrics);
	free(r->files);
	memset(r, 0, sizeof(*r));
}

/**
 * results_setting() - what the head of the files says
 * @r: the results
 * @key: of a "# key: value" line
 *
 * Return: the value in the first file that has it, or NULL.
 */
const char *results_setting(const struct results *r, const char *key)
{
	size_t i;

	for (i = 0; i < r->nr_settings; i++)
		if (!strcmp(r->settings[i].key, key))
			return r->settings[i].value;
	return NULL;
}

/**
 * results_metric() - find a metric
 * @r: the results
 * @name: wall_time, ...
 *
 * Return: its number, or -1.
 */
int results_metric(const struct results *r, const char *name)
{
	size_t i;

	for (i = 0; i < r->nr_metrics; i++)
		if (!strcmp(r->metrics[i].name, name))
			return i;
	return -1;
}

/**
 * execution_series() - the values of a metric in an execution
 * @e: the execution
 * @metric: number of the metric
 *
 * Return: as many values as the execution has measurements, or NULL.
 */
const struct series *execution_series(const struct execution *e, size_t metric)
{
	size_t i;

	for (i = 0; i < e->nr_series; i++)
		if (e->series[i].metric == metric)
			return &e->series[i];
	return NULL;
}
