// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * pprof_print FILE: what a profile of pprof holds, decoded by libprotobuf-c: a line
 * "total TYPE/UNIT SUM" for each value, then for each sample its values, its stack from the
 * leaf on, and its labels: "1 150 0 8 | leaf<root | cpu=0 level=dram".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "profile.pb-c.h"

static uint8_t *read_all(const char *path, size_t *size)
{
	size_t capacity = 1 << 20;
	uint8_t *data = malloc(capacity);
	gzFile z = gzopen(path, "rb");
	int n;

	*size = 0;
	while (z && data && (n = gzread(z, data + *size, capacity - *size)) > 0) {
		*size += n;
		if (*size == capacity)
			data = realloc(data, capacity *= 2);
	}
	if (z)
		gzclose(z);
	return data;
}

static const Perftools__Profiles__Function *function_of(const Perftools__Profiles__Profile *p, uint64_t id)
{
	const Perftools__Profiles__Location *l = NULL;
	size_t i;

	for (i = 0; i < p->n_location; i++)
		if (p->location[i]->id == id)
			l = p->location[i];
	for (i = 0; l && i < p->n_function; i++)
		if (p->function[i]->id == l->line[0]->function_id)
			return p->function[i];
	fprintf(stderr, "pprof_print: location %" PRIu64 " is unknown\n", id);
	exit(1);
}

static void print_sample(const Perftools__Profiles__Profile *p, const Perftools__Profiles__Sample *s)
{
	size_t i;

	for (i = 0; i < s->n_value; i++)
		printf("%" PRId64 " ", s->value[i]);
	for (i = 0; i < s->n_location_id; i++)
		printf("%s%s", i ? "<" : "| ", p->string_table[function_of(p, s->location_id[i])->name]);
	printf(" |");
	for (i = 0; i < s->n_label; i++)
		printf(" %s=%s", p->string_table[s->label[i]->key], p->string_table[s->label[i]->str]);
	putchar('\n');
}

int main(int argc, char **argv)
{
	Perftools__Profiles__Profile *p;
	uint8_t *data;
	size_t size, i, k;
	int64_t sum;

	if (argc != 2) {
		fprintf(stderr, "usage: pprof_print FILE\n");
		return 2;
	}
	data = read_all(argv[1], &size);
	p = data ? perftools__profiles__profile__unpack(NULL, size, data) : NULL;
	if (!p || !size) {
		fprintf(stderr, "pprof_print: %s: not a profile\n", argv[1]);
		return 1;
	}
	for (k = 0; k < p->n_sample_type; k++) {
		for (sum = i = 0; i < p->n_sample; i++)
			sum += p->sample[i]->value[k];
		printf("total %s/%s %" PRId64 "\n", p->string_table[p->sample_type[k]->type],
		       p->string_table[p->sample_type[k]->unit], sum);
	}
	for (i = 0; i < p->n_sample; i++)
		print_sample(p, p->sample[i]);
	perftools__profiles__profile__free_unpacked(p, NULL);
	free(data);
	return 0;
}
