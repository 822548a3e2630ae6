// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Columns of many hosts, made by replaying recordings with noise, and the answers to the questions
 * by plain computation.
 *
 * fleet_gen rows FOLDER FIRST LAST MINUTES SEED RECORDING...: the files of hosts FIRST up to below
 * LAST, a row a minute and, of services, every five minutes, from a noon (UTC) on.  RECORDING:
 * RECORDING.intervals.csv and RECORDING.services.csv of memref export --to columns.
 * fleet_gen answers FOLDER HOSTS MINUTES SEED RECORDING...: FOLDER/QUESTION.csv, as
 * memscope-fleet report QUESTION -n 0 -f csv prints it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fleet/questions.h"
#include "fleet/tables.h"
#include "lib/table.h"

#define NOON_NS		UINT64_C(1699963200000000000)
#define MINUTE_NS	UINT64_C(60000000000)
#define DAY_NS		UINT64_C(86400000000000)
#define MAX_RECORDINGS	64
#define MAX_INTERVALS	4096
#define MAX_SERVICES	8

struct interval {
	uint64_t kernel, user, cache;
};

struct recording {
	struct interval all[MAX_INTERVALS];
	unsigned int nr;
	/* Pages of each service in each interval. */
	char service[MAX_SERVICES][64];
	uint64_t pages[MAX_SERVICES][MAX_INTERVALS];
	unsigned int nr_pages[MAX_SERVICES], nr_services;
};

static struct recording recordings[MAX_RECORDINGS];
static unsigned int nr_recordings;
static uint64_t seed;

static uint64_t mix(uint64_t z)
{
	z += 0x9e3779b97f4a7c15;	/* SplitMix64 */
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Of a host and a number: below 1. */
static double noise(uint64_t host, uint64_t number)
{
	return (mix(mix(mix(seed) + host) + number) >> 11) * 0x1p-53;
}

/* The row of a host in a minute. */
struct row {
	uint64_t memory, kernel, user, cache, resident;
};

static unsigned int scale_of(uint64_t host)
{
	return 512 << (mix(mix(seed) + host) >> 20) % 3;
}

static struct row row_of(uint64_t host, uint64_t minute)
{
	const struct recording *r = &recordings[host % nr_recordings];
	const struct interval *base = &r->all[(minute + host) % r->nr];
	const double scale = scale_of(host), hot = 0.05 + 0.95 * noise(host, 1), cached = 0.9 * noise(host, 2);
	/* Each day has its own level. */
	const double day = (NOON_NS + minute * MINUTE_NS) % DAY_NS < DAY_NS / 2 ? 0.8 + 0.45 * noise(host, 3) : 1;
	const double now = scale * hot * day * (0.9 + 0.2 * noise(host, 100 + minute));
	struct row row = { .memory = (uint64_t)scale << 27 };

	row.kernel = base->kernel * now;
	row.cache = base->user * now * cached + base->cache * now;
	row.user = base->user * now * (1 - cached);
	row.resident = row.memory / 4096 * (0.3 + 0.65 * noise(host, 4));
	return row;
}

static uint64_t service_of(uint64_t host, uint64_t minute, unsigned int s)
{
	const struct recording *r = &recordings[host % nr_recordings];

	return r->pages[s][(minute + host) % r->nr_pages[s]] * (double)scale_of(host) *
	       (0.5 + noise(host, UINT64_C(1) << 32 | minute << 8 | s));
}

/* Field @n of a line of CSV without quotes. */
static const char *field(const char *line, int n)
{
	while (n-- && line)
		line = strchr(line, ',') ? strchr(line, ',') + 1 : NULL;
	if (!line) {
		fprintf(stderr, "fleet_gen: too few fields\n");
		exit(1);
	}
	return line;
}

static uint64_t number(const char *line, int n)
{
	return strtoull(field(line, n), NULL, 10);
}

static FILE *open_file(const char *path, const char *mode)
{
	FILE *f = fopen(path, mode);

	if (f)
		return f;
	perror(path);
	exit(1);
}

static void load_services(struct recording *r, const char *name)
{
	char path[4096], line[1024], service[64];
	unsigned int s;
	FILE *f;

	snprintf(path, sizeof(path), "%s.services.csv", name);
	f = open_file(path, "r");
	while (fgets(line, sizeof(line), f)) {
		if (*line == 's')
			continue;
		snprintf(service, sizeof(service), "%.*s", (int)strcspn(field(line, 6), ","), field(line, 6));
		for (s = 0; s < r->nr_services && strcmp(r->service[s], service); s++)
			;
		if (s == MAX_SERVICES || r->nr_pages[s] == MAX_INTERVALS)
			continue;
		if (s == r->nr_services)
			strcpy(r->service[r->nr_services++], service);
		r->pages[s][r->nr_pages[s]++] = number(line, 8);
	}
	fclose(f);
}

static void load(const char *name)
{
	struct recording *r = &recordings[nr_recordings++];
	char path[4096], line[1024];
	FILE *f;

	snprintf(path, sizeof(path), "%s.intervals.csv", name);
	f = open_file(path, "r");
	while (fgets(line, sizeof(line), f) && r->nr < MAX_INTERVALS)
		if (*line != 's' && *field(line, 6) == ',')
			r->all[r->nr++] = (struct interval){ number(line, 8), number(line, 9), number(line, 10) };
	fclose(f);
	load_services(r, name);
}

static void write_host(const char *folder, uint64_t host, uint64_t minutes)
{
	const struct recording *r = &recordings[host % nr_recordings];
	char path[4096];
	uint64_t m;
	unsigned int s;
	FILE *f;

	snprintf(path, sizeof(path), "%s/host%05" PRIu64, folder, host);
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/host%05" PRIu64 "/day.intervals.csv", folder, host);
	f = open_file(path, "w");
	fprintf(f, "%s\n", table_header[0]);
	for (m = 0; m < minutes; m++) {
		const struct row row = row_of(host, m);

		fprintf(f, "1,host%05" PRIu64 ",boot,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",,%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%" PRIu64 ",0,0,%" PRIu64 ",0\n", host, NOON_NS + m * MINUTE_NS, MINUTE_NS, m, row.memory,
			row.kernel, row.user, row.cache, row.resident);
	}
	fclose(f);
	snprintf(path, sizeof(path), "%s/host%05" PRIu64 "/day.services.csv", folder, host);
	f = open_file(path, "w");
	fprintf(f, "%s\n", table_header[1]);
	for (m = 0; m < minutes; m += 5)
		for (s = 0; s < r->nr_services; s++)
			fprintf(f, "1,host%05" PRIu64 ",boot,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s,1,%" PRIu64 ",0,0\n",
				host, NOON_NS + m * MINUTE_NS, MINUTE_NS, m, r->service[s], service_of(host, m, s));
	fclose(f);
}

/* A host's sums; those of a day by themselves. */
struct host {
	char name[32];
	uint64_t n, memory, bytes, pages, cache, resident, faults, day_pages[2], day_n[2];
	double key;
};

static void sum_host(struct host *h, uint64_t host, uint64_t minutes)
{
	uint64_t m;

	snprintf(h->name, sizeof(h->name), "host%05" PRIu64, host);
	for (m = 0; m < minutes; m++) {
		const struct row row = row_of(host, m);
		const uint64_t pages = row.kernel + row.user + row.cache;
		const int day = (NOON_NS + m * MINUTE_NS) / DAY_NS != NOON_NS / DAY_NS;

		h->n++;
		h->memory = row.memory;
		h->bytes += row.memory;
		h->pages += pages;
		h->cache += row.cache;
		h->day_pages[day] += pages;
		h->day_n[day]++;
		if (row.resident > h->resident)
			h->resident = row.resident;
		if (row.user + row.cache > h->faults)
			h->faults = row.user + row.cache;
	}
}

/* Smaller keys first; @key is negated where larger ones are. */
static int by_key(const void *a, const void *b)
{
	const struct host *x = a, *y = b;

	return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : strcmp(x->name, y->name);
}

static void write_table(const char *folder, const char *name, struct table *t)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.csv", folder, name);
	f = open_file(path, "w");
	table_print(t, TABLE_CSV, f);
	fclose(f);
	table_free(t);
}

static struct table begin(const char *question)
{
	const struct question *q = question_find(question);
	struct table t;

	table_init_columns(&t, &q->columns);
	return t;
}

static void answer_hosts(const char *folder, struct host *hosts, uint64_t nr)
{
	const double gib = 262144;
	struct table t = begin("coldest");
	uint64_t i;

	for (i = 0; i < nr; i++)
		hosts[i].key = (double)hosts[i].pages * 4096 / (double)hosts[i].bytes;
	qsort(hosts, nr, sizeof(*hosts), by_key);
	for (i = 0; i < (nr + 9) / 10; i++) {
		const struct host *h = &hosts[i];
		const double referenced = (double)h->pages * 4096;

		table_add(&t, (struct cell[]){ TEXT_CELL(h->name), INT_CELL(h->n), REAL_CELL(h->memory / 1073741824.0),
			REAL_CELL(referenced / h->n / 1073741824.0), REAL_CELL(100 * referenced / (double)h->bytes) });
	}
	write_table(folder, "coldest", &t);

	t = begin("cache");
	for (i = 0; i < nr; i++)
		hosts[i].key = -(100 * (double)hosts[i].cache / (double)hosts[i].pages);
	qsort(hosts, nr, sizeof(*hosts), by_key);
	for (i = 0; i < nr; i++)
		if (2 * hosts[i].cache >= hosts[i].pages && hosts[i].pages)
			table_add(&t, (struct cell[]){ TEXT_CELL(hosts[i].name), INT_CELL(hosts[i].n),
				REAL_CELL((double)hosts[i].cache / hosts[i].n / gib), REAL_CELL(-hosts[i].key) });
	write_table(folder, "cache", &t);

	t = begin("drain");
	for (i = 0; i < nr; i++)
		hosts[i].key = -((double)hosts[i].resident / (double)hosts[i].faults);
	qsort(hosts, nr, sizeof(*hosts), by_key);
	for (i = 0; i < nr; i++)
		table_add(&t, (struct cell[]){ TEXT_CELL(hosts[i].name), REAL_CELL(hosts[i].resident / gib),
			REAL_CELL(hosts[i].faults / gib), REAL_CELL(-hosts[i].key) });
	write_table(folder, "drain", &t);
}

static void answer_drift(const char *folder, struct host *hosts, uint64_t nr)
{
	struct table t = begin("drift");
	uint64_t i;

	for (i = 0; i < nr; i++) {
		const double a = (double)hosts[i].day_pages[0] / hosts[i].day_n[0];
		const double b = (double)hosts[i].day_pages[1] / hosts[i].day_n[1];

		hosts[i].key = -fabs(100 * (b - a) / a);
	}
	qsort(hosts, nr, sizeof(*hosts), by_key);
	for (i = 0; i < nr; i++) {
		const double a = (double)hosts[i].day_pages[0] / hosts[i].day_n[0];
		const double b = (double)hosts[i].day_pages[1] / hosts[i].day_n[1];

		table_add(&t, (struct cell[]){ TEXT_CELL(hosts[i].name), REAL_CELL(a / 262144), REAL_CELL(b / 262144),
			REAL_CELL(100 * (b - a) / a) });
	}
	write_table(folder, "drift", &t);
}

struct service {
	char name[64];
	uint64_t *pages, nr, capacity, hosts, last;
};

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The smallest value that at least the share @q of the values does not exceed. */
static double quantile(const struct service *s, double q)
{
	const uint64_t rest = floor(s->nr - q * s->nr), at = s->nr - rest;

	return s->pages[(at ? at : 1) - 1] / 256.0;
}

static int by_p99(const void *a, const void *b)
{
	const double x = quantile(a, 0.99), y = quantile(b, 0.99);

	return x != y ? (x < y) - (x > y) : strcmp(((const struct service *)a)->name, ((const struct service *)b)->name);
}

static void answer_wss(const char *folder, uint64_t nr, uint64_t minutes)
{
	static struct service all[MAX_RECORDINGS * MAX_SERVICES];
	struct table t = begin("wss");
	unsigned int nr_all = 0, i, s;
	uint64_t h, m;

	for (h = 0; h < nr; h++) {
		const struct recording *r = &recordings[h % nr_recordings];

		for (s = 0; s < r->nr_services; s++) {
			for (i = 0; i < nr_all && strcmp(all[i].name, r->service[s]); i++)
				;
			if (i == nr_all)
				strcpy(all[nr_all++].name, r->service[s]);
			all[i].hosts++;
			for (m = 0; m < minutes; m += 5) {
				if (all[i].nr == all[i].capacity) {
					all[i].capacity = 2 * all[i].capacity + 1024;
					all[i].pages = realloc(all[i].pages, all[i].capacity * sizeof(uint64_t));
				}
				all[i].pages[all[i].nr++] = service_of(h, m, s);
			}
		}
	}
	for (i = 0; i < nr_all; i++)
		qsort(all[i].pages, all[i].nr, sizeof(uint64_t), by_value);
	qsort(all, nr_all, sizeof(*all), by_p99);
	for (i = 0; i < nr_all; i++)
		table_add(&t, (struct cell[]){ TEXT_CELL(all[i].name), INT_CELL(all[i].hosts), INT_CELL(all[i].nr),
			REAL_CELL(quantile(&all[i], 0.5)), REAL_CELL(quantile(&all[i], 0.99)),
			REAL_CELL(all[i].pages[all[i].nr - 1] / 256.0) });
	write_table(folder, "wss", &t);
}

static void answer(const char *folder, uint64_t nr, uint64_t minutes)
{
	struct host *hosts = calloc(nr, sizeof(*hosts));
	uint64_t h;

	for (h = 0; h < nr; h++)
		sum_host(&hosts[h], h, minutes);
	answer_hosts(folder, hosts, nr);
	answer_drift(folder, hosts, nr);
	free(hosts);
	answer_wss(folder, nr, minutes);
}

int main(int argc, char **argv)
{
	const int rows = argc > 1 && !strcmp(argv[1], "rows");
	uint64_t h, minutes;
	int i;

	if (argc < 7 + rows) {
		fprintf(stderr, "usage: fleet_gen rows FOLDER FIRST LAST MINUTES SEED RECORDING... |\n"
			"       fleet_gen answers FOLDER HOSTS MINUTES SEED RECORDING...\n");
		return 2;
	}
	minutes = strtoull(argv[4 + rows], NULL, 10);
	seed = strtoull(argv[5 + rows], NULL, 10);
	for (i = 6 + rows; i < argc && nr_recordings < MAX_RECORDINGS; i++)
		load(argv[i]);
	if (!rows) {
		answer(argv[2], strtoull(argv[3], NULL, 10), minutes);
		return 0;
	}
	for (h = strtoull(argv[3], NULL, 10); h < strtoull(argv[4], NULL, 10); h++)
		write_host(argv[2], h, minutes);
	return 0;
}
